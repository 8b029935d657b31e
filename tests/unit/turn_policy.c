// SPDX-License-Identifier: Apache-2.0
// gpu/turnstile/policy.c on a simulated clock: users ask for turns, the policy
// alone says who has one, and the simulated GPU shares its time among those of the
// practice lane. Nothing here depends on the machine.
#include "gpu/turnstile/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND ((uint64_t)1000000000)

enum { MOST = 400, PRACTICE = 4 };

// ---- The simulated room ----

// One session of a user: thinks, asks, holds, and so on.
struct session {
  uint32_t uid;
  enum turn_lane lane;
  double work_s, think_s; // of GPU time in a turn; both are means
  int turns;              // it still wants; -1: for ever
  uint64_t asks_ns;       // when it asks next
  double left_s;          // of the turn it holds
  double charged_s;       // for the turn it holds
  struct turn_use use;
  double got_s; // GPU time in all
  double longest_wait_s;
  double wait_s; // of the last turn
};

struct room {
  uint64_t now;
  uint32_t noise;
  int count, most_practice;
  struct session sessions[MOST];
  struct turn_entrant tickets[MOST];
};

static double noise(struct room *r) {
  r->noise = r->noise * 1664525u + 1013904223u;
  return (double)(r->noise >> 8) / (1 << 24);
}

static struct room *room_new(uint32_t seed) {
  static struct room r; // too large for the stack
  memset(&r, 0, sizeof r);
  r.noise = seed;
  r.now = 1000 * SECOND;
  return &r;
}

static struct session *add(struct room *r, uint32_t uid, enum turn_lane lane,
                           double work_s, double think_s) {
  struct session *s = &r->sessions[r->count];
  *s = (struct session){.uid = uid,
                        .lane = lane,
                        .work_s = work_s,
                        .think_s = think_s,
                        .turns = -1};
  s->asks_ns = r->now + (uint64_t)(noise(r) * think_s * 2 * 1e9);
  r->tickets[r->count] = (struct turn_entrant){
      .uid = uid, .lane = lane, .number = (uint64_t)r->count * 77 % 401};
  r->count++;
  return s;
}

static int holders(const struct room *r, enum turn_lane lane) {
  int count = 0;
  for (int i = 0; i < r->count; i++)
    count += r->tickets[i].state == TURN_HOLDING && r->tickets[i].lane == lane;
  return count;
}

static void ask(struct room *r, int i) {
  r->tickets[i].state = TURN_WAITING;
  r->tickets[i].since_ns = r->now;
}

static void take(struct room *r, int i) {
  struct session *s = &r->sessions[i];
  s->wait_s = (double)(r->now - r->tickets[i].since_ns) / 1e9;
  if (s->wait_s > s->longest_wait_s)
    s->longest_wait_s = s->wait_s;
  r->tickets[i].state = TURN_HOLDING;
  r->tickets[i].since_ns = r->now;
  s->left_s = s->work_s * (0.5 + noise(r));
  s->charged_s = 0;
}

static void leave(struct room *r, int i) {
  struct session *s = &r->sessions[i];
  turn_use_add(&s->use, r->now, (uint64_t)(s->charged_s * 1e9));
  r->tickets[i].state = TURN_NONE;
  s->turns -= s->turns > 0;
  s->asks_ns = s->turns
                   ? r->now + (uint64_t)(noise(r) * s->think_s * 2 * 1e9) + 1000
                   : UINT64_MAX;
}

static void admit(struct room *r) {
  struct turn_standing at;
  int from = (int)(noise(r) * r->count); // whoever looks first
  for (int k = 0; k < r->count; k++) {
    int i = (from + k) % r->count;
    if (r->tickets[i].state != TURN_WAITING)
      continue;
    turn_stand(r->tickets, r->count, i, (struct turn_rules){PRACTICE}, r->now,
               &at);
    if (at.may_take)
      take(r, i);
  }
  int ranked = holders(r, TURN_RANKED), practice = holders(r, TURN_PRACTICE);
  assert_true(ranked <= 1);
  assert_true(!ranked || !practice);
  assert_true(practice <= PRACTICE);
  if (practice > r->most_practice)
    r->most_practice = practice;
}

