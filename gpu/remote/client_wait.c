// SPDX-License-Identifier: Apache-2.0
// The one wait. Whatever the program waits for (an answer, the end of work,
// room in the ring, the device's opening), it also looks after the user's
// Ctrl-C, what the device prints, the deadline, and the server's death.
#include "gpu/remote/client.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/progress.h"
#include "base/str.h"
#include "gpu/remote/process.h"
#include "gpu/remote/ring.h"

#define SECOND_NS     ((uint64_t)1000000000)
#define SLICE_NS      ((int64_t)5000000) // between looks at cancel and death
#define GRACE_NS      SECOND_NS          // for work that was told to stop
#define GRACE_CPU_NS  (SECOND_NS / 4)  // of the processor, too, if it gets any
#define GRACE_MOST_NS (10 * SECOND_NS) // in so long
#define MUCH_BYTES    ((uint64_t)64 << 20) // a copy that may take long
#define START_LIMIT_S 60.0
#define HANG_LIMIT_S  3600.0 // where processor time is the limit

enum err remote_lost(struct remote *r, struct err_info *e) {
  return err_set(e, ERR_DEVICE_LOST, "the device server of %s is gone: %s",
                 remote_name(r),
                 r->reason[0] ? r->reason : "it was never started");
}

bool remote_is_answered(struct remote *r, uint64_t slot_and_seq) {
  const struct remote_slot *slot = &r->segment->slots[slot_and_seq & 7];
  return atomic_load_explicit(&slot->done, memory_order_acquire) ==
         slot_and_seq >> 3;
}

static bool spin(struct remote *r, struct remote_goal goal) {
  uint64_t since = 0, quiet_ns = 0;
  for (unsigned i = 0;; i++) {
    if (goal.is_reached(r, goal.arg))
      return true;
    spin_pause(quiet_ns, r->yield_ns);
    if (i % 8)
      continue;
    uint64_t now = clock_ns();
    since = since ? since : now;
    quiet_ns = now - since;
    if (quiet_ns >= r->spin_ns)
      return false;
  }
}

struct news {
  struct remote *r;
  struct remote_goal goal;
};

static bool has_news(void *context) {
  struct news *n = context;
  return n->goal.is_reached(n->r, n->goal.arg);
}

// Why a wait is being cut short, and since when the work may take its time to stop:
// by the clock, and by the server's processor.
struct stop {
  enum err why;   // ERR_OK while nothing asked for it
  uint64_t since; // 0: it gets no time
  uint64_t since_cpu;
};

// A virtual GPU looks whether it is to stop as it runs: on a busy machine it needs its
// turn first. A real one cannot stop a kernel, and of a far one nobody here knows.
static bool is_grace_over(const struct remote *r, const struct stop *stop) {
  uint64_t passed = clock_ns() - stop->since;
  if (!stop->since || passed >= GRACE_MOST_NS)
    return true;
  return passed >= GRACE_NS &&
         (r->is_cuda || r->command ||
          process_cpu_ns(r->pid) - stop->since_cpu >= GRACE_CPU_NS);
}

static void ask_to_stop(struct remote *r, struct stop *stop, enum err why) {
  stop->why = why;
  stop->since = 0;
  r->was_stopped = true;
  // A real GPU cannot stop a kernel, so past its deadline nothing is gained.
  if (r->is_cuda && why == ERR_TIMEOUT)
    return;
  if (atomic_load(&r->segment->far.is_asked)) // nor is there a server
    return;
  stop->since = clock_ns();
  stop->since_cpu = process_cpu_ns(r->pid);
  atomic_fetch_add(&r->segment->cancels, 1);
  bell_ring(server_bell(r->segment));
}

// ---- The deadline ----

// Of one wait: by the clock, or by the server's processor time, which a busy
// machine does not shorten.
struct deadline {
  double limit_s; // 0: none
  bool is_cpu;
  uint64_t since, since_cpu;
};

static struct deadline new_deadline(const struct remote *r, double limit_s) {
  bool is_cpu = r->options.cpu_deadline_s > 0 && !r->command;
  return (struct deadline){is_cpu ? r->options.cpu_deadline_s : limit_s, is_cpu,
                           clock_ns(), is_cpu ? process_cpu_ns(r->pid) : 0};
}

static bool is_past(const struct remote *r, const struct deadline *d,
                    uint64_t now) {
  double waited_s = (double)(now - d->since) / (double)SECOND_NS;
  if (!d->is_cpu)
    return d->limit_s > 0 && waited_s >= d->limit_s;
  uint64_t cpu = process_cpu_ns(r->pid);
  double used_s = (double)(cpu - d->since_cpu) / (double)SECOND_NS;
  return (cpu > d->since_cpu && used_s >= d->limit_s) ||
         waited_s >= HANG_LIMIT_S;
}

static int64_t until_deadline(const struct deadline *d, uint64_t now,
                              int64_t slice) {
  if (d->is_cpu || d->limit_s <= 0)
    return slice;
  double left = d->limit_s * (double)SECOND_NS - (double)(now - d->since);
  return left < (double)slice ? (int64_t)left : slice;
}

