// SPDX-License-Identifier: Apache-2.0
// Which allocations a launch may write, and their state before it began.
//
// Blocks that do not see each other's work are only asked whether anything is
// suspicious (spy.c), on one host thread or on many. If so, memory is put back
// and the launch runs again in one thread, with everything remembered
// (race_global.c). A page is kept when it is first written to, so that a launch
// pays for what it writes, not for how large its arrays are.
#include "gpu/vgpu/check/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/race_global.h"
#include "gpu/vgpu/check/spy.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/memory/memory.h"

// What may be kept to start over.
static const uint64_t MAX_KEPT_BYTES = UINT64_C(1) << 30;

static uint64_t page_map_bytes(const struct vg_watched *x) {
  return x->alloc->bytes / VG_PAGE_BYTES / 8 + 1;
}

static void make_record_table(struct vg_watched *x) {
  x->records = vg_pages_new(x->rows * sizeof *x->records);
  x->pages = vg_pages_new(page_map_bytes(x));
}

// ---- Which ----

static void add(struct vg_watch *v, struct vg_alloc *a, uint64_t slot) {
  if (!a || !a->data || a->is_read_only || a->watched || !a->bytes)
    return;
  struct vg_watched *x = xcalloc(1, sizeof *x);
  uint64_t row_bytes = (uint64_t)VG_ROW_UNITS << v->unit_shift;
  x->watch = v;
  x->alloc = a;
  x->base = VG_WINDOW(slot);
  x->rows = (a->bytes + row_bytes - 1) / row_bytes;
  x->next = v->list;
  v->list = x;
  a->watched = x;
  a->keep = vg_watch_keep;
}

// The address behind a parameter: its own, or that of a surface's array.
static uint64_t address_of(const struct vg_grid *g, uint64_t p) {
  if (p >> VG_SLOT_BITS != VG_SLOT_OBJECT || !g->objects)
    return p;
  const struct vg_object *o = vg_object_find(g->objects, p);
  return o ? o->base : 0;
}

// Every 8 bytes of the parameters that hold an address which is written to.
static void add_parameters(struct vg_grid *g, struct vg_watch *v,
                           uint64_t written) {
  for (uint32_t n = 0; n < VG_REACH_PARAMS; n++) {
    uint64_t p;
    if (!(written >> n & 1) || (n + 1) * 8 > g->code->func->param_bytes)
      continue;
    memcpy(&p, g->params + (size_t)n * 8, sizeof p);
    p = address_of(g, p);
    add(v, vg_slot(g->memory, p >> VG_SLOT_BITS), p >> VG_SLOT_BITS);
  }
}

static void add_all(struct vg_grid *g, struct vg_watch *v, bool only_vars) {
  uint32_t slots = atomic_load(&g->memory->slots);
  for (uint32_t s = g->memory->first; s < slots; s++) {
    struct vg_alloc *a = vg_slot(g->memory, s);
    if (a && (!only_vars || a->kind == VG_ALLOC_VARIABLE))
      add(v, a, s);
  }
}

void vg_on_malloc(struct vg_grid *g, uint64_t address) {
  struct vg_watch *v = g->watch;
  struct vg_alloc *a = vg_slot(g->memory, address >> VG_SLOT_BITS);
  if (!v || !v->is_exact || !a)
    return;
  add(v, a, address >> VG_SLOT_BITS);
  if (a->watched)
    make_record_table(a->watched);
}

// ---- Before and after ----

// The host has a page less, and more than that for what is kept of it. Who was
// the first is chance, so the launch pays itself, and the sum is always the same.
static void charge_page(struct vg_grid *g) {
  atomic_fetch_add_explicit(&g->cells, VG_PAGE_COST, memory_order_relaxed);
  atomic_fetch_add_explicit(&g->executed, VG_PAGE_COST, memory_order_relaxed);
  atomic_fetch_add_explicit(&g->memory_work, VG_PAGE_COST,
                            memory_order_relaxed);
}

void vg_watch_keep(struct vg_watched *x, uint64_t offset, uint64_t bytes) {
  enum { PAGE = VG_PAGE_BYTES };
  if (!x->kept || !bytes)
    return;
  for (uint64_t p = offset / PAGE; p <= (offset + bytes - 1) / PAGE; p++)
    if (vg_kept_page(x->kept, x->alloc, p))
      charge_page(x->watch->grid);
}

