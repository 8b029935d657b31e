// SPDX-License-Identifier: Apache-2.0
// Addresses that an index of 32 bits gives: an access of lanes that lie anywhere looks at
// that, in half as many of the host's vectors as at the addresses.
//
// Theory of operation. A register has a form where all instructions that write it make
// the same of an index: first all are open, then a loop goes round until none becomes
// another. Steps that a loop adds to an address are added to its index, which must not
// wrap where the address does not: they saturate, at a value that no array reaches, and
// so only where all of a kernel's steps go one way. Registers that live across a barrier
// have none, since an index is not kept there.
#include "gpu/vgpu/tier/tier_plan.h"

#include <stdlib.h>

#include "base/mem.h"

enum { MOST_SHIFT = 15 };

struct found {
  struct tier_plan *p;
  int *writes;          // of each register
  bool *fixed, *stored; // it never changes; it lives across a barrier
};

static struct tier_index form(enum tier_form f) {
  return (struct tier_index){.form = (uint8_t)f, .base = -1};
}

static bool is_register(const struct ptx_operand *o) {
  return o->kind == PTX_REGISTER && o->reg >= 0 && !o->negate;
}

// ---- Registers that keep their value ----

// The same for all gangs of a block, however often it is computed.
static bool is_pure(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_LD: return i->space == PTX_PARAM;
  case PTX_OP_MOV:
  case PTX_OP_CVTA:
  case PTX_OP_CVT:
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_SHL: return true;
  default: return false;
  }
}

static bool keeps(const struct found *f, const struct ptx_insn *i) {
  int32_t to[TIER_MOST_OPERANDS], from[TIER_MOST_OPERANDS];
  if (!is_pure(i) || i->guard >= 0 || tier_writes(i, to) != 1 ||
      f->writes[to[0]] != 1 || f->p->registers[to[0]].v.kind != TIER_UNIFORM)
    return false;
  int count = tier_reads(i, from);
  for (int k = 0; k < count; k++)
    if (!f->fixed[from[k]])
      return false;
  return true;
}

static void find_fixed(struct found *f) {
  const struct ptx_func *func = f->p->func;
  int32_t to[TIER_MOST_OPERANDS];
  for (int n = 0; n < func->code_count; n++) {
    int count = tier_writes(&func->code[n], to);
    for (int k = 0; k < count; k++)
      f->writes[to[k]]++;
  }
  for (bool more = true; more;) {
    more = false;
    for (int n = 0; n < func->code_count; n++)
      if (keeps(f, &func->code[n])) {
        tier_writes(&func->code[n], to);
        more |= !f->fixed[to[0]];
        f->fixed[to[0]] = true;
      }
  }
}

static void find_stored(struct found *f) {
  const struct tier_plan *p = f->p;
  for (int b = 0; b < p->block_count; b++) {
    const struct tier_block *at = &p->blocks[b];
    if (!at->barrier || at->to[0] >= p->block_count)
      continue;
    for (int r = 0; r < p->func->reg_count; r++)
      f->stored[r] |= tier_has(p->blocks[at->to[0]].live_in, r);
  }
}

// ---- Forms ----

// The power of two that it is, or -1.
static int power_of(const struct ptx_operand *o) {
  bool is = o->kind == PTX_IMMEDIATE && o->bits && !(o->bits & (o->bits - 1)) &&
            o->bits >> MOST_SHIFT <= 1;
  return is ? __builtin_ctzll(o->bits) : -1;
}

static struct tier_index scaled(int shift, bool is_unsigned) {
  struct tier_index x = form(shift <= MOST_SHIFT ? TIER_SCALED : TIER_OTHER);
  x.shift = (uint8_t)shift;
  x.is_unsigned = is_unsigned;
  return x;
}

