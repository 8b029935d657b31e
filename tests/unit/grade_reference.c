// SPDX-License-Identifier: Apache-2.0
// kernels/reference.h as exercises use it: a description's types must be the
// reference's, and whatever a case holds, a reference stays within its arrays.
#include "kernels/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "grade/case/case.h"
#include "tests/unit/scratch.h"

static struct exercise *load(const char *name) {
  struct exercise *ex;
  struct err_info e;
  if (exercise_load(name, &ex, &e))
    fail_msg("%s", e.text);
  return ex;
}

// ---- Descriptions that name one ----

static void write_part(const char *name, const char *text) {
  struct err_info e;
  char *path = xasprintf("%s/%s", folder, name);
  assert_int_equal(file_replace(path, text, strlen(text), &e), ERR_OK);
  free(path);
}

// An exercise in the scratch folder whose first case has n = 4.
static enum err load_with(const char *signature, const char *reference,
                          const char *arguments, struct exercise **ex,
                          struct err_info *e) {
  char *text = xasprintf(
      "return {title = 't', minutes = 5, kernel = 'k',\n"
      "signature = {%s},\nreference = '%s',\n"
      "tolerance = {ulp = 0, reason = 'r'},\n"
      "make = function(case, rng) return {%s}, {1, 32} end,\n"
      "cases = {{name = 'a', n = 4}}, hints = false,\n"
      "mutants = {{name = 'm', replace = {'a', 'x'}, explain = 'e'},\n"
      " {name = 'n', replace = {'b', 'x'}, explain = 'e'},\n"
      " {name = 'o', replace = {'c', 'x'}, explain = 'e'},\n"
      " {name = 'p', replace = {'d', 'x'}, explain = 'e'}}}\n",
      signature, reference, arguments);
  write_part("exercise.lua", text);
  write_part("solution.cu", "__global__ void k() {\n// BEGIN SOLUTION\n"
                            "a b c d\n// END SOLUTION\n}\n");
  free(text);
  return exercise_load(folder, ex, e);
}

static const char stride[] =
    "{'inout', 'float *', 'x'}, {'value', 'float', 'y'}, {'value', 'int', 'n'}";

static void refused(const char *signature, const char *reference,
                    const char *wanted) {
  struct exercise *ex = NULL;
  struct err_info e = {0};
  enum err err = load_with(signature, reference, "", &ex, &e);
  if (err != ERR_ARGUMENT || !strstr(e.text, wanted))
    fail_msg("%s: %d \"%s\"", reference, err, e.text);
}

static void names_and_types(void **state) {
  (void)state;
  static const char others[] =
      "block_stride takes (float *, float, int), and the signature has others";
  refused(stride, "blockstride", "there is no \"blockstride\" in kernels/");
  refused("{'inout', 'float *', 'x'}, {'value', 'float', 'y'}", "block_stride",
          others);
  refused("{'inout', 'double *', 'x'}, {'value', 'float', 'y'},"
          " {'value', 'int', 'n'}",
          "block_stride", others);
  refused("{'inout', 'float *', 'x'}, {'in', 'float *', 'y'},"
          " {'value', 'int', 'n'}",
          "block_stride", others);
  refused("{'inout', 'float *', 'x'}, {'value', 'float', 'y'},"
          " {'value', 'int', 'n'}, {'value', 'int', 'm'}",
          "block_stride", others);
  refused("{'inout', 'int *', 'x'}", "reverse_blocks", "takes (const int *");
  // A constant array and a texture are arrays, too.
  struct exercise *ex = load("filter-constant");
  assert_string_equal(ex->reference->name, "filter_constant");
  exercise_free(ex);
  ex = load("zoom-texture");
  assert_string_equal(ex->reference->name, "zoom_texture");
  exercise_free(ex);
}

// Solves the first case; what the error says, or what x is.
static enum err solve(const char *signature, const char *reference,
                      const char *arguments, float *x, struct err_info *e) {
  struct exercise *ex;
  struct seed seed = {{0}};
  struct case_input in;
  double us;
  if (load_with(signature, reference, arguments, &ex, e) ||
      exercise_make_case(ex, 0, &seed, &in, e))
    fail_msg("%s", e->text);
  enum err err = exercise_solve(ex, &in, NULL, e);
  if (!err) {
    memcpy(x, in.args[0].data, sizeof *x);
    assert_int_equal(exercise_solve(ex, &in, &us, e), ERR_OK);
    assert_true(us >= 0);
  }
  case_input_free(&in);
  exercise_free(ex);
  return err;
}

static void lengths(void **state) {
  (void)state;
  struct err_info e = {0};
  float x;
  assert_int_equal(solve(stride, "block_stride",
                         "x = rng:full(4, 2), y = 0.5, n = case.n", &x, &e),
                   ERR_OK);
  assert_true(x == 2.5f);
  assert_int_equal(solve(stride, "block_stride",
                         "x = rng:full(3, 2), y = 0.5, n = case.n", &x, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "the reference fails: x has 3 elements, and "
                                 "the reference needs 4"));
}

// A number that the kernel would get as another is none that make may return.
static void numbers(void **state) {
  (void)state;
  struct exercise *ex;
  struct seed seed = {{0}};
  struct case_input in;
  struct err_info e;
  assert_int_equal(load_with(stride, "block_stride",
                             "x = rng:full(4, 2), y = 0.5, n = 1 << 40", &ex,
                             &e),
                   ERR_OK);
  assert_int_equal(exercise_make_case(ex, 0, &seed, &in, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "which its type int does not hold"));
  exercise_free(ex);
}

// ---- Whatever a case holds ----

