// SPDX-License-Identifier: Apache-2.0
// Marks, comments and deadlines to the learners. How they get there is the room's: the
// book knows no room, and is handed these functions (class/book_room.c).
#ifndef CLASS_BOOK_RETURN_H
#define CLASS_BOOK_RETURN_H

#include <jansson.h>

#include "class/book/book.h"

struct book_return {
  enum err (*open)(const char *folder, void **room, struct err_info *e);
  // Gives `body` to that learner alone; the same a second time changes nothing.
  // `kind` is "mark" or "due". ERR_NOT_FOUND: the room has no such learner.
  enum err (*give)(void *room, const char *learner, const char *kind,
                   const json_t *body, struct err_info *e);
  void (*close)(void *room);
};

// What is to be given: a list of {"learner", "kind", "body"}, one learner's together.
// For each exercise that has a mark or a comment a "mark", {"exercise", "mark", "of",
// "comment", "explain": [...]}; for each with a rule what is "due", {"exercise", "rule"
// (rule_json, with the learner's own deadline), "is_extended", "event"}.
// Within a transaction; the caller owns it.
json_t *return_bodies(struct book *b);

#endif
