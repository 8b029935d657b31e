// SPDX-License-Identifier: Apache-2.0
// Ranking over a simulated GPU: its times, its noise and who else uses it are
// drawn here, so that nothing depends on this machine.
#include "grade/rank/rank.h"
#include "grade/rank/rank_stat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// A GPU whose clock drifts by a twentieth, with noise on every launch.
struct machine {
  double own_us, reference_us;
  double noise; // standard deviation, a part of the time
  int wrong_at; // the launch from which the submission is wrong; 0: never
  int failing;  // enum rank_who that does not run, or -1
  int foreign_every, slow_every; // looks; 0: never
  int unseen_from; // the look from which no processes are told; 0: never
  bool is_blind;   // there is nothing to look with
  int launches[2], looks;
  uint64_t state;
  int launch_count;
  char who[2 * RANK_MOST_PAIRS + 100]; // of each launch: enum rank_who
};

static double uniform(struct machine *m) {
  m->state = m->state * 6364136223846793005u + 1442695040888963407u;
  return (double)(m->state >> 11) / 0x1p53;
}

static double normal(struct machine *m) {
  double u = uniform(m), v = uniform(m);
  return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979 * v);
}

static enum rank_launch launch(void *context, enum rank_who who, double *us,
                               struct err_info *e) {
  struct machine *m = context;
  m->who[m->launch_count++] = (char)who;
  m->launches[who]++;
  double drift = 1 + 0.05 * sin(m->launch_count / 40.0);
  double base = who == RANK_OWN ? m->own_us : m->reference_us;
  *us = base * drift * exp(m->noise * normal(m));
  if (m->failing == (int)who) {
    err_set(e, ERR_DEVICE_LOST, "the server is gone");
    return RANK_FAILED;
  }
  if (who == RANK_OWN && m->wrong_at && m->launches[who] >= m->wrong_at) {
    err_set(e, ERR_ARGUMENT, "out[3] is 1, not 2");
    return RANK_WRONG;
  }
  return RANK_TIMED;
}

static bool is_every(int n, int every) {
  return every && n % every == 0;
}

static bool look(void *context, struct nvml_look *out) {
  struct machine *m = context;
  if (m->is_blind)
    return false;
  m->looks++;
  *out = (struct nvml_look){.sm_mhz = 1980, .most_sm_mhz = 1980};
  out->process_count = 2;
  out->pids[0] = 100;
  out->pids[1] = 200; // has memory there
  out->busy_count = 1;
  out->busy[0] = 100;
  if (is_every(m->looks, m->foreign_every))
    out->busy[out->busy_count++] = 200;
  if (is_every(m->looks, m->slow_every))
    out->sm_mhz = 1400;
  if (m->unseen_from && m->looks >= m->unseen_from)
    out->process_count = out->busy_count = -1;
  return true;
}

static bool is_ours(void *context, int pid) {
  (void)context;
  return pid == 100;
}

static struct machine quiet(void) {
  return (struct machine){.own_us = 50,
                          .reference_us = 100,
                          .noise = 0.01,
                          .failing = -1,
                          .state = 7};
}

static enum err measure(struct machine *m, struct rank *r, double floor_us) {
  struct err_info e = {0};
  struct rank_source s = {.context = m,
                          .launch = launch,
                          .look = look,
                          .is_ours = is_ours,
                          .floor_us = floor_us};
  memset(s.seed.bytes, (int)(m->state & 255), sizeof s.seed.bytes);
  return rank_measure(&s, r, &e);
}

static void expect(struct machine m, double floor_us, enum rank_status status,
                   const char *why) {
  struct rank *r = rank_new();
  assert_int_equal(measure(&m, r, floor_us), ERR_OK);
  assert_string_equal(rank_status_text(r->status), rank_status_text(status));
  if (why) {
    assert_non_null(r->why);
    if (!strstr(r->why, why))
      fail_msg("wanted \"%s\": %s", why, r->why);
  } else {
    assert_null(r->why);
  }
  rank_free(r);
}

static void twice_as_fast(void **state) {
  (void)state;
  struct machine m = quiet();
  struct rank *r = rank_new();
  assert_int_equal(measure(&m, r, 0), ERR_OK);
  assert_int_equal(r->status, RANK_RANKED);
  assert_true(r->stat.low <= 2 && 2 <= r->stat.high);
  assert_true(fabs(r->stat.ratio - 2) < 0.02);
  assert_true(r->pairs >= RANK_LEAST_PAIRS);
  assert_int_equal(r->look_count, 3);
  rank_free(r);
}

