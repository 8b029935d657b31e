// SPDX-License-Identifier: Apache-2.0
// x86-64 has masked accesses, and masks of a bit a lane; AVX2 alone has no scatter, and
// masks for words only. NEON has neither: of the intrinsics LLVM would make a branch for
// each lane, which takes it seconds, and of a mask's bits a move for each. So where they
// are missing a row that is on is one plain access, all else a loop over the lanes that
// are on, by arrays; and on NEON a mask's bits are the sums of bytes of which each has
// another bit.
#include "gpu/vgpu/tier/tier_emit_lanes.h"

#include <stdio.h>

#include "gpu/vgpu/tier/tier_relocate.h"

static bool has_masks(void) {
  return TIER_MACHINE == EM_X86_64;
}

static bool has_masked(const struct tier_emitter *e, int bits) {
  return has_masks() && (e->has_avx512 || bits >= 32);
}

static struct tier_text suffix(const struct tier_emitter *e, int bits) {
  struct tier_text t;
  snprintf(t.s, sizeof t.s, "v%di%d", e->p->lanes, bits);
  return t;
}

// ---- Masks ----

// Of each lane that is on its bit among eight.
static struct tier_ir spread_bits(struct tier_emitter *e, struct tier_ir mask) {
  struct tier_ir all = tier_op(e, true, "sext %%m %s to %%b", mask.s);
  uint64_t bits[TIER_MOST_GANG];
  for (int l = 0; l < e->p->lanes; l++)
    bits[l] = 1u << l % 8;
  struct tier_ir each = tier_list(e, "i8", e->p->lanes, bits);
  return tier_op(e, true, "and %%b %s, %s", all.s, each.s);
}

// The eight lanes from `first` on, as an i8.
static struct tier_ir eight(struct tier_emitter *e, struct tier_ir spread,
                            int first) {
  int W = e->p->lanes;
  struct tier_ir v = spread;
  if (W > 8)
    v = tier_take(e, "i8", W, spread, first, 8);
  tier_declare(e, "i8 @llvm.vector.reduce.add.v8i8(<8 x i8>)");
  return tier_op(e, false, "call i8 @llvm.vector.reduce.add.v8i8(<8 x i8> %s)",
                 v.s);
}

static struct tier_ir sum_bits(struct tier_emitter *e, struct tier_ir mask) {
  int W = e->p->lanes;
  struct tier_ir spread = spread_bits(e, mask), all = eight(e, spread, 0);
  if (W == 8)
    return all;
  all = tier_op(e, false, "zext i8 %s to i%d", all.s, W);
  for (int first = 8; first < W; first += 8) {
    struct tier_ir more = eight(e, spread, first);
    more = tier_op(e, false, "zext i8 %s to i%d", more.s, W);
    more = tier_op(e, false, "shl i%d %s, %d", W, more.s, first);
    all = tier_op(e, false, "or i%d %s, %s", W, all.s, more.s);
  }
  return all;
}

struct tier_ir tier_mask_bits(struct tier_emitter *e, struct tier_ir mask) {
  if (!has_masks())
    return sum_bits(e, mask);
  return tier_op(e, false, "bitcast %%m %s to i%d", mask.s, e->p->lanes);
}

// Are its bits 0, or not ("ne")?
static struct tier_ir are_bits(struct tier_emitter *e, struct tier_ir mask,
                               const char *how) {
  int W = e->p->lanes;
  if (has_masks())
    return tier_op(e, false, "icmp %s i%d %s, 0", how, W,
                   tier_mask_bits(e, mask).s);
  struct tier_ir spread = spread_bits(e, mask);
  tier_declare(e, "i8 @llvm.vector.reduce.umax.v%di8(%%b)", W);
  struct tier_ir most = tier_op(
      e, false, "call i8 @llvm.vector.reduce.umax.v%di8(%%b %s)", W, spread.s);
  return tier_op(e, false, "icmp %s i8 %s, 0", how, most.s);
}

struct tier_ir tier_any(struct tier_emitter *e, struct tier_ir mask) {
  return are_bits(e, mask, "ne");
}

struct tier_ir tier_none(struct tier_emitter *e, struct tier_ir mask) {
  return are_bits(e, mask, "eq");
}

struct tier_ir tier_splat_mask(struct tier_emitter *e, struct tier_ir v) {
  int W = e->p->lanes;
  if (has_masks()) { // of a splat's shuffle LLVM makes a worse mask
    struct tier_ir all = tier_op(e, false, "sext i1 %s to i%d", v.s, W);
    return tier_op(e, true, "bitcast i%d %s to %%m", W, all.s);
  }
  struct tier_ir one =
      tier_op(e, true, "insertelement %%m poison, i1 %s, i32 0", v.s);
  return tier_op(
      e, true, "shufflevector %%m %s, %%m poison, %%i zeroinitializer", one.s);
}

