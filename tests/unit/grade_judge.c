// SPDX-License-Identifier: Apache-2.0
// grade/judge/judge.h with guard zones forced on: what a device that does not check
// bounds itself would leave to them. Needs NVRTC; skipped without it.
#include "grade/judge/judge.h"
#include "grade/runner/runner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grade/check/check.h"
#include "grade/judge/cost.h"

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
  assert_int_equal(check_run(c, &(struct check_text){"saxpy", "saxpy", starter},
                             &v, &page, &e),
                   ERR_OK);
  if (v->verdict != VERDICT_ERROR) {
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(strstr(page, "fewer threads than elements"));
  }
  verdict_free(v);
  free(page);
  assert_int_equal(check_run(c,
                             &(struct check_text){"saxpy", "saxpy", solution},
                             &v, &page, &e),
                   ERR_OK);
  if (v->verdict != VERDICT_ERROR)
    assert_int_equal(v->verdict, VERDICT_PASS);
  verdict_free(v);
  free(page);
  assert_int_equal(
      check_run(c, &(struct check_text){"no-such", "a", ""}, &v, &page, &e),
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
  assert_int_equal(v->rule_count, 2); // the requirement comes first
  assert_int_equal(v->rules[0].verdict, VERDICT_PASS);
  assert_int_equal(v->rules[1].verdict, VERDICT_FAIL);
  assert_true(v->rules[1].value >= 12.5 && v->rules[1].value < 14);
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

// ---- Rules ----

static const struct verdict_diagnostic *find_code(const struct verdict *v,
                                                  const char *code) {
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].code, code))
      return &v->diagnostics[i];
  return NULL;
}

static bool asks_each_line; // the rule of judge_ruled

static struct verdict *judge_ruled(const char *text, bool is_goal,
                                   double points) {
  struct exercise *own;
  struct source s;
  struct err_info e;
  char *refused;
  assert_int_equal(exercise_load("saxpy", &own, &e), ERR_OK);
  assert_int_equal(own->rule_count, 1);
  own->rules[0].is_goal = is_goal;
  own->rules[0].points = points;
  own->rules[0].is_each_line = asks_each_line;
  source_from_text("own.cu", text ? text : own->solution,
                   strlen(text ? text : own->solution), &s, &refused);
  struct verdict *v = judge_run(judge, own, &s, refused);
  free(refused);
  source_free(&s);
  exercise_free(own);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

// Neighbours lie apart, but not where the launch is large.
static const char slow_when_small[] =
    "__global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int all = gridDim.x * blockDim.x;\n"
    "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int each = n > 20000 ? 1 : (n + all - 1) / all;\n"
    "  if (each == 1)\n"
    "    for (int i = t; i < n; i += all) y[i] = a * x[i] + y[i];\n"
    "  else\n"
    "    for (int i = t * each; i < (t + 1) * each && i < n; i++)\n"
    "      y[i] = a * x[i] + y[i];\n"
    "}\n";

// The largest case hides nothing.
static void every_case_counts(void **state) {
  (void)state;
  struct verdict *v = judge_ruled(slow_when_small, false, 0);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rules[1].verdict, VERDICT_FAIL);
  assert_true(v->rules[1].value < 75);
  verdict_free(v);
}

// One line in four is bad: the whole keeps the rule, that line does not. In one
// macro, all four are one line.
#define THREE_GOOD                                                             \
  "__global__ void saxpy(float a, const float *x, float *y, int n) {\n"        \
  "  int all = gridDim.x * blockDim.x;\n"                                      \
  "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {\n"
static const char bad_line[] = THREE_GOOD "    float right = a * x[i] + y[i];\n"
                                          "    volatile float again = right;\n"
                                          "    float far = x[i * 5 % n];\n"
                                          "    if (far > 0) right = again;\n"
                                          "    y[i] = right;\n"
                                          "  }\n"
                                          "}\n";