// Twenty times the same kernel: at most a hundredth between them.
static void the_same_again(void **state) {
  (void)state;
  double least = INFINITY, most = 0;
  for (uint64_t i = 0; i < 20; i++) {
    struct machine m = quiet();
    struct rank *r = rank_new();
    m.state = 1000 + i;
    m.noise = 0.02;
    assert_int_equal(measure(&m, r, 0), ERR_OK);
    assert_int_equal(r->status, RANK_RANKED);
    least = fmin(least, r->stat.ratio);
    most = fmax(most, r->stat.ratio);
    rank_free(r);
  }
  if (most / least > 1.01)
    fail_msg("from %g to %g", least, most);
}

static void noise_ranks_nothing(void **state) {
  (void)state;
  struct machine m = quiet();
  m.noise = 0.5;
  m.own_us = m.reference_us = 4000; // 2 s are 500 launches
  expect(m, 0, RANK_TOO_NOISY, "the ratio is known to");
}

// So slow that few pairs fit into the GPU time: of their spread nothing is said.
static void few_pairs(void **state) {
  (void)state;
  struct machine m = quiet();
  m.noise = 0;
  m.own_us = 500e3;
  m.reference_us = 100e3;
  expect(m, 0, RANK_TOO_NOISY, "only 3 pairs in 2.");
  m.own_us = 5e6;
  expect(m, 0, RANK_TOO_NOISY, "only 1 pair in 5.");
}

static void neighbours(void **state) {
  (void)state;
  struct machine m = quiet();
  m.foreign_every = 3;
  expect(m, 0, RANK_TOO_NOISY, "another process worked on the GPU");
  m.foreign_every = 8; // an eighth is thrown away
  expect(m, 0, RANK_RANKED, NULL);
  m.foreign_every = 0;
  m.slow_every = 2;
  expect(m, 0, RANK_TOO_NOISY, "clock was low");
}

static void impossible(void **state) {
  (void)state;
  expect(quiet(), 49.9 * 1.2, RANK_SUSPECT, "takes this GPU 59.88 us");
  expect(quiet(), 30, RANK_RANKED, NULL);
}

static void right_once(void **state) {
  (void)state;
  struct machine m = quiet();
  m.wrong_at = 2;
  expect(m, 0, RANK_SUSPECT, "out[3] is 1, not 2");
  m.wrong_at = 0;
  m.failing = RANK_OWN;
  expect(m, 0, RANK_SUSPECT, "did not end well");
}

// What keeps the solution from running is no submission's fault.
static void the_machine(void **state) {
  (void)state;
  struct machine m = quiet();
  struct rank *r = rank_new();
  m.failing = RANK_REFERENCE;
  assert_int_equal(measure(&m, r, 0), ERR_DEVICE_LOST);
  assert_int_equal(r->status, RANK_SKIPPED);
  rank_free(r);
}

static void in_turns(void **state) {
  (void)state;
  struct machine m = quiet();
  struct rank *r = rank_new();
  m.noise = 0.05;
  assert_int_equal(measure(&m, r, 0), ERR_OK);
  int warm = m.launches[RANK_REFERENCE] - m.launches[RANK_OWN];
  assert_true(warm >= 3 && warm <= 30);
  assert_int_equal(m.launches[RANK_OWN], r->pairs + r->discarded);
  rank_free(r);
}

// What comes first in each pair, with seeds of that byte; how many there are.
static int orders(int seed, char *first) {
  struct machine m = quiet();
  struct rank *r = rank_new();
  m.noise = 0.2;
  m.state = (uint64_t)seed;
  assert_int_equal(measure(&m, r, 0), ERR_OK);
  int warm = m.launches[RANK_REFERENCE] - m.launches[RANK_OWN];
  int count = r->pairs;
  for (int i = 0; i < count; i++) {
    first[i] = m.who[warm + 2 * i];
    assert_int_equal(m.who[warm + 2 * i + 1], !first[i]);
  }
  rank_free(r);
  return count;
}

