// SPDX-License-Identifier: Apache-2.0
// One wrong array of one case, and one likeness that may hold for it: what the
// resemble_*.c share.
#ifndef GRADE_RESEMBLE_RESEMBLE_LIKE_H
#define GRADE_RESEMBLE_RESEMBLE_LIKE_H

#include "base/str.h"
#include "grade/case/case.h"

// ---- One wrong array of one case ----

struct wrong {
  const struct exercise *exercise;
  const struct case_input *in;
  int param;
  enum dtype dtype;
  const struct tolerance *tolerance;
  size_t count;
  double *got, *want;
  bool *is_right; // within the tolerance
  bool *is_kept;  // nothing was written, or the same again
  double step;    // relative distance of two numbers of the type; 0: integers
  double least;   // of the smallest
};

// Are the two the same but for what the case allows, and what roundings do to
// numbers as large as `scale`?
bool wrong_is_near(const struct wrong *w, double a, double b, double scale);
// Blocks of the grid, and threads of a block.
uint64_t wrong_blocks(const struct wrong *w);
uint64_t wrong_threads(const struct wrong *w);
// Have they one dimension? Of several launches nobody knows whose part is whose.
bool wrong_is_flat(const struct wrong *w);

// ---- Likenesses ----

struct like {
  // Does it hold? `is_first`: of the cases; a number that was found in the first
  // must be found in the others, too.
  bool (*holds)(struct like *l, const struct wrong *w, bool is_first);
  void (*tell)(const struct like *l, const struct exercise *ex, int param,
               struct str *out);
  int row;           // of the family's own table
  int a, b, scalar;  // parameters that it is made of; -1: none
  double number;     // such as a factor
  uint64_t evidence; // elements that were wrong, and just as it says
  int weakness;      // told only where none that is less weak holds
  bool is_out;       // it does not hold
};

struct like_list {
  int count, room;
  struct like *all;
};
struct like *like_add(struct like_list *list, const struct like *l);

#endif
