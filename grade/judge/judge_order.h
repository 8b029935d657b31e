// SPDX-License-Identifier: Apache-2.0
// Results that depend on which thread comes first.
#ifndef GRADE_JUDGE_JUDGE_ORDER_H
#define GRADE_JUDGE_JUDGE_ORDER_H

#include "grade/judge/judge_trial.h"

// Of a submission that is right: is it so in another order, too? Its cases that
// are not are disputed, and a diagnostic says why.
void judge_orders(struct trial *t);

// Has the wrong result of case `i` other values in another order?
bool judge_is_by_order(struct trial *t, int i);

#endif
