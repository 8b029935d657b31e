// SPDX-License-Identifier: Apache-2.0
// Which registers may be read before anything has written them: the variables
// that a learner gave no value. Only those are marked as undefined when a
// kernel or a function begins (taint.c); all others cost nothing.
//
// Theory of operation. A read is exposed where no instruction above it in its
// basic block writes the register. From each exposed read the flow graph is
// walked backwards, past blocks that do not write it; when the walk comes to
// the function's first instruction, there is a way on which nobody did. Whether
// threads ever go that way is seen when they run. A write under a guard counts
// for reads under the same guard, and two under opposite guards for all.
#include "gpu/vgpu/code/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/code/decode.h"

enum { WORK = 256 }; // steps for each instruction, all walks together

struct block {
  int first, end;   // instructions
  int before_count; // blocks that come right before it
  int *before;
};

// A register at a block: it is read there before it is written, or written.
struct event {
  int reg, block;
};

struct events {
  struct event *list;
  int count, capacity;
};

// What the block that is looked at knows of a register.
struct known {
  int block;     // that the rest is of
  int version;   // of its value
  bool is_whole; // every thread has written it
  int guard;     // else those that pass this guard have; -1: none
  bool negate;
  int guard_version;
};

struct finder {
  const struct ptx_func *func;
  struct block *blocks;
  int block_count;
  int *block_of; // of an instruction that begins one, else -1
  int *lists;    // of all blocks
  struct known *known;
  struct events reads, writes;
};

// ---- The flow graph ----

static bool ends_block(const struct ptx_insn *p) {
  return p->op == PTX_OP_BRA || p->op == PTX_OP_BRX || p->op == PTX_OP_RET ||
         p->op == PTX_OP_EXIT || p->op == PTX_OP_TRAP;
}

static void cut_blocks(struct finder *x) {
  const struct ptx_func *f = x->func;
  for (int n = 0; n <= f->code_count; n++)
    x->block_of[n] = -1;
  x->block_of[0] = 0;
  for (int n = 0; n < f->code_count; n++) {
    const struct ptx_insn *p = &f->code[n];
    if (p->op == PTX_OP_BRA)
      x->block_of[p->operands[0].target] = 0;
    for (int k = 0; k < p->target_count; k++)
      x->block_of[p->targets[k]] = 0;
    if (ends_block(p))
      x->block_of[n + 1] = 0;
  }
  for (int n = 0; n < f->code_count; n++) {
    if (x->block_of[n] >= 0) {
      x->block_of[n] = x->block_count;
      x->blocks[x->block_count++].first = n;
    }
    x->blocks[x->block_count - 1].end = n + 1;
  }
}

// The k-th block after one; false when there are no more. Ways out of the
// function are none.
static bool next_block(const struct finder *x, int b, int k, int *out) {
  const struct ptx_func *f = x->func;
  int end = x->blocks[b].end;
  const struct ptx_insn *p = &f->code[end - 1];
  bool falls = !ends_block(p) || p->guard >= 0;
  int targets = p->op == PTX_OP_BRA ? 1 : p->target_count;
  if (k > targets)
    return false;
  int to = k == targets          ? (falls ? end : f->code_count)
           : p->op == PTX_OP_BRA ? p->operands[0].target
                                 : p->targets[k];
  *out = to < f->code_count ? x->block_of[to] : -1;
  return true;
}

static void link_blocks(struct finder *x) {
  int all = 0, to;
  for (int b = 0; b < x->block_count; b++)
    for (int k = 0; next_block(x, b, k, &to); k++)
      if (to >= 0) {
        x->blocks[to].before_count++;
        all++;
      }
  x->lists = xcalloc((size_t)all + 1, sizeof *x->lists);
  for (int b = 0, at = 0; b < x->block_count; b++) {
    x->blocks[b].before = x->lists + at;
    at += x->blocks[b].before_count;
    x->blocks[b].before_count = 0;
  }
  for (int b = 0; b < x->block_count; b++)
    for (int k = 0; next_block(x, b, k, &to); k++)
      if (to >= 0)
        x->blocks[to].before[x->blocks[to].before_count++] = b;
}

