// SPDX-License-Identifier: Apache-2.0
// Facts of registers, and of each byte of shared and local memory; slice_global.c
// has those of global memory.
//
// A shared cell knows who wrote it and how many barriers the block had passed
// by then, so that a load can tell whether a value came from another thread,
// and through a barrier.
#include "gpu/vgpu/slice/slice_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

struct vg_slice_shared { // of a block
  uint32_t bytes;
  uint32_t phases; // of mbarriers that ended
  struct vg_slice_value votes[VG_BARRIERS];
  struct vg_slice_cell cells[];
};

enum { CLEARED_BYTES = 32 }; // for one unit of work

struct vg_slice_local { // of a warp
  uint32_t bytes;       // of a lane
  struct vg_slice_value cells[];
};

// ---- The launch ----

static void number_rows(struct vg_slice *s, const struct vg_module *m, int n) {
  const struct vg_code *c = &m->codes[n];
  s->rows[n] = xcalloc(c->register_bytes / 4 + 1, sizeof **s->rows);
  for (uint32_t at = 0; c->widths && at < c->register_bytes;) {
    uint8_t width = c->widths[at / 4];
    s->rows[n][at / 4] = s->row_counts[n];
    s->row_counts[n] += width != 0;
    at += width ? vg_row_bytes(width) : 4;
  }
}

struct vg_slice *vg_slice_new(struct vg_grid *g) {
  struct vg_slice *s = xcalloc(1, sizeof *s);
  const struct vg_module *m = g->code->module;
  size_t count = (size_t)m->ptx->func_count;
  s->grid = g;
  if (g->launch.flags & GPU_LAUNCH_FEEDS)
    s->feeds = vg_feeds_new(m);
  s->facts = vg_facts_new(s->feeds ? vg_feeds_count(s->feeds) : g->threads);
  if (s->feeds)
    vg_feeds_link(s->feeds, s->facts);
  s->rows = xcalloc(count + 1, sizeof *s->rows);
  s->row_counts = xcalloc(count + 1, sizeof *s->row_counts);
  for (size_t n = 0; n < count; n++)
    number_rows(s, m, (int)n);
  s->ran_atomic = xcalloc(g->block_count, sizeof *s->ran_atomic);
  return s;
}

void vg_slice_free(struct vg_slice *s) {
  if (!s)
    return;
  for (int n = 0; n < s->grid->code->module->ptx->func_count; n++)
    free(s->rows[n]);
  vg_slice_free_arrays(s);
  vg_facts_free(s->facts);
  vg_feeds_free(s->feeds);
  free(s->rows);
  free(s->row_counts);
  free(s->ran_atomic);
  free(s);
}

void vg_slice_begin(struct vg_block *b) {
  if (!b->grid->slice)
    return;
  size_t bytes =
      sizeof *b->slice + b->shared_bytes * sizeof(struct vg_slice_cell);
  if (!b->slice)
    b->slice = xmalloc(bytes);
  memset(b->slice, 0, bytes);
  b->slice->bytes = b->shared_bytes;
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    vg_slice_warp_free(w);
    if (w->root)
      vg_slice_frame_free(w->root);
  }
}

void vg_slice_block_free(struct vg_block *b) {
  free(b->slice);
  b->slice = NULL;
}

static size_t local_cell_bytes(uint32_t bytes) {
  return (size_t)bytes * VG_LANES * sizeof(struct vg_slice_value);
}

void vg_slice_warp_free(struct vg_warp *w) {
  if (w->slice)
    w->block->grid->slice->local_bytes -= local_cell_bytes(w->slice->bytes);
  free(w->slice);
  w->slice = NULL;
}

// ---- Registers ----

// Of a frame: whether a row has any facts, then its values, which nobody has
// written while it has none.
struct vg_slice_frame {
  uint32_t rows;
  uint8_t *any;
  struct vg_slice_value values[][VG_LANES];
};

