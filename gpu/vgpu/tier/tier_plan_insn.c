// SPDX-License-Identifier: Apache-2.0
// One PTX instruction: which registers it reads and writes, and whether the tier
// takes it.
#include <stddef.h>

#include "gpu/vgpu/tier/tier_plan.h"

// ---- Registers ----

static int add_operand(const struct ptx_operand *o, int32_t *out, int n) {
  if ((o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS) && o->reg >= 0)
    out[n++] = o->reg;
  for (int k = 0; o->kind == PTX_VECTOR && k < o->dim; k++)
    if (o->regs[k] >= 0)
      out[n++] = o->regs[k];
  return n;
}

int tier_reads(const struct ptx_insn *i, int32_t out[TIER_MOST_OPERANDS]) {
  int n = 0;
  for (int k = ptx_has_destination(i) ? 1 : 0;
       k < i->operand_count && n + 9 < TIER_MOST_OPERANDS; k++)
    n = add_operand(&i->operands[k], out, n);
  if (i->guard >= 0)
    out[n++] = i->guard;
  return n;
}

int tier_writes(const struct ptx_insn *i, int32_t out[TIER_MOST_OPERANDS]) {
  if (!ptx_has_destination(i) || !i->operand_count)
    return 0;
  int n = add_operand(&i->operands[0], out, 0);
  if (i->operands[0].pair >= 0)
    out[n++] = i->operands[0].pair;
  return n;
}

// ---- What is taken ----

static bool is_int(int t) {
  return (t >= PTX_B16 && t <= PTX_B64) || (t >= PTX_U16 && t <= PTX_U64) ||
         (t >= PTX_S16 && t <= PTX_S64);
}
static bool is_word(int t) { // 32 or 64 bits, an integer's
  int bytes = ptx_type_bytes((enum ptx_type)t);
  return is_int(t) && (bytes == 4 || bytes == 8);
}
static bool is_float(int t) {
  return t == PTX_F32 || t == PTX_F64;
}

static const char *plain_float(const struct ptx_insn *i) {
  if (i->ftz || i->sat)
    return ".ftz and .sat";
  if (i->round != PTX_ROUND_NONE && i->round != PTX_RN)
    return "a rounding but .rn";
  return NULL;
}

// Integers, or floats without modifiers.
static const char *arithmetic(const struct ptx_insn *i) {
  if (i->cc)
    return "a carry";
  if (is_float(i->type))
    return i->abs || i->relu || i->nan ? "this modifier" : plain_float(i);
  if (i->sat || i->relu)
    return "saturation";
  return is_int(i->type) ? NULL : "this type";
}

static const char *float_only(const struct ptx_insn *i) {
  return is_float(i->type) && !i->abs && !i->relu ? plain_float(i)
                                                  : "this type";
}

// Sums of a product are rounded down as well, in float.
static const char *fused(const struct ptx_insn *i) {
  bool is_down = i->type == PTX_F32 && i->round == PTX_RM && !i->ftz &&
                 !i->sat && !i->abs && !i->relu && !i->oob;
  return is_down ? NULL : float_only(i);
}

static const char *mov(const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  if (i->type == PTX_B128)
    return "128 bits";
  if (o[0].kind == PTX_VECTOR || o[1].kind == PTX_VECTOR) {
    const struct ptx_operand *v = o[0].kind == PTX_VECTOR ? &o[0] : &o[1];
    int part = ptx_type_bytes((enum ptx_type)i->type) / (v->dim ? v->dim : 1);
    return v->dim == 2 && part >= 2 ? NULL : "this packing";
  }
  if (o[1].kind == PTX_SYMBOL)
    return o[1].var && o[1].var->space == PTX_SHARED
               ? NULL
               : "this variable's address";
  if (o[1].kind == PTX_SPECIAL)
    return (o[1].reg <= PTX_SREG_LANEID || o[1].reg == PTX_SREG_WARPID) &&
                   o[1].dim < 3
               ? NULL
               : "this special register";
  return NULL;
}

