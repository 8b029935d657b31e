// SPDX-License-Identifier: Apache-2.0
// Which sizes an exercise's cases may have, as far as those cases say that
// learners see. Hidden cases are not looked at.
#ifndef GRADE_JUDGE_CASE_SIZE_H
#define GRADE_JUDGE_CASE_SIZE_H

#include "grade/exercise/exercise.h"

// A field of cases that holds whole numbers. Between the least and the most that
// a case has, those are taken for legal that have in common what all have: powers
// of 2, or multiples of `step`, or with a remainder.
struct case_size {
  char field[CASE_FIELD_BYTES];
  int64_t least, most, step;
  bool is_power;
};

enum { CASE_MAX_SIZES = 8 };

// The fields of case `i` that are not the same in all of them. None of a case
// with a tolerance of its own, which may be for its size alone.
int case_sizes(const struct exercise *ex, int i,
               struct case_size out[CASE_MAX_SIZES]);

// How many legal sizes there are, and the one of that number, from 0, in order.
int64_t case_size_count(const struct case_size *s);
int64_t case_size_at(const struct case_size *s, int64_t number);
// The number of the largest that is not above `value`.
int64_t case_size_number(const struct case_size *s, int64_t value);

#endif
