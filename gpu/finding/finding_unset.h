// SPDX-License-Identifier: Apache-2.0
// Numbers that get no value before they are used.
#ifndef GPU_FINDING_FINDING_UNSET_H
#define GPU_FINDING_FINDING_UNSET_H

#include "gpu/finding/finding.h"
#include "gpu/finding/finding_source.h"

// Is the word one of those that make the type of a number: "unsigned", "float"?
bool finding_is_type(struct finding_span word);

// The one number that line `line` uses before anything gave it a value; false:
// none, several, or nobody knows.
bool finding_find_unset_at(const char *source, int line,
                           struct finding_unset *out);

#endif
