// SPDX-License-Identifier: Apache-2.0
// Files between the program and its device server, over a socket of their own: what
// stands for device memory that several processes map. The server was given its end
// when it started, so a confined one needs no file system for it.
#ifndef GPU_REMOTE_HANDLES_H
#define GPU_REMOTE_HANDLES_H

#include <stdbool.h>

// Two connected ends, closed on exec.
bool handles_pair(int ends[2]);
// Sends a file, which stays the caller's. Never blocks.
bool handles_send(int end, int fd);
// The next file that was sent, or -1: none was.
int handles_take(int end);

#endif
