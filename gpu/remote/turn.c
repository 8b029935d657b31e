// SPDX-License-Identifier: Apache-2.0
#include "gpu/remote/turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "gpu/nvml/nvml.h"
#include "gpu/remote/ring.h"
#include "gpu/turnstile/turnstile.h"

#define MS_NS ((uint64_t)1000000)
// An idle device's turn is kept so long, so that a loop of small launches does not
// ask for each.
#define LINGER_NS (2 * MS_NS)
// After that long it goes to others who wait, once the device is idle.
#define QUANTUM_NS (100 * MS_NS)
#define LOOK_NS    (20 * MS_NS) // between looks whether anybody does
// A ranked turn is kept while the host works, too, but not longer.
#define ALONE_NS (10000 * MS_NS)
#define STEP_NS  (5 * MS_NS) // between tries

enum need { FREE, IN_TURN, ALONE };

struct turn {
  struct turnstile *at;
  char *folder;
  bool is_kept;        // the program has asked to be alone
  bool was_taken_away; // that was too long
  uint64_t looked_ns;  // whether others wait
  uint64_t budget_bytes, bytes;
  struct map *sizes; // of allocations, by address
};

// ---- Opening ----

enum { MAX_SLICES = 64 };

void turn_choose_slice(void) {
  char uuids[MAX_SLICES][NVML_UUID_BYTES];
  const char *names[MAX_SLICES], *root = turnstile_folder();
  if (!root || getenv("CUDA_VISIBLE_DEVICES"))
    return;
  int count = nvml_slices(getenv("WARPSHOP_NVML"), uuids, MAX_SLICES);
  for (int i = 0; i < count; i++)
    names[i] = uuids[i];
  if (count)
    setenv("CUDA_VISIBLE_DEVICES", names[turnstile_choose(root, names, count)],
           1);
}

enum err turn_open(struct server *s, const char **folder, struct err_info *e) {
  struct gpu_device_info info;
  const char *root = turnstile_folder();
  *folder = NULL;
  enum err err = root ? s->backend->info(s->device, &info, e) : ERR_OK;
  if (err || !root || !info.uuid[0])
    return err;
  struct turn *t = xcalloc(1, sizeof *t);
  err = turnstile_open(root, info.uuid, &t->at, e);
  if (err) {
    free(t);
    return err;
  }
  t->folder = xasprintf("%s/%s", root, info.uuid);
  t->budget_bytes = turnstile_budget(t->at, info.total_bytes);
  t->sizes = map_new();
  s->turn = t;
  s->segment->turn.is_shared = true;
  snprintf(s->segment->turn.gpu, sizeof s->segment->turn.gpu, "%s", info.uuid);
  *folder = t->folder;
  return ERR_OK;
}

// ---- Waiting ----

static void say_place(struct server *s, const struct turn_standing *at,
                      bool is_ranked) {
  struct remote_turn *to = &s->segment->turn;
  atomic_store(&to->place, (uint32_t)at->place);
  atomic_store(&to->waiting, (uint32_t)at->waiting);
  atomic_store(&to->wait_ms, (uint32_t)(at->wait_s * 1e3));
  atomic_store(&to->is_ranked, is_ranked);
  atomic_store(&to->is_waiting, 1);
}

static void stop_waiting(struct server *s) {
  atomic_store(&s->segment->turn.is_waiting, 0);
}

static bool is_cancelled(struct server *s) {
  return atomic_load(&s->segment->cancels) != s->cancels_seen;
}

// Is the turn that we hold not the one that is needed, or no longer ours to keep?
static bool is_over(struct server *s, enum need need) {
  struct turn *t = s->turn;
  uint64_t now = clock_ns(), held = now - turnstile_since_ns(t->at);
  if (t->is_kept)
    return held > ALONE_NS;
  if (need == ALONE)
    return true;
  if (held < QUANTUM_NS || now - t->looked_ns < LOOK_NS)
    return false;
  t->looked_ns = now;
  return turnstile_is_wanted(t->at);
}

static void leave(struct server *s) {
  struct turn *t = s->turn;
  t->was_taken_away |= t->is_kept;
  t->is_kept = false;
  turnstile_leave(t->at);
  stop_waiting(s);
}

