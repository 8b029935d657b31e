// SPDX-License-Identifier: Apache-2.0
// Are the kernels that the exercise asks for in a compiled submission?
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/input.h"
#include "grade/runner/runner.h"

// Integers of one size are one type here.
static bool is_type(enum nvrtc_type have, enum dtype want) {
  static const struct {
    char kind;
    size_t bytes;
  } types[] = {
      [NVRTC_BOOL] = {'b', 1}, [NVRTC_I8] = {'i', 1},   [NVRTC_U8] = {'i', 1},
      [NVRTC_I16] = {'i', 2},  [NVRTC_U16] = {'i', 2},  [NVRTC_I32] = {'i', 4},
      [NVRTC_U32] = {'i', 4},  [NVRTC_I64] = {'i', 8},  [NVRTC_U64] = {'i', 8},
      [NVRTC_F16] = {'f', 2},  [NVRTC_BF16] = {'n', 2}, [NVRTC_F32] = {'f', 4},
      [NVRTC_F64] = {'f', 8},
  };
  char kind = dtype_kind(want);
  if (kind == 'u')
    kind = 'i';
  if (want == DTYPE_BF16)
    kind = 'n';
  return have <= NVRTC_F64 && types[have].kind == kind &&
         types[have].bytes == dtype_bytes(want);
}

static bool is_param(const struct nvrtc_param *have,
                     const struct exercise_param *want) {
  bool wants_pointer = want->is_array && want->direction != PARAM_TEXTURE;
  if (have->is_pointer != wants_pointer || have->vector_lanes > 1 ||
      have->pointer_levels != (wants_pointer ? 1 : 0))
    return false;
  if (want->direction == PARAM_TEXTURE)
    return have->type == NVRTC_U64 || have->type == NVRTC_I64;
  return is_type(have->type, want->dtype);
}

static const struct nvrtc_kernel *find(const struct nvrtc_program *p,
                                       const char *name) {
  for (int i = 0; i < p->kernel_count; i++)
    if (!strcmp(p->kernels[i].name, name))
      return &p->kernels[i];
  return NULL;
}

static char *say_missing(const struct exercise_kernel *want,
                         const struct nvrtc_program *p) {
  struct str s = STR_INIT;
  str_addf(&s, "there is no kernel named %s", want->name);
  for (int i = 0; i < p->kernel_count && i < 5; i++)
    str_addf(&s, "%s%s", i ? ", " : " (the file has ", p->kernels[i].name);
  str_addf(&s, "%s; the exercise expects: %s", p->kernel_count ? ")" : "",
           want->signature);
  char *clean = text_clean(s.data, s.len, 1000, 0);
  str_free(&s);
  return clean;
}

static char *say_param(const struct exercise_kernel *k,
                       const struct nvrtc_param *have, int i) {
  const struct exercise_param *want = &k->params[i];
  char *type = have->declared
                   ? text_clean(have->declared, strlen(have->declared), 200, 0)
                   : xstrdup("another type");
  char *text = xasprintf(
      "%s: parameter %d (%s) is \"%s\" and must be \"%s\"; the exercise "
      "expects: %s",
      k->name, i + 1, want->name, type,
      want->direction == PARAM_TEXTURE ? "cudaTextureObject_t" : want->declared,
      k->signature);
  free(type);
  return text;
}

// ---- Another order ----

// Does `have` serve as `want`, in whatever place?
typedef bool serves(const struct nvrtc_param *have,
                    const struct exercise_param *want);

static bool has_name(const struct nvrtc_param *have,
                     const struct exercise_param *want) {
  return have->name && !strcmp(have->name, want->name);
}

// Only an input may be const, and it is.
static bool has_const(const struct nvrtc_param *have,
                      const struct exercise_param *want) {
  return is_param(have, want) &&
         (want->direction == PARAM_TEXTURE ||
          have->is_const == (want->direction == PARAM_IN));
}

// Is there one for each, and where stands the one for parameter `i`? Of several
// that serve the first is taken, which does as those are of one kind.
static bool find_places(const struct exercise_kernel *want,
                        const struct nvrtc_kernel *k, serves *fits,
                        int at[EXERCISE_MAX_PARAMS]) {
  bool is_taken[EXERCISE_MAX_PARAMS] = {false};
  for (int i = 0; i < want->param_count; i++) {
    at[i] = fits(&k->params[i], &want->params[i]) && !is_taken[i] ? i : -1;
    for (int n = 0; n < k->param_count && at[i] < 0; n++)
      if (!is_taken[n] && fits(&k->params[n], &want->params[i]))
        at[i] = n;
    if (at[i] < 0)
      return false;
    is_taken[at[i]] = true;
  }
  return true;
}

// Two inputs that changed places are the submission's own matter: the kernel
// may well be right. An input where a result is expected is not.
static bool is_misplaced(const struct exercise_kernel *want,
                         const struct nvrtc_kernel *k,
                         const int at[EXERCISE_MAX_PARAMS]) {
  for (int i = 0; i < want->param_count; i++)
    if (at[i] != i &&
        (want->params[at[i]].direction != want->params[i].direction ||
         !is_param(&k->params[i], &want->params[i])))
      return true;
  return false;
}

static bool is_in_another_order(const struct exercise_kernel *want,
                                const struct nvrtc_kernel *k) {
  serves *const ways[] = {has_name, has_const, is_param};
  int at[EXERCISE_MAX_PARAMS];
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (find_places(want, k, ways[i], at))
      return is_misplaced(want, k, at);
  return false;
}

static char *say_order(const struct exercise_kernel *want,
                       const struct nvrtc_kernel *k) {
  struct str s = STR_INIT;
  str_addf(&s, "%s has its parameters in another order, (", want->name);
  for (int i = 0; i < k->param_count; i++)
    str_addf(&s, "%s%s", i ? ", " : "",
             k->params[i].name       ? k->params[i].name
             : k->params[i].declared ? k->params[i].declared
                                     : "?");
  str_addf(&s, "); the exercise expects: %s", want->signature);
  char *clean = text_clean(s.data, s.len, 1000, 0);
  str_free(&s);
  return clean;
}

// ---- The kernels ----

static const struct nvrtc_kernel *find_one(const struct exercise_kernel *want,
                                           const struct nvrtc_program *p,
                                           char **why) {
  const struct nvrtc_kernel *k = find(p, want->name);
  if (!k) {
    *why = say_missing(want, p);
    return NULL;
  }
  if (k->param_count != want->param_count) {
    *why = xasprintf("%s has %d parameter%s and must have %d; the exercise "
                     "expects: %s",
                     want->name, k->param_count, k->param_count == 1 ? "" : "s",
                     want->param_count, want->signature);
    return NULL;
  }
  if (is_in_another_order(want, k))
    *why = say_order(want, k);
  for (int i = 0; i < k->param_count && !*why; i++)
    if (!is_param(&k->params[i], &want->params[i]))
      *why = say_param(want, &k->params[i], i);
  return k;
}

bool signature_find(const struct exercise *ex, const struct nvrtc_program *p,
                    struct found_kernels *out, char **why) {
  *why = NULL;
  *out = (struct found_kernels){{NULL}};
  for (int i = 0; i < ex->kernel_count && !*why; i++)
    out->of[i] = find_one(&ex->kernels[i], p, why);
  return !*why;
}
