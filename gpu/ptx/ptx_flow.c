// SPDX-License-Identifier: Apache-2.0
// Where the ways of a branch meet again: immediate post-dominators, by Cooper,
// Harvey and Kennedy's iteration ("A Simple, Fast Dominance Algorithm") on the
// reversed flow graph of basic blocks. The exit is a node of its own.
//
// Threads that leave meet nobody. A way that some threads take straight to
// `ret` or `exit` therefore does not count where the others have another way
// to the end: in `if (p) { if (q) return; a; } b;` all that are left meet
// before b, so that a barrier there sees them together.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_internal.h"

struct block {
  int first, last;    // instructions
  int next[2];        // successors; the exit is block_count, -1 for none
  int leaving;        // a successor that only leaves and is not counted, or -1
  int order;          // post-order number in the reversed graph, -1 unreached
  int post_dominator; // -1 while unknown
};

struct flow {
  struct ptx_func *f;
  struct block *blocks; // and one more for the exit
  int count;
  int *block_of;    // of each instruction
  int *before;      // predecessor lists in the flow graph
  int *before_from; // where each block's list begins
  int *sequence;    // blocks in reversed-graph post-order
  int sequence_count;
};

static bool ends_thread(const struct ptx_insn *i) {
  return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}

static bool ends_block(const struct ptx_insn *i) {
  return i->op == PTX_OP_BRA || ends_thread(i) || i->op == PTX_OP_TRAP;
}

static void cut_blocks(struct flow *g) {
  struct ptx_func *f = g->f;
  char *starts = xcalloc((size_t)f->code_count + 1, 1);
  starts[0] = 1;
  for (int i = 0; i < f->code_count; i++) {
    const struct ptx_insn *insn = &f->code[i];
    if (insn->op == PTX_OP_BRA)
      starts[insn->operands[0].target] = 1;
    if (ends_block(insn))
      starts[i + 1] = 1;
  }
  for (int i = 0; i < f->code_count; i++) {
    if (starts[i])
      g->blocks[g->count++].first = i;
    g->blocks[g->count - 1].last = i;
    g->block_of[i] = g->count - 1;
  }
  free(starts);
}

static void link_blocks(struct flow *g) {
  for (int b = 0; b < g->count; b++) {
    struct block *block = &g->blocks[b];
    const struct ptx_insn *insn = &g->f->code[block->last];
    int fall = block->last + 1 < g->f->code_count ? b + 1 : g->count;
    bool always = insn->guard < 0;
    block->next[0] = block->next[1] = -1;
    if (insn->op == PTX_OP_BRA) {
      block->next[0] = g->block_of[insn->operands[0].target];
      block->next[1] = always ? -1 : fall;
    } else if (ends_thread(insn) || insn->op == PTX_OP_TRAP) {
      block->next[0] = g->count;
      block->next[1] = always ? -1 : fall;
    } else {
      block->next[0] = fall;
    }
  }
}

static bool only_leaves(const struct flow *g, int b) {
  if (b == g->count)
    return true;
  const struct ptx_insn *first = &g->f->code[g->blocks[b].first];
  return ends_thread(first) && first->guard < 0;
}

static void drop_leaving(struct flow *g) {
  for (int b = 0; b < g->count; b++) {
    struct block *block = &g->blocks[b];
    block->leaving = -1;
    for (int k = 0; k < 2 && block->leaving < 0; k++) {
      int other = block->next[!k];
      if (block->next[k] < 0 || !only_leaves(g, block->next[k]) || other < 0 ||
          only_leaves(g, other))
        continue;
      block->leaving = block->next[k];
      block->next[k] = -1;
    }
  }
}

// Blocks that have no other way out get theirs back, such as a loop that only
// a return ends. Were there any?
static bool restore_leaving(struct flow *g) {
  bool found = false;
  for (int b = 0; b < g->count; b++) {
    struct block *block = &g->blocks[b];
    if (block->order != -1 || block->leaving < 0)
      continue;
    block->next[block->next[0] >= 0] = block->leaving;
    block->leaving = -1;
    found = true;
  }
  return found;
}

// Blocks that nothing leads out of: their branches back get a way to the exit
// that no thread takes, so that branches inside still meet. (From any block,
// falling through and following plain branches ends in such a branch.) Were
// there any?
static bool open_endless_loops(struct flow *g) {
  bool found = false;
  for (int b = 0; b < g->count; b++) {
    struct block *block = &g->blocks[b];
    const struct ptx_insn *last = &g->f->code[block->last];
    if (block->order != -1 || last->op != PTX_OP_BRA || last->guard >= 0 ||
        block->next[0] > b)
      continue;
    block->next[1] = g->count;
    found = true;
  }
  return found;
}

