// SPDX-License-Identifier: Apache-2.0
// One learner's data: all of it as a file, and all of it gone.
#ifndef CLASS_BOOK_PERSON_H
#define CLASS_BOOK_PERSON_H

#include <jansson.h>

#include "class/book/book.h"

// Everything that the book has of a learner ("warpshop.person/1"): names, numbers,
// hand-ins with their sources and receipts, verdicts, what was said, marks and how
// they came about. Within a transaction; the caller owns it; NULL: it failed.
json_t *person_export(struct book *b, const char *learner);

struct erased {
  int hand_ins, verdicts, events;
  int marks;  // that stay, as numbers that are nobody's
  int shared; // hand-ins of a group, which stay with its other members
};
// Takes names, numbers, hand-ins, verdicts and events of a learner out of the book.
// A mark stays as a number of its exercise; what a group handed in stays with
// another member of it, without the name. Within a transaction of its own; then the
// file is written anew, so that no byte of it is left.
enum err person_erase(struct book *b, const char *learner, struct erased *out,
                      struct err_info *e);

#endif
