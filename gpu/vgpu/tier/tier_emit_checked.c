// SPDX-License-Identifier: Apache-2.0
// What compiled code of a checked launch does beside: it bails where the interpreter
// would have something to say.
//
// Theory of operation. What the kernel writes is cut into units, of which each gets
// one owner: the first thread that reads or writes it, by its number in the launch
// from 1 on. A thread that finds another one there bails. Threads that find none at
// the same time are both counted, and leave one owner: so where the units that have an
// owner are as many as were counted, no two threads used the same one, in whatever
// order they ran (tier_proof.c).
#include "gpu/vgpu/tier/tier_emit_checked.h"

#include "gpu/vgpu/tier/tier_emit_lanes.h"

void tier_forbid(struct tier_emitter *e, struct tier_ir condition) {
  if (condition.is_vector) {
    struct tier_ir bad =
        tier_op(e, true, "and %%m %s, %s", condition.s, e->mask.s);
    tier_must(e, tier_none(e, bad));
    return;
  }
  struct tier_ir fine = tier_op(e, false, "xor i1 %s, true", condition.s);
  tier_must(e,
            tier_op(e, false, "or i1 %s, %s", fine.s, tier_none(e, e->mask).s));
}

struct tier_ir tier_count(struct tier_emitter *e, struct tier_ir mask) {
  int W = e->p->lanes;
  tier_declare(e, "i%d @llvm.ctpop.i%d(i%d)", W, W, W);
  struct tier_ir n = tier_op(e, false, "call i%d @llvm.ctpop.i%d(i%d %s)", W, W,
                             W, tier_mask_bits(e, mask).s);
  return tier_op(e, false, "zext i%d %s to i64", W, n.s);
}

// ---- Owners ----

static struct tier_ir me(struct tier_emitter *e) {
  struct tier_ir first = {"%owner", false};
  return tier_spread(e, first, 32, 1);
}

// Of units that have these owners.
static void see_owners(struct tier_emitter *e, struct tier_ir owners) {
  struct tier_ir none =
      tier_op(e, true, "icmp eq %%i %s, zeroinitializer", owners.s);
  struct tier_ir others =
      tier_op(e, true, "icmp ne %%i %s, %s", owners.s, me(e).s);
  tier_forbid(e, tier_op(e, true, "select %%m %s, %%m zeroinitializer, %%m %s",
                         none.s, others.s));
  none = tier_op(e, true, "and %%m %s, %s", none.s, e->mask.s);
  struct tier_ir n = tier_count(e, none);
  struct tier_ir was = tier_op(e, false, "load i64, ptr %%claimed");
  n = tier_op(e, false, "add i64 %s, %s", was.s, n.s);
  tier_line(e, "store i64 %s, ptr %%claimed", n.s);
}

void tier_claim_row(struct tier_emitter *e, int origin, struct tier_ir offset) {
  struct tier_ir n =
      tier_op(e, false, "ashr i64 %s, %d", offset.s, e->p->unit_shift);
  struct tier_ir at = tier_op(
      e, false, "getelementptr i32, ptr %%e%d.owners, i64 %s", origin, n.s);
  see_owners(e, tier_load_row(e, at, 32, e->mask));
  tier_store_row(e, me(e), at, 32, e->mask);
}

void tier_claim(struct tier_emitter *e, int origin, struct tier_ir offsets,
                int bytes) {
  int shift = e->p->unit_shift;
  struct tier_ir by = tier_splat(e, tier_constant((uint64_t)shift, 32), 32);
  struct tier_ir n = tier_op(e, true, "lshr %%i %s, %s", offsets.s, by.s);
  for (int k = 0; k < bytes >> shift; k++) {
    struct tier_ir from = tier_op(
        e, false, "getelementptr i32, ptr %%e%d.owners, i64 %d", origin, k);
    struct tier_ir at =
        tier_op(e, true, "getelementptr i32, ptr %s, %%i %s", from.s, n.s);
    see_owners(e, tier_gather(e, at, 32, e->mask));
    tier_scatter(e, me(e), at, 32, e->mask);
  }
}
