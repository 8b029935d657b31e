// SPDX-License-Identifier: Apache-2.0
// f32 and f64, with the meanings of ../ops/ops_float.c: no step is left out or joined
// with another. An f32's NaN is made canonical where it is seen (tier_emit.c), an
// f64's is that of ../ops/nan64.h.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stdio.h>

static const char *scalar_of(const struct tier_emitter *e) {
  return e->i->type == PTX_F32 ? "float" : "double";
}
static int width_of(const struct tier_emitter *e) {
  return e->i->type == PTX_F32 ? 32 : 64;
}

struct tier_ir tier_cast(struct tier_emitter *e, struct tier_ir v,
                         const char *from, const char *to) {
  return tier_op(e, v.is_vector, "bitcast %s %s to %s",
                 tier_type(e, from, v.is_vector).s, v.s,
                 tier_type(e, to, v.is_vector).s);
}

static const char *bits_of(const struct tier_emitter *e) {
  return e->i->type == PTX_F32 ? "i32" : "i64";
}

static struct tier_ir source(struct tier_emitter *e, int n) {
  struct tier_ir v = tier_source(e, &e->i->operands[n], width_of(e));
  return tier_cast(e, v, bits_of(e), scalar_of(e));
}

static struct tier_ir number(struct tier_emitter *e, uint64_t n) {
  return tier_number(e, n, width_of(e));
}

static struct tier_ir two(struct tier_emitter *e, const char *name,
                          struct tier_ir x, struct tier_ir y) {
  return tier_op(e, e->is_vector, "%s %s %s, %s", name,
                 tier_type(e, scalar_of(e), e->is_vector).s, x.s, y.s);
}

static struct tier_ir intrinsic(struct tier_emitter *e, const char *name,
                                const char *scalar, const struct tier_ir *v,
                                int count) {
  struct tier_text t = tier_type(e, scalar, e->is_vector);
  const char *letter = scalar[0] == 'f' ? "f32" : "f64";
  char full[40];
  if (e->is_vector)
    snprintf(full, sizeof full, "llvm.%s.v%d%s", name, e->p->lanes, letter);
  else
    snprintf(full, sizeof full, "llvm.%s.%s", name, letter);
  if (count == 1) {
    tier_declare(e, "%s @%s(%s)", t.s, full, t.s);
    return tier_op(e, e->is_vector, "call %s @%s(%s %s)", t.s, full, t.s,
                   v[0].s);
  }
  tier_declare(e, "%s @%s(%s, %s, %s)", t.s, full, t.s, t.s, t.s);
  return tier_op(e, e->is_vector, "call %s @%s(%s %s, %s %s, %s %s)", t.s, full,
                 t.s, v[0].s, t.s, v[1].s, t.s, v[2].s);
}

// ---- NaNs of f64 ----

static struct tier_ir mend(struct tier_emitter *e, struct tier_ir r,
                           const struct tier_ir *x, int count) {
  struct tier_ir nan = number(e, UINT64_C(0xFFF8000000000000));
  struct tier_ir quiet = number(e, UINT64_C(1) << 51);
  for (int k = count - 1; k >= 0; k--) {
    struct tier_ir bits = tier_cast(e, x[k], "double", "i64");
    bits = tier_op(e, e->is_vector, "or %s %s, %s",
                   tier_int(e, 64, e->is_vector).s, bits.s, quiet.s);
    nan = tier_choose(e, "i64", two(e, "fcmp uno", x[k], x[k]), bits, nan);
  }
  struct tier_ir is_nan = two(e, "fcmp uno", r, r);
  struct tier_ir bits = tier_cast(e, r, "double", "i64");
  return tier_choose(e, "i64", is_nan, nan, bits);
}

static void finish(struct tier_emitter *e, struct tier_ir r,
                   const struct tier_ir *x, int count) {
  struct tier_ir v = e->i->type == PTX_F64 ? mend(e, r, x, count)
                                           : tier_cast(e, r, "float", "i32");
  tier_write(e, e->i->operands[0].reg, v, width_of(e), false);
}

// ---- Operations ----

static void emit_binary(struct tier_emitter *e, const char *name) {
  struct tier_ir x[2] = {source(e, 1), source(e, 2)};
  finish(e, two(e, name, x[0], x[1]), x, 2);
}

struct tier_ir tier_fused(struct tier_emitter *e) {
  struct tier_ir x[3] = {source(e, 1), source(e, 2), source(e, 3)};
  return intrinsic(e, "fma", scalar_of(e), x, 3);
}

static void emit_fused(struct tier_emitter *e) {
  if (e->i->round == PTX_RM) {
    tier_emit_fused_down(e);
    return;
  }
  struct tier_ir x[3] = {source(e, 1), source(e, 2), source(e, 3)};
  finish(e, intrinsic(e, "fma", scalar_of(e), x, 3), x, 3);
}

