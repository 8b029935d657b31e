// SPDX-License-Identifier: Apache-2.0
// A launch that used up its budget of instructions: which thread is told of,
// the loop that it is in, and who waits for it meanwhile.
#include "gpu/vgpu/engine.h"

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
              "does not end",
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

void vg_timeout_report(struct vg_warp *w, const struct vg_insn *at, int lane,
                       const char *text) {
  struct vg_block *b = w->block;
  struct vg_fault f = {.kind = ERR_TIMEOUT, .text = text};
  vg_report(w, loop_around(b->grid, at), lane, &f);
  report_waiting(b);
  vg_grid_abandon(b->grid);
}

void vg_timeout_blame(struct vg_block *b) {
  const struct vg_insn *place;
  int whose;
  struct vg_warp *longest = find_longest(b, &place, &whose);
  if (!longest)
    vg_timeout_report(b->warps, place, 0,
                      "the kernel takes too long: its blocks together used up "
                      "their budget of instructions, when this one had ended "
                      "or had come to a barrier");
  else if (b->grid->block_count == 1)
    vg_timeout_report(longest, place, whose,
                      "the kernel does not end: the threads of its block "
                      "together used up their budget of instructions, this one "
                      "here");
  else
    vg_timeout_report(longest, place, whose,
                      "the kernel does not end: all its threads together used "
                      "up their budget of instructions, this one here");
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
