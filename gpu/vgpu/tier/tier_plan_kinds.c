// SPDX-License-Identifier: Apache-2.0
// What registers hold: the same in all lanes of a gang, a row, or anything; which
// parameter an address comes from; which NaNs are looked at.
//
// Every register is thought to be what its definitions make of it, and a loop goes
// round until nothing changes. A branch by a register that varies parts lanes; then
// writes that lanes which wait would miss make their registers vary, too.
#include "gpu/vgpu/tier/tier_plan.h"

// ---- Operands ----

static struct tier_value uniform(void) {
  return (struct tier_value){TIER_UNIFORM, 0, TIER_ORIGIN_NONE, 0};
}

static struct tier_value special(const struct tier_plan *p,
                                 const struct ptx_operand *o) {
  struct tier_value v = uniform();
  bool is_line = p->is_one_row || (p->shape[1] == 1 && p->shape[2] == 1);
  if (o->reg == PTX_SREG_LANEID)
    v = (struct tier_value){TIER_ROW, 1, TIER_ORIGIN_NONE, 0};
  if (o->reg != PTX_SREG_TID)
    return v;
  if (!is_line)
    v.kind = TIER_VARYING;
  else if (o->dim == 0)
    v = (struct tier_value){TIER_ROW, 1, TIER_ORIGIN_NONE, 0};
  return v;
}

int tier_align_of(uint64_t n) {
  return n && __builtin_ctzll(n) < TIER_MOST_ALIGN ? __builtin_ctzll(n)
                                                   : TIER_MOST_ALIGN;
}

uint64_t tier_symbol_at(const struct tier_plan *p,
                        const struct ptx_operand *o) {
  uint64_t at = o->var->is_extern ? p->dynamic_at : o->var->offset;
  return at + (uint64_t)o->offset;
}

static struct tier_value number(uint64_t n) {
  struct tier_value v = uniform();
  v.align = tier_align_of(n);
  return v;
}

struct tier_value tier_value_of(const struct tier_plan *p,
                                const struct ptx_operand *o) {
  switch (o->kind) {
  case PTX_REGISTER:
  case PTX_ADDRESS: return o->reg >= 0 ? p->registers[o->reg].v : uniform();
  case PTX_SPECIAL: return special(p, o);
  case PTX_IMMEDIATE: return number(o->bits);
  case PTX_SYMBOL:
    return o->var && o->var->space == PTX_SHARED ? number(tier_symbol_at(p, o))
                                                 : uniform();
  default: return uniform();
  }
}

// ---- What an instruction makes of them ----

// The last lane lies less than 2^31 from the first, so that lanes between two that are
// in an array are there as well, in addresses of 32 bits that wrap, too.
static struct tier_value row(int64_t stride) {
  enum { MOST = INT32_MAX / (TIER_MOST_GANG - 1) };
  if (stride > MOST || stride < -MOST)
    return (struct tier_value){TIER_VARYING, 0, TIER_ORIGIN_NONE, 0};
  return (struct tier_value){stride ? TIER_ROW : TIER_UNIFORM, stride,
                             TIER_ORIGIN_NONE, 0};
}
static struct tier_value varying(void) {
  return (struct tier_value){TIER_VARYING, 0, TIER_ORIGIN_NONE, 0};
}

static bool is_wide_int(const struct ptx_insn *i) { // 32 or 64 bits
  int bytes = ptx_type_bytes((enum ptx_type)i->type);
  return i->type != PTX_F32 && i->type != PTX_F64 && bytes >= 4;
}

static struct tier_value sum(struct tier_value x, struct tier_value y,
                             int sign) {
  if (x.kind == TIER_VARYING || y.kind == TIER_VARYING)
    return varying();
  return row(x.stride + sign * y.stride);
}

// The factor of a row, small enough that it fits whatever the signs are.
static bool small_factor(const struct ptx_operand *o, int bytes, int64_t *out) {
  *out = bytes == 8 ? (int64_t)o->bits : (int32_t)o->bits;
  return o->kind == PTX_IMMEDIATE && *out > -(1 << 20) && *out < 1 << 20;
}

