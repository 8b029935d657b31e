// SPDX-License-Identifier: Apache-2.0
// The tickets in a turnstile's folder. The owner of a ticket is who its file belongs
// to; nothing that stands in one is believed beyond its own place in the queue.
#ifndef GPU_TURNSTILE_TICKET_H
#define GPU_TURNSTILE_TICKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "gpu/turnstile/queue.h"

enum { TICKET_NAME = 32 }; // bytes, with the zero

// What stands in a ticket.
struct ticket {
  uint64_t magic, boot; // of this machine's start: clocks begin anew with it
  uint32_t lane, state;
  uint32_t pid, is_used; // by a process that is there
  uint64_t since_ns;     // that it waits or holds
  uint64_t seen_ns;      // when who waits last looked
  uint64_t number;       // breaks ties
  uint64_t usual_ns;     // length of its turns, smoothed
  uint64_t memory_bytes; // of the GPU
  struct turn_use use;
  uint64_t check; // over all before it
};

// A ticket of the caller's that no process uses, or a new one, locked.
enum err ticket_take(struct queue *q, int *fd, char name[TICKET_NAME],
                     struct ticket *out, struct err_info *e);
void ticket_write(int fd, struct ticket *t);

struct ticket_found {
  uint32_t uid;
  struct ticket ticket;
};
// The next one that is whole, from the first one behind ticket_rewind on; false: there
// are no more. `own` (NULL: none) is left out.
void ticket_rewind(struct queue *q);
bool ticket_next(struct queue *q, const char *own, struct ticket_found *out);
// All that are whole, up to `room`; the count. `own` (NULL: none) is left out.
int ticket_read_all(struct queue *q, const char *own, struct ticket_found *out,
                    int room);

// What the policy is to know of it.
struct turn_entrant ticket_entrant(const struct ticket *t, uint32_t uid,
                                   uint64_t now_ns);

#endif
