// SPDX-License-Identifier: Apache-2.0
// Where the ways of a branch meet again: immediate post-dominators, by the
// Semi-NCA algorithm (Georgiadis, Tarjan and Werneck, "Finding Dominators in
// Practice") on the reversed flow graph of basic blocks, in nearly linear time.
// The exit is a node of its own.
//
// Threads that leave meet nobody. A way that some threads take straight to
// `ret` or `exit` therefore does not count where the others have another way
// to the end: in `if (p) { if (q) return; a; } b;` all that are left meet
// before b, so that a barrier there sees them together.
#include "gpu/ptx/ptx_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct block {
  int first, last;    // instructions
  int next[3];        // successors; the exit is block_count, -1 for none
  int leaving;        // a successor that only leaves and is not counted, or -1
  int order;          // number in the reversed graph's walk, -1 unreached
  int post_dominator; // -1 while unknown
};

struct flow {
  struct ptx_func *f;
  struct block *blocks; // and one more for the exit
  int count;
  int *block_of;    // of each instruction
  int *before;      // predecessor lists in the flow graph
  int *before_from; // where each block's list begins
  // Of the walk through the reversed graph, by number; 0 is the exit.
  int *sequence; // blocks
  int *parent, *label, *semi, *dominator, *stack;
  int sequence_count;
};

static bool ends_thread(const struct ptx_insn *i) {
  return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}

static bool ends_block(const struct ptx_insn *i) {
  return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX || ends_thread(i) ||
         i->op == PTX_OP_TRAP;
}

static void cut_blocks(struct flow *g) {
  struct ptx_func *f = g->f;
  char *starts = xcalloc((size_t)f->code_count + 1, 1);
  starts[0] = 1;
  for (int i = 0; i < f->code_count; i++) {
    const struct ptx_insn *insn = &f->code[i];
    if (insn->op == PTX_OP_BRA)
      starts[insn->operands[0].target] = 1;
    for (int k = 0; k < insn->target_count; k++)
      starts[insn->targets[k]] = 1;
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
    block->next[0] = block->next[1] = block->next[2] = -1;
    if (insn->op == PTX_OP_BRA) {
      block->next[0] = g->block_of[insn->operands[0].target];
      block->next[1] = always ? -1 : fall;
    } else if (insn->op == PTX_OP_BRX) { // see next_of
      block->next[1] = always ? -1 : fall;
    } else if (ends_thread(insn) || insn->op == PTX_OP_TRAP) {
      block->next[0] = g->count;
      block->next[1] = always ? -1 : fall;
    } else {
      block->next[0] = fall;
    }
  }
}

// The ways out of a block: those of next[], then the list of brx.idx.
static int next_count(const struct flow *g, int b) {
  return 3 + g->f->code[g->blocks[b].last].target_count;
}

