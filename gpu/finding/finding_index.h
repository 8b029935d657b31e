// SPDX-License-Identifier: Apache-2.0
// Why two threads have one index.
#ifndef GPU_FINDING_FINDING_INDEX_H
#define GPU_FINDING_FINDING_INDEX_H

#include "gpu/finding/finding_race.h"

// Each adds its sentences; false where it does not apply: nothing was added.
// A loop's variable that comes to one value in two threads.
bool finding_explain_step(struct str *out, const struct meeting *m);
// One index, two threads, on one line.
bool finding_explain_index(struct str *out, const struct meeting *m);
// All write one cell, whose index is the same for everybody.
bool finding_explain_cell(struct str *out, const struct meeting *m);

#endif
