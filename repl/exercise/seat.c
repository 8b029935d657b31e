// SPDX-License-Identifier: Apache-2.0
// The seat in the room of a class: what is told there, and what comes back.
#include "repl/exercise/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "class/class.h"
#include "gpu/turnstile/turnstile.h"
#include "grade/input/input.h"
#include "repl/tui/tui.h"

enum { RUN_EVERY_S = 30 };

static void open_seat(struct shop *s) {
  struct room_seat seat;
  struct err_info e;
  if (s->seat.was_looked_for)
    return;
  s->seat.was_looked_for = true;
  if (room_seat_load(&seat, &e))
    return;
  s->seat.log = event_log_open(seat.folder);
  s->seat.room = xstrdup(seat.room);
  s->seat.heard = return_heard(seat.room);
  room_seat_free(&seat);
}

bool seat_is_taken(struct shop *s) {
  open_seat(s);
  return s->seat.log != NULL;
}

static void add(struct shop *s, enum event_kind kind, const char *what,
                const char *text, const char *code) {
  struct err_info e;
  if (event_add(s->seat.log, kind, what, text, code, &e))
    shop_say("the room is not told: %s", e.text);
}

static void tell_gpu(void *context, const char *gpu, pid_t sick) {
  struct shop *s = context;
  char host[65] = "", text[128];
  if (!sick || s->seat.told_sick == sick)
    return;
  s->seat.told_sick = sick;
  gethostname(host, sizeof host - 1);
  snprintf(text, sizeof text, "process %d on %s hangs in its driver", (int)sick,
           host);
  add(s, EVENT_SICK, gpu, text, "");
}

static void pass_over(void *context, const struct turnstile_ticket *t) {
  (void)context, (void)t;
}

// The room hears of it from whoever is at that machine.
static void tell_sick(struct shop *s) {
  const struct turnstile_viewer to = {tell_gpu, pass_over, s};
  const char *root = turnstile_folder();
  struct err_info e;
  double now = clock_s();
  if (!root || (s->seat.looked_s && now - s->seat.looked_s < RUN_EVERY_S))
    return;
  s->seat.looked_s = now;
  turnstile_view(root, &to, &e);
}

void seat_tell(struct shop *s, enum event_kind kind, const char *what,
               const char *text, const char *code) {
  open_seat(s);
  if (!s->seat.log)
    return;
  add(s, kind, what, text, code);
  tell_sick(s);
}

void seat_tell_run(struct shop *s, const char *lesson) {
  double now = clock_s();
  if (s->seat.told_run_s && now - s->seat.told_run_s < RUN_EVERY_S)
    return;
  s->seat.told_run_s = now;
  seat_tell(s, EVENT_RUN, lesson, "", "");
}

// ---- What comes back ----

struct hearing {
  struct shop *s;
  int marks, receipts, dues;
};

static void hear(void *context, const struct return_item *item) {
  struct hearing *h = context;
  h->dues += !strcmp(item->kind, "due");
  h->marks += !strcmp(item->kind, "mark");
  h->receipts += !strcmp(item->kind, "receipt");
  const char *text = json_string_value(json_object_get(item->body, "text"));
  if (strcmp(item->kind, "hint") || !text)
    return;
  char *clean = text_clean(text, strlen(text), 1000, 0);
  shop_print(h->s, "Your instructor: %s", clean);
  free(clean);
}

void seat_listen(struct shop *s) {
  struct hearing h = {.s = s};
  struct err_info e;
  struct room *r;
  int64_t to;
  open_seat(s);
  // A look at its length, and no more, is what a line costs.
  if (!s->seat.log || return_length(s->seat.room) <= s->seat.heard)
    return;
  enum err err = room_open(s->seat.room, &r, &e);
  if (!err)
    err = return_read(r, s->seat.heard, &to, hear, &h, &e);
  room_close(r);
  s->seat.heard = err ? INT64_MAX : to; // what fails is said once
  if (err)
    shop_say("what your instructors answer is not shown: %s", e.text);
  else
    return_set_heard(s->seat.room, to);
  if (h.marks)
    shop_print(s, "%d new mark%s: warpshop class marks shows %s.", h.marks,
               h.marks > 1 ? "s" : "", h.marks > 1 ? "them" : "it");
  if (h.dues)
    shop_print(s, "%d deadline%s changed: warpshop class marks shows %s.",
               h.dues, h.dues > 1 ? "s" : "", h.dues > 1 ? "them" : "it");
  if (h.receipts)
    shop_print(s, "%d of your hand-ins %s countersigned: :receipts lists them.",
               h.receipts, h.receipts > 1 ? "were" : "was");
}

void seat_close(struct shop *s) {
  event_log_close(s->seat.log);
  s->seat.log = NULL;
  free(s->seat.room);
  s->seat.room = NULL;
}

void seat_join_queue(void) {
  struct room_seat seat;
  struct err_info e;
  if (room_seat_load(&seat, &e))
    return;
  setenv("WARPSHOP_TURNSTILE", "1", 0);
  setenv("WARPSHOP_ROOM", seat.room, 1);
  room_seat_free(&seat);
}
