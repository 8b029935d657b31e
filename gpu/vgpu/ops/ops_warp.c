// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together: shfl, vote, match, redux, activemask;
// and clocks.
//
// PTX ISA: "shfl.sync", "vote.sync", "match.sync", "redux.sync".
#include "gpu/vgpu/ops/ops.h"

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

static uint32_t first_value(struct vg_warp *w, vg_place at, vg_mask m) {
  return ((const uint32_t *)VG_AT(w, at))[__builtin_ctz(m)];
}

// Lanes whose mask does not name themselves get a value that nobody promises.
void vg_check_mask(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place masks) {
  const uint32_t *named = VG_AT(w, masks);
  struct vg_fault f = {.kind = ERR_BARRIER,
                       .space = GPU_SPACE_WARP,
                       .text = "this thread is not named by the mask that it "
                               "passes itself"};
  for (; m && w->block->grid->is_checked; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (!(named[l] >> l & 1))
      vg_report(w, i, l, &f);
  }
}

// As vg_warp_meet, with the first lane's mask.
static bool take_part(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      vg_mask named, vg_place masks) {
  if (!vg_warp_meet(w, i, m, named))
    return false;
  if (m & ~named)
    vg_check_mask(w, i, m & ~named, masks);
  return true;
}

// The same where lanes that name different ones take turns.
static bool take_part_alike(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m, vg_mask named, vg_place masks) {
  return vg_warp_agree(w, i, m, masks) && take_part(w, i, m, named, masks);
}

// Lane l has the value of lane source[l], or of all where that is NULL.
static void note_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                          const uint8_t *source) {
  if (w->is_careful)
    vg_on_exchange(w, i, m, source);
  vg_slice_exchange(w, i, m, source);
}

// Lanes that lanes read from, and whether (0 or 1) these are in range.
static inline __attribute__((always_inline)) void
source_lanes(int mode, const uint32_t *b, const uint32_t *c,
             uint32_t from[VG_LANES], uint32_t in[VG_LANES]) {
  for (int l = 0; l < VG_LANES; l++) {
    int clamp = (int)(c[l] & 31), seg = (int)(c[l] >> 8 & 31);
    int max = (l & seg) | (clamp & ~seg), min = l & seg, by = (int)(b[l] & 31);
    int j = mode == PTX_SHFL_UP     ? l - by
            : mode == PTX_SHFL_DOWN ? l + by
            : mode == PTX_SHFL_BFLY ? l ^ by
                                    : min | (by & ~seg);
    in[l] = mode == PTX_SHFL_UP ? j >= max : j <= max;
    from[l] = (uint32_t)(in[l] ? j : l) & 31;
  }
}

static void find_sources(int mode, const uint32_t *b, const uint32_t *c,
                         uint32_t from[VG_LANES], uint32_t in[VG_LANES]) {
  switch (mode) {
  case PTX_SHFL_UP: source_lanes(PTX_SHFL_UP, b, c, from, in); return;
  case PTX_SHFL_DOWN: source_lanes(PTX_SHFL_DOWN, b, c, from, in); return;
  case PTX_SHFL_BFLY: source_lanes(PTX_SHFL_BFLY, b, c, from, in); return;
  default: source_lanes(PTX_SHFL_IDX, b, c, from, in); return;
  }
}

// shfl.sync d|p, a, b, c, membermask.
static void op_shfl(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[3], m);
  if (!take_part(w, i, m, named, i->src[3]))
    return;
  uint32_t a[VG_LANES];
  memcpy(a, VG_AT(w, i->src[0]), sizeof a);
  vg_mask in_range = 0, absent = 0;
  uint32_t r[VG_LANES], from[VG_LANES], in[VG_LANES];
  uint8_t source[VG_LANES];
  find_sources(i->sub, VG_AT(w, i->src[1]), VG_AT(w, i->src[2]), from, in);
  for (int l = 0; l < VG_LANES; l++) {
    in_range |= in[l] << l;
    r[l] = a[from[l]];
    source[l] = (uint8_t)from[l];
  }
  for (int l = 0; m != VG_ALL && l < VG_LANES; l++)
    if (in[l] && !(m >> from[l] & 1)) // "undefined" (PTX ISA, "shfl.sync")
      absent |= 1u << l;
  note_exchange(w, i, m, source);
  if (i->dst != VG_NOWHERE) {
    uint32_t *d = VG_AT(w, i->dst);
    for (int l = 0; l < VG_LANES; l++)
      d[l] = (m >> l & 1) ? r[l] : d[l];
  }
  set_predicate(w, i->dst2, m, in_range);
  if (absent & m && w->block->grid->is_checked)
    vg_on_absent(w, i, absent & m);
}

