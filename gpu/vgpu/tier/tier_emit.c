// SPDX-License-Identifier: Apache-2.0
// The emitter: one function for a gang, block by block.
//
// Theory of operation. Each PTX register is a variable (an alloca, which LLVM's first
// pass makes a value of), of one element where the plan says that all lanes share it
// or are a row, else a vector. A block runs under a mask; what it writes keeps the
// lanes that it does not run where those may still read it. Instructions whose guard
// all share are jumped over.
#include "gpu/vgpu/tier/tier_emit.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vgpu/tier/tier_context.h"
#include "gpu/vgpu/tier/tier_relocate.h"

// ---- Values ----

struct tier_ir tier_constant(uint64_t bits, int width) {
  struct tier_ir v = {.is_vector = false};
  if (width < 64)
    bits &= (UINT64_C(1) << width) - 1;
  if (width == 1)
    snprintf(v.s, sizeof v.s, "%s", bits ? "true" : "false");
  else
    snprintf(v.s, sizeof v.s, "%" PRIu64, bits);
  return v;
}

// ---- Lanes ----

// Has that value one name for all gangs of a block? Those that are often wanted.
static bool is_of_block(const char *name) {
  static const char *const names[] = {"%now", "%since", "%many"};
  bool is = false;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    is |= !strcmp(name, names[n]);
  return is;
}

struct tier_ir tier_splat(struct tier_emitter *e, struct tier_ir v, int bits) {
  if (v.is_vector)
    return v;
  struct tier_text t = tier_int(e, bits, true);
  if (bits == 1)
    return tier_splat_mask(e, v);
  if (v.s[0] != '%' || is_of_block(v.s))
    return tier_all_lanes(e, tier_int(e, bits, false).s, v.s);
  struct tier_ir one = tier_op(
      e, true, "insertelement %s poison, i%d %s, i32 0", t.s, bits, v.s);
  return tier_op(e, true, "shufflevector %s %s, %s poison, %%i zeroinitializer",
                 t.s, one.s, t.s);
}

struct tier_ir tier_all_lanes(struct tier_emitter *e, const char *scalar,
                              const char *value) {
  struct tier_text t = tier_type(e, scalar, true);
  struct tier_ir one = tier_fixed(e, "insertelement %s poison, %s %s, i32 0",
                                  t.s, scalar, value);
  return tier_fixed(e, "shufflevector %s %s, %s poison, %%i zeroinitializer",
                    t.s, one.s, t.s);
}

struct tier_ir tier_list(struct tier_emitter *e, const char *scalar, int count,
                         const uint64_t *values) {
  struct str all = STR_INIT;
  for (int n = 0; n < count; n++)
    str_addf(&all, "%s%s %" PRIu64, n ? ", " : "", scalar, values[n]);
  struct tier_ir v = tier_fixed(e, "or <%d x %s> <%s>, zeroinitializer", count,
                                scalar, all.data);
  str_free(&all);
  return v;
}

// So many lanes, as a shuffle names them.
static char *name_lanes(int first, int count) {
  struct str all = STR_INIT;
  for (int n = 0; n < count; n++)
    str_addf(&all, "%si32 %d", n ? ", " : "", first + n);
  return str_take(&all);
}

struct tier_ir tier_take(struct tier_emitter *e, const char *scalar, int lanes,
                         struct tier_ir x, int first, int count) {
  char *are = name_lanes(first, count);
  struct tier_ir v = tier_op(e, true,
                             "shufflevector <%d x %s> %s, <%d x %s> poison, "
                             "<%d x i32> <%s>",
                             lanes, scalar, x.s, lanes, scalar, count, are);
  free(are);
  return v;
}

struct tier_ir tier_join(struct tier_emitter *e, const char *scalar, int lanes,
                         struct tier_ir low, struct tier_ir high) {
  char *are = name_lanes(0, 2 * lanes);
  struct tier_ir v = tier_op(
      e, true, "shufflevector <%d x %s> %s, <%d x %s> %s, <%d x i32> <%s>",
      lanes, scalar, low.s, lanes, scalar, high.s, 2 * lanes, are);
  free(are);
  return v;
}

