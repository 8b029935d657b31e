// SPDX-License-Identifier: Apache-2.0
// Marks, comments and deadlines to the learners. How they get there is the room's
// (struct book_return).
#ifndef CLASS_BOOK_RETURN_H
#define CLASS_BOOK_RETURN_H

#include <jansson.h>

#include "class/book/book.h"

// What is to be given: a list of {"learner", "kind", "body"}, one learner's together.
// For each exercise that has a mark or a comment a "mark", {"exercise", "mark", "of",
// "note", "comment", "explain": [...]}; for each with a rule what is "due",
// {"exercise", "rule" (rule_json, with the learner's own deadline), "is_extended",
// "event"}.
// Within a transaction; the caller owns it.
json_t *return_bodies(struct book *b);

#endif