void vg_slice_frame_free(struct vg_frame *f) {
  if (f->slice)
    free(f->slice->any);
  free(f->slice);
  f->slice = NULL;
}

static bool is_register(vg_place p) {
  return p != VG_NOWHERE && (p & 3) == VG_REGISTERS;
}

static uint32_t row_of(const struct vg_warp *w, const struct vg_frame *f,
                       vg_place p) {
  const struct vg_slice *s = w->block->grid->slice;
  return s->rows[f->code - f->code->module->codes][p / 4];
}

bool vg_slice_any(const struct vg_warp *w, const struct vg_frame *f,
                  vg_place p) {
  return is_register(p) && f->slice && f->slice->any[row_of(w, f, p)];
}

struct vg_slice_value vg_slice_get(const struct vg_warp *w,
                                   const struct vg_frame *f, vg_place p,
                                   int lane) {
  return vg_slice_any(w, f, p) ? f->slice->values[row_of(w, f, p)][lane]
                               : (struct vg_slice_value){0, 0};
}

// What is written because of a decision has its number, too; chains are not
// asked for then.
static struct vg_slice_value under_control(struct vg_slice *s,
                                           struct vg_slice_value v) {
  if (!s->feeds)
    return v;
  uint32_t control = vg_feeds_control(s->feeds);
  return (struct vg_slice_value){vg_fact_union(s->facts, v.fact, control), 0};
}

static void make_frame(const struct vg_warp *w, struct vg_frame *f) {
  const struct vg_slice *s = w->block->grid->slice;
  uint32_t rows = s->row_counts[f->code - f->code->module->codes];
  f->slice = xmalloc(sizeof *f->slice + rows * sizeof *f->slice->values);
  f->slice->any = xcalloc(rows + 1, 1);
  f->slice->rows = rows;
}

// The row that is about to get facts, or has some.
static struct vg_slice_value *
row_for(const struct vg_warp *w, struct vg_frame *f, vg_place p, bool any) {
  if (!f->slice)
    make_frame(w, f);
  uint32_t row = row_of(w, f, p);
  struct vg_slice_value *values = f->slice->values[row];
  if (any && !f->slice->any[row]) {
    memset(values, 0, sizeof f->slice->values[row]);
    f->slice->any[row] = 1;
  }
  return values;
}

void vg_slice_put(struct vg_warp *w, struct vg_frame *f, vg_place p, int lane,
                  struct vg_slice_value v) {
  v = under_control(w->block->grid->slice, v);
  if (!is_register(p) || (!v.fact && !vg_slice_any(w, f, p)))
    return;
  if (!v.fact)
    v.chain = 0; // of loop counters and the like nobody asks
  row_for(w, f, p, v.fact != 0)[lane] = v;
}

const struct vg_slice_value *
vg_slice_row(const struct vg_warp *w, const struct vg_frame *f, vg_place p) {
  return vg_slice_any(w, f, p) ? f->slice->values[row_of(w, f, p)] : NULL;
}

static uint32_t any_of(vg_mask m, const struct vg_slice_value v[VG_LANES]) {
  uint32_t any = 0;
  for (int l = 0; m == VG_ALL && l < VG_LANES; l++)
    any |= v[l].fact;
  for (; m != VG_ALL && m; m &= m - 1)
    any |= v[__builtin_ctz(m)].fact;
  return any;
}

void vg_slice_put_row(struct vg_warp *w, struct vg_frame *f, vg_place p,
                      vg_mask m, const struct vg_slice_value v[VG_LANES]) {
  struct vg_slice *s = w->block->grid->slice;
  uint32_t control = s->feeds ? vg_feeds_control(s->feeds) : 0;
  uint32_t any = any_of(m, v) | (m ? control : 0);
  if (!is_register(p) || (!any && !vg_slice_any(w, f, p)))
    return;
  struct vg_slice_value *to = row_for(w, f, p, any != 0);
  if (m == VG_ALL && !control) {
    uint32_t chains = s->feeds ? 0 : UINT32_MAX;
    for (int l = 0; l < VG_LANES; l++) {
      to[l].fact = v[l].fact;
      to[l].chain = v[l].chain & chains & (v[l].fact ? UINT32_MAX : 0);
    }
    return;
  }
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    struct vg_slice_value x = under_control(s, v[l]);
    to[l] = x.fact ? x : (struct vg_slice_value){0, 0};
  }
}