static struct tier_value product(const struct tier_plan *p,
                                 const struct ptx_insn *i) {
  const struct ptx_operand *x = &i->operands[1], *y = &i->operands[2];
  struct tier_value a = tier_value_of(p, x), b = tier_value_of(p, y);
  int64_t factor;
  if (a.kind == TIER_UNIFORM && b.kind == TIER_UNIFORM)
    return a;
  bool is_unsigned = i->part == PTX_WIDE && i->type == PTX_U32;
  if (a.kind == TIER_ROW &&
      small_factor(y, ptx_type_bytes((enum ptx_type)i->type), &factor) &&
      (factor >= 0 || !is_unsigned))
    return row(a.stride * factor);
  return varying();
}

// The rule of all others: of what is the same the same.
static struct tier_value plain(const struct tier_plan *p,
                               const struct ptx_insn *i) {
  for (int k = ptx_has_destination(i) ? 1 : 0; k < i->operand_count; k++) {
    const struct ptx_operand *o = &i->operands[k];
    if (tier_value_of(p, o).kind != TIER_UNIFORM)
      return varying();
    for (int n = 0; o->kind == PTX_VECTOR && n < o->dim; n++)
      if (o->regs[n] >= 0 && p->registers[o->regs[n]].v.kind != TIER_UNIFORM)
        return varying();
  }
  return uniform();
}

// One integer of another.
static bool is_resized(const struct ptx_insn *i) {
  return i->type >= PTX_U8 && i->type <= PTX_S64 && i->type2 >= PTX_U8 &&
         i->type2 <= PTX_S64;
}

static struct tier_value convert(const struct tier_plan *p,
                                 const struct ptx_insn *i) {
  struct tier_value v = tier_value_of(p, &i->operands[1]);
  bool is_wide = ptx_type_bytes((enum ptx_type)i->type) >= 4 &&
                 ptx_type_bytes((enum ptx_type)i->type2) >= 4;
  return v.kind != TIER_ROW || (is_resized(i) && is_wide) ? row(v.stride)
                                                          : varying();
}

struct tier_value tier_kind_of(const struct tier_plan *p,
                               const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  struct tier_value v = plain(p, i);
  if (i->op == PTX_OP_SHFL)
    return varying();
  if (v.kind == TIER_UNIFORM || o[0].kind == PTX_VECTOR)
    return v;
  switch (i->op) {
  case PTX_OP_MOV:
    return o[1].kind == PTX_VECTOR || i->type == PTX_PRED
               ? v
               : tier_value_of(p, &o[1]);
  case PTX_OP_CVTA: return tier_value_of(p, &o[1]);
  case PTX_OP_CVT:
    return tier_value_of(p, &o[1]).kind == TIER_VARYING ? v : convert(p, i);
  case PTX_OP_ADD:
  case PTX_OP_SUB:
    if (is_wide_int(i))
      return sum(tier_value_of(p, &o[1]), tier_value_of(p, &o[2]),
                 i->op == PTX_OP_ADD ? 1 : -1);
    return v;
  case PTX_OP_MUL:
    return is_wide_int(i) && i->part != PTX_HI_PART ? product(p, i) : v;
  case PTX_OP_MAD:
    return is_wide_int(i) && i->part != PTX_HI_PART
               ? sum(product(p, i), tier_value_of(p, &o[3]), 1)
               : v;
  case PTX_OP_SHL:
    if (is_wide_int(i) && o[2].kind == PTX_IMMEDIATE && o[2].bits < 16 &&
        tier_value_of(p, &o[1]).kind == TIER_ROW)
      return row(
          (int64_t)((uint64_t)tier_value_of(p, &o[1]).stride << o[2].bits));
    return v;
  default: return v;
  }
}

// ---- Origins ----

static int join_origin(int x, int y) {
  return x == TIER_ORIGIN_UNKNOWN             ? y
         : y == TIER_ORIGIN_UNKNOWN || x == y ? x
                                              : TIER_ORIGIN_MANY;
}

static int combine(int x, int y) {
  return x == TIER_ORIGIN_UNKNOWN || y == TIER_ORIGIN_UNKNOWN
             ? TIER_ORIGIN_UNKNOWN
         : x == TIER_ORIGIN_NONE ? y
         : y == TIER_ORIGIN_NONE ? x
                                 : TIER_ORIGIN_MANY;
}

