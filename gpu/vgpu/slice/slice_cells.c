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
  s->plans = xcalloc(count + 1, sizeof *s->plans);
  s->ran_atomic = xcalloc(g->block_count, sizeof *s->ran_atomic);
  return s;
}

void vg_slice_free(struct vg_slice *s) {
  if (!s)
    return;
  for (int n = 0; n < s->grid->code->module->ptx->func_count; n++)
    free(s->rows[n]);
  vg_slice_free_plans(s);
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
    if (w->root && w->root->slice) // of the block before it, and its kernel's
      memset(w->root->slice->any, 0, w->root->slice->rows);
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

void vg_slice_frame_free(struct vg_frame *f) {
  if (f->slice)
    free(f->slice->any);
  free(f->slice);
  f->slice = NULL;
}

static uint32_t row_of(const struct vg_warp *w, const struct vg_frame *f,
                       vg_place p) {
  const struct vg_slice *s = w->block->grid->slice;
  return s->rows[f->code - f->code->module->codes][p / 4];
}

bool vg_slice_any(const struct vg_warp *w, const struct vg_frame *f,
                  vg_place p) {
  return vg_slice_is_register(p) && f->slice && f->slice->any[row_of(w, f, p)];
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

// The same of the lanes `m`, which mostly have what their neighbours have.
static void row_under_control(struct vg_slice *s, vg_mask m,
                              const struct vg_slice_value *v,
                              struct vg_slice_value *to) {
  uint32_t control = s->feeds ? vg_feeds_control(s->feeds) : 0;
  uint32_t last = 0, sum = control;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (v[l].fact != last) {
      last = v[l].fact;
      sum = vg_fact_union(s->facts, last, control);
    }
    to[l] = (struct vg_slice_value){sum, s->feeds || !sum ? 0 : v[l].chain};
  }
}

static void make_frame(const struct vg_warp *w, struct vg_frame *f) {
  const struct vg_slice *s = w->block->grid->slice;
  uint32_t rows = s->row_counts[f->code - f->code->module->codes];
  f->slice = xmalloc(sizeof *f->slice + rows * sizeof *f->slice->values);
  f->slice->any = xcalloc(rows + 1, 1);
  f->slice->rows = rows;
}

// The row that is about to get facts, in the lanes `m`, or has some.
static struct vg_slice_value *row_for(const struct vg_warp *w,
                                      struct vg_frame *f, vg_place p, bool any,
                                      vg_mask m) {
  if (!f->slice)
    make_frame(w, f);
  uint32_t row = row_of(w, f, p);
  struct vg_slice_value *values = f->slice->values[row];
  if (any && !f->slice->any[row]) {
    if (m != VG_ALL)
      memset(values, 0, sizeof f->slice->values[row]);
    f->slice->any[row] = 1;
  }
  return values;
}

void vg_slice_put(struct vg_warp *w, struct vg_frame *f, vg_place p, int lane,
                  struct vg_slice_value v) {
  v = under_control(w->block->grid->slice, v);
  if (!vg_slice_is_register(p) || (!v.fact && !vg_slice_any(w, f, p)))
    return;
  if (!v.fact)
    v.chain = 0; // of loop counters and the like nobody asks
  row_for(w, f, p, v.fact != 0, (vg_mask)1 << lane)[lane] = v;
}

const struct vg_slice_value *
vg_slice_row(const struct vg_warp *w, const struct vg_frame *f, vg_place p) {
  return vg_slice_any(w, f, p) ? f->slice->values[row_of(w, f, p)] : NULL;
}

// Of the lanes `m`, which are those of the run, if they are one.
static uint32_t any_of(vg_mask m, struct vg_slice_run r,
                       const struct vg_slice_value v[VG_LANES]) {
  const vg_slice_bits *from = (const vg_slice_bits *)v;
  uint64_t any = 0;
  for (int l = r.first; l < r.end; l++)
    any |= from[l];
  for (; !r.end && m; m &= m - 1)
    any |= v[__builtin_ctz(m)].fact;
  return (uint32_t)any;
}

// Of loop counters and the like, which have no facts, nobody asks for the chain.
static void put_run(struct vg_slice_run r, struct vg_slice_value *to,
                    const struct vg_slice_value *v, bool keeps_chains) {
  vg_slice_bits *out = (vg_slice_bits *)to;
  const vg_slice_bits *from = (const vg_slice_bits *)v;
  uint64_t kept = keeps_chains ? UINT64_MAX : VG_SLICE_FACT;
  for (int l = r.first; l < r.end; l++)
    out[l] = from[l] & kept & vg_slice_has(from[l]);
}

void vg_slice_put_row(struct vg_warp *w, struct vg_frame *f, vg_place p,
                      vg_mask m, const struct vg_slice_value v[VG_LANES]) {
  struct vg_slice *s = w->block->grid->slice;
  uint32_t control = s->feeds ? vg_feeds_control(s->feeds) : 0;
  struct vg_slice_run r = vg_slice_run_of(m);
  uint32_t any = any_of(m, r, v) | (m ? control : 0);
  if (!vg_slice_is_register(p) || (!any && !vg_slice_any(w, f, p)))
    return;
  struct vg_slice_value *to = row_for(w, f, p, any != 0, m);
  if (r.end && !control) {
    put_run(r, to, v, !s->feeds);
    return;
  }
  row_under_control(s, m, v, to);
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

static bool is_global(int space, uint64_t at) {
  return vg_space_split(space, &at) == PTX_GLOBAL;
}

// How many lanes of the run are in the window, where they go on as they begin, one
// behind the other? 0: they do not.
static uint64_t row_within(const struct vg_slice_window *n,
                           struct vg_slice_run r, struct vg_spans s) {
  uint64_t start = s.at[r.first], apart = 0, at = start - n->address;
  for (int l = r.first; l < r.end; l++)
    apart |= s.at[l] ^ (start + (uint64_t)(l - r.first) * s.bytes);
  uint64_t lanes = (uint64_t)(r.end - r.first);
  if (!lanes || apart || at >= n->bytes)
    return 0;
  // The last one that ends before the window does.
  uint64_t room = (n->bytes - at - 1) / s.bytes;
  return room < lanes ? room : lanes;
}

// The lanes of `m` whose cells lie in the window.
static vg_mask lanes_within(const struct vg_slice_window *n, vg_mask m,
                            struct vg_spans s) {
  struct vg_slice_run r = vg_slice_run_of(m);
  uint64_t lanes = row_within(n, r, s);
  vg_mask in = 0;
  if (lanes)
    return lanes == VG_LANES ? VG_ALL : (((vg_mask)1 << lanes) - 1) << r.first;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    in |= (vg_mask)(vg_slice_within(n, vg_span_of(s, l)) != NULL) << l;
  }
  return in;
}

// A lane's, which is in no window yet.
static struct vg_slice_value load_first(struct vg_warp *w, int lane,
                                        struct vg_slice_window *n,
                                        struct vg_span s, uint32_t flags) {
  struct vg_slice_value v[VG_LANES];
  const struct vg_slice_value *c = vg_slice_enter(n, w, s);
  if (!c)
    return (struct vg_slice_value){0, 0};
  if (!n->is_fresh)
    return vg_slice_load_global(w, lane, n->alloc, c, s.bytes, flags);
  vg_slice_load_fresh(w, (vg_mask)1 << lane, n->alloc, flags, v);
  return v[lane];
}

void vg_slice_load_row(struct vg_warp *w, vg_mask m, int space,
                       struct vg_spans s, uint32_t flags,
                       struct vg_slice_value v[VG_LANES]) {
  struct vg_slice_window window = {0};
  while (m) {
    int l = __builtin_ctz(m);
    struct vg_span own = vg_span_of(s, l);
    const struct vg_slice_value *c = vg_slice_within(&window, own);
    if (c && window.is_fresh) {
      vg_mask in = lanes_within(&window, m, s);
      vg_slice_load_fresh(w, in, window.alloc, flags, v);
      m &= ~in;
      continue;
    }
    m &= m - 1;
    if (c)
      v[l] = vg_slice_load_global(w, l, window.alloc, c,
                                  vg_slice_are_alike(c, s.bytes) ? 1 : s.bytes,
                                  flags);
    else if (is_global(space, own.at))
      v[l] = load_first(w, l, &window, own, flags);
    else
      v[l] = vg_slice_load(w, l, space, own.at, own.bytes, flags);
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

// Stores by one lane after the other, of which some go to global memory, and there
// mostly to one page.
void vg_slice_store_row(struct vg_warp *w, vg_mask m, int space,
                        struct vg_spans s,
                        const struct vg_slice_value v[VG_LANES]) {
  struct vg_slice *slice = w->block->grid->slice;
  struct vg_slice_window window = {0};
  struct vg_slice_value *cells[VG_LANES];
  vg_mask have = 0;
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    struct vg_span own = vg_span_of(s, l);
    cells[l] = vg_slice_within(&window, own);
    if (!cells[l] && is_global(space, own.at))
      cells[l] = vg_slice_enter(&window, w, own);
    else if (!cells[l])
      vg_slice_update(w, l, space, own, v[l]);
    have |= (vg_mask)(cells[l] != NULL) << l;
  }
  if (!slice->feeds) {
    vg_slice_store_cells(w, have, cells, s.bytes, v);
    return;
  }
  struct vg_slice_value under[VG_LANES];
  row_under_control(slice, have, v, under);
  vg_slice_store_cells(w, have, cells, s.bytes, under);
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
