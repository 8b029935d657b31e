// SPDX-License-Identifier: Apache-2.0
// A lesson opens with two questions from earlier ones. Which: kept in the
// journal as in Leitner's boxes, in whose first a question comes again at the
// next review, in the second at the one after that, then after 4, 8 and 16. What
// was right goes one box on, what was missed back to the first. No clock and no
// chance choose: the same journal asks the same questions.
#ifndef REPL_LESSON_REVIEW_H
#define REPL_LESSON_REVIEW_H

#include "repl/lesson/player.h"

enum review_outcome { REVIEW_RIGHT, REVIEW_MISSED, REVIEW_SKIPPED };

// A question of the open lesson was answered on its page; `measured` is what a
// prediction measured, NULL of a quiz.
void review_note_asked(struct shop *s, const struct lesson_item *item,
                       bool is_right, const char *measured);

// A line that the page asked for was typed.
void review_note_typed(struct shop *s, const struct lesson_item *item);
// What tells a question from others in the journal; the caller frees it.
char *review_key(const struct lesson *l, const struct lesson_item *item);

// Before the first page of a lesson: asks, once a lesson, unless `:set review
// off` was said. A command that is to follow the page (s->after_page) ends it.
void review_play(struct play *p);

#endif
