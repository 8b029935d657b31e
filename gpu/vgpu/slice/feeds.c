// SPDX-License-Identifier: Apache-2.0
// Loads that feed no result.
//
// Theory of operation. Facts are followed as slice.c does it, but are sets of
// instructions: a value knows the loads that it comes from. A branch, a predicate
// before an instruction, a selection are decisions. Which instructions stand
// under a decision the program's text says: those on the ways from it to where
// they meet again. What they write, they write because of it, so their values
// have the decision's number as well; and of each decision it is noted which
// facts its conditions had, and which ways were taken. In the end the numbers in
// the host's arrays are looked at: a load whose number is there feeds a result,
// and so does one that fed the condition of a decision whose number is there.
// A decision that went one way each time has decided nothing.
//
// A term that never changes a sum (x + 1e-30f * y), a minimum or a union of bits
// is no part of it (slice.c). Not seen: of a load that runs many times all runs
// feed where one does; a condition with two parts is one.
#include "gpu/vgpu/slice/feeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/launch.h"

enum { ONE_WAY = 1, OTHER_WAY = 2, BOTH_WAYS = 3 };

struct decision {
  uint32_t facts; // of its conditions
  uint8_t ways;
  bool is_done;
};

struct vg_feeds {
  const struct vg_module *module;
  uint32_t *first;            // of each function's instructions
  int32_t *load_bit;          // of instructions; -1: no load of global memory
  int32_t *choice_bit;        // -1: no decision
  uint32_t *control;          // the fact of the decisions that it stands under
  uint32_t count;             // of bits
  struct decision *decisions; // by bit
  uint32_t now, above;        // of the instruction that runs: load, control
  int32_t choice;             // its own decision, or -1
  uint64_t *used;             // bits, once it has ended
};

// ---- What is what ----

static bool is_load(const struct ptx_insn *p) {
  bool may_be_global = p->space == PTX_GLOBAL || p->space == PTX_GENERIC;
  switch (p->op) {
  case PTX_OP_LD:
  case PTX_OP_LDU: return may_be_global;
  case PTX_OP_WMMA: return may_be_global && p->matrix->step == PTX_MATRIX_LOAD;
  case PTX_OP_CP: return true;
  default: return false;
  }
}

static bool is_decision(const struct ptx_insn *p) {
  return p->guard >= 0 || p->op == PTX_OP_SELP || p->op == PTX_OP_BRX;
}

static bool ends(const struct ptx_insn *p) {
  return p->op == PTX_OP_RET || p->op == PTX_OP_EXIT || p->op == PTX_OP_TRAP;
}

struct vg_feeds *vg_feeds_new(const struct vg_module *m) {
  struct vg_feeds *f = xcalloc(1, sizeof *f);
  int functions = m->ptx->func_count;
  f->module = m;
  f->choice = -1;
  f->first = xcalloc((size_t)functions + 1, sizeof *f->first);
  for (int n = 0; n < functions; n++)
    f->first[n + 1] = f->first[n] + (uint32_t)m->codes[n].func->code_count;
  size_t insns = f->first[functions] + 1;
  f->load_bit = xcalloc(insns, sizeof *f->load_bit);
  f->choice_bit = xcalloc(insns, sizeof *f->choice_bit);
  f->control = xcalloc(insns, sizeof *f->control);
  for (int n = 0; n < functions; n++)
    for (int k = 0; k < m->codes[n].func->code_count; k++) {
      const struct ptx_insn *p = &m->codes[n].func->code[k];
      size_t at = f->first[n] + (size_t)k;
      f->load_bit[at] = is_load(p) ? (int32_t)f->count++ : -1;
      f->choice_bit[at] = is_decision(p) ? (int32_t)f->count++ : -1;
    }
  f->decisions = xcalloc((size_t)f->count + 1, sizeof *f->decisions);
  return f;
}

void vg_feeds_free(struct vg_feeds *f) {
  if (!f)
    return;
  free(f->first);
  free(f->load_bit);
  free(f->choice_bit);
  free(f->control);
  free(f->decisions);
  free(f->used);
  free(f);
}

uint32_t vg_feeds_count(const struct vg_feeds *f) {
  return f->count;
}

// ---- What stands under a decision ----

// A walk through one function's instructions.
struct walk {
  const struct ptx_func *func;
  bool *seen;
  int *todo, count;
  int until;   // where the ways meet again
  bool leaves; // some way ends before
};

static void go_to(struct walk *w, int k) {
  if (k == w->until || k < 0 || k >= w->func->code_count || w->seen[k])
    return;
  w->seen[k] = true;
  w->todo[w->count++] = k;
}

static void go_on(struct walk *w, int k) {
  const struct ptx_insn *p = &w->func->code[k];
  bool falls = p->guard >= 0;
  if (p->op == PTX_OP_BRA)
    go_to(w, p->operands[0].target);
  else if (p->op == PTX_OP_BRX)
    for (int n = 0; n < p->target_count; n++)
      go_to(w, p->targets[n]);
  else
    falls |= !ends(p);
  w->leaves |= ends(p);
  if (falls)
    go_to(w, k + 1);
}

static bool goes_different_ways(const struct ptx_insn *p) {
  return p->op == PTX_OP_BRX ||
         (p->guard >= 0 && (p->op == PTX_OP_BRA || ends(p)));
}

static void walk_until(struct walk *w, int k, int until) {
  memset(w->seen, 0, (size_t)w->func->code_count);
  w->count = 0;
  w->until = until;
  w->leaves = false;
  go_on(w, k);
  while (w->count)
    go_on(w, w->todo[--w->count]);
}