// ---- Lane by lane ----

struct tier_lane_loop tier_begin_lanes(struct tier_emitter *e,
                                       struct tier_ir all) {
  int W = e->p->lanes;
  struct tier_lane_loop l = {.from = tier_label(e)};
  l.loop = tier_label(e);
  l.end = tier_label(e);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:",
            l.from, l.from);
  struct tier_ir any = tier_op(e, false, "icmp ne i%d %s, 0", W, all.s);
  tier_line(e,
            "br i1 %s, label %%l%d, label %%l%d\n"
            "l%d:",
            any.s, l.loop, l.end, l.loop);
  tier_line(e, "%%left%d = phi i%d [ %s, %%l%d ], [ %%next%d, %%l%d ]", l.loop,
            W, all.s, l.from, l.loop, l.loop);
  tier_declare(e, "i%d @llvm.cttz.i%d(i%d, i1)", W, W, W);
  struct tier_ir n =
      tier_op(e, false, "call i%d @llvm.cttz.i%d(i%d %%left%d, i1 true)", W, W,
              W, l.loop);
  l.lane = tier_op(e, false, "zext i%d %s to i64", W, n.s);
  return l;
}

void tier_end_lanes(struct tier_emitter *e, const struct tier_lane_loop *l) {
  int W = e->p->lanes;
  struct tier_ir less = tier_op(e, false, "sub i%d %%left%d, 1", W, l->loop);
  tier_line(e, "%%next%d = and i%d %%left%d, %s", l->loop, W, l->loop, less.s);
  tier_line(e, "%%more%d = icmp ne i%d %%next%d, 0", l->loop, W, l->loop);
  tier_line(e,
            "br i1 %%more%d, label %%l%d, label %%l%d\n"
            "l%d:",
            l->loop, l->loop, l->end, l->end);
}

// An element of an array of the function's, or of one at a pointer.
static struct tier_ir element(struct tier_emitter *e, const char *array,
                              const char *type, struct tier_ir lane) {
  return tier_op(e, false, "getelementptr %s, ptr %s, i64 %s", type, array,
                 lane.s);
}

// Where a lane's element is: in a row, or, of pointers, those that `%arrays` has.
static struct tier_ir place_of(struct tier_emitter *e, struct tier_ir at,
                               int bits, struct tier_ir lane) {
  if (!at.is_vector)
    return element(e, at.s, tier_int(e, bits, false).s, lane);
  return tier_op(e, false, "load ptr, ptr %s",
                 element(e, "%arrays", "ptr", lane).s);
}

static void keep_pointers(struct tier_emitter *e, struct tier_ir at) {
  if (at.is_vector)
    tier_line(e, "store %%p %s, ptr %%arrays, align 8", at.s);
}

static struct tier_ir load_lanes(struct tier_emitter *e, struct tier_ir at,
                                 int bits, struct tier_ir all) {
  struct tier_text t = tier_int(e, bits, true), one = tier_int(e, bits, false);
  keep_pointers(e, at);
  tier_line(e, "store %s zeroinitializer, ptr %%results, align %d", t.s,
            bits / 8);
  struct tier_lane_loop l = tier_begin_lanes(e, all);
  struct tier_ir v = tier_op(e, false, "load %s, ptr %s", one.s,
                             place_of(e, at, bits, l.lane).s);
  tier_line(e, "store %s %s, ptr %s", one.s, v.s,
            element(e, "%results", one.s, l.lane).s);
  tier_end_lanes(e, &l);
  return tier_op(e, true, "load %s, ptr %%results, align %d", t.s, bits / 8);
}

static void store_lanes(struct tier_emitter *e, struct tier_ir v,
                        struct tier_ir at, int bits, struct tier_ir all) {
  struct tier_text one = tier_int(e, bits, false);
  keep_pointers(e, at);
  tier_line(e, "store %s %s, ptr %%results, align %d",
            tier_int(e, bits, true).s, v.s, bits / 8);
  struct tier_lane_loop l = tier_begin_lanes(e, all);
  struct tier_ir x = tier_op(e, false, "load %s, ptr %s", one.s,
                             element(e, "%results", one.s, l.lane).s);
  tier_line(e, "store %s %s, ptr %s", one.s, x.s,
            place_of(e, at, bits, l.lane).s);
  tier_end_lanes(e, &l);
}

// ---- Rows ----

