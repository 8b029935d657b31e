// SPDX-License-Identifier: Apache-2.0
// Races on global memory, exactly: the blocks run on one host thread, one after
// the other or in turns, and every unit of memory that the kernel may write has
// its cell.
//
// Most rows are used by one run of threads, one unit each, as in out[i]: such a
// row is one record. When anything else comes, it gets its cells; a row that is
// only stored to, or only updated by atomics, has but one note for each unit.
#include "gpu/vgpu/check/race_global.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/cell.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"

// Unit k of the row was used by the thread of unit 0 plus k.
struct run {
  struct vg_use_of use; // its thread does not count
  int32_t first;
  uint32_t units;
};

struct global_cell {
  struct vg_cell own;
  struct vg_use_of foreign; // the last read by another block than own.read's
};

struct vg_record {
  struct vg_record *next; // of its allocation's
  struct run write, read;
  struct vg_use_of *writes;  // of the units, no reads: then no run counts
  struct global_cell *cells; // then nothing above counts
};

static const uint64_t MAX_RECORD_BYTES = UINT64_C(1) << 30;

// For memory of the host: the array that is touched bounds it, so that it makes no
// launch endless.
static void charge_memory(struct vg_warp *w, uint64_t cost) {
  atomic_fetch_add_explicit(&w->block->grid->memory_work, cost,
                            memory_order_relaxed);
  vg_charge_cells(w, cost);
}

// The host has a page less, and more than that for what is kept of it.
static void charge_page(struct vg_warp *w, const struct vg_watched *x,
                        uint64_t row) {
  uint64_t page = (row * VG_ROW_UNITS << x->watch->unit_shift) / VG_PAGE_BYTES;
  uint8_t bit = (uint8_t)(1u << page % 8);
  if (x->pages && !(x->pages[page / 8] & bit)) {
    x->pages[page / 8] |= bit;
    charge_memory(w, VG_PAGE_COST);
  }
}

static struct vg_record *record_of(struct vg_warp *w, struct vg_watched *x,
                                   uint64_t row) {
  struct vg_record **r = &x->records[row];
  if (!*r) {
    charge_page(w, x, row);
    if (x->watch->record_bytes >= MAX_RECORD_BYTES)
      return NULL;
    *r = xcalloc(1, sizeof **r);
    (*r)->next = x->all_records;
    x->all_records = *r;
    x->watch->record_bytes += sizeof **r;
  }
  return *r;
}

static struct vg_use_of use_of_unit(const struct run *r, int k) {
  struct vg_use_of u = r->use;
  u.thread = (uint32_t)(r->first + k) & 1023;
  return u;
}

static void *take_bytes(struct vg_warp *w, struct vg_watched *x, size_t bytes) {
  if (x->watch->record_bytes >= MAX_RECORD_BYTES)
    return NULL;
  charge_memory(w, VG_KEEP_COST * (uint64_t)bytes);
  x->watch->record_bytes += bytes;
  return xcalloc(1, bytes);
}

static bool expand(struct vg_warp *w, struct vg_watched *x,
                   struct vg_record *r) {
  if (r->cells)
    return true;
  r->cells = take_bytes(w, x, VG_ROW_UNITS * sizeof *r->cells);
  if (!r->cells)
    return false;
  for (int k = 0; k < VG_ROW_UNITS; k++) {
    struct vg_cell *c = &r->cells[k].own;
    if (r->writes)
      c->write = r->writes[k];
    else if (r->write.units >> k & 1)
      c->write = use_of_unit(&r->write, k);
    if (r->read.units >> k & 1)
      c->read[0] = use_of_unit(&r->read, k);
  }
  free(r->writes);
  r->writes = NULL;
  return true;
}

// Room for the last writes alone, as long as there is nothing else to remember.
static bool expand_writes(struct vg_warp *w, struct vg_watched *x,
                          struct vg_record *r) {
  if (r->writes)
    return true;
  if (r->cells || r->read.units || r->write.use.use > VG_PLAIN)
    return false;
  r->writes = take_bytes(w, x, VG_ROW_UNITS * sizeof *r->writes);
  for (int k = 0; r->writes && k < VG_ROW_UNITS; k++)
    if (r->write.units >> k & 1)
      r->writes[k] = use_of_unit(&r->write, k);
  return r->writes;
}

