// SPDX-License-Identifier: Apache-2.0
#include "gpu/turnstile/policy.h"

#include <stddef.h>

// Lengths of turns of which nothing is known, in seconds.
static const double usual_practice_s = 0.2, usual_ranked_s = 2;

// ---- Use ----

// Parts that have gone by since the newest are empty.
static void advance(struct turn_use *u, uint64_t part) {
  uint64_t steps = part > u->part ? part - u->part : 0;
  for (uint64_t k = 1; k <= steps && k <= TURN_PARTS; k++)
    u->us[(u->part + k) % TURN_PARTS] = 0;
  if (steps)
    u->part = part;
}

void turn_use_add(struct turn_use *u, uint64_t now_ns, uint64_t ns) {
  uint64_t part = now_ns / TURN_PART_NS;
  advance(u, part);
  uint64_t us = u->us[part % TURN_PARTS] + ns / 1000;
  u->us[part % TURN_PARTS] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

uint64_t turn_use_sum(const struct turn_use *u, uint64_t now_ns) {
  struct turn_use now = *u;
  uint64_t sum_us = 0;
  advance(&now, now_ns / TURN_PART_NS);
  for (int k = 0; k < TURN_PARTS; k++)
    sum_us += now.us[k];
  return sum_us * 1000;
}

uint64_t turn_charge_ns(uint64_t ns, int holders) {
  return ns / (uint64_t)(holders > 1 ? holders : 1);
}

// ---- The order ----

struct user {
  bool holds;
  uint64_t used_ns;
};

static struct user user_of(const struct turn_entrant *all, int count,
                           const struct turn_entrant *one, uint64_t now_ns) {
  struct user u = {0};
  uint64_t held_ns = 0;
  int holders = 0;
  for (int i = 0; i < count; i++) {
    const struct turn_entrant *t = &all[i];
    holders += t->state == TURN_HOLDING;
    if (t->uid != one->uid)
      continue;
    u.used_ns += t->used_ns;
    if (t->state == TURN_HOLDING) {
      u.holds = true;
      held_ns += now_ns > t->since_ns ? now_ns - t->since_ns : 0;
    }
  }
  u.used_ns += turn_charge_ns(held_ns, holders);
  return u;
}

// Does `a` go before `b`?
static bool is_before(const struct turn_entrant *a, const struct user *of_a,
                      const struct turn_entrant *b, const struct user *of_b) {
  uint64_t used_a = of_a->used_ns / TURN_ALIKE_NS;
  uint64_t used_b = of_b->used_ns / TURN_ALIKE_NS;
  if (of_a->holds != of_b->holds)
    return of_b->holds;
  if (used_a != used_b)
    return used_a < used_b;
  if (a->since_ns != b->since_ns)
    return a->since_ns < b->since_ns;
  return a->number < b->number;
}

static double usual_s(const struct turn_entrant *t) {
  if (t->usual_ns)
    return (double)t->usual_ns / 1e9;
  return t->lane == TURN_RANKED ? usual_ranked_s : usual_practice_s;
}

// What goes before a ticket.
struct ahead {
  int practice, ranked;           // waiting
  int practice_held, ranked_held; // turns
  double practice_s, ranked_s;    // of those that wait
  double held_s;                  // until the last of the turns held is over
};

static void count_held(struct ahead *a, const struct turn_entrant *t,
                       uint64_t now_ns) {
  double held_s =
      now_ns > t->since_ns ? (double)(now_ns - t->since_ns) / 1e9 : 0;
  double left_s = usual_s(t) - held_s;
  a->practice_held += t->lane == TURN_PRACTICE;
  a->ranked_held += t->lane == TURN_RANKED;
  if (left_s > a->held_s)
    a->held_s = left_s;
}

static void count_waiting(struct ahead *a, const struct turn_entrant *t) {
  if (t->lane == TURN_RANKED) {
    a->ranked++;
    a->ranked_s += usual_s(t);
  } else {
    a->practice++;
    a->practice_s += usual_s(t);
  }
}

static bool may_take(const struct turn_entrant *t, const struct ahead *a,
                     struct turn_rules rules) {
  if (a->ranked || a->ranked_held)
    return false;
  if (t->lane == TURN_RANKED)
    return !a->practice && !a->practice_held;
  return a->practice + a->practice_held < rules.practice;
}

void turn_stand(const struct turn_entrant *all, int count, int self,
                struct turn_rules rules, uint64_t now_ns,
                struct turn_standing *out) {
  const struct turn_entrant *own = &all[self];
  struct user me = user_of(all, count, own, now_ns);
  struct ahead a = {0};
  int waiting = 0;
  for (int i = 0; i < count; i++) {
    const struct turn_entrant *t = &all[i];
    if (t->state == TURN_HOLDING)
      count_held(&a, t, now_ns);
    if (t->state != TURN_WAITING || (t->is_absent && i != self))
      continue;
    waiting++;
    struct user other = user_of(all, count, t, now_ns);
    if (i != self && is_before(t, &other, own, &me))
      count_waiting(&a, t);
  }
  *out = (struct turn_standing){
      .may_take = may_take(own, &a, rules),
      .place = a.practice + a.ranked + 1,
      .waiting = waiting,
      .holders = a.practice_held + a.ranked_held,
      .wait_s = a.held_s + a.ranked_s + a.practice_s / rules.practice,
  };
}
