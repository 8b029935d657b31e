// SPDX-License-Identifier: Apache-2.0
// Ranking through the judge, on a virtual GPU in a real one's place: its times say
// nothing, but what is launched, drawn and compared is the same. Needs NVRTC.
#include "grade/judge/judge.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/turnstile/turnstile.h"
#include "grade/case/case.h"
#include "grade/judge/judge_trial.h"
#include "grade/rank/rank.h"
#include "grade/runner/runner.h"
#include "tests/unit/scratch.h"

static struct judge *judging; // now
static char *library;         // tests/fixtures/fake_nvml_beside.c

static struct verdict *judge_add(const char *body, const char *gpu,
                                 bool ranks_anything) {
  struct judge_options q = {
      .gpu = gpu, .ranks = true, .ranks_anything = ranks_anything};
  struct exercise *ex;
  struct source s;
  struct judge *j;
  struct err_info e;
  char *refused, text[1000];
  assert_int_equal(exercise_load("vector-add", &ex, &e), ERR_OK);
  assert_true(ex->rank.is_there);
  ex->rank.changes.at[0].value = 3000; // n
  ex->rank.bytes = 0;
  snprintf(text, sizeof text,
           "__global__ void add(const float *x, const float *y, float *out, "
           "int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  %s\n}\n",
           body);
  source_from_text("a.cu", text, strlen(text), &s, &refused);
  assert_int_equal(judge_open(&q, &j, &e), ERR_OK);
  judging = j;
  struct verdict *v = judge_run(j, ex, &s, refused);
  judge_close(j);
  source_free(&s);
  exercise_free(ex);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found")) {
      verdict_free(v);
      skip(); // no NVRTC here
    }
  assert_non_null(v->rank);
  return v;
}

static const char right[] = "if (i < n) out[i] = x[i] + y[i];";

static void takes_pairs(void **state) {
  (void)state;
  struct verdict *v = judge_add(right, "virtual:1", true);
  const struct rank *r = v->rank;
  assert_int_equal(v->verdict, VERDICT_PASS);
  // How noisy this machine is decides between the two.
  assert_true(r->status == RANK_RANKED || r->status == RANK_TOO_NOISY);
  assert_true(r->pairs >= RANK_LEAST_PAIRS);
  assert_true(r->stat.own_us > 0 && r->stat.reference_us > 0);
  assert_true(r->stat.low <= r->stat.ratio && r->stat.ratio <= r->stat.high);
  assert_string_equal(r->timed_case, "n=4096");
  assert_int_equal(r->unseen, r->pairs); // there is no NVML of such a GPU
  verdict_free(v);
}

// Right wherever it is judged, and wrong where it would be timed.
static void wrong_when_timed(void **state) {
  (void)state;
  struct verdict *v =
      judge_add("if (i < n && (n != 3000 || i % 100)) out[i] = x[i] + y[i];",
                "virtual:1", true);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rank->status, RANK_SUSPECT);
  assert_non_null(strstr(v->rank->why, "out[0] is "));
  verdict_free(v);
}

// ---- What only a real GPU lets pass ----

// The virtual one stops a kernel that writes beside an array or into what it reads; a
// real one does not, and what lies there is compared. The Makefile puts this in the
// place of runner_run: what `leave` says is added to the submission's timed launches.
static void (*leave)(struct run_result *out);
static const struct nvrtc_program *reference; // warms up first

enum err __real_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);
enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e);

enum err __wrap_runner_run(struct runner *r, const struct run_request *q,
                           struct run_result *out, struct err_info *e) {
  enum err err = __real_runner_run(r, q, out, e);
  if (q->is_timed && !reference)
    reference = q->program;
  if (q->is_timed && q->program != reference && leave)
    leave(out);
  return err;
}

static void leave_before(struct run_result *out) {
  out->spilled_before[1] = 1;
}

static void leave_behind(struct run_result *out) {
  out->spilled_behind[2] = 1;
}

static void leave_input(struct run_result *out) {
  out->was_changed[0] = true;
}

static void suspects(void (*how)(struct run_result *), const char *why) {
  leave = how;
  reference = NULL;
  struct verdict *v = judge_add(right, "virtual:1", true);
  leave = NULL;
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rank->status, RANK_SUSPECT);
  assert_non_null(strstr(v->rank->why, why));
  verdict_free(v);
}

static void writes_beside_when_timed(void **state) {
  (void)state;
  suspects(leave_before, "it wrote beside y, or into it");
  suspects(leave_behind, "it wrote beside out, or into it");
  suspects(leave_input, "it wrote beside x, or into it");
}

// ---- What is right once ----

// Right in a module's first launch alone. In one that is used again it could as well
// keep what it has computed, and be timed without computing it.
static void keeps_nothing(void **state) {
  (void)state;
  struct verdict *v = judge_add("static unsigned threads;\n"
                                "  unsigned at = atomicAdd(&threads, 1u);\n"
                                "  if (at >= gridDim.x * blockDim.x) return;\n"
                                "  if (i < n) out[i] = x[i] + y[i];",
                                "virtual:1", true);
  const struct rank *r = v->rank;
  assert_int_equal(v->verdict, VERDICT_PASS);
  if (r->status != RANK_RANKED && r->status != RANK_TOO_NOISY)
    fail_msg("%s: %s", rank_status_text(r->status), r->why);
  assert_true(r->pairs >= RANK_LEAST_PAIRS);
  verdict_free(v);
}

static void skipped(const char *body, const char *gpu, bool ranks_anything,
                    const char *why) {
  struct verdict *v = judge_add(body, gpu, ranks_anything);
  assert_int_equal(v->rank->status, RANK_SKIPPED);
  assert_non_null(strstr(v->rank->why, why));
  verdict_free(v);
}

