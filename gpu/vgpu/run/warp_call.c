// SPDX-License-Identifier: Apache-2.0
// Calls of a warp's lanes: frames of registers, and the local memory in which
// arguments and results travel (PTX ISA: "call", "ret").
#include "gpu/vgpu/run/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

// ---- Frames ----

struct vg_frame *vg_frame_new(struct vg_warp *w, const struct vg_code *c) {
  for (struct vg_frame **p = &w->free_frames; *p; p = &(*p)->next) {
    struct vg_frame *f = *p;
    if (f->capacity < c->register_bytes)
      continue;
    *p = f->next;
    f->code = c;
    f->caller = NULL;
    f->control = 0;
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
  vg_on_frame_end(w, f);
  vg_slice_frame_free(f);
  f->next = w->free_frames;
  w->free_frames = f;
}

// ---- Local memory ----

// What each lane has of `old` bytes goes to where it has `size`; the rest is 0.
static void *widen(void *to, void *from, uint32_t old, uint32_t size) {
  memset(to, 0, (size_t)size * VG_LANES);
  for (int l = 0; l < VG_LANES && from; l++)
    memcpy((uint8_t *)to + (size_t)l * size, (uint8_t *)from + (size_t)l * old,
           old);
  free(from);
  return to;
}

bool vg_warp_grow_local(struct vg_warp *w, uint32_t bytes) {
  if (bytes <= w->local_bytes)
    return true;
  uint32_t limit = w->block->grid->code->frame_bytes + VG_STACK_BYTES;
  if (bytes > limit)
    return false;
  uint32_t old = w->local_bytes, size = old * 2;
  size = size < bytes ? bytes : size;
  size = ((size > limit ? limit : size) + 15) & ~15u;
  size_t all = (size_t)size * VG_LANES;
  uint8_t *local = try_malloc(all);
  if (!local)
    return false;
  w->local = widen(local, w->local, old, size);
  if (w->block->grid->is_checked)
    w->local_defined = widen(xmalloc(all), w->local_defined, old, size);
  if (w->local_notes) // a word for each four bytes
    w->local_notes = widen(xmalloc(all), w->local_notes, old, size);
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
             VG_STACK_BYTES / 1024);
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
  f->control = vg_slice_control(w->block->grid->slice);
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
  vg_on_frame(w, f, m);
}

// ---- Calls that run as one again ----

// The lanes' registers, and what is noted of them, from one frame into another
// of the same function.
static void move_lanes(struct vg_warp *w, struct vg_frame *to,
                       struct vg_frame *from, vg_mask m) {
  const struct vg_code *c = from->code;
  for (uint32_t at = 0; at < c->register_bytes;) {
    uint8_t width = c->widths[at / 4];
    uint8_t *mine = to->registers + at, *theirs = from->registers + at;
    if (width == 1)
      *(vg_mask *)(void *)mine =
          (*(vg_mask *)(void *)mine & ~m) | (*(vg_mask *)(void *)theirs & m);
    for (vg_mask rest = width > 1 ? m : 0; rest; rest &= rest - 1) {
      size_t lane = (size_t)__builtin_ctz(rest) * width;
      memcpy(mine + lane, theirs + lane, width);
    }
    if (width && (to->taint || from->taint))
      vg_on_hand_over(w, to, from, at, m);
    if (width && (to->slice || from->slice))
      vg_slice_move(w, to, from, at, m);
    at += width ? vg_row_bytes(width) : 4;
  }
}

static struct vg_node *caller_of(const struct vg_node *n) {
  struct vg_node *up = n->parent;
  while (up && up->callee != n->frame)
    up = up->parent;
  return up;
}

// All that runs below `other` runs in the frame that `up` has called.
static void take_over(struct vg_warp *w, struct vg_node *up,
                      struct vg_node *other) {
  struct vg_frame *from = other->callee;
  for (struct vg_node *l = w->leaves; l; l = l->next)
    for (struct vg_node *n = l; n; n = n->parent) {
      if (n->frame == from)
        n->frame = up->callee;
      if (n->parent == other) {
        n->parent = up;
        up->children++;
      }
    }
}

bool vg_warp_join_calls(struct vg_warp *w, struct vg_node *a,
                        struct vg_node *b) {
  if (a->frame == b->frame)
    return true;
  struct vg_node *up = caller_of(a), *other = caller_of(b);
  if (!up || !other || a->frame->code != b->frame->code ||
      !vg_warp_join_calls(w, up, other) || up->pc != other->pc ||
      up->parent != other->parent || up->reconverge != other->reconverge)
    return false;
  struct vg_frame *from = other->callee;
  move_lanes(w, up->callee, from, other->lanes);
  take_over(w, up, other);
  up->lanes |= other->lanes;
  if (up->parent)
    up->parent->children--;
  vg_frame_free(w, from);
  vg_node_free(w, other);
  return true;
}
