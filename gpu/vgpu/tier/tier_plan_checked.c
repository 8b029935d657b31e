// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel whose launches are checked: units of memory, whether its
// lanes part, and between which barriers shared memory is written.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_plan.h"

// ---- Units ----

static bool is_access(const struct ptx_insn *i) {
  return i->op == PTX_OP_LD || i->op == PTX_OP_ST;
}

static bool is_unit_of(const struct tier_plan *p, const struct ptx_insn *i,
                       bool is_shared) {
  const struct ptx_operand *o = &i->operands[i->op == PTX_OP_ST ? 0 : 1];
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

static bool may_part(const struct tier_plan *p) {
  for (int n = 0; n < p->block_count; n++) {
    const struct tier_block *b = &p->blocks[n];
    if (b->is_reached && b->is_parting && b->to_count == 2 &&
        b->to[0] < p->block_count && b->to[1] < p->block_count)
      return true;
  }
  return false;
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

static bool has_shared(const struct tier_plan *p, const bool *is_in, int op) {
  for (int n = 0; n < p->block_count; n++)
    for (int k = p->blocks[n].first; is_in[n] && k < p->blocks[n].end; k++)
      if (p->func->code[k].op == op && p->func->code[k].space == PTX_SHARED)
        return true;
  return false;
}

static void see_interval(struct tier_plan *p, int start, bool *is_in) {
  memset(is_in, 0, sizeof *is_in * (size_t)p->block_count);
  reach(p, start, is_in);
  bool loads = has_shared(p, is_in, PTX_OP_LD);
  bool stores = has_shared(p, is_in, PTX_OP_ST);
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
