// SPDX-License-Identifier: Apache-2.0
// Calls of a warp's lanes: frames of registers, and the local memory in which
// arguments and results travel (PTX ISA: "call", "ret").
#include "gpu/vgpu/run/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding_text.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/check/taint.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/count/slice.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/run/run.h"

enum { MAX_LOCAL_BYTES = 64 * 1024 };

// ---- Frames ----

struct vg_frame *vg_frame_new(struct vg_warp *w, const struct vg_code *c) {
  for (struct vg_frame **p = &w->free_frames; *p; p = &(*p)->next) {
    struct vg_frame *f = *p;
    if (f->capacity < c->register_bytes)
      continue;
    *p = f->next;
    f->code = c;
    f->caller = NULL;
    return f;
  }
  size_t bytes = (sizeof(struct vg_frame) + c->register_bytes + 63) & ~63ul;
  struct vg_frame *f = aligned_alloc(64, bytes);
  if (!f)
    abort(); // as xmalloc; register frames are small
  memset(f, 0, bytes);
  f->capacity = c->register_bytes;
  f->code = c;
  return f;
}

void vg_frame_free(struct vg_warp *w, struct vg_frame *f) {
  vg_taint_frame_free(w, f);
  vg_slice_frame_free(f);
  f->next = w->free_frames;
  w->free_frames = f;
}

// ---- Local memory ----

// Local memory of all lanes grows to `bytes` a lane; false at the limit.
bool vg_warp_grow_local(struct vg_warp *w, uint32_t bytes) {
  if (bytes <= w->local_bytes)
    return true;
  uint32_t limit = w->block->grid->code->frame_bytes + MAX_LOCAL_BYTES;
  if (bytes > limit)
    return false;
  uint32_t size = w->local_bytes * 2;
  size = size < bytes ? bytes : size;
  size = ((size > limit ? limit : size) + 15) & ~15u;
  uint8_t *local = try_malloc((size_t)size * VG_LANES);
  if (!local)
    return false;
  memset(local, 0, (size_t)size * VG_LANES);
  for (int l = 0; l < VG_LANES && w->local_bytes; l++)
    memcpy(local + (size_t)l * size, w->local + (size_t)l * w->local_bytes,
           w->local_bytes);
  if (w->block->grid->is_checked) {
    uint8_t *defined = xcalloc(VG_LANES, size);
    for (int l = 0; l < VG_LANES && w->local_defined; l++)
      memcpy(defined + (size_t)l * size,
             w->local_defined + (size_t)l * w->local_bytes, w->local_bytes);
    free(w->local_defined);
    w->local_defined = defined;
    free(w->local_notes); // those of before are forgotten
    w->local_notes = NULL;
  }
  free(w->local);
  w->local = local;
  w->local_bytes = size;
  return true;
}

// What is copied between frames is as defined as it was, and comes from where
// it came from.
static void copy_defined(struct vg_warp *w, int lane, uint32_t to,
                         uint32_t from, uint32_t bytes) {
  vg_slice_copy_local(w, lane, to, from, bytes);
  if (!w->local_defined)
    return;
  uint8_t *mine = w->local_defined + (size_t)lane * w->local_bytes;
  memcpy(mine + to, mine + from, bytes);
  if (!w->local_notes)
    return;
  uint32_t *notes = w->local_notes + (size_t)lane * w->local_bytes / 4;
  for (uint32_t b = 0; b < bytes; b += 4)
    notes[(to + b) / 4] = notes[(from + b) / 4];
}

// What the callee returned, for those lanes that are back.
void vg_warp_take_result(struct vg_warp *w, const struct vg_node *n,
                         vg_mask back) {
  const struct vg_call *call = n->callee->call;
  for (int l = 0; l < VG_LANES && call->has_result; l++) {
    uint8_t *mine = w->local + (size_t)l * w->local_bytes;
    uint32_t to = n->frame->local_base + call->result.to;
    uint32_t from = n->callee->local_base + n->callee->code->result_at;
    if (!(back >> l & 1))
      continue;
    memcpy(mine + to, mine + from, call->result.bytes);
    copy_defined(w, l, to, from, call->result.bytes);
  }
}

// ---- The call ----

// The function that calls itself: of those with several open calls the one with
// the most, which need not be the one whose call no longer fits. NULL: none.
static const struct vg_code *find_recursive(const struct vg_warp *w,
                                            const struct vg_code *callee,
                                            int *times) {
  const struct vg_module *m = w->block->grid->code->module;
  const struct vg_code *most = NULL;
  int *open = xcalloc((size_t)m->ptx->func_count, sizeof *open);
  open[callee - m->codes] = 1;
  *times = 0;
  for (const struct vg_node *n = w->leaf; n; n = n->parent) {
    const struct vg_code *c = n->callee ? n->callee->code : NULL;
    if (c && open[c - m->codes]++ > *times) {
      *times = open[c - m->codes] - 1;
      most = c;
    }
  }
  free(open);
  return most;
}

static void report_overflow(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m, const struct vg_code *callee) {
  int times;
  const struct vg_code *code = find_recursive(w, callee, &times);
  char name[64], text[160];
  struct vg_fault f = {.kind = ERR_OUT_OF_BOUNDS,
                       .space = code ? GPU_SPACE_LOCAL : GPU_SPACE_NONE,
                       .text = text};
  if (code)
    finding_demangle(code->func->name, name, sizeof name);
  if (code)
    snprintf(text, sizeof text,
             "the call stack overflows where %s has called itself %d times",
             name[0] ? name : "the function", times);
  else
    snprintf(text, sizeof text,
             "the call stack overflows: local variables of the functions that "
             "are open take more than its %d KiB",
             MAX_LOCAL_BYTES / 1024);
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      vg_report(w, i, l, &f);
}

void vg_warp_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_code *callee) {
  struct vg_frame *mine = w->leaf->frame;
  uint32_t base = mine->local_base + mine->code->frame_bytes;
  if (!vg_warp_grow_local(w, base + callee->frame_bytes)) {
    report_overflow(w, i, m, callee);
    // Where blocks run in parallel, which of them came first is chance.
    if (w->block->grid->is_alone || !w->block->grid->is_checked)
      vg_grid_abandon(w->block->grid);
    vg_warp_exit(w, i, m);
    return;
  }
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return;
  }
  w->block->executed += VG_CALL_COST;
  struct vg_frame *f = vg_frame_new(w, callee);
  f->local_base = base;
  f->call = i->call;
  f->caller = vg_site_of_call(mine, i, callee);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint8_t *local = w->local + (size_t)l * w->local_bytes;
    if (w->local_defined)
      memset(w->local_defined + (size_t)l * w->local_bytes + base, 0,
             callee->frame_bytes);
    vg_slice_clear_local(w, l, base, callee->frame_bytes);
    for (int a = 0; a < i->call->arg_count; a++) {
      const struct vg_copy *c = &i->call->args[a];
      memcpy(local + base + c->to, local + mine->local_base + c->from,
             c->bytes);
      copy_defined(w, l, base + c->to, mine->local_base + c->from, c->bytes);
    }
  }
  vg_warp_save(w);
  struct vg_node *caller = w->leaf;
  struct vg_node *n =
      vg_node_child(w, caller, m, callee->insns, NULL, caller->count);
  n->frame = f;
  caller->callee = f;
  vg_warp_load(w, n);
  vg_taint_frame_begin(w, f, m);
}
