// SPDX-License-Identifier: Apache-2.0
// Rules such as "sectors_per_request <= 4.5" over the counters of
// gpu/counters.def, measured on the virtual GPU, or of kinds lua and host over
// those of gpu/calls.def: the same on every machine.
#ifndef GRADE_JUDGE_EFFICIENCY_H
#define GRADE_JUDGE_EFFICIENCY_H

#include "gpu/calls.h"
#include "gpu/counters_text.h"
#include "grade/exercise/exercise.h"
#include "grade/verdict/verdict.h"

// Does some rule ask for registers or occupancy?
bool efficiency_needs_occupancy(const struct exercise *ex);

// What was counted in one case: all its launches together, and how a
// multiprocessor holds each kind of them.
struct efficiency_case {
  int index; // of the case
  struct gpu_count_view view;
  int kind_count;
  const struct gpu_occupancy *kinds; // NULL: no rule asks for them
  const struct gpu_calls *calls; // of kinds lua and host, in place of the view
};

// Must it be known of the case of that name which loads feed no result
// (run_request.wants_feeds)? For a ratio that would be another without them.
// *is_goal: a goal asks for it.
bool efficiency_needs_feeds(const struct exercise *ex, const char *name,
                            const struct gpu_count_view *v, bool *is_goal);

// Adds each rule's value in its worst case and its verdict to `v`; a case that
// misses a goal fails. Where a rule is broken, notes say which lines are to
// blame.
void efficiency_judge(struct verdict *v, const struct exercise *ex,
                      const struct efficiency_case *list, int count);

#endif
