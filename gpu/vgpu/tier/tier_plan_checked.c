// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel whose launches are checked: units of memory, whether its
// lanes part, and between which barriers shared memory is written.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/tier/tier_plan.h"

// ---- Units ----

static bool is_sum(const struct ptx_insn *i) {
  return i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
}

static bool is_access(const struct ptx_insn *i) {
  return i->op == PTX_OP_LD || i->op == PTX_OP_ST || is_sum(i);
}

static bool is_unit_of(const struct tier_plan *p, const struct ptx_insn *i,
                       bool is_shared) {
  bool is_first = i->op == PTX_OP_ST || i->op == PTX_OP_RED;
  const struct ptx_operand *o = &i->operands[is_first ? 0 : 1];
  if (!is_access(i) || i->space != (is_shared ? PTX_SHARED : PTX_GLOBAL))
    return false;
  int origin = is_shared ? 0 : p->registers[o->reg].v.origin;
  return is_shared || (origin >= 0 && p->written >> origin & 1);
}

// The narrowest access to shared memory, or to global memory that is written; 8 bytes
// at most.
static int find_unit(const struct tier_plan *p, bool is_shared) {
  int least = 8;
  for (int n = 0; n < p->func->code_count; n++) {
    const struct ptx_insn *i = &p->func->code[n];
    int bytes = ptx_type_bytes((enum ptx_type)i->type) * (i->vec ? i->vec : 1);
    if (is_unit_of(p, i, is_shared) && bytes < least)
      least = bytes;
  }
  return __builtin_ctz((unsigned)least);
}

// ---- Lanes that part ----

// The interpreter lets lanes meet again at the place that the parser found for the
// branch (ptx_flow.c), and this tier where the lowest block is. Both run each block as
// often where the two ways share nothing but that place, which lies behind them:
// `parts` says that there is a branch of which that is not so.

// That place; block_count: the end, or a block that is nothing else and so none of
// the tier's.
static int find_meet(const struct tier_plan *p, int n) {
  int at = p->func->code[p->blocks[n].end - 1].reconverge;
  const struct ptx_insn *i = &p->func->code[at];
  if (at == p->func->code_count || (tier_is_end(i) && i->guard < 0))
    return p->block_count;
  int m = 0;
  while (m < p->block_count && p->blocks[m].first != at)
    m++;
  return m;
}

static void reach_until(const struct tier_plan *p, int start, int meet,
                        bool *is_in) {
  if (start >= p->block_count || start == meet || is_in[start])
    return;
  is_in[start] = true;
  for (int k = 0; k < p->blocks[start].to_count; k++)
    reach_until(p, p->blocks[start].to[k], meet, is_in);
}

// A branch's two ways, up to where they meet.
struct fork {
  int at, meet;
  bool *way[2];
};

static bool lies_before(const struct tier_plan *p, const struct fork *f) {
  for (int k = f->meet; k < p->block_count; k++)
    if (f->way[0][k] || f->way[1][k])
      return false;
  return true;
}

static bool is_disjoint(const struct tier_plan *p, const struct fork *f) {
  for (int k = 0; k < p->block_count; k++)
    if (f->way[0][k] && f->way[1][k])
      return false;
  return !f->way[0][f->at] && !f->way[1][f->at];
}

// A way out of a loop that only the branch leads to, and that goes straight on: the
// interpreter runs it for all that leave in one round.
static bool is_tail(const struct tier_plan *p, const struct fork *f,
                    const bool *way) {
  for (int n = 0; n < p->block_count; n++) {
    const struct tier_block *b = &p->blocks[n];
    for (int k = 0; k < b->to_count; k++) {
      bool leads_in = b->to[k] < p->block_count && way[b->to[k]];
      if (leads_in && !way[n] && n != f->at && b->is_reached)
        return false;
      if (way[n] && (b->to[k] <= n || b->is_parting || b->barrier))
        return false;
    }
  }
  return !way[f->at];
}

