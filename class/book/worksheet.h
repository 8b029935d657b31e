// SPDX-License-Identifier: Apache-2.0
// Moodle's offline grading worksheet of one assignment: downloaded from it, filled in,
// and uploaded again ("Upload grading worksheet").
#ifndef CLASS_BOOK_WORKSHEET_H
#define CLASS_BOOK_WORKSHEET_H

#include <stddef.h>

#include "class/book/book.h"

struct worksheet {
  const char *name, *text; // of the file, and what it holds
  size_t bytes;
  const char *exercise;
  // A row that stays as it was, and why.
  void (*odd)(void *context, const char *text);
  void *context;
  // Results.
  int marked, odd_count;
};

// The same table with the marks of the exercise in its column Grade and the last
// comments in Feedback comments; every other cell as Moodle wrote it, by which it
// knows learners and grades that were changed there meanwhile. Within a transaction;
// to be freed. NULL: it has failed, as it does where Moodle's maximum is not the
// book's, since Moodle passes over what is above without a word.
char *worksheet_fill(struct book *b, struct worksheet *q);

#endif
