// SPDX-License-Identifier: Apache-2.0
// A launch under the debugger: its blocks and threads, one step of a warp, and
// running again.
//
// Theory of operation. All that decides what runs when (a step of a warp, a
// leaf that is taken up, a block that begins) goes into a journal. Running the
// journal again from the saved memory gives the same states, so any earlier
// moment is its number of steps. Blocks begin as in grid.c: one after the
// other, or as many as a device holds where they can see each other's work.
#include "gpu/vgpu/debug/debug.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/debug/debug_go.h"
#include "gpu/vgpu/debug/debug_line.h"
#include "gpu/vgpu/grid/grid.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"
#include "gpu/vgpu/run/run.h"

// Steps of a warp's turn when all go on, shorter where its lanes have parted.
enum { TURN = 4096, PARTED_TURN = 512 };

// ---- Blocks ----

struct vg_block *vg_debug_block(const struct vg_debug *d, uint64_t number) {
  for (uint32_t i = 0; i < d->running; i++)
    if (d->blocks[i]->number == number)
      return d->blocks[i];
  return NULL;
}

struct vg_warp *vg_debug_warp(const struct vg_debug *d,
                              const struct vg_focus *f) {
  struct vg_block *b = vg_debug_block(d, f->block);
  return b && f->warp < b->warp_count ? &b->warps[f->warp] : NULL;
}

static bool is_block_over(const struct vg_block *b) {
  for (uint32_t n = 0; n < b->warp_count; n++)
    if (b->warps[n].live)
      return false;
  return true;
}

static void journal_add(struct vg_debug *d, enum vg_journal_kind kind,
                        uint32_t slot, uint32_t warp, int lane) {
  struct vg_journal_row *last =
      d->journal_rows ? &d->journal[d->journal_rows - 1] : NULL;
  if (last && kind == VG_DID_STEP && last->kind == kind && last->slot == slot &&
      last->warp == warp && last->lane == lane) {
    last->count++;
    return;
  }
  if (d->journal_rows == d->journal_capacity) {
    d->journal_capacity = d->journal_capacity ? d->journal_capacity * 2 : 256;
    d->journal = xrealloc(d->journal, d->journal_capacity * sizeof *d->journal);
  }
  d->journal[d->journal_rows++] = (struct vg_journal_row){
      slot, (uint16_t)warp, (int8_t)lane, (uint8_t)kind, kind == VG_DID_STEP};
}

// Begins the next block, if there is one.
static bool admit(struct vg_debug *d) {
  uint64_t number;
  if (d->running == d->limit || !vg_grid_take_block(d->grid, &number))
    return false;
  if (d->running == d->made)
    d->blocks[d->made++] = vg_block_new(&d->worker);
  vg_block_begin(d->blocks[d->running++], number);
  journal_add(d, VG_DID_ADMIT, 0, 0, 0);
  return true;
}

// Takes the block out of those that run, whose order stays.
static void retire(struct vg_debug *d, uint32_t slot) {
  struct vg_block *b = d->blocks[slot];
  d->running--;
  memmove(&d->blocks[slot], &d->blocks[slot + 1],
          (d->running - slot) * sizeof *d->blocks);
  d->blocks[d->running] = b;
  if (d->turn_slot > slot) {
    d->turn_slot--;
  } else if (d->turn_slot == slot) {
    d->turn_warp = 0;
    d->turn_left = -1;
  }
}

static void drop_all(struct vg_debug *d) {
  for (uint32_t i = 0; i < d->running; i++)
    vg_block_drop(d->blocks[i]);
  d->running = 0;
}

// ---- One step ----

static bool arrive(struct vg_warp *w) {
  if (!w->live || w->leaf || w->barrier >= 0 || !w->leaves)
    return false;
  w->barrier_at = w->leaves->barrier;
  vg_barrier_arrive(w);
  return true;
}

