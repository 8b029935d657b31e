// SPDX-License-Identifier: Apache-2.0
// A submission becomes a program with the exercise's kernel, or the verdict says
// why not.
#include "grade/judge/judge_compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/judge/diagnose.h"
#include "grade/judge/judge_trial.h"

enum err judge_compile(struct judge *j, const struct judge_compile *c,
                       struct nvrtc_program **out, struct err_info *e) {
  static const char *const debug[] = {"-G"};
  struct gpu_device_info info;
  *out = NULL;
  enum err err = runner_info(c->on ? c->on : j->checked, &info, e);
  if (err)
    return err;
  size_t bytes = strlen(c->text);
  if (!c->is_handed_in && nvrtc_image_kind(c->text, bytes) == NVRTC_IMAGE_PTX)
    return nvrtc_load_image(c->text, bytes, info.arch, !info.takes_cubin, out,
                            e);
  struct nvrtc_request q = {
      .source = c->text,
      .file = c->file,
      .arch = info.arch,
      .want_ptx = !info.takes_cubin,
      .options = debug,
      .option_count = c->debug,
      .no_ptxas = c->debug, // what is looked at so was compiled before
      .no_cache = c->anew,
      .is_cancelled = j->options.is_cancelled,
      .context = j->options.context,
  };
  return nvrtc_compile(j->nvrtc, &q, out, e);
}

// Can this machine compile at all, now? Then a compiler that died twice or gave
// up did so because of the submission.
static bool can_compile(struct trial *t, struct err_info *e) {
  struct nvrtc_program *p;
  const char *own = t->ex->is_copy ? t->ex->starter : t->ex->solution;
  struct judge_compile c = {own, "own.cu", t->j->checked, .anew = true};
  enum err err = judge_compile(t->j, &c, &p, e);
  nvrtc_program_free(p);
  return !err;
}

// A device server that is lost while it opens has not seen the submission.
static void fail_compile(struct trial *t, enum err err,
                         const struct err_info *why) {
  struct verdict *v = t->v;
  struct err_info own;
  bool is_machines = err == ERR_CANCELLED || err == ERR_DEVICE_LOST;
  if (err == ERR_COMPILE && t->program) {
    v->verdict = VERDICT_COMPILE_ERROR;
    diagnose_compile(v, t->program, false);
  } else if (!is_machines && can_compile(t, &own)) {
    v->verdict = VERDICT_COMPILE_ERROR;
    verdict_add(v, err_kind(ERR_COMPILE), "compiler-gave-up", "%s", why->text);
  } else {
    verdict_set_error(v, BLAME_MACHINE, err, why->text);
  }
}

// The same file must be the same program whenever it is judged.
static bool uses_clock(struct trial *t) {
  int line;
  const char *name = source_find_clock(t->text, &line);
  if (!name)
    return false;
  t->v->verdict = VERDICT_COMPILE_ERROR;
  verdict_add(t->v, err_kind(ERR_COMPILE), "time-of-compile",
              "%s is not for submissions: the same file must be the same "
              "program whenever it is judged",
              name)
      ->line = line;
  return true;
}

static enum err compile_text(void *context, struct nvrtc_program **out,
                             struct err_info *e) {
  struct trial *t = context;
  struct judge_compile c = {t->text, source_compile_name(t->source),
                            t->j->checked, .is_handed_in = true};
  return judge_compile(t->j, &c, out, e);
}

bool judge_compile_submission(struct trial *t) {
  struct err_info e = {0};
  enum err err = host_compile(&t->text, compile_text, t, &t->program, &e);
  if (t->program)
    memcpy(t->v->nvrtc, t->program->version, sizeof t->v->nvrtc);
  if (err) {
    fail_compile(t, err, &e);
    return false;
  }
  if (uses_clock(t))
    return false;
  char *why = NULL;
  if (signature_find(t->ex, t->program, &t->kernels, &why))
    return true;
  t->v->verdict = VERDICT_COMPILE_ERROR;
  diagnose_compile(t->v, t->program, true);
  verdict_add(t->v, err_kind(ERR_ARGUMENT), "signature", "%s", why)->order = -1;
  free(why);
  return false;
}
