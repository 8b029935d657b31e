// SPDX-License-Identifier: Apache-2.0
// grade/judge.h with guard zones forced on: what a device that does not check
// bounds itself would leave to them. Needs NVRTC; skipped without it.
#include "grade/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grade/check.h"

static struct judge *judge;
static struct exercise *ex;

static struct verdict *judge_body(const char *body) {
  struct source s;
  char text[1000], *refused;
  snprintf(text, sizeof text,
           "__global__ void add(const float *x, const float *y, float *out, "
           "int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) out[i] = x[i] + y[i];\n%s\n}\n",
           body);
  source_from_text("a.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(judge, ex, &s, refused);
  source_free(&s);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

static void expect_message(const char *body, const char *wanted) {
  struct verdict *v = judge_body(body);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (strstr(v->diagnostics[i].message, wanted)) {
      verdict_free(v);
      return;
    }
  fail_msg("wanted \"%s\", first: %s", wanted,
           v->diagnostic_count ? v->diagnostics[0].message : "nothing");
}

static void zones_show_spills(void **state) {
  (void)state;
  struct verdict *v = judge_body("");
  assert_int_equal(v->verdict, VERDICT_PASS);
  verdict_free(v);
  expect_message("if (i < 3) out[n + i] = i;",
                 "wrote 3 elements past the end of out");
  expect_message("if (i == 0) out[-1] = 1;",
                 "wrote 1 element before the start of out");
  expect_message("if (i == 0) ((float *)y)[n] = 1;",
                 "wrote 1 element past the end of y");
  expect_message("if (i == 0) ((float *)x)[0] += 1;",
                 "x was written; it is an input");
}

static void prompt(void **state) {
  (void)state;
  struct check *c;
  struct err_info e;
  struct verdict *v = NULL;
  char *page = NULL, *starter, *solution;
  assert_int_equal(check_texts("saxpy", &starter, &solution, &e), ERR_OK);
  assert_int_equal(check_open(&(struct check_options){0}, &c, &e), ERR_OK);
  assert_int_equal(check_run(c, "saxpy", "saxpy", starter, &v, &page, &e),
                   ERR_OK);
  if (v->verdict != VERDICT_ERROR) {
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(strstr(page, "fewer threads than elements"));
  }
  verdict_free(v);
  free(page);
  assert_int_equal(check_run(c, "saxpy", "saxpy", solution, &v, &page, &e),
                   ERR_OK);
  if (v->verdict != VERDICT_ERROR)
    assert_int_equal(v->verdict, VERDICT_PASS);
  verdict_free(v);
  free(page);
  assert_int_equal(check_run(c, "no-such", "a", "", &v, &page, &e),
                   ERR_NOT_FOUND);
  check_close(c);
  free(starter);
  free(solution);
  int count;
  char *hint = check_hint("saxpy", 0, &count, &e);
  assert_non_null(hint);
  assert_true(count >= 2);
  free(hint);
  assert_null(check_hint("saxpy", count, &count, &e));
}

static struct verdict *judge_as(const char *exercise, const char *text) {
  struct exercise *own;
  struct source s;
  struct err_info e;
  char *refused;
  assert_int_equal(exercise_load(exercise, &own, &e), ERR_OK);
  source_from_text("own.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(judge, own, &s, refused);
  free(refused);
  source_free(&s);
  exercise_free(own);
  return v;
}

// Each thread takes elements that lie side by side: right, and slow.
static void efficiency(void **state) {
  (void)state;
  struct verdict *v = judge_as(
      "saxpy",
      "__global__ void saxpy(float a, const float *x, float *y, int n) {\n"
      "  int all = gridDim.x * blockDim.x;\n"
      "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int each = (n + all - 1) / all;\n"
      "  for (int i = t * each; i < (t + 1) * each && i < n; i++)\n"
      "    y[i] = a * x[i] + y[i];\n"
      "}\n");
  if (v->verdict == VERDICT_ERROR) // no compiler here
    goto out;
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rule_count, 1);
  assert_int_equal(v->rules[0].verdict, VERDICT_FAIL);
  assert_true(v->rules[0].value > 30 && v->rules[0].value <= 32);
  bool is_blamed = false;
  for (int i = 0; i < v->diagnostic_count; i++)
    is_blamed |= v->diagnostics[i].line == 6 &&
                 v->diagnostics[i].severity == GPU_NOTE &&
                 !strcmp(v->diagnostics[i].code, "uncoalesced");
  assert_true(is_blamed);
  verdict_free(v);
  v = judge_as("saxpy",
               "__global__ void saxpy(float a, const float *x, float *y, int n)"
               "{ int i = threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_int_equal(v->rule_count, 0); // of what is right only
out:
  verdict_free(v);
}

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  struct judge_options q = {.force_guards = true};
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
      cmocka_unit_test(zones_show_spills),
      cmocka_unit_test(prompt),
      cmocka_unit_test(efficiency),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