// Of the kernel's own parameters, at a place that is known now: where it does not lie
// inside or is not aligned, the interpreter says so (is_fixed_param in decode.c).
static const char *parameter(const struct ptx_func *f,
                             const struct ptx_insn *i) {
  const struct ptx_operand *a = &i->operands[1];
  if (i->op != PTX_OP_LD || !i->is_entry_param || !a->var || a->reg >= 0)
    return "a parameter of a call";
  uint64_t at = a->var->offset + (uint64_t)a->offset;
  uint64_t bytes = (uint64_t)ptx_type_bytes((enum ptx_type)i->type) *
                   (uint64_t)(i->vec ? i->vec : 1);
  bool is_inside = at <= f->param_bytes && bytes <= f->param_bytes - at;
  return is_inside && at % bytes == 0 ? NULL : "a place that no parameter has";
}

static const char *memory(const struct ptx_func *f, const struct ptx_insn *i) {
  if (i->sem > PTX_WEAK)
    return "a volatile or ordered access";
  int bytes = ptx_type_bytes((enum ptx_type)i->type);
  const struct ptx_operand *a = &i->operands[i->op == PTX_OP_ST ? 0 : 1];
  if (a->kind != PTX_ADDRESS || bytes > 8 || i->vec > 4)
    return "this operand";
  if (i->space == PTX_PARAM)
    return parameter(f, i);
  if (i->space != PTX_GLOBAL && i->space != PTX_SHARED)
    return i->space == PTX_GENERIC ? "a generic address"
                                   : "local or constant memory";
  if (i->space == PTX_GLOBAL && (a->reg < 0 || a->var))
    return "a module variable";
  return NULL;
}

// Sums of integers that nobody looks at come out the same in any order.
static const char *atomic(const struct ptx_insn *i) {
  bool is_sum = i->sub == PTX_ATOM_ADD || i->sub == PTX_ATOM_MIN ||
                i->sub == PTX_ATOM_MAX || i->sub == PTX_ATOM_AND ||
                i->sub == PTX_ATOM_OR || i->sub == PTX_ATOM_XOR;
  if (i->space != PTX_SHARED && i->space != PTX_GLOBAL)
    return "a generic address";
  const struct ptx_operand *at = &i->operands[i->op == PTX_OP_RED ? 0 : 1];
  if (at->kind != PTX_ADDRESS || at->reg < 0 ||
      (i->space == PTX_GLOBAL && at->var))
    return "a module variable";
  if (!is_sum || !is_word(i->type) || i->vec > 1)
    return "an operation whose order shows";
  return i->sem <= PTX_RELAXED && i->sem != PTX_VOLATILE ? NULL : "this order";
}

uint16_t tier_sum_of(const struct ptx_insn *i) {
  return (uint16_t)((i->sub + 1) << 8 | i->type);
}

int tier_atomic_result(const struct ptx_insn *i) {
  return i->op == PTX_OP_ATOM && i->operands[0].kind == PTX_REGISTER
             ? i->operands[0].reg
             : -1;
}

static const char *convert(const struct ptx_insn *i) {
  int to = i->type, from = i->type2;
  bool to_float = is_float(to), from_float = is_float(from);
  bool to_int = to >= PTX_U8 && to <= PTX_S64;
  bool from_int = from >= PTX_U8 && from <= PTX_S64;
  bool is_clamped = i->sat && !(to == PTX_F32 && from == PTX_F32);
  if (is_clamped || i->ftz || i->relu || i->satfinite || i->pack ||
      i->operand_count != 2)
    return "this conversion";
  if (to_int && from_int)
    return NULL;
  bool is_nearest = i->round == PTX_ROUND_NONE || i->round == PTX_RN;
  if (to_float && from_int)
    return is_nearest && ptx_type_bytes((enum ptx_type)from) == 4
               ? NULL
               : "this conversion";
  if (to == PTX_S32 && from == PTX_F32)
    return i->round == PTX_RZI ? NULL : "this conversion";
  if (to_float && from_float && to != from)
    return is_nearest ? NULL : "this conversion";
  return to == from && to == PTX_F32 && i->round < PTX_RNI ? NULL
                                                           : "this conversion";
}

static const char *compare(const struct ptx_insn *i) {
  if (i->ftz)
    return ".ftz and .sat";
  return is_int(i->type) || is_float(i->type) ? NULL : "this type";
}

static bool is_literal(const struct ptx_operand *o) {
  return o->kind == PTX_IMMEDIATE;
}