static struct tier_ir inverse(struct tier_emitter *e, const char *scalar,
                              struct tier_ir x) {
  struct tier_ir one = {"1.0", false};
  struct tier_text t = tier_type(e, scalar, e->is_vector);
  if (e->is_vector) {
    struct tier_ir v =
        tier_op(e, true, "insertelement %s poison, %s 1.0, i32 0", t.s, scalar);
    one = tier_op(e, true,
                  "shufflevector %s %s, %s poison, <%d x i32> zeroinitializer",
                  t.s, v.s, t.s, e->p->lanes);
  }
  return tier_op(e, e->is_vector, "fdiv %s %s, %s", t.s, one.s, x.s);
}

static void emit_inverse(struct tier_emitter *e) {
  struct tier_ir x = source(e, 1);
  finish(e, inverse(e, scalar_of(e), x), &x, 1);
}

static void emit_root(struct tier_emitter *e) {
  struct tier_ir x = source(e, 1);
  finish(e, intrinsic(e, "sqrt", scalar_of(e), &x, 1), &x, 1);
}

// ---- Inverse roots ----

// In double, as the interpreter does.
static struct tier_ir exact_root(struct tier_emitter *e, struct tier_ir x) {
  struct tier_text f = tier_type(e, "float", e->is_vector);
  struct tier_text d = tier_type(e, "double", e->is_vector);
  struct tier_ir wide =
      tier_op(e, e->is_vector, "fpext %s %s to %s", f.s, x.s, d.s);
  struct tier_ir root = intrinsic(e, "sqrt", "double", &wide, 1);
  struct tier_ir r = inverse(e, "double", root);
  return tier_op(e, e->is_vector, "fptrunc %s %s to %s", d.s, r.s, f.s);
}

// All lanes of a constant, as it is written.
static struct tier_ir all_lanes(struct tier_emitter *e, const char *scalar,
                                const char *value) {
  struct tier_text t = tier_type(e, scalar, true);
  struct tier_ir v = tier_op(e, true, "insertelement %s poison, %s %s, i32 0",
                             t.s, scalar, value);
  return tier_op(e, true,
                 "shufflevector %s %s, %s poison, <%d x i32> zeroinitializer",
                 t.s, v.s, t.s, e->p->lanes);
}

static struct tier_ir times(struct tier_emitter *e, const char *scalar,
                            struct tier_ir x, struct tier_ir y) {
  return tier_op(e, true, "fmul %s %s, %s", tier_type(e, scalar, true).s, x.s,
                 y.s);
}

// A step of Newton's: y + y * (1/2 - x * y * y / 2), of which the error is one and a
// half times the square of y's.
static struct tier_ir nearer(struct tier_emitter *e, const char *scalar,
                             struct tier_ir x, struct tier_ir y) {
  struct tier_ir half = all_lanes(e, scalar, "5.0e-01");
  struct tier_ir v[3] = {times(e, scalar, x, times(e, scalar, y, half)), y,
                         half};
  v[0] = tier_op(e, true, "fneg %s %s", tier_type(e, scalar, true).s, v[0].s);
  struct tier_ir off = intrinsic(e, "fma", scalar, v, 3);
  struct tier_ir w[3] = {y, off, y};
  return intrinsic(e, "fma", scalar, w, 3);
}

// Without a root or a quotient: a guess by the number's bits, 0.035 off at most. Two
// steps make that 5e-6; a third in float ends at float's own roundings, below 1e-7; and
// one in double is off by 110 in the last place of a double.
static struct tier_ir quick_root(struct tier_emitter *e, struct tier_ir x) {
  int W = e->p->lanes;
  struct tier_ir bits = tier_cast(e, x, "float", "i32");
  bits = tier_op(e, true, "lshr <%d x i32> %s, %s", W, bits.s,
                 all_lanes(e, "i32", "1").s);
  bits = tier_op(e, true, "sub <%d x i32> %s, %s", W,
                 all_lanes(e, "i32", "1597463174").s, bits.s);
  struct tier_ir y = tier_cast(e, bits, "i32", "float");
  for (int k = 0; k < 3; k++)
    y = nearer(e, "float", x, y);
  y = tier_op(e, true, "fpext <%d x float> %s to <%d x double>", W, y.s, W);
  x = tier_op(e, true, "fpext <%d x float> %s to <%d x double>", W, x.s, W);
  return nearer(e, "double", x, y);
}

