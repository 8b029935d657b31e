// SPDX-License-Identifier: Apache-2.0
// What a gang may do with each instruction, read off the code.
#include "gpu/vgpu/code/code.h"

#include "gpu/vgpu/code/handlers.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

static enum vg_gang_kind kind_of_atomic(const struct vg_insn *i) {
  // Sums of integers that nobody looks at come out the same in any order.
  bool is_float = i->type >= PTX_F16 && i->type <= PTX_F64;
  bool is_sum = i->sub == PTX_ATOM_ADD || i->sub == PTX_ATOM_MIN ||
                i->sub == PTX_ATOM_MAX || i->sub == PTX_ATOM_AND ||
                i->sub == PTX_ATOM_OR || i->sub == PTX_ATOM_XOR;
  return is_sum && !is_float && i->dst == VG_NOWHERE ? VG_GANG_EACH
                                                     : VG_GANG_LEAVE;
}

// Everything that the instruction writes is the same in all threads.
static bool is_once(const struct vg_insn *i) {
  if (i->ptx->op == PTX_OP_LD)
    return i->vector && i->vector->count == 1 &&
           vg_in_uniform(i->vector->at[0]);
  return vg_in_uniform(i->dst) &&
         (i->dst2 == VG_NOWHERE || vg_in_uniform(i->dst2));
}

static enum vg_gang_kind kind_of(const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  if (!p)
    return VG_GANG_END;
  switch (p->op) {
  case PTX_OP_RET:
  case PTX_OP_EXIT: return VG_GANG_END;
  case PTX_OP_BRA: return VG_GANG_BRANCH;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
    return p->sub == PTX_BAR_SYNC && p->operand_count == 1 ? VG_GANG_BARRIER
                                                           : VG_GANG_LEAVE;
  case PTX_OP_SHFL:
  case PTX_OP_VOTE:
  case PTX_OP_MATCH:
  case PTX_OP_REDUX:
  case PTX_OP_ELECT:
  case PTX_OP_WMMA:
  case PTX_OP_MMA:
  case PTX_OP_LDMATRIX:
  case PTX_OP_STMATRIX:
  case PTX_OP_MOVMATRIX: return VG_GANG_WHOLE;
  case PTX_OP_ATOM:
  case PTX_OP_RED: return kind_of_atomic(i);
  case PTX_OP_LD:
  case PTX_OP_ST: return i->is_ordered ? VG_GANG_LEAVE : VG_GANG_EACH;
  case PTX_OP_CALL:
  case PTX_OP_BRX:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT:
  case PTX_OP_NANOSLEEP:
  case PTX_OP_MEMBAR:
  case PTX_OP_FENCE:
  case PTX_OP_CP:
  case PTX_OP_MBARRIER: return VG_GANG_LEAVE;
  default: return VG_GANG_EACH;
  }
}

// Do all ways from `from` lead to `meet` without a loop, a wait or an end?
// `seen` holds the instructions on the way that are known to be fine.
static bool is_simple_way(const struct vg_code *c, const struct vg_insn *from,
                          const struct vg_insn *meet, int *left) {
  for (const struct vg_insn *i = from; i != meet; i++) {
    if (i >= c->insns + c->insn_count || --*left < 0)
      return false;
    if (i->gang == VG_GANG_EACH)
      continue;
    if (i->gang != VG_GANG_BRANCH && i->gang != VG_GANG_PART)
      return false;
    if (i->target <= i)
      return false;
    bool always = vg_is_unguarded(i);
    if (always && i->target == meet)
      return true;
    if (!is_simple_way(c, i->target, meet, left))
      return false;
    if (always)
      return true;
  }
  return true;
}

void vg_gang_prepare(struct vg_code *c) {
  enum { LONGEST = 512 };
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    i->gang = (uint8_t)kind_of(i);
    if (i->gang == VG_GANG_EACH && vg_is_unguarded(i))
      i->together = vg_find_together(i->run);
    i->is_once = i->gang == VG_GANG_EACH && is_once(i);
  }
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    int left = LONGEST;
    if (i->gang == VG_GANG_BRANCH && i->reconverge > i && i->target > i &&
        is_simple_way(c, i->target, i->reconverge, &left) &&
        is_simple_way(c, i + 1, i->reconverge, &left))
      i->gang = VG_GANG_PART;
  }
}