static struct tier_index indexed(const struct found *f, struct tier_index x,
                                 const struct ptx_operand *base) {
  if (x.form == TIER_OPEN)
    return x;
  if (x.form != TIER_SCALED || !is_register(base) || !f->fixed[base->reg] ||
      f->p->registers[base->reg].v.origin < 0)
    return form(TIER_OTHER);
  x.form = TIER_INDEXED;
  x.base = base->reg;
  return x;
}

static struct tier_index index_at(const struct found *f,
                                  const struct ptx_operand *o) {
  return is_register(o) ? f->p->registers[o->reg].index : form(TIER_OTHER);
}

static struct tier_index of_product(const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  bool is_word = i->type == PTX_S32 || i->type == PTX_U32;
  int shift = power_of(&o[2]);
  return i->part == PTX_WIDE && is_word && is_register(&o[1]) && shift >= 0
             ? scaled(shift, i->type == PTX_U32)
             : form(TIER_OTHER);
}

static struct tier_index of_shift(const struct found *f,
                                  const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  struct tier_index x = index_at(f, &o[1]);
  bool is_small = o[2].kind == PTX_IMMEDIATE && o[2].bits <= MOST_SHIFT;
  if (x.form == TIER_SCALED && is_small)
    return scaled(x.shift + (int)o[2].bits, x.is_unsigned);
  return x.form == TIER_OPEN ? x : form(TIER_OTHER);
}

// Does the index step by a number of its own bits, where the address does by this?
static bool is_step(uint64_t bytes, int shift) {
  int64_t steps = (int64_t)bytes >> shift;
  return tier_align_of(bytes) >= shift && steps >= INT32_MIN &&
         steps <= INT32_MAX;
}

static struct tier_index of_sum(const struct found *f,
                                const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  struct tier_index x = index_at(f, &o[1]), y = index_at(f, &o[2]);
  if (o[2].kind == PTX_IMMEDIATE)
    return x.form == TIER_OPEN || is_step(o[2].bits, x.shift)
               ? x
               : form(TIER_OTHER);
  if (is_register(&o[1]) && f->fixed[o[1].reg])
    return indexed(f, y, &o[1]);
  return indexed(f, x, &o[2]);
}

static struct tier_index form_of(const struct found *f,
                                 const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  bool is_long = i->type == PTX_S64 || i->type == PTX_U64 || i->type == PTX_B64;
  switch (i->op) {
  case PTX_OP_CVT:
    return is_long && is_register(&o[1]) &&
                   (i->type2 == PTX_S32 || i->type2 == PTX_U32)
               ? scaled(0, i->type2 == PTX_U32)
               : form(TIER_OTHER);
  case PTX_OP_MUL: return of_product(i);
  case PTX_OP_MAD: return indexed(f, of_product(i), &o[3]);
  case PTX_OP_SHL: return is_long ? of_shift(f, i) : form(TIER_OTHER);
  case PTX_OP_ADD: return is_long ? of_sum(f, i) : form(TIER_OTHER);
  default: return form(TIER_OTHER);
  }
}

static bool is_same(struct tier_index x, struct tier_index y) {
  return x.form == y.form && x.shift == y.shift && x.base == y.base &&
         x.is_unsigned == y.is_unsigned;
}

// What a register has that was written so as well.
static bool meet(const struct found *f, int reg, struct tier_index x) {
  struct tier_index *is = &f->p->registers[reg].index;
  if (f->p->registers[reg].bits != 64 || f->stored[reg])
    x = form(TIER_OTHER);
  if (x.form == TIER_OPEN || is->form == TIER_OTHER || is_same(*is, x))
    return false;
  *is = is->form == TIER_OPEN ? x : form(TIER_OTHER);
  return true;
}

static void find_forms(const struct found *f) {
  const struct tier_plan *p = f->p;
  for (int r = 0; r < p->func->reg_count; r++)
    p->registers[r].index = form(f->writes[r] ? TIER_OPEN : TIER_OTHER);
  for (bool more = true; more;) {
    more = false;
    for (int n = 0; n < p->func->code_count; n++) {
      const struct ptx_insn *i = &p->func->code[n];
      int32_t to[TIER_MOST_OPERANDS];
      int count = tier_writes(i, to);
      struct tier_index x = count == 1 ? form_of(f, i) : form(TIER_OTHER);
      for (int k = 0; k < count; k++)
        more |= meet(f, to[k], x);
    }
  }
}

