// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, logic and shifts, with the meanings of ../ops/alu.def.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stdio.h>

#include "gpu/vgpu/tier/tier_emit_checked.h"

static int width_of(int type) {
  return 8 * ptx_type_bytes((enum ptx_type)type);
}
static bool is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

static struct tier_ir two(struct tier_emitter *e, const char *name,
                          struct tier_ir x, struct tier_ir y, int bits) {
  return tier_op(e, e->is_vector, "%s %s %s, %s", name,
                 tier_int(e, bits, e->is_vector).s, x.s, y.s);
}
static struct tier_ir choose(struct tier_emitter *e, struct tier_ir c,
                             struct tier_ir x, struct tier_ir y, int bits) {
  char scalar[8];
  snprintf(scalar, sizeof scalar, "i%d", bits);
  return tier_choose(e, scalar, c, x, y);
}
static struct tier_ir extend(struct tier_emitter *e, struct tier_ir v, int from,
                             int to, bool sign) {
  return tier_op(e, e->is_vector, "%s %s %s to %s", sign ? "sext" : "zext",
                 tier_int(e, from, e->is_vector).s, v.s,
                 tier_int(e, to, e->is_vector).s);
}
static struct tier_ir cut(struct tier_emitter *e, struct tier_ir v, int from,
                          int to) {
  return tier_op(e, e->is_vector, "trunc %s %s to %s",
                 tier_int(e, from, e->is_vector).s, v.s,
                 tier_int(e, to, e->is_vector).s);
}
static struct tier_ir call(struct tier_emitter *e, const char *name, int bits,
                           struct tier_ir v, const char *more) {
  struct tier_text t = tier_int(e, bits, e->is_vector);
  char suffix[24];
  if (e->is_vector)
    snprintf(suffix, sizeof suffix, "v%di%d", e->p->lanes, bits);
  else
    snprintf(suffix, sizeof suffix, "i%d", bits);
  tier_declare(e, "%s @llvm.%s.%s(%s%s)", t.s, name, suffix, t.s,
               *more ? ", i1" : "");
  return tier_op(e, e->is_vector, "call %s @llvm.%s.%s(%s %s%s)", t.s, name,
                 suffix, t.s, v.s, more);
}

static void finish(struct tier_emitter *e, struct tier_ir v, int bits) {
  tier_write(e, e->i->operands[0].reg, v, bits, is_signed(e->i->type));
}

// ---- Products ----

void tier_check_row(struct tier_emitter *e, const struct ptx_operand *o,
                    struct tier_ir base, bool sign) {
  struct tier_value v = tier_value_of(e->p, o);
  if (e->is_vector || v.kind != TIER_ROW)
    return;
  struct tier_ir wide = extend(e, base, 32, 64, sign);
  struct tier_ir last = tier_op(e, false, "add i64 %s, %lld", wide.s,
                                (long long)v.stride * (e->p->lanes - 1));
  struct tier_ir back = cut(e, last, 64, 32);
  struct tier_ir again = extend(e, back, 32, 64, sign);
  tier_must(e, tier_op(e, false, "icmp eq i64 %s, %s", again.s, last.s));
}

static struct tier_ir product(struct tier_emitter *e, int *bits) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type);
  bool sign = is_signed(i->type);
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  *bits = w;
  if (i->part != PTX_WIDE && i->part != PTX_HI_PART)
    return two(e, "mul", x, y, w);
  if (i->part == PTX_WIDE && w == 32)
    tier_check_row(e, &i->operands[1], x, sign);
  x = extend(e, x, w, 2 * w, sign);
  y = extend(e, y, w, 2 * w, sign);
  struct tier_ir p = two(e, "mul", x, y, 2 * w);
  if (i->part == PTX_HI_PART)
    return cut(e, two(e, "lshr", p, tier_number(e, (uint64_t)w, 2 * w), 2 * w),
               2 * w, w);
  *bits = 2 * w;
  return p;
}

static void emit_product(struct tier_emitter *e) {
  int bits;
  struct tier_ir v = product(e, &bits);
  if (e->i->op == PTX_OP_MAD)
    v = two(e, "add", v, tier_source(e, &e->i->operands[3], bits), bits);
  finish(e, v, bits);
}

// ---- Quotients ----

// By zero gives all ones, and the most negative number by -1 itself.
static void emit_quotient(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type);
  bool sign = is_signed(i->type), is_rem = i->op == PTX_OP_REM;
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  struct tier_ir zero = tier_number(e, 0, w), one = tier_number(e, 1, w);
  struct tier_ir ones = tier_number(e, UINT64_MAX, w);
  struct tier_ir by_zero = two(e, "icmp eq", y, zero, w);
  if (e->p->is_checked)
    tier_forbid(e, by_zero);
  struct tier_ir safe = choose(e, by_zero, one, y, w);
  struct tier_ir by_minus = by_zero;
  if (sign) {
    by_minus = two(e, "icmp eq", y, ones, w);
    safe = choose(e, by_minus, one, safe, w);
  }
  struct tier_ir v = two(e,
                         is_rem ? (sign ? "srem" : "urem")
                         : sign ? "sdiv"
                                : "udiv",
                         x, safe, w);
  if (sign && !is_rem)
    v = choose(e, by_minus, two(e, "sub", zero, x, w), v, w);
  finish(e, choose(e, by_zero, ones, v, w), w);
}

// ---- Shifts ----

