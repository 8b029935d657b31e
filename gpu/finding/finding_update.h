// SPDX-License-Identifier: Apache-2.0
// Races of updates: which atomic does it.
#ifndef GPU_FINDING_FINDING_UPDATE_H
#define GPU_FINDING_FINDING_UPDATE_H

#include "gpu/finding/finding_race.h"

// Is the party's access an update such as "c[...] += ", "c[...]++"?
bool finding_is_update(const struct party *p);
// Every thread adds to one cell, multiplies it, looks for the largest ... : which
// atomic does it, if there is one.
// One thread looks at a cell and then writes it, and another comes in between.
bool finding_explain_look(struct str *out, const struct meeting *m);
bool finding_explain_update(struct str *out, const struct meeting *m);

#endif
