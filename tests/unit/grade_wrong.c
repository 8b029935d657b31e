// SPDX-License-Identifier: Apache-2.0
// What a verdict says of a wrong result and of a server that died: whose fault it
// is, which mutant explains it, and that what was never written is wrong where NaN
// is right. Needs NVRTC; skipped without it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grade/judge/judge.h"
#include "grade/runner/runner.h"

static struct judge *judge;
static struct exercise *ex;

static struct verdict *judge_body(const char *body) {
  struct source s;
  char text[1000], *refused;
  snprintf(text, sizeof text,
           "__global__ void add(const float *x, const float *y, float *out, "
           "int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) %s\n}\n",
           body);
  source_from_text("a.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(judge, ex, &s, refused);
  source_free(&s);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

// ---- Nobody wrote it ----

// In the case of special values NaN is right, and so is memory's poison a NaN.
static void unwritten_is_wrong_where_nan_is_right(void **state) {
  (void)state;
  static const char body[] = "if (x[i] + y[i] == x[i] + y[i]) "
                             "out[i] = x[i] + y[i];";
  struct verdict *v = judge_body(body);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  int wrong = 0;
  for (int i = 0; i < v->case_count; i++) {
    bool is_special = !strcmp(v->cases[i].name, "special values");
    assert_int_equal(v->cases[i].verdict,
                     is_special ? VERDICT_FAIL : VERDICT_PASS);
    wrong += is_special;
  }
  assert_int_equal(wrong, 1);
  verdict_free(v);
  v = judge_body("out[i] = x[i] + y[i] == x[i] + y[i] ? x[i] + y[i] : nanf(\"\""
                 ");");
  assert_int_equal(v->verdict, VERDICT_PASS);
  verdict_free(v);
}

// ---- Mutants ----

// The mutant that is recognised in a submission; NULL: none is.
static const char *recognised(const char *mutant, const char *submission) {
  static char name[100];
  char *text;
  assert_true(asprintf(&text,
                       "__global__ void add(const float *x, const float *y, "
                       "float *out, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) %s\n}\n",
                       mutant) > 0);
  for (int k = 0; k < ex->mutant_count; k++) {
    free(ex->mutants[k].source);
    ex->mutants[k].source = strdup(k ? ex->solution : text);
  }
  free(text);
  struct verdict *v = judge_body(submission);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  snprintf(name, sizeof name, "%s", v->mutant ? v->mutant : "");
  verdict_free(v);
  return *name ? name : NULL;
}

// The mutant gives the same in each case that is wrong, and is right in all others.
static void a_mutant_explains_all_cases_or_none(void **state) {
  (void)state;
  struct exercise *shared = ex;
  struct err_info e;
  assert_int_equal(exercise_load("vector-add", &ex, &e), ERR_OK);
  const char *first = ex->mutants[0].name;
  const char *got = recognised("out[i] = x[i] + y[i] + 1;", //
                               "out[i] = 1 + (y[i] + x[i]);");
  assert_true(got && !strcmp(got, first));
  // As large as any case but the last is n.
  got = recognised("out[i] = x[i] + y[i] + (n > 5000 ? 2 : 1);",
                   "out[i] = x[i] + y[i] + 1;");
  assert_null(got);
  got = recognised("out[i] = x[i] + y[i] + 1;",
                   "out[i] = x[i] + y[i] + (n > 5000 ? 0 : 1);");
  assert_null(got);
  exercise_free(ex);
  ex = shared;
}

// ---- A server that dies ----

static bool dies_for_all, dies_for_one;
static const struct nvrtc_program *submission;

enum err __real_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);
enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);

// As runner_run where the server dies twice.
enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e) {
  if (!submission)
    submission = q->program;
  bool dies = dies_for_all || (dies_for_one && q->program == submission);
  if (!dies)
    return __real_runner_run(r, q, out, e);
  memset(out, 0, sizeof *out);
  out->outcome = err_set(&out->why, ERR_DEVICE_LOST, "the server has died");
  return ERR_OK;
}

// It is the submission's, where the solution lives on the same inputs.
static void whose_fault_a_death_is(void **state) {
  (void)state;
  submission = NULL;
  dies_for_one = true;
  struct verdict *v = judge_body("out[i] = x[i] + y[i];");
  dies_for_one = false;
  assert_int_equal(v->verdict, VERDICT_CRASH);
  assert_int_equal(v->blame, BLAME_NOBODY);
  assert_true(v->earned == 0);
  verdict_free(v);
  dies_for_all = true;
  v = judge_body("out[i] = x[i] + y[i];");
  dies_for_all = false;
  assert_int_equal(v->verdict, VERDICT_ERROR);
  assert_int_equal(v->blame, BLAME_MACHINE);
  assert_true(v->earned != v->earned); // costs no points
  verdict_free(v);
}

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  struct judge_options q = {0};
  return exercise_load("vector-add", &ex, &e) || judge_open(&q, &judge, &e);
}

static int tear_down(void **state) {
  (void)state;
  judge_close(judge);
  exercise_free(ex);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unwritten_is_wrong_where_nan_is_right),
      cmocka_unit_test(a_mutant_explains_all_cases_or_none),
      cmocka_unit_test(whose_fault_a_death_is),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
