// SPDX-License-Identifier: Apache-2.0
// What takes double: the interpreter's steps of ../ops/approx.h, in their order, and sums
// that are rounded down.
#include <string.h>

#include "gpu/vgpu/tier/tier_emit.h"

static struct tier_ir two(struct tier_emitter *e, const char *name,
                          const char *scalar, struct tier_ir x,
                          struct tier_ir y) {
  return tier_op(e, e->is_vector, "%s %s %s, %s", name,
                 tier_type(e, scalar, e->is_vector).s, x.s, y.s);
}

static struct tier_ir both(struct tier_emitter *e, const char *name,
                           struct tier_ir x, struct tier_ir y) {
  return two(e, name, "double", x, y);
}

static struct tier_ir number(struct tier_emitter *e, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return tier_cast(e, tier_number(e, bits, 64), "i64", "double");
}

static struct tier_ir wide_source(struct tier_emitter *e, int n) {
  struct tier_ir x = tier_source(e, &e->i->operands[n], 32);
  return tier_convert(e, "fpext", tier_cast(e, x, "i32", "float"), "float",
                      "double");
}

// ---- 2 to the power of x ----

// A float as a double: what is below the least normal float is 0 of its sign.
static struct tier_ir flushed(struct tier_emitter *e, struct tier_ir x) {
  struct tier_ir low = both(e, "fcmp ogt", x, number(e, -0x1p-126));
  struct tier_ir high = both(e, "fcmp olt", x, number(e, 0x1p-126));
  struct tier_ir is = tier_op(e, e->is_vector, "and %s %s, %s",
                              tier_int(e, 1, e->is_vector).s, low.s, high.s);
  struct tier_ir bits = tier_cast(e, x, "double", "i64");
  bits = two(e, "and", "i64", bits, tier_number(e, UINT64_C(1) << 63, 64));
  return tier_choose(e, "double", is, tier_cast(e, bits, "i64", "double"), x);
}

// approx_exp2.
static struct tier_ir power(struct tier_emitter *e, struct tier_ir x) {
  static const double parts[] = {1.0 / 479001600,
                                 1.0 / 39916800,
                                 1.0 / 3628800,
                                 1.0 / 362880,
                                 1.0 / 40320,
                                 1.0 / 5040,
                                 1.0 / 720,
                                 1.0 / 120,
                                 1.0 / 24,
                                 1.0 / 6,
                                 0.5,
                                 1,
                                 1};
  struct tier_ir high = number(e, 200), low = number(e, -200);
  struct tier_ir clamped =
      tier_choose(e, "double", both(e, "fcmp olt", x, low), low, x);
  x = tier_choose(e, "double", both(e, "fcmp ogt", x, high), high, clamped);
  struct tier_ir t = both(e, "fadd", x, number(e, 0x1.8p52));
  struct tier_ir f = both(e, "fsub", t, number(e, 0x1.8p52));
  f = both(e, "fmul", both(e, "fsub", x, f), number(e, 0.69314718055994530942));
  struct tier_ir p = number(e, 1.0 / 6227020800);
  for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
    p = both(e, "fadd", both(e, "fmul", p, f), number(e, parts[n]));
  struct tier_ir n = two(e, "add", "i64", tier_cast(e, t, "double", "i64"),
                         tier_number(e, 1023, 64));
  n = two(e, "shl", "i64", n, tier_number(e, 52, 64));
  return both(e, "fmul", p, tier_cast(e, n, "i64", "double"));
}

// That of a subnormal number is 1, flushed or not.
void tier_emit_power(struct tier_emitter *e) {
  struct tier_ir x = wide_source(e, 1);
  struct tier_ir r = tier_convert(e, "fptrunc", power(e, x), "double", "float");
  if (e->i->ftz) {
    r = flushed(e, tier_convert(e, "fpext", r, "float", "double"));
    r = tier_convert(e, "fptrunc", r, "double", "float");
  }
  tier_write(e, e->i->operands[0].reg, tier_cast(e, r, "float", "i32"), 32,
             false);
}

// ---- Rounded down ----

// The float below one of those bits: what lies between 0 and the least is -0 at first.
static struct tier_ir next_below(struct tier_emitter *e, struct tier_ir bits) {
  struct tier_ir one = tier_number(e, 1, 32), zero = tier_number(e, 0, 32);
  struct tier_ir is_less = two(e, "icmp slt", "i32", bits, zero);
  struct tier_ir away = two(e, "add", "i32", bits, one);
  return tier_choose(e, "i32", is_less, away, two(e, "sub", "i32", bits, one));
}

// A product of floats is a double, and a double's sum with a float is one more and what
// is left over: so it shows whether the nearest float lies above. Nothing is left of a
// sum of opposites but a 0 with a sign.
void tier_emit_fused_down(struct tier_emitter *e) {
  struct tier_ir x = wide_source(e, 1), y = wide_source(e, 2);
  struct tier_ir z = wide_source(e, 3), p = both(e, "fmul", x, y);
  struct tier_ir sum = both(e, "fadd", p, z);
  struct tier_ir of_z = both(e, "fsub", sum, p);
  struct tier_ir left = both(e, "fsub", p, both(e, "fsub", sum, of_z));
  left = both(e, "fadd", left, both(e, "fsub", z, of_z));
  struct tier_ir r = tier_fused(e);
  struct tier_ir wide = tier_convert(e, "fpext", r, "float", "double");
  struct tier_text b = tier_int(e, 1, e->is_vector);
  struct tier_ir none = number(e, 0);
  struct tier_ir is_same = both(e, "fcmp oeq", wide, sum);
  struct tier_ir is_above =
      tier_op(e, e->is_vector, "and %s %s, %s", b.s, is_same.s,
              both(e, "fcmp olt", left, none).s);
  is_above = tier_op(e, e->is_vector, "or %s %s, %s", b.s, is_above.s,
                     both(e, "fcmp ogt", wide, sum).s);
  struct tier_ir is_none = tier_op(e, e->is_vector, "and %s %s, %s", b.s,
                                   is_same.s, both(e, "fcmp oeq", sum, none).s);
  struct tier_ir sign = two(e, "or", "i64", tier_cast(e, p, "double", "i64"),
                            tier_cast(e, z, "double", "i64"));
  sign = two(e, "lshr", "i64", sign, tier_number(e, 32, 64));
  sign = tier_convert(e, "trunc", sign, "i64", "i32");
  sign = two(e, "and", "i32", sign, tier_number(e, 0x80000000, 32));
  struct tier_ir bits = tier_cast(e, r, "float", "i32");
  struct tier_ir below = next_below(e, bits);
  bits = tier_choose(e, "i32", is_none, sign, bits);
  bits = tier_choose(e, "i32", is_above, below, bits);
  tier_write(e, e->i->operands[0].reg, bits, 32, false);
}

// ---- Saturated ----

struct tier_ir tier_saturated(struct tier_emitter *e, struct tier_ir bits) {
  struct tier_ir x = tier_cast(e, bits, "i32", "float");
  struct tier_ir zero = tier_cast(e, tier_number(e, 0, 32), "i32", "float");
  struct tier_ir one =
      tier_cast(e, tier_number(e, 0x3F800000, 32), "i32", "float");
  struct tier_ir r =
      tier_choose(e, "float", two(e, "fcmp olt", "float", x, one), x, one);
  r = tier_choose(e, "float", two(e, "fcmp ogt", "float", x, zero), r, zero);
  return tier_cast(e, r, "float", "i32");
}
