// SPDX-License-Identifier: Apache-2.0
// A launch that used up its budget: which thread is told of, the loop that it
// is in, and who waits for it meanwhile. Whether it would have ended nobody
// knows here; what never does is proven in stuck.c.

#include "gpu/vgpu/grid/grid.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/run/run.h"

static const struct vg_code *code_of(const struct vg_grid *g,
                                     const struct vg_insn *at) {
  const struct vg_module *m = g->code->module;
  for (int i = 0; i < m->ptx->func_count; i++) {
    const struct vg_code *c = &m->codes[i];
    if (c->insns && at >= c->insns && at < c->insns + c->insn_count)
      return c;
  }
  return NULL;
}

// The branch that closes the smallest loop around `at`; `at` itself where
// there is none, or the branch has no line.
static const struct vg_insn *loop_around(const struct vg_grid *g,
                                         const struct vg_insn *at) {
  const struct vg_code *c = code_of(g, at);
  const struct vg_insn *loop = NULL;
  for (int n = 0; c && n < c->insn_count; n++) {
    const struct vg_insn *i = &c->insns[n];
    bool is_around = i->ptx && i->ptx->op == PTX_OP_BRA && i->ptx->line > 0 &&
                     i->target && i->target <= at && at <= i;
    if (is_around && (!loop || i - i->target < loop - loop->target))
      loop = i;
  }
  return loop ? loop : at;
}

// Those at a barrier of the block, which wait for the thread that runs on.
static void report_waiting(struct vg_block *b) {
  struct vg_fault f = {
      .kind = ERR_TIMEOUT,
      .severity = GPU_NOTE,
      .text = "meanwhile these threads wait at a barrier for the thread that "
              "still runs",
  };
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    for (int l = 0; l < VG_LANES && w->barrier >= 0; l++)
      if (w->live >> l & 1)
        vg_report(w, w->barrier_at, l, &f);
  }
}

// The warp of the block that has run the longest and can run on; NULL where
// there is none.
static struct vg_warp *find_longest(struct vg_block *b,
                                    const struct vg_insn **place, int *whose) {
  struct vg_warp *longest = NULL;
  uint64_t most = 0;
  *place = b->grid->code->insns;
  *whose = 0;
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    int lane;
    uint64_t count;
    if (!w->live || w->barrier >= 0)
      continue;
    const struct vg_insn *at = vg_warp_place(w, &lane, &count);
    if (longest && count <= most)
      continue;
    longest = w;
    *place = at;
    *whose = lane;
    most = count;
  }
  return longest;
}

// The thread was at `at`: `text`, and its loop.
static void report(struct vg_warp *w, const struct vg_insn *at, int lane,
                   const char *text) {
  struct vg_block *b = w->block;
  const struct vg_insn *loop = loop_around(b->grid, at);
  char whole[200];
  struct vg_fault f = {.kind = ERR_TIMEOUT, .text = whole};
  if (loop != at)
    snprintf(whole, sizeof whole, "%s, in the loop of line %d", text,
             loop->ptx->line);
  else
    snprintf(whole, sizeof whole, "%s, here", text);
  vg_report(w, loop, lane, &f);
  report_waiting(b);
  vg_grid_abandon(b->grid);
}

void vg_timeout_report(struct vg_warp *w, const struct vg_insn *at, int lane) {
  char text[100];
  snprintf(text, sizeof text,
           "this thread was still running after %" PRIu64 " instructions",
           w->block->grid->budget);
  report(w, at, lane, text);
}

void vg_timeout_blame(struct vg_block *b) {
  const struct vg_insn *place;
  int whose;
  struct vg_warp *longest = find_longest(b, &place, &whose);
  char text[160];
  snprintf(text, sizeof text,
           "%s together used up %" PRIu64 " units of work: this one %s",
           b->grid->block_count == 1 ? "the threads of this block"
                                     : "all threads of the launch",
           b->grid->grid_budget,
           longest ? "was still running"
                   : "had ended or had come to a barrier");
  report(longest ? longest : b->warps, place, whose, text);
}

void vg_timeout_stopped(struct vg_block *b) {
  struct vg_fault f = {
      .kind = ERR_TIMEOUT,
      .severity = GPU_NOTE,
      .text = "the kernel was stopped while this thread ran here",
  };
  const struct vg_insn *place;
  int whose;
  struct vg_warp *longest = find_longest(b, &place, &whose);
  if (longest && !atomic_exchange(&b->grid->is_stop_told, true))
    vg_report(longest, loop_around(b->grid, place), whose, &f);
}