// A copy of an array between two pages that nobody may touch, at the end of what
// is between them or at its beginning.
struct fenced {
  char *pages;
  size_t bytes; // with the forbidden ones
  void *data;
};

static struct fenced fence(const void *data, size_t bytes, bool at_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t room = (bytes + page - 1) / page * page;
  struct fenced f = {.bytes = room + 2 * page};
  f.pages = mmap(NULL, f.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(f.pages != MAP_FAILED);
  mprotect(f.pages + page, room, PROT_READ | PROT_WRITE);
  f.data = f.pages + page + (at_end ? room - bytes : 0);
  memcpy(f.data, data, bytes);
  return f;
}

static uint32_t next(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// Some of the numbers, lengths and indices of a case become other ones.
static void upset(const struct exercise *ex, struct reference_arg *args,
                  bool at_end, uint32_t *state) {
  static const int numbers[] = {-70000, -33, -2, -1, 0,  1,  2,
                                3,      7,   31, 32, 33, 100};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  for (int i = 0; i < ex->param_count; i++) {
    struct reference_arg *a = &args[i];
    const struct exercise_param *p = &ex->params[i];
    if (next(state) % 3)
      continue;
    if (!a->data) {
      a->integer = numbers[next(state) % NUMBERS];
      a->number = (double)a->integer;
    } else if (next(state) % 2) {
      size_t less = next(state) % (a->count + 1);
      if (at_end)
        a->data = (char *)a->data + less * dtype_bytes(p->dtype);
      a->count -= less;
    } else if (dtype_kind(p->dtype) != 'f') {
      for (size_t k = 0; k < a->count; k += 1 + next(state) % 9)
        case_store(p->dtype, a->data, k, numbers[next(state) % NUMBERS]);
    }
  }
}

// Once with a case's arguments upset: it must come back, and say so where it
// could not go on. Is what it says an error?
static bool compute_upset(const struct exercise *ex,
                          const struct case_input *in, uint32_t *state) {
  struct reference_arg args[EXERCISE_MAX_PARAMS];
  struct fenced fenced[EXERCISE_MAX_PARAMS] = {{0}};
  struct err_info e = {0};
  struct reference_call call = {.args = args, .e = &e};
  bool at_end = next(state) % 2;
  for (int i = 0; i < ex->param_count; i++) {
    const struct case_arg *a = &in->args[i];
    if (a->data)
      fenced[i] =
          fence(a->data, a->count * dtype_bytes(ex->params[i].dtype), at_end);
    args[i] = (struct reference_arg){ex->params[i].name, fenced[i].data,
                                     a->count, a->integer, a->number};
  }
  for (int d = 0; d < 3; d++) {
    call.grid[d] = next(state) % 4 ? in->grid[d] : 1 + next(state) % 40;
    call.block[d] = next(state) % 4 ? in->block[d] : 1 + next(state) % 40;
  }
  upset(ex, args, at_end, state);
  ex->reference->compute(&call);
  for (int i = 0; i < ex->param_count; i++)
    if (fenced[i].pages)
      munmap(fenced[i].pages, fenced[i].bytes);
  assert_true(!e.code || (e.code == ERR_ARGUMENT && *e.text));
  return e.code;
}

static size_t elements(const struct exercise *ex, const struct case_input *in) {
  size_t all = 0;
  for (int i = 0; i < ex->param_count; i++)
    all += in->args[i].count;
  return all;
}

// Its smaller cases, upset many times each.
static void upset_exercise(struct exercise *ex, uint32_t *state) {
  enum { TIMES = 100, MOST = 5000 };
  struct seed seed = {{7}};
  struct case_input in;
  struct err_info e;
  int calls = 0, errors = 0;
  for (int i = 0; i < ex->case_count; i++) {
    assert_int_equal(exercise_make_case(ex, i, &seed, &in, &e), ERR_OK);
    for (int k = 0; k < TIMES && elements(ex, &in) <= MOST; k++, calls++)
      errors += compute_upset(ex, &in, state);
    case_input_free(&in);
  }
  if (!calls || errors == calls || (!errors && ex->param_count > 1))
    fail_msg("%s: %d of %d calls were refused", ex->name, errors, calls);
}

static void arrays_end(void **state) {
  (void)state;
  char **names;
  int count, tried = 0;
  uint32_t random = 12;
  struct err_info e;
  assert_int_equal(exercise_names(&names, &count, &e), ERR_OK);
  for (int i = 0; i < count; i++) {
    struct exercise *ex = load(names[i]);
    if (ex->reference)
      upset_exercise(ex, &random);
    tried += ex->reference != NULL;
    exercise_free(ex);
  }
  exercise_names_free(names, count);
  assert_true(tried >= 80);
}

// Of kind cuda each exercise has one in C, and there is none that no exercise
// names.
static void each_has_its_own(void **state) {
  (void)state;
  char **names;
  int count;
  bool is_named[200] = {false};
  const struct reference *r;
  struct err_info e;
  assert_int_equal(exercise_names(&names, &count, &e), ERR_OK);
  for (int i = 0; i < count; i++) {
    struct exercise *ex = load(names[i]);
    if (ex->kind == EXERCISE_CUDA && !ex->reference)
      fail_msg("%s: its reference is not compiled", ex->name);
    for (int k = 0; (r = reference_at(k)); k++)
      is_named[k] |= r == ex->reference;
    exercise_free(ex);
  }
  exercise_names_free(names, count);
  for (int k = 0; (r = reference_at(k)); k++)
    if (!is_named[k])
      fail_msg("no exercise has the reference %s", r->name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_types),  cmocka_unit_test(lengths),
      cmocka_unit_test(numbers),          cmocka_unit_test(arrays_end),
      cmocka_unit_test(each_has_its_own),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
