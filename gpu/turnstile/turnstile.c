// SPDX-License-Identifier: Apache-2.0
// Taking turns: a ticket says what is wanted, the policy who may try, and a lock
// of the kernel's who has it.
#include "gpu/turnstile/turnstile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/turnstile/ticket.h"

enum { MAX_TICKETS = 4096, BUDGET_SHARE = 8, MAX_STEPS = 20 };
#define LOOK_NS ((uint64_t)250000000) // without news: a holder may be dead
#define STEP_NS                                                                \
  ((uint64_t)5000000) // between looks, for each place in the queue
#define COUNT_NS ((uint64_t)20000000)  // how often who holds sees who else does
#define SEEN_NS  ((uint64_t)500000000) // how often who waits says so

struct turnstile {
  struct queue queue;
  int fd; // of our ticket
  char name[TICKET_NAME];
  struct ticket own;
  uint64_t charged_ns, counted_ns; // for our turn; up to when

  // What the last look found, until there are news.
  struct ticket_found *found;
  struct turn_entrant *entrants;
  int count; // ours is the last
  uint64_t news, looked_ns;
  int place; // when we last looked
};

enum err turnstile_open(const char *root, const char *gpu,
                        struct turnstile **out, struct err_info *e) {
  struct turnstile *t = xcalloc(1, sizeof *t);
  t->fd = -1;
  *out = NULL;
  enum err err = queue_open(root, gpu, &t->queue, e);
  pid_t sick = err ? 0 : sick_server(&t->queue);
  if (sick)
    err = err_set(e, ERR_DEVICE_LOST,
                  "the GPU %s is sick: process %d hangs in its driver and "
                  "cannot be ended; another GPU or virtual:0 can be used "
                  "(:device virtual:0), and the instructor is told",
                  gpu, (int)sick);
  if (!err)
    err = ticket_take(&t->queue, &t->fd, t->name, &t->own, e);
  if (err) {
    turnstile_close(t);
    return err;
  }
  t->found = xcalloc(MAX_TICKETS, sizeof *t->found);
  t->entrants = xcalloc(MAX_TICKETS + 1, sizeof *t->entrants);
  *out = t;
  return ERR_OK;
}

void turnstile_close(struct turnstile *t) {
  if (!t)
    return;
  if (t->fd >= 0) {
    turnstile_leave(t);
    t->own.is_used = 0;
    t->own.memory_bytes = 0;
    ticket_write(t->fd, &t->own);
    close(t->fd);
  }
  queue_close(&t->queue);
  free(t->found);
  free(t->entrants);
  free(t);
}

// ---- Looking ----

// Who is far behind looks less often, so that a long queue costs little.
static bool is_fresh(const struct turnstile *t, uint64_t news,
                     uint64_t now_ns) {
  uint64_t age_ns = now_ns - t->looked_ns;
  int steps = t->place < MAX_STEPS ? t->place : MAX_STEPS;
  return t->looked_ns && (age_ns < (uint64_t)steps * STEP_NS ||
                          (news == t->news && age_ns < LOOK_NS));
}

static void look(struct turnstile *t, uint64_t now_ns) {
  uint64_t news = queue_news(&t->queue);
  if (is_fresh(t, news, now_ns))
    return;
  t->news = news;
  t->looked_ns = now_ns;
  t->count = ticket_read_all(&t->queue, t->name, t->found, MAX_TICKETS);
  for (int i = 0; i < t->count; i++)
    t->entrants[i] =
        ticket_entrant(&t->found[i].ticket, t->found[i].uid, now_ns);
}

static void stand(struct turnstile *t, uint64_t now_ns,
                  struct turn_standing *out) {
  look(t, now_ns);
  t->entrants[t->count] = ticket_entrant(&t->own, geteuid(), now_ns);
  turn_stand(t->entrants, t->count + 1, t->count, t->queue.rules, now_ns, out);
  t->place = out->place;
}