static const char *shuffle(const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  return is_literal(&o[2]) && is_literal(&o[3]) && is_literal(&o[4]) &&
                 (uint32_t)o[4].bits == UINT32_MAX
             ? NULL
             : "a shuffle whose lanes are not written as numbers";
}

static const char *barrier(const struct ptx_insn *i) {
  return i->sub == PTX_BAR_SYNC && i->operand_count == 1 &&
                 is_literal(&i->operands[0]) && i->guard < 0
             ? NULL
             : "this barrier";
}

const char *tier_refuses(const struct ptx_func *f, const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_DIV:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_ABS:
  case PTX_OP_NEG: return arithmetic(i);
  case PTX_OP_REM: return is_int(i->type) ? NULL : "this type";
  case PTX_OP_FMA: return fused(i);
  case PTX_OP_EX2: return i->type == PTX_F32 ? NULL : "this type";
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
    return i->type == PTX_F64 && i->approx ? "an approximation" : float_only(i);
  case PTX_OP_RSQRT: return i->type == PTX_F32 ? float_only(i) : "this type";
  case PTX_OP_POPC:
  case PTX_OP_CLZ:
  case PTX_OP_BREV: return is_word(i->type) ? NULL : "this type";
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_NOT:
    return i->type == PTX_PRED || is_int(i->type) ? NULL : "this type";
  case PTX_OP_SHL:
  case PTX_OP_SHR: return is_int(i->type) ? NULL : "this type";
  case PTX_OP_SHF: return NULL;
  case PTX_OP_LOP3:
    return !i->boolop && is_literal(&i->operands[4]) ? NULL : "this table";
  case PTX_OP_SELP: return NULL;
  case PTX_OP_SETP: return compare(i);
  case PTX_OP_MOV: return mov(i);
  case PTX_OP_CVTA: return i->space == PTX_GLOBAL ? NULL : "a generic address";
  case PTX_OP_CVT: return convert(i);
  case PTX_OP_LD:
  case PTX_OP_ST: return memory(f, i);
  case PTX_OP_ATOM:
  case PTX_OP_RED: return atomic(i);
  case PTX_OP_SHFL: return shuffle(i);
  case PTX_OP_BAR:
  case PTX_OP_BARRIER: return barrier(i);
  case PTX_OP_BRA:
  case PTX_OP_RET:
  case PTX_OP_EXIT: return NULL;
  default: return "";
  }
}

const char *tier_refuses_checked(const struct ptx_insn *i) {
  bool is_sum = i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
  return is_sum && i->space == PTX_GLOBAL && i->scope == PTX_CTA
             ? "checks that only the interpreter has"
             : NULL;
}

// ---- NaNs ----

bool tier_makes_nan(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_DIV:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_FMA:
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
  case PTX_OP_EX2:
  case PTX_OP_RSQRT: return i->type == PTX_F32;
  default: return false;
  }
}

enum tier_look tier_looks(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_SETP: return i->type == PTX_F32 ? TIER_IGNORES : TIER_LOOKS;
  case PTX_OP_CVT:
    return i->type == PTX_S32 && i->type2 == PTX_F32   ? TIER_IGNORES
           : i->type == PTX_F32 && i->type2 == PTX_F32 ? TIER_HANDS_ON
                                                       : TIER_LOOKS;
  case PTX_OP_MOV:
    return i->operands[0].kind == PTX_REGISTER &&
                   i->operands[1].kind == PTX_REGISTER
               ? TIER_HANDS_ON
               : TIER_LOOKS;
  case PTX_OP_SELP: return TIER_HANDS_ON;
  case PTX_OP_ABS:
  case PTX_OP_NEG: return i->type == PTX_F32 ? TIER_HANDS_ON : TIER_LOOKS;
  default: return tier_makes_nan(i) ? TIER_IGNORES : TIER_LOOKS;
  }
}

// ---- Control ----

bool tier_is_warp_op(const struct ptx_insn *i) {
  return i->op == PTX_OP_SHFL;
}
bool tier_is_barrier(const struct ptx_insn *i) {
  return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER;
}
bool tier_is_end(const struct ptx_insn *i) {
  return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}
bool tier_ends_block(const struct ptx_insn *i) {
  return i->op == PTX_OP_BRA || tier_is_end(i) || tier_is_barrier(i);
}