void vg_race_free(struct vg_watched *x) {
  for (struct vg_record *r = x->all_records, *next; r; r = next) {
    next = r->next;
    free(r->writes);
    free(r->cells);
    free(r);
  }
}

// ---- Runs ----

static bool is_same_threads(const struct run *r, const struct vg_use_of *u,
                            int32_t first) {
  return !r->units || (r->first == first && r->use.block == u->block);
}

static void add_run(struct run *r, struct vg_use_of u, int32_t first,
                    uint32_t units) {
  r->use = u;
  r->first = first;
  r->units |= units;
}

bool vg_race_row(struct vg_warp *w, const struct vg_insn *i, int lane,
                 struct vg_watched *x, struct vg_units now) {
  struct vg_record *r = record_of(w, x, now.first / VG_ROW_UNITS);
  if (!r)
    return true;
  if (r->writes || r->cells || now.access == GPU_ATOMIC || i->is_ordered)
    return false;
  uint32_t a = (uint32_t)(now.first % VG_ROW_UNITS);
  uint32_t units = (now.count == VG_ROW_UNITS ? ~0u : (1u << now.count) - 1)
                   << a;
  int32_t start = (int32_t)w->first_thread + lane - (int32_t)a;
  const struct vg_insn *site = vg_site(w, i);
  struct vg_use_of u = vg_use_now(w, site, lane, 15, now.access);
  struct run *mine = now.access == GPU_READ ? &r->read : &r->write;
  if (!is_same_threads(&r->write, &u, start) ||
      !is_same_threads(&r->read, &u, start))
    return false;
  // Units that are not used now keep their place and time.
  if (mine->units & ~units &&
      (mine->use.at != u.at || mine->use.clock != u.clock))
    return false;
  add_run(mine, u, start, units);
  return true;
}

// ---- Units ----

static void note_read(struct vg_block *b, struct global_cell *c,
                      struct vg_use_of a) {
  struct vg_use_of *x = &c->own.read[0];
  if (x->use && x->block != a.block) {
    c->foreign = *x;
    *x = c->own.read[1] = (struct vg_use_of){0};
  }
  vg_cell_note_read(b, &c->own, a);
}

// Of an access to one unit, while there is room to know of all.
static void know(struct vg_look *s, const struct vg_watched *x,
                 const struct vg_cell *c) {
  bool is_whole = s->bytes == 1u << x->watch->unit_shift &&
                  x->watch->record_bytes < MAX_RECORD_BYTES / 2;
  s->cells = is_whole ? c : NULL;
  s->cell_count = 1;
}

static void use_unit(struct vg_look *s, struct global_cell *c,
                     enum gpu_access access) {
  if (access == GPU_READ) {
    vg_cell_compare_writes(s, &c->own, 15, access);
    note_read(s->w->block, c, vg_use_now(s->w, s->i, s->lane, 15, access));
    return;
  }
  vg_cell_use(s, &c->own, 15, access);
  if (c->foreign.use)
    vg_cell_compare(s, &c->foreign, GPU_READ, access);
}

// The one note of a unit; NULL where more than the last write is to be
// remembered. What is in order with an atomic need not be in order with a plain
// write before it (cell.c).
static struct vg_use_of *note_of(struct vg_warp *w, struct vg_watched *x,
                                 struct vg_record *r, uint64_t unit,
                                 bool is_plain) {
  if (!expand_writes(w, x, r))
    return NULL;
  struct vg_use_of *u = &r->writes[unit % VG_ROW_UNITS];
  return is_plain || u->use != VG_PLAIN ? u : NULL;
}

static struct vg_look look_at(struct vg_warp *w, const struct vg_insn *i,
                              int lane, const struct vg_watched *x,
                              uint64_t offset, uint32_t bytes) {
  return (struct vg_look){.w = w,
                          .i = vg_site(w, i),
                          .lane = lane,
                          .space = GPU_SPACE_GLOBAL,
                          .address = x->base + offset,
                          .base = x->base,
                          .base_bytes = x->alloc->bytes,
                          .bytes = bytes,
                          .data = x->alloc->data + offset,
                          .variable = x->alloc->name};
}

