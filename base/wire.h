// SPDX-License-Identifier: Apache-2.0
// Bytes between two processes of ours, over a socket.
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>

// All of the bytes, whatever signals come; false when the other side is gone.
bool wire_read(int fd, void *data, size_t bytes);
bool wire_write(int fd, const void *data, size_t bytes);

#endif
