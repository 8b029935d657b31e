// SPDX-License-Identifier: Apache-2.0
// Moves, conversions, selection and comparison.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stdio.h>

static int width_of(int type) {
  return type == PTX_PRED ? 1 : 8 * ptx_type_bytes((enum ptx_type)type);
}
static bool is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}
static bool is_float(int t) {
  return t == PTX_F32 || t == PTX_F64;
}

// ---- mov ----

static struct tier_ir vector_part(struct tier_emitter *e,
                                  const struct ptx_operand *o, int n,
                                  int bits) {
  if (o->regs[n] >= 0)
    return tier_register_as(e, o->regs[n], bits, e->is_vector);
  struct tier_ir c = tier_constant(o->regs[n] == -2 ? o->reg_bits[n] : 0, bits);
  return e->is_vector ? tier_splat(e, c, bits) : c;
}

static struct tier_ir shifted(struct tier_emitter *e, const char *name,
                              struct tier_ir v, int by, int bits) {
  struct tier_ir n = tier_constant((uint64_t)by, bits);
  if (e->is_vector)
    n = tier_splat(e, n, bits);
  return tier_op(e, e->is_vector, "%s %s %s, %s", name,
                 tier_int(e, bits, e->is_vector).s, v.s, n.s);
}

static void emit_pack(struct tier_emitter *e) {
  const struct ptx_operand *o = e->i->operands;
  int whole = width_of(e->i->type), part = whole / 2;
  struct tier_ir low =
      tier_resize(e, vector_part(e, &o[1], 0, part), part, whole, false);
  struct tier_ir high =
      tier_resize(e, vector_part(e, &o[1], 1, part), part, whole, false);
  high = shifted(e, "shl", high, part, whole);
  struct tier_ir v = tier_op(e, e->is_vector, "or %s %s, %s",
                             tier_int(e, whole, e->is_vector).s, low.s, high.s);
  tier_write(e, o[0].reg, v, whole, false);
}

static void emit_unpack(struct tier_emitter *e) {
  const struct ptx_operand *o = e->i->operands;
  int whole = width_of(e->i->type), part = whole / 2;
  struct tier_ir v = tier_source(e, &o[1], whole);
  struct tier_ir high = shifted(e, "lshr", v, part, whole);
  tier_write(e, o[0].regs[0], tier_resize(e, v, whole, part, false), part,
             false);
  tier_write(e, o[0].regs[1], tier_resize(e, high, whole, part, false), part,
             false);
}

static void emit_mov(struct tier_emitter *e) {
  const struct ptx_operand *o = e->i->operands;
  int w = width_of(e->i->type);
  if (o[1].kind == PTX_VECTOR)
    emit_pack(e);
  else if (o[0].kind == PTX_VECTOR)
    emit_unpack(e);
  else if (o[0].kind == PTX_REGISTER) // all of narrow registers' 32 bits
    tier_write(e, o[0].reg, tier_source(e, &o[1], w == 16 || w == 8 ? 32 : w),
               w == 16 || w == 8 ? 32 : w, is_signed(e->i->type));
}

// ---- cvt ----

static struct tier_ir int_to_int(struct tier_emitter *e, int *bits) {
  const struct ptx_insn *i = e->i;
  int from = width_of(i->type2), to = width_of(i->type);
  struct tier_ir v = tier_source(e, &i->operands[1], from);
  if (from == 32 && to == 64)
    tier_check_row(e, &i->operands[1], v, is_signed(i->type2));
  *bits = to;
  return tier_resize(e, v, from, to, is_signed(i->type2));
}

static struct tier_ir truncate_float(struct tier_emitter *e, struct tier_ir x) {
  struct tier_text f = tier_type(e, "float", e->is_vector);
  struct tier_text t = tier_int(e, 32, e->is_vector);
  char name[48] = "llvm.fptosi.sat.i32.f32";
  if (e->is_vector)
    snprintf(name, sizeof name, "llvm.fptosi.sat.v%di32.v%df32", e->p->lanes,
             e->p->lanes);
  tier_declare(e, "%s @%s(%s)", t.s, name, f.s);
  return tier_op(e, e->is_vector, "call %s @%s(%s %s)", t.s, name, f.s, x.s);
}

static struct tier_ir float_cvt(struct tier_emitter *e, int *bits) {
  const struct ptx_insn *i = e->i;
  struct tier_ir x = tier_source(e, &i->operands[1], width_of(i->type2));
  *bits = width_of(i->type);
  const char *to = i->type == PTX_F32 ? "float" : "double";
  const char *to_int = i->type == PTX_F32 ? "i32" : "i64";
  if (!is_float(i->type2)) {
    x = tier_convert(e, is_signed(i->type2) ? "sitofp" : "uitofp", x, "i32",
                     to);
    return tier_cast(e, x, to, to_int);
  }
  if (i->type == i->type2)
    return i->sat ? tier_saturated(e, x) : x;
  x = i->type2 == PTX_F32 ? tier_cast(e, x, "i32", "float")
                          : tier_cast(e, x, "i64", "double");
  if (!is_float(i->type))
    return truncate_float(e, x);
  x = i->type == PTX_F64 ? tier_convert(e, "fpext", x, "float", "double")
                         : tier_convert(e, "fptrunc", x, "double", "float");
  return tier_cast(e, x, to, to_int);
}

