// SPDX-License-Identifier: Apache-2.0
// The look at shared memory: was it written, and did another thread use it since the
// last barrier?
//
// Theory of operation. A block's gangs run one after the other, so whoever comes second
// to a unit finds there who came first: its last writer and its last reader since the
// barrier, or that there were many. A second thread bails, but for two that read. Where
// no store lies between the barriers that a load lies between (`meets_stores`), a load
// only asks whether the unit was ever written, and not even that once all were.
#include "gpu/vgpu/tier/tier_emit_shared.h"

#include <stdio.h>

#include "gpu/vgpu/tier/tier_context.h"
#include "gpu/vgpu/tier/tier_emit_checked.h"
#include "gpu/vgpu/tier/tier_emit_lanes.h"

// Of one unit of each lane: its place in the tables, and what all need to know.
struct cells {
  enum tier_cells_way way;
  struct tier_ir at;       // index of 64 bits, or of 32 in each lane
  struct tier_ir me, many; // as these read
  bool is_vector;
};

static struct tier_ir words(struct tier_emitter *e, const char *name,
                            struct tier_ir x, struct tier_ir y) {
  return tier_op(e, x.is_vector, "%s %s %s, %s", name,
                 tier_int(e, 32, x.is_vector).s, x.s, y.s);
}

static struct tier_ir both(struct tier_emitter *e, struct tier_ir x,
                           struct tier_ir y) {
  return tier_op(e, x.is_vector, "and %s %s, %s", tier_int(e, 1, x.is_vector).s,
                 x.s, y.s);
}

static struct tier_ir spread(struct tier_emitter *e, const struct cells *c,
                             struct tier_ir v) {
  return c->is_vector ? tier_splat(e, v, 32) : v;
}

static struct tier_ir named(struct tier_emitter *e, const struct cells *c,
                            const char *name) {
  struct tier_ir v = {.is_vector = false};
  snprintf(v.s, sizeof v.s, "%s", name);
  return spread(e, c, v);
}

// ---- Who and where ----

// Is just one lane on? An i1; and which, of 32 bits.
static struct tier_ir is_alone(struct tier_emitter *e, struct tier_ir *lane) {
  int W = e->p->lanes;
  struct tier_ir bits = tier_mask_bits(e, e->mask);
  tier_declare(e, "i%d @llvm.cttz.i%d(i%d, i1)", W, W, W);
  *lane = tier_op(e, false, "call i%d @llvm.cttz.i%d(i%d %s, i1 true)", W, W, W,
                  bits.s);
  *lane = tier_resize(e, *lane, W, 32, false);
  return tier_op(e, false, "icmp eq i64 %s, 1", tier_count(e, e->mask).s);
}

// The lanes' names: each its own; many, where several lanes are at one place.
static void find_names(struct tier_emitter *e, struct cells *c) {
  struct tier_ir lane;
  struct tier_ir first = {"%me", false}, many = {"%many", false};
  c->many = spread(e, c, many);
  if (c->is_vector) {
    c->me = tier_spread(e, first, 32, 1);
    return;
  }
  struct tier_ir is = is_alone(e, &lane);
  struct tier_ir me = tier_op(e, false, "add i32 %s, %s", first.s, lane.s);
  c->me = tier_op(e, false, "select i1 %s, i32 %s, i32 %s", is.s, me.s, many.s);
}

// A line of lanes that have several units each is looked at lane by lane.
static struct cells cells_of(struct tier_emitter *e,
                             const struct tier_cells *from) {
  int shift = e->p->shared_shift;
  struct cells c = {.way = from->way, .is_vector = from->way != TIER_ONE};
  struct tier_ir at = from->offset;
  if (from->way == TIER_LINE && from->bytes != 1 << shift) {
    at = tier_op(e, false, "trunc i64 %s to i32", at.s);
    at = tier_spread(e, at, 32, from->bytes);
    c.way = TIER_EACH;
  }
  if (c.way == TIER_EACH) {
    struct tier_ir start = tier_splat(e, tier_constant(from->from, 32), 32);
    struct tier_ir by = tier_splat(e, tier_constant((uint64_t)shift, 32), 32);
    at = tier_op(e, true, "add %%i %s, %s", at.s, start.s);
    c.at = tier_op(e, true, "lshr %%i %s, %s", at.s, by.s);
  } else {
    at = tier_op(e, false, "add i64 %s, %llu", at.s,
                 (unsigned long long)from->from);
    c.at = tier_op(e, false, "ashr i64 %s, %d", at.s, shift);
  }
  find_names(e, &c);
  return c;
}

static void go_to_next(struct tier_emitter *e, struct cells *c) {
  struct tier_ir one = tier_constant(1, 32);
  if (c->way == TIER_EACH)
    c->at = words(e, "add", c->at, tier_splat(e, one, 32));
  else
    c->at = tier_op(e, false, "add i64 %s, 1", c->at.s);
}

// ---- Tables ----

static struct tier_ir pointer(struct tier_emitter *e, const struct cells *c,
                              const char *table) {
  if (c->way != TIER_EACH)
    return tier_op(e, false, "getelementptr i32, ptr %%%s, i64 %s", table,
                   c->at.s);
  return tier_op(e, true, "getelementptr i32, ptr %%%s, %%i %s", table,
                 c->at.s);
}

static struct tier_ir get(struct tier_emitter *e, const struct cells *c,
                          const char *table) {
  struct tier_ir at = pointer(e, c, table);
  if (c->way == TIER_ONE)
    return tier_op(e, false, "load i32, ptr %s", at.s);
  if (c->way == TIER_LINE)
    return tier_load_row(e, at, 32, e->mask);
  return tier_gather(e, at, 32, e->mask);
}

