// SPDX-License-Identifier: Apache-2.0
// When a launch, a block and a host thread begin and end: what each part of
// this room makes of it.
#include "gpu/vgpu/check/check.h"

#include <stdlib.h>

#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/order.h"
#include "gpu/vgpu/check/race_shared.h"
#include "gpu/vgpu/check/spy.h"
#include "gpu/vgpu/check/taint.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/launch.h"

// ---- Launches ----

bool vg_on_launch(struct vg_grid *g, bool is_exact) {
  if (!g->is_checked)
    return true;
  if (g->code->is_ordered)
    g->order = vg_order_new();
  return g->flat || vg_watch_begin(g, is_exact);
}

// Whether a launch that turns out suspicious can be run again.
static bool may_spy(const struct vg_grid *g) {
  return g->watch && !g->watch->is_exact;
}

bool vg_is_suspicious(const struct vg_grid *g) {
  return may_spy(g) &&
         atomic_load_explicit(&g->watch->is_suspicious, memory_order_relaxed);
}

void vg_on_again(struct vg_grid *g) {
  vg_watch_again(g);
  vg_findings_clear(g->findings);
}

void vg_on_end(struct vg_grid *g) {
  if (!g->is_checked)
    vg_watch_trust(g);
  vg_watch_end(g);
  vg_order_free(g->order);
  g->order = NULL;
}

// ---- Blocks ----

void vg_on_block_new(struct vg_block *b) {
  struct vg_grid *g = b->grid;
  if (g->is_checked && !g->order)
    b->own_order = vg_order_new();
  b->order = g->order ? g->order : b->own_order;
  if (g->is_checked && g->shared_bytes) {
    b->shadow =
        vg_shadow_new(g->shared_bytes, g->code->shared_shift, !may_spy(g));
    b->spy = vg_shadow_spy(b->shadow);
  }
}

void vg_on_block_free(struct vg_block *b) {
  vg_shadow_free(b->shadow);
  vg_taint_free(b);
  vg_order_free(b->own_order);
  free(b->known);
  free(b->tags);
}

void vg_on_block(struct vg_block *b) {
  vg_order_begin(b);
  if (b->shadow)
    vg_shadow_clear(b->shadow, b->grid->code->module->has_reserved
                                   ? b->shared_bytes - VG_RESERVED_BYTES
                                   : b->shared_bytes);
  vg_taint_begin(b);
}

void vg_on_block_end(struct vg_block *b) {
  vg_spy_block_ended(b);
}

void vg_on_worker_end(struct vg_worker *k) {
  vg_spy_free(k->spy);
}
