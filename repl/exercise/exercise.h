// SPDX-License-Identifier: Apache-2.0
// Exercises on the screen: in the order of learning, handed in, and what the room
// of a class is told of them.
#ifndef REPL_EXERCISE_EXERCISE_H
#define REPL_EXERCISE_EXERCISE_H

#include "class/class.h"
#include "grade/check/check.h"
#include "repl/shop.h"

// ---- exercises.c ----

// Prints all of them: what is done, what was tried, which is next. False, with
// a sentence, when they cannot be read.
bool exercises_list(struct shop *s);

// Which has not passed yet: the first behind `after` (NULL: of all), or else
// the first of all; `after` itself is none, nor what this machine could not
// judge, nor what asks for a GPU where there is none. NULL when there is no other;
// the caller frees it.
char *exercises_next(const struct journal *j, const char *after);
// What is said then: whether all have passed, or some cannot be judged here.
void exercises_print_end(struct shop *s, const char *except);

// Does it need what not every machine has (its field hardware)?
bool exercises_need_hardware(const char *name);

// Adds the code that the task is about, indented; nothing where there is none.
void exercises_add_code(const struct check_about *about, struct str *out);

// Prints name, task, signature and that code; `about` is what check_about said.
void exercises_print_task(struct shop *s, const char *name,
                          const struct check_about *about);

// Shows one more hint, the s->hints-th; behind the last, what shows the solution: a
// screen's `key`, or NULL. False, with a sentence, when there is no such exercise.
bool exercises_hint(struct shop *s, const char *name, const char *key);

// How many there are, and how many have passed.
void exercises_count(const struct journal *j, int *passed, int *all);

// What the solution costs and what comes next, where the exercise says so.
void exercises_show_editorial(struct shop *s, const char *name);

// Shows the solution, and keeps in progress that it was asked for before the
// exercise had passed. `asks`: asks first then, where there is somebody. A
// course may lock it until then. False when it is not shown.
bool exercises_show_solution(struct shop *s, const char *name, bool asks);

// ---- hand_in.c ----

// An exercise being handed in, at the prompt and in `warpshop watch`: judged,
// and what came of it kept.

// Opens the judge (s->judge), unless it is open. `is_cancelled` says whether a
// judgement is to be stopped.
enum err hand_in_open(struct shop *s, bool (*is_cancelled)(void *context),
                      void *context, struct err_info *e);

// Judges a text and keeps it and its verdict in progress and attempts, unless
// `is_cancelled` says that it was stopped. On ERR_OK `*out` and `*page` are the
// caller's, as check_run gives them.
struct hand_in {
  struct check_text what;
  bool (*is_cancelled)(void *context);
  void *context;
};
enum err hand_in(struct shop *s, const struct hand_in *h, struct verdict **out,
                 char **page, struct err_info *e);

// ---- seat.c ----

// What the room that the learner has joined (warpshop class join) is told.

// Nothing where no room was joined. That it cannot be told is said once. With it,
// now and then, the room is told which GPUs of this machine are sick.
void seat_tell(struct shop *s, enum event_kind kind, const char *what,
               const char *text, const char *code);
// Something was typed, on a page of `lesson` ("": of none): told at most once in
// half a minute.
void seat_tell_run(struct shop *s, const char *lesson);
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
