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
  struct tier_ir c = tier_constant(n, width_of(e));
  return e->is_vector ? tier_splat(e, c, width_of(e)) : c;
}

static struct tier_ir two(struct tier_emitter *e, const char *name,
                          struct tier_ir x, struct tier_ir y) {
  return tier_op(e, e->is_vector, "%s %s %s, %s", name,
                 tier_type(e, scalar_of(e), e->is_vector).s, x.s, y.s);
}

// Of values of the type `type`.
static struct tier_ir choose(struct tier_emitter *e, const char *type,
                             struct tier_ir c, struct tier_ir x,
                             struct tier_ir y) {
  struct tier_text t = tier_type(e, type, e->is_vector);
  return tier_op(e, e->is_vector, "select %s %s, %s %s, %s %s",
                 tier_int(e, 1, e->is_vector).s, c.s, t.s, x.s, t.s, y.s);
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
    nan = choose(e, "i64", two(e, "fcmp uno", x[k], x[k]), bits, nan);
  }
  struct tier_ir is_nan = two(e, "fcmp uno", r, r);
  struct tier_ir bits = tier_cast(e, r, "double", "i64");
  return choose(e, "i64", is_nan, nan, bits);
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

static void emit_fused(struct tier_emitter *e) {
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

// In double, as the interpreter does.
static void emit_inverse_root(struct tier_emitter *e) {
  struct tier_ir x = source(e, 1);
  struct tier_text f = tier_type(e, "float", e->is_vector);
  struct tier_text d = tier_type(e, "double", e->is_vector);
  struct tier_ir wide =
      tier_op(e, e->is_vector, "fpext %s %s to %s", f.s, x.s, d.s);
  struct tier_ir root = intrinsic(e, "sqrt", "double", &wide, 1);
  struct tier_ir r = inverse(e, "double", root);
  r = tier_op(e, e->is_vector, "fptrunc %s %s to %s", d.s, r.s, f.s);
  finish(e, r, &x, 1);
}

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
  struct tier_ir r = choose(e, f, is_x, x, y);
  r = choose(e, f, two(e, "fcmp uno", y, y), x, r);
  r = choose(e, f, two(e, "fcmp uno", x, x), y, r);
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
  case PTX_OP_MIN:
  case PTX_OP_MAX: emit_extreme(e); break;
  default: emit_sign(e);
  }
}
