// SPDX-License-Identifier: Apache-2.0
// Taking in what a class handed in and how it was judged.
#ifndef CLASS_BOOK_TAKE_H
#define CLASS_BOOK_TAKE_H

#include "class/book/mark.h"

struct take {
  // DIR/<learner>/<exercise>.cu or .lua, with the receipts and earlier attempts
  // that `class collect` puts beside it (class/collect.h); NULL: none.
  const char *folder;
  // Journals of `warpshop grade --from` (grade/batch/journal.h), or verdicts as
  // JSON: one, a list under "submissions", or one a line.
  char *const *files;
  int file_count;
  void (*odd)(void *context, const char *text); // what was left out, and why
  mark_tell changed; // a mark that is new, or another
  void *context;
  // Results: what is new.
  int submissions, verdicts, learners;
};

// Within a transaction. A hand-in has the time of its receipt, else the file's own.
// What the book has already changes nothing, so that whoever was killed begins again.
// The transaction fails where the folder or a file cannot be read, or a file holds no
// verdict.
void take_in(struct book *b, struct take *q);

#endif
