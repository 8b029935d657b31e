// SPDX-License-Identifier: Apache-2.0
// Which allocations a launch may write, and their state before it began.
//
// Blocks that do not see each other's work are only asked whether anything is
// suspicious (spy.c), on one host thread or on many. If so, memory is put back
// and the launch runs again in one thread, with everything remembered
// (race_global.c). A page is kept when it is first written to, so that a launch
// pays for what it writes, not for how large its arrays are.
#include "gpu/vgpu/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "gpu/vgpu/reach.h"
#include "gpu/vgpu/texture.h"

// What may be kept to start over.
static const uint64_t MAX_KEPT_BYTES = UINT64_C(1) << 30;

static void *map_zeroed(uint64_t bytes) {
  void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *p, uint64_t bytes) {
  if (p)
    munmap(p, bytes ? bytes : 1);
}

static uint64_t page_map_bytes(const struct vg_watched *x) {
  return x->alloc->bytes / VG_PAGE_BYTES / 8 + 1;
}

static void make_record_table(struct vg_watched *x) {
  x->records = map_zeroed(x->rows * sizeof *x->records);
  x->pages = map_zeroed(page_map_bytes(x));
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

void vg_watch_add(struct vg_grid *g, uint64_t address) {
  struct vg_watch *v = g->watch;
  struct vg_alloc *a = vg_slot(g->memory, address >> VG_SLOT_BITS);
  if (!v || !v->is_exact || !a)
    return;
  add(v, a, address >> VG_SLOT_BITS);
  if (a->watched)
    make_record_table(a->watched);
}

// ---- Before and after ----

static uint64_t defined_bytes(const struct vg_alloc *a) {
  return a->defined ? (a->bytes + 63) / 64 * 8 : 0;
}

enum { PAGE_BYTES = 4096 };
enum kept { KEPT_NOT, KEPT_NOW, KEPT_DONE }; // NOW: somebody copies it

static uint64_t pages_of(const struct vg_alloc *a) {
  return (a->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

static bool may_keep(struct vg_watched *x) {
  const struct vg_alloc *a = x->alloc;
  x->was_all_defined = a->is_defined;
  x->was = map_zeroed(a->bytes);
  x->kept = map_zeroed(pages_of(a));
  x->was_defined = a->defined ? map_zeroed(defined_bytes(a)) : NULL;
  return x->was && x->kept && (x->was_defined || !a->defined);
}

// Copies a page to what is kept of it, or back.
static void copy_page(const struct vg_watched *x, uint64_t page, bool is_back) {
  const struct vg_alloc *a = x->alloc;
  uint64_t at = page * PAGE_BYTES, left = a->bytes - at;
  uint64_t bytes = left < PAGE_BYTES ? left : PAGE_BYTES;
  memcpy((is_back ? a->data : x->was) + at, (is_back ? x->was : a->data) + at,
         bytes);
  if (x->was_defined)
    memcpy((is_back ? a->defined : x->was_defined) + at / 64,
           (is_back ? x->was_defined : a->defined) + at / 64,
           (bytes + 63) / 64 * 8);
}

// The host has a page less, and more than that for what is kept of it. Who was
// the first is chance, so the launch pays itself, and the sum is always the same.
static void charge_page(struct vg_grid *g) {
  atomic_fetch_add_explicit(&g->cells, VG_PAGE_COST, memory_order_relaxed);
  atomic_fetch_add_explicit(&g->executed, VG_PAGE_COST, memory_order_relaxed);
}

static void keep_page(struct vg_watched *x, uint64_t page) {
  _Atomic uint8_t *state = &x->kept[page];
  uint8_t none = KEPT_NOT;
  if (atomic_load_explicit(state, memory_order_acquire) == KEPT_DONE)
    return;
  if (atomic_compare_exchange_strong(state, &none, KEPT_NOW)) {
    copy_page(x, page, false);
    charge_page(x->watch->grid);
    atomic_store_explicit(state, KEPT_DONE, memory_order_release);
  }
  while (atomic_load_explicit(state, memory_order_acquire) != KEPT_DONE)
    ;
}

void vg_watch_keep(struct vg_watched *x, uint64_t offset, uint64_t bytes) {
  if (!x->kept || !bytes)
    return;
  for (uint64_t p = offset / PAGE_BYTES; p <= (offset + bytes - 1) / PAGE_BYTES;
       p++)
    keep_page(x, p);
}

static void put_back(struct vg_watched *x) {
  struct vg_alloc *a = x->alloc;
  a->is_defined = x->was_all_defined;
  vg_partly_free(a);
  for (uint64_t p = 0; p < pages_of(a); p++)
    if (atomic_load_explicit(&x->kept[p], memory_order_relaxed))
      copy_page(x, p, true);
}

static void forget(struct vg_watched *x) {
  unmap(x->was, x->alloc->bytes);
  unmap(x->was_defined, defined_bytes(x->alloc));
  unmap((void *)x->kept, pages_of(x->alloc));
  unmap(x->sums, x->rows * sizeof *x->sums);
  x->was = NULL;
  x->was_defined = NULL;
  x->kept = NULL;
  x->sums = NULL;
}

static bool make_sums(struct vg_watch *v) {
  uint64_t kept = 0;
  for (struct vg_watched *x = v->list; x; x = x->next) {
    kept += x->alloc->bytes;
    if (kept > MAX_KEPT_BYTES || !may_keep(x))
      return false;
    x->sums = map_zeroed(x->rows * sizeof *x->sums);
    if (!x->sums)
      return false;
  }
  return true;
}

static void make_records(struct vg_watch *v) {
  v->is_exact = true;
  for (struct vg_watched *x = v->list; x; x = x->next) {
    forget(x);
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
  struct vg_watch *v = g->watch;
  if (!is_exact && make_sums(v))
    return true;
  make_records(v);
  return is_exact;
}

void vg_watch_again(struct vg_grid *g) {
  struct vg_watch *v = g->watch;
  for (struct vg_watched *x = v->list; x; x = x->next)
    put_back(x);
  make_records(v);
}

void vg_watch_end(struct vg_grid *g) {
  struct vg_watch *v = g->watch;
  if (!v)
    return;
  for (struct vg_watched *x = v->list, *next; x; x = next) {
    next = x->next;
    x->alloc->watched = NULL;
    vg_race_free(x);
    unmap(x->records, x->rows * sizeof *x->records);
    unmap(x->pages, page_map_bytes(x));
    forget(x);
    free(x);
  }
  free(v);
  g->watch = NULL;
}

// ---- While they run ----

void vg_watch_fetch(struct vg_warp *w, const struct vg_insn *i, int lane,
                    const struct vg_alloc *a, uint64_t offset, uint32_t bytes) {
  struct vg_watched *x = a->watched;
  int shift = x->watch->unit_shift;
  uint64_t first = offset >> shift, end = ((offset + bytes - 1) >> shift) + 1;
  vg_charge_cells(w, VG_CELL_COST);
  if (!x->watch->is_exact)
    vg_spy_fetch(w, x, first, end, w->first_thread + (uint32_t)lane);
  else if (!vg_race_fetch(w, i, lane, x, offset, bytes))
    vg_race_units(w, i, lane, x, offset, bytes, GPU_READ);
}

// Does it read as textures do? So do loads through const __restrict__.
static bool is_read_only(const struct vg_insn *i) {
  return i->ptx->nc;
}

static void use(struct vg_warp *w, const struct vg_insn *i, int lane,
                struct vg_watched *x, uint64_t offset, uint32_t bytes,
                enum gpu_access access) {
  if (is_read_only(i)) {
    vg_watch_fetch(w, i, lane, x->alloc, offset, bytes);
    return;
  }
  if (x->watch->is_exact) {
    vg_race_units(w, i, lane, x, offset, bytes, access);
    return;
  }
  int shift = x->watch->unit_shift;
  vg_spy_use(w, x, offset >> shift, ((offset + bytes - 1) >> shift) + 1,
             w->first_thread + (uint32_t)lane, false, access);
}

// How many lanes from `l` on use units one behind the other, for the quick look.
static int run_length(const struct vg_watched *x, const struct vg_insn *i,
                      vg_mask m, const uint64_t offset[VG_LANES],
                      uint32_t bytes, int l) {
  int n = 1;
  if (x->watch->is_exact || is_read_only(i) ||
      bytes != 1u << x->watch->unit_shift)
    return n;
  while (l + n < VG_LANES && m >> (l + n) & 1 &&
         offset[l + n] == offset[l] + (uint64_t)n * bytes)
    n++;
  return n;
}

void vg_watch_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const struct vg_alloc *a, const uint64_t offset[VG_LANES],
                    uint32_t bytes, enum gpu_access access) {
  vg_charge_cells(w, VG_CELL_COST * (uint64_t)__builtin_popcount(m));
  struct vg_watched *x = a->watched;
  while (m) {
    int l = __builtin_ctz(m), n = run_length(x, i, m, offset, bytes, l);
    uint64_t first = offset[l] >> x->watch->unit_shift;
    if (n > 1)
      vg_spy_use(w, x, first, first + (uint64_t)n,
                 w->first_thread + (uint32_t)l, true, access);
    else
      use(w, i, l, x, offset[l], bytes, access);
    m &= l + n < VG_LANES ? VG_ALL << (l + n) : 0;
  }
}

// In pieces of one row of units each.
static void use_run(struct vg_warp *w, const struct vg_insn *i, int lane,
                    struct vg_watched *x, uint64_t first, uint64_t end,
                    enum gpu_access access) {
  int shift = x->watch->unit_shift;
  while (first < end) {
    uint64_t stop = (first / VG_ROW_UNITS + 1) * VG_ROW_UNITS;
    stop = stop < end ? stop : end;
    if (!vg_race_row(w, i, lane, x, first, stop, access))
      for (uint64_t u = first; u < stop; u++)
        vg_race_units(w, i, lane + (int)(u - first), x, u << shift, 1u << shift,
                      access);
    lane += (int)(stop - first);
    first = stop;
  }
}

static bool is_gapless(vg_mask m) {
  vg_mask low = m >> __builtin_ctz(m);
  return !(low & (low + 1));
}

void vg_watch_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const struct vg_alloc *a, uint64_t offset, uint32_t bytes,
                  enum gpu_access access, enum vg_pattern pattern) {
  struct vg_watched *x = a->watched;
  int shift = x->watch->unit_shift, lead = __builtin_ctz(m);
  vg_charge_cells(w, VG_SHADOW_COST);
  if (pattern == VG_SAME) {
    // Its first and last reader stand for all.
    int last = 31 - __builtin_clz(m);
    use(w, i, lead, x, offset, bytes, access);
    if (last != lead)
      use(w, i, last, x, offset, bytes, access);
    return;
  }
  if (bytes != 1u << shift || !is_gapless(m) || is_read_only(i)) {
    for (vg_mask rest = m; rest; rest &= rest - 1) {
      int l = __builtin_ctz(rest);
      use(w, i, l, x, offset + (uint64_t)(l - lead) * bytes, bytes, access);
    }
    return;
  }
  uint64_t first = offset >> shift;
  uint64_t end = first + (uint64_t)__builtin_popcount(m);
  if (x->watch->is_exact)
    use_run(w, i, lead, x, first, end, access);
  else
    vg_spy_use(w, x, first, end, w->first_thread + (uint32_t)lead, true,
               access);
}
