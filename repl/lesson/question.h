// SPDX-License-Identifier: Apache-2.0
// What a page asks: predictions, quizzes, lines to type.
#ifndef REPL_LESSON_QUESTION_H
#define REPL_LESSON_QUESTION_H

#include "repl/lesson/player.h"
#include "repl/lesson/review.h"

// A prediction is asked when what it speaks of has run, unseen.
void question_predict(struct play *p, const struct lesson_item *item);
// Measures the prediction that is pending, if there is one: asks for it, shows
// `seen` (what the cell printed; may be NULL) and scores.
void question_score(struct play *p, const char *seen);
// The learner is to type something: the prompt behind the page takes it. Where
// more is asked before that prompt, the question waits for question_held.
void question_try(struct play *p, const struct lesson_item *item);
// The page is over: asks what waited for the prompt.
void question_held(struct play *p);
// Says once more what the page asks for (s->wanted, not NULL): the question may have
// left the screen by now.
void question_ask_wanted(struct shop *s);
// The page asks for that line, which stands above.
void question_want(struct shop *s, const struct lesson_item *item);
// For who reads a page: the question alone; how it ended.
void question_show(struct play *p, const struct lesson_item *item);
void question_show_measured(struct play *p, const struct lesson_item *item,
                            const char *measured);
void question_show_typed(struct play *p, const struct lesson_item *item);
void question_quiz(struct play *p, const struct lesson_item *item);
// Asks a question of an earlier lesson; `measured` is what a prediction measured
// there.
enum review_outcome question_review(struct play *p, const struct lesson *l,
                                    const struct lesson_item *item,
                                    const char *measured);

#endif