static const char bad_macro[] =
    THREE_GOOD "#define ALL(far) far = x[i * 5 % n]; y[i] = "
               "far > 0 ? again : a * x[i] + y[i];\n"
               "    float far; volatile float again = a * x[i] + y[i];\n"
               "    ALL(far)\n"
               "  }\n"
               "}\n";

static void lines_are_asked(void **state) {
  (void)state;
  const char *texts[] = {bad_line, bad_macro};
  int lines[] = {6, 6};
  for (int i = 0; i < 2; i++) {
    struct verdict *v = judge_ruled(texts[i], true, 0);
    double whole = v->rules[1].value;
    assert_int_equal(v->rules[1].line, 0);
    verdict_free(v);
    asks_each_line = true;
    v = judge_ruled(texts[i], true, 0);
    asks_each_line = false;
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_true(v->rules[1].is_each_line && v->rules[1].value < whole);
    assert_true(v->rules[1].value < 30);
    assert_int_equal(v->rules[1].line, lines[i]);
    const struct verdict_diagnostic *d = find_code(v, "goal");
    assert_true(d && d->line == lines[i] && strstr(d->message, " in line 6"));
    verdict_free(v);
  }
  asks_each_line = true;
  struct verdict *v = judge_ruled(NULL, true, 0);
  asks_each_line = false;
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rules[1].line, 0);
  verdict_free(v);
}

// Loads that nobody needs make a ratio neither better nor worse.
static void idle_loads_do_not_count(void **state) {
  (void)state;
  static const char near[] =
      THREE_GOOD "    float far = x[i * 5 % n];\n"
                 "    for (int k = 0; k < 40; k++)\n"
                 "      (void)*(const volatile float *)x;\n"
                 "    volatile float again = a * x[i] + y[i];\n"
                 "    y[i] = far > 0 ? again : a * x[i] + y[i];\n"
                 "  }\n"
                 "}\n";
  static const char far[] =
      THREE_GOOD "    (void)*(const volatile float *)&x[i * 5 % n];\n"
                 "    y[i] = a * x[i] + y[i];\n"
                 "  }\n"
                 "}\n";
  struct verdict *v = judge_ruled(near, true, 0);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_true(v->rules[1].value < 75);
  verdict_free(v);
  v = judge_ruled(far, true, 0);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_true(v->rules[1].value >= 75);
  verdict_free(v);
}

// Slow as often as an input of the large case, which is hidden, says; elsewhere never.
static const char tells_by_counting[] =
    "__global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int all = gridDim.x * blockDim.x;\n"
    "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int m = n > 20000 ? 1024 * (%s) : 0;\n"
    "  for (int i = t; i < n; i += all) {\n"
    "    int at = i < 8 * m ? i %% m * 8 + i / m : i;\n"
    "    y[at] = a * x[at] + y[at];\n"
    "  }\n"
    "}\n";

// All that a learner reads of one such kernel; to be freed.
static char *told_of(const char *times, bool is_goal) {
  char text[1000];
  snprintf(text, sizeof text, tells_by_counting, times);
  struct verdict *v = judge_ruled(text, is_goal, 0);
  assert_int_equal(v->verdict, is_goal ? VERDICT_FAIL : VERDICT_PASS);
  assert_int_equal(v->rules[1].verdict, VERDICT_FAIL);
  for (int i = 0; i < v->case_count; i++)
    v->cases[i].judge_us = 0;
  v->judge_us = 0;
  json_t *o = verdict_json(v);
  const char *const parts[] = {"efficiency", "diagnostics"};
  char *page = page_make(v, text), *said = NULL;
  for (int i = 0; i < 2; i++) {
    char *part = json_dumps(json_object_get(o, parts[i]), 0), *before = said;
    assert_true(asprintf(&said, "%s%s", before ? before : page, part) > 0);
    free(part), free(before);
  }
  free(page);
  json_decref(o);
  verdict_free(v);
  return said;
}

