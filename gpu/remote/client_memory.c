// SPDX-License-Identifier: Apache-2.0
// Memory and copies: those of the arena where they lie, and pinned where much is
// copied; any other through a block of the arena.
#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"

#include <string.h>

#include "base/progress.h"

// Copies from here on make their memory pinned, and so do smaller ones when
// as much as MUCH_TRAFFIC went through a piece: pinning one costs 5 ms.
#define LARGE_COPY   ((uint64_t)4 << 20)
#define MUCH_TRAFFIC ((uint64_t)16 << 20)
#define STAGE_BYTES  ((size_t)32 << 20)

enum err remote_mem_alloc(struct gpu_device *d, size_t bytes, unsigned flags,
                          gpu_ptr *out, struct err_info *e) {
  return remote_make(d, REMOTE_OP_ALLOC, ARGS(bytes, flags), NO_TAIL, out, e);
}

enum err remote_mem_free(struct gpu_device *d, gpu_ptr p, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_FREE, ARGS(p), e);
}

// Has the server pin one piece of the arena. Where that is not possible, the
// copy goes on without.
static void pin_piece(struct remote *r, uint64_t piece) {
  if (arena_pin(r->options.arena, piece * ARENA_PIECE, 1, NULL))
    return;
  enum err err = remote_queue(r, REMOTE_OP_REGISTER,
                              ARGS(piece * ARENA_PIECE, ARENA_PIECE), NULL);
  if (err)
    arena_unpin(r->options.arena, piece * ARENA_PIECE, 1);
  else
    r->traffic[piece] = PIECE_PINNED;
}

static void pin_for_copy(struct remote *r, uint64_t offset, uint64_t bytes) {
  if (!remote_is_ready(r) || !r->segment->can_register || !bytes)
    return;
  uint64_t last = (offset + bytes - 1) / ARENA_PIECE;
  for (uint64_t i = offset / ARENA_PIECE; i <= last; i++) {
    if (r->traffic[i] == PIECE_PINNED)
      continue;
    r->traffic[i] += bytes;
    if (bytes >= LARGE_COPY || r->traffic[i] >= MUCH_TRAFFIC)
      pin_piece(r, i);
  }
}

static enum err stage_open(struct remote *r, size_t bytes,
                           struct remote_stage *out, struct err_info *e) {
  out->bytes = bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
  enum err err = arena_alloc(r->options.arena, out->bytes, &out->block, e);
  if (!err)
    arena_holds(r->options.arena, out->block, out->bytes, &out->offset);
  return err;
}

// A process that could not be reaped may still write to it: then it is lost.
void remote_stage_close(struct remote *r, struct remote_stage *s) {
  if (!r->has_died || !r->pid)
    arena_release(r->options.arena, s->block);
}

static enum err staged_copy_in(struct remote *r, gpu_ptr to, const void *from,
                               size_t bytes, gpu_handle stream,
                               struct err_info *e) {
  struct remote_stage s;
  enum err err = stage_open(r, bytes, &s, e);
  if (err)
    return err;
  struct progress progress;
  progress_begin(&progress, "copying", (double)bytes);
  progress.is_bytes = true;
  for (size_t at = 0; at < bytes && !err; at += s.bytes) {
    progress_step(&progress, (double)at, NULL);
    size_t part = bytes - at < s.bytes ? bytes - at : s.bytes;
    memcpy(s.block, (const char *)from + at, part);
    err = remote_queue(r, REMOTE_OP_COPY_IN,
                       ARGS(to + at, s.offset, part, stream), e);
    if (!err)
      err = remote_wait_staged(r, stream, e);
  }
  progress_end(&progress);
  remote_stage_close(r, &s);
  return err;
}

static enum err staged_copy_out(struct remote *r, void *to, gpu_ptr from,
                                size_t bytes, gpu_handle stream,
                                struct err_info *e) {
  struct remote_stage s;
  enum err err = stage_open(r, bytes, &s, e);
  if (err)
    return err;
  struct progress progress;
  progress_begin(&progress, "copying", (double)bytes);
  progress.is_bytes = true;
  for (size_t at = 0; at < bytes && !err; at += s.bytes) {
    progress_step(&progress, (double)at, NULL);
    size_t part = bytes - at < s.bytes ? bytes - at : s.bytes;
    err = remote_queue(r, REMOTE_OP_COPY_OUT,
                       ARGS(s.offset, from + at, part, stream), e);
    if (!err)
      err = remote_wait_staged(r, stream, e);
    if (!err)
      memcpy((char *)to + at, s.block, part);
  }
  progress_end(&progress);
  remote_stage_close(r, &s);
  return err;
}

enum err remote_copy_in(struct gpu_device *d, gpu_ptr to, const void *from,
                        size_t bytes, gpu_handle stream, struct err_info *e) {
  struct remote *r = REMOTE(d);
  uint64_t offset;
  if (!bytes)
    return ERR_OK;
  if (!arena_holds(r->options.arena, from, bytes, &offset))
    return staged_copy_in(r, to, from, bytes, stream, e);
  pin_for_copy(r, offset, bytes);
  r->copied_bytes += bytes;
  return remote_queue(r, REMOTE_OP_COPY_IN, ARGS(to, offset, bytes, stream), e);
}

enum err remote_copy_out(struct gpu_device *d, void *to, gpu_ptr from,
                         size_t bytes, gpu_handle stream, struct err_info *e) {
  struct remote *r = REMOTE(d);
  uint64_t offset;
  if (!bytes)
    return ERR_OK;
  if (!arena_holds(r->options.arena, to, bytes, &offset))
    return staged_copy_out(r, to, from, bytes, stream, e);
  pin_for_copy(r, offset, bytes);
  r->copied_bytes += bytes;
  return remote_queue(r, REMOTE_OP_COPY_OUT, ARGS(offset, from, bytes, stream),
                      e);
}

enum err remote_copy_on(struct gpu_device *d, gpu_ptr to, gpu_ptr from,
                        size_t bytes, gpu_handle stream, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_COPY_ON,
                      ARGS(to, from, bytes, stream), e);
}

enum err remote_mem_set(struct gpu_device *d, const struct gpu_fill *f,
                        struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_SET,
                      ARGS(f->to, f->value, f->width, f->count, f->stream), e);
}

enum err remote_host_register(struct gpu_device *d, void *p, size_t bytes,
                              struct err_info *e) {
  struct remote *r = REMOTE(d);
  uint64_t offset;
  if (!arena_holds(r->options.arena, p, bytes, &offset) || !bytes)
    return err_set(e, ERR_ARGUMENT, "only arrays can be pinned");
  enum err err = remote_ensure_ready(r, e);
  uint64_t last = (offset + bytes - 1) / ARENA_PIECE;
  for (uint64_t i = offset / ARENA_PIECE; i <= last && !err; i++)
    if (r->segment->can_register && r->traffic[i] != PIECE_PINNED)
      pin_piece(r, i);
  return err;
}

enum err remote_host_map(struct gpu_device *d, void *p, size_t bytes,
                         gpu_ptr *out, struct err_info *e) {
  uint64_t offset;
  *out = 0;
  enum err err = remote_host_register(d, p, bytes, e);
  if (err)
    return err;
  arena_holds(REMOTE(d)->options.arena, p, bytes, &offset);
  return remote_make(d, REMOTE_OP_HOST_MAP, ARGS(offset, bytes), NO_TAIL, out,
                     e);
}
