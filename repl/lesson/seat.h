// SPDX-License-Identifier: Apache-2.0
// What the room that the learner has joined (warpshop class join) is told.
#ifndef REPL_LESSON_SEAT_H
#define REPL_LESSON_SEAT_H

#include "class/event.h"
#include "repl/shop.h"

// Nothing where no room was joined. That it cannot be told is said once. With it,
// now and then, the room is told which GPUs of this machine are sick.
void seat_tell(struct shop *s, enum event_kind kind, const char *what,
               const char *text, const char *code);
// Something was typed: told at most once in half a minute.
void seat_tell_run(struct shop *s);
// Shows what has come back from the instructors: hints, marks, countersignatures.
// Before a line is asked for, never while one is typed.
void seat_listen(struct shop *s);
// Is there a room to tell?
bool seat_is_taken(struct shop *s);
void seat_close(struct shop *s);

// In a room the GPUs of this machine are shared with others: devices that start
// from now on take turns (gpu/turnstile), unless WARPSHOP_TURNSTILE says something.
void seat_join_queue(void);

#endif
