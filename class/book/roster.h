// SPDX-License-Identifier: Apache-2.0
// Who is in the class, from a CSV file that Canvas or Moodle wrote: user names, names,
// and the numbers by which their exports find a learner again.
#ifndef CLASS_BOOK_ROSTER_H
#define CLASS_BOOK_ROSTER_H

#include <stddef.h>

#include "class/book/book.h"

struct roster {
  const char *name, *text; // of the file, and what it holds
  size_t bytes;
  const char *user; // the column with user names; NULL: roster.def's
  bool skips; // rows that do not match are left out, and the rest is taken
  void (*odd)(void *context,
              const char *text); // a row that does not match, and why
  void *context;
  // Results.
  const char *system; // "canvas", "moodle"
  int rows, added, odd_count;
};

// Within a transaction. Where a row does not match and `skips` is not set, the
// transaction fails: nothing is half imported. Learners of the book that the file
// does not have are told, too, and stay.
void roster_import(struct book *b, struct roster *q);

#endif
