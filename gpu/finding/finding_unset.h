// SPDX-License-Identifier: Apache-2.0
// Numbers that get no value before they are used.
#ifndef GPU_FINDING_FINDING_UNSET_H
#define GPU_FINDING_FINDING_UNSET_H

#include "gpu/finding/finding_source.h"

// Is the word one of those that make the type of a number: "unsigned", "float"?
bool finding_is_type(struct finding_span word);

// A number that a function declares without a value and only updates.
struct finding_unset {
  char name[64];
  int declared, last; // lines: of its declaration, and where its scope ends
  int line, column;   // of its first update, from 1
  const char *start;  // what such updates begin from, "0" or "1"; NULL: neither
};
// All that are updated and read in the source, at most `most`; returns how many.
// Those that may get a value in any way are left out.
int finding_find_unset(const char *source, struct finding_unset *out, int most);
// The one number that line `line` uses before anything gave it a value; false:
// none, several, or nobody knows.
bool finding_find_unset_at(const char *source, int line,
                           struct finding_unset *out);

#endif
