// SPDX-License-Identifier: Apache-2.0
// The debugger over the ring: commands are queued like launches, answers lie
// in the arena.
#include <stdio.h>
#include <string.h>

#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"

static enum err need_virtual(const struct remote *r, struct err_info *e) {
  if (!r->is_cuda)
    return ERR_OK;
  return err_set(e, ERR_UNSUPPORTED,
                 "a real GPU cannot be stepped: the launch is stepped on the "
                 "virtual GPU in its place");
}

enum err remote_debug_begin(struct gpu_device *d, const struct gpu_launch *l,
                            gpu_handle twin, struct err_info *e) {
  enum err err = need_virtual(REMOTE(d), e);
  return err ? err
             : remote_send_launch(REMOTE(d), REMOTE_OP_DEBUG_BEGIN, l, twin, e);
}

enum err remote_debug_command(struct gpu_device *d, const char *text,
                              struct err_info *e) {
  struct remote_message m = {.op = REMOTE_OP_DEBUG_COMMAND,
                             .slot = REMOTE_NO_SLOT,
                             .tail = {text, strlen(text) + 1}};
  enum err err = need_virtual(REMOTE(d), e);
  return err ? err : remote_send(REMOTE(d), &m, e);
}

enum err remote_debug_answer(struct gpu_device *d, struct gpu_debug_stop *stop,
                             char *text, size_t room, struct err_info *e) {
  struct remote *r = REMOTE(d);
  struct arena *arena = r->options.arena;
  struct remote_debug_answer *a;
  void *block;
  uint64_t offset = 0;
  enum err err = need_virtual(r, e);
  if (err || (err = arena_alloc(arena, sizeof *a, &block, e)))
    return err;
  a = block;
  memset(a, 0, sizeof *a);
  arena_holds(arena, block, sizeof *a, &offset);
  err = remote_call(r, REMOTE_OP_DEBUG_ANSWER, ARGS(offset), NO_TAIL, e);
  *stop = a->stop;
  stop->file[sizeof stop->file - 1] = 0;
  stop->function[sizeof stop->function - 1] = 0;
  a->text[sizeof a->text - 1] = 0;
  snprintf(text, room, "%s", a->text);
  // A process that could not be reaped may still write to it: then it is lost.
  if (!r->has_died || !r->pid)
    arena_release(arena, block);
  return err;
}

enum err remote_debug_end(struct gpu_device *d, struct err_info *e) {
  enum err err = need_virtual(REMOTE(d), e);
  return err ? err : remote_queue(REMOTE(d), REMOTE_OP_DEBUG_END, ARGS(0), e);
}
