// SPDX-License-Identifier: Apache-2.0
// What pairs of times say: the median of their ratios and how sure it is.
#ifndef GRADE_RANK_RANK_STAT_H
#define GRADE_RANK_RANK_STAT_H

#include "grade/rank/rank.h"

struct rank_pair {
  double own_us, reference_us;
};

// `count` >= 1. The interval is the percentile bootstrap's over pairs
// (Efron & Tibshirani, An Introduction to the Bootstrap, chapter 13), drawn from
// `seed`: the same pairs give the same interval.
void rank_stat(const struct rank_pair *pairs, int count,
               const struct seed *seed, struct rank_stat *out);
// Half of the interval, as a part of the ratio.
double rank_stat_error(const struct rank_stat *s);

#endif