void vg_slice_move(struct vg_warp *w, struct vg_frame *to,
                   const struct vg_frame *from, vg_place p, vg_mask m) {
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    vg_slice_put(w, to, p, l, vg_slice_get(w, from, p, l));
  }
}

uint32_t vg_slice_control(const struct vg_slice *s) {
  return s && s->feeds ? vg_feeds_control(s->feeds) : 0;
}

// ---- Local memory ----

// Each time for what is cleared, and once for what is there at once.
static void charge_local(struct vg_warp *w, uint64_t bytes) {
  struct vg_slice *s = w->block->grid->slice;
  vg_slice_charge_cells(w, bytes / CLEARED_BYTES);
  s->local_bytes += bytes;
  if (s->local_bytes <= s->most_local_bytes)
    return;
  uint64_t more = s->local_bytes - s->most_local_bytes;
  vg_slice_charge_cells(w, more / CELL_PAGE_BYTES * CELL_PAGE_COST);
  s->most_local_bytes = s->local_bytes;
}

static void grow_local(struct vg_warp *w) {
  struct vg_slice_local *old = w->slice;
  size_t bytes = local_cell_bytes(w->local_bytes);
  charge_local(w, bytes);
  w->slice = xcalloc(1, sizeof *old + bytes);
  w->slice->bytes = w->local_bytes;
  for (size_t l = 0; old && l < VG_LANES; l++)
    memcpy(w->slice->cells + l * w->local_bytes, old->cells + l * old->bytes,
           old->bytes * sizeof *old->cells);
  if (old)
    w->block->grid->slice->local_bytes -= local_cell_bytes(old->bytes);
  free(old);
}

static struct vg_slice_value *local_at(struct vg_warp *w, int lane, uint64_t at,
                                       uint64_t bytes) {
  if (at > w->local_bytes || bytes > w->local_bytes - at)
    return NULL;
  if (!w->slice || w->slice->bytes < w->local_bytes)
    grow_local(w);
  return w->slice->cells + (size_t)lane * w->slice->bytes + at;
}

void vg_slice_copy_local(struct vg_warp *w, int lane, uint32_t to,
                         uint32_t from, uint32_t bytes) {
  if (!w->block->grid->slice)
    return;
  struct vg_slice_value *a = local_at(w, lane, to, bytes);
  struct vg_slice_value *b = local_at(w, lane, from, bytes);
  if (a && b)
    memmove(a, b, bytes * sizeof *a);
}

void vg_slice_clear_local(struct vg_warp *w, int lane, uint32_t at,
                          uint32_t bytes) {
  if (!w->block->grid->slice || !w->slice || w->slice->bytes < at)
    return;
  struct vg_slice_value *a = local_at(w, lane, at, bytes);
  if (a)
    memset(a, 0, bytes * sizeof *a);
}

// ---- Shared memory ----

static struct vg_slice_cell *shared_at(struct vg_warp *w, uint64_t at,
                                       uint64_t bytes) {
  struct vg_slice_shared *s = w->block->slice;
  return at <= s->bytes && bytes <= s->bytes - at ? s->cells + at : NULL;
}

static uint32_t barriers_passed(const struct vg_block *b) {
  return b->barriers_passed + b->slice->phases;
}

void vg_slice_phase(struct vg_block *b) {
  if (b->slice)
    b->slice->phases++;
}

void vg_slice_copied(struct vg_warp *w, int space, uint64_t address,
                     uint32_t bytes) {
  struct vg_slice_cell *c;
  space = vg_space_split(space, &address);
  c = space == PTX_SHARED ? shared_at(w, address, bytes) : NULL;
  for (uint32_t b = 0; c && b < bytes; b++)
    c[b].is_copied = true;
}

