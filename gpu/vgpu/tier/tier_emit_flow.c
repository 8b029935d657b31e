// SPDX-License-Identifier: Apache-2.0
// How a block ends: branches, the kernel's end, barriers. Lanes that part wait in
// their blocks' masks, and the lowest block that has some runs next.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_context.h"

// ---- Going on ----

// Back edges count: a loop that is too long is the interpreter's, as is a launch
// that is to stop.
static void check_budget(struct tier_emitter *e) {
  struct tier_ir spent = tier_op(e, false, "load i64, ptr %%spent");
  struct tier_ir fits = tier_op(e, false, "icmp sle i64 %s, %%limit", spent.s);
  tier_must(e, fits);
  struct tier_ir stop = tier_op(e, false, "load volatile i8, ptr %%stop");
  tier_must(e, tier_op(e, false, "icmp eq i8 %s, 0", stop.s));
}

static void enter(struct tier_emitter *e, int to) {
  struct tier_ir m = tier_op(e, true, "load %%m, ptr %%m%d", to);
  tier_line(e, "store %%m %s, ptr %%cur", m.s);
  tier_line(e, "store %%m zeroinitializer, ptr %%m%d", to);
  if (to <= e->block)
    check_budget(e);
  tier_line(e, "br label %%b%d", to);
}

static void add_lanes(struct tier_emitter *e, int to, struct tier_ir lanes) {
  if (to >= e->p->block_count)
    return; // they have ended
  struct tier_ir m = tier_op(e, true, "load %%m, ptr %%m%d", to);
  m = tier_op(e, true, "or %%m %s, %s", m.s, lanes.s);
  tier_line(e, "store %%m %s, ptr %%m%d", m.s, to);
}

// Of the blocks that may have lanes the lowest that has some is next; `sure` is one
// of them that has, or is the end.
static void go_on(struct tier_emitter *e, const uint64_t *may, int sure) {
  for (int q = 0; q < sure; q++) {
    if (q >= e->p->block_count || !tier_has(may, q))
      continue;
    struct tier_ir m = tier_op(e, true, "load %%m, ptr %%m%d", q);
    struct tier_ir any = tier_any(e, m);
    int yes = tier_label(e), no = tier_label(e);
    tier_line(e,
              "br i1 %s, label %%l%d, label %%l%d\n"
              "l%d:",
              any.s, yes, no, yes);
    enter(e, q);
    tier_line(e, "l%d:", no);
  }
  if (sure >= e->p->block_count)
    tier_line(e, "br label %%done");
  else
    enter(e, sure);
}

static bool is_empty(const struct tier_emitter *e, const uint64_t *set) {
  for (int w = 0; w < e->p->block_words; w++)
    if (set[w])
      return false;
  return true;
}

// All lanes of the block go to one other.
static void go_together(struct tier_emitter *e, int to) {
  const uint64_t *pending = e->p->blocks[e->block].pending;
  if (to < e->p->block_count && is_empty(e, pending)) {
    if (to <= e->block)
      check_budget(e);
    tier_line(e, "br label %%b%d", to);
    return;
  }
  size_t bytes = sizeof *pending * (size_t)e->p->block_words;
  uint64_t *may = memcpy(xmalloc(bytes), pending, bytes);
  if (to < e->p->block_count)
    tier_add(may, to);
  add_lanes(e, to, e->mask);
  go_on(e, may, to);
  free(may);
}

// ---- Ends of blocks ----

static void part(struct tier_emitter *e, int taken, int other) {
  const struct tier_plan *p = e->p;
  struct tier_ir on = tier_guard(e, true),
                 ones = tier_splat(e, tier_constant(1, 1), 1);
  struct tier_ir off = tier_op(e, true, "xor %%m %s, %s", on.s, ones.s);
  add_lanes(e, taken, tier_op(e, true, "and %%m %s, %s", e->mask.s, on.s));
  add_lanes(e, other, tier_op(e, true, "and %%m %s, %s", e->mask.s, off.s));
  size_t bytes = sizeof(uint64_t) * (size_t)p->block_words;
  uint64_t *may = memcpy(xmalloc(bytes), p->blocks[e->block].pending, bytes);
  if (taken < p->block_count)
    tier_add(may, taken);
  if (other < p->block_count)
    tier_add(may, other);
  go_on(e, may, taken > other ? taken : other);
  free(may);
}

