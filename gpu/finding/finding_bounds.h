// SPDX-License-Identifier: Apache-2.0
// Why an index was out of bounds.
#ifndef GPU_FINDING_FINDING_BOUNDS_H
#define GPU_FINDING_FINDING_BOUNDS_H

#include "gpu/finding/finding_source.h"

// Why an index was out of bounds. False where that is not sure: nothing was
// added.
bool finding_explain_bounds(struct str *out, const struct finding_subject *s);

// ---- Parts of it: false as above ----

struct cause;
// An index that was read from memory, directly or by one variable.
bool bounds_explain_data(struct str *out, const struct cause *c);
// s[a][b]: the bracket that is outside of what s is declared with.
bool bounds_explain_rows(struct str *out, const struct cause *c);

#endif