// A warp of the block came to a barrier or to its end.
static void settle_block(struct vg_debug *d, uint32_t slot) {
  struct vg_block *b = d->blocks[slot];
  while (vg_block_pass_barriers(b))
    ;
  bool can_run = false;
  for (uint32_t n = 0; n < b->warp_count; n++)
    can_run |= b->warps[n].live && b->warps[n].barrier < 0;
  if (!can_run && !is_block_over(b)) {
    vg_block_report_deadlock(b);
    vg_block_drop(b);
  }
  if (is_block_over(b))
    retire(d, slot);
}

bool vg_debug_ready(struct vg_debug *d, uint32_t slot, uint32_t warp,
                    int lane) {
  struct vg_warp *w = &d->blocks[slot]->warps[warp];
  const struct vg_node *before = w->leaf;
  bool is_ready = vg_warp_ready(w, lane);
  bool has_arrived = !is_ready && arrive(w);
  if (w->leaf != before || has_arrived)
    journal_add(d, VG_DID_TAKE_UP, slot, warp, lane);
  if (has_arrived)
    settle_block(d, slot);
  return is_ready;
}

void vg_debug_step(struct vg_debug *d, uint32_t slot, uint32_t warp, int lane) {
  struct vg_warp *w = &d->blocks[slot]->warps[warp];
  journal_add(d, VG_DID_STEP, slot, warp, lane);
  d->steps++;
  enum vg_stop stop = vg_warp_step(w);
  if (stop == VG_BARRIER)
    arrive(w);
  if (stop != VG_RUNS)
    settle_block(d, slot);
  if (atomic_load_explicit(&d->grid->is_abandoned, memory_order_relaxed))
    drop_all(d);
}

void vg_debug_hand_over(struct vg_debug *d, uint32_t slot, uint32_t warp) {
  journal_add(d, VG_DID_HAND_OVER, slot, warp, 0);
  vg_warp_hand_over(&d->blocks[slot]->warps[warp]);
}

// ---- Turns ----

static void end_turn(struct vg_debug *d) {
  d->turn_left = -1;
  if (d->turn_slot < d->running &&
      ++d->turn_warp < d->blocks[d->turn_slot]->warp_count)
    return;
  d->turn_warp = 0;
  if (++d->turn_slot < d->running)
    return;
  d->turn_slot = 0;
  admit(d); // all that run have had a turn: there may be room for one more
}

bool vg_debug_turn(struct vg_debug *d, uint32_t *slot, uint32_t *warp) {
  for (;;) {
    if (!d->running && (atomic_load(&d->grid->is_abandoned) || !admit(d))) {
      d->is_over = true;
      return false;
    }
    uint32_t s = *slot = d->turn_slot, n = *warp = d->turn_warp;
    bool is_there = s < d->running && n < d->blocks[s]->warp_count;
    if (is_there && d->turn_left && vg_debug_ready(d, s, n, -1)) {
      const struct vg_warp *w = &d->blocks[s]->warps[n];
      if (d->turn_left < 0)
        d->turn_left = w->leaves || w->leaf->parent ? PARTED_TURN : TURN;
      d->turn_left--;
      return true;
    }
    if (is_there && !d->turn_left)
      vg_debug_hand_over(d, s, n);
    end_turn(d);
  }
}

// ---- Threads ----

// Calls that the node is inside of.
static int depth_of(const struct vg_node *n) {
  int depth = 0;
  for (n = n->parent; n; n = n->parent)
    depth += n->callee != NULL;
  return depth;
}

// The leaf after `n` in the warp, first the one that runs; NULL begins.
static const struct vg_node *next_leaf(const struct vg_warp *w,
                                       const struct vg_node *n) {
  if (!n && w->leaf)
    return w->leaf;
  return !n || n == w->leaf ? w->leaves : n->next;
}

static bool is_leaf(const struct vg_warp *w, const struct vg_node *n) {
  const struct vg_node *l = next_leaf(w, NULL);
  while (l && l != n)
    l = next_leaf(w, l);
  return l != NULL;
}

