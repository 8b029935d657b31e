// SPDX-License-Identifier: Apache-2.0
// Theory of operation. While all warps of a block stand at one instruction, it
// is fetched once and run for all of them; barriers are passed as they are met.
// Lanes may part at a branch whose two ways meet again soon, without a loop, a
// barrier or anything else that waits in between (VG_GANG_PART): the ways are
// run one after the other under masks, and a stack keeps who waits where
// (Fung et al., MICRO 2007). At anything else that not all do alike the gang
// ends: since its warps' registers are where they always are, they go on by
// themselves from that instruction.
//
// Only kernels whose blocks cannot see each other's work run in gangs, so the
// order of warps shows nowhere.
#include "gpu/vgpu/grid/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/code/code.h"
#include "gpu/vgpu/run/run.h"

enum { MAX_WARPS = 32, MAX_LEVELS = 32, POLL_EVERY = 1 << 12 };

// ---- A gang at work ----

struct level {
  const struct vg_insn *meet, *other; // `other` has lanes to run yet, or NULL
  vg_mask all[MAX_WARPS], others[MAX_WARPS];
  uint32_t from, to; // where those of `all` lie, as below
  bool is_whole;
};

struct gang {
  struct vg_block *block;
  struct vg_warp *warps;
  uint32_t count;
  const struct vg_insn *pc;
  uint32_t ran;
  uint32_t from, to; // warps with lanes to run lie there
  bool is_whole;     // and no thread of any of them is missing
  int depth;
  struct level levels[MAX_LEVELS];
};

