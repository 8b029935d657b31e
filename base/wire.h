// SPDX-License-Identifier: Apache-2.0
// Bytes between two processes of ours, over a socket.
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

// All of the bytes, whatever signals come; false when the other side is gone.
bool wire_read(int fd, void *data, size_t bytes);
bool wire_write(int fd, const void *data, size_t bytes);

// Says whether to go on waiting: ERR_OK, or the error to return.
typedef enum err (*wire_wait)(void *context);

// As wire_read, and calls `wait` (NULL: nothing) every 3 ms while there is
// nothing to read. ERR_IO: the other side is gone.
enum err wire_read_while(int fd, void *data, size_t bytes, wire_wait wait,
                         void *context);

#endif
