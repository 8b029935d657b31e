// SPDX-License-Identifier: Apache-2.0
// Around a gang's code: what the block gives it, a loop over the block's gangs, and
// what they did.
//
// Theory of operation. What all gangs of a block share is computed before the loop, or
// moved there by LLVM: so nothing here depends on the gang that need not. Where a gang
// is a whole row of threads, its x is a constant, and only its y changes. A gang that
// goes on behind a barrier takes what lived from its part of `save`.
#include <stddef.h>
#include <stdio.h>

#include "gpu/vgpu/tier/tier_context.h"
#include "gpu/vgpu/tier/tier_emit.h"

// ---- Of the block ----

// One of each register, and of each index that is needed.
static void emit_registers(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  for (int r = 0; r < p->func->reg_count; r++) {
    const struct tier_register *is = &p->registers[r];
    if (is->v.kind != TIER_UNKNOWN)
      tier_line(e, "%%r%d = alloca %s", r,
                tier_int(e, is->bits, is->v.kind == TIER_VARYING).s);
    if (is->index.is_needed)
      tier_line(e, "%%x%d = alloca %%i", r);
  }
}

static void emit_variables(struct tier_emitter *e) {
  static const char *const zeros[] = {"allspent", "claimed", "warp", "longest"};
  const struct tier_plan *p = e->p;
  emit_registers(e);
  for (size_t n = 0; n < sizeof zeros / sizeof *zeros; n++)
    tier_line(e,
              "%%%s = alloca i64\n"
              "store i64 0, ptr %%%s",
              zeros[n], zeros[n]);
  tier_line(e, "%%spent = alloca i64\n"
               "%%cur = alloca %%m\n"
               "%%at = alloca i32\n"
               "%%ends = alloca i32\n"
               "store i32 0, ptr %%ends");
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].is_reached)
      tier_line(e, "%%m%d = alloca %%m", b);
  tier_line(e,
            "%%arrays = alloca [%d x i64]\n"
            "%%results = alloca [%d x i64]",
            p->lanes, p->lanes);
}

#define FIELD(e, name, type, field)                                            \
  tier_line(e,                                                                 \
            "%%p.%s = getelementptr i8, ptr %%c, i64 %d\n"                     \
            "%%%s = load %s, ptr %%p.%s, !invariant.load !0",                  \
            name, (int)(field), name, type, name)
#define AT(field) offsetof(struct tier_context, field)

static void emit_extents(struct tier_emitter *e) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    if (!((e->p->read | e->p->written | e->p->summed) >> n & 1))
      continue;
    static const struct {
      const char *name, *type;
      size_t at;
    } parts[] = {{"base", "i64", offsetof(struct tier_extent, base)},
                 {"data", "ptr", offsetof(struct tier_extent, data)},
                 {"read", "i64", offsetof(struct tier_extent, read_bytes)},
                 {"write", "i64", offsetof(struct tier_extent, write_bytes)},
                 {"owners", "ptr", offsetof(struct tier_extent, owners)}};
    size_t count = sizeof parts / sizeof *parts - !e->p->is_checked;
    for (size_t k = 0; k < count; k++)
      tier_line(e,
                "%%pe%d.%s = getelementptr i8, ptr %%extents, i64 %zu\n"
                "%%e%d.%s = load %s, ptr %%pe%d.%s, !invariant.load !0",
                n, parts[k].name,
                (size_t)n * sizeof(struct tier_extent) + parts[k].at, n,
                parts[k].name, parts[k].type, n, parts[k].name);
  }
}

// Shared variables that accesses keep to, by their places.
static void emit_shared(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  for (int n = 0; p->is_checked && n < p->func->code_count; n++) {
    const struct ptx_var *v = p->decoded[n].within;
    bool is_first = v && v->offset;
    for (int k = 0; is_first && k < n; k++)
      is_first =
          !p->decoded[k].within || p->decoded[k].within->offset != v->offset;
    if (is_first)
      tier_line(e, "%%shared.%llu = getelementptr i8, ptr %%shared, i64 %llu",
                (unsigned long long)v->offset, (unsigned long long)v->offset);
  }
}

// Parameters may be read before it is known that they are asked for.
static void emit_params(struct tier_emitter *e) {
  tier_line(e,
            "%%p.params = getelementptr i8, ptr %%c, i64 %d\n"
            "%%params = load ptr, ptr %%p.params, !invariant.load !0%s",
            (int)AT(params),
            e->p->func->param_bytes ? ", !dereferenceable !2" : "");
}

