// SPDX-License-Identifier: Apache-2.0
// f32 and f64, with the meanings of ../ops/ops_float.c: no step is left out or joined
// with another. An f32's NaN is made canonical where it is seen (tier_emit.c), an
// f64's is that of ../ops/nan64.h.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stdio.h>

#include "gpu/vgpu/tier/tier_relocate.h"

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
  if (e->is_vector)
    one = tier_all_lanes(e, scalar, one.s);
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

static struct tier_ir times(struct tier_emitter *e, const char *scalar,
                            struct tier_ir x, struct tier_ir y) {
  return tier_op(e, true, "fmul %s %s, %s", tier_type(e, scalar, true).s, x.s,
                 y.s);
}

static struct tier_ir fused(struct tier_emitter *e, struct tier_ir x,
                            struct tier_ir y, struct tier_ir z) {
  struct tier_ir v[3] = {x, y, z};
  return intrinsic(e, "fma", "float", v, 3);
}

static struct tier_ir less(struct tier_emitter *e, struct tier_ir x,
                           struct tier_ir y, struct tier_ir from) {
  struct tier_text t = tier_type(e, "float", true);
  return fused(e, tier_op(e, true, "fneg %s %s", t.s, x.s), y, from);
}

// A step of Newton's: y + y * (1/2 - x * y * y / 2), of which the error is one and a
// half times the square of y's, and two roundings.
static struct tier_ir nearer(struct tier_emitter *e, struct tier_ir x,
                             struct tier_ir y) {
  struct tier_ir half = tier_all_lanes(e, "float", "5.0e-01");
  struct tier_ir v = times(e, "float", x, times(e, "float", y, half));
  return fused(e, y, less(e, v, y, half), y);
}

// By the number's bits, 0.035 off at most; of none that is normal and above 0, no number.
static struct tier_ir guess_by_bits(struct tier_emitter *e, struct tier_ir x) {
  struct tier_ir bits = tier_cast(e, x, "float", "i32");
  struct tier_ir above =
      tier_op(e, true, "sub %%i %s, %s", bits.s,
              tier_all_lanes(e, "i32", "8388608").s); // the least
  struct tier_ir is_odd =
      tier_op(e, true, "icmp uge %%i %s, %s", above.s,
              tier_all_lanes(e, "i32", "2130706432").s); // to infinity
  bits = tier_op(e, true, "lshr %%i %s, %s", bits.s,
                 tier_all_lanes(e, "i32", "1").s);
  bits = tier_op(e, true, "sub %%i %s, %s",
                 tier_all_lanes(e, "i32", "1597463174").s, bits.s);
  bits = tier_choose(e, "i32", is_odd, tier_all_lanes(e, "i32", "2147483647"),
                     bits);
  return tier_cast(e, bits, "i32", "float");
}

// Lanes of which the processor guesses inverse roots at once; 0: it is not asked to. All
// have AVX for which the tier makes code.
static int guesses_of(const struct tier_emitter *e) {
  if (TIER_MACHINE != EM_X86_64)
    return 0;
  return e->has_avx512 && e->p->lanes > 8 ? 16 : 8;
}

// The processor's own guess, of 8 or 16 lanes: 1.5 / 2^12 or 1 / 2^14 off at most; of 0
// and of what has no root above 0 that is finite, one whose rest is no number (below).
static struct tier_ir guess_by_x86(struct tier_emitter *e, struct tier_ir x,
                                   int lanes) {
  if (lanes > guesses_of(e)) {
    int half = lanes / 2;
    struct tier_ir low = tier_take(e, "float", lanes, x, 0, half);
    struct tier_ir high = tier_take(e, "float", lanes, x, half, half);
    low = guess_by_x86(e, low, half);
    high = guess_by_x86(e, high, half);
    return tier_join(e, "float", half, low, high);
  }
  if (lanes == 8) {
    tier_declare(e, "<8 x float> @llvm.x86.avx.rsqrt.ps.256(<8 x float>)");
    return tier_op(
        e, true, "call <8 x float> @llvm.x86.avx.rsqrt.ps.256(<8 x float> %s)",
        x.s);
  }
  tier_declare(e, "<16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float>, "
                  "<16 x float>, i16)");
  return tier_op(e, true,
                 "call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x "
                 "float> %s, <16 x float> zeroinitializer, i16 -1)",
                 x.s);
}

// A float y within 3e-7 of the root's inverse. Processors guess differently, and what
// is made of it is nevertheless the same.
static struct tier_ir rough_root(struct tier_emitter *e, struct tier_ir x) {
  if (guesses_of(e))
    return nearer(e, x, guess_by_x86(e, x, e->p->lanes));
  struct tier_ir y = guess_by_bits(e, x);
  for (int k = 0; k < 3; k++)
    y = nearer(e, x, y);
  return y;
}

// Without a root or a quotient. What is left of 1 - x * y * y shows how far y is off:
// x * y is a float and what that is short of. So the inverse is y + y * d, where d is
// wrong by 2^-42.2 at most, by roundings and by its square, which is left out; and the
// interpreter's double is by less than 2^-52. It lies between the two numbers that are
// 2^-41 off: where both round to one float, so does it. Other lanes are in doubt, and
// those that are no number.
static struct tier_ir quick_root(struct tier_emitter *e, struct tier_ir x,
                                 struct tier_ir *doubts) {
  static const char LESS[] = "0xBD60000000000000"; // -2^-41
  static const char MORE[] = "0x3D60000000000000";
  struct tier_text t = tier_type(e, "float", true);
  struct tier_ir half = tier_all_lanes(e, "float", "5.0e-01");
  struct tier_ir y = rough_root(e, x);
  struct tier_ir root = times(e, "float", x, y);
  struct tier_ir rest =
      fused(e, x, y, tier_op(e, true, "fneg %s %s", t.s, root.s));
  struct tier_ir left = less(e, y, root, tier_all_lanes(e, "float", "1.0"));
  left = less(e, y, rest, left);
  struct tier_ir low = fused(e, left, half, tier_all_lanes(e, "float", LESS));
  struct tier_ir high = fused(e, left, half, tier_all_lanes(e, "float", MORE));
  low = fused(e, y, low, y);
  high = fused(e, y, high, y);
  *doubts = tier_op(e, true, "fcmp une %s %s, %s", t.s, low.s, high.s);
  return low;
}

static struct tier_ir inverse_root(struct tier_emitter *e, struct tier_ir x) {
  if (!e->is_vector)
    return exact_root(e, x);
  struct tier_ir doubts, y = quick_root(e, x, &doubts);
  doubts = tier_op(e, true, "and %%m %s, %s", doubts.s, e->mask.s);
  struct tier_ir is_fine =
      tier_op(e, false, "xor i1 %s, true", tier_any(e, doubts).s);
  int from = tier_label(e), slow = tier_label(e), end = tier_label(e);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:",
            from, from);
  tier_line(e,
            "br i1 %s, label %%l%d, label %%l%d, !prof !1\n"
            "l%d:",
            is_fine.s, end, slow, slow);
  struct tier_ir z = exact_root(e, x);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:",
            end, end);
  return tier_op(e, true, "phi %%f [ %s, %%l%d ], [ %s, %%l%d ]", y.s, from,
                 z.s, slow);
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