static void put(struct tier_emitter *e, const struct cells *c,
                const char *table, struct tier_ir v, struct tier_ir mask) {
  struct tier_ir at = pointer(e, c, table);
  if (c->way == TIER_ONE)
    tier_line(e, "store i32 %s, ptr %s", v.s, at.s);
  else if (c->way == TIER_LINE)
    tier_store_row(e, v, at, 32, mask);
  else
    tier_scatter(e, v, at, 32, mask);
}

// Is that another thread, since the barrier?
static struct tier_ir is_other(struct tier_emitter *e, const struct cells *c,
                               struct tier_ir who) {
  struct tier_ir is_new = words(e, "icmp uge", who, named(e, c, "%now"));
  return both(e, is_new, words(e, "icmp ne", who, c->me));
}

// ---- Reads ----

static void must_be_written(struct tier_emitter *e, const struct cells *c,
                            struct tier_ir writer) {
  tier_forbid(e, words(e, "icmp ult", writer, named(e, c, "%since")));
}

// Several lanes may read one unit: of those the last one's name stands there.
static void note_reader(struct tier_emitter *e, const struct cells *c) {
  bool is_vector = c->is_vector;
  struct tier_ir other = is_other(e, c, get(e, c, "readers"));
  struct tier_text t = tier_int(e, 32, is_vector);
  struct tier_ir v = tier_op(e, is_vector, "select %s %s, %s %s, %s %s",
                             tier_int(e, 1, is_vector).s, other.s, t.s,
                             c->many.s, t.s, c->me.s);
  put(e, c, "readers", v, e->mask);
  if (c->way != TIER_EACH)
    return;
  struct tier_ir lost = words(e, "icmp ne", get(e, c, "readers"), v);
  put(e, c, "readers", c->many, both(e, lost, e->mask));
}

static void read_among_stores(struct tier_emitter *e, const struct cells *c) {
  struct tier_ir writer = get(e, c, "writers");
  must_be_written(e, c, writer);
  tier_forbid(e, is_other(e, c, writer));
  note_reader(e, c);
}

void tier_read_shared(struct tier_emitter *e, const struct tier_cells *from) {
  bool is_quiet = !e->p->blocks[e->block].meets_stores;
  int look = tier_label(e), after = tier_label(e);
  if (is_quiet) {
    struct tier_ir left = tier_op(e, false, "load i64, ptr %%unwritten");
    struct tier_ir none = tier_op(e, false, "icmp eq i64 %s, 0", left.s);
    tier_line(e,
              "br i1 %s, label %%l%d, label %%l%d\n"
              "l%d:",
              none.s, after, look, look);
  }
  struct cells c = cells_of(e, from);
  for (int k = 0; k < from->bytes >> e->p->shared_shift; k++) {
    if (k)
      go_to_next(e, &c);
    if (is_quiet)
      must_be_written(e, &c, get(e, &c, "writers"));
    else
      read_among_stores(e, &c);
  }
  if (is_quiet)
    tier_line(e,
              "br label %%l%d\n"
              "l%d:",
              after, after);
}

// ---- Writes ----

static void count_written(struct tier_emitter *e, const struct cells *c,
                          struct tier_ir writer) {
  struct tier_ir n = words(e, "icmp ult", writer, named(e, c, "%since"));
  if (c->is_vector)
    n = tier_count(e, both(e, n, e->mask));
  else
    n = tier_op(e, false, "zext i1 %s to i64", n.s);
  struct tier_ir was = tier_op(e, false, "load i64, ptr %%unwritten");
  n = tier_op(e, false, "sub i64 %s, %s", was.s, n.s);
  tier_line(e, "store i64 %s, ptr %%unwritten", n.s);
}

// Of lanes that write to one unit all but the last find that another did.
static void write_unit(struct tier_emitter *e, const struct cells *c) {
  struct tier_ir writer = get(e, c, "writers");
  tier_forbid(e, is_other(e, c, writer));
  if (e->p->blocks[e->block].meets_loads)
    tier_forbid(e, is_other(e, c, get(e, c, "readers")));
  count_written(e, c, writer);
  put(e, c, "writers", c->me, e->mask);
  if (c->way == TIER_EACH)
    tier_forbid(e, words(e, "icmp ne", get(e, c, "writers"), c->me));
}

void tier_write_shared(struct tier_emitter *e, const struct tier_cells *from) {
  struct cells c = cells_of(e, from);
  if (c.way == TIER_ONE)
    tier_forbid(e, words(e, "icmp eq", c.me, c.many));
  for (int k = 0; k < from->bytes >> e->p->shared_shift; k++) {
    if (k)
      go_to_next(e, &c);
    write_unit(e, &c);
  }
}

// ---- Sums ----

// Units to which was added belong to many: any other access since bails.
static void sum_unit(struct tier_emitter *e, const struct cells *c) {
  struct tier_ir writer = get(e, c, "writers");
  struct tier_ir is_new = words(e, "icmp uge", writer, named(e, c, "%now"));
  must_be_written(e, c, writer);
  tier_forbid(e, both(e, is_new, words(e, "icmp ne", writer, c->many)));
  tier_forbid(e,
              words(e, "icmp uge", get(e, c, "readers"), named(e, c, "%now")));
  put(e, c, "writers", c->many, e->mask);
}

void tier_sum_shared(struct tier_emitter *e, const struct tier_cells *from) {
  struct cells c = cells_of(e, from);
  for (int k = 0; k < from->bytes >> e->p->shared_shift; k++) {
    if (k)
      go_to_next(e, &c);
    sum_unit(e, &c);
  }
}
