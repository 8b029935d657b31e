// SPDX-License-Identifier: Apache-2.0
// Why a loop never ends.
#ifndef GPU_FINDING_FINDING_LOOP_H
#define GPU_FINDING_FINDING_LOOP_H

#include "gpu/finding/finding_source.h"

// Why a loop never ends. False where that is not sure: nothing was added.
bool finding_explain_loop(struct str *out, const struct finding_subject *s);

#endif
