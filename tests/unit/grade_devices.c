// SPDX-License-Identifier: Apache-2.0
// grade/judge/judge_devices.c over a second device that this file plays: whose fault
// it is where the devices disagree. What each run comes to there is written in a
// script, so that a device which is wrong now and then can be had.
#include "grade/judge/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_devices.h"
#include "grade/judge/judge_trial.h"
#include "grade/runner/runner.h"

// ---- The device ----

// One letter a run, the last for all that follow: p right, f wrong, e no run
// took place.
struct script {
  const char *runs;
  const char *refused; // by the compiler there; NULL: it is not
  int ran;
};
static struct script mine, own;

struct runner {
  char nothing;
};
static struct runner here, there;
static struct nvrtc_kernel kernel;
static struct exercise exercise = {.solution = (char *)"own"};

enum err runner_info(struct runner *r, struct gpu_device_info *out,
                     struct err_info *e) {
  (void)r, (void)e;
  memset(out, 0, sizeof *out);
  return ERR_OK;
}

enum err judge_compile(struct judge *j, const struct judge_compile *c,
                       struct nvrtc_program **out, struct err_info *e) {
  (void)j;
  const struct script *s = c->text == exercise.solution ? &own : &mine;
  *out = NULL;
  if (s->refused)
    return err_set(e, ERR_COMPILE, "%s", s->refused);
  *out = xcalloc(1, sizeof **out);
  (*out)->code = xstrdup(c->text);
  return ERR_OK;
}

bool signature_find(const struct exercise *ex, const struct nvrtc_program *p,
                    struct found_kernels *out, char **why) {
  (void)ex, (void)p, (void)why;
  *out = (struct found_kernels){{&kernel}};
  return true;
}

enum verdict_kind judge_try(struct trial *t, int i,
                            const struct judge_candidate *c,
                            struct verdict_case *time, struct err_info *e) {
  (void)t, (void)i, (void)time;
  assert_ptr_equal(c->on, &there);
  struct script *s = strcmp(c->program->code, exercise.solution) ? &mine : &own;
  int last = (int)strlen(s->runs) - 1, n = s->ran++;
  char run = s->runs[n < last ? n : last];
  if (run != 'e')
    return run == 'p' ? VERDICT_PASS : VERDICT_FAIL;
  err_set(e, ERR_DEVICE_LOST, "no device");
  return VERDICT_ERROR;
}

// ---- The trial ----

// The verdict of a submission with one case, which is right on the checked
// device.
static struct verdict *judge_there(const char *my_runs, const char *own_runs) {
  mine.runs = my_runs;
  own.runs = own_runs;
  mine.ran = own.ran = 0;
  struct judge j = {.checked = &here, .gpu = &there, .options.gpu = "cuda:0"};
  struct source source = {.name = (char *)"a.cu"};
  struct verdict *v = verdict_new("sum", "a.cu", "virtual:0");
  struct trial t = {.j = &j,
                    .ex = &exercise,
                    .source = &source,
                    .text = (char *)"mine",
                    .v = v,
                    .wrong_case = -1};
  v->case_count = 1;
  v->cases = xcalloc(1, sizeof *v->cases);
  v->cases[0] = (struct verdict_case){
      .name = xstrdup("all"), .weight = 1, .verdict = VERDICT_PASS};
  judge_second_device(&t);
  verdict_finish(v, 10, 0);
  mine.refused = own.refused = NULL;
  return v;
}

static void expect(struct verdict *v, enum verdict_kind wanted,
                   enum verdict_blame blame, const char *code) {
  if (v->verdict != wanted)
    fail_msg("wanted %s, got %s", verdict_text(wanted),
             verdict_text(v->verdict));
  assert_int_equal(v->blame, blame);
  assert_int_equal(v->diagnostic_count, code != NULL);
  if (code)
    assert_string_equal(v->diagnostics[0].code, code);
  verdict_free(v);
}

static void expect_fail(struct verdict *v) {
  assert_true(v->earned == 0 && v->cases[0].earned == 0);
  expect(v, VERDICT_FAIL, BLAME_NOBODY, "devices-disagree");
}

static void expect_ours(struct verdict *v) {
  assert_true(v->earned != v->earned); // costs no points
  expect(v, VERDICT_ERROR, BLAME_MACHINE, v->diagnostics[0].code);
}

// ---- Tests ----

static void right_on_both(void **state) {
  (void)state;
  expect(judge_there("p", "p"), VERDICT_PASS, BLAME_NOBODY, NULL);
  assert_int_equal(own.ran, 0);
}

// Three times beside the run that was wrong, in turns with the solution.
static void wrong_three_times(void **state) {
  (void)state;
  expect_fail(judge_there("f", "p"));
  assert_int_equal(mine.ran, 4);
  assert_int_equal(own.ran, 3);
  expect_fail(judge_there("fpfpff", "p"));
}

static void wrong_now_and_then(void **state) {
  (void)state;
  expect_ours(judge_there("fp", "p"));
  expect_ours(judge_there("ffp", "p"));
  expect_ours(judge_there("fffp", "p"));
}

static void the_solution_is_wrong_too(void **state) {
  (void)state;
  expect_ours(judge_there("f", "f"));
  expect_ours(judge_there("f", "ppf"));
  own.refused = "no such instruction";
  expect_ours(judge_there("f", "p"));
}

// Which dies each time, while the solution runs.
static void no_run_there(void **state) {
  (void)state;
  expect_fail(judge_there("e", "p"));
  expect_ours(judge_there("e", "e"));
  expect_ours(judge_there("ep", "p"));
}

static void refused_there(void **state) {
  (void)state;
  mine.refused = "no such instruction";
  struct verdict *v = judge_there("p", "p");
  assert_non_null(strstr(v->diagnostics[0].message, "no such instruction"));
  expect(v, VERDICT_FAIL, BLAME_NOBODY, "devices-disagree");
  mine.refused = own.refused = "no such instruction";
  expect_ours(judge_there("p", "p"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_on_both),
      cmocka_unit_test(wrong_three_times),
      cmocka_unit_test(wrong_now_and_then),
      cmocka_unit_test(the_solution_is_wrong_too),
      cmocka_unit_test(no_run_there),
      cmocka_unit_test(refused_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