bool turnstile_is_wanted(struct turnstile *t) {
  look(t, clock_ns());
  for (int i = 0; i < t->count; i++)
    if (t->entrants[i].state == TURN_WAITING && !t->entrants[i].is_absent)
      return true;
  return false;
}

// ---- Turns ----

enum turn_state turnstile_state(const struct turnstile *t) {
  return t->own.state;
}

uint64_t turnstile_since_ns(const struct turnstile *t) {
  return t->own.since_ns;
}

void turnstile_ask(struct turnstile *t, enum turn_lane lane) {
  if (t->own.state != TURN_NONE)
    return;
  t->own.lane = lane;
  t->own.state = TURN_WAITING;
  t->own.since_ns = t->own.seen_ns = clock_ns();
  t->looked_ns = 0;
  t->place = 0;
  ticket_write(t->fd, &t->own);
  queue_tell(&t->queue);
}

static void take(struct turnstile *t, uint64_t now_ns) {
  t->own.state = TURN_HOLDING;
  t->own.since_ns = t->counted_ns = now_ns;
  t->charged_ns = 0;
  ticket_write(t->fd, &t->own);
  queue_tell(&t->queue);
}

bool turnstile_try(struct turnstile *t, struct turn_standing *out) {
  uint64_t now_ns = clock_ns();
  if (t->own.state != TURN_WAITING)
    return t->own.state == TURN_HOLDING;
  if (now_ns - t->own.seen_ns > SEEN_NS) {
    t->own.seen_ns = now_ns;
    ticket_write(t->fd, &t->own);
  }
  stand(t, now_ns, out);
  if (!out->may_take)
    return false;
  if (slot_take(&t->queue, (enum turn_lane)t->own.lane) < 0)
    return false;
  take(t, now_ns);
  return true;
}

static void count_until(struct turnstile *t, uint64_t now_ns) {
  int holders = 1;
  look(t, now_ns);
  for (int i = 0; i < t->count; i++)
    holders += t->entrants[i].state == TURN_HOLDING;
  t->charged_ns += turn_charge_ns(now_ns - t->counted_ns, holders);
  t->counted_ns = now_ns;
}

void turnstile_count(struct turnstile *t) {
  uint64_t now_ns = clock_ns();
  if (t->own.state == TURN_HOLDING && now_ns - t->counted_ns >= COUNT_NS)
    count_until(t, now_ns);
}

static void end_turn(struct turnstile *t) {
  uint64_t now_ns = clock_ns(), held_ns = now_ns - t->own.since_ns;
  count_until(t, now_ns);
  turn_use_add(&t->own.use, now_ns, t->charged_ns);
  t->own.usual_ns =
      t->own.usual_ns ? (t->own.usual_ns * 3 + held_ns) / 4 : held_ns;
}

void turnstile_leave(struct turnstile *t) {
  bool held = t->own.state == TURN_HOLDING;
  if (t->own.state == TURN_NONE)
    return;
  if (held)
    end_turn(t);
  t->own.state = TURN_NONE;
  ticket_write(t->fd, &t->own);
  if (held)
    slot_leave(&t->queue);
  queue_tell(&t->queue);
}

// ---- Memory ----

void turnstile_note_memory(struct turnstile *t, uint64_t bytes) {
  t->own.memory_bytes = bytes;
  ticket_write(t->fd, &t->own);
}

uint64_t turnstile_budget(const struct turnstile *t, uint64_t total) {
  return t->queue.memory_bytes ? t->queue.memory_bytes : total / BUDGET_SHARE;
}

enum err turnstile_mark_sick(const char *root, const char *gpu, pid_t server,
                             struct err_info *e) {
  struct queue q;
  enum err err = queue_open(root, gpu, &q, e);
  if (err)
    return err;
  err = sick_mark(&q, server, e);
  queue_close(&q);
  return err;
}
