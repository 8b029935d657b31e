// SPDX-License-Identifier: Apache-2.0
// What a verdict says of a wrong result, of a server that died and of what costs too
// much: whose fault it is, which mutant explains it, and that what was never written
// is wrong where NaN is right. Needs NVRTC; skipped without it.
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

// The mutant gives the same in each case that is wrong, with the same findings, and is
// right in all others.
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
  // What the device sees in it is the same, too: here a note, of one thread or two.
#define SLEEPS(threads)                                                        \
  "{ if (i < " threads ") __nanosleep(2000000); out[i] = x[i] + y[i] + 1; }"
  got = recognised(SLEEPS("1"), SLEEPS("1"));
  assert_true(got && !strcmp(got, first));
  assert_null(recognised("out[i] = x[i] + y[i] + 1;", SLEEPS("1")));
  assert_null(recognised(SLEEPS("2"), SLEEPS("1")));
  exercise_free(ex);
  ex = shared;
}

// ---- A server that dies ----

static bool dies_for_all, dies_for_one;
static bool costs_much, costs_much_to_follow;
static const struct nvrtc_program *submission;

enum err __real_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);
enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);

// As runner_run where the server dies twice, or where what the submission does costs
// more than it may.
enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e) {
  if (!submission)
    submission = q->program;
  bool dies = dies_for_all || (dies_for_one && q->program == submission);
  if (!dies) {
    enum err err = __real_runner_run(r, q, out, e);
    bool is_followed =
        costs_much_to_follow && (q->wants_trace || q->wants_feeds);
    if (q->program == submission && (costs_much || is_followed))
      out->work.all = q->work_limit + 1;
    if (q->program == submission && is_followed)
      out->outcome = err_set(&out->why, ERR_TIMEOUT, "it was stopped");
    return err;
  }
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

// ---- A submission that costs too much ----

static void expect_cost(const char *words) {
  submission = NULL;
  struct verdict *v = judge_body("out[i] = x[i] + y[i];");
  const char *said = NULL;
  for (int i = 0; i < v->diagnostic_count && !said; i++)
    if (!strcmp(v->diagnostics[i].code, "cost"))
      said = v->diagnostics[i].message;
  assert_int_equal(v->verdict, words ? VERDICT_TIMEOUT : VERDICT_PASS);
  assert_int_equal(said != NULL, words != NULL);
  assert_true(!words || !strncmp(said, words, strlen(words)));
  // Of the case that it is said of.
  assert_int_equal(v->cases[0].verdict, words ? VERDICT_TIMEOUT : VERDICT_PASS);
  verdict_free(v);
}

// However right it is.
static void cost_is_asked_of_what_is_right(void **state) {
  (void)state;
  expect_cost(NULL);
  costs_much = true;
  expect_cost("a launch was charged more than");
  costs_much = false;
  costs_much_to_follow = true;
  expect_cost("to follow what the results are made of");
  costs_much_to_follow = false;
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
      cmocka_unit_test(cost_is_asked_of_what_is_right),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
