// SPDX-License-Identifier: Apache-2.0
// The process of a device server.
#ifndef GPU_REMOTE_PROCESS_H
#define GPU_REMOTE_PROCESS_H

#include "gpu/remote/client.h"

// Starts a server; the device opens there in the background.
enum err remote_spawn(struct remote *r, struct err_info *e);

// Has the process ended? Then it is reaped and `reason` says how.
bool remote_check_death(struct remote *r);

// Kills the process and reaps it, within a bounded time.
void remote_kill(struct remote *r, const char *reason);

// Ends what reaches another machine, and with it all that runs there.
void remote_end_line(struct remote *r);

// Passes on what the server printed; true when there was something.
bool remote_drain(struct remote *r);

// Closes what belongs to the process and unmaps its segment.
void remote_drop_process(struct remote *r);

#endif
