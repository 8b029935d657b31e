// SPDX-License-Identifier: Apache-2.0
// What the two languages' edits share (edit_make_cuda.c,
// edit_make_lua.c).
#ifndef GRADE_PROVE_EDIT_MAKE_H
#define GRADE_PROVE_EDIT_MAKE_H

#include "grade/input/input.h"
#include "grade/prove/edit.h"

struct edit_maker {
  struct tokens tokens;
  uint32_t grid[3], block[3]; // of the first case
  struct edits *out;
};

// A row of a table: what is written, and what may come in its place; both as
// " this " words between spaces where there are several.
struct edit_swap {
  const char *from, *to;
};

// The tokens from `first` to `last` become `with`, for which `shown` stands in
// the edit's name; NULL: it is that.
void edit_add(struct edit_maker *m, int first, int last, const char *with,
              const char *shown);
void edit_leave_out(struct edit_maker *m, int first, int last,
                    const char *with);
// Puts `text` behind token `i`.
void edit_insert(struct edit_maker *m, int i, const char *text);
// The tokens from `a` to `a_end` and those from `b` to `b_end` change places.
void edit_exchange(struct edit_maker *m, int a, int a_end, int b, int b_end);
// Each row whose `from` is token `i`.
void edit_from_table(struct edit_maker *m, int i, const struct edit_swap *rows);
// A number: one more, one less, none.
void edit_number(struct edit_maker *m, int i);
// Neighbours in the list that bracket `open` begins change places.
void edit_exchange_list(struct edit_maker *m, int open);
// Does `sign` at `i` stand between two values?
bool edit_is_between(const struct edit_maker *m, int i);

// The edits that begin at token `i`.
void edit_cuda(struct edit_maker *m, int i);
void edit_lua(struct edit_maker *m, int i);

#endif