static void counters_tell_nothing_hidden(void **state) {
  (void)state;
  for (int is_goal = 0; is_goal < 2; is_goal++) {
    char *few = told_of("7 + (x[5] > 100)", is_goal);
    char *many = told_of("9 + (x[5] < 100)", is_goal);
    assert_string_equal(few, many);
    assert_non_null(strstr(few, "not so in a hidden case"));
    free(few), free(many);
  }
  // What is kept in the worst case, too, which is hidden: a visible one's.
  struct verdict *v = judge_ruled(NULL, true, 0);
  assert_false(isnan(v->rules[1].value));
  assert_false(v->cases[v->rules[1].worst].is_hidden);
  verdict_free(v);
}

static void what_hidden_cases_cost_is_one_word(void **state) {
  (void)state;
  struct gpu_work work = {.all = 3u << 30, .prints = 1u << 30};
  struct verdict *v = verdict_new("x", "x.cu", "virtual:0");
  v->case_count = 3;
  v->cases = calloc(3, sizeof *v->cases);
  v->cases[1].is_hidden = true;
  for (int i = 0; i < 3; i++) {
    cost_diagnose(v, i, "a launch was", COST_OF_LAUNCH, &work);
    const char *said = v->diagnostics[i].message;
    assert_non_null(strstr(said, "a launch was charged more than 2147 mill"));
    assert_int_equal(!strstr(said, "1074 for printf"), i > 0);
  }
  verdict_free(v);
}

static void rules_carry_points(void **state) {
  (void)state;
  struct verdict *v = judge_ruled(NULL, false, 2);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_true(v->earned == 12 && v->possible == 12);
  verdict_free(v);
  v = judge_ruled(slow_when_small, false, 2);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_true(v->earned == 10 && v->possible == 12);
  verdict_free(v);
}

static void goals_decide(void **state) {
  (void)state;
  struct verdict *v = judge_ruled(NULL, true, 0);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rules[1].kind, RULE_GOAL);
  verdict_free(v);
  v = judge_ruled(slow_when_small, true, 0);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_int_equal(v->rules[1].verdict, VERDICT_FAIL);
  const struct verdict_diagnostic *d = find_code(v, "goal");
  assert_non_null(d);
  assert_int_equal(d->severity, GPU_ERROR);
  assert_true(v->earned > 0 && v->earned < v->possible); // the large case
  verdict_free(v);
}

// ---- Another order ----

// Block 0 spoils out[0] when it is not the first to come.
#define FIRST_COME                                                             \
  "__device__ int ticket;\n"                                                   \
  "__global__ void add(const float *x, const float *y, float *out, int n) {\n" \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                         \
  "  if (i < n) out[i] = x[i] + y[i];\n"                                       \
  "  if (threadIdx.x == 0 && atomicAdd(&ticket, 1) %s 0 && blockIdx.x == 0)\n" \
  "    out[0] += 1;\n"                                                         \
  "}\n"

static char *first_come(const char *relation) {
  char *text;
  assert_true(asprintf(&text, FIRST_COME, relation) > 0);
  return text;
}

// The checked device takes block 0 first, and so it is right there; whoever asks
// an atomic for a place is judged in another order as well.
static void wrong_in_another_order(void **state) {
  (void)state;
  char *text = first_come("!=");
  struct verdict *v = judge_as("vector-add", text);
  if (v->verdict != VERDICT_ERROR) { // else no compiler here
    const struct verdict_diagnostic *d = find_code(v, "depends-on-order");
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(d);
    assert_non_null(d->explain);
    assert_true(v->earned < v->possible);
  }
  verdict_free(v);
  free(text);
}

// A sum of blocks, each of which adds its part to total[0] between two lines.
#define ADD_PART                                                               \
  "__device__ int lock;\n"                                                     \
  "__global__ void sum(const int *x, int *total, int n) {\n"                   \
  "  int own = 0, all = gridDim.x * blockDim.x;\n"                             \
  "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)\n"   \
  "    own += x[i];\n"                                                         \
  "  __shared__ int part;\n"                                                   \
  "  if (threadIdx.x == 0) part = 0;\n"                                        \
  "  __syncthreads();\n"                                                       \
  "  atomicAdd(&part, own);\n"                                                 \
  "  __syncthreads();\n"                                                       \
  "  if (threadIdx.x) return;\n"                                               \
  "  %s\n"                                                                     \
  "  *(volatile int *)total = *(volatile int *)total + part;\n"                \
  "  %s\n"                                                                     \
  "}\n"

