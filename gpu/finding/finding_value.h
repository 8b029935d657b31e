// SPDX-License-Identifier: Apache-2.0
// What a source's expressions are worth to a thread, and the names in them.
#ifndef GPU_FINDING_FINDING_VALUE_H
#define GPU_FINDING_FINDING_VALUE_H

#include "gpu/finding/finding_source.h"

// The value of an expression of integers: of the thread's place, the launch's
// shape, its numbers, #defines and variables that get one value only. False:
// nobody knows.
bool finding_evaluate(const struct finding_view *v, const char *text,
                      int length, int64_t *out);
// What stands behind the one "=" that a variable ever gets; length 0: nothing,
// or several.
struct finding_span finding_value_of(const char *source, struct finding_span v);
// Does an assignment stand behind a name ("= 3", "+= 1", "++")?
bool finding_is_assigned(const char *after);

// The next name of `*rest`, which is moved behind it: "i", "threadIdx.x"; names
// that follow a number or a dot are none. Length 0: there are no more.
struct finding_span finding_next_name(struct finding_span *rest);
bool finding_is_span(struct finding_span a, const char *text);
bool finding_are_equal(struct finding_span a, struct finding_span b);

// Names that a text comes down to, through the values of its variables; loads
// from memory that are on the way are counted.
enum { FINDING_NAMES = 48 };
struct finding_names {
  int count, loads;
  struct finding_span names[FINDING_NAMES];
};
void finding_collect_names(const char *source, struct finding_span text,
                           struct finding_names *out);
bool finding_has_name(const struct finding_names *names, const char *name);

#endif