static void list_predecessors(struct flow *g) {
  memset(g->before_from, 0, ((size_t)g->count + 2) * sizeof *g->before_from);
  for (int b = 0; b < g->count; b++)
    for (int k = 0; k < 2; k++)
      if (g->blocks[b].next[k] >= 0)
        g->before_from[g->blocks[b].next[k] + 1]++;
  for (int b = 0; b <= g->count; b++)
    g->before_from[b + 1] += g->before_from[b];
  int *fill = xcalloc((size_t)g->count + 2, sizeof *fill);
  for (int b = 0; b < g->count; b++)
    for (int k = 0; k < 2; k++) {
      int n = g->blocks[b].next[k];
      if (n >= 0)
        g->before[g->before_from[n] + fill[n]++] = b;
    }
  free(fill);
}

// Post-order of the reversed graph from one root, without recursion.
static void walk(struct flow *g, int root) {
  int *stack = xcalloc((size_t)g->count + 2, sizeof *stack);
  int *at = xcalloc((size_t)g->count + 2, sizeof *at);
  int depth = 0;
  stack[0] = root;
  at[0] = g->before_from[root];
  g->blocks[root].order = -2;
  while (depth >= 0) {
    int b = stack[depth];
    if (at[depth] < g->before_from[b + 1]) {
      int n = g->before[at[depth]++];
      if (g->blocks[n].order == -1) {
        g->blocks[n].order = -2;
        stack[++depth] = n;
        at[depth] = g->before_from[n];
      }
    } else {
      g->blocks[b].order = g->sequence_count;
      g->sequence[g->sequence_count++] = b;
      depth--;
    }
  }
  free(stack);
  free(at);
}

static int meet(const struct flow *g, int a, int b) {
  while (a != b) {
    while (g->blocks[a].order < g->blocks[b].order)
      a = g->blocks[a].post_dominator;
    while (g->blocks[b].order < g->blocks[a].order)
      b = g->blocks[b].post_dominator;
  }
  return a;
}

static bool improve(struct flow *g, int b) {
  int best = -1;
  for (int k = 0; k < 2; k++) {
    int n = g->blocks[b].next[k];
    if (n < 0 || g->blocks[n].post_dominator < 0)
      continue;
    best = best < 0 ? n : meet(g, best, n);
  }
  if (best < 0 || best == g->blocks[b].post_dominator)
    return false;
  g->blocks[b].post_dominator = best;
  return true;
}

static void order_blocks(struct flow *g) {
  for (int b = 0; b <= g->count; b++) {
    g->blocks[b].order = -1;
    g->blocks[b].post_dominator = -1;
  }
  g->sequence_count = 0;
  list_predecessors(g);
  walk(g, g->count);
}

static void dominate(struct flow *g) {
  order_blocks(g);
  if (restore_leaving(g))
    order_blocks(g);
  if (open_endless_loops(g))
    order_blocks(g);
  g->blocks[g->count].post_dominator = g->count;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = g->sequence_count - 2; i >= 0; i--)
      changed |= improve(g, g->sequence[i]);
  }
}

static void mark(struct flow *g) {
  for (int i = 0; i < g->f->code_count; i++) {
    struct ptx_insn *insn = &g->f->code[i];
    insn->reconverge = g->f->code_count;
    if (!ends_block(insn))
      continue;
    int d = g->blocks[g->block_of[i]].post_dominator;
    if (d >= 0 && d < g->count)
      insn->reconverge = g->blocks[d].first;
  }
}

void find_reconvergence(struct ptx_func *f) {
  size_t n = (size_t)f->code_count + 2;
  struct flow g = {.f = f};
  g.blocks = xcalloc(n, sizeof *g.blocks);
  g.block_of = xcalloc(n, sizeof *g.block_of);
  g.before = xcalloc(2 * n, sizeof *g.before);
  g.before_from = xcalloc(n + 1, sizeof *g.before_from);
  g.sequence = xcalloc(n, sizeof *g.sequence);
  cut_blocks(&g);
  link_blocks(&g);
  drop_leaving(&g);
  dominate(&g);
  mark(&g);
  free(g.blocks);
  free(g.block_of);
  free(g.before);
  free(g.before_from);
  free(g.sequence);
}
