// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces over the ring.
#include <string.h>

#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"

enum err remote_array_create(struct gpu_device *d,
                             const struct gpu_array_desc *desc, gpu_handle *out,
                             struct err_info *e) {
  return remote_make(d, REMOTE_OP_ARRAY_CREATE, ARGS(0),
                     (struct remote_bytes){desc, sizeof *desc}, out, e);
}

enum err remote_array_destroy(struct gpu_device *d, gpu_handle array,
                              struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_ARRAY_DESTROY, ARGS(array), e);
}

static enum err send_copy(struct gpu_device *d, const struct gpu_array_copy *c,
                          uint64_t place, struct err_info *e) {
  return remote_queue(
      REMOTE(d), REMOTE_OP_ARRAY_COPY,
      ARGS(c->array, c->to_array, c->host != NULL, place, c->bytes, c->stream),
      e);
}

// Memory outside of the arena goes through a block of it; the copy is done when
// the call returns.
static enum err staged_copy(struct gpu_device *d,
                            const struct gpu_array_copy *c,
                            struct err_info *e) {
  struct remote *r = REMOTE(d);
  void *block;
  uint64_t offset = 0;
  enum err err = arena_alloc(r->options.arena, c->bytes, &block, e);
  if (err)
    return err;
  arena_holds(r->options.arena, block, c->bytes, &offset);
  if (c->to_array)
    memcpy(block, c->host, c->bytes);
  err = send_copy(d, c, offset, e);
  if (!err)
    err = remote_wait_staged(r, c->stream, e);
  if (!err && !c->to_array)
    memcpy(c->host, block, c->bytes);
  // A process that could not be reaped may still write to it: then it is lost.
  if (!r->has_died || !r->pid)
    arena_release(r->options.arena, block);
  return err;
}

enum err remote_array_copy(struct gpu_device *d, const struct gpu_array_copy *c,
                           struct err_info *e) {
  uint64_t offset;
  if (!c->host)
    return send_copy(d, c, c->device, e);
  if (arena_holds(REMOTE(d)->options.arena, c->host, c->bytes, &offset))
    return send_copy(d, c, offset, e);
  return staged_copy(d, c, e);
}

enum err remote_texture_create(struct gpu_device *d,
                               const struct gpu_texture_desc *desc,
                               uint64_t *out, struct err_info *e) {
  return remote_make(d, REMOTE_OP_TEXTURE_CREATE, ARGS(0),
                     (struct remote_bytes){desc, sizeof *desc}, out, e);
}

enum err remote_texture_destroy(struct gpu_device *d, uint64_t texture,
                                struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_TEXTURE_DESTROY, ARGS(texture), e);
}

enum err remote_surface_create(struct gpu_device *d, gpu_handle array,
                               uint64_t *out, struct err_info *e) {
  return remote_make(d, REMOTE_OP_SURFACE_CREATE, ARGS(array), NO_TAIL, out, e);
}

enum err remote_surface_destroy(struct gpu_device *d, uint64_t surface,
                                struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_SURFACE_DESTROY, ARGS(surface), e);
}
