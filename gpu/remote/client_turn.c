// SPDX-License-Identifier: Apache-2.0
// The program's side of turns at a shared GPU: saying where one stands, the limit
// of work there, the ranked lane, and what becomes of a GPU whose server cannot be
// ended.
#include "gpu/remote/client.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "gpu/turnstile/turnstile.h"

#define FIRST_NS ((uint64_t)300000000)  // before anything is said
#define AGAIN_NS ((uint64_t)1000000000) // between two times

static void tell(struct remote *r, uint64_t now) {
  const struct remote_turn *t = &r->segment->turn;
  const char *device = remote_name(r);
  if (r->told_ns && now - r->told_ns < AGAIN_NS)
    return;
  r->told_ns = now;
  if (atomic_load(&t->is_ranked) && atomic_load(&t->is_paused))
    log_say(LOG_STATUS,
            "%s: the instructor has paused the ranked lane; Ctrl-C ends this",
            device);
  else
    log_say(
        LOG_STATUS,
        // As wide as a screen of 80 columns at most, with places of two digits.
        "%s: place %u of %u, about %u s; meanwhile virtual:0 judges; Ctrl-C "
        "stops",
        device, atomic_load(&t->place), atomic_load(&t->waiting),
        atomic_load(&t->wait_ms) / 1000 + 1);
}

static void tell_asked(struct remote *r, uint64_t now) {
  char text[300] = "waiting for a node";
  if (r->told_ns && now - r->told_ns < AGAIN_NS)
    return;
  r->told_ns = now;
  if (r->options.say_wait)
    r->options.say_wait(r->options.wait_context, text, sizeof text);
  // The way out stands where a narrow screen cannot cut it off.
  log_say(LOG_STATUS, "%s (Ctrl-C ends this): %s", remote_name(r), text);
}

void remote_end_queue(struct remote *r) {
  if (r->told_ns)
    log_say(LOG_STATUS, "%s", "");
  r->queued_ns = r->told_ns = 0;
}

bool remote_is_queued(struct remote *r) {
  struct remote_turn *t = &r->segment->turn;
  bool is_asked = atomic_load(&r->segment->far.is_asked);
  if (!is_asked &&
      !atomic_load_explicit(&t->is_waiting, memory_order_relaxed)) {
    remote_end_queue(r);
    return false;
  }
  uint64_t now = clock_ns();
  if (!r->queued_ns)
    r->queued_ns = now;
  if (is_asked) {
    if (now - r->queued_ns >= FIRST_NS)
      tell_asked(r, now);
    return true;
  }
  if (atomic_load(&t->is_ranked) && now - r->pause_ns > AGAIN_NS) {
    r->pause_ns = now;
    atomic_store(&t->is_paused, pause_is_set());
  }
  if (now - r->queued_ns >= FIRST_NS)
    tell(r, now);
  return true;
}

double remote_limit_s(const struct remote *r) {
  double limit = r->options.deadline_s;
  bool is_shared = r->segment && r->segment->turn.is_shared;
  if (is_shared && (limit <= 0 || limit > REMOTE_WATCHDOG_S))
    return REMOTE_WATCHDOG_S;
  return limit;
}

// ---- The ranked lane ----

enum err remote_take_alone(struct gpu_device *d, struct err_info *e) {
  struct remote *r = REMOTE(d);
  enum err err = remote_ensure_ready(r, e);
  if (err)
    return err;
  atomic_store(&r->segment->turn.is_paused,
               r->segment->turn.is_shared && pause_is_set());
  return remote_call(r, REMOTE_OP_TURN_TAKE, ARGS(0), NO_TAIL, e);
}

enum err remote_give_back(struct gpu_device *d, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_TURN_GIVE, ARGS(0), e);
}

bool remote_shares_turns(const struct gpu_device *d, int pid) {
  const struct remote *r = REMOTE(d);
  const char *root = turnstile_folder();
  return root && r->segment && r->segment->turn.is_shared &&
         turnstile_has(root, r->segment->turn.gpu, pid);
}

// ---- Sick GPUs ----

void remote_mark_sick(struct remote *r) {
  const char *root = turnstile_folder();
  struct err_info e;
  if (!root || r->command || !r->segment || !r->segment->turn.gpu[0])
    return;
  if (turnstile_mark_sick(root, r->segment->turn.gpu, r->pid, &e))
    log_say(LOG_WARNING, "%s", e.text);
}