void tier_emit_entry(struct tier_emitter *e) {
  static const char *const xyz[] = {"0", "1", "2"};
  char name[16];
  emit_variables(e);
  emit_params(e);
  FIELD(e, "shared", "ptr", AT(shared));
  FIELD(e, "sharedbytes", "i64", AT(shared_bytes));
  FIELD(e, "extents", "ptr", AT(extents));
  FIELD(e, "save0", "ptr", AT(save));
  FIELD(e, "stop", "ptr", AT(stop));
  FIELD(e, "limit", "i64", AT(limit));
  FIELD(e, "owner0", "i32", AT(owner));
  FIELD(e, "writers", "ptr", AT(writers));
  FIELD(e, "readers", "ptr", AT(readers));
  FIELD(e, "now", "i32", AT(now));
  FIELD(e, "since", "i32", AT(since));
  tier_line(e, "%%many = or i32 %%now, %d", TIER_MANY);
  FIELD(e, "resume", "i32", AT(resume));
  tier_line(e, "%%unwritten = getelementptr i8, ptr %%c, i64 %d",
            (int)AT(unwritten));
  emit_shared(e);
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "ctaid%s", xyz[k]);
    FIELD(e, name, "i32", AT(ctaid) + 4 * (size_t)k);
    snprintf(name, sizeof name, "nctaid%s", xyz[k]);
    FIELD(e, name, "i32", AT(nctaid) + 4 * (size_t)k);
  }
  emit_extents(e);
}

// ---- Of a gang ----

// Of gangs that lie in one row of threads each: the row's place, and the next gang's.
static void emit_next_place(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  uint32_t x = p->shape[0], y = p->shape[1];
  if (x == (uint32_t)p->lanes)
    tier_line(e, "%%turn0 = or i1 true, true\n"
                 "%%next0 = add i32 0, 0");
  else
    tier_line(e,
              "%%past0 = add i32 %%tid0, %d\n"
              "%%turn0 = icmp eq i32 %%past0, %u\n"
              "%%next0 = select i1 %%turn0, i32 0, i32 %%past0",
              p->lanes, x);
  tier_line(e,
            "%%step1 = zext i1 %%turn0 to i32\n"
            "%%past1 = add i32 %%tid1, %%step1\n"
            "%%turn1 = icmp eq i32 %%past1, %u\n"
            "%%next1 = select i1 %%turn1, i32 0, i32 %%past1\n"
            "%%step2 = zext i1 %%turn1 to i32\n"
            "%%next2 = add i32 %%tid2, %%step2",
            y);
}

static void emit_each_place(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  uint32_t x = p->shape[0], y = p->shape[1];
  struct tier_ir first = {"%first", false};
  struct tier_ir t = tier_spread(e, first, 32, 1);
  struct tier_ir sx = tier_splat(e, tier_constant(x, 32), 32);
  struct tier_ir sy = tier_splat(e, tier_constant(y, 32), 32);
  tier_line(e, "%%tid0 = urem %%i %s, %s", t.s, sx.s);
  tier_line(e, "%%row = udiv %%i %s, %s", t.s, sx.s);
  tier_line(e, "%%tid1 = urem %%i %%row, %s", sy.s);
  tier_line(e, "%%tid2 = udiv %%i %%row, %s", sy.s);
}

// Where in the block the gang is. Begins the loop.
static void emit_place(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  bool is_line = p->shape[1] == 1 && p->shape[2] == 1;
  tier_line(e,
            "br label %%constants\n"
            "gang:\n"
            "%%first = phi i32 [ 0, %%constants ], [ %%beyond, %%next ]\n"
            "%%save = phi ptr [ %%save0, %%constants ], [ %%save1, %%next ]");
  for (int k = 0; k < 3 && p->is_one_row && !is_line; k++)
    tier_line(e, "%%tid%d = phi i32 [ 0, %%constants ], [ %%next%d, %%next ]",
              k, k);
  tier_line(e, "%%laneid0 = urem i32 %%first, 32\n"
               "%%warpid0 = udiv i32 %%first, 32\n"
               "%%owner = add i32 %%owner0, %%first\n"
               "%%me0 = add i32 %%now, 1\n"
               "%%me = add i32 %%me0, %%first");
  if (is_line)
    tier_line(e, "%%tid0 = add i32 %%first, 0\n"
                 "%%tid1 = add i32 0, 0\n"
                 "%%tid2 = add i32 0, 0");
  else if (p->is_one_row)
    emit_next_place(e);
  else
    emit_each_place(e);
}

// The lanes that have threads.
static void emit_born(struct tier_emitter *e) {
  int W = e->p->lanes;
  struct tier_ir born = tier_splat(e, tier_constant(1, 1), 1);
  if (e->p->threads % (uint32_t)W) {
    struct tier_ir first = {"%first", false};
    struct tier_ir t = tier_spread(e, first, 32, 1);
    struct tier_ir end = tier_splat(e, tier_constant(e->p->threads, 32), 32);
    born = tier_op(e, true, "icmp ult %%i %s, %s", t.s, end.s);
  }
  tier_line(e,
            "%%born = or %%m %s, zeroinitializer\n"
            "store %%m %%born, ptr %%cur",
            born.s);
}

