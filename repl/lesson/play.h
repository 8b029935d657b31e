// SPDX-License-Identifier: Apache-2.0
// What the other rooms use of lessons being played.
#ifndef REPL_LESSON_PLAY_H
#define REPL_LESSON_PLAY_H

#include "repl/shop.h"

// Plays the open lesson's page: prose, cells, questions. False when a cell
// failed.
bool player_show_page(struct shop *s);
// What was typed may be what the page asks for: says so, once.
void question_typed(struct shop *s);
// Opens lesson `number` (from 1) at `page` (from 0), running the pages before
// it silently. False and a sentence when there is none.
bool player_open(struct shop *s, int number, int page);
// Plays every lesson (or the one `number`), plain; the exit code.
int player_play_all(struct shop *s, int number);
// Runs every cell and reports; the exit code.
int player_test(struct shop *s, int number);

#endif