struct tier_ir tier_spread(struct tier_emitter *e, struct tier_ir base,
                           int bits, int64_t stride) {
  struct tier_ir v = tier_splat(e, base, bits);
  struct tier_text t = tier_int(e, bits, true);
  if (!stride)
    return v;
  uint64_t steps[TIER_MOST_GANG];
  for (int l = 0; l < e->p->lanes; l++) {
    steps[l] = (uint64_t)stride * (uint64_t)l;
    if (bits < 64)
      steps[l] &= (UINT64_C(1) << bits) - 1;
  }
  struct tier_ir by =
      tier_list(e, tier_int(e, bits, false).s, e->p->lanes, steps);
  return tier_op(e, true, "add %s %s, %s", t.s, v.s, by.s);
}

// ---- Sources ----

static bool looks(const struct tier_emitter *e) {
  enum tier_look look = tier_looks(e->i);
  int32_t to[TIER_MOST_OPERANDS];
  int count = tier_writes(e->i, to);
  bool hands_on = false;
  for (int k = 0; k < count; k++)
    hands_on |=
        e->p->registers[to[k]].is_seen && !e->p->registers[to[k]].is_lazy;
  return look == TIER_LOOKS || (look == TIER_HANDS_ON && hands_on);
}

// An f32's NaN as PTX has it.
static struct tier_ir canonical(struct tier_emitter *e, struct tier_ir v) {
  struct tier_text f = tier_type(e, "float", v.is_vector);
  struct tier_text t = tier_int(e, 32, v.is_vector);
  struct tier_ir x =
      tier_op(e, v.is_vector, "bitcast %s %s to %s", t.s, v.s, f.s);
  struct tier_ir is =
      tier_op(e, v.is_vector, "fcmp uno %s %s, %s", f.s, x.s, x.s);
  struct tier_ir nan = tier_constant(0x7FFFFFFF, 32);
  if (v.is_vector)
    nan = tier_splat(e, nan, 32);
  return tier_op(e, v.is_vector, "select %s %s, %s %s, %s %s",
                 tier_int(e, 1, v.is_vector).s, is.s, t.s, nan.s, t.s, v.s);
}

struct tier_ir tier_resize(struct tier_emitter *e, struct tier_ir v, int from,
                           int to, bool is_signed) {
  if (from == to)
    return v;
  return tier_op(e, v.is_vector, "%s %s %s to %s",
                 from > to   ? "trunc"
                 : is_signed ? "sext"
                             : "zext",
                 tier_int(e, from, v.is_vector).s, v.s,
                 tier_int(e, to, v.is_vector).s);
}

struct tier_ir tier_number(struct tier_emitter *e, uint64_t n, int bits) {
  struct tier_ir c = tier_constant(n, bits);
  return e->is_vector ? tier_splat(e, c, bits) : c;
}

struct tier_ir tier_choose(struct tier_emitter *e, const char *scalar,
                           struct tier_ir c, struct tier_ir x,
                           struct tier_ir y) {
  struct tier_text t = tier_type(e, scalar, e->is_vector);
  return tier_op(e, e->is_vector, "select %s %s, %s %s, %s %s",
                 tier_int(e, 1, e->is_vector).s, c.s, t.s, x.s, t.s, y.s);
}

struct tier_ir tier_convert(struct tier_emitter *e, const char *how,
                            struct tier_ir v, const char *from,
                            const char *to) {
  return tier_op(e, e->is_vector, "%s %s %s to %s", how,
                 tier_type(e, from, e->is_vector).s, v.s,
                 tier_type(e, to, e->is_vector).s);
}

struct tier_ir tier_register_as(struct tier_emitter *e, int reg, int bits,
                                bool is_vector) {
  const struct tier_register *r = &e->p->registers[reg];
  bool is_wide = r->v.kind == TIER_VARYING;
  struct tier_ir v = tier_op(e, is_wide, "load %s, ptr %%r%d",
                             tier_int(e, r->bits, is_wide).s, reg);
  if (r->is_lazy && r->bits == 32 && looks(e))
    v = canonical(e, v);
  if (is_vector && !is_wide)
    v = tier_spread(e, v, r->bits, r->v.stride);
  return tier_resize(e, v, r->bits, bits, false);
}