void vg_race_units(struct vg_warp *w, const struct vg_insn *i, int lane,
                   struct vg_watched *x, struct vg_span span) {
  struct vg_units units = vg_units_of(x, span);
  enum gpu_access access = span.access;
  struct vg_look s = look_at(w, i, lane, x, span.at, span.bytes);
  bool is_plain = vg_use_kind(i, access) == VG_PLAIN;
  for (uint64_t u = units.first; u < units.first + units.count; u++) {
    struct vg_record *r = record_of(w, x, u / VG_ROW_UNITS);
    vg_charge_cells(w, VG_NOTE_COST);
    struct vg_use_of *note =
        r && access != GPU_READ ? note_of(w, x, r, u, is_plain) : NULL;
    if (note) {
      struct vg_cell c = {.write = *note};
      know(&s, x, &c);
      vg_cell_use(&s, &c, 15, access);
      *note = c.write;
    } else if (r && expand(w, x, r)) {
      know(&s, x, &r->cells[u % VG_ROW_UNITS].own);
      use_unit(&s, &r->cells[u % VG_ROW_UNITS], access);
    }
  }
}

bool vg_race_write_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                         struct vg_watched *x, uint64_t offset,
                         uint32_t bytes) {
  uint64_t u = offset >> x->watch->unit_shift;
  struct vg_record *r = x->records[u / VG_ROW_UNITS];
  if (bytes != 1u << x->watch->unit_shift || !r || !(r->writes || r->cells))
    return false;
  struct global_cell *cell = r->cells ? &r->cells[u % VG_ROW_UNITS] : NULL;
  if (cell && cell->foreign.use)
    return false;
  struct vg_look s = look_at(w, i, 0, x, offset, bytes);
  struct vg_use_of *write =
      cell ? &cell->own.write : &r->writes[u % VG_ROW_UNITS];
  struct vg_cell c = cell ? cell->own : (struct vg_cell){.write = *write};
  if (!vg_cell_write_again(&s, &c, m))
    return false;
  *write = c.write;
  vg_charge_cells(w, VG_NOTE_COST * (uint64_t)__builtin_popcount(m));
  return true;
}

// ---- Textures ----

// The write of this launch to the bytes; NULL for none.
static const struct vg_use_of *find_write(struct vg_warp *w,
                                          struct vg_watched *x, uint64_t offset,
                                          uint32_t bytes) {
  int shift = x->watch->unit_shift;
  uint64_t end = (offset + bytes - 1) >> shift;
  for (uint64_t u = offset >> shift; u <= end; u++) {
    struct vg_record *r = x->records[u / VG_ROW_UNITS];
    if (!r || !expand(w, x, r))
      continue;
    const struct vg_cell *c = &r->cells[u % VG_ROW_UNITS].own;
    if (c->write.use)
      return &c->write;
  }
  return NULL;
}

bool vg_race_fetch(struct vg_warp *w, const struct vg_insn *i, int lane,
                   struct vg_watched *x, uint64_t offset, uint32_t bytes) {
  const struct vg_use_of *u = find_write(w, x, offset, bytes);
  if (!u)
    return false;
  bool is_load = i->ptx->nc; // else a texture, known by its number
  uint64_t handle = ((const uint64_t *)VG_AT(w, i->src[0]))[lane];
  struct vg_fault f = {.kind = ERR_RACE,
                       .space = is_load ? GPU_SPACE_CONST : GPU_SPACE_TEXTURE,
                       .access = GPU_READ,
                       .address = is_load ? x->base + offset : handle,
                       .base = x->base,
                       .base_bytes = x->alloc->bytes,
                       .bytes = bytes,
                       .variable = x->alloc->name,
                       .other = vg_use_insn(u),
                       .other_block = u->block,
                       .other_thread = u->thread,
                       .other_access = GPU_WRITE};
  vg_report(w, i, lane, &f);
  return true;
}
