// SPDX-License-Identifier: Apache-2.0
// Lessons being played.
#ifndef REPL_LESSON_PLAYER_H
#define REPL_LESSON_PLAYER_H

#include "repl/shop.h"

// Plays the open lesson's page: prose, cells, questions. False when a cell
// failed.
bool player_show_page(struct shop *s);
// Opens lesson `number` (from 1) at `page` (from 0), running the pages before
// it silently. False and a sentence when there is none.
bool player_open(struct shop *s, int number, int page);
// Plays every lesson (or the one `number`), plain; the exit code.
int player_play_all(struct shop *s, int number);
// Runs every cell and reports; the exit code.
int player_test(struct shop *s, int number);

// ---- One page, for question.c ----

struct play {
  struct shop *s;
  const struct lesson_item *pending; // a prediction that no run has scored yet
  bool has_exercise;                 // on this page
  int failed;                        // cells
  int ran;
  bool says_nothing; // lesson test: only what fails
  int rows;          // of the screen that the page has filled since a pause
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
// Runs the answer of a "try", as if it had been typed.
void play_answer(struct play *p, const struct lesson_item *item);
// A cell or a question of the lesson is broken: `what` says how.
void play_fail(struct play *p, const struct lesson_item *item,
               const char *what);

#endif
