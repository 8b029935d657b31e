// SPDX-License-Identifier: Apache-2.0
// Which branches close a loop that waits: one that reads the same place again
// and again, in an order that others see, and changes nothing. After a round
// of it the warp's turn ends, so that whom it waits for comes to run.
#include "gpu/vgpu/code/code.h"

#include "gpu/vgpu/code/decode.h"
#include "gpu/vgpu/ops/ops.h"

// Does the instruction write the row at `at`?
static bool writes(const struct vg_insn *i, vg_place at) {
  if (i->dst == at || i->dst2 == at)
    return true;
  bool is_store = i->ptx && i->ptx->op == PTX_OP_ST;
  for (int v = 0; i->vector && !is_store && v < i->vector->count; v++)
    if (i->vector->at[v] == at)
      return true;
  return false;
}

static bool is_read_back(const struct ptx_insn *p, const struct vg_insn *i) {
  bool changes_nothing =
      p->sub == PTX_ATOM_ADD || p->sub == PTX_ATOM_OR || p->sub == PTX_ATOM_XOR;
  return p->op == PTX_OP_ATOM && changes_nothing && !i->wide &&
         i->src[1] == ZERO_ROW;
}

// An ordered read of memory that other threads reach.
static bool is_poll(const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  if (is_read_back(p, i))
    return true;
  return p->op == PTX_OP_LD && p->sem > PTX_WEAK && i->space != PTX_LOCAL &&
         i->space != PTX_PARAM;
}

// May stand in a loop that only waits.
static bool is_idle(const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  if (!p || is_read_back(p, i))
    return true;
  switch (p->op) {
  case PTX_OP_ST:
  case PTX_OP_DISCARD:
  case PTX_OP_RED:
  case PTX_OP_ATOM:
  case PTX_OP_CALL:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_SUST:
  case PTX_OP_SURED: return false;
  default: return p->op < PTX_OP_CP || p->op > PTX_OP_GRIDDEPCONTROL;
  }
}

static bool is_wait(const struct vg_insn *first, const struct vg_insn *last) {
  bool polls = false;
  for (const struct vg_insn *i = first; i <= last; i++) {
    if (!is_idle(i))
      return false;
    if (!i->ptx || !i->is_main || !is_poll(i))
      continue;
    for (const struct vg_insn *o = first; o <= last; o++)
      if (writes(o, i->src[0]))
        return false;
    polls = true;
  }
  return polls;
}

// Loops that wait are short: two reads and what compares them.
enum { MAX_WAIT_LOOP = 48 };

void vg_find_waits(struct vg_code *c) {
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    if (i->ptx && i->ptx->op == PTX_OP_BRA && i->target && i->target <= i &&
        i - i->target < MAX_WAIT_LOOP && is_wait(i->target, i))
      i->run = vg_op_bra_wait;
  }
}