// vote.sync.mode d, a, membermask.
static void op_vote(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[1], m);
  if (!take_part_alike(w, i, m, named, i->src[1]))
    return;
  note_exchange(w, i, m, NULL);
  vg_mask in = m & named;
  vg_mask yes = (get_predicate(w, i->src[0]) ^ i->flip) & in;
  if (i->sub == PTX_VOTE_BALLOT) {
    LANES_RUN(uint32_t, r = yes)
    return;
  }
  bool r = i->sub == PTX_VOTE_ALL   ? yes == in
           : i->sub == PTX_VOTE_ANY ? yes != 0
                                    : yes == in || !yes;
  set_predicate(w, i->dst, m, r ? VG_ALL : 0);
}

static uint64_t value_at(struct vg_warp *w, const struct vg_insn *i, int l) {
  return ptx_type_bytes((enum ptx_type)i->type) == 8
             ? ((const uint64_t *)VG_AT(w, i->src[0]))[l]
             : ((const uint32_t *)VG_AT(w, i->src[0]))[l];
}

// match.any d, a, mask; match.all d|p, a, mask.
static void op_match(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[1], m);
  if (!take_part_alike(w, i, m, named, i->src[1]))
    return;
  note_exchange(w, i, m, NULL);
  vg_mask in = m & named, same[VG_LANES];
  for (int l = 0; l < VG_LANES; l++) {
    same[l] = 0;
    for (int k = 0; k < VG_LANES; k++)
      if (in >> k & 1 && value_at(w, i, k) == value_at(w, i, l))
        same[l] |= 1u << k;
  }
  bool all = same[__builtin_ctz(m)] == in;
  if (i->sub == PTX_MATCH_ALL) {
    if (i->dst != VG_NOWHERE)
      LANES_RUN(uint32_t, r = all ? in : 0)
    set_predicate(w, i->dst2, m, all ? VG_ALL : 0);
  } else if (i->dst != VG_NOWHERE) {
    LANES_RUN(uint32_t, r = same[l])
  }
}

// elect.sync d|p, membermask: the lowest of the lanes leads.
static void op_elect(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[0], m);
  if (!take_part_alike(w, i, m, named, i->src[0]))
    return;
  uint32_t leader = (uint32_t)__builtin_ctz(m & named ? m & named : m);
  if (i->dst != VG_NOWHERE)
    LANES_RUN(uint32_t, r = leader)
  set_predicate(w, i->dst2, m, 1u << leader);
}

static uint32_t reduce(int op, bool is_signed, uint32_t x, uint32_t y) {
  switch (op) {
  case PTX_ATOM_ADD: return x + y;
  case PTX_ATOM_MIN:
    return is_signed ? ((int32_t)x < (int32_t)y ? x : y) : x < y ? x : y;
  case PTX_ATOM_MAX:
    return is_signed ? ((int32_t)x > (int32_t)y ? x : y) : x > y ? x : y;
  case PTX_ATOM_AND: return x & y;
  case PTX_ATOM_OR: return x | y;
  default: return x ^ y;
  }
}

// redux.sync.op d, a, membermask.
static void op_redux(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[1], m);
  if (!take_part_alike(w, i, m, named, i->src[1]))
    return;
  note_exchange(w, i, m, NULL);
  const uint32_t *a = VG_AT(w, i->src[0]);
  vg_mask in = m & named;
  if (!in)
    in = m;
  uint32_t sum = a[__builtin_ctz(in)];
  for (vg_mask rest = in & (in - 1); rest; rest &= rest - 1)
    sum = reduce(i->sub, i->type == PTX_S32, sum, a[__builtin_ctz(rest)]);
  LANES_RUN(uint32_t, r = sum)
}

static void op_activemask(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  LANES_RUN(uint32_t, r = m)
}

static void op_nanosleep(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  vg_on_sleep(w, i, m);
  w->block->executed += VG_WAIT_COST;
  vg_stop_turn(w, VG_RUNS); // the others get theirs
}

// Clocks count instructions and are the same every time: an instruction takes
// one tick, and the timer a nanosecond for each.
void vg_op_clock(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_block *b = w->block;
  uint64_t now =
      b->clock_base + b->instructions + (uint64_t)(w->turn - w->fuel);
  if (i->sub == PTX_SREG_CLOCK_HI || i->sub == PTX_SREG_GLOBALTIMER_HI)
    now >>= 32;
  if (i->bytes == 8)
    LANES_RUN(uint64_t, r = now)
  else
    LANES_RUN(uint32_t, r = (uint32_t)now)
}

vg_handler vg_find_warp(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_SHFL:
    return ptx_type_bytes((enum ptx_type)p->type) == 4 ? op_shfl : NULL;
  case PTX_OP_VOTE: return op_vote;
  case PTX_OP_ELECT: return op_elect;
  case PTX_OP_MATCH:
    return p->type == PTX_B32 || p->type == PTX_B64 ? op_match : NULL;
  case PTX_OP_REDUX:
    return p->type == PTX_U32 || p->type == PTX_S32 || p->type == PTX_B32
               ? op_redux
               : NULL;
  case PTX_OP_ACTIVEMASK: return op_activemask;
  case PTX_OP_NANOSLEEP: return op_nanosleep;
  default: return NULL;
  }
}