static vg_mask guarded(const struct vg_warp *w, const struct vg_insn *i) {
  return w->active & (*(const vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
}

// Lanes whose member masks differ go their own ways.
static bool has_one_mask(const struct vg_warp *w, const struct vg_insn *i) {
  enum ptx_op op = (enum ptx_op)i->ptx->op;
  if (op != PTX_OP_SHFL && op != PTX_OP_VOTE && op != PTX_OP_MATCH &&
      op != PTX_OP_REDUX && op != PTX_OP_ELECT)
    return true;
  const uint32_t *masks =
      VG_AT(w, i->src[op == PTX_OP_SHFL ? 3 : op != PTX_OP_ELECT]);
  uint32_t first = masks[__builtin_ctz(w->live)];
  for (int l = 0; l < VG_LANES; l++)
    if (w->live >> l & 1 && masks[l] != first)
      return false;
  return true;
}

// Lanes have parted or met, or start: which warps have some to run now?
static void look_who_runs(struct gang *g) {
  uint32_t from = g->to, to = g->from;
  bool is_whole = true;
  for (uint32_t n = g->from; n < g->to; n++) {
    if (!g->warps[n].active)
      continue;
    is_whole &= g->warps[n].active == VG_ALL && (from == g->to || to == n);
    from = from == g->to ? n : from;
    to = n + 1;
  }
  g->is_whole = is_whole;
  g->from = from;
  g->to = to;
}

static void run_each(struct gang *g, const struct vg_insn *i) {
  for (uint32_t n = g->from; n < g->to; n++) {
    struct vg_warp *w = &g->warps[n];
    vg_mask m = guarded(w, i);
    if (w->is_careful)
      vg_check_run(w, i, m);
    else if (m)
      i->run(w, i, m);
  }
}

// The first warp computes what all have: the bank is theirs in common.
static void run_once(struct gang *g, const struct vg_insn *i) {
  struct vg_warp *w = g->warps;
  vg_mask m = guarded(w, i);
  if (m)
    i->run(w, i, m);
}

// Are there warps with undefined values in registers? They go on by themselves,
// once no lanes are parted.
static bool is_careful(const struct gang *g) {
  bool any = false;
  for (uint32_t n = g->from; n < g->to; n++)
    any |= g->warps[n].is_careful;
  return any;
}

static void run_all(struct gang *g, const struct vg_insn *i) {
  if (i->is_once)
    run_once(g, i);
  else if (i->together && g->is_whole && !(g->depth && is_careful(g)))
    i->together(g->warps + g->from, g->to - g->from, i);
  else
    run_each(g, i);
}

// The lanes at the top of the stack have come to where they meet the others:
// those run now, or all together.
static void meet(struct gang *g) {
  struct level *top = &g->levels[g->depth - 1];
  const vg_mask *who = top->other ? top->others : top->all;
  for (uint32_t n = top->from; n < top->to; n++)
    g->warps[n].active = who[n];
  if (top->other) {
    g->pc = top->other;
    top->other = NULL;
    g->from = top->from;
    g->to = top->to;
    look_who_runs(g);
    return;
  }
  g->depth--;
  g->from = top->from;
  g->to = top->to;
  g->is_whole = top->is_whole;
}

// Lanes that branch straight to where they meet the others just wait there.
static void part(struct gang *g, const struct vg_insn *i,
                 const vg_mask taken[MAX_WARPS]) {
  struct level *top = &g->levels[g->depth++];
  bool is_straight = i->target == i->reconverge;
  top->meet = i->reconverge;
  top->other = i + 1 != top->meet && !is_straight ? i + 1 : NULL;
  top->from = g->from;
  top->to = g->to;
  top->is_whole = g->is_whole;
  for (uint32_t n = g->from; n < g->to; n++) {
    struct vg_warp *w = &g->warps[n];
    top->all[n] = w->active;
    top->others[n] = w->active & ~taken[n];
    w->active = is_straight ? top->others[n] : taken[n];
  }
  g->pc = is_straight ? i + 1 : i->target;
  look_who_runs(g);
}

// False when the gang cannot go on here.
static bool branch(struct gang *g, const struct vg_insn *i) {
  if (vg_in_uniform(i->guard) && !g->depth) {
    g->pc = guarded(g->warps, i) ? i->target : i + 1;
    return true;
  }
  vg_mask taken[MAX_WARPS] = {0}, some = 0, some_not = 0;
  for (uint32_t n = g->from; n < g->to; n++) {
    if (g->warps[n].is_careful)
      vg_on_guard(&g->warps[n], i);
    taken[n] = guarded(&g->warps[n], i);
    some |= taken[n];
    some_not |= g->warps[n].active & ~taken[n];
  }
  if (!some)
    g->pc = i + 1;
  else if (!some_not)
    g->pc = i->target;
  else if (i->gang == VG_GANG_PART && g->depth < MAX_LEVELS)
    part(g, i, taken);
  else
    return false;
  return true;
}

// A barrier that all live lanes have come to.
static bool pass_barrier(struct gang *g, const struct vg_insn *i) {
  bool all_come = !g->depth && vg_is_unguarded(i); // nobody is parted
  for (uint32_t n = 0; n < g->count && !all_come; n++)
    if (guarded(&g->warps[n], i) != g->warps[n].live)
      return false;
  vg_on_barrier(g->block);
  g->block->barriers_passed++;
  g->pc = i + 1;
  return true;
}

// The kernel's end, for all lanes or for none.
static bool end(struct gang *g, const struct vg_insn *i, bool *has_ended) {
  vg_mask some = 0, some_not = 0;
  for (uint32_t n = 0; n < g->count; n++) {
    vg_mask m = guarded(&g->warps[n], i);
    some |= m;
    some_not |= g->warps[n].active & ~m;
  }
  if (some && some_not)
    return false;
  *has_ended = some != 0;
  g->pc = i + 1;
  return true;
}

// Runs one instruction; false when the gang ends before it.
static bool step(struct gang *g, const struct vg_insn *i, bool *has_ended) {
  switch (i->gang) {
  case VG_GANG_EACH:
    g->pc = i + 1;
    run_all(g, i);
    return true;
  case VG_GANG_WHOLE:
    if (g->depth)
      return false;
    for (uint32_t n = 0; n < g->count; n++)
      if (guarded(&g->warps[n], i) != g->warps[n].live ||
          !has_one_mask(&g->warps[n], i))
        return false;
    g->pc = i + 1;
    run_each(g, i);
    return true;
  case VG_GANG_BRANCH:
  case VG_GANG_PART: return branch(g, i);
  case VG_GANG_BARRIER: return pass_barrier(g, i);
  case VG_GANG_END: return end(g, i, has_ended);
  default: return false;
  }
}

// Puts what ran so far into the warps' books, as their turns do.
static void settle(struct gang *g) {
  for (uint32_t n = 0; n < g->count; n++) {
    struct vg_warp *w = &g->warps[n];
    w->leaf->count += g->ran;
    w->leaf->pc = g->pc;
    w->turn = w->fuel = INT32_MAX;
  }
  g->block->executed += (uint64_t)g->ran * g->count;
  g->block->instructions += (uint64_t)g->ran * g->count;
  g->ran = 0;
}

// The warps go on by themselves, or have ended.
static void leave(struct gang *g, const struct vg_insn *ended_at) {
  settle(g);
  for (uint32_t n = 0; n < g->count; n++) {
    struct vg_warp *w = &g->warps[n];
    w->turn = w->fuel = 0;
    w->pc = g->pc;
    if (ended_at) {
      vg_warp_end(w, ended_at);
    } else if (n > 0 && w->uniform) {
      memcpy(w->uniform, g->warps->uniform,
             g->block->grid->code->uniform_bytes);
      w->bank[VG_UNIFORM] = w->uniform;
    }
  }
}

void vg_gang_run(struct vg_block *b, bool (*poll)(struct vg_block *b)) {
  struct gang g;
  g.block = b;
  g.warps = b->warps;
  g.count = b->warp_count;
  g.pc = b->grid->code->insns;
  g.ran = 0;
  g.depth = 0;
  b->in_gang = true;
  bool has_ended = false, is_checked = b->grid->is_checked;
  const struct vg_insn *at = g.pc;
  for (uint32_t n = 0; n < g.count; n++) {
    g.warps[n].turn = g.warps[n].fuel = INT32_MAX;
    g.warps[n].bank[VG_UNIFORM] = g.warps->uniform;
  }
  g.from = 0;
  g.to = g.count;
  look_who_runs(&g);
  while (!has_ended) {
    while (g.depth && g.pc == g.levels[g.depth - 1].meet)
      meet(&g);
    at = g.pc;
    if (is_checked && !g.depth && is_careful(&g))
      break;
    if (!step(&g, at, &has_ended))
      break;
    if (++g.ran % POLL_EVERY == 0 && !g.depth) {
      settle(&g);
      if (!poll(b))
        break;
    }
  }
  b->in_gang = false;
  leave(&g, has_ended ? at : NULL);
}
