// SPDX-License-Identifier: Apache-2.0
// Instructors of a room may pause the ranked lane for its learners: by a file `pause`
// in the room's folder `return`, into which they alone write.
#ifndef GPU_TURNSTILE_PAUSE_H
#define GPU_TURNSTILE_PAUSE_H

#include <stdbool.h>

// Below the room's folder.
#define PAUSE_FILE "return/pause"

// Is it paused in the room that WARPSHOP_ROOM names?
bool pause_is_set(void);
bool pause_is_in(const char *room);

#endif