// ---- Which are needed ----

static bool need(const struct found *f, const struct ptx_operand *o) {
  struct tier_index x = index_at(f, o);
  if ((x.form != TIER_SCALED && x.form != TIER_INDEXED) || x.is_needed)
    return false;
  return f->p->registers[o->reg].index.is_needed = true;
}

// An access of lanes that lie anywhere, aligned if the parameter is.
static void need_address(const struct found *f, const struct ptx_insn *i) {
  bool is_sum = i->op == PTX_OP_RED || i->op == PTX_OP_ATOM;
  if (i->space != PTX_GLOBAL ||
      (i->op != PTX_OP_LD && i->op != PTX_OP_ST && !is_sum))
    return;
  bool is_first = i->op == PTX_OP_ST || i->op == PTX_OP_RED;
  const struct ptx_operand *a = &i->operands[is_first ? 0 : 1];
  struct tier_register *r = &f->p->registers[a->reg];
  int bytes = ptx_type_bytes((enum ptx_type)i->type) * (i->vec ? i->vec : 1);
  int align = tier_align_of((uint64_t)a->offset);
  align = r->v.align < align ? r->v.align : align;
  if (r->v.kind == TIER_VARYING && r->index.form == TIER_INDEXED &&
      r->index.shift && 1 << align >= bytes)
    r->index.is_needed = true;
}

static void find_needed(const struct found *f) {
  const struct ptx_func *func = f->p->func;
  for (int n = 0; n < func->code_count; n++)
    need_address(f, &func->code[n]);
  for (bool more = true; more;) {
    more = false;
    for (int n = 0; n < func->code_count; n++) {
      const struct ptx_insn *i = &func->code[n];
      int32_t to[TIER_MOST_OPERANDS];
      bool is_step = i->op == PTX_OP_SHL || i->op == PTX_OP_ADD;
      if (!is_step || tier_writes(i, to) != 1 ||
          !f->p->registers[to[0]].index.is_needed)
        continue;
      more |= need(f, &i->operands[1]);
      more |= need(f, &i->operands[2]);
    }
  }
}

// An index that has saturated stays beyond all arrays only if none steps back.
static bool go_one_way(const struct found *f) {
  const struct ptx_func *func = f->p->func;
  bool is_up = false, is_down = false, is_unsigned = false;
  for (int n = 0; n < func->code_count; n++) {
    const struct ptx_insn *i = &func->code[n];
    int32_t to[TIER_MOST_OPERANDS];
    if (i->op != PTX_OP_ADD || tier_writes(i, to) != 1 ||
        i->operands[2].kind != PTX_IMMEDIATE)
      continue;
    struct tier_index x = f->p->registers[to[0]].index;
    is_up |= x.is_needed && (int64_t)i->operands[2].bits > 0;
    is_down |= x.is_needed && (int64_t)i->operands[2].bits < 0;
    is_unsigned |= x.is_needed && x.is_unsigned;
  }
  return !is_down || (!is_up && !is_unsigned);
}

void tier_find_indices(struct tier_plan *p) {
  size_t count = (size_t)p->func->reg_count + 1;
  struct found f = {.p = p,
                    .writes = xcalloc(count, sizeof *f.writes),
                    .fixed = xcalloc(count, sizeof *f.fixed),
                    .stored = xcalloc(count, sizeof *f.stored)};
  find_fixed(&f);
  find_stored(&f);
  find_forms(&f);
  find_needed(&f);
  bool is_fine = go_one_way(&f);
  for (int r = 0; r < p->func->reg_count && !is_fine; r++)
    p->registers[r].index.is_needed = false;
  free(f.writes);
  free(f.fixed);
  free(f.stored);
}
