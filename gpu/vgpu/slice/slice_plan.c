// SPDX-License-Identifier: Apache-2.0
// What is to be done about an instruction, found out once: most take and overwrite
// no facts, and that must not take long.
#include "gpu/vgpu/slice/slice_parts.h"

#include <stdlib.h>

#include "base/mem.h"

// Handlers of these see to it themselves (vg_slice_exchange), or nothing flows.
static bool is_left_out(int op) {
  switch (op) {
  case PTX_OP_SHFL:
  case PTX_OP_VOTE:
  case PTX_OP_MATCH:
  case PTX_OP_REDUX:
  case PTX_OP_ELECT:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_BRA:
  case PTX_OP_BRX:
  case PTX_OP_CALL:
  case PTX_OP_RET:
  case PTX_OP_EXIT:
  case PTX_OP_CP: return true;
  default: return false;
  }
}

// Does it read or write what lies outside of registers?
static bool is_followed(const struct vg_insn *i, int op) {
  switch (op) {
  case PTX_OP_LD:
  case PTX_OP_LDU: return !i->is_param_load;
  case PTX_OP_ST:
  case PTX_OP_ATOM:
  case PTX_OP_RED:
  case PTX_OP_MMA:
  case PTX_OP_WMMA:
  case PTX_OP_LDMATRIX:
  case PTX_OP_STMATRIX:
  case PTX_OP_MOVMATRIX:
  case PTX_OP_TEX:
  case PTX_OP_TLD4:
  case PTX_OP_SULD:
  case PTX_OP_MBARRIER: return true;
  default: return false;
  }
}

static enum vg_slice_kind kind_of(const struct vg_insn *i) {
  int op = vg_slice_op(i);
  return is_left_out(op)      ? VG_SLICE_LEFT_OUT
         : is_followed(i, op) ? VG_SLICE_FOLLOWED
         : i->vector != NULL  ? VG_SLICE_VECTOR
                              : VG_SLICE_PLAIN;
}

static uint32_t row_at(const struct vg_slice *s, ptrdiff_t function,
                       vg_place p) {
  return vg_slice_is_register(p) ? s->rows[function][p / 4]
                                 : s->row_counts[function];
}

static struct vg_slice_plan *make_plans(const struct vg_slice *s,
                                        const struct vg_code *code) {
  ptrdiff_t function = code - code->module->codes;
  size_t count = (size_t)code->insn_count;
  struct vg_slice_plan *plans = xcalloc(count, sizeof *plans);
  for (size_t k = 0; k < count; k++) {
    const struct vg_insn *i = &code->insns[k];
    plans[k].kind = kind_of(i);
    for (int n = 0; n < 4; n++)
      plans[k].from[n] =
          row_at(s, function, i->is_param_load ? VG_NOWHERE : i->src[n]);
    plans[k].to[0] = row_at(s, function, i->dst);
    plans[k].to[1] = row_at(s, function, i->dst2);
  }
  return plans;
}

void vg_slice_take_plans(struct vg_slice *s, const struct vg_code *code) {
  struct vg_slice_plan **plans = &s->plans[code - code->module->codes];
  if (!*plans)
    *plans = make_plans(s, code);
  s->plan = *plans;
  s->planned = code;
}

void vg_slice_free_plans(struct vg_slice *s) {
  for (int n = 0; n < s->grid->code->module->ptx->func_count; n++)
    free(s->plans[n]);
  free(s->plans);
}