static struct tier_ir special(struct tier_emitter *e,
                              const struct ptx_operand *o, int bits,
                              bool is_vector) {
  static const char *const names[] = {
      [PTX_SREG_TID] = "tid",       [PTX_SREG_NTID] = "ntid",
      [PTX_SREG_CTAID] = "ctaid",   [PTX_SREG_NCTAID] = "nctaid",
      [PTX_SREG_LANEID] = "laneid", [PTX_SREG_WARPID] = "warpid"};
  struct tier_value v = tier_value_of(e->p, o);
  struct tier_ir s = {.is_vector = v.kind == TIER_VARYING};
  snprintf(s.s, sizeof s.s, "%%%s%d", names[o->reg], o->dim);
  if (o->reg == PTX_SREG_NTID)
    s = tier_constant(e->p->shape[o->dim], 32);
  if (is_vector && !s.is_vector)
    s = tier_spread(e, s, 32, v.stride);
  return tier_resize(e, s, 32, bits, false);
}

struct tier_ir tier_source_as(struct tier_emitter *e,
                              const struct ptx_operand *o, int bits,
                              bool is_vector) {
  struct tier_ir v;
  switch (o->kind) {
  case PTX_REGISTER: {
    v = tier_register_as(e, o->reg, bits, is_vector);
    if (!o->negate)
      return v;
    struct tier_ir ones = tier_constant(1, 1);
    if (is_vector)
      ones = tier_splat(e, ones, 1);
    return tier_op(e, is_vector, "xor %s %s, %s", tier_int(e, 1, is_vector).s,
                   v.s, ones.s);
  }
  case PTX_SPECIAL: return special(e, o, bits, is_vector);
  case PTX_SYMBOL: v = tier_constant(tier_symbol_at(e->p, o), bits); break;
  default: v = tier_constant(o->bits, bits);
  }
  return is_vector ? tier_splat(e, v, bits) : v;
}

struct tier_ir tier_source(struct tier_emitter *e, const struct ptx_operand *o,
                           int bits) {
  return tier_source_as(e, o, bits, e->is_vector);
}

// ---- Targets ----

void tier_write(struct tier_emitter *e, int reg, struct tier_ir v, int bits,
                bool is_signed) {
  if (reg < 0)
    return;
  const struct tier_register *r = &e->p->registers[reg];
  v = tier_resize(e, v, bits, r->bits, is_signed);
  if (r->bits == 32 && tier_makes_nan(e->i) && r->is_seen && !r->is_lazy)
    v = canonical(e, v);
  bool is_wide = r->v.kind == TIER_VARYING;
  struct tier_text t = tier_int(e, r->bits, is_wide);
  if (is_wide && !v.is_vector) {
    int64_t stride = tier_kind_of(e->p, e->i).stride;
    v = tier_spread(e, v, r->bits, stride);
  }
  if (is_wide && tier_needs_blend(e->p, e->block, e->i, reg)) {
    struct tier_ir old = tier_op(e, true, "load %s, ptr %%r%d", t.s, reg);
    v = tier_op(e, true, "select %%m %s, %s %s, %s %s", e->mask.s, t.s, v.s,
                t.s, old.s);
  }
  tier_line(e, "store %s %s, ptr %%r%d", t.s, v.s, reg);
}

// ---- Instructions ----

static void emit_one(struct tier_emitter *e) {
  bool is_float = e->i->type == PTX_F32 || e->i->type == PTX_F64;
  switch (e->i->op) {
  case PTX_OP_LD:
  case PTX_OP_ST: tier_emit_memory(e); break;
  case PTX_OP_ATOM:
  case PTX_OP_RED: tier_emit_atomic(e); break;
  case PTX_OP_SHFL: tier_emit_shuffle(e); break;
  case PTX_OP_MOV:
  case PTX_OP_CVTA:
  case PTX_OP_CVT:
  case PTX_OP_SELP:
  case PTX_OP_SETP: tier_emit_move(e); break;
  default:
    if (is_float)
      tier_emit_float(e);
    else
      tier_emit_alu(e);
  }
}

static bool touches_memory(const struct ptx_insn *i) {
  return i->op == PTX_OP_LD || i->op == PTX_OP_ST || i->op == PTX_OP_ATOM ||
         i->op == PTX_OP_RED || i->op == PTX_OP_SHFL;
}

