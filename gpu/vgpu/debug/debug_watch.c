// SPDX-License-Identifier: Apache-2.0
// Memory that a debugged launch stops at when it changes. Only stores, atomics and
// discards change memory, so all other steps cost nothing.
#include "gpu/vgpu/debug/debug_watch.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/debug/debug.h"
#include "gpu/vgpu/debug/debug_show.h"
#include "gpu/vgpu/memory/memory.h"

// The watched bytes, NULL while they do not exist.
static const uint8_t *bytes_of(const struct vg_debug *d,
                               const struct vg_debug_watch *x) {
  struct vg_focus f = {.block = x->block, .warp = x->warp, .lane = x->lane};
  return vg_debug_peek(d, &f, x->address, x->bytes);
}

// Is the value there one that something wrote?
static bool is_written(const struct vg_debug *d,
                       const struct vg_debug_watch *x) {
  struct vg_focus f = {.block = x->block, .warp = x->warp, .lane = x->lane};
  struct vg_warp *w = vg_debug_warp(d, &f);
  return !w ||
         !vg_undefined_bytes(w, x->lane, PTX_GENERIC, x->address, x->bytes);
}

void vg_debug_watch_note(struct vg_debug *d, struct vg_debug_watch *x) {
  const uint8_t *p = bytes_of(d, x);
  x->is_known = p != NULL;
  x->was_written = !p || is_written(d, x);
  if (p)
    memcpy(x->old, p, x->bytes);
}

static bool has_watches(const struct vg_debug *d) {
  for (int i = 0; i < VG_MAX_WATCHES; i++)
    if (d->watches[i].number)
      return true;
  return false;
}

static uint64_t window_of(int space) {
  return space == PTX_SHARED  ? VG_WINDOW(VG_SLOT_SHARED)
         : space == PTX_LOCAL ? VG_WINDOW(VG_SLOT_LOCAL)
                              : 0;
}

void vg_debug_watch_before(struct vg_debug *d, struct vg_warp *w,
                           struct vg_debug_watched *out) {
  const struct vg_insn *i = w->pc;
  out->warp = NULL;
  bool is_store =
      i->ptx && (i->ptx->op == PTX_OP_ST || i->ptx->op == PTX_OP_ATOM ||
                 i->ptx->op == PTX_OP_RED || i->ptx->op == PTX_OP_DISCARD);
  if (!is_store || !has_watches(d))
    return;
  out->block = w->block->number;
  out->number = w->number;
  out->lanes = w->active;
  for (int n = 0; n < VG_MAX_WATCHES; n++)
    if (d->watches[n].number)
      vg_debug_watch_note(d, &d->watches[n]);
  out->warp = w;
  vg_addresses(w, i, out->at);
  for (int l = 0; l < VG_LANES; l++)
    out->at[l] += window_of(i->space);
  out->bytes = (uint32_t)i->bytes * (i->vec ? i->vec : 1u);
}

// The lane whose store reached the watched bytes; the last one wins.
static int lane_of(const struct vg_debug_watched *b,
                   const struct vg_debug_watch *x) {
  int found = b->lanes ? __builtin_ctz(b->lanes) : 0;
  for (int l = 0; l < VG_LANES; l++)
    if (b->lanes >> l & 1 && b->at[l] < x->address + x->bytes &&
        x->address < b->at[l] + b->bytes)
      found = l;
  return found;
}

int vg_debug_watch_after(struct vg_debug *d,
                         const struct vg_debug_watched *before) {
  if (!before->warp)
    return 0;
  for (int n = 0; n < VG_MAX_WATCHES; n++) {
    struct vg_debug_watch *x = &d->watches[n];
    const uint8_t *p = x->number && x->is_known ? bytes_of(d, x) : NULL;
    if (!p || !memcmp(p, x->old, x->bytes))
      continue;
    vg_show_change(d, x, is_written(d, x) ? p : NULL);
    d->focus =
        (struct vg_focus){before->block, before->number, lane_of(before, x)};
    return x->number;
  }
  return 0;
}