static int next_of(const struct flow *g, int b, int k) {
  const struct block *block = &g->blocks[b];
  return k < 3 ? block->next[k]
               : g->block_of[g->f->code[block->last].targets[k - 3]];
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

// ---- Loops that never end ----

struct cycles {
  int *number, *low; // in the walk's order; the least that it leads back to
  int *root;         // of the block's cycles: the block that is met first; -1
  int *at, *path, *open;
  int depth, open_count, count;
};

static void enter(struct cycles *c, int b) {
  c->number[b] = c->low[b] = c->count++;
  c->open[c->open_count++] = b;
  c->path[c->depth++] = b;
}

static void leave(struct cycles *c, int b) {
  c->depth--;
  while (c->low[b] == c->number[b] && c->root[b] < 0)
    c->root[c->open[--c->open_count]] = b;
  if (c->depth && c->low[b] < c->low[c->path[c->depth - 1]])
    c->low[c->path[c->depth - 1]] = c->low[b];
}

// Blocks that lead to each other have one root (Tarjan, "Depth-first search and
// linear graph algorithms"), without recursion.
static void find_roots(const struct flow *g, struct cycles *c) {
  enter(c, 0);
  while (c->depth) {
    int b = c->path[c->depth - 1];
    if (c->at[b] == next_count(g, b)) {
      leave(c, b);
      continue;
    }
    int to = next_of(g, b, c->at[b]++);
    if (to < 0 || to == g->count)
      continue;
    if (c->number[to] < 0)
      enter(c, to);
    else if (c->root[to] < 0 && c->number[to] < c->low[b])
      c->low[b] = c->number[to];
  }
}

// Does one of the blocks with this root lead to a block of another?
static void find_ways_on(const struct flow *g, const struct cycles *c,
                         bool *leads_on) {
  for (int b = 0; b < g->count; b++)
    for (int k = 0; c->root[b] >= 0 && k < next_count(g, b); k++) {
      int to = next_of(g, b, k);
      if (to >= 0 && (to == g->count || c->root[to] != c->root[b]))
        leads_on[c->root[b]] = true;
    }
}

// The blocks that go back to the beginning of a loop that never ends get a way
// to the exit that no thread takes.
static bool open_ways_back(struct flow *g, const struct cycles *c,
                           const bool *leads_on) {
  bool found = false;
  for (int b = 0; b < g->count; b++) {
    if (g->blocks[b].order != -1 || c->root[b] < 0 || leads_on[c->root[b]])
      continue;
    for (int k = next_count(g, b) - 1; k >= 0; k--)
      if (next_of(g, b, k) == c->root[b]) {
        g->blocks[b].next[2] = g->count;
        found = true;
      }
  }
  return found;
}

// Opens the loops that nothing leads out of, so that branches inside still
// meet. Where a loop begins the code's order does not say: the compiler may
// have put its end before. Were there any?
static bool open_endless_loops(struct flow *g) {
  struct cycles c = {0};
  int **lists[] = {&c.number, &c.low, &c.root, &c.at, &c.path, &c.open};
  size_t n = (size_t)g->count + 1;
  for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
    *lists[k] = xcalloc(n, sizeof **lists[k]);
  bool *leads_on = xcalloc(n, sizeof *leads_on);
  for (int b = 0; b < g->count; b++)
    c.number[b] = c.root[b] = -1;
  find_roots(g, &c);
  find_ways_on(g, &c, leads_on);
  bool found = open_ways_back(g, &c, leads_on);
  for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
    free(*lists[k]);
  free(leads_on);
  return found;
}

// ---- Post-dominators ----

static void list_predecessors(struct flow *g) {
  memset(g->before_from, 0, ((size_t)g->count + 2) * sizeof *g->before_from);
  for (int b = 0; b < g->count; b++)
    for (int k = 0; k < next_count(g, b); k++)
      if (next_of(g, b, k) >= 0)
        g->before_from[next_of(g, b, k) + 1]++;
  for (int b = 0; b <= g->count; b++)
    g->before_from[b + 1] += g->before_from[b];
  int *fill = xcalloc((size_t)g->count + 2, sizeof *fill);
  for (int b = 0; b < g->count; b++)
    for (int k = 0; k < next_count(g, b); k++) {
      int n = next_of(g, b, k);
      if (n >= 0)
        g->before[g->before_from[n] + fill[n]++] = b;
    }
  free(fill);
}

static void visit(struct flow *g, int b, int parent) {
  int n = g->sequence_count++;
  g->blocks[b].order = n;
  g->sequence[n] = b;
  g->parent[n] = g->dominator[n] = parent;
  g->label[n] = g->semi[n] = n;
}

// Numbers the blocks that the exit is reached from, depth first and without
// recursion.
static void walk(struct flow *g) {
  int *at = xcalloc((size_t)g->count + 2, sizeof *at);
  int n = 0;
  g->sequence_count = 0;
  visit(g, g->count, 0);
  at[0] = g->before_from[g->count];
  while (n || at[0] < g->before_from[g->count + 1]) {
    int b = g->sequence[n];
    if (at[n] == g->before_from[b + 1]) {
      n = g->dominator[n]; // its parent, still
      continue;
    }
    int from = g->before[at[n]++];
    if (g->blocks[from].order != -1)
      continue;
    visit(g, from, n);
    n = g->sequence_count - 1;
    at[n] = g->before_from[from];
  }
  free(at);
}

// The least of the semi-dominators on the way from n up to the numbers that
// are not linked yet (below `linked`); shortens that way.
static int evaluate(struct flow *g, int n, int linked) {
  int depth = 0, top;
  for (; g->parent[n] >= linked; n = g->parent[n])
    g->stack[depth++] = n;
  for (top = n; depth; top = n) {
    n = g->stack[--depth];
    if (g->semi[g->label[top]] < g->semi[g->label[n]])
      g->label[n] = g->label[top];
    g->parent[n] = g->parent[top];
  }
  return g->semi[g->label[n]];
}

static void order_blocks(struct flow *g) {
  for (int b = 0; b <= g->count; b++)
    g->blocks[b].order = g->blocks[b].post_dominator = -1;
  list_predecessors(g);
  walk(g);
}

static void dominate(struct flow *g) {
  order_blocks(g);
  if (restore_leaving(g))
    order_blocks(g);
  if (open_endless_loops(g))
    order_blocks(g);
  for (int n = g->sequence_count - 1; n > 0; n--) {
    int b = g->sequence[n], least = g->parent[n];
    for (int k = 0; k < next_count(g, b); k++) {
      int to = next_of(g, b, k);
      if (to < 0 || g->blocks[to].order < 0)
        continue;
      int semi = evaluate(g, g->blocks[to].order, n + 1);
      least = semi < least ? semi : least;
    }
    g->semi[n] = least;
  }
  for (int n = 1; n < g->sequence_count; n++) {
    while (g->dominator[n] > g->semi[n])
      g->dominator[n] = g->dominator[g->dominator[n]];
    g->blocks[g->sequence[n]].post_dominator = g->sequence[g->dominator[n]];
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
  size_t n = (size_t)f->code_count + 2, ways = 2 * n;
  for (int i = 0; i < f->code_count; i++)
    ways += (size_t)f->code[i].target_count;
  struct flow g = {.f = f};
  int **lists[] = {&g.block_of, &g.sequence, &g.parent,   &g.label,
                   &g.semi,     &g.stack,    &g.dominator};
  for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
    *lists[k] = xcalloc(n, sizeof **lists[k]);
  g.blocks = xcalloc(n, sizeof *g.blocks);
  g.before = xcalloc(ways, sizeof *g.before);
  g.before_from = xcalloc(n + 1, sizeof *g.before_from);
  cut_blocks(&g);
  link_blocks(&g);
  drop_leaving(&g);
  dominate(&g);
  mark(&g);
  for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
    free(*lists[k]);
  free(g.blocks);
  free(g.before);
  free(g.before_from);
}