static void emit_cvt(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int bits;
  bool is_int = !is_float(i->type) && !is_float(i->type2);
  struct tier_ir v = is_int ? int_to_int(e, &bits) : float_cvt(e, &bits);
  tier_write(e, i->operands[0].reg, v, bits, is_signed(i->type));
}

// ---- selp, setp ----

static void emit_selp(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type) < 32 ? 32 : width_of(i->type);
  struct tier_text t = tier_int(e, w, e->is_vector);
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  struct tier_ir c = tier_source(e, &i->operands[3], 1);
  struct tier_ir v =
      tier_op(e, e->is_vector, "select %s %s, %s %s, %s %s",
              tier_int(e, 1, e->is_vector).s, c.s, t.s, x.s, t.s, y.s);
  tier_write(e, i->operands[0].reg, v, w, is_signed(i->type));
}

static const char *int_condition(int cmp, bool sign) {
  switch (cmp) {
  case PTX_EQ: return "eq";
  case PTX_NE: return "ne";
  case PTX_LT: return sign ? "slt" : "ult";
  case PTX_LO: return sign ? "slt" : "ult";
  case PTX_LE:
  case PTX_LS: return sign ? "sle" : "ule";
  case PTX_GT:
  case PTX_HI: return sign ? "sgt" : "ugt";
  default: return sign ? "sge" : "uge";
  }
}

static const char *float_condition(int cmp) {
  switch (cmp) {
  case PTX_EQ: return "oeq";
  case PTX_NE: return "one";
  case PTX_LT: return "olt";
  case PTX_LE: return "ole";
  case PTX_GT: return "ogt";
  case PTX_GE: return "oge";
  case PTX_EQU: return "ueq";
  case PTX_NEU: return "une";
  case PTX_LTU: return "ult";
  case PTX_LEU: return "ule";
  case PTX_GTU: return "ugt";
  case PTX_GEU: return "uge";
  case PTX_NUM: return "ord";
  default: return "uno";
  }
}

static struct tier_ir compare(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type);
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  if (!is_float(i->type))
    return tier_op(e, e->is_vector, "icmp %s %s %s, %s",
                   int_condition(i->cmp, is_signed(i->type)),
                   tier_int(e, w, e->is_vector).s, x.s, y.s);
  const char *f = i->type == PTX_F32 ? "float" : "double";
  const char *t = i->type == PTX_F32 ? "i32" : "i64";
  x = tier_cast(e, x, t, f);
  y = tier_cast(e, y, t, f);
  return tier_op(e, e->is_vector, "fcmp %s %s %s, %s", float_condition(i->cmp),
                 tier_type(e, f, e->is_vector).s, x.s, y.s);
}

static struct tier_ir with_boolop(struct tier_emitter *e, struct tier_ir r) {
  const struct ptx_insn *i = e->i;
  if (i->boolop == PTX_BOOL_NONE)
    return r;
  struct tier_ir c = tier_source(e, &i->operands[3], 1);
  return tier_op(e, e->is_vector, "%s %s %s, %s",
                 i->boolop == PTX_BOOL_AND  ? "and"
                 : i->boolop == PTX_BOOL_OR ? "or"
                                            : "xor",
                 tier_int(e, 1, e->is_vector).s, r.s, c.s);
}

static void emit_setp(struct tier_emitter *e) {
  const struct ptx_operand *o = e->i->operands;
  struct tier_ir r = compare(e), ones = tier_constant(1, 1);
  struct tier_ir p = with_boolop(e, r);
  if (o[0].pair >= 0) {
    ones = e->is_vector ? tier_splat(e, ones, 1) : ones;
    struct tier_ir q = tier_op(e, e->is_vector, "xor %s %s, %s",
                               tier_int(e, 1, e->is_vector).s, r.s, ones.s);
    q = with_boolop(e, q);
    if (o[0].kind == PTX_REGISTER)
      tier_write(e, o[0].reg, p, 1, false);
    tier_write(e, o[0].pair, q, 1, false);
    return;
  }
  if (o[0].kind == PTX_REGISTER)
    tier_write(e, o[0].reg, p, 1, false);
}

void tier_emit_move(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  switch (i->op) {
  case PTX_OP_MOV: emit_mov(e); break;
  case PTX_OP_CVTA:
    tier_write(e, i->operands[0].reg, tier_source(e, &i->operands[1], 64), 64,
               false);
    break;
  case PTX_OP_CVT: emit_cvt(e); break;
  case PTX_OP_SELP: emit_selp(e); break;
  default: emit_setp(e);
  }
}