// Each round of the branch pays for its tail.
static void pay_tail(struct tier_plan *p, const struct fork *f,
                     const bool *way) {
  struct tier_block *b = &p->blocks[f->at];
  b->tail = region_alloc(p->region, sizeof *b->tail * (size_t)p->block_words);
  for (int k = 0; k < p->block_count; k++)
    if (way[k])
      tier_add(b->tail, k);
}

static bool is_even(struct tier_plan *p, const struct fork *f) {
  const struct tier_block *b = &p->blocks[f->at];
  if (!lies_before(p, f))
    return false;
  if (b->to[0] == f->meet || b->to[1] == f->meet || is_disjoint(p, f))
    return true;
  for (int k = 0; k < 2; k++)
    if (is_tail(p, f, f->way[k])) {
      pay_tail(p, f, f->way[k]);
      return true;
    }
  return false;
}

static bool looks_even(struct tier_plan *p, int n) {
  const struct tier_block *b = &p->blocks[n];
  size_t count = (size_t)p->block_count + 1;
  bool *both = xcalloc(count, 2 * sizeof *both);
  struct fork f = {n, find_meet(p, n), {both, both + count}};
  for (int k = 0; k < 2; k++)
    reach_until(p, b->to[k], f.meet, f.way[k]);
  bool is = is_even(p, &f);
  free(both);
  return is;
}

static bool may_part(struct tier_plan *p) {
  bool parts = false;
  for (int n = 0; n < p->block_count && !parts; n++) {
    const struct tier_block *b = &p->blocks[n];
    parts = b->is_reached && b->is_parting && b->to_count == 2 &&
            b->to[0] < p->block_count && b->to[1] < p->block_count &&
            !looks_even(p, n);
  }
  return parts;
}

// ---- Intervals between barriers ----

// Blocks that may run between a barrier and the next, from `start` on.
static void reach(const struct tier_plan *p, int start, bool *is_in) {
  if (start >= p->block_count || is_in[start])
    return;
  is_in[start] = true;
  const struct tier_block *b = &p->blocks[start];
  for (int k = 0; k < b->to_count && !b->barrier; k++)
    reach(p, b->to[k], is_in);
}

static bool has_shared(const struct tier_plan *p, const bool *is_in,
                       bool is_load) {
  for (int n = 0; n < p->block_count; n++)
    for (int k = p->blocks[n].first; is_in[n] && k < p->blocks[n].end; k++) {
      const struct ptx_insn *i = &p->func->code[k];
      if (is_access(i) && i->space == PTX_SHARED &&
          (i->op == PTX_OP_LD) == is_load)
        return true;
    }
  return false;
}

static void see_interval(struct tier_plan *p, int start, bool *is_in) {
  memset(is_in, 0, sizeof *is_in * (size_t)p->block_count);
  reach(p, start, is_in);
  bool loads = has_shared(p, is_in, true);
  bool stores = has_shared(p, is_in, false);
  for (int n = 0; n < p->block_count; n++) {
    p->blocks[n].meets_loads |= is_in[n] && loads;
    p->blocks[n].meets_stores |= is_in[n] && stores;
  }
}

static void find_intervals(struct tier_plan *p) {
  bool *is_in = xcalloc((size_t)p->block_count, sizeof *is_in);
  see_interval(p, 0, is_in);
  for (int n = 0; n < p->block_count; n++)
    if (p->blocks[n].barrier)
      see_interval(p, p->blocks[n].to[0], is_in);
  free(is_in);
}

// ---- All of it ----

bool tier_plan_checks(struct tier_plan *p) {
  if (!p->is_checked)
    return true;
  p->parts = may_part(p);
  p->unit_shift = find_unit(p, false);
  p->shared_shift = find_unit(p, true);
  find_intervals(p);
  if (!(p->fetched & p->written))
    return true;
  snprintf(p->refusal, sizeof p->refusal,
           "it reads through constants what it writes");
  return false;
}