// ---- Inside a block ----

static void add_event(struct events *e, int reg, int block) {
  if (e->count == e->capacity) {
    e->capacity = e->capacity ? e->capacity * 2 : 256;
    e->list = xrealloc(e->list, sizeof *e->list * (size_t)e->capacity);
  }
  e->list[e->count++] = (struct event){reg, block};
}

static struct known *known_of(struct finder *x, int reg, int block) {
  struct known *k = &x->known[reg];
  if (k->block != block)
    *k = (struct known){.block = block, .guard = -1};
  return k;
}

static bool is_under(struct finder *x, const struct known *k, int block,
                     const struct ptx_insn *p, bool negate) {
  return k->guard >= 0 && p->guard == k->guard && negate == k->negate &&
         known_of(x, k->guard, block)->version == k->guard_version;
}

static void read_register(struct finder *x, int block, const struct ptx_insn *p,
                          int reg) {
  struct known *k = reg >= 0 ? known_of(x, reg, block) : NULL;
  if (k && !k->is_whole && !is_under(x, k, block, p, p->guard_negate))
    add_event(&x->reads, reg, block);
}

static void write_register(struct finder *x, int block,
                           const struct ptx_insn *p, int reg) {
  if (reg < 0)
    return;
  struct known *k = known_of(x, reg, block);
  bool was_whole = k->is_whole;
  k->is_whole |= p->guard < 0 || is_under(x, k, block, p, !p->guard_negate);
  k->version++;
  if (k->is_whole && !was_whole)
    add_event(&x->writes, reg, block);
  if (k->is_whole || is_under(x, k, block, p, p->guard_negate))
    return;
  k->guard = p->guard;
  k->negate = p->guard_negate;
  k->guard_version = known_of(x, p->guard, block)->version;
}

static void for_operand(struct finder *x, int block, const struct ptx_insn *p,
                        const struct ptx_operand *o,
                        void (*act)(struct finder *, int,
                                    const struct ptx_insn *, int)) {
  if (o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS)
    act(x, block, p, o->reg);
  for (int n = 0; o->kind == PTX_VECTOR && n < o->dim; n++)
    act(x, block, p, o->regs[n]);
}

static void look_at(struct finder *x, int block, const struct ptx_insn *p) {
  bool writes = p->operand_count && ptx_has_destination(p);
  if (p->guard >= 0)
    read_register(x, block, &(struct ptx_insn){.guard = -1}, p->guard);
  for (int n = writes; n < p->operand_count; n++)
    for_operand(x, block, p, &p->operands[n], read_register);
  if (!writes)
    return;
  for_operand(x, block, p, &p->operands[0], write_register);
  write_register(x, block, p, p->operands[0].pair);
}

// ---- Between blocks ----

static int by_register(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  return x->reg != y->reg ? x->reg < y->reg ? -1 : 1 : x->block - y->block;
}

struct walk {
  struct finder *x;
  int *seen; // of each block: the register that it was last seen for, plus 1
  int *todo, left;
  int64_t work; // that may still be done
};

// Comes a way from the function's start to the reads `from` and passes none of
// the writes?
static bool reaches_start(struct walk *k, const struct event *reads, int count,
                          const struct event *writes, int write_count) {
  int mark = reads->reg + 1;
  k->left = 0;
  for (int n = 0; n < write_count; n++)
    k->seen[writes[n].block] = mark;
  // Reads come before the writes of their own block.
  for (int n = 0; n < count; n++) {
    if (reads[n].block == 0)
      return true;
    k->todo[k->left++] = reads[n].block;
  }
  while (k->left) {
    const struct block *b = &k->x->blocks[k->todo[--k->left]];
    for (int n = 0; n < b->before_count; n++) {
      int from = b->before[n];
      if (--k->work < 0)
        return false;
      if (k->seen[from] == mark)
        continue;
      if (from == 0)
        return true;
      k->seen[from] = mark;
      k->todo[k->left++] = from;
    }
  }
  return false;
}