struct tier_ir tier_guard(struct tier_emitter *e, bool is_vector) {
  struct tier_ir on = tier_register_as(e, e->i->guard, 1, is_vector);
  if (!e->i->guard_negate)
    return on;
  struct tier_ir ones = tier_constant(1, 1);
  ones = is_vector ? tier_splat(e, ones, 1) : ones;
  return tier_op(e, is_vector, "xor %s %s, %s", tier_int(e, 1, is_vector).s,
                 on.s, ones.s);
}

// What a guard leaves: lanes that it varies among get a mask of their own, else
// the instruction is jumped over. Answers the label behind it, or -1.
static int begin_guard(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  if (i->guard < 0)
    return -1;
  bool varies = e->p->registers[i->guard].v.kind == TIER_VARYING;
  struct tier_ir on = tier_guard(e, varies);
  if (varies) {
    e->mask = tier_op(e, true, "and %%m %s, %s", e->mask.s, on.s);
    if (!touches_memory(i))
      return -1;
    on = tier_any(e, e->mask);
  }
  int yes = tier_label(e), after = tier_label(e);
  tier_line(e, "br i1 %s, label %%l%d, label %%l%d", on.s, yes, after);
  tier_line(e, "l%d:", yes);
  return after;
}

static void emit_insn(struct tier_emitter *e, const struct ptx_insn *i,
                      struct tier_ir block_mask) {
  e->i = i;
  e->mask = block_mask;
  e->is_vector = tier_kind_of(e->p, i).kind == TIER_VARYING;
  int after = begin_guard(e);
  emit_one(e);
  tier_emit_index(e);
  if (after < 0)
    return;
  tier_line(e, "br label %%l%d", after);
  tier_line(e, "l%d:", after);
}

// ---- Costs ----

static bool is_slow_float(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_DIV:
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
  case PTX_OP_RSQRT:
  case PTX_OP_EX2:
  case PTX_OP_MIN:
  case PTX_OP_MAX: return i->type == PTX_F32 || i->type == PTX_F64;
  case PTX_OP_FMA: return i->round == PTX_RM;
  default: return false;
  }
}

// Units of what is written that an access of a lane touches.
static int units_of(const struct tier_plan *p, const struct ptx_insn *i) {
  int bytes = ptx_type_bytes((enum ptx_type)i->type) * (i->vec ? i->vec : 1);
  return bytes >> p->unit_shift ? bytes >> p->unit_shift : 1;
}

static bool is_watched(const struct tier_plan *p, const struct ptx_insn *i) {
  int reg = i->operands[i->op == PTX_OP_ST ? 0 : 1].reg;
  int origin = p->registers[reg].v.origin;
  return origin >= 0 && p->written >> origin & 1;
}

// At least what a gang's part of its warp is charged in a checked launch (cost.h): what
// is written is watched cell by cell, more closely where blocks take turns, as sums
// make them. That warps are looked after is the launch's to count (tier_run.c).
static int most_of(const struct tier_plan *p, const struct tier_block *b,
                   const struct ptx_insn *i) {
  enum { FLOAT = 24, PARTS = 12, ACCESS = 6, SHADOW = 8 };
  enum { CELL = 8, NOTE = 24 }; // of a lane
  // With its order and its place.
  enum { SUM = 4 + CELL + NOTE + 24 + 36 + 128 };
  int cost = (int)p->decoded[i - p->func->code].steps;
  cost += is_slow_float(i) ? FLOAT : 0;
  if (i->op == PTX_OP_ATOM || i->op == PTX_OP_RED)
    cost += ACCESS + SUM * p->lanes;
  else if (i->space == PTX_SHARED)
    cost += ACCESS + SHADOW;
  else if (i->space == PTX_GLOBAL)
    cost += ACCESS;
  if ((i->op == PTX_OP_LD || i->op == PTX_OP_ST) && i->space == PTX_GLOBAL &&
      is_watched(p, i))
    cost += p->lanes * (CELL + (p->summed ? NOTE * units_of(p, i) : 0));
  // What all lanes of a gang share may part the warp's gangs.
  bool may_part = b->is_parting || p->lanes < TIER_MOST_GANG;
  if ((i->op == PTX_OP_BRA && i->guard >= 0 && may_part) ||
      i->op == PTX_OP_SHFL || tier_is_barrier(i))
    cost += PARTS;
  return cost;
}

