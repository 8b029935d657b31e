// SPDX-License-Identifier: Apache-2.0
// What the files that play a lesson share: player.c (pages, prose, cells) and
// question.c (what a page asks).
#ifndef REPL_LESSON_PLAYER_H
#define REPL_LESSON_PLAYER_H

#include "repl/shop.h"

struct play {
  struct shop *s;
  const struct lesson_item *pending; // a prediction that no run has scored yet
  bool has_exercise;                 // on this page
  int failed;                        // cells
  int ran;
  bool says_nothing; // lesson test: only what fails
  int rows;          // of the screen that the page has filled since a pause
};

// ---- player.c ----

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

// ---- question.c ----

// A prediction is asked when what it speaks of has run, unseen.
void question_predict(struct play *p, const struct lesson_item *item);
// Measures the prediction that is pending, if there is one: asks for it, shows
// `seen` (what the cell printed; may be NULL) and scores.
void question_score(struct play *p, const char *seen);
// The learner is to type something: the prompt behind the page takes it.
void question_try(struct play *p, const struct lesson_item *item);
void question_quiz(struct play *p, const struct lesson_item *item);

#endif