static void emit_barrier(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  const struct tier_block *b = &p->blocks[e->block];
  int W = p->lanes, at = 0;
  struct tier_ir gone = tier_op(e, true, "xor %%m %s, %%born", e->mask.s);
  tier_must(e, tier_none(e, gone));
  for (int r = 0; r < p->func->reg_count; r++) {
    if (b->to[0] >= p->block_count || !tier_has(p->blocks[b->to[0]].live_in, r))
      continue;
    bool is_wide = p->registers[r].v.kind == TIER_VARYING;
    struct tier_text t = tier_int(e, p->registers[r].bits, is_wide);
    struct tier_ir v = tier_op(e, is_wide, "load %s, ptr %%r%d", t.s, r);
    struct tier_ir to =
        tier_op(e, false, "getelementptr i8, ptr %%save, i64 %d", at);
    tier_line(e, "store %s %s, ptr %s, align 8", t.s, v.s, to.s);
    at += !is_wide ? 8 : W * (p->registers[r].bits == 64 ? 8 : 4);
  }
  tier_emit_stop(e, b->barrier);
}

void tier_emit_resume(struct tier_emitter *e, int block) {
  const struct tier_plan *p = e->p;
  const struct tier_block *b = &p->blocks[block];
  int W = p->lanes, at = 0;
  tier_line(e, "resume%d:", block);
  for (int r = 0; r < p->func->reg_count; r++) {
    if (b->to[0] >= p->block_count || !tier_has(p->blocks[b->to[0]].live_in, r))
      continue;
    bool is_wide = p->registers[r].v.kind == TIER_VARYING;
    struct tier_text t = tier_int(e, p->registers[r].bits, is_wide);
    struct tier_ir from =
        tier_op(e, false, "getelementptr i8, ptr %%save, i64 %d", at);
    struct tier_ir v =
        tier_op(e, is_wide, "load %s, ptr %s, align 8", t.s, from.s);
    tier_line(e, "store %s %s, ptr %%r%d", t.s, v.s, r);
    at += !is_wide ? 8 : W * (p->registers[r].bits == 64 ? 8 : 4);
  }
  if (b->to[0] >= p->block_count)
    tier_line(e, "br label %%done");
  else
    tier_line(e, "br label %%b%d", b->to[0]);
}

// The lanes for which the guard holds have ended, or all.
static void emit_exit(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  const struct tier_block *b = &p->blocks[e->block];
  int on = b->to_count ? b->to[0] : p->block_count;
  if (e->i->guard < 0)
    go_together(e, p->block_count);
  else
    part(e, p->block_count, on);
}

static void emit_branch(struct tier_emitter *e) {
  const struct tier_block *b = &e->p->blocks[e->block];
  if (b->to_count < 2) {
    go_together(e, b->to[0]);
    return;
  }
  if (b->is_parting) {
    part(e, b->to[0], b->to[1]);
    return;
  }
  struct tier_ir on = tier_guard(e, false);
  int yes = tier_label(e), no = tier_label(e);
  tier_line(e,
            "br i1 %s, label %%l%d, label %%l%d\n"
            "l%d:",
            on.s, yes, no, yes);
  go_together(e, b->to[0]);
  tier_line(e, "l%d:", no);
  go_together(e, b->to[1]);
}

void tier_emit_end(struct tier_emitter *e) {
  const struct tier_block *b = &e->p->blocks[e->block];
  if (b->barrier)
    emit_barrier(e);
  else if (tier_is_end(e->i))
    emit_exit(e);
  else if (e->i->op == PTX_OP_BRA)
    emit_branch(e);
  else
    go_together(e, b->to_count ? b->to[0] : e->p->block_count);
}
