// SPDX-License-Identifier: Apache-2.0
// Indices of 32 bits beside the addresses that are made of them (tier_plan_index.c).
#include "gpu/vgpu/tier/tier_emit.h"

struct tier_ir tier_index_of(struct tier_emitter *e, int reg) {
  return tier_op(e, true, "load %%i, ptr %%x%d", reg);
}

// One more that a constant makes of it, or the last that there is.
static struct tier_ir step(struct tier_emitter *e, struct tier_ir x,
                           const struct ptx_operand *by,
                           const struct tier_index *i) {
  int W = e->p->lanes;
  int64_t steps = (int64_t)by->bits >> i->shift;
  const char *name = i->is_unsigned ? "uadd" : "sadd";
  tier_declare(e, "%%i @llvm.%s.sat.v%di32(%%i, %%i)", name, W);
  struct tier_ir c = tier_splat(e, tier_constant((uint64_t)steps, 32), 32);
  return tier_op(e, true, "call %%i @llvm.%s.sat.v%di32(%%i %s, %%i %s)", name,
                 W, x.s, c.s);
}

static struct tier_ir made(struct tier_emitter *e, const struct tier_index *i) {
  const struct ptx_operand *o = e->i->operands;
  if (e->i->op == PTX_OP_SHL)
    return tier_index_of(e, o[1].reg);
  if (e->i->op != PTX_OP_ADD)
    return tier_source_as(e, &o[1], 32, true);
  if (o[2].kind == PTX_IMMEDIATE)
    return step(e, tier_index_of(e, o[1].reg), &o[2], i);
  return tier_index_of(e, o[1].reg == i->base ? o[2].reg : o[1].reg);
}

void tier_emit_index(struct tier_emitter *e) {
  int32_t to[TIER_MOST_OPERANDS];
  if (tier_writes(e->i, to) != 1 || !e->p->registers[to[0]].index.is_needed)
    return;
  struct tier_ir x = made(e, &e->p->registers[to[0]].index);
  if (tier_needs_blend(e->p, e->block, e->i, to[0]))
    x = tier_op(e, true, "select %%m %s, %%i %s, %%i %s", e->mask.s, x.s,
                tier_index_of(e, to[0]).s);
  tier_line(e, "store %%i %s, ptr %%x%d", x.s, to[0]);
}
