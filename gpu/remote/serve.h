// SPDX-License-Identifier: Apache-2.0
// Commands, carried out.
#ifndef GPU_REMOTE_SERVE_H
#define GPU_REMOTE_SERVE_H

#include "gpu/remote/server.h"

// A command as its handler sees it.
struct call {
  const uint64_t *args;
  const unsigned char *tail;
  size_t tail_bytes;
  uint64_t seq;
  uint16_t index; // of the slot
  struct remote_slot *slot;
  struct err_info *e;
};

// The program's name for something of the back end's.
gpu_handle server_add_handle(struct server *s, enum handle_kind kind,
                             gpu_handle backend);

// Executes one command; its answer, if it has one, is in its slot.
void server_execute(struct server *s, const struct remote_command *c);
// Answers it with `why` in place of that.
void server_drop(struct server *s, const struct remote_command *c,
                 const struct err_info *why);

#endif
