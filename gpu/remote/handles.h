// SPDX-License-Identifier: Apache-2.0
// Files between the program and its device server, over a socket of their own: what
// stands for device memory that several processes map. The server was given its end
// when it started, so a confined one needs no file system for it.
#ifndef GPU_REMOTE_HANDLES_H
#define GPU_REMOTE_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

// Two connected ends, closed on exec.
bool handles_pair(int ends[2]);
// Sends a file, which stays the caller's, under a number. Never blocks.
bool handles_send(int end, int fd, uint64_t number);
// The file that was sent under that number, or -1: none was. Those that were sent before
// it and that nobody took, since their command never came, are closed.
int handles_take(int end, uint64_t number);

#endif