// The deepest node that holds the lane; what lies below has left it behind. A
// leaf that holds it is found at once: recursion may be thousands deep.
static const struct vg_node *deepest(const struct vg_warp *w, int lane) {
  const struct vg_node *best = NULL;
  int best_depth = -1;
  for (const struct vg_node *l = next_leaf(w, NULL); l; l = next_leaf(w, l))
    if (l->lanes >> lane & 1)
      return l;
  for (const struct vg_node *l = next_leaf(w, NULL); l; l = next_leaf(w, l)) {
    const struct vg_node *holds = l;
    while (holds && !(holds->lanes >> lane & 1))
      holds = holds->parent;
    int depth = 0;
    for (const struct vg_node *n = holds; n; n = n->parent)
      depth++;
    if (depth > best_depth) {
      best = holds;
      best_depth = depth;
    }
  }
  return best;
}

static vg_mask lanes_below(const struct vg_warp *w,
                           const struct vg_node *node) {
  vg_mask all = 0;
  for (const struct vg_node *l = next_leaf(w, NULL); l; l = next_leaf(w, l)) {
    vg_mask lanes = 0;
    const struct vg_node *n = l;
    for (; n && n != node; n = n->parent)
      lanes |= n->lanes;
    all |= n ? lanes : 0;
  }
  return all;
}

bool vg_debug_spot(const struct vg_debug *d, const struct vg_focus *f,
                   struct vg_spot *out) {
  const struct vg_warp *w = vg_debug_warp(d, f);
  memset(out, 0, sizeof *out);
  if (!w || !(w->live >> f->lane & 1))
    return false;
  const struct vg_node *n = deepest(w, f->lane);
  if (!n)
    return false;
  bool is_a_leaf = is_leaf(w, n);
  *out = (struct vg_spot){
      .node = n,
      .frame = n->frame,
      .pc = n->barrier ? n->barrier : n->pc,
      .depth = depth_of(n),
      .is_waiting = n->waits_for || n->barrier || !is_a_leaf,
      .lanes = is_a_leaf ? n->lanes : n->lanes & ~lanes_below(w, n)};
  return true;
}

bool vg_debug_caller(struct vg_spot *spot) {
  const struct vg_node *n = spot->node->parent;
  while (n && !n->callee)
    n = n->parent;
  if (!n)
    return false;
  spot->node = n;
  spot->frame = n->frame;
  spot->pc = n->pc;
  spot->depth--;
  spot->is_called = true;
  return true;
}