// Lanes of which the double may round to another float than the interpreter's, which
// lies up to two in the last place from the root: near the middle between two floats;
// or whose number is no normal one above 0.
static struct tier_ir doubtful(struct tier_emitter *e, struct tier_ir x,
                               struct tier_ir y) {
  int W = e->p->lanes;
  struct tier_ir low = tier_cast(e, y, "double", "i64");
  low = tier_op(e, true, "and <%d x i64> %s, %s", W, low.s,
                all_lanes(e, "i64", "536870911").s); // 2^29 - 1
  low = tier_op(e, true, "sub <%d x i64> %s, %s", W, low.s,
                all_lanes(e, "i64", "268434432").s); // 2^28 - 1024
  low = tier_op(e, true, "icmp ult <%d x i64> %s, %s", W, low.s,
                all_lanes(e, "i64", "2049").s);
  struct tier_ir bits = tier_cast(e, x, "float", "i32");
  bits = tier_op(e, true, "sub <%d x i32> %s, %s", W, bits.s,
                 all_lanes(e, "i32", "8388608").s); // the least normal one
  bits = tier_op(e, true, "icmp uge <%d x i32> %s, %s", W, bits.s,
                 all_lanes(e, "i32", "2130706432").s); // to infinity
  struct tier_ir are =
      tier_op(e, true, "or <%d x i1> %s, %s", W, low.s, bits.s);
  are = tier_op(e, true, "and <%d x i1> %s, %s", W, are.s, e->mask.s);
  return tier_any(e, are);
}

static struct tier_ir inverse_root(struct tier_emitter *e, struct tier_ir x) {
  int W = e->p->lanes;
  if (!e->is_vector)
    return exact_root(e, x);
  struct tier_ir y = quick_root(e, x);
  struct tier_ir is_fine =
      tier_op(e, false, "xor i1 %s, true", doubtful(e, x, y).s);
  y = tier_op(e, true, "fptrunc <%d x double> %s to <%d x float>", W, y.s, W);
  int from = tier_label(e), slow = tier_label(e), end = tier_label(e);
  tier_line(e, "  br label %%l%d\nl%d:", from, from);
  tier_line(e,
            "  br i1 %s, label %%l%d, label %%l%d, !prof !1\nl%d:", is_fine.s,
            end, slow, slow);
  struct tier_ir z = exact_root(e, x);
  tier_line(e, "  br label %%l%d\nl%d:", end, end);
  return tier_op(e, true, "phi <%d x float> [ %s, %%l%d ], [ %s, %%l%d ]", W,
                 y.s, from, z.s, slow);
}

static void emit_inverse_root(struct tier_emitter *e) {
  struct tier_ir x = source(e, 1);
  finish(e, inverse_root(e, x), &x, 1);
}

// ---- The least and the greatest ----

// NaN only when both are; -0 is less than +0.
static void emit_extreme(struct tier_emitter *e) {
  bool is_min = e->i->op == PTX_OP_MIN;
  struct tier_ir x = source(e, 1), y = source(e, 2);
  const char *f = scalar_of(e);
  struct tier_text b = tier_int(e, 1, e->is_vector);
  struct tier_text t = tier_int(e, width_of(e), e->is_vector);
  struct tier_ir beyond = two(e, is_min ? "fcmp olt" : "fcmp ogt", x, y);
  struct tier_ir same = two(e, "fcmp oeq", x, y);
  struct tier_ir bits = tier_cast(e, x, f, bits_of(e));
  struct tier_ir sign =
      tier_op(e, e->is_vector, "icmp %s %s %s, %s", is_min ? "slt" : "sge", t.s,
              bits.s, number(e, 0).s);
  same = tier_op(e, e->is_vector, "and %s %s, %s", b.s, same.s, sign.s);
  struct tier_ir is_x =
      tier_op(e, e->is_vector, "or %s %s, %s", b.s, beyond.s, same.s);
  struct tier_ir r = tier_choose(e, f, is_x, x, y);
  r = tier_choose(e, f, two(e, "fcmp uno", y, y), x, r);
  r = tier_choose(e, f, two(e, "fcmp uno", x, x), y, r);
  tier_write(e, e->i->operands[0].reg, tier_cast(e, r, f, bits_of(e)),
             width_of(e), false);
}

static void emit_sign(struct tier_emitter *e) {
  bool is_abs = e->i->op == PTX_OP_ABS;
  int w = width_of(e);
  uint64_t top = UINT64_C(1) << (w - 1);
  struct tier_ir x = tier_source(e, &e->i->operands[1], w);
  struct tier_ir v = tier_op(
      e, e->is_vector, "%s %s %s, %s", is_abs ? "and" : "xor",
      tier_int(e, w, e->is_vector).s, x.s, number(e, is_abs ? ~top : top).s);
  tier_write(e, e->i->operands[0].reg, v, w, false);
}

void tier_emit_float(struct tier_emitter *e) {
  switch (e->i->op) {
  case PTX_OP_ADD: emit_binary(e, "fadd"); break;
  case PTX_OP_SUB: emit_binary(e, "fsub"); break;
  case PTX_OP_MUL: emit_binary(e, "fmul"); break;
  case PTX_OP_DIV: emit_binary(e, "fdiv"); break;
  case PTX_OP_MAD:
  case PTX_OP_FMA: emit_fused(e); break;
  case PTX_OP_RCP: emit_inverse(e); break;
  case PTX_OP_SQRT: emit_root(e); break;
  case PTX_OP_RSQRT: emit_inverse_root(e); break;
  case PTX_OP_EX2: tier_emit_power(e); break;
  case PTX_OP_MIN:
  case PTX_OP_MAX: emit_extreme(e); break;
  default: emit_sign(e);
  }
}