static enum err say_stopped(struct remote *r, enum err why,
                            const struct deadline *d, struct err_info *e) {
  const char *end = r->has_died ? "; the device server was ended" : "";
  if (r->has_died && atomic_load(&r->segment->far.is_asked))
    end = " while it waited for a node";
  if (why == ERR_CANCELLED)
    return err_set(e, why, "stopped by the user%s", end);
  return err_set(e, why, "the work did not end within %g s%s%s", d->limit_s,
                 d->is_cpu ? " of processor time" : "", end);
}

// Of a few, each of which takes long, the rate says nothing.
static void look_at_blocks(struct remote *r, struct progress *p) {
  enum { FEW = 16 };
  uint64_t all = atomic_load(&r->segment->all_blocks);
  uint64_t begun = atomic_load(&r->segment->begun_blocks);
  if (p->unit && begun < p->done) // the next launch
    p->since_s = clock_s();
  p->unit = "blocks";
  p->count = all >= FEW ? (double)all : 0;
  progress_step(p, p->count > 0 ? (double)begun : 0, NULL);
}

static enum err wait_long(struct remote *r, struct remote_goal goal,
                          double limit_s, struct progress *progress,
                          struct err_info *e) {
  struct stop stop = {.why = ERR_OK};
  struct deadline deadline = new_deadline(r, limit_s);
  while (!goal.is_reached(r, goal.arg)) {
    int64_t slice = remote_drain(r) ? 50000 : SLICE_NS;
    if (remote_check_death(r))
      // It may have finished with its last breath.
      return goal.is_reached(r, goal.arg) ? ERR_OK : remote_lost(r, e);
    remote_watch_group(r);
    if (remote_is_queued(r))
      deadline = new_deadline(r, limit_s);
    else
      look_at_blocks(r, progress);
    uint64_t now = clock_ns();
    if (!stop.why && r->options.is_cancelled &&
        r->options.is_cancelled(r->options.context))
      ask_to_stop(r, &stop, ERR_CANCELLED);
    else if (!stop.why && is_past(r, &deadline, now))
      ask_to_stop(r, &stop, ERR_TIMEOUT);
    if (stop.why && is_grace_over(r, &stop)) {
      remote_kill(r, stop.why == ERR_TIMEOUT
                         ? "it was ended because its work took too long"
                         : "it was ended because its work did not stop");
      return say_stopped(r, stop.why, &deadline, e);
    }
    if (!stop.why)
      slice = until_deadline(&deadline, now, slice);
    struct news news = {r, goal};
    bell_sleep(client_bell(r->segment), has_news, &news, slice);
  }
  return stop.why ? say_stopped(r, stop.why, &deadline, e) : ERR_OK;
}

// What is waited for, to the user's eye.
static void name_work(const struct remote *r, char text[48]) {
  char bytes[STR_BYTES];
  if (atomic_load(&r->segment->state) == REMOTE_STARTING)
    snprintf(text, 48, "starting %s", remote_name(r));
  else if (r->has_launched || r->copied_bytes < MUCH_BYTES)
    snprintf(text, 48, "%s", r->has_launched ? "running" : "waiting");
  else
    snprintf(text, 48, "copying %s", str_bytes(bytes, (double)r->copied_bytes));
}

enum err remote_wait_goal(struct remote *r, struct remote_goal goal,
                          double limit_s, struct err_info *e) {
  struct progress progress;
  char what[48];
  if (spin(r, goal))
    return ERR_OK;
  name_work(r, what);
  progress_begin(&progress, what, 0);
  enum err err = wait_long(r, goal, limit_s, &progress, e);
  progress_end(&progress);
  remote_end_queue(r);
  return err;
}

// ---- The start ----

static bool is_started(struct remote *r, uint64_t arg) {
  (void)arg;
  return atomic_load_explicit(&r->segment->state, memory_order_acquire) !=
         REMOTE_STARTING;
}

static enum err say_not_opened(struct remote *r, struct err_info *e) {
  struct err_info why = r->segment->open_error;
  why.text[sizeof why.text - 1] = 0;
  remote_kill(r, why.text);
  snprintf(r->reason, sizeof r->reason, "%s", why.text);
  if (e)
    *e = why;
  return why.code;
}

enum err remote_ensure_ready(struct remote *r, struct err_info *e) {
  if (r->has_left) {
    remote_drop_process(r);
    enum err err = remote_spawn(r, e);
    if (err)
      return err;
  }
  if (r->has_died)
    return remote_lost(r, e);
  uint32_t state =
      atomic_load_explicit(&r->segment->state, memory_order_acquire);
  if (state == REMOTE_READY || state == REMOTE_LEFT)
    return ERR_OK;
  enum err err = remote_wait_goal(r, (struct remote_goal){is_started, 0},
                                  START_LIMIT_S, e);
  if (err == ERR_DEVICE_LOST && strstr(r->reason, "speaks protocol"))
    return err_set(e, ERR_PROTOCOL, "%s", r->reason);
  if (err)
    return err;
  if (atomic_load(&r->segment->state) == REMOTE_FAILED)
    return say_not_opened(r, e);
  return ERR_OK;
}
