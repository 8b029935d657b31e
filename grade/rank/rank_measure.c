// SPDX-License-Identifier: Apache-2.0
// Pairs of launches, until their ratio is sure.
//
// Theory of operation: a pair is the submission and the solution, one right
// behind the other, in an order that is drawn. Warming up ends when the solution's
// times no longer fall. A pair beside which another process worked, or in which
// the clock was low, is thrown away: it says something of the machine. From
// the tenth pair on the interval is asked now and then; it ends the measurement
// when it is narrow, as does GPU time that is used up. What is noise
// is never held against anybody: such a result is `too-noisy`, and ranks nothing.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "grade/rank/rank.h"
#include "grade/rank/rank_stat.h"

enum { WARM_RUNS = 3, WARM_MOST = 30, ASK_EACH = 5, ASK_LATER = 20 };

// The stream of the seed that orders are drawn from; rank_stat takes the first.
#define ORDER_STREAM ((uint64_t)1 << 32)

struct measuring {
  const struct rank_source *s;
  struct rank *r;
  struct err_info *e;
  struct rank_pair pairs[RANK_MOST_PAIRS];
  int launches; // until now
  uint8_t orders[RANK_MOST_PAIRS];
};

static enum rank_launch launch(struct measuring *m, enum rank_who who,
                               double *us) {
  enum rank_launch said = m->s->launch(m->s->context, who, us, m->e);
  m->launches++;
  if (said == RANK_TIMED)
    m->r->gpu_us += *us;
  return said;
}

// ---- What is beside it ----

static bool sees_processes(const struct nvml_look *look) {
  return look->busy_count >= 0 || look->process_count >= 0;
}

// A process that worked and is not ours. Where work cannot be told from
// presence, presence counts.
static bool is_disturbed(const struct measuring *m,
                         const struct nvml_look *look) {
  bool can_tell = look->busy_count >= 0;
  int count = can_tell ? look->busy_count : look->process_count;
  const int *pids = can_tell ? look->busy : look->pids;
  for (int i = 0; i < count; i++)
    if (!m->s->is_ours(m->s->context, pids[i]))
      return true;
  return false;
}

static bool is_slow(const struct nvml_look *look) {
  return look->sm_mhz > 0 && look->most_sm_mhz > 0 &&
         look->sm_mhz < RANK_LEAST_CLOCK * look->most_sm_mhz;
}

static bool take_look(struct measuring *m, struct nvml_look *look) {
  return m->s->look && m->s->look(m->s->context, look);
}

// The first, the newest in the middle, and the last are kept.
static void keep_look(struct rank *r, const struct nvml_look *look) {
  int at = r->look_count < 3 ? r->look_count++ : 2;
  if (at == 2 && r->pairs + r->discarded <= RANK_LEAST_PAIRS)
    r->looks[1] = *look;
  r->looks[at] = *look;
}

// ---- One pair ----

enum pair_end { PAIR_COUNTS, PAIR_DISCARDED, PAIR_ENDS };

// A submission that is not right when it is timed, or does not run then, has
// something to explain; what keeps the solution from running is this machine's.
static enum err refuse(struct measuring *m, enum rank_who who,
                       enum rank_launch said) {
  if (who == RANK_REFERENCE || m->e->code == ERR_CANCELLED)
    return m->e->code;
  rank_set(m->r, RANK_SUSPECT, "launch %d of those that were timed %s: %s",
           m->launches,
           said == RANK_WRONG ? "is not right" : "did not end well",
           m->e->text);
  return ERR_OK;
}

static enum pair_end take_pair(struct measuring *m, int index,
                               struct rank_pair *out, enum err *err) {
  struct nvml_look look;
  enum rank_who first = m->orders[index] & 1 ? RANK_REFERENCE : RANK_OWN;
  for (int i = 0; i < 2; i++) {
    enum rank_who who = i ? (enum rank_who) !first : first;
    double *us = who == RANK_OWN ? &out->own_us : &out->reference_us;
    enum rank_launch said = launch(m, who, us);
    if (said == RANK_TIMED)
      continue;
    *err = refuse(m, who, said);
    return PAIR_ENDS;
  }
  bool can_look = take_look(m, &look);
  m->r->unseen += !can_look || !sees_processes(&look);
  if (!can_look)
    return PAIR_COUNTS;
  keep_look(m->r, &look);
  bool is_foreign = is_disturbed(m, &look);
  m->r->foreign += is_foreign;
  return is_foreign || is_slow(&look) ? PAIR_DISCARDED : PAIR_COUNTS;
}