static int origin_of(const struct tier_plan *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  if (ptx_type_bytes((enum ptx_type)i->type) != 8 && i->part != PTX_WIDE)
    return TIER_ORIGIN_NONE;
  switch (i->op) {
  case PTX_OP_MOV:
  case PTX_OP_CVTA: return tier_value_of(p, &o[1]).origin;
  case PTX_OP_ADD:
  case PTX_OP_SUB:
    return combine(tier_value_of(p, &o[1]).origin,
                   tier_value_of(p, &o[2]).origin);
  case PTX_OP_MAD: return tier_value_of(p, &o[3]).origin;
  case PTX_OP_SELP:
    return join_origin(tier_value_of(p, &o[1]).origin,
                       tier_value_of(p, &o[2]).origin);
  case PTX_OP_LD:
    if (i->space == PTX_PARAM && i->vec <= 1) {
      uint64_t at = (o[1].var ? o[1].var->offset : 0) + (uint64_t)o[1].offset;
      return at % 8 == 0 && at / 8 < TIER_ORIGINS ? (int)(at / 8)
                                                  : TIER_ORIGIN_NONE;
    }
    return TIER_ORIGIN_MANY; // an address in memory
  default: return TIER_ORIGIN_NONE;
  }
}

// ---- Multiples ----

// Of a number that is no address.
static int align_in(const struct tier_plan *p, const struct ptx_operand *o) {
  struct tier_value v = tier_value_of(p, o);
  return v.origin == TIER_ORIGIN_NONE ? v.align : 0;
}

static int least(int x, int y) {
  return x < y ? x : y;
}

static int product_align(const struct tier_plan *p, const struct ptx_insn *i) {
  return least(align_in(p, &i->operands[1]) + align_in(p, &i->operands[2]),
               TIER_MOST_ALIGN);
}

static int copied_align(const struct tier_plan *p, const struct ptx_insn *i) {
  bool is_one = i->operands[0].kind == PTX_REGISTER;
  return is_one ? tier_value_of(p, &i->operands[1]).align : 0;
}

// Whether it wraps or not. What was an address and is taken for a number is no multiple
// of anything.
static int align_of(const struct tier_plan *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  bool is_copy = i->op == PTX_OP_MOV || i->op == PTX_OP_CVTA ||
                 i->op == PTX_OP_SELP || i->op == PTX_OP_LD;
  if (!is_copy && (!is_wide_int(i) || (i->op == PTX_OP_CVT && !is_resized(i))))
    return 0;
  switch (i->op) {
  case PTX_OP_LD:
    return i->space == PTX_PARAM && origin_of(p, i) >= 0 ? TIER_MOST_ALIGN : 0;
  case PTX_OP_MOV:
  case PTX_OP_CVTA: return copied_align(p, i);
  case PTX_OP_CVT: return align_in(p, &o[1]);
  case PTX_OP_ADD:
    return least(tier_value_of(p, &o[1]).align, tier_value_of(p, &o[2]).align);
  case PTX_OP_SUB:
    return least(tier_value_of(p, &o[1]).align, align_in(p, &o[2]));
  case PTX_OP_MUL: return i->part != PTX_HI_PART ? product_align(p, i) : 0;
  case PTX_OP_MAD:
    return i->part != PTX_HI_PART
               ? least(product_align(p, i), tier_value_of(p, &o[3]).align)
               : 0;
  case PTX_OP_SHL:
    return o[2].kind == PTX_IMMEDIATE && o[2].bits < 64
               ? least(align_in(p, &o[1]) + (int)o[2].bits, TIER_MOST_ALIGN)
               : 0;
  case PTX_OP_SELP:
    return least(tier_value_of(p, &o[1]).align, tier_value_of(p, &o[2]).align);
  default: return 0;
  }
}

// ---- Registers ----

bool tier_needs_blend(const struct tier_plan *p, int block,
                      const struct ptx_insn *i, int reg) {
  if (i->guard >= 0 && p->registers[i->guard].v.kind == TIER_VARYING)
    return true;
  const struct tier_block *b = &p->blocks[block];
  for (int q = 0; q < p->block_count; q++)
    if (tier_has(b->pending, q) && tier_has(p->blocks[q].live_in, reg))
      return true;
  return false;
}

static bool has_unknown(const struct tier_plan *p, const struct ptx_insn *i) {
  int32_t regs[TIER_MOST_OPERANDS];
  int count = tier_reads(i, regs);
  for (int k = 0; k < count; k++)
    if (p->registers[regs[k]].v.kind == TIER_UNKNOWN)
      return true;
  return false;
}