// The instructions on the ways from decision `k` to where they meet; to the end
// where some threads leave on the way, so that others are left.
static void walk_from(struct walk *w, int k) {
  const struct ptx_insn *p = &w->func->code[k];
  if (goes_different_ways(p)) {
    walk_until(w, k,
               p->op == PTX_OP_BRA || p->op == PTX_OP_BRX
                   ? p->reconverge
                   : w->func->code_count);
    if (w->leaves)
      walk_until(w, k, w->func->code_count);
  } else {
    memset(w->seen, 0, (size_t)w->func->code_count);
  }
  if (p->guard >= 0)
    w->seen[k] = true; // it does what it does by its predicate
}

static void link_function(struct vg_feeds *f, struct vg_slice_facts *facts,
                          int function) {
  const struct ptx_func *func = f->module->codes[function].func;
  size_t count = (size_t)func->code_count;
  struct walk w = {.func = func};
  w.seen = xcalloc(count + 1, sizeof *w.seen);
  w.todo = xcalloc(count + 1, sizeof *w.todo);
  for (int k = 0; k < func->code_count; k++) {
    int32_t bit = f->choice_bit[f->first[function] + (uint32_t)k];
    if (bit < 0)
      continue;
    walk_from(&w, k);
    for (size_t n = 0; n < count; n++) {
      uint32_t *to = &f->control[f->first[function] + n];
      if (w.seen[n])
        *to =
            vg_fact_union(facts, *to, vg_fact_of_thread(facts, (uint32_t)bit));
    }
  }
  free(w.seen);
  free(w.todo);
}

void vg_feeds_link(struct vg_feeds *f, struct vg_slice_facts *facts) {
  for (int n = 0; n < f->module->ptx->func_count; n++)
    link_function(f, facts, n);
}

// ---- While it runs ----

static size_t place_of(const struct vg_feeds *f, const struct vg_code *code,
                       const struct ptx_insn *p) {
  return f->first[code - f->module->codes] + (size_t)(p - code->func->code);
}

static void note_facts(struct vg_slice *s, struct decision *d,
                       struct vg_slice_value condition) {
  d->facts = vg_fact_union(s->facts, d->facts, condition.fact);
}

static void note_guard(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       struct decision *d) {
  vg_mask active = w->active;
  d->ways |= (m ? ONE_WAY : 0) | (active & ~m ? OTHER_WAY : 0);
  if (!vg_slice_any(w, w->leaf->frame, i->guard))
    return;
  for (; active; active &= active - 1)
    note_facts(
        w->block->grid->slice, d,
        vg_slice_get(w, w->leaf->frame, i->guard, __builtin_ctz(active)));
}

// Which of many ways: all of them count as taken.
static void note_index(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       struct decision *d) {
  d->ways = BOTH_WAYS;
  for (; m; m &= m - 1)
    note_facts(w->block->grid->slice, d,
               vg_slice_get(w, w->leaf->frame, i->src[0], __builtin_ctz(m)));
}

void vg_feeds_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_feeds *f = s->feeds;
  const struct vg_frame *frame = w->leaf->frame;
  f->now = f->above = 0;
  f->choice = -1;
  if (!i->ptx)
    return;
  size_t at = place_of(f, frame->code, i->ptx);
  if (f->load_bit[at] >= 0)
    f->now = vg_fact_of_thread(s->facts, (uint32_t)f->load_bit[at]);
  f->above = vg_fact_union(s->facts, f->control[at], frame->control);
  f->choice = f->choice_bit[at];
  if (f->choice < 0)
    return;
  struct decision *d = &f->decisions[f->choice];
  if (i->ptx->guard >= 0)
    note_guard(w, i, m, d);
  if (i->is_main && i->ptx->op == PTX_OP_BRX)
    note_index(w, i, m, d);
}

uint32_t vg_feeds_load(const struct vg_feeds *f) {
  return f->now;
}

uint32_t vg_feeds_control(const struct vg_feeds *f) {
  return f->above;
}

uint32_t vg_feeds_select(struct vg_slice *s, bool is_first,
                         struct vg_slice_value condition) {
  struct vg_feeds *f = s->feeds;
  if (f->choice < 0)
    return 0;
  struct decision *d = &f->decisions[f->choice];
  d->ways |= is_first ? ONE_WAY : OTHER_WAY;
  note_facts(s, d, condition);
  return vg_fact_of_thread(s->facts, (uint32_t)f->choice);
}

// ---- The end ----

static bool has_bit(const uint64_t *set, uint32_t bit) {
  return set[bit / 64] >> bit % 64 & 1;
}

// What fed the decisions that are in the set, and so on.
static void add_conditions(struct vg_slice *s) {
  struct vg_feeds *f = s->feeds;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (uint32_t n = 0; n < f->count; n++) {
      struct decision *d = &f->decisions[n];
      if (d->is_done || d->ways != BOTH_WAYS || !has_bit(f->used, n))
        continue;
      d->is_done = is_new = true;
      vg_facts_collect(s->facts, d->facts, f->used);
    }
  }
}

static void find_used(struct vg_slice *s) {
  struct vg_feeds *f = s->feeds;
  f->used = xcalloc(f->count / 64 + 1, sizeof *f->used);
  vg_slice_mark_results(s);
  vg_facts_collect(s->facts, 0, f->used);
  add_conditions(s);
}

bool vg_feeds_is_unused(struct vg_slice *s, int function,
                        const struct ptx_insn *p) {
  struct vg_feeds *f = s->feeds;
  if (!f->used)
    find_used(s);
  int32_t bit = f->load_bit[place_of(f, &f->module->codes[function], p)];
  return bit >= 0 && !has_bit(f->used, (uint32_t)bit);
}