static void forget(struct vg_grid *g, struct vg_watched *x) {
  vg_kept_free(g->memory, x->kept);
  x->kept = NULL;
}

static bool keep_all(struct vg_grid *g) {
  uint64_t kept = 0;
  for (struct vg_watched *x = g->watch->list; x; x = x->next) {
    kept += x->alloc->bytes;
    x->was_all_defined = x->alloc->is_defined;
    if (kept > MAX_KEPT_BYTES ||
        !(x->kept = vg_kept_new(g->memory, x->alloc, x->rows)))
      return false;
  }
  return true;
}

static void make_records(struct vg_grid *g) {
  struct vg_watch *v = g->watch;
  v->is_exact = true;
  for (struct vg_watched *x = v->list; x; x = x->next) {
    forget(g, x);
    make_record_table(x);
    if (!x->records)
      x->alloc->watched = NULL; // this machine has no memory to look closely
  }
}

static void choose(struct vg_grid *g) {
  struct vg_watch *v = g->watch = xcalloc(1, sizeof *v);
  uint64_t written = g->code->written;
  v->grid = g;
  v->unit_shift = g->code->unit_shift;
  if (written & VG_REACH_ANYTHING)
    add_all(g, v, false);
  else if (written & VG_REACH_VARIABLES)
    add_all(g, v, true);
  add_parameters(g, v, written);
}

void vg_watch_trust(struct vg_grid *g) {
  choose(g);
  for (struct vg_watched *x = g->watch->list; x; x = x->next)
    vg_define_whole(x->alloc, 0, x->alloc->bytes);
  vg_watch_end(g);
}

bool vg_watch_begin(struct vg_grid *g, bool is_exact) {
  choose(g);
  if (!is_exact && keep_all(g))
    return true;
  make_records(g);
  return is_exact;
}

void vg_watch_put_back(struct vg_grid *g) {
  for (struct vg_watched *x = g->watch->list; x; x = x->next) {
    x->alloc->is_defined = x->was_all_defined;
    vg_partly_free(x->alloc);
    vg_kept_put_back(x->kept, x->alloc);
  }
}

void vg_watch_again(struct vg_grid *g) {
  vg_watch_put_back(g);
  make_records(g);
}

void vg_watch_end(struct vg_grid *g) {
  struct vg_watch *v = g->watch;
  if (!v)
    return;
  for (struct vg_watched *x = v->list, *next; x; x = next) {
    next = x->next;
    x->alloc->watched = NULL;
    vg_race_free(x);
    vg_pages_free(x->records, x->rows * sizeof *x->records);
    vg_pages_free(x->pages, page_map_bytes(x));
    forget(g, x);
    free(x);
  }
  free(v);
  g->watch = NULL;
}

// ---- While they run ----

void vg_on_fetch(struct vg_warp *w, const struct vg_insn *i, int lane,
                 const struct vg_alloc *a, uint64_t offset, uint32_t bytes) {
  struct vg_watched *x = a->watched;
  struct vg_span s = {offset, bytes, GPU_READ};
  vg_charge_cells(w, VG_CELL_COST);
  if (!x->watch->is_exact)
    vg_spy_fetch(w, x, vg_units_of(x, s), w->first_thread + (uint32_t)lane);
  else if (!vg_race_fetch(w, i, lane, x, offset, bytes))
    vg_race_units(w, i, lane, x, s);
}

// Does it read as textures do? So do loads through const __restrict__.
static bool is_read_only(const struct vg_insn *i) {
  return i->ptx->nc;
}

static void use(struct vg_warp *w, const struct vg_insn *i, int lane,
                struct vg_watched *x, struct vg_span s) {
  if (is_read_only(i))
    vg_on_fetch(w, i, lane, x->alloc, s.at, s.bytes);
  else if (x->watch->is_exact)
    vg_race_units(w, i, lane, x, s);
  else
    vg_spy_use(w, x, vg_units_of(x, s), w->first_thread + (uint32_t)lane,
               false);
}

// How many lanes from `l` on use units one behind the other, for the quick look.
static int run_length(const struct vg_watched *x, const struct vg_insn *i,
                      vg_mask m, struct vg_spans s, int l) {
  int n = 1;
  if (x->watch->is_exact || is_read_only(i) ||
      s.bytes != 1u << x->watch->unit_shift)
    return n;
  while (l + n < VG_LANES && m >> (l + n) & 1 &&
         s.at[l + n] == s.at[l] + (uint64_t)n * s.bytes)
    n++;
  return n;
}

