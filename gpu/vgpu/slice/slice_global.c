// SPDX-License-Identifier: Apache-2.0
// Facts of each byte of global memory. A cell there has a node: what is read
// from there has lost its block.
#include "gpu/vgpu/slice/slice_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

void vg_slice_charge_cells(struct vg_warp *w, uint64_t cost) {
  w->block->charged.cells += cost;
  w->block->executed += cost; // the turn stays as long as it is (slice.c)
}

// ---- Arrays ----

static size_t array_bytes(const struct vg_slice_array *a) {
  return (a->bytes + 1) * sizeof *a->cells;
}

static size_t page_of(uint64_t cell) {
  return cell * sizeof(struct vg_slice_value) / CELL_PAGE_BYTES;
}

// Whatever has facts lies in pages that somebody paid for.
static bool is_paid(const struct vg_slice_array *a, size_t page) {
  return a->pages[page / 8] >> page % 8 & 1;
}

static void clean(const struct vg_slice_array *a) {
  size_t bytes = array_bytes(a);
  for (size_t n = 0; n <= page_of(a->bytes); n++) {
    size_t at = n * CELL_PAGE_BYTES, left = bytes - at;
    if (is_paid(a, n))
      memset((char *)a->cells + at, 0,
             left < CELL_PAGE_BYTES ? left : CELL_PAGE_BYTES);
  }
}

void vg_slice_free_arrays(struct vg_slice *s) {
  for (int n = 0; n < s->array_count; n++) {
    struct vg_slice_array *a = &s->arrays[n];
    if (a->is_written && vg_zeros_stay(array_bytes(a)))
      clean(a);
    vg_zeros_free(s->grid->memory, a->cells, array_bytes(a));
    free(a->pages);
  }
  free(s->arrays);
}

static struct vg_slice_array *array_of(struct vg_slice *s, uint64_t slot,
                                       struct vg_alloc *a) {
  if (s->array_count && s->arrays[s->recent].slot == slot)
    return &s->arrays[s->recent];
  for (s->recent = s->array_count; s->recent-- > 0;)
    if (s->arrays[s->recent].slot == slot)
      return &s->arrays[s->recent];
  s->arrays =
      xrealloc(s->arrays, (size_t)(s->array_count + 1) * sizeof *s->arrays);
  struct vg_slice_array *x = &s->arrays[s->array_count];
  *x = (struct vg_slice_array){.slot = slot, .bytes = a->bytes, .alloc = a};
  x->cells = vg_zeros_new(s->grid->memory, array_bytes(x));
  if (!x->cells)
    abort(); // as xmalloc; address space only
  x->pages = xcalloc(page_of(a->bytes) / 8 + 1, 1);
  s->recent = s->array_count++;
  return x;
}

static void charge_pages(struct vg_warp *w, struct vg_slice_array *x,
                         uint64_t at, uint64_t bytes) {
  for (size_t n = page_of(at); n <= page_of(at + bytes); n++) {
    uint8_t bit = (uint8_t)(1u << n % 8);
    if (x->pages[n / 8] & bit)
      continue;
    x->pages[n / 8] |= bit;
    vg_slice_charge_cells(w, CELL_PAGE_COST);
  }
}

struct vg_slice_value *vg_slice_global_at(struct vg_warp *w, uint64_t address,
                                          uint64_t bytes, bool is_written,
                                          struct vg_alloc **alloc) {
  uint64_t slot = address >> VG_SLOT_BITS;
  uint64_t at = address & (VG_WINDOW(1) - 1);
  struct vg_alloc *a = vg_slot(w->block->grid->memory, slot);
  *alloc = a;
  if (!a || !a->data || at > a->bytes || bytes > a->bytes - at)
    return NULL;
  struct vg_slice_array *x = array_of(w->block->grid->slice, slot, a);
  x->is_written |= is_written;
  charge_pages(w, x, at, bytes);
  return x->cells + at;
}

struct vg_slice_value *vg_slice_enter(struct vg_slice_window *n,
                                      struct vg_warp *w, struct vg_span s) {
  enum { BYTES = CELL_PAGE_BYTES / sizeof *n->cells };
  struct vg_alloc *alloc;
  struct vg_slice_value *c =
      vg_slice_global_at(w, s.at, s.bytes, s.access != GPU_READ, &alloc);
  uint64_t offset = s.at & (VG_WINDOW(1) - 1), before = offset % BYTES;
  if (!c)
    return NULL;
  const struct vg_slice *x = w->block->grid->slice;
  uint64_t rest = alloc->bytes - (offset - before);
  n->address = s.at - before;
  n->cells = c - before;
  n->bytes = rest < BYTES ? rest : BYTES;
  n->alloc = alloc;
  n->is_fresh = !x->arrays[x->recent].is_written;
  return c;
}

// ---- Loads and stores ----

// Where loads are followed all blocks are one: whatever lies in memory has its
// facts there.
static uint32_t block_of(const struct vg_warp *w) {
  return w->block->grid->slice->feeds ? 0 : (uint32_t)w->block->number;
}