static bool join(struct tier_plan *p, int block, const struct ptx_insn *i,
                 int reg, struct tier_value v) {
  struct tier_value *r = &p->registers[reg].v, was = *r;
  if (tier_needs_blend(p, block, i, reg))
    v.kind = TIER_VARYING;
  if (r->kind == TIER_UNKNOWN)
    *r = v;
  else if (r->kind != v.kind || r->stride != v.stride)
    r->kind = TIER_VARYING;
  if (r->kind == TIER_VARYING)
    r->stride = 0;
  r->origin =
      was.kind == TIER_UNKNOWN ? v.origin : join_origin(was.origin, v.origin);
  r->align = was.kind == TIER_UNKNOWN ? v.align : least(was.align, v.align);
  return r->kind != was.kind || r->stride != was.stride ||
         r->origin != was.origin || r->align != was.align;
}

static bool look_at(struct tier_plan *p, int block, const struct ptx_insn *i) {
  int32_t regs[TIER_MOST_OPERANDS];
  if (has_unknown(p, i))
    return false;
  int count = tier_writes(i, regs);
  if (!count)
    return false;
  struct tier_value v = tier_kind_of(p, i);
  v.origin = origin_of(p, i);
  v.align = align_of(p, i);
  bool has_changed = false;
  for (int k = 0; k < count; k++)
    has_changed |= join(p, block, i, regs[k], v);
  return has_changed;
}

static bool look_at_end(struct tier_plan *p, struct tier_block *b) {
  const struct ptx_insn *i = &p->func->code[b->end - 1];
  bool parts = (i->op == PTX_OP_BRA || tier_is_end(i)) && i->guard >= 0 &&
               p->registers[i->guard].v.kind == TIER_VARYING;
  bool has_changed = parts && !b->is_parting;
  b->is_parting |= parts;
  return has_changed;
}

void tier_find_kinds(struct tier_plan *p) {
  for (bool more = true; more;) {
    more = false;
    tier_find_pending(p);
    for (int b = 0; b < p->block_count; b++) {
      if (!p->blocks[b].is_reached)
        continue;
      for (int n = p->blocks[b].first; n < p->blocks[b].end; n++)
        more |= look_at(p, b, &p->func->code[n]);
      more |= look_at_end(p, &p->blocks[b]);
    }
  }
}

// ---- NaNs ----

static bool see(struct tier_plan *p, const struct ptx_insn *i) {
  enum tier_look look = tier_looks(i);
  int32_t regs[TIER_MOST_OPERANDS], to[TIER_MOST_OPERANDS];
  int targets = tier_writes(i, to), count = tier_reads(i, regs);
  bool is_seen = look == TIER_LOOKS;
  for (int k = 0; look == TIER_HANDS_ON && k < targets; k++)
    is_seen |= p->registers[to[k]].is_seen;
  bool has_changed = false;
  for (int k = 0; is_seen && k < count; k++) {
    has_changed |= !p->registers[regs[k]].is_seen;
    p->registers[regs[k]].is_seen = true;
  }
  return has_changed;
}

static bool is_lazy_source(const struct tier_plan *p,
                           const struct ptx_operand *o) {
  if (o->kind == PTX_REGISTER)
    return p->registers[o->reg].is_lazy;
  return o->kind == PTX_IMMEDIATE && (o->bits & 0x7FFFFFFF) <= 0x7F800000;
}

static bool stays_lazy(const struct tier_plan *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  if (tier_makes_nan(i))
    return true;
  if (i->op == PTX_OP_SELP)
    return is_lazy_source(p, &o[1]) && is_lazy_source(p, &o[2]);
  return i->op == PTX_OP_MOV && o[0].kind == PTX_REGISTER &&
         is_lazy_source(p, &o[1]);
}

static bool wake(struct tier_plan *p, const struct ptx_insn *i) {
  int32_t to[TIER_MOST_OPERANDS];
  int count = tier_writes(i, to);
  bool has_changed = false;
  for (int k = 0; k < count && !stays_lazy(p, i); k++) {
    has_changed |= p->registers[to[k]].is_lazy;
    p->registers[to[k]].is_lazy = false;
  }
  return has_changed;
}

void tier_find_nans(struct tier_plan *p) {
  for (int r = 0; r < p->func->reg_count; r++)
    p->registers[r].is_lazy = p->registers[r].bits == 32;
  for (bool more = true; more;) {
    more = false;
    for (int n = p->func->code_count - 1; n >= 0; n--)
      more |= see(p, &p->func->code[n]) | wake(p, &p->func->code[n]);
  }
}