// To the next moment at which something happens; false: nothing will.
static bool step(struct room *r, uint64_t until) {
  int sharing = holders(r, TURN_PRACTICE) + holders(r, TURN_RANKED);
  uint64_t next = until;
  for (int i = 0; i < r->count; i++) {
    const struct session *s = &r->sessions[i];
    uint64_t at = UINT64_MAX;
    if (r->tickets[i].state == TURN_HOLDING)
      at = r->now + (uint64_t)(s->left_s * sharing * 1e9) + 1;
    else if (r->tickets[i].state == TURN_NONE)
      at = s->asks_ns;
    next = at < next ? at : next;
  }
  double gone_s = (double)(next - r->now) / 1e9;
  r->now = next;
  for (int i = 0; i < r->count; i++) {
    struct session *s = &r->sessions[i];
    if (r->tickets[i].state == TURN_HOLDING) {
      s->left_s -= gone_s / sharing;
      s->got_s += gone_s / sharing;
      s->charged_s +=
          (double)turn_charge_ns((uint64_t)(gone_s * 1e9), sharing) / 1e9;
      if (s->left_s <= 1e-9)
        leave(r, i);
    } else if (r->tickets[i].state == TURN_NONE && s->asks_ns <= r->now) {
      ask(r, i);
    }
    r->tickets[i].used_ns = turn_use_sum(&s->use, r->now);
  }
  admit(r);
  return next < until;
}

static void run(struct room *r, double seconds) {
  uint64_t until = r->now + (uint64_t)(seconds * 1e9);
  while (step(r, until))
    ;
}

static double got(const struct room *r, uint32_t uid) {
  double sum = 0;
  for (int i = 0; i < r->count; i++)
    sum += r->sessions[i].uid == uid ? r->sessions[i].got_s : 0;
  return sum;
}

static void within_tenth(const char *what, double is, double of) {
  if (is < 0.9 * of || is > 1.1 * of)
    fail_msg("%s: %.1f s of GPU time, and a fair share is %.1f s", what, is,
             of);
}

// ---- Tests ----

// Short turns or long ones, one session or three: the same GPU time in an hour.
static void shares_are_fair(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 5; seed++) {
    struct room *r = room_new(seed);
    enum { USERS = 12 };
    for (uint32_t u = 0; u < USERS; u++)
      for (uint32_t k = 0; k < (u % 4 == 3 ? 3 : 1); k++)
        add(r, u, u % 5 == 4 ? TURN_RANKED : TURN_PRACTICE,
            u % 3 ? 0.05 + 0.1 * u : 1.9, 0.001);
    run(r, 3600);
    double all = 0;
    char name[40];
    for (uint32_t u = 0; u < USERS; u++)
      all += got(r, u);
    for (uint32_t u = 0; u < USERS; u++) {
      snprintf(name, sizeof name, "seed %u, user %u", seed, u);
      within_tenth(name, got(r, u), all / USERS);
    }
    assert_int_equal(r->most_practice, PRACTICE);
  }
}

// Who wants little gets it; the others share what is left alike.
static void small_wants_are_met(void **state) {
  (void)state;
  for (uint32_t seed = 11; seed <= 15; seed++) {
    struct room *r = room_new(seed);
    enum { SMALL = 20, LARGE = 5 };
    for (uint32_t u = 0; u < SMALL; u++)
      add(r, u, TURN_PRACTICE, 0.1, 10 + u);
    for (uint32_t u = SMALL; u < SMALL + LARGE; u++)
      add(r, u, u % 2 ? TURN_RANKED : TURN_PRACTICE, 0.3 * (u - SMALL + 1), 0);
    run(r, 3600);
    double left = 0;
    char name[40];
    for (uint32_t u = 0; u < SMALL; u++)
      assert_true(r->sessions[u].longest_wait_s < 10);
    for (uint32_t u = SMALL; u < SMALL + LARGE; u++)
      left += got(r, u);
    for (uint32_t u = SMALL; u < SMALL + LARGE; u++) {
      snprintf(name, sizeof name, "seed %u, user %u", seed, u);
      within_tenth(name, got(r, u), left / LARGE);
    }
  }
}

