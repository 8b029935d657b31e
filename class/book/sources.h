// SPDX-License-Identifier: Apache-2.0
// Hand-ins out of the book, to be judged (again).
#ifndef CLASS_BOOK_SOURCES_H
#define CLASS_BOOK_SOURCES_H

#include "class/book/book.h"

struct sources {
  const char *folder;
  const char *exercise; // NULL: of all
  bool is_all;          // else those that have no verdict with a score
  int count, rounds;    // results
};

// Writes them as FOLDER/<k>/<learner>/<exercise>.cu, k from 1: a learner has one of
// an exercise in each. Within a transaction, which fails where one cannot be written.
void sources_write(struct book *b, struct sources *q);

#endif