static int same_register(const struct events *e, int at) {
  int n = at;
  while (n < e->count && e->list[n].reg == e->list[at].reg)
    n++;
  return n - at;
}

static void unique(struct events *e) {
  int n = 0;
  if (e->count) // a list of none has no memory
    qsort(e->list, (size_t)e->count, sizeof *e->list, by_register);
  for (int k = 0; k < e->count; k++)
    if (!n || by_register(&e->list[n - 1], &e->list[k]))
      e->list[n++] = e->list[k];
  e->count = n;
}

// Marks registers whose reads are reached from the start; false when that would
// take too long to find out.
static bool walk_back(struct finder *x, bool *found) {
  size_t blocks = (size_t)x->block_count + 1;
  struct walk k = {.x = x,
                   .seen = xcalloc(blocks, sizeof *k.seen),
                   .todo = xcalloc(blocks * 2, sizeof *k.todo),
                   .work = (int64_t)x->func->code_count * WORK};
  unique(&x->reads);
  unique(&x->writes);
  for (int r = 0, w = 0, count; r < x->reads.count; r += count) {
    const struct event *read = &x->reads.list[r];
    count = same_register(&x->reads, r);
    while (w < x->writes.count && x->writes.list[w].reg < read->reg)
      w++;
    bool any = w < x->writes.count && x->writes.list[w].reg == read->reg;
    found[read->reg] = reaches_start(&k, read, count, x->writes.list + w,
                                     any ? same_register(&x->writes, w) : 0);
  }
  free(k.seen);
  free(k.todo);
  return k.work >= 0;
}

bool *vg_find_unwritten(const struct ptx_func *f, bool *is_known) {
  size_t count = (size_t)f->code_count + 1, regs = (size_t)f->reg_count + 1;
  struct finder x = {.func = f,
                     .blocks = xcalloc(count, sizeof *x.blocks),
                     .block_of = xcalloc(count, sizeof *x.block_of),
                     .known = xcalloc(regs, sizeof *x.known)};
  bool *found = xcalloc(regs, sizeof *found);
  for (int r = 0; r < f->reg_count; r++)
    x.known[r].block = -1;
  cut_blocks(&x);
  link_blocks(&x);
  for (int b = 0; b < x.block_count; b++)
    for (int n = x.blocks[b].first; n < x.blocks[b].end; n++)
      look_at(&x, b, &f->code[n]);
  *is_known = walk_back(&x, found);
  if (!*is_known)
    memset(found, 0, regs);
  free(x.blocks);
  free(x.block_of);
  free(x.known);
  free(x.lists);
  free(x.reads.list);
  free(x.writes.list);
  return found;
}

// ---- Names ----

// The source variable that lies in the register anywhere; NULL when there is
// none, or are two.
static const char *name_of_register(const struct ptx_dfunc *f, int reg) {
  const char *name = NULL;
  for (int v = 0; f && v < f->var_count; v++)
    for (int k = 0; k < f->vars[v].location_count; k++) {
      const struct ptx_dlocation *at = &f->vars[v].locations[k];
      if (at->kind != PTX_AT_REGISTER || at->reg != reg)
        continue;
      if (name && strcmp(name, f->vars[v].name) != 0)
        return NULL;
      name = f->vars[v].name;
    }
  return name;
}

// Of the register itself, else of those that it is copied to.
const char *vg_name_unwritten(const struct ptx_func *f, int reg) {
  const struct ptx_dfunc *d = ptx_debug_func(f->module->debug, f);
  const char *name = name_of_register(d, reg);
  for (int n = 0; n < f->code_count && d && !name; n++) {
    const struct ptx_insn *p = &f->code[n];
    if (p->op == PTX_OP_MOV && p->operands[0].kind == PTX_REGISTER &&
        p->operands[1].kind == PTX_REGISTER && p->operands[1].reg == reg)
      name = name_of_register(d, p->operands[0].reg);
  }
  return name;
}
