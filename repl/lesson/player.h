// SPDX-License-Identifier: Apache-2.0
// Lessons being played: what the files of this room share of it.
#ifndef REPL_LESSON_PLAYER_H
#define REPL_LESSON_PLAYER_H

#include "repl/lesson/lesson.h"
#include "repl/shop.h"

// Cells that ran, and what failed.
struct player_sum {
  int cells, failed;
};
// Plays lesson `number` in a Lua state of its own and adds to `sum`;
// `says_nothing`: only what fails is shown. The exit code: EXIT_PASSED unless
// Lua cannot be opened.
int player_play_one(struct shop *s, const struct lesson_index *index,
                    int number, bool says_nothing, struct player_sum *sum);

// ---- One page ----

struct play {
  struct shop *s;
  const struct lesson_item *pending; // a prediction that no run has scored yet
  bool has_exercise;                 // on this page
  int failed;                        // cells
  int ran;
  bool says_nothing; // lesson test: only what fails
  int rows;          // of the screen that the page has filled since a pause
  bool is_cut;       // its rest runs unseen, and it stays the learner's page
  bool is_reading;   // reading.c: nobody is asked, what cells print is kept
  const struct answers *answers; // reading.c: the page goes on; NULL: it begins
};

// Is there a person who can answer?
bool play_is_asking(const struct play *p);
// Asks until there is an answer: a command is run, and the question put again.
// NULL for none, and when a command leaves the page.
char *play_ask(struct play *p, const char *question);
// Before `rows` more are printed: waits where they would push unread ones off
// the screen.
void play_make_room(struct play *p, int rows);
// Prints a part of the page that stays together.
void play_put(struct play *p, enum style style, const char *text);
// Plays one item of the open page.
void play_item(struct play *p, const struct lesson_item *item);
// A cell's code, or a title, as pages show them.
void play_show_code(struct play *p, const struct lesson_item *item);
void play_show_head(struct play *p);
// Plays the open page from its item `from` on, and then the command that was asked
// for meanwhile; false when a cell, or that, failed.
bool play_page_from(struct play *p, int from);
// Runs the answer of a "try", as if it had been typed.
void play_answer(struct play *p, const struct lesson_item *item);
// A cell or a question of the lesson is broken: `what` says how.
void play_fail(struct play *p, const struct lesson_item *item,
               const char *what);

// ---- reading.c: what was answered ----

struct answers; // of each item of the open lesson
struct answers *answers_read(struct shop *s);
void answers_free(struct answers *a);
bool answers_has(const struct answers *a, const struct lesson_item *item);
// Prints again what `question` speaks of: the paragraph before it and what that shows,
// of long ones the end.
void answers_recall(struct shop *s, const struct answers *a,
                    const struct lesson_item *question);

#endif
