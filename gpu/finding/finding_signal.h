// SPDX-License-Identifier: Apache-2.0
// Flags, and copies that run beside the threads.
#ifndef GPU_FINDING_FINDING_SIGNAL_H
#define GPU_FINDING_FINDING_SIGNAL_H

#include "gpu/finding/finding_race.h"

// A copy that runs beside the threads, and what waits for it; a flag or a counter
// without a fence before it. False where the cause is not sure.
bool finding_explain_copy(struct str *out, const struct meeting *m);
// A copy that need not have come when another thread reads, also in a loop.
bool finding_explain_pending(struct str *out, const struct meeting *m);
bool finding_explain_signal(struct str *out, const struct meeting *m);

#endif