// About what the interpreter charges (cost.h): less for lanes that go their own ways
// or part, and for half warps of which one has ended. It ends what never would, and
// such a launch is the interpreter's, whose count is the exact one.
static int cost_of(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_LD:
  case PTX_OP_ST: return i->space == PTX_PARAM ? 1 : 3;
  case PTX_OP_ATOM:
  case PTX_OP_RED: return 32;
  case PTX_OP_RSQRT:
  case PTX_OP_MIN:
  case PTX_OP_MAX: return i->type == PTX_F32 || i->type == PTX_F64 ? 25 : 1;
  case PTX_OP_BRA: return i->guard >= 0 ? 3 : 1;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER: return 10;
  default: return 1;
  }
}

static int most_of_block(const struct tier_plan *p,
                         const struct tier_block *b) {
  int cost = 0;
  for (int n = b->first; n < b->end; n++)
    cost += most_of(p, b, &p->func->code[n]);
  return cost;
}

static int cost_of_block(const struct tier_plan *p,
                         const struct tier_block *b) {
  int cost = p->is_checked ? most_of_block(p, b) : 0;
  for (int n = b->first; n < b->end && !p->is_checked; n++)
    cost += cost_of(&p->func->code[n]);
  for (int n = 0; b->tail && n < p->block_count; n++)
    if (tier_has(b->tail, n))
      cost += most_of_block(p, &p->blocks[n]);
  return cost;
}

static void spend(struct tier_emitter *e, const struct tier_block *b) {
  struct tier_ir was = tier_op(e, false, "load i64, ptr %%spent");
  struct tier_ir now =
      tier_op(e, false, "add i64 %s, %d", was.s, cost_of_block(e->p, b));
  tier_line(e, "store i64 %s, ptr %%spent", now.s);
}

// ---- The function ----

static void emit_block(struct tier_emitter *e, int n) {
  const struct tier_block *b = &e->p->blocks[n];
  e->block = n;
  tier_line(e, "b%d:", n);
  spend(e, b);
  struct tier_ir mask = tier_op(e, true, "load %%m, ptr %%cur");
  for (int k = b->first; k < b->end; k++) {
    const struct ptx_insn *i = &e->p->func->code[k];
    if (!tier_ends_block(i))
      emit_insn(e, i, mask);
  }
  e->i = &e->p->func->code[b->end - 1];
  e->mask = mask;
  tier_emit_end(e);
}

static void emit_attributes(struct tier_emitter *e, const char *cpu) {
  uint64_t bytes = e->p->func->param_bytes;
  str_add(e->out, "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" "
                  "\"min-legal-vector-width\"=\"512\" ");
  if (*cpu)
    str_addf(e->out, "\"target-cpu\"=\"%s\" \"target-features\"=\"%s\" ", cpu,
             TIER_MACHINE == EM_AARCH64 ? "-sve" : "");
  str_add(e->out, "}\n!0 = !{}\n"
                  "!1 = !{!\"branch_weights\", i32 1048576, i32 1}\n");
  str_addf(e->out, "!2 = !{i64 %" PRIu64 "}\n", bytes ? bytes : 1);
}

void tier_emit(const struct tier_plan *p, const char *cpu, struct str *out) {
  struct tier_emitter e = {.p = p,
                           .out = out,
                           .has_avx512 = !*cpu && tier_has_avx512(),
                           .declared = STR_INIT,
                           .constants = STR_INIT};
  str_add(out, "target triple = \"" TIER_TRIPLE "\"\n");
  tier_text_begin(&e);
  tier_line(&e, "define i32 @" TIER_FUNCTION "(ptr noundef %%c) #0 {\n"
                "entry:");
  tier_emit_entry(&e);
  tier_emit_start(&e);
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].is_reached)
      emit_block(&e, b);
  tier_emit_next(&e);
  tier_line(&e, "bail:\n"
                "ret i32 -1");
  tier_text_constants(&e);
  tier_line(&e, "}");
  emit_attributes(&e, cpu);
  tier_text_end(&e);
}
