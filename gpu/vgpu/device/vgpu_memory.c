// SPDX-License-Identifier: Apache-2.0
// The back end's memory: allocations, and the copies that are queued.
#include "gpu/vgpu/device/vgpu_memory.h"

#include <inttypes.h>

enum err vg_back_mem_alloc(struct gpu_device *base, size_t bytes,
                           unsigned flags, gpu_ptr *out, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_alloc_new(&d->memory, bytes, VG_ALLOC_MEMORY, true, out, e);
  if (err)
    return err;
  struct vg_alloc *a = vg_slot(&d->memory, *out >> VG_SLOT_BITS);
  a->is_taken = true;
  a->is_input = flags & GPU_ALLOC_INPUT; // guarded is every one of them
  return ERR_OK;
}

enum err vg_back_host_map(struct gpu_device *base, void *p, size_t bytes,
                          gpu_ptr *out, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_alloc_map(&d->memory, p, bytes, out, e);
  if (!err)
    vg_slot(&d->memory, *out >> VG_SLOT_BITS)->is_taken = true;
  return err;
}

enum err vg_back_mem_free(struct gpu_device *base, gpu_ptr p,
                          struct err_info *e) {
  struct vg_device *d = vg_own(base);
  if (!p)
    return ERR_OK;
  struct vg_alloc *a = vg_slot(&d->memory, p >> VG_SLOT_BITS);
  if (!a || a->kind != VG_ALLOC_MEMORY || p & (VG_WINDOW(1) - 1))
    return err_set(e, ERR_ARGUMENT,
                   "0x%" PRIx64 " is not the start of an allocation", p);
  if (!a->is_taken)
    return err_set(e, ERR_ARGUMENT, "0x%" PRIx64 " was freed before", p);
  a->is_taken = false;
  struct work *k = vg_work_new(WORK_FREE);
  k->to = p;
  vg_submit(d, 0, k);
  return ERR_OK;
}

enum err vg_check_range(struct vg_device *d, gpu_ptr p, uint64_t bytes,
                        const char *what, struct err_info *e) {
  struct vg_alloc *a = vg_slot(&d->memory, p >> VG_SLOT_BITS);
  uint64_t offset = p & (VG_WINDOW(1) - 1);
  bool is_mine = a && (a->is_taken || a->kind == VG_ALLOC_VARIABLE);
  if (!is_mine)
    return err_set(e, ERR_ARGUMENT, "%s: 0x%" PRIx64 " is %s", what, p,
                   a ? "freed memory" : "no device memory");
  if (offset > a->bytes || bytes > a->bytes - offset)
    return err_set(e, ERR_ARGUMENT,
                   "%s: %" PRIu64 " bytes at offset %" PRIu64
                   " do not fit an allocation of %" PRIu64 " bytes",
                   what, bytes, offset, a->bytes);
  return ERR_OK;
}

enum err vg_back_copy_in(struct gpu_device *base, gpu_ptr to, const void *from,
                         size_t bytes, gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_check_stream(d, stream, e);
  if (err || !bytes || (err = vg_check_range(d, to, bytes, "copy in", e)))
    return err;
  struct work *k = vg_work_new(WORK_COPY_IN);
  k->to = to;
  k->host_from = from;
  k->bytes = bytes;
  vg_submit(d, stream, k);
  return ERR_OK;
}

enum err vg_back_copy_out(struct gpu_device *base, void *to, gpu_ptr from,
                          size_t bytes, gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_check_stream(d, stream, e);
  if (err || !bytes || (err = vg_check_range(d, from, bytes, "copy out", e)))
    return err;
  struct work *k = vg_work_new(WORK_COPY_OUT);
  k->from = from;
  k->host_to = to;
  k->bytes = bytes;
  vg_submit(d, stream, k);
  return ERR_OK;
}

enum err vg_back_copy_on(struct gpu_device *base, gpu_ptr to, gpu_ptr from,
                         size_t bytes, gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_check_stream(d, stream, e);
  if (err || !bytes || (err = vg_check_range(d, to, bytes, "copy to", e)) ||
      (err = vg_check_range(d, from, bytes, "copy from", e)))
    return err;
  struct work *k = vg_work_new(WORK_COPY_ON);
  k->to = to;
  k->from = from;
  k->bytes = bytes;
  vg_submit(d, stream, k);
  return ERR_OK;
}

enum err vg_back_mem_set(struct gpu_device *base, const struct gpu_fill *f,
                         struct err_info *e) {
  struct vg_device *d = vg_own(base);
  if (f->width != 1 && f->width != 2 && f->width != 4)
    return err_set(e, ERR_ARGUMENT, "a width of 1, 2 or 4 bytes, not %u",
                   f->width);
  enum err err = vg_check_stream(d, f->stream, e);
  if (err || !f->count)
    return err;
  if (f->count > VG_MAX_ALLOC)
    return err_set(e, ERR_ARGUMENT, "%zu elements are more than any memory",
                   f->count);
  err = vg_check_range(d, f->to, (uint64_t)f->count * f->width, "set", e);
  if (err)
    return err;
  struct work *k = vg_work_new(WORK_SET);
  k->to = f->to;
  k->value = f->value;
  k->width = f->width;
  k->bytes = f->count;
  vg_submit(d, f->stream, k);
  return ERR_OK;
}