// A submission that knew its place could leave the solution a slower GPU.
static void an_order_that_is_drawn(void **state) {
  (void)state;
  char one[RANK_MOST_PAIRS], other[RANK_MOST_PAIRS];
  int count = orders(7, one), own = 0, in_turns = 0;
  assert_true(count >= 100);
  for (int i = 0; i < count; i++) {
    own += one[i] == RANK_OWN;
    in_turns += i && one[i] != one[i - 1];
  }
  assert_true(own > count / 3 && own < count - count / 3);
  assert_true(in_turns > count / 3 && in_turns < count - count / 3);
  assert_int_equal(orders(7, other), count);
  assert_memory_equal(one, other, (size_t)count);
  int least = orders(8, other);
  least = least < count ? least : count;
  assert_true(least >= 100);
  assert_memory_not_equal(one, other, (size_t)least);
}

static void intervals(void **state) {
  (void)state;
  struct rank_pair pairs[100];
  struct rank_stat s, again;
  struct seed seed = {{1}};
  for (int i = 0; i < 100; i++)
    pairs[i] = (struct rank_pair){1, 1 + i / 100.0};
  rank_stat(pairs, 100, &seed, &s);
  rank_stat(pairs, 100, &seed, &again);
  assert_memory_equal(&s, &again, sizeof s);
  assert_true(fabs(s.ratio - 1.495) < 1e-9);
  // Order statistics of the median of 100 evenly spaced values: 40 to 60.
  assert_true(s.low > 1.38 && s.low < 1.42 && s.high > 1.57 && s.high < 1.61);
  rank_stat(pairs, 1, &seed, &s);
  assert_true(s.low == s.high && s.ratio == 1);
}

static void expect_sight(struct machine m, bool sees) {
  struct rank *r = rank_new();
  assert_int_equal(measure(&m, r, 0), ERR_OK);
  assert_int_equal(r->status, RANK_RANKED);
  json_t *o = rank_json(r);
  assert_int_equal(json_is_true(json_object_get(json_object_get(o, "evidence"),
                                                "sees_processes")),
                   sees);
  json_decref(o);
  rank_free(r);
}

// It is ranked all the same, and says that nobody could have been seen.
static void unseen_neighbours(void **state) {
  (void)state;
  struct machine m = quiet();
  expect_sight(m, true);
  m.unseen_from = 1;
  expect_sight(m, false);
  m.unseen_from = 9; // seen at first
  expect_sight(m, false);
  m.unseen_from = 0;
  m.is_blind = true;
  expect_sight(m, false);
}

static void as_json(void **state) {
  (void)state;
  struct machine m = quiet();
  struct rank *r = rank_new();
  json_t *o = rank_json(r);
  assert_string_equal(json_string_value(json_object_get(o, "status")),
                      "skipped");
  assert_true(json_is_null(json_object_get(o, "ratio")));
  json_decref(o);
  assert_int_equal(measure(&m, r, 0), ERR_OK);
  o = rank_json(r);
  assert_int_equal(json_array_size(json_object_get(o, "interval")), 2);
  json_t *looks = json_object_get(json_object_get(o, "evidence"), "looks");
  assert_int_equal(json_array_size(looks), 3);
  json_decref(o);
  rank_free(r);
}

static void expect_profile(const char *gpu, const char *profile) {
  struct rank *r = rank_new();
  r->gpu = xstrdup(gpu);
  json_t *o = rank_json(r);
  json_t *said = json_object_get(json_object_get(o, "evidence"), "profile");
  assert_non_null(said);
  if (profile)
    assert_string_equal(json_string_value(said), profile);
  else
    assert_true(json_is_null(said));
  json_decref(o);
  rank_free(r);
}

// Slices of one GPU are of several sizes: a board is of one.
static void profiles(void **state) {
  (void)state;
  expect_profile("NVIDIA H200 MIG 1g.18gb", "1g.18gb");
  expect_profile("NVIDIA H200 MIG 1c.3g.71gb", "1c.3g.71gb");
  expect_profile("NVIDIA H200", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twice_as_fast),
      cmocka_unit_test(the_same_again),
      cmocka_unit_test(noise_ranks_nothing),
      cmocka_unit_test(neighbours),
      cmocka_unit_test(impossible),
      cmocka_unit_test(right_once),
      cmocka_unit_test(the_machine),
      cmocka_unit_test(in_turns),
      cmocka_unit_test(intervals),
      cmocka_unit_test(as_json),
      cmocka_unit_test(few_pairs),
      cmocka_unit_test(an_order_that_is_drawn),
      cmocka_unit_test(unseen_neighbours),
      cmocka_unit_test(profiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