static bool is_like_first(const struct vg_slice_cell *c, uint32_t b) {
  return c[b].v.fact == c->v.fact && c[b].v.chain == c->v.chain &&
         c[b].passed == c->passed && c[b].writer == c->writer &&
         c[b].is_copied == c->is_copied;
}

static struct vg_slice_value load_shared(struct vg_warp *w, int lane,
                                         const struct vg_slice_cell *c,
                                         uint32_t bytes) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value v = {0, 0};
  uint32_t flags = 0;
  for (uint32_t b = 0; b < bytes; b++) {
    if (b && is_like_first(c, b))
      continue;
    v = vg_slice_join(s, v, c[b].v);
    if (c[b].is_copied && c[b].v.fact && !s->feeds)
      v.fact = vg_fact_union(
          s->facts, v.fact,
          vg_fact_of_thread(s->facts, vg_slice_self(w, lane) - 1));
    if (!c[b].v.fact || !c[b].writer || c[b].writer == vg_slice_self(w, lane))
      continue;
    flags |= GPU_MADE_SHARED;
    if (c[b].passed < barriers_passed(w->block))
      flags |= GPU_MADE_BARRIER;
  }
  v.fact = vg_fact_union(s->facts, v.fact, vg_fact_of_flags(s->facts, flags));
  return v;
}

// ---- Loads, stores, atomics ----

struct vg_slice_value vg_slice_load(struct vg_warp *w, int lane, int space,
                                    uint64_t address, uint32_t bytes,
                                    uint32_t flags) {
  struct vg_slice_value v = {0, 0};
  struct vg_alloc *alloc;
  space = vg_space_split(space, &address);
  if (space == PTX_SHARED) {
    const struct vg_slice_cell *c = shared_at(w, address, bytes);
    return c ? load_shared(w, lane, c, bytes) : v;
  }
  if (space == PTX_LOCAL) {
    const struct vg_slice_value *c = local_at(w, lane, address, bytes);
    for (uint32_t b = 0; c && b < bytes; b++)
      v = vg_slice_join(w->block->grid->slice, v, c[b]);
    return v;
  }
  if (space == PTX_PARAM)
    return v;
  const struct vg_slice_value *c =
      vg_slice_global_at(w, address, bytes, false, &alloc);
  return c ? vg_slice_load_global(w, lane, alloc, c, bytes, flags) : v;
}

void vg_slice_load_row(struct vg_warp *w, vg_mask m, int space,
                       struct vg_spans s, uint32_t flags,
                       struct vg_slice_value v[VG_LANES]) {
  struct vg_slice_window window = {0};
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t at = s.at[l];
    if (vg_space_split(space, &at) != PTX_GLOBAL) {
      v[l] = vg_slice_load(w, l, space, s.at[l], s.bytes, flags);
      continue;
    }
    const struct vg_slice_value *c =
        vg_slice_through(&window, w, vg_span_of(s, l));
    v[l] = (struct vg_slice_value){0, 0};
    if (c)
      v[l] = vg_slice_load_global(w, l, window.alloc, c,
                                  vg_slice_are_alike(c, s.bytes) ? 1 : s.bytes,
                                  flags);
  }
}

static void store_shared(struct vg_warp *w, int lane, struct vg_slice_cell *c,
                         uint32_t bytes, struct vg_slice_value v) {
  struct vg_slice_cell x = {v, barriers_passed(w->block),
                            vg_slice_self(w, lane), false};
  for (uint32_t b = 0; b < bytes; b++)
    c[b] = x;
}

void vg_slice_store(struct vg_warp *w, int lane, int space, uint64_t address,
                    uint32_t bytes, struct vg_slice_value v) {
  vg_slice_update(w, lane, space, (struct vg_span){address, bytes, GPU_WRITE},
                  v);
}