static bool is_one_place(vg_mask m, const uint64_t offset[VG_LANES]) {
  uint64_t first = offset[__builtin_ctz(m)], other = 0;
  for (int l = 0; l < VG_LANES; l++)
    other |= (offset[l] ^ first) & -(uint64_t)(m >> l & 1);
  return !other;
}

// Many lanes store to one place: what is said of one is mostly said of all.
static void write_one_place(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m, struct vg_watched *x, struct vg_span s) {
  use(w, i, __builtin_ctz(m), x, s);
  for (m &= m - 1; m; m &= m - 1) {
    if (vg_race_write_again(w, i, m, x, s.at, s.bytes))
      return;
    use(w, i, __builtin_ctz(m), x, s);
  }
}

void vg_on_global(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const struct vg_alloc *a, struct vg_spans s) {
  vg_charge_cells(w, VG_CELL_COST * (uint64_t)__builtin_popcount(m));
  struct vg_watched *x = a->watched;
  if (s.access == GPU_WRITE && x->watch->is_exact && is_one_place(m, s.at)) {
    write_one_place(w, i, m, x, vg_span_of(s, __builtin_ctz(m)));
    return;
  }
  while (m) {
    int l = __builtin_ctz(m), n = run_length(x, i, m, s, l);
    uint64_t first = s.at[l] >> x->watch->unit_shift;
    if (n > 1)
      vg_spy_use(w, x, (struct vg_units){first, (uint32_t)n, s.access},
                 w->first_thread + (uint32_t)l, true);
    else
      use(w, i, l, x, vg_span_of(s, l));
    m &= l + n < VG_LANES ? VG_ALL << (l + n) : 0;
  }
}

// In pieces of one row of units each.
static void use_run(struct vg_warp *w, const struct vg_insn *i, int lane,
                    struct vg_watched *x, struct vg_units u) {
  int shift = x->watch->unit_shift;
  while (u.count) {
    uint32_t room = VG_ROW_UNITS - (uint32_t)(u.first % VG_ROW_UNITS);
    uint32_t n = u.count < room ? u.count : room;
    if (!vg_race_row(w, i, lane, x, (struct vg_units){u.first, n, u.access}))
      for (uint32_t k = 0; k < n; k++)
        vg_race_units(
            w, i, lane + (int)k, x,
            (struct vg_span){(u.first + k) << shift, 1u << shift, u.access});
    lane += (int)n;
    u.first += n;
    u.count -= n;
  }
}

static bool is_gapless(vg_mask m) {
  vg_mask low = m >> __builtin_ctz(m);
  return !(low & (low + 1));
}

// Many lanes read one place: the first and the last stand for all, except where
// each is to be counted.
static void read_one_place(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m, struct vg_watched *x, struct vg_span s) {
  int lead = __builtin_ctz(m), last = 31 - __builtin_clz(m);
  uint64_t unfenced = vg_unfenced(w);
  use(w, i, lead, x, s);
  if (last == lead)
    return;
  use(w, i, last, x, s);
  vg_mask others = m & ~(1u << lead) & ~(1u << last);
  for (; vg_unfenced(w) > unfenced && others; others &= others - 1)
    use(w, i, __builtin_ctz(others), x, s);
}

void vg_on_global_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      const struct vg_alloc *a, struct vg_span s,
                      enum vg_pattern pattern) {
  struct vg_watched *x = a->watched;
  int shift = x->watch->unit_shift, lead = __builtin_ctz(m);
  vg_charge_cells(w, VG_SHADOW_COST);
  if (pattern == VG_SAME) {
    read_one_place(w, i, m, x, s);
    return;
  }
  if (s.bytes != 1u << shift || !is_gapless(m) || is_read_only(i)) {
    for (vg_mask rest = m; rest; rest &= rest - 1) {
      int l = __builtin_ctz(rest);
      uint64_t at = s.at + (uint64_t)(l - lead) * s.bytes;
      use(w, i, l, x, (struct vg_span){at, s.bytes, s.access});
    }
    return;
  }
  struct vg_units u = {s.at >> shift, (uint32_t)__builtin_popcount(m),
                       s.access};
  if (x->watch->is_exact)
    use_run(w, i, lead, x, u);
  else
    vg_spy_use(w, x, u, w->first_thread + (uint32_t)lead, true);
}
