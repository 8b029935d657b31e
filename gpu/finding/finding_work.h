// SPDX-License-Identifier: Apache-2.0
// Why a launch took too long.
#ifndef GPU_FINDING_FINDING_WORK_H
#define GPU_FINDING_FINDING_WORK_H

#include "gpu/finding/finding.h"

// Says of a launch that took too long that every thread does all the work,
// where the source shows it: the rounds of the line's loop, no index of a thread
// anywhere. False where it may be otherwise.
bool finding_add_work(struct str *out, const struct finding_subject *s);

#endif