static void update_shared(struct vg_warp *w, int lane, struct vg_slice_cell *c,
                          uint32_t bytes, struct vg_slice_value v) {
  struct vg_slice *s = w->block->grid->slice;
  for (uint32_t b = 0; b < bytes; b++) {
    uint32_t me = vg_slice_self(w, lane), before = c[b].writer;
    c[b].v = vg_slice_join(s, c[b].v, v);
    c[b].passed = barriers_passed(w->block);
    c[b].writer = before && before != me ? (uint32_t)VG_SLICE_MANY : me;
  }
}

void vg_slice_update(struct vg_warp *w, int lane, int space, struct vg_span s,
                     struct vg_slice_value v) {
  bool replaces = s.access == GPU_WRITE;
  struct vg_alloc *alloc;
  v = under_control(w->block->grid->slice, v);
  space = vg_space_split(space, &s.at);
  if (space == PTX_SHARED) {
    struct vg_slice_cell *c = shared_at(w, s.at, s.bytes);
    if (c && replaces)
      store_shared(w, lane, c, s.bytes, v);
    else if (c)
      update_shared(w, lane, c, s.bytes, v);
    return;
  }
  if (space == PTX_LOCAL) {
    struct vg_slice_value *c = local_at(w, lane, s.at, s.bytes);
    for (uint32_t b = 0; c && b < s.bytes; b++)
      c[b] = replaces ? v : vg_slice_join(w->block->grid->slice, c[b], v);
    return;
  }
  if (space == PTX_PARAM)
    return;
  struct vg_slice_value *c = vg_slice_global_at(w, s.at, s.bytes, true, &alloc);
  if (c)
    vg_slice_update_global(w, c, s.bytes, v, replaces);
}

void vg_slice_store_row(struct vg_warp *w, vg_mask m, int space,
                        struct vg_spans s,
                        const struct vg_slice_value v[VG_LANES]) {
  struct vg_slice_window window = {0};
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t at = s.at[l];
    if (vg_space_split(space, &at) != PTX_GLOBAL) {
      vg_slice_update(w, l, space, vg_span_of(s, l), v[l]);
      continue;
    }
    struct vg_slice_value *c = vg_slice_through(&window, w, vg_span_of(s, l));
    if (c)
      vg_slice_update_global(w, c, s.bytes,
                             under_control(w->block->grid->slice, v[l]), true);
  }
}

// ---- Votes of a block ----

void vg_slice_vote(struct vg_warp *w, const struct vg_node *n, vg_place p,
                   int barrier) {
  if (!w->block->slice)
    return;
  struct vg_slice_value *to = &w->block->slice->votes[barrier];
  for (int l = 0; l < VG_LANES; l++)
    if (n->lanes >> l & 1)
      *to = vg_slice_join(w->block->grid->slice, *to,
                          vg_slice_get(w, n->frame, p, l));
}

void vg_slice_voted(struct vg_warp *w, const struct vg_node *n, vg_place p,
                    int barrier) {
  for (int l = 0; l < VG_LANES && w->block->slice; l++)
    if (n->lanes >> l & 1)
      vg_slice_put(w, n->frame, p, l, w->block->slice->votes[barrier]);
}

void vg_slice_vote_end(struct vg_block *b, int barrier) {
  if (b->slice)
    b->slice->votes[barrier] = (struct vg_slice_value){0, 0};
}

// ---- The end ----

struct vg_slice_sum *vg_slice_end(struct vg_slice *s) {
  uint64_t blocks = s->grid->block_count;
  if (s->feeds)
    return NULL; // which loads is asked of it (feeds.h)
  struct vg_slice_sum *sums = xcalloc(blocks + 1, sizeof *sums);
  vg_slice_mark_results(s);
  vg_facts_sum(s->facts, sums, blocks);
  for (uint64_t b = 0; b < blocks; b++)
    sums[b].flags |= s->ran_atomic[b] ? GPU_MADE_WITH_ATOMICS : 0;
  return sums;
}
