// SPDX-License-Identifier: Apache-2.0
// The server's turns at a GPU that several users share (gpu/turnstile). A command
// that needs one stays in the ring until it has come; the turn is given back when
// the device is idle. Without a queue each of these returns at once.
#ifndef GPU_REMOTE_TURN_H
#define GPU_REMOTE_TURN_H

#include "gpu/remote/server.h"

// Where GPUs are cut into MIG slices and turns are taken, this process gets one:
// CUDA shows but one of them to a process, and without a word always the first. Before
// the driver starts; nothing where CUDA_VISIBLE_DEVICES has chosen already.
void turn_choose_slice(void);

// Joins the queue of the device that is open, where WARPSHOP_TURNSTILE says so and
// the device has a UUID. The folder that must stay readable goes to `*folder`.
enum err turn_open(struct server *s, const char **folder, struct err_info *e);

enum turn_answer {
  TURN_GO,
  TURN_WAIT, // the command stays where it is
  TURN_DROP, // the user has stopped it while it waited: `e` says so
};
enum turn_answer turn_ask(struct server *s, const struct remote_command *c,
                          struct err_info *e);

// While there is no command to carry out: sleeps, or gives the turn back. False:
// it has done neither.
bool turn_rest(struct server *s, uint64_t quiet_ns);

// The turn is kept, also while the device is idle, until it is given back.
void turn_keep(struct server *s);
// ERR_TIMEOUT: it was kept too long and has been given back before.
enum err turn_give(struct server *s, struct err_info *e);

// ERR_NOMEM: more than a holder may have.
enum err turn_check_memory(struct server *s, uint64_t bytes,
                           struct err_info *e);
// `p` has so many bytes now; 0: it was freed.
void turn_note_memory(struct server *s, gpu_ptr p, uint64_t bytes);

#endif
