// SPDX-License-Identifier: Apache-2.0
// The placement of a launch and its requests over the ring: what they were in
// the answer, the blocks or requests through the arena.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"

static enum err fetch(struct remote *r, enum remote_op op, size_t bytes,
                      void *out, struct err_info *e) {
  uint64_t offset = 0;
  void *block;
  enum err err = arena_alloc(r->options.arena, bytes, &block, e);
  if (err)
    return err;
  arena_holds(r->options.arena, block, bytes, &offset);
  err = remote_call(r, op, ARGS(offset, bytes), NO_TAIL, e);
  if (!err)
    memcpy(out, block, bytes);
  // A process that could not be reaped may still write to it: then it is lost.
  if (!r->has_died || !r->pid)
    arena_release(r->options.arena, block);
  return err;
}

enum err remote_placement(struct gpu_device *d, struct gpu_placement *out,
                          struct gpu_block_place **places, struct err_info *e) {
  struct remote *r = REMOTE(d);
  *places = NULL;
  enum err err = remote_call(r, REMOTE_OP_PLACEMENT, ARGS(0), NO_TAIL, e);
  if (err)
    return err;
  *out = r->segment->slots[REMOTE_SLOT_CALL].placement;
  *places = xcalloc((size_t)out->placed + 1, sizeof **places);
  if (out->placed)
    err = fetch(r, REMOTE_OP_BLOCK_PLACES, out->placed * sizeof **places,
                *places, e);
  if (err) {
    free(*places);
    *places = NULL;
  }
  return err;
}

enum err remote_requests(struct gpu_device *d, struct gpu_requests *out,
                         uint8_t **packed, struct err_info *e) {
  struct remote *r = REMOTE(d);
  *packed = NULL;
  enum err err = remote_call(r, REMOTE_OP_REQUESTS, ARGS(0), NO_TAIL, e);
  if (err)
    return err;
  *out = r->segment->slots[REMOTE_SLOT_CALL].requests;
  *packed = xcalloc(out->bytes + 1, 1);
  if (out->bytes)
    err = fetch(r, REMOTE_OP_REQUEST_BYTES, out->bytes, *packed, e);
  if (err) {
    free(*packed);
    *packed = NULL;
  }
  return err;
}