static void what_is_not_ranked(void **state) {
  (void)state;
  skipped("if (i + 1 < n) out[i] = x[i] + y[i];", "virtual:1", true,
          "has not passed");
  skipped("out[i] = x[", "virtual:1", true, "has not passed");
  skipped(right, NULL, true, "without a real GPU");
  skipped(right, "virtual:1", false, "say nothing of a real one");
}

// ---- Who works beside it ----

static void name_the_workers(unsigned pids[2]) {
  pids[0] = (unsigned)runner_pid(judging->gpu);
  pids[1] = (unsigned)getpid();
}

static void name_the_server(unsigned pids[2]) {
  pids[0] = pids[1] = (unsigned)runner_pid(judging->gpu);
}

static void name_others(unsigned pids[2]) {
  pids[0] = pids[1] = (unsigned)getpid();
}

// Ranks with an NVML that sees those processes work before each look.
static struct verdict *judge_while(void (*name)(unsigned pids[2])) {
  void *nvml = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(nvml);
  void (**ask)(unsigned *) = dlsym(nvml, "fake_nvml_ask");
  *ask = name;
  setenv("WARPSHOP_NVML", library, 1);
  struct verdict *v = judge_add(right, "virtual:1", true);
  unsetenv("WARPSHOP_NVML");
  dlclose(nvml);
  return v;
}

// The virtual GPU poses as the shared one V-1; this process works there, too, and has
// a ticket at `queue`.
static struct verdict *judge_while_at(const char *queue) {
  struct turnstile *own;
  struct err_info e;
  assert_int_equal(turnstile_open(folder, queue, &own, &e), ERR_OK);
  setenv("WARPSHOP_TURNSTILE", folder, 1);
  setenv("WARPSHOP_SHARED_VIRTUAL", "V", 1);
  struct verdict *v = judge_while(name_the_workers);
  unsetenv("WARPSHOP_SHARED_VIRTUAL");
  unsetenv("WARPSHOP_TURNSTILE");
  turnstile_close(own);
  return v;
}

// On a GPU before which nobody queues.
static void its_own_server_disturbs_nobody(void **state) {
  (void)state;
  struct verdict *v = judge_while(name_the_server);
  assert_int_equal(v->rank->unseen, 0);
  assert_int_equal(v->rank->foreign, 0);
  assert_true(v->rank->pairs >= RANK_LEAST_PAIRS);
  verdict_free(v);
}

// As in a container, where the numbers are not those that this process knows.
static void who_does_not_see_itself_sees_nobody(void **state) {
  (void)state;
  struct verdict *v = judge_while(name_others);
  assert_int_equal(v->rank->unseen, v->rank->pairs);
  assert_int_equal(v->rank->foreign, 0);
  assert_true(v->rank->pairs >= RANK_LEAST_PAIRS);
  verdict_free(v);
}

// What it worked it worked between two launches.
static void who_takes_turns_disturbs_nobody(void **state) {
  (void)state;
  struct verdict *v = judge_while_at("V-1");
  assert_int_equal(v->rank->unseen, 0);
  assert_int_equal(v->rank->foreign, 0);
  assert_true(v->rank->pairs >= RANK_LEAST_PAIRS);
  verdict_free(v);
}

static void others_disturb(void **state) {
  (void)state;
  struct verdict *v = judge_while_at("V-2");
  assert_int_equal(v->rank->unseen, 0);
  assert_int_equal(v->rank->pairs, 0);
  assert_int_equal(v->rank->foreign, v->rank->discarded);
  assert_int_equal(v->rank->status, RANK_TOO_NOISY);
  assert_non_null(strstr(v->rank->why, "another process worked on the GPU"));
  verdict_free(v);
}

// ---- All exercises ----

// What exercises say of the launch that is timed can be made.
static void all_can_be_made(void **state) {
  (void)state;
  struct err_info e;
  char **names;
  int count, ranked = 0;
  struct seed seed = {{1}};
  assert_int_equal(exercise_names(&names, &count, &e), ERR_OK);
  for (int i = 0; i < count; i++) {
    struct exercise *ex;
    struct case_input in;
    assert_int_equal(exercise_load(names[i], &ex, &e), ERR_OK);
    if (ex->rank.is_there) {
      if (exercise_make_changed(ex, ex->rank.index, &ex->rank.changes, &seed,
                                &in, &e))
        fail_msg("%s: %s", names[i], e.text);
      case_input_free(&in);
      ranked++;
    }
    exercise_free(ex);
  }
  exercise_names_free(names, count);
  assert_true(ranked >= 10);
}

// The turnstile's folder is everybody's.
static int set_up_folder(void **state) {
  return set_up(state) || chmod(folder, 01777);
}

// The library lies beside this program.
int main(int argc, char **argv) {
  const char *slash = argc ? strrchr(argv[0], '/') : NULL;
  library =
      xasprintf("%.*s/fake_nvml_beside.so", slash ? (int)(slash - argv[0]) : 1,
                slash ? argv[0] : ".");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_pairs),
      cmocka_unit_test(wrong_when_timed),
      cmocka_unit_test(writes_beside_when_timed),
      cmocka_unit_test(keeps_nothing),
      cmocka_unit_test(what_is_not_ranked),
      cmocka_unit_test(its_own_server_disturbs_nobody),
      cmocka_unit_test(who_does_not_see_itself_sees_nobody),
      cmocka_unit_test(who_takes_turns_disturbs_nobody),
      cmocka_unit_test(others_disturb),
      cmocka_unit_test(all_can_be_made),
  };
  return cmocka_run_group_tests(tests, set_up_folder, tear_down);
}