static struct verdict *judge_sum(const char *before, const char *after) {
  char *text;
  assert_true(asprintf(&text, ADD_PART, before, after) > 0);
  struct verdict *v = judge_as("sum", text);
  free(text);
  return v;
}

// A volatile read is no race, and so blocks that run one after the other add up.
static void loses_updates(void **state) {
  (void)state;
  struct verdict *v = judge_sum("", "");
  if (v->verdict != VERDICT_ERROR) { // else no compiler here
    const struct verdict_diagnostic *d = find_code(v, "depends-on-order");
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(d);
    assert_non_null(strstr(d->explain, "volatile"));
  }
  verdict_free(v);
  v = judge_sum("while (atomicCAS(&lock, 0, 1)) {} __threadfence();",
                "__threadfence(); atomicExch(&lock, 0);");
  assert_true(v->verdict == VERDICT_PASS || v->verdict == VERDICT_ERROR);
  verdict_free(v);
}

// The rounds of warp 0 in last-warp, through a volatile pointer.
#define LAST_ROUNDS                                                            \
  "__global__ void last_warp(const float *x, float *out) {\n"                  \
  "  __shared__ float part[512];\n"                                            \
  "  int t = threadIdx.x;\n"                                                   \
  "  part[t] = x[blockIdx.x * blockDim.x + t];\n"                              \
  "  __syncthreads();\n"                                                       \
  "  for (int far = blockDim.x / 2; far > 16; far /= 2) {\n"                   \
  "    if (t < far) part[t] += part[t + far];\n"                               \
  "    __syncthreads();\n"                                                     \
  "  }\n"                                                                      \
  "  volatile float *p = part;\n"                                              \
  "  if (t < 32)\n"                                                            \
  "    for (int far = 16; far > 0; far /= 2) {\n"                              \
  "      if (t < far) p[t] += p[t + far];\n"                                   \
  "      %s\n"                                                                 \
  "    }\n"                                                                    \
  "  if (t == 0) out[blockIdx.x] = p[0];\n"                                    \
  "}\n"

static struct verdict *judge_last_warp(const char *between) {
  char *text;
  assert_true(asprintf(&text, LAST_ROUNDS, between) > 0);
  struct verdict *v = judge_as("last-warp", text);
  free(text);
  return v;
}

// Volatile accesses are no race, and lanes that happen to run in step add up.
static void relies_on_lanes_in_step(void **state) {
  (void)state;
  struct verdict *v = judge_last_warp("");
  if (v->verdict != VERDICT_ERROR) { // else no compiler here
    const struct verdict_diagnostic *d = find_code(v, "depends-on-order");
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(d);
    assert_non_null(strstr(d->message, "in step"));
    assert_non_null(strstr(d->explain, "__syncwarp()"));
  }
  verdict_free(v);
  v = judge_last_warp("__syncwarp();");
  assert_true(v->verdict == VERDICT_PASS || v->verdict == VERDICT_ERROR);
  verdict_free(v);
}

// A result that is wrong in each order, each time in another way.
static void wrong_in_any_order(void **state) {
  (void)state;
  static const char text[] =
      "__device__ int ticket;\n"
      "__global__ void add(const float *x, const float *y, float *out, int n) {"
      "  int i = atomicAdd(&ticket, 1);\n"
      "  if (i < n) out[i] = x[i] + y[i] + blockIdx.x;\n"
      "}\n";
  struct verdict *v = judge_as("vector-add", text);
  if (v->verdict != VERDICT_ERROR) {
    const struct verdict_diagnostic *d = find_code(v, "wrong-result");
    assert_int_equal(v->verdict, VERDICT_FAIL);
    assert_non_null(d);
    assert_non_null(d->explain);
    assert_non_null(strstr(d->explain, "In another order"));
  }
  verdict_free(v);
}

