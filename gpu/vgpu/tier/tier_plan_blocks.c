// SPDX-License-Identifier: Apache-2.0
// Basic blocks: where they lead, what lives at their start, and in which others
// lanes may wait while one runs.
//
// Theory of operation. Lanes that have parted wait in the blocks that they go to, and
// of the blocks that have lanes the lowest runs next; so lanes meet where the code
// comes together. The blocks that may have lanes while another runs (`pending`) are
// found beforehand: by them an emitter knows which ways can be taken at a block's
// end, and which registers other lanes still need.
#include "gpu/vgpu/tier/tier_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"

// ---- Blocks and ways ----

static void mark_starts(const struct ptx_func *f, bool *starts) {
  starts[0] = true;
  for (int n = 0; n < f->code_count; n++) {
    const struct ptx_insn *i = &f->code[n];
    if (tier_ends_block(i))
      starts[n + 1] = true;
    if (i->op == PTX_OP_BRA && i->operands[0].target >= 0)
      starts[i->operands[0].target] = true;
  }
}

// A block that only ends the kernel is no place to wait.
static void add_way(const struct tier_plan *p, struct tier_block *b, int to) {
  if (to < p->block_count) {
    const struct ptx_insn *i = &p->func->code[p->blocks[to].first];
    if (tier_is_end(i) && i->guard < 0)
      to = p->block_count;
  }
  if (!b->to_count || b->to[0] != to)
    b->to[b->to_count++] = to;
}

static void find_ways(struct tier_plan *p, struct tier_block *b,
                      const int *block_of) {
  const struct ptx_insn *last = &p->func->code[b->end - 1];
  if (last->op == PTX_OP_BRA)
    add_way(p, b, block_of[last->operands[0].target]);
  if (tier_is_barrier(last))
    b->barrier = ++p->barrier_count;
  bool goes_on =
      last->guard >= 0 || (last->op != PTX_OP_BRA && !tier_is_end(last));
  if (goes_on)
    add_way(p, b, block_of[b->end]);
}

// ---- What lives ----

static void note_uses(struct tier_plan *p, struct tier_block *b) {
  int32_t regs[TIER_MOST_OPERANDS];
  for (int n = b->first; n < b->end; n++) {
    const struct ptx_insn *i = &p->func->code[n];
    int count = tier_reads(i, regs);
    for (int k = 0; k < count; k++)
      if (!tier_has(b->makes, regs[k]))
        tier_add(b->uses, regs[k]);
    count = tier_writes(i, regs);
    for (int k = 0; k < count; k++)
      if (i->guard < 0)
        tier_add(b->makes, regs[k]);
      else if (!tier_has(b->makes, regs[k]))
        tier_add(b->uses, regs[k]); // lanes that are off keep it
  }
}

static bool update_live(const struct tier_plan *p, struct tier_block *b) {
  bool has_changed = false;
  for (int w = 0; w < p->register_words; w++) {
    uint64_t out = 0;
    for (int k = 0; k < b->to_count; k++)
      if (b->to[k] < p->block_count)
        out |= p->blocks[b->to[k]].live_in[w];
    uint64_t in = b->uses[w] | (out & ~b->makes[w]);
    has_changed |= in != b->live_in[w];
    b->live_in[w] = in;
  }
  return has_changed;
}

static void find_live(struct tier_plan *p) {
  for (bool more = true; more;) {
    more = false;
    for (int b = p->block_count - 1; b >= 0; b--)
      more |= update_live(p, &p->blocks[b]);
  }
}

// ---- All of it ----

static uint64_t *new_set(struct tier_plan *p, int words) {
  return region_alloc(p->region, sizeof(uint64_t) * (size_t)words);
}

static void make_block(struct tier_plan *p, struct tier_block *b) {
  b->live_in = new_set(p, p->register_words);
  b->uses = new_set(p, p->register_words);
  b->makes = new_set(p, p->register_words);
  b->pending = new_set(p, p->block_words);
}

bool tier_find_blocks(struct tier_plan *p) {
  const struct ptx_func *f = p->func;
  size_t count = (size_t)f->code_count + 1;
  bool *starts = xcalloc(count + 1, sizeof *starts);
  int *block_of = xcalloc(count, sizeof *block_of);
  mark_starts(f, starts);
  for (int n = 0; n < f->code_count; n++) {
    p->block_count += starts[n];
    block_of[n] = p->block_count - 1;
  }
  block_of[f->code_count] = p->block_count;
  p->block_words = p->block_count / 64 + 1;
  p->register_words = f->reg_count / 64 + 1;
  bool is_fine = p->block_count <= TIER_MOST_BLOCKS;
  if (is_fine)
    p->blocks = region_alloc(p->region,
                             sizeof *p->blocks * (size_t)(p->block_count + 1));
  for (int n = 0, b = -1; is_fine && n < f->code_count; n++) {
    if (starts[n])
      p->blocks[++b].first = n;
    p->blocks[b].end = n + 1;
  }
  for (int b = 0; is_fine && b < p->block_count; b++) {
    make_block(p, &p->blocks[b]);
    find_ways(p, &p->blocks[b], block_of);
    note_uses(p, &p->blocks[b]);
  }
  if (is_fine)
    find_live(p);
  free(starts);
  free(block_of);
  return is_fine;
}

// ---- Where others wait ----

// Of `all`, some block runs next: the lowest that has lanes. `sure` has some.
static bool spread(struct tier_plan *p, const uint64_t *all, int sure) {
  bool has_changed = false;
  for (int q = 0; q <= sure && q < p->block_count; q++) {
    if (!tier_has(all, q))
      continue;
    struct tier_block *b = &p->blocks[q];
    has_changed |= !b->is_reached;
    b->is_reached = true;
    for (int w = q / 64; w < p->block_words; w++) {
      uint64_t above = w > q / 64     ? ~UINT64_C(0)
                       : q % 64 == 63 ? 0
                                      : ~UINT64_C(0) << (q % 64 + 1);
      uint64_t more = all[w] & above & ~b->pending[w];
      has_changed |= more != 0;
      b->pending[w] |= more;
    }
  }
  return has_changed;
}

static bool leave(struct tier_plan *p, struct tier_block *b, uint64_t *all) {
  bool has_changed = false;
  const struct ptx_insn *last = &p->func->code[b->end - 1];
  bool may_end = tier_is_end(last);
  memcpy(all, b->pending, sizeof *all * (size_t)p->block_words);
  if (!b->is_parting && !may_end) {
    for (int k = 0; k < b->to_count; k++) { // all lanes go one way
      memcpy(all, b->pending, sizeof *all * (size_t)p->block_words);
      if (b->to[k] < p->block_count)
        tier_add(all, b->to[k]);
      has_changed |= spread(p, all, b->to[k]);
    }
    return has_changed;
  }
  int sure = may_end ? p->block_count : 0;
  for (int k = 0; k < b->to_count; k++) {
    if (b->to[k] < p->block_count)
      tier_add(all, b->to[k]);
    sure = b->to[k] > sure ? b->to[k] : sure;
  }
  return spread(p, all, sure);
}

void tier_find_pending(struct tier_plan *p) {
  uint64_t *all = xcalloc((size_t)p->block_words, sizeof *all);
  p->blocks[0].is_reached = true;
  for (bool more = true; more;) {
    more = false;
    for (int b = 0; b < p->block_count; b++)
      if (p->blocks[b].is_reached)
        more |= leave(p, &p->blocks[b], all);
  }
  free(all);
}