// One who has used the GPU for long, and newcomers who never end: after ten minutes
// at the latest it is their turn.
static void nobody_starves(void **state) {
  (void)state;
  struct room *r = room_new(21);
  struct session *heavy = add(r, 0, TURN_RANKED, 2, 0);
  run(r, 500);
  for (uint32_t u = 1; u < MOST; u++) {
    struct session *s = add(r, u, TURN_RANKED, 2, 0);
    s->turns = 1;
    s->asks_ns = r->now + (uint64_t)u * SECOND * 18 / 10; // more than it can do
  }
  heavy->longest_wait_s = 0;
  run(r, 720);
  assert_true(heavy->longest_wait_s > 60); // others did go first
  assert_true(heavy->longest_wait_s <= (double)TURN_WINDOW_NS / SECOND + 2 * 3);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// 30 ranked turns of at most 2 s at once, beside eight who practise.
static void a_class_is_ranked_in_a_minute(void **state) {
  (void)state;
  enum { RANKED = 30 };
  double waits[RANKED];
  struct room *r = room_new(31);
  for (uint32_t u = 0; u < 8; u++)
    add(r, u, TURN_PRACTICE, 0.05, 0.5);
  run(r, 60);
  for (uint32_t u = 0; u < RANKED; u++) {
    struct session *s = add(r, 100 + u, TURN_RANKED, 2 / 1.5, 0);
    s->turns = 1;
    s->asks_ns = r->now;
  }
  run(r, 120);
  for (int i = 0; i < RANKED; i++) {
    assert_int_equal(r->sessions[8 + i].turns, 0);
    waits[i] = r->sessions[8 + i].wait_s;
  }
  qsort(waits, RANKED, sizeof *waits, compare);
  assert_true(waits[RANKED * 95 / 100] <= 60);
}

static struct turn_entrant ticket(uint32_t uid, enum turn_lane lane,
                                  enum turn_state state, double since_s) {
  return (struct turn_entrant){.uid = uid,
                               .lane = lane,
                               .state = state,
                               .since_ns = (uint64_t)(since_s * 1e9),
                               .number = uid};
}

static struct turn_standing standing(const struct turn_entrant *all, int count,
                                     int self) {
  struct turn_standing at;
  turn_stand(all, count, self, (struct turn_rules){2}, 100 * SECOND, &at);
  return at;
}

static void the_order(void **state) {
  (void)state;
  struct turn_entrant all[] = {
      ticket(1, TURN_PRACTICE, TURN_WAITING, 10),
      ticket(2, TURN_RANKED, TURN_WAITING, 9),
      ticket(3, TURN_PRACTICE, TURN_WAITING, 8),
      ticket(4, TURN_PRACTICE, TURN_NONE, 1),
  };
  struct turn_standing at = standing(all, 4, 0);
  assert_int_equal(at.place, 3);
  assert_int_equal(at.waiting, 3);
  assert_false(at.may_take); // the ranked one before it drains the lane
  assert_true(standing(all, 4, 2).may_take);
  assert_false(standing(all, 4, 1).may_take); // one practises before it
  all[2].state = TURN_NONE;
  assert_true(standing(all, 4, 1).may_take);
  all[3].state = TURN_HOLDING;
  assert_false(standing(all, 4, 1).may_take); // until that one is done
  all[1].used_ns = SECOND; // used more: now the other goes first
  assert_true(standing(all, 4, 0).may_take);
  all[1].used_ns = TURN_ALIKE_NS / 2; // alike: the older ticket
  assert_false(standing(all, 4, 0).may_take);
  all[1].is_absent = true; // passed over until it looks again
  assert_true(standing(all, 4, 0).may_take);
}

// A user's second ticket comes after who has none in hand; two turns at once here.
static void a_second_session_waits(void **state) {
  (void)state;
  struct turn_entrant all[] = {
      ticket(1, TURN_PRACTICE, TURN_HOLDING, 99.99),
      ticket(1, TURN_PRACTICE, TURN_WAITING, 5),
      ticket(2, TURN_PRACTICE, TURN_WAITING, 50),
      ticket(3, TURN_RANKED, TURN_HOLDING, 99),
  };
  assert_false(standing(all, 3, 1).may_take);
  assert_true(standing(all, 3, 2).may_take);
  assert_true(standing(all, 2, 1).may_take);    // nobody else is there
  assert_false(standing(all, 4, 2).may_take);   // a ranked turn is alone
  assert_true(standing(all, 4, 2).wait_s >= 1); // it has 1 s of 2 s left
}

static void use_is_forgotten(void **state) {
  (void)state;
  struct turn_use u = {0};
  turn_use_add(&u, 1000 * SECOND, 5 * SECOND);
  turn_use_add(&u, 1001 * SECOND, SECOND);
  turn_use_add(&u, 1300 * SECOND, 2 * SECOND);
  assert_int_equal(turn_use_sum(&u, 1301 * SECOND), 8 * SECOND);
  assert_int_equal(turn_use_sum(&u, 1599 * SECOND), 8 * SECOND);
  assert_int_equal(turn_use_sum(&u, 1601 * SECOND), 2 * SECOND);
  assert_int_equal(turn_use_sum(&u, 9999 * SECOND), 0);
  assert_int_equal(turn_use_sum(&u, 10 * SECOND),
                   8 * SECOND); // a clock set back
  assert_int_equal(turn_charge_ns(SECOND, 1), SECOND);
  assert_int_equal(turn_charge_ns(SECOND, 4), SECOND / 4);
  assert_int_equal(turn_charge_ns(SECOND, 0), SECOND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_fair),
      cmocka_unit_test(small_wants_are_met),
      cmocka_unit_test(nobody_starves),
      cmocka_unit_test(a_class_is_ranked_in_a_minute),
      cmocka_unit_test(the_order),
      cmocka_unit_test(a_second_session_waits),
      cmocka_unit_test(use_is_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
