// SPDX-License-Identifier: Apache-2.0
// After an exercise changed: verdicts that were taken in since then begin to count.
#ifndef CLASS_BOOK_REGRADE_H
#define CLASS_BOOK_REGRADE_H

#include "class/book/mark.h"

struct regrade {
  const char *exercise, *reason;
  mark_tell changed;
  void *context;
  // Results.
  int not_judged;   // hand-ins that have no verdict of the newest version
  char version[34]; // the newest one, of a verdict; "": not known
};

// Within a transaction, which the caller takes back to see what would change
// (book_undo). An instructor's own mark stays; `changed` is told of it where what was
// computed beside it changes.
void regrade(struct book *b, struct regrade *q);

#endif
