// SPDX-License-Identifier: Apache-2.0
// Integers divided by zero. PTX ISA, "Integer Arithmetic Instructions: div":
// the result is whatever the machine makes of it. Nothing stops, so that it
// shows only as a strange number somewhere else.
#include "gpu/vgpu/check/check.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/check/taint.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/state.h"

// ---- The compiler's own ----

// Before a loop that it unrolls, the compiler divides by the step, once the
// thread is known to go in: q = distance / step; (q + 1) & 3 rounds come one by
// one, and those of four at a time only if q >= 3. A step of 0 is no division by
// zero of the learner's: it is a loop that never ends. What gives it away is
// that the quotient goes nowhere else.
enum { IN_NEXT = 1, IN_MASK = 2, IN_BOUND = 4, ELSEWHERE = 8 };

struct uses {
  uint8_t *of;   // each register: where it stands
  int32_t *next; // register + 1
};

static bool is_low_mask(uint64_t bits) {
  return bits && bits < 64 && !(bits & (bits + 1));
}

static int kind_of_use(const struct ptx_insn *p) {
  const struct ptx_operand *o = p->operands;
  bool is_constant = p->operand_count == 3 && o[2].kind == PTX_IMMEDIATE &&
                     o[1].kind == PTX_REGISTER;
  if (is_constant && p->op == PTX_OP_ADD && o[2].bits == 1)
    return IN_NEXT;
  if (is_constant && p->op == PTX_OP_AND && is_low_mask(o[2].bits))
    return IN_MASK;
  bool is_below = p->cmp == PTX_LT || p->cmp == PTX_LO;
  if (is_constant && p->op == PTX_OP_SETP && is_below && is_low_mask(o[2].bits))
    return IN_BOUND;
  return ELSEWHERE;
}

static void see_operand(struct uses *u, const struct ptx_insn *p, int k) {
  const struct ptx_operand *o = &p->operands[k];
  bool is_target = k == 0 && ptx_has_destination(p);
  for (int n = 0; o->kind == PTX_VECTOR && n < o->dim; n++)
    if (o->regs[n] >= 0)
      u->of[o->regs[n]] |= ELSEWHERE;
  if (o->reg < 0 || o->kind == PTX_SPECIAL || (is_target && o->pair < 0))
    return;
  int kind = kind_of_use(p);
  u->of[o->reg] |= (uint8_t)kind;
  if (kind == IN_NEXT)
    u->next[o->reg] = p->operands[0].reg;
}

static bool is_trip_count(const struct uses *u, const struct ptx_insn *p) {
  if (p->op != PTX_OP_DIV || p->operands[0].kind != PTX_REGISTER)
    return false;
  int q = p->operands[0].reg;
  return (u->of[q] & (IN_NEXT | IN_MASK | ELSEWHERE)) == IN_NEXT &&
         u->next[q] >= 0 && u->of[u->next[q]] == IN_MASK;
}

void vg_find_trip_counts(struct vg_code *c) {
  const struct ptx_func *f = c->func;
  size_t count = (size_t)f->reg_count + 1;
  struct uses u = {xcalloc(count, 1), xcalloc(count, sizeof *u.next)};
  for (int n = 0; n < f->code_count; n++)
    for (int k = 0; k < f->code[n].operand_count; k++)
      see_operand(&u, &f->code[n], k);
  for (int n = 0; n < c->insn_count; n++)
    c->insns[n].is_trip_count =
        c->insns[n].ptx && is_trip_count(&u, c->insns[n].ptx);
  free(u.of);
  free(u.next);
}

// ---- Divisors ----

static vg_mask zeros(const struct vg_warp *w, const struct vg_insn *i) {
  uint32_t bytes = ptx_type_bytes((enum ptx_type)i->type);
  const uint8_t *row = VG_AT(w, i->src[1]);
  vg_mask zero = 0;
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t y = bytes == 8 ? ((const uint64_t *)(const void *)row)[l]
                 : bytes == 4
                     ? ((const uint32_t *)(const void *)row)[l]
                     : (uint16_t)((const uint32_t *)(const void *)row)[l];
    zero |= (vg_mask)(y == 0) << l;
  }
  return zero;
}

void vg_on_division(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  struct vg_fault f = {.kind = ERR_DIVISION, .severity = GPU_WARNING};
  if (!w->block->grid->is_checked || i->is_trip_count)
    return;
  for (m &= zeros(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note;
    // Of a divisor that nothing wrote something else is to be said.
    if (!w->is_careful || !vg_taint_get(&v, i->src[1], l, &note))
      vg_report(w, i, l, &f);
  }
}
