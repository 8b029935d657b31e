// SPDX-License-Identifier: Apache-2.0
// A thread's own arrays and structures.
#ifndef GPU_FINDING_FINDING_LOCAL_H
#define GPU_FINDING_FINDING_LOCAL_H

#include "gpu/finding/finding_source.h"

// The line's one local array, named in `s`, by its cells: where it is the only one
// of its function and takes all of the memory that the thread has, the finding's
// place in that is the array's. Changes nothing where it is not.
void finding_measure_local(struct finding_subject *s);
// "a.cells[at]" of a structure `a`: the index that is outside of its array. False
// where the cause is not sure: nothing was added.
bool finding_explain_member(struct str *out, const struct finding_subject *s);

// The one local array that the line of the source uses, by its declaration; ""
// where it uses none or several.
void finding_find_local(const char *source, const char *line, int length,
                        char *out, size_t bytes);

#endif