// What its own load adds to what it finds: of an input, or of what this launch
// wrote. What a program brings along itself is no input.
static struct vg_slice_value add_own(struct vg_warp *w, int lane,
                                     struct vg_slice_value v, bool is_input,
                                     uint32_t flags) {
  struct vg_slice *s = w->block->grid->slice;
  if (s->feeds) {
    v.fact = vg_fact_union(s->facts, v.fact, vg_feeds_load(s->feeds));
    return v;
  }
  if (!is_input)
    return v;
  uint32_t mine = vg_fact_of_thread(s->facts, vg_slice_self(w, lane) - 1);
  v.fact = vg_fact_union(s->facts, v.fact, mine);
  if (flags)
    v.fact = vg_fact_union(s->facts, v.fact, vg_fact_of_flags(s->facts, flags));
  return v;
}

static bool is_input(const struct vg_alloc *a) {
  return a->kind == VG_ALLOC_MEMORY && !a->is_read_only;
}

// Inputs that each lane has loaded before.
static bool load_inputs(struct vg_warp *w, struct vg_slice_run r,
                        struct vg_slice_value *v) {
  struct vg_slice *s = w->block->grid->slice;
  const uint32_t *mine = vg_facts_of_threads(s->facts) + w->first_thread;
  uint32_t missing = 0;
  for (int l = r.first; l < r.end; l++) {
    v[l] = (struct vg_slice_value){mine[l], 0};
    missing |= mine[l] == 0;
  }
  return r.end && !missing;
}

void vg_slice_load_fresh(struct vg_warp *w, vg_mask m, const struct vg_alloc *a,
                         uint32_t flags, struct vg_slice_value v[VG_LANES]) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value found = {0, 0};
  if (a->is_read_only)
    found.fact = vg_fact_of_flags(s->facts, GPU_MADE_CONSTANT);
  bool is_plain = !s->feeds && !found.fact && !flags && is_input(a);
  if (is_plain && load_inputs(w, vg_slice_run_of(m), v))
    return;
  if (s->feeds) // facts are of the load, whoever does it
    found = add_own(w, 0, found, false, flags);
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    v[l] = s->feeds ? found : add_own(w, l, found, is_input(a), flags);
  }
}

struct vg_slice_value vg_slice_load_global(struct vg_warp *w, int lane,
                                           const struct vg_alloc *a,
                                           const struct vg_slice_value *c,
                                           uint32_t bytes, uint32_t flags) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value v = {0, 0}, own;
  bool is_loaded = is_input(a);
  if (a->is_read_only)
    v.fact = vg_fact_of_flags(s->facts, GPU_MADE_CONSTANT);
  for (uint32_t b = 0; b < bytes; b++) {
    uint32_t node = c[b].fact;
    if (!node || (b && node == c[b - 1].fact))
      continue;
    is_loaded = true;
    if (!vg_node_is_own(s->facts, node, block_of(w), &own))
      own = (struct vg_slice_value){
          vg_fact(s->facts, (struct vg_slice_fact){.node = node}), c[b].chain};
    v = vg_slice_join(s, v, own);
  }
  return add_own(w, lane, v, is_loaded, flags);
}

bool vg_slice_are_alike(const struct vg_slice_value *c, uint32_t bytes) {
  for (uint32_t b = 1; b < bytes; b++)
    if (c[b].fact != c[0].fact)
      return false;
  return true;
}

void vg_slice_update_global(struct vg_warp *w, struct vg_slice_value *c,
                            uint32_t bytes, struct vg_slice_value v,
                            bool replaces) {
  struct vg_slice_facts *f = w->block->grid->slice->facts;
  uint32_t node = vg_node_value(f, block_of(w), v);
  struct vg_slice_value before = {0, 0}, after = {node, v.chain};
  for (uint32_t b = 0; b < bytes; b++) {
    bool is_alike = b && c[b].fact == before.fact && c[b].chain == before.chain;
    before = c[b];
    if (!replaces && !is_alike)
      after = (struct vg_slice_value){vg_node_union(f, before.fact, node),
                                      v.chain > before.chain ? v.chain
                                                             : before.chain};
    c[b] = after;
  }
}

void vg_slice_store_cells(struct vg_warp *w, vg_mask m,
                          struct vg_slice_value *const c[VG_LANES],
                          uint32_t bytes,
                          const struct vg_slice_value v[VG_LANES]) {
  struct vg_slice_facts *f = w->block->grid->slice->facts;
  uint32_t block = block_of(w);
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    struct vg_slice_value after = {vg_node_value(f, block, v[l]), v[l].chain};
    for (uint32_t b = 0; b < bytes; b++)
      c[l][b] = after;
  }
}

// ---- The end ----

static void mark_page(struct vg_slice_facts *f, const struct vg_slice_array *a,
                      size_t page) {
  enum { CELLS = CELL_PAGE_BYTES / sizeof *a->cells };
  uint64_t end = (page + 1) * CELLS;
  uint32_t last = 0;
  for (uint64_t b = page * CELLS; b < end && b < a->bytes; b++) {
    if (a->cells[b].fact != last)
      vg_facts_mark(f, last = a->cells[b].fact);
  }
}

void vg_slice_mark_results(struct vg_slice *s) {
  for (int n = 0; n < s->array_count; n++) {
    const struct vg_slice_array *a = &s->arrays[n];
    bool is_result = a->is_written && a->alloc->kind == VG_ALLOC_MEMORY;
    for (size_t k = 0; is_result && k <= page_of(a->bytes); k++)
      if (is_paid(a, k))
        mark_page(s->facts, a, k);
  }
}