// Goes on where all lanes are on; answers the label of where some are off.
static int begin_full(struct tier_emitter *e, struct tier_ir all, int *full) {
  int some = tier_label(e);
  *full = tier_label(e);
  struct tier_ir is =
      tier_op(e, false, "icmp eq i%d %s, -1", e->p->lanes, all.s);
  tier_line(e,
            "br i1 %s, label %%l%d, label %%l%d\n"
            "l%d:",
            is.s, *full, some, *full);
  return some;
}

static struct tier_ir load_row(struct tier_emitter *e, struct tier_ir at,
                               int bits, struct tier_ir mask) {
  struct tier_text t = tier_int(e, bits, true);
  struct tier_ir all = tier_mask_bits(e, mask);
  int full, some = begin_full(e, all, &full);
  int last = tier_label(e), end = tier_label(e);
  struct tier_ir plain =
      tier_op(e, true, "load %s, ptr %s, align %d", t.s, at.s, bits / 8);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:",
            end, some);
  struct tier_ir each = load_lanes(e, at, bits, all);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:\n"
            "br label %%l%d\n"
            "l%d:",
            last, last, end, end);
  return tier_op(e, true, "phi %s [ %s, %%l%d ], [ %s, %%l%d ]", t.s, plain.s,
                 full, each.s, last);
}

static void store_row(struct tier_emitter *e, struct tier_ir v,
                      struct tier_ir at, int bits, struct tier_ir mask) {
  struct tier_ir all = tier_mask_bits(e, mask);
  int full, some = begin_full(e, all, &full), end = tier_label(e);
  tier_line(e,
            "store %s %s, ptr %s, align %d\n"
            "br label %%l%d\n"
            "l%d:",
            tier_int(e, bits, true).s, v.s, at.s, bits / 8, end, some);
  store_lanes(e, v, at, bits, all);
  tier_line(e,
            "br label %%l%d\n"
            "l%d:",
            end, end);
}

struct tier_ir tier_load_row(struct tier_emitter *e, struct tier_ir at,
                             int bits, struct tier_ir mask) {
  struct tier_text t = tier_int(e, bits, true), s = suffix(e, bits);
  if (!has_masked(e, bits))
    return load_row(e, at, bits, mask);
  tier_declare(e, "%s @llvm.masked.load.%s.p0(ptr, i32, %%m, %s)", t.s, s.s,
               t.s);
  return tier_op(e, true,
                 "call %s @llvm.masked.load.%s.p0(ptr %s, i32 %d, %%m %s, %s "
                 "zeroinitializer)",
                 t.s, s.s, at.s, bits / 8, mask.s, t.s);
}

void tier_store_row(struct tier_emitter *e, struct tier_ir v, struct tier_ir at,
                    int bits, struct tier_ir mask) {
  struct tier_text t = tier_int(e, bits, true), s = suffix(e, bits);
  if (!has_masked(e, bits)) {
    store_row(e, v, at, bits, mask);
    return;
  }
  tier_declare(e, "void @llvm.masked.store.%s.p0(%s, ptr, i32, %%m)", s.s, t.s);
  tier_line(e,
            "call void @llvm.masked.store.%s.p0(%s %s, ptr %s, i32 %d, %%m %s)",
            s.s, t.s, v.s, at.s, bits / 8, mask.s);
}

// ---- Anywhere ----

struct tier_ir tier_gather(struct tier_emitter *e, struct tier_ir from,
                           int bits, struct tier_ir mask) {
  int W = e->p->lanes;
  struct tier_text t = tier_int(e, bits, true), s = suffix(e, bits);
  if (!has_masks() || !e->has_avx512)
    return load_lanes(e, from, bits, tier_mask_bits(e, mask));
  tier_declare(e, "%s @llvm.masked.gather.%s.v%dp0(%%p, i32, %%m, %s)", t.s,
               s.s, W, t.s);
  return tier_op(e, true,
                 "call %s @llvm.masked.gather.%s.v%dp0(%%p %s, i32 %d, %%m %s, "
                 "%s zeroinitializer)",
                 t.s, s.s, W, from.s, bits / 8, mask.s, t.s);
}

void tier_scatter(struct tier_emitter *e, struct tier_ir v, struct tier_ir to,
                  int bits, struct tier_ir mask) {
  int W = e->p->lanes;
  struct tier_text t = tier_int(e, bits, true), s = suffix(e, bits);
  if (!has_masks() || !e->has_avx512) {
    store_lanes(e, v, to, bits, tier_mask_bits(e, mask));
    return;
  }
  tier_declare(e, "void @llvm.masked.scatter.%s.v%dp0(%s, %%p, i32, %%m)", s.s,
               W, t.s);
  tier_line(
      e,
      "call void @llvm.masked.scatter.%s.v%dp0(%s %s, %%p %s, i32 %d, %%m %s)",
      s.s, W, t.s, v.s, to.s, bits / 8, mask.s);
}