// Nothing is left of the gang before.
static void emit_fresh(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  tier_line(e, "store i64 0, ptr %%spent");
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].is_reached)
      tier_line(e, "store %%m zeroinitializer, ptr %%m%d", b);
  for (int r = 0; r < p->func->reg_count; r++) {
    const struct tier_register *is = &p->registers[r];
    if (is->v.kind != TIER_UNKNOWN)
      tier_line(e, "store %s undef, ptr %%r%d",
                tier_int(e, is->bits, is->v.kind == TIER_VARYING).s, r);
    if (is->index.is_needed)
      tier_line(e, "store %%i undef, ptr %%x%d", r);
  }
}

void tier_emit_start(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  emit_place(e);
  emit_fresh(e);
  emit_born(e);
  str_add(e->out, "switch i32 %resume, label %b0 [");
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].barrier && p->blocks[b].is_reached)
      str_addf(e->out, " i32 %d, label %%resume%d", p->blocks[b].barrier, b);
  str_add(e->out, " ]\n");
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].barrier && p->blocks[b].is_reached)
      tier_emit_resume(e, b);
}

// ---- What they did ----

void tier_emit_stop(struct tier_emitter *e, int barrier) {
  if (e->p->barrier_count)
    tier_line(e, "store i32 %d, ptr %%at", barrier);
  tier_line(e, "br label %%ended");
}

// All gangs wait at one barrier, or have ended.
static void emit_agreement(struct tier_emitter *e) {
  struct tier_ir at = tier_op(e, false, "load i32, ptr %%at");
  struct tier_ir other = tier_op(e, false, "load i32, ptr %%ends");
  struct tier_ir is_first = tier_op(e, false, "icmp eq i32 %%first, 0");
  struct tier_ir is_same =
      tier_op(e, false, "icmp eq i32 %s, %s", at.s, other.s);
  tier_must(e, tier_op(e, false, "or i1 %s, %s", is_first.s, is_same.s));
  tier_line(e, "store i32 %s, ptr %%ends", at.s);
}

// Of the warps' work the most.
static void emit_longest(struct tier_emitter *e, struct tier_ir spent) {
  struct tier_ir warp = tier_op(e, false, "load i64, ptr %%warp");
  struct tier_ir is_new = tier_op(e, false, "icmp eq i32 %%laneid0, 0");
  warp = tier_op(e, false, "select i1 %s, i64 0, i64 %s", is_new.s, warp.s);
  warp = tier_op(e, false, "add i64 %s, %s", warp.s, spent.s);
  tier_line(e, "store i64 %s, ptr %%warp", warp.s);
  struct tier_ir most = tier_op(e, false, "load i64, ptr %%longest");
  struct tier_ir is_more =
      tier_op(e, false, "icmp ugt i64 %s, %s", warp.s, most.s);
  most = tier_op(e, false, "select i1 %s, i64 %s, i64 %s", is_more.s, warp.s,
                 most.s);
  tier_line(e, "store i64 %s, ptr %%longest", most.s);
}

static void emit_book(struct tier_emitter *e, const char *name, size_t field) {
  struct tier_ir all = tier_op(e, false, "load i64, ptr %%%s", name);
  struct tier_ir to =
      tier_op(e, false, "getelementptr i8, ptr %%c, i64 %zu", field);
  tier_line(e, "store i64 %s, ptr %s", all.s, to.s);
}

static void emit_books(struct tier_emitter *e) {
  emit_book(e, "allspent", AT(spent));
  if (!e->p->is_checked)
    return;
  emit_book(e, "claimed", AT(claimed));
  emit_book(e, "longest", AT(longest));
}

void tier_emit_next(struct tier_emitter *e) {
  const struct tier_plan *p = e->p;
  tier_line(e, "done:");
  tier_emit_stop(e, 0);
  tier_line(e, "ended:");
  if (p->barrier_count)
    emit_agreement(e);
  struct tier_ir spent = tier_op(e, false, "load i64, ptr %%spent");
  if (p->is_checked)
    emit_longest(e, spent);
  struct tier_ir all = tier_op(e, false, "load i64, ptr %%allspent");
  all = tier_op(e, false, "add i64 %s, %s", all.s, spent.s);
  tier_line(e, "store i64 %s, ptr %%allspent", all.s);
  tier_line(e,
            "br label %%next\n"
            "next:\n"
            "%%beyond = add i32 %%first, %d\n"
            "%%save1 = getelementptr i8, ptr %%save, i64 %u\n"
            "%%more = icmp ult i32 %%beyond, %u\n"
            "br i1 %%more, label %%gang, label %%all\n"
            "all:",
            p->lanes, p->save_bytes, p->threads);
  emit_books(e);
  if (p->barrier_count)
    tier_line(e, "%%last = load i32, ptr %%ends\n"
                 "ret i32 %%last");
  else
    tier_line(e, "ret i32 0");
}
