// SPDX-License-Identifier: Apache-2.0
// The queue before a GPU that several users share on one machine. No daemon: a
// folder of the machine's own, and locks that the kernel gives back whenever and
// however their holder ends.
//   ROOT/                  mode 1777, on no network's file system
//   ROOT/<GPU's UUID>/     one GPU's, or one MIG slice's
//     slots                its bytes are locked: one for a turn of the practice lane,
//                          all for one of the ranked lane. So the kernel sees to it
//                          that ranked turns are alone and practice turns not too many
//     <uid>-<noise>        a ticket: written by its owner alone, locked while it is
//                          in use; what stands in it orders who may try a lock
//     sick-<pid>-<start>   that server cannot be ended: leave this GPU alone
// It is cooperative: who does not ask is not held back (docs/security.md).
#ifndef GPU_TURNSTILE_TURNSTILE_H
#define GPU_TURNSTILE_TURNSTILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum turn_lane {
  TURN_PRACTICE, // several at once, time-sliced by the GPU
  TURN_RANKED,   // alone
};

enum turn_state { TURN_NONE, TURN_WAITING, TURN_HOLDING };

// Where one who waits stands (policy.h).
struct turn_standing {
  bool may_take;
  int place;   // 1: next
  int waiting; // tickets, this one counted
  int holders;
  double wait_s; // expected
};

// Of WARPSHOP_TURNSTILE, which names the folder or, as "1", stands for the usual
// one: /run/warpshop where an administrator has made it, else
// /tmp/warpshop-turnstile. NULL: no turns are taken here.
const char *turnstile_folder(void);
const char *turnstile_usual_folder(void);

// ---- Taking turns ----

struct turnstile; // a GPU's, with one ticket

// ERR_ARGUMENT: the folder is on a network's file system, or is none that several
// users can share. ERR_IO names what cannot be made or opened. ERR_DEVICE_LOST:
// the GPU is sick; the text names the process.
enum err turnstile_open(const char *root, const char *gpu,
                        struct turnstile **out, struct err_info *e);
void turnstile_close(struct turnstile *t); // NULL is fine

// Asks for a turn; nothing where one is asked for or held.
void turnstile_ask(struct turnstile *t, enum turn_lane lane);
// Looks whether it has come, and takes it. Cheap while nothing changes: to be
// called every 5 ms. `*out` gets the place in the queue.
bool turnstile_try(struct turnstile *t, struct turn_standing *out);
// Counts what the turn costs so far: to be called every 20 ms while it is held.
void turnstile_count(struct turnstile *t);
// Gives the turn back, or the ticket of one that waits.
void turnstile_leave(struct turnstile *t);
// Does anybody else wait for a turn here? Cheap while nothing changes.
bool turnstile_is_wanted(struct turnstile *t);
enum turn_state turnstile_state(const struct turnstile *t);
uint64_t turnstile_since_ns(const struct turnstile *t);

// How much GPU memory this holder has, for who looks at the queue.
void turnstile_note_memory(struct turnstile *t, uint64_t bytes);
// How much it may have of `total`.
uint64_t turnstile_budget(const struct turnstile *t, uint64_t total);

// ---- Pausing ----

// Instructors of a room may pause the ranked lane for its learners: by a file in the
// room's folder `return`, into which they alone write.
#define PAUSE_FILE "return/pause"
// Is it paused in the room that WARPSHOP_ROOM names?
bool pause_is_set(void);
bool pause_is_in(const char *room);

// ---- A GPU whose server cannot be ended ----

enum err turnstile_mark_sick(const char *root, const char *gpu, pid_t server,
                             struct err_info *e);

// ---- Looking at it ----

struct turnstile_ticket {
  const char *gpu;
  uint32_t uid;
  pid_t pid;
  enum turn_lane lane;
  enum turn_state state;
  uint64_t since_ns, used_ns, memory_bytes;
  int place; // of one that waits
  double wait_s;
};
struct turnstile_viewer {
  // Every GPU once, before its tickets. `sick`: the server that cannot be ended,
  // or 0.
  void (*gpu)(void *context, const char *gpu, pid_t sick);
  // Tickets in use: they wait, hold a turn, or keep memory.
  void (*ticket)(void *context, const struct turnstile_ticket *t);
  void *context;
};
// ERR_NOT_FOUND: there is no such folder.
enum err turnstile_view(const char *root, const struct turnstile_viewer *to,
                        struct err_info *e);

// Does that process take its turns at `gpu` here? Then it does not work while
// another has a ranked turn. Its ticket must belong to the user that it runs as.
bool turnstile_has(const char *root, const char *gpu, pid_t pid);

// Of these GPUs or slices the one with the fewest programs in its queue, none that is
// sick unless all are; of equals one by chance, so that many at once spread out.
int turnstile_choose(const char *root, const char *const *gpus, int count);

// Does a control daemon of MPS run here (CUDA_MPS_PIPE_DIRECTORY)? It shares a GPU
// without isolation: one client's fault is told to all.
bool turnstile_has_mps(void);

#endif