static bool fits(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

const uint8_t *vg_debug_peek(const struct vg_debug *d, const struct vg_focus *f,
                             uint64_t address, uint64_t bytes) {
  const struct vg_warp *w = vg_debug_warp(d, f);
  uint64_t slot = address >> VG_SLOT_BITS, at = address & (VG_WINDOW(1) - 1);
  if (slot == VG_SLOT_SHARED)
    return w && fits(at, bytes, w->block->shared_bytes) ? w->block->shared + at
                                                        : NULL;
  if (slot == VG_SLOT_LOCAL)
    return w && fits(at, bytes, w->local_bytes)
               ? w->local + (size_t)f->lane * w->local_bytes + at
               : NULL;
  if (slot == VG_SLOT_PARAM)
    return fits(at, bytes, d->grid->code->func->param_bytes)
               ? d->grid->params + at
               : NULL;
  const struct vg_alloc *a = vg_slot(d->grid->memory, slot);
  return a && a->data && fits(at, bytes, a->bytes) ? a->data + at : NULL;
}

// ---- Running again ----

// What vg_grid_run keeps of the accesses of blocks to the same memory.
static void begin_checks(struct vg_grid *g) {
  vg_grid_clear_workspace(g);
  g->first_slot = atomic_load(&g->memory->slots);
  vg_on_launch(g, true);
}

static void free_blocks(struct vg_debug *d) {
  drop_all(d);
  for (uint32_t i = 0; i < d->made; i++)
    vg_block_free(d->blocks[i]);
  d->made = 0;
}

static void restart(struct vg_debug *d) {
  struct vg_grid *g = d->grid;
  free_blocks(d);
  vg_on_end(g);
  vg_memory_restore(g->memory, d->saved);
  begin_checks(g);
  vg_findings_clear(d->findings);
  atomic_store(&g->next_block, 0);
  atomic_store(&g->executed, 0);
  atomic_store(&g->is_abandoned, false);
  d->is_over = false;
  d->steps = 0;
  d->turn_slot = d->turn_warp = 0;
  d->turn_left = -1;
  d->journal_rows = 0;
}

static void replay_row(struct vg_debug *d, const struct vg_journal_row *r,
                       uint64_t until, vg_debug_look *look, void *context) {
  if (r->kind == VG_DID_ADMIT) {
    admit(d);
  } else if (r->kind == VG_DID_HAND_OVER) {
    vg_debug_hand_over(d, r->slot, r->warp);
  } else if (r->kind == VG_DID_TAKE_UP) {
    vg_debug_ready(d, r->slot, r->warp, r->lane);
  } else {
    for (uint64_t k = 0; k < r->count; k++) {
      vg_debug_ready(d, r->slot, r->warp, r->lane);
      if (d->steps == until)
        return;
      if (look)
        look(d, r->slot, r->warp, context);
      vg_debug_step(d, r->slot, r->warp, r->lane);
    }
  }
}

void vg_debug_replay(struct vg_debug *d, uint64_t until, vg_debug_look *look,
                     void *context) {
  struct vg_journal_row *rows = d->journal;
  size_t count = d->journal_rows;
  d->journal = NULL;
  d->journal_capacity = 0;
  d->grid->output = &d->muted;
  restart(d);
  for (size_t i = 0; i < count; i++) {
    replay_row(d, &rows[i], until, look, context);
    if (d->steps == until && rows[i].kind == VG_DID_STEP)
      break;
  }
  d->is_over =
      !d->running && atomic_load(&d->grid->next_block) >= d->grid->block_count;
  d->grid->output = d->output;
  vg_output_end(&d->muted);
  struct str text = vg_output_take(&d->muted);
  str_free(&text);
  d->seen_findings = vg_findings_count(d->findings);
  free(rows);
}

// ---- Beginning and end ----

enum err vg_debug_new(struct vg_grid *g, struct vg_debug **out,
                      struct err_info *e) {
  struct vg_debug *d = xcalloc(1, sizeof *d);
  d->grid = g;
  d->worker.grid = g;
  d->module = g->code->module;
  d->output = g->output;
  d->is_cancelled = g->is_cancelled;
  d->limit = g->code->is_ordered ? vg_grid_resident_limit(g) : 1;
  d->blocks = xcalloc(d->limit, sizeof *d->blocks);
  d->turn_left = -1;
  d->findings = vg_findings_new();
  vg_output_init(&d->muted);
  str_init(&d->text);
  g->findings = d->findings;
  enum err err = vg_memory_save(g->memory, &d->saved, e);
  if (err) {
    vg_debug_free(d);
    return err;
  }
  begin_checks(g);
  admit(d);
  vg_debug_fill_stop(d, GPU_DEBUG_BEGUN);
  *out = d;
  return ERR_OK;
}

void vg_debug_free(struct vg_debug *d) {
  if (!d)
    return;
  free_blocks(d);
  vg_on_end(d->grid);
  for (int i = 0; i < VG_MAX_BREAKS; i++)
    vg_break_clear(d, &d->breaks[i]);
  for (int i = 0; i < VG_MAX_WATCHES; i++)
    free(d->watches[i].text);
  for (int i = 0; d->marks && i < d->module->ptx->func_count; i++)
    free(d->marks[i]);
  free(d->marks);
  for (struct vg_declared *t = d->declared, *after; t; t = after) {
    after = t->next;
    free(t);
  }
  free(d->blocks);
  free(d->journal);
  vg_saved_free(d->saved);
  vg_findings_free(d->findings);
  vg_output_close(&d->muted);
  str_free(&d->text);
  free(d->grid);
  free(d);
}
