// SPDX-License-Identifier: Apache-2.0
// Why an index was out of bounds.
#ifndef GPU_FINDING_FINDING_BOUNDS_H
#define GPU_FINDING_FINDING_BOUNDS_H

#include "gpu/finding/finding_source.h"

// Why an index was out of bounds. False where that is not sure: nothing was
// added.
bool finding_explain_bounds(struct str *out, const struct finding_subject *s);

#endif
