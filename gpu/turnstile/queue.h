// SPDX-License-Identifier: Apache-2.0
// One GPU's folder of a turnstile: its slots, its news, and whether it is sick.
#ifndef GPU_TURNSTILE_QUEUE_H
#define GPU_TURNSTILE_QUEUE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "gpu/turnstile/policy.h"

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
