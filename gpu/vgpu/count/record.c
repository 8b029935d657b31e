// SPDX-License-Identifier: Apache-2.0
// Requests recorded, until their room is full: the first ones are kept, so that
// what is missing is known to be the end.
#include "gpu/vgpu/count/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/launch.h"

struct vg_record *vg_record_new(void) {
  struct vg_record *r = xcalloc(1, sizeof *r);
  vg_record_clear(r);
  return r;
}

void vg_record_free(struct vg_record *r) {
  if (!r)
    return;
  free(r->packed);
  free(r);
}

void vg_record_clear(struct vg_record *r) {
  if (!r)
    return;
  memset(&r->what, 0, sizeof r->what);
  memset(r->file_ids, -1, sizeof r->file_ids);
}

// The last name stands for all that found no room.
static uint8_t file_of(struct vg_record *r, const struct ptx_module *m,
                       int file) {
  int n = 0;
  while (n < GPU_REQUEST_FILES - 1 && r->file_ids[n] >= 0 &&
         r->file_ids[n] != file)
    n++;
  if (n < GPU_REQUEST_FILES - 1 && file >= 0 && file < m->file_count &&
      r->file_ids[n] < 0) {
    r->file_ids[n] = file;
    snprintf(r->what.files[n], sizeof r->what.files[n], "%s", m->files[file]);
  }
  return (uint8_t)(n < GPU_REQUEST_FILES - 1 && r->file_ids[n] == file
                       ? n
                       : GPU_REQUEST_FILES - 1);
}

static bool make_room(struct vg_record *r) {
  if (r->what.bytes + sizeof(struct gpu_request) + 1 <= r->capacity)
    return true;
  if (r->capacity >= GPU_REQUEST_ROOM)
    return false;
  r->capacity = r->capacity ? 2 * r->capacity : 64 << 10;
  r->packed = xrealloc(r->packed, r->capacity);
  return true;
}

void vg_record_add(struct vg_warp *w, const struct vg_insn *i,
                   struct gpu_request *q) {
  const struct vg_grid *g = w->block->grid;
  struct vg_record *r = g->record;
  // What comes after one that found no room is not kept, even where it is small.
  if (r->what.kept != r->what.seen++ || !make_room(r))
    return;
  q->block = (uint32_t)w->block->number;
  q->warp = w->number;
  q->interval = w->block->barriers_passed;
  q->insn = vg_count_number(w, i);
  q->line = i->ptx->line;
  q->file = file_of(r, g->code->module->ptx, i->ptx->file);
  r->what.bytes += gpu_request_pack(q, r->packed + r->what.bytes);
  r->what.kept++;
}
