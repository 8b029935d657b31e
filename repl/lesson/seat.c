// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/seat.h"

#include "base/clock.h"
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
  room_seat_free(&seat);
}

bool seat_is_taken(struct shop *s) {
  open_seat(s);
  return s->seat.log != NULL;
}

void seat_tell(struct shop *s, enum event_kind kind, const char *what,
               const char *text, const char *code) {
  struct err_info e;
  open_seat(s);
  if (event_add(s->seat.log, kind, what, text, code, &e))
    shop_say("the room is not told: %s", e.text);
}

void seat_tell_run(struct shop *s) {
  double now = clock_s();
  if (s->seat.told_run_s && now - s->seat.told_run_s < RUN_EVERY_S)
    return;
  s->seat.told_run_s = now;
  seat_tell(s, EVENT_RUN, s->lesson ? s->lesson->name : "", "", "");
}

void seat_close(struct shop *s) {
  event_log_close(s->seat.log);
  s->seat.log = NULL;
}
