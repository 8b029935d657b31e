// SPDX-License-Identifier: Apache-2.0
// What a verdict keeps and says where a hidden case alone is wrong, and where the
// order of blocks is to blame: nothing of its inputs, and nothing that the solution
// does not do, either. Needs NVRTC; skipped without it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grade/judge/judge.h"

static struct exercise
    *ex; // its cases of 333, 37 and 100003 elements are hidden

static const struct verdict_diagnostic *find_code(const struct verdict *v,
                                                  const char *code) {
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].code, code))
      return &v->diagnostics[i];
  return NULL;
}

// `more` comes behind the addition.
static char *text_with(const char *more) {
  char *text;
  assert_true(asprintf(&text,
                       "__device__ int ticket;\n"
                       "__global__ void add(const float *x, const float *y, "
                       "float *out, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) out[i] = x[i] + y[i];\n  %s\n}\n",
                       more) > 0);
  return text;
}

static struct verdict *judge_for(const char *learner, const char *more) {
  struct judge_options q = {.learner = learner, .keeps_case = true};
  struct judge *judge;
  struct source s;
  struct err_info e;
  char *refused, *text = text_with(more);
  assert_int_equal(judge_open(&q, &judge, &e), ERR_OK);
  source_from_text("a.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(judge, ex, &s, refused);
  source_free(&s);
  judge_close(judge);
  free(text);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

// ---- Another order ----

// Block 0 spoils out[0] when it is not the first to come.
#define SPOIL(when)                                                            \
  "if (" when "threadIdx.x == 0 && atomicAdd(&ticket, 1) && !blockIdx.x)\n"    \
  "    out[0] += 1;"

static void a_case_that_an_order_spoils(void **state) {
  (void)state;
  struct verdict *v = judge_for(NULL, SPOIL(""));
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_non_null(find_code(v, "depends-on-order"));
  assert_non_null(v->kept);
  verdict_free(v);
  v = judge_for(NULL, SPOIL("n == 333 && "));
  const struct verdict_diagnostic *d = find_code(v, "depends-on-order");
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_true(d && strstr(d->message, "a hidden case"));
  assert_null(v->kept);
  verdict_free(v);
}

// Nobody is blamed for an order in which the solution is wrong.
static void a_solution_that_an_order_spoils(void **state) {
  (void)state;
  char *before = ex->solution;
  ex->solution = text_with(SPOIL(""));
  struct verdict *v = judge_for(NULL, SPOIL(""));
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_null(find_code(v, "depends-on-order"));
  verdict_free(v);
  free(ex->solution);
  ex->solution = before;
}

// ---- What a wrong result is like ----

static void likenesses_of_hidden_cases(void **state) {
  (void)state;
  struct verdict *v = judge_for(NULL, "if (i < n && n > 1) out[i] += 777;");
  const struct verdict_diagnostic *d = find_code(v, "wrong-result");
  assert_true(d && d->explain && strstr(d->explain, "777"));
  verdict_free(v);
  v = judge_for(NULL, "if (i < n && n == 333) out[i] += 777;");
  d = find_code(v, "wrong-result");
  assert_non_null(d);
  assert_null(d->explain);
  assert_null(v->kept);
  verdict_free(v);
}

// ---- What is tried in its place ----

// The same for everybody: nothing of a learner's own inputs shows.
static void public_inputs_are_everybodys(void **state) {
  (void)state;
  static const char wrong[] = "if (i == 5 && i < n && n < 500) out[i] = x[4];";
  json_t *kept = NULL;
  char *said = NULL;
  for (int k = 0; k < 2; k++) {
    struct verdict *v = judge_for(k ? "s02" : "s01", wrong);
    const struct verdict_diagnostic *d = find_code(v, "public-case");
    assert_non_null(d);
    assert_non_null(v->kept);
    if (k) {
      assert_string_equal(d->message, said);
      assert_true(json_equal(v->kept, kept));
    } else {
      said = strdup(d->message);
      kept = json_incref(v->kept);
    }
    verdict_free(v);
  }
  json_decref(kept);
  free(said);
}

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  return exercise_load("vector-add", &ex, &e);
}

static int tear_down(void **state) {
  (void)state;
  exercise_free(ex);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_case_that_an_order_spoils),
      cmocka_unit_test(a_solution_that_an_order_spoils),
      cmocka_unit_test(likenesses_of_hidden_cases),
      cmocka_unit_test(public_inputs_are_everybodys),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
