// SPDX-License-Identifier: Apache-2.0
// Frames between the program and its compile worker: a kind and a list of byte
// strings, each with its length, over a stream socket. Lengths are checked
// before memory is taken for them; neither side trusts the other.
#ifndef GPU_NVRTC_WORKER_NVRTC_WIRE_H
#define GPU_NVRTC_WORKER_NVRTC_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/wire.h"

enum wire_kind { WIRE_HELLO = 1, WIRE_READY, WIRE_COMPILE, WIRE_RESULT };

enum { WIRE_MAX_PARTS = 2048, WIRE_MAX_BYTES = 256 << 20 };

struct wire_part {
  const void *data;
  size_t bytes;
};

struct wire_frame {
  enum wire_kind kind;
  uint32_t count;
  struct wire_part *parts; // each followed by a zero that `bytes` leaves out
  char *buffer;            // what the parts point into
};

// Sends one frame; ERR_IO when the other side is gone.
enum err wire_send(int fd, enum wire_kind kind, const struct wire_part *parts,
                   uint32_t count);

// Receives one frame as wire_read_while does. ERR_IO: the other side is gone.
// ERR_PROTOCOL: not a frame of ours. ERR_NOMEM.
enum err wire_receive(int fd, struct wire_frame *out, wire_wait wait,
                      void *context);
void wire_free(struct wire_frame *f);

struct wire_part wire_text(const char *text);

#endif
