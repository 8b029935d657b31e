// SPDX-License-Identifier: Apache-2.0
// The exercises in the order of learning, and how far a learner has come.
#ifndef REPL_LESSON_EXERCISES_H
#define REPL_LESSON_EXERCISES_H

#include "grade/judge/check.h"
#include "repl/shop.h"

// Prints all of them: what is done, what was tried, which is next. False, with
// a sentence, when they cannot be read.
bool exercises_list(struct shop *s);

// Which has not passed yet: the first behind `after` (NULL: of all), or else
// the first of all; `after` itself is none, nor what this machine could not
// judge, nor what asks for a GPU where there is none. NULL when all others have passed; the caller frees it.
char *exercises_next(const struct journal *j, const char *after);

// Does it need what not every machine has (its field hardware)?
bool exercises_need_hardware(const char *name);

// Adds the code that the task is about, indented; nothing where there is none.
void exercises_add_code(const struct check_about *about, struct str *out);

// Prints name, task, signature and that code; `about` is what check_about said.
void exercises_print_task(struct shop *s, const char *name,
                          const struct check_about *about);

// Shows one more hint, the s->hints-th. False, with a sentence, when there is no
// such exercise.
bool exercises_hint(struct shop *s, const char *name);

// The minutes of a lesson's exercises, those on pages of Further left out.
int exercises_minutes(const struct lesson *l);

// How many there are, and how many have passed.
void exercises_count(const struct journal *j, int *passed, int *all);

// What the solution costs and what comes next, where the exercise says so.
void exercises_show_editorial(struct shop *s, const char *name);

// Shows the solution, and keeps in progress that it was asked for before the
// exercise had passed. `asks`: asks first then, where there is somebody. A
// course may lock it until then. False when it is not shown.
bool exercises_show_solution(struct shop *s, const char *name, bool asks);

#endif
