// SPDX-License-Identifier: Apache-2.0
// What pairs of times say: the median of their ratios and how sure it is.
#ifndef GRADE_RANK_RANK_STAT_H
#define GRADE_RANK_RANK_STAT_H

#include "grade/input/input.h"

struct rank_pair {
  double own_us, reference_us;
};

struct rank_stat {
  double ratio;                // median of reference / own: 2 is twice as fast
  double low, high;            // its 95 % interval
  double own_us, reference_us; // medians
};

// `count` >= 1. The interval is the percentile bootstrap's over pairs
// (Efron & Tibshirani, An Introduction to the Bootstrap, chapter 13), drawn from
// `seed`: the same pairs give the same interval.
void rank_stat(const struct rank_pair *pairs, int count,
               const struct seed *seed, struct rank_stat *out);
// Half of the interval, as a part of the ratio.
double rank_stat_error(const struct rank_stat *s);

#endif
