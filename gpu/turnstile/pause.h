// SPDX-License-Identifier: Apache-2.0
// Instructors of a room may pause the ranked lane for its learners: a file `pause` in
// the room's folder, which counts where an instructor owns it.
#ifndef GPU_TURNSTILE_PAUSE_H
#define GPU_TURNSTILE_PAUSE_H

#include <stdbool.h>
#include <sys/types.h>

// Is it paused in the room that WARPSHOP_ROOM names?
bool pause_is_set(void);

// Who has paused it in that room; false: nobody who may.
bool pause_by(const char *room, uid_t *who);

#endif