static void emit_shift(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type);
  bool is_left = i->op == PTX_OP_SHL, sign = is_signed(i->type) && !is_left;
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir n = tier_source(e, &i->operands[2], 32);
  struct tier_ir far =
      two(e, "icmp ugt", n, tier_number(e, (uint64_t)w - 1, 32), 32);
  n = choose(e, far, tier_number(e, (uint64_t)w - 1, 32), n, 32);
  if (w == 64)
    n = extend(e, n, 32, 64, false);
  else if (w == 16)
    n = cut(e, n, 32, 16);
  struct tier_ir v = two(e, is_left ? "shl" : sign ? "ashr" : "lshr", x, n, w);
  if (!sign)
    v = choose(e, far, tier_number(e, 0, w), v, w);
  finish(e, v, w);
}

// The 64 bits of two words, shifted.
static void emit_funnel(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  bool is_left = i->sub == PTX_SHF_L;
  struct tier_ir low = tier_source(e, &i->operands[1], 32);
  struct tier_ir high = tier_source(e, &i->operands[2], 32);
  struct tier_ir n = tier_source(e, &i->operands[3], 32);
  struct tier_text t = tier_int(e, 32, e->is_vector);
  char name[32];
  if (e->is_vector)
    snprintf(name, sizeof name, "%s.v%di32", is_left ? "fshl" : "fshr",
             e->p->lanes);
  else
    snprintf(name, sizeof name, "%s.i32", is_left ? "fshl" : "fshr");
  tier_declare(e, "%s @llvm.%s(%s, %s, %s)", t.s, name, t.s, t.s, t.s);
  struct tier_ir v =
      tier_op(e, e->is_vector, "call %s @llvm.%s(%s %s, %s %s, %s %s)", t.s,
              name, t.s, high.s, t.s, low.s, t.s, n.s);
  if (i->clamp) {
    struct tier_ir far = two(e, "icmp ugt", n, tier_number(e, 31, 32), 32);
    v = choose(e, far, is_left ? low : high, v, 32);
  }
  finish(e, v, 32);
}

// ---- The rest ----

static void emit_lop3(struct tier_emitter *e) {
  const struct ptx_operand *o = e->i->operands;
  struct tier_ir x[3], not [3], ones = tier_number(e, UINT64_MAX, 32);
  struct tier_ir v = tier_number(e, 0, 32);
  for (int k = 0; k < 3; k++) {
    x[k] = tier_source(e, &o[k + 1], 32);
    not [k] = two(e, "xor", x[k], ones, 32);
  }
  for (int k = 0; k < 8; k++) {
    if (!(o[4].bits >> k & 1))
      continue;
    struct tier_ir t =
        two(e, "and", k & 4 ? x[0] : not [0], k & 2 ? x[1] : not [1], 32);
    t = two(e, "and", t, k & 1 ? x[2] : not [2], 32);
    v = two(e, "or", v, t, 32);
  }
  finish(e, v, 32);
}

static void emit_extreme(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int w = width_of(i->type);
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  bool is_min = i->op == PTX_OP_MIN, sign = is_signed(i->type);
  struct tier_ir c = two(e,
                         is_min ? (sign ? "icmp slt" : "icmp ult")
                                : (sign ? "icmp sgt" : "icmp ugt"),
                         x, y, w);
  finish(e, choose(e, c, x, y, w), w);
}

static void emit_unary(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  bool is_pred = i->type == PTX_PRED;
  int w = is_pred ? 1 : width_of(i->type);
  struct tier_ir x = tier_source(e, &i->operands[1], w), v;
  switch (i->op) {
  case PTX_OP_NOT:
    v = two(e, "xor", x, tier_number(e, UINT64_MAX, w), w);
    break;
  case PTX_OP_NEG: v = two(e, "sub", tier_number(e, 0, w), x, w); break;
  case PTX_OP_ABS:
    v = choose(e, two(e, "icmp slt", x, tier_number(e, 0, w), w),
               two(e, "sub", tier_number(e, 0, w), x, w), x, w);
    break;
  case PTX_OP_BREV: v = call(e, "bitreverse", w, x, ""); break;
  case PTX_OP_POPC: v = call(e, "ctpop", w, x, ""); break;
  default: v = call(e, "ctlz", w, x, ", i1 false");
  }
  bool is_count = i->op == PTX_OP_POPC || i->op == PTX_OP_CLZ;
  if (is_count && w == 64)
    v = cut(e, v, 64, 32);
  tier_write(e, i->operands[0].reg, v, is_count ? 32 : w,
             is_signed(i->type) && !is_count);
}

static void emit_plain(struct tier_emitter *e, const char *name) {
  const struct ptx_insn *i = e->i;
  int w = i->type == PTX_PRED ? 1 : width_of(i->type);
  struct tier_ir x = tier_source(e, &i->operands[1], w);
  struct tier_ir y = tier_source(e, &i->operands[2], w);
  finish(e, two(e, name, x, y, w), w);
}

void tier_emit_alu(struct tier_emitter *e) {
  switch (e->i->op) {
  case PTX_OP_ADD: emit_plain(e, "add"); break;
  case PTX_OP_SUB: emit_plain(e, "sub"); break;
  case PTX_OP_AND: emit_plain(e, "and"); break;
  case PTX_OP_OR: emit_plain(e, "or"); break;
  case PTX_OP_XOR: emit_plain(e, "xor"); break;
  case PTX_OP_MUL:
  case PTX_OP_MAD: emit_product(e); break;
  case PTX_OP_DIV:
  case PTX_OP_REM: emit_quotient(e); break;
  case PTX_OP_SHL:
  case PTX_OP_SHR: emit_shift(e); break;
  case PTX_OP_SHF: emit_funnel(e); break;
  case PTX_OP_LOP3: emit_lop3(e); break;
  case PTX_OP_MIN:
  case PTX_OP_MAX: emit_extreme(e); break;
  default: emit_unary(e);
  }
}
