// SPDX-License-Identifier: Apache-2.0
// A turnstile's folder and the tickets in it. The owner of a ticket is who its
// file belongs to; nothing that stands in one is believed beyond its own place in
// the queue.
#ifndef GPU_TURNSTILE_TICKET_H
#define GPU_TURNSTILE_TICKET_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "gpu/turnstile/policy.h"

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

struct queue { // one GPU's folder
  int fd;
  DIR *entries;
  int slots;     // its file
  uint64_t boot; // queue_boot()
  struct turn_rules rules;
  uint64_t memory_bytes; // a holder may have; 0: a share of the GPU's
};

// The number of this start of the machine: what stands in older tickets is void.
uint64_t queue_boot(void);

// Opens it, and makes what is not there.
enum err queue_open(const char *root, const char *gpu, struct queue *out,
                    struct err_info *e);
// The same of one that is there, to look at it alone: there is no `slots`.
bool queue_look(int root, const char *gpu, struct queue *out);
void queue_close(struct queue *q);

// ---- Tickets ----

// A ticket of the caller's that no process uses, or a new one, locked.
enum err ticket_take(struct queue *q, int *fd, char name[TICKET_NAME],
                     struct ticket *out, struct err_info *e);
void ticket_write(int fd, struct ticket *t);

struct ticket_found {
  uint32_t uid;
  struct ticket ticket;
};
// All that are whole, up to `room`; the count. `own` (NULL: none) is left out.
int ticket_read_all(struct queue *q, const char *own, struct ticket_found *out,
                    int room);

// What the policy is to know of it.
struct turn_entrant ticket_entrant(const struct ticket *t, uint32_t uid,
                                   uint64_t now_ns);

// ---- Slots ----

// Locks a slot of the practice lane, or all; -1: taken. Gives the slot back with
// `slot_leave`.
int slot_take(struct queue *q, enum turn_lane lane);
void slot_leave(struct queue *q);

// A number that is another after each change of a ticket or a slot.
uint64_t queue_news(struct queue *q);
void queue_tell(struct queue *q);

// ---- Sick GPUs ----

enum err sick_mark(struct queue *q, pid_t server, struct err_info *e);
// The server that cannot be ended, or 0.
pid_t sick_server(struct queue *q);

#endif