// No ranked turns now: no ticket is held meanwhile.
static enum turn_answer wait_paused(struct server *s) {
  turnstile_leave(s->turn->at);
  say_place(s, &(struct turn_standing){0}, true);
  return TURN_WAIT;
}

static enum turn_answer try_turn(struct server *s, enum need need) {
  struct turn_standing at;
  bool is_ranked = need == ALONE;
  if (is_ranked && atomic_load(&s->segment->turn.is_paused))
    return wait_paused(s);
  turnstile_ask(s->turn->at, is_ranked ? TURN_RANKED : TURN_PRACTICE);
  if (turnstile_try(s->turn->at, &at)) {
    stop_waiting(s);
    return TURN_GO;
  }
  say_place(s, &at, is_ranked);
  return TURN_WAIT;
}

static enum need need_of(const struct remote_command *c) {
  static const unsigned char needs[] = {
#define OP(name, handler, answer, turn, tail) [REMOTE_OP_##name] = turn,
#include "gpu/remote/protocol.def"
#undef OP
  };
  return needs[c->op];
}

enum turn_answer turn_ask(struct server *s, const struct remote_command *c,
                          struct err_info *e) {
  enum need need = s->turn && !s->is_capturing ? need_of(c) : FREE;
  if (need == FREE)
    return TURN_GO;
  if (atomic_load(&s->segment->turn.is_waiting) && is_cancelled(s)) {
    leave(s);
    err_set(e, ERR_CANCELLED, "stopped while it waited for its turn at %s",
            s->segment->turn.gpu);
    return TURN_DROP;
  }
  if (turnstile_state(s->turn->at) == TURN_HOLDING) {
    if (!is_over(s, need))
      return TURN_GO;
    if (s->has_work)
      return TURN_WAIT; // until the device is idle
    leave(s);
  }
  return try_turn(s, need);
}

// ---- Giving it back ----

static void sleep_ns(uint64_t ns) {
  nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

bool turn_rest(struct server *s, uint64_t quiet_ns) {
  struct turn *t = s->turn;
  if (!t)
    return false;
  if (atomic_load(&s->segment->turn.is_waiting)) {
    sleep_ns(STEP_NS);
    return true;
  }
  if (turnstile_state(t->at) != TURN_HOLDING)
    return false;
  turnstile_count(t->at);
  if (s->has_work)
    return false;
  if (t->is_kept ? is_over(s, IN_TURN) : quiet_ns >= LINGER_NS)
    leave(s);
  else
    sleep_ns(LINGER_NS / 20);
  return true;
}

void turn_keep(struct server *s) {
  if (s->turn)
    s->turn->is_kept = true;
}

enum err turn_give(struct server *s, struct err_info *e) {
  struct turn *t = s->turn;
  if (t && t->is_kept) {
    t->is_kept = false; // it goes when the device is idle
    return ERR_OK;
  }
  if (!t || !t->was_taken_away)
    return ERR_OK;
  t->was_taken_away = false;
  return err_set(e, ERR_TIMEOUT,
                 "the turn alone at %s was kept for more than %d s, and others "
                 "had theirs meanwhile",
                 s->segment->turn.gpu, (int)(ALONE_NS / 1000 / MS_NS));
}

// ---- Memory ----

enum err turn_check_memory(struct server *s, uint64_t bytes,
                           struct err_info *e) {
  const struct turn *t = s->turn;
  if (!t || bytes <= t->budget_bytes - t->bytes)
    return ERR_OK;
  return err_set(e, ERR_NOMEM,
                 "%.1f MiB more would be over your share of this GPU, which is "
                 "%.0f MiB while it is shared; %.1f MiB are in use",
                 (double)bytes / (1 << 20), (double)t->budget_bytes / (1 << 20),
                 (double)t->bytes / (1 << 20));
}

void turn_note_memory(struct server *s, gpu_ptr p, uint64_t bytes) {
  struct turn *t = s->turn;
  if (!t)
    return;
  t->bytes -= (uintptr_t)map_get(t->sizes, (const char *)&p, sizeof p);
  t->bytes += bytes;
  map_set(t->sizes, (const char *)&p, sizeof p, (void *)(uintptr_t)bytes);
  turnstile_note_memory(t->at, t->bytes);
}