// ---- The whole ----

// Until three in a row take no less than the shortest before, within a fiftieth.
static enum err warm_up(struct measuring *m) {
  double least = INFINITY;
  int steady = 0;
  for (int i = 0; i < WARM_MOST && steady < WARM_RUNS; i++) {
    double us = 0;
    if (launch(m, RANK_REFERENCE, &us) != RANK_TIMED)
      return m->e->code;
    steady = us > least * 0.98 ? steady + 1 : 0;
    least = us < least ? us : least;
  }
  return ERR_OK;
}

// Of many pairs a few more say little.
static bool is_time_to_ask(const struct rank *r) {
  return r->pairs >= RANK_LEAST_PAIRS &&
         r->pairs % (r->pairs < 100 ? ASK_EACH : ASK_LATER) == 0;
}

// More was thrown away than may be: in the end, or so early that it will be.
static bool is_too_disturbed(const struct rank *r) {
  int taken = r->pairs + r->discarded;
  return taken >= RANK_LEAST_PAIRS && r->discarded > RANK_DISCARDED * taken;
}

static void say_noise(struct rank *r) {
  const char *what = r->foreign ? "another process worked on the GPU"
                                : "the GPU's clock was low";
  if (is_too_disturbed(r))
    rank_set(r, RANK_TOO_NOISY, "%s beside %d of %d pairs", what, r->discarded,
             r->pairs + r->discarded);
  else if (r->pairs < RANK_LEAST_PAIRS)
    rank_set(r, RANK_TOO_NOISY, "only %d pair%s in %.1f s of GPU time",
             r->pairs, r->pairs == 1 ? "" : "s", r->gpu_us / 1e6);
  else
    rank_set(r, RANK_TOO_NOISY,
             "after %d pairs the ratio is known to %.1f %%, not to %.1f %%",
             r->pairs, 100 * rank_stat_error(&r->stat), 100 * RANK_ERROR);
}

static void conclude(struct measuring *m) {
  struct rank *r = m->r;
  if (r->status == RANK_SUSPECT)
    return;
  if (r->pairs)
    rank_stat(m->pairs, r->pairs, &m->s->seed, &r->stat);
  if (r->stat.own_us < m->s->floor_us)
    rank_set(r, RANK_SUSPECT,
             "its launches took %.2f us, and what they must move or compute "
             "takes this GPU %.2f us",
             r->stat.own_us, m->s->floor_us);
  else if (is_too_disturbed(r) || r->pairs < RANK_LEAST_PAIRS ||
           rank_stat_error(&r->stat) > RANK_ERROR)
    say_noise(r);
  else
    rank_set(r, RANK_RANKED, "%s", "");
}

static bool is_sure(struct measuring *m) {
  rank_stat(m->pairs, m->r->pairs, &m->s->seed, &m->r->stat);
  return rank_stat_error(&m->r->stat) <= RANK_AIM;
}

static enum err take_pairs(struct measuring *m) {
  struct rank *r = m->r;
  enum err err = ERR_OK;
  for (int i = 0; i < RANK_MOST_PAIRS; i++) {
    struct rank_pair pair;
    enum pair_end end = take_pair(m, i, &pair, &err);
    if (end == PAIR_ENDS)
      return err;
    if (end == PAIR_DISCARDED)
      r->discarded++;
    else
      m->pairs[r->pairs++] = pair;
    if (is_too_disturbed(r) || r->gpu_us >= RANK_GPU_US)
      break;
    if (end == PAIR_COUNTS && is_time_to_ask(r) && is_sure(m))
      break;
  }
  return ERR_OK;
}

enum err rank_measure(const struct rank_source *s, struct rank *r,
                      struct err_info *e) {
  struct measuring *m = xcalloc(1, sizeof *m);
  struct nvml_look look;
  *m = (struct measuring){.s = s, .r = r, .e = e};
  r->floor_us = s->floor_us;
  seed_fill(&s->seed, ORDER_STREAM, m->orders, sizeof m->orders);
  if (take_look(m, &look))
    keep_look(r, &look);
  enum err err = warm_up(m);
  if (!err)
    err = take_pairs(m);
  if (!err)
    conclude(m);
  free(m);
  return err;
}