// A learner cannot set the judge's budget, so no verdict speaks of it.
static void no_word_on_budgets(void **state) {
  (void)state;
  static const char text[] =
      "__global__ void add(const float *x, const float *y, float *out, int n) {"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float s = 0;\n"
      "  for (int k = 0; k < 1 << 30; k++) s = s * x[0] + k;\n"
      "  if (i < n) out[i] = s;\n"
      "}\n";
  struct verdict *v = judge_as("vector-add", text);
  if (v->verdict != VERDICT_ERROR) {
    assert_int_equal(v->verdict, VERDICT_TIMEOUT);
    assert_true(v->diagnostic_count > 0);
    for (int i = 0; i < v->diagnostic_count; i++) {
      const char *why = v->diagnostics[i].explain;
      assert_true(!why || !strstr(why, "set_budget"));
    }
  }
  verdict_free(v);
}

// ---- A second device ----

static struct verdict *judge_on_two(struct exercise *on, const char *text) {
  struct judge *two;
  struct source s;
  struct err_info e;
  char *refused;
  struct judge_options q = {.gpu = "virtual:1"};
  assert_int_equal(judge_open(&q, &two, &e), ERR_OK);
  source_from_text("a.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(two, on, &s, refused);
  free(refused);
  source_free(&s);
  judge_close(two);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

static void devices_agree(void **state) {
  (void)state;
  struct verdict *v = judge_on_two(ex, ex->solution);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_null(find_code(v, "devices-disagree"));
  verdict_free(v);
}

// Who depends on the order is wrong on the second device each time, and the
// exercise's own solution is right there.
static void wrong_on_the_second(void **state) {
  (void)state;
  char *text = first_come("!=");
  struct verdict *v = judge_on_two(ex, text);
  const struct verdict_diagnostic *d = find_code(v, "devices-disagree");
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_non_null(d);
  assert_string_equal(d->kind, "wrong-result");
  assert_non_null(d->explain);
  assert_true(v->earned < v->possible);
  verdict_free(v);
  free(text);
}

// Right there and wrong here is as bad.
static void right_on_the_second(void **state) {
  (void)state;
  char *text = first_come("==");
  struct verdict *v = judge_on_two(ex, text);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  verdict_free(v);
  free(text);
}

// An exercise whose own solution is wrong there judges nobody by it.
static void exercise_disagrees(void **state) {
  (void)state;
  struct exercise *own;
  struct err_info e;
  assert_int_equal(exercise_load("vector-add", &own, &e), ERR_OK);
  free(own->solution);
  own->solution = first_come("!=");
  struct verdict *v = judge_on_two(own, own->solution);
  assert_int_equal(v->verdict, VERDICT_ERROR);
  assert_int_equal(v->blame, BLAME_MACHINE);
  assert_non_null(find_code(v, "devices-disagree"));
  assert_true(v->earned != v->earned); // costs no points
  verdict_free(v);
  exercise_free(own);
}

// What the exercise itself needs and the device lacks is ours.
static void exercise_unsupported(void **state) {
  (void)state;
  static const char text[] =
      "__global__ void add(const float *x, const float *y, float *out, int n)"
      "{ if (n < 0) { unsigned v; asm(\"mov.u32 %0, %%envreg3;\" : \"=r\"(v)); "
      "out[0] = v; } int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n) out[i] = x[i] + y[i]; }";
  struct verdict *v = judge_as("vector-add", text);
  if (v->verdict != VERDICT_ERROR) // else no compiler here
    assert_int_equal(v->verdict, VERDICT_FAIL);
  verdict_free(v);
  struct exercise *own;
  struct err_info e;
  assert_int_equal(exercise_load("vector-add", &own, &e), ERR_OK);
  free(own->solution);
  own->solution = strdup(text);
  v = judge_on_two(own, text);
  assert_int_equal(v->verdict, VERDICT_ERROR);
  verdict_free(v);
  exercise_free(own);
}

static int count_kind(const struct verdict *v, const char *kind) {
  int count = 0;
  for (int i = 0; i < v->diagnostic_count; i++)
    count += !strcmp(v->diagnostics[i].kind, kind);
  return count;
}

// Threads that return before a barrier are right, and nothing is said of them;
// the same barrier in an if looks alike to the device, and the source tells.
static void returning_before_a_barrier(void **state) {
  (void)state;
#define SUM                                                                    \
  "__global__ void add(const float *x, const float *y, float *out, int n) {"   \
  "\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  struct verdict *v = judge_as("vector-add", SUM "  if (i >= n)\n    return;\n"
                                                 "  __syncthreads();\n"
                                                 "  out[i] = x[i] + y[i];\n}");
  if (v->verdict != VERDICT_ERROR) { // else no compiler here
    assert_int_equal(v->verdict, VERDICT_PASS);
    assert_int_equal(count_kind(v, "barrier"), 0);
  }
  verdict_free(v);
  v = judge_as("vector-add", SUM "  if (i < n) {\n    __syncthreads();\n"
                                 "    out[i] = x[i] + y[i];\n  }\n}");
  if (v->verdict != VERDICT_ERROR)
    assert_int_not_equal(count_kind(v, "barrier"), 0);
  verdict_free(v);
}

// No verdict depends on how much memory the machine has.
static void device_has_one_gibibyte(void **state) {
  (void)state;
  struct runner_options q = {.device = "virtual:0"};
  struct gpu_device_info of;
  struct runner *r;
  struct err_info e;
  assert_int_equal(runner_open(&q, &r, &e), ERR_OK);
  assert_int_equal(runner_info(r, &of, &e), ERR_OK);
  assert_int_equal(of.total_bytes, 1 << 30);
  runner_close(r);
}

// Devices that are not enough for an exercise judge nobody by it.
static void hardware_is_asked_for(void **state) {
  (void)state;
  static const struct {
    struct exercise_hardware asked;
    const char *wanted;
  } rows[] = {
      {{.gpu = true}, "vector-add needs a real GPU, and it is judged without"},
      {{.capability = 995}, "compute capability 99.5, and virtual:0 has "},
      {{.memory_bytes = UINT64_C(1) << 31},
       "needs 2 GiB of device memory, and virtual:0 has 1 GiB here"},
      {{.capability = 50, .memory_bytes = 1 << 20}, NULL},
  };
  struct exercise_hardware before = ex->hardware;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ex->hardware = rows[i].asked;
    struct verdict *v = judge_body("");
    if (!rows[i].wanted) {
      assert_int_equal(v->verdict, VERDICT_PASS);
    } else {
      assert_int_equal(v->verdict, VERDICT_SKIPPED);
      assert_int_equal(verdict_exit_code(v), 3);
      assert_true(v->earned != v->earned); // null
      assert_int_equal(v->diagnostic_count, 1);
      if (!strstr(v->diagnostics[0].message, rows[i].wanted))
        fail_msg("%s", v->diagnostics[0].message);
    }
    verdict_free(v);
  }
  ex->hardware = before;
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
      cmocka_unit_test(every_case_counts),
      cmocka_unit_test(lines_are_asked),
      cmocka_unit_test(idle_loads_do_not_count),
      cmocka_unit_test(counters_tell_nothing_hidden),
      cmocka_unit_test(what_hidden_cases_cost_is_one_word),
      cmocka_unit_test(rules_carry_points),
      cmocka_unit_test(goals_decide),
      cmocka_unit_test(wrong_in_another_order),
      cmocka_unit_test(loses_updates),
      cmocka_unit_test(relies_on_lanes_in_step),
      cmocka_unit_test(wrong_in_any_order),
      cmocka_unit_test(no_word_on_budgets),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(wrong_on_the_second),
      cmocka_unit_test(right_on_the_second),
      cmocka_unit_test(exercise_disagrees),
      cmocka_unit_test(exercise_unsupported),
      cmocka_unit_test(returning_before_a_barrier),
      cmocka_unit_test(device_has_one_gibibyte),
      cmocka_unit_test(hardware_is_asked_for),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
