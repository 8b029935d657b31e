// SPDX-License-Identifier: Apache-2.0
// The conditions of a solution: where it can go two ways.
#ifndef GRADE_PROVE_BRANCH_H
#define GRADE_PROVE_BRANCH_H

#include "grade/input/input.h"

enum branch_kind {
  BRANCH_IF,
  BRANCH_LOOP,
  BRANCH_SELECT, // before a "?"
  BRANCH_AND,    // what && and "and" join
  BRANCH_OR,
};

struct branch {
  enum branch_kind kind;
  int first, last; // its tokens
};

struct branches {
  int count;
  struct branch *list;
};

// Those of the tokens that are looked at, the longer before what is in them;
// `true` and `false` are none. In Lua only the left side of "and" and "or" is one: the
// right side is a value.
void branches_find(const struct tokens *t, struct branches *out);
void branches_free(struct branches *b);

#endif
