// SPDX-License-Identifier: Apache-2.0
// What the kernel did wrong: one finding for each (kind, line, allocation),
// with the number of threads, the first of them in order, and its place.
#include "gpu/vgpu/check/findings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

// The lanes of one warp that made one mistake.
struct seen {
  uint64_t warp; // running number in the grid, plus 1; 0 is an empty place
  vg_mask lanes;
};

struct entry {
  struct gpu_finding f;
  uint64_t order; // of the first thread: block, then thread
  bool on_heap;   // every thread's own malloc() is one mistake all the same
  struct seen *seen;
  uint32_t seen_count, seen_size;
};

enum {
  MAX_ENTRIES = 256,
  MAX_SEEN = 1 << 20, // warps that are told apart; threads of others count once
                      // more for each access
  MEMOS = 64
};

// What tells one thread's mistake from another, before it has words, and the
// entry that it belongs to. A kernel that makes one mistake makes it often.
struct memo {
  const struct vg_insn *at, *other;
  const char *variable;
  uint64_t base, address;
  uint32_t kind, severity, space, access;
  int entry; // plus 1; 0: none
};

struct vg_findings {
  pthread_mutex_t lock;
  struct memo memos[MEMOS];
  struct entry *entries;
  int count;
};

struct vg_findings *vg_findings_new(void) {
  struct vg_findings *v = xcalloc(1, sizeof *v);
  pthread_mutex_init(&v->lock, NULL);
  v->entries = xcalloc(MAX_ENTRIES, sizeof *v->entries);
  return v;
}

static void forget(struct vg_findings *v) {
  for (int i = 0; i < v->count; i++)
    free(v->entries[i].seen);
  v->count = 0;
  memset(v->memos, 0, sizeof v->memos);
}

void vg_findings_clear(struct vg_findings *v) {
  pthread_mutex_lock(&v->lock);
  forget(v);
  pthread_mutex_unlock(&v->lock);
}

void vg_findings_free(struct vg_findings *v) {
  if (!v)
    return;
  forget(v);
  free(v->entries);
  pthread_mutex_destroy(&v->lock);
  free(v);
}

int vg_findings_count(const struct vg_findings *v) {
  return v->count;
}

static void set_text(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from ? from : "");
}

// A mangled name that is too long for a finding: the name in the source. The
// parts of an array that the compiler took apart have their elements' numbers
// ("f_$_1") below compute capability 10.0; from there on they are only counted.
static void set_variable(char *to, size_t size, const char *name,
                         const struct ptx_module *m) {
  if (name && strlen(name) >= size)
    finding_demangle(name, to, size);
  else
    set_text(to, size, name);
  char *parts = m->target >= 100 ? strstr(to, "_$_") : NULL;
  if (parts)
    parts[strlen("_$_")] = 0; // of the array, nobody knows which element
}

static void fill_place(struct gpu_place *p, const struct vg_insn *i,
                       const struct vg_grid *g, uint64_t block, uint32_t thread,
                       enum gpu_access access) {
  const uint32_t *d = g->launch.block, *n = g->launch.grid;
  p->line = i->ptx ? i->ptx->line : 0;
  p->column = i->ptx ? i->ptx->column : 0;
  p->block[0] = (uint32_t)(block % n[0]);
  p->block[1] = (uint32_t)(block / n[0] % n[1]);
  p->block[2] = (uint32_t)(block / n[0] / n[1]);
  p->thread[0] = thread % d[0];
  p->thread[1] = thread / d[0] % d[1];
  p->thread[2] = thread / d[0] / d[1];
  p->access = (int32_t)access;
}

// Memory that a kernel's malloc() gave.
static bool is_heap(const struct vg_grid *g, uint64_t base) {
  const struct vg_alloc *a =
      base ? vg_slot(g->memory, base >> VG_SLOT_BITS) : NULL;
  return a && a->kind == VG_ALLOC_HEAP;
}

static bool is_same(const struct entry *e, const struct gpu_finding *g,
                    bool on_heap) {
  const struct gpu_finding *f = &e->f;
  bool is_alike = f->kind == g->kind && f->space == g->space &&
                  (f->base == g->base || (on_heap && e->on_heap)) &&
                  f->at.line == g->at.line;
  // Who waits for which cell is what a deadlock is about.
  if (!is_alike || (f->kind == ERR_DEADLOCK && f->address != g->address))
    return false;
  if (strcmp(f->file, g->file) || strcmp(f->variable, g->variable))
    return false;
  // Stores that happen to be alike hide none that are not.
  if (f->kind == ERR_RACE && f->severity != g->severity)
    return false;
  // Two threads that read and write on one line are one mistake.
  int32_t line = f->at.line;
  if (f->kind == ERR_RACE && line > 0 && f->other.line == line &&
      g->other.line == line)
    return true;
  return f->at.column == g->at.column && f->at.access == g->at.access &&
         f->other.line == g->other.line;
}

static void grow_seen(struct entry *e) {
  uint32_t size = e->seen_size ? e->seen_size * 4 : 16;
  struct seen *old = e->seen;
  uint32_t old_size = e->seen_size;
  e->seen = xcalloc(size, sizeof *e->seen);
  e->seen_size = size;
  for (uint32_t i = 0; i < old_size; i++) {
    if (!old[i].warp)
      continue;
    uint32_t h = (uint32_t)(old[i].warp * 0x9E3779B97F4A7C15u >> 32);
    while (e->seen[h & (size - 1)].warp)
      h++;
    e->seen[h & (size - 1)] = old[i];
  }
  free(old);
}

// Adds lanes to those seen; says how many are new.
static uint32_t add_seen(struct entry *e, uint64_t warp, vg_mask lanes) {
  if (e->seen_count * 2 >= e->seen_size) {
    if (e->seen_size >= MAX_SEEN)
      return (uint32_t)__builtin_popcount(lanes);
    grow_seen(e);
  }
  uint32_t h = (uint32_t)((warp + 1) * 0x9E3779B97F4A7C15u >> 32);
  struct seen *s;
  while (s = &e->seen[h & (e->seen_size - 1)], s->warp && s->warp != warp + 1)
    h++;
  if (!s->warp) {
    s->warp = warp + 1;
    e->seen_count++;
  }
  vg_mask fresh = lanes & ~s->lanes;
  s->lanes |= lanes;
  return (uint32_t)__builtin_popcount(fresh);
}

static const char *file_name(const struct vg_insn *i, const struct vg_grid *g) {
  const struct ptx_module *m = g->code->module->ptx;
  if (!i->ptx || i->ptx->file < 0 || i->ptx->file >= m->file_count)
    return "";
  return m->files[i->ptx->file];
}

void vg_finding_fill(struct gpu_finding *f, const struct vg_grid *g,
                     uint64_t block, uint32_t thread, const struct vg_insn *i,
                     const struct vg_fault *q) {
  memset(f, 0, sizeof *f);
  f->kind = (int32_t)q->kind;
  f->severity = (int32_t)q->severity;
  f->space = (int32_t)q->space;
  fill_place(&f->at, i, g, block, thread, q->access);
  if (q->other)
    fill_place(&f->other, q->other, g, q->other_block, q->other_thread,
               q->other_access);
  f->at.seen = q->seen;
  f->other.seen = q->other_seen;
  f->interval = q->interval;
  f->first = q->first;
  f->address = q->address;
  f->base = q->base;
  f->base_bytes = q->base_bytes;
  f->offset = (int64_t)(q->address - q->base);
  f->bytes = q->bytes;
  f->launch = g->number;
  f->node = g->launch.node;
  set_text(f->file, sizeof f->file, file_name(i, g));
  set_variable(f->variable, sizeof f->variable, q->variable,
               g->code->module->ptx);
  set_text(f->function, sizeof f->function, g->code->func->name);
  set_text(f->text, sizeof f->text, q->text);
}

// ---- The same mistake again ----

static struct memo make_memo(const struct vg_insn *i,
                             const struct vg_fault *q) {
  return (struct memo){
      .at = i,
      .other = q->other,
      .variable = q->variable,
      .base = q->base,
      .address = q->kind == ERR_DEADLOCK ? q->address : 0,
      .kind = (uint32_t)q->kind,
      .severity = (uint32_t)q->severity,
      .space = (uint32_t)q->space,
      .access = (uint32_t)q->access << 8 | (uint32_t)q->other_access,
  };
}

static bool is_memo(const struct memo *a, const struct memo *b) {
  return a->at == b->at && a->other == b->other && a->variable == b->variable &&
         a->base == b->base && a->address == b->address && a->kind == b->kind &&
         a->severity == b->severity && a->space == b->space &&
         a->access == b->access;
}

static struct memo *memo_place(struct vg_findings *v, const struct memo *m) {
  uint64_t h = (uint64_t)(uintptr_t)m->at ^ (uint64_t)(uintptr_t)m->other << 7 ^
               m->base ^ m->kind << 3 ^ m->access;
  return &v->memos[h * 0x9E3779B97F4A7C15u >> 58];
}

_Static_assert(MEMOS == 1 << 6, "memo_place takes six bits");

// Lanes of the warp that `thread` is in.
static void count_lanes(struct entry *e, const struct vg_grid *g,
                        uint64_t block, uint32_t thread, vg_mask lanes) {
  uint64_t warps = (g->threads + VG_LANES - 1) / VG_LANES;
  e->f.count += add_seen(e, block * warps + thread / VG_LANES, lanes);
}

// Counts lanes, the first of them `thread`, whose mistake is known and whose
// words would not be shown, since an earlier thread's are, or since there are
// too many mistakes already.
static bool count_again(struct vg_findings *v, const struct vg_grid *g,
                        uint64_t block, uint32_t thread, vg_mask lanes,
                        const struct memo *m) {
  pthread_mutex_lock(&v->lock);
  const struct memo *known = memo_place(v, m);
  struct entry *e =
      known->entry && is_memo(known, m) ? &v->entries[known->entry - 1] : NULL;
  bool has_no_room = e == &v->entries[MAX_ENTRIES];
  bool is_known = has_no_room || (e && (block << 12 | thread) >= e->order);
  if (is_known && !has_no_room)
    count_lanes(e, g, block, thread, lanes);
  pthread_mutex_unlock(&v->lock);
  return is_known;
}

void vg_report_thread(const struct vg_grid *g, uint64_t block, uint32_t thread,
                      const struct vg_insn *i, const struct vg_fault *q) {
  struct vg_findings *v = g->findings;
  struct gpu_finding f;
  struct memo memo = make_memo(i, q);
  vg_mask lane = 1u << thread % VG_LANES;
  if (count_again(v, g, block, thread, lane, &memo))
    return;
  vg_finding_fill(&f, g, block, thread, i, q);
  uint64_t order = block << 12 | thread;
  bool on_heap = is_heap(g, q->base);

  pthread_mutex_lock(&v->lock);
  int n = 0;
  while (n < v->count && !is_same(&v->entries[n], &f, on_heap))
    n++;
  if (n < MAX_ENTRIES) {
    struct entry *e = &v->entries[n];
    if (n == v->count) {
      memset(e, 0, sizeof *e);
      v->count++;
      e->order = UINT64_MAX;
      e->on_heap = on_heap;
    }
    if (order < e->order) {
      e->order = order;
      f.count = e->f.count;
      e->f = f;
    }
    count_lanes(e, g, block, thread, lane);
  }
  memo.entry = n + 1; // or that there is no room for it
  *memo_place(v, &memo) = memo;
  pthread_mutex_unlock(&v->lock);
}

void vg_report(struct vg_warp *w, const struct vg_insn *i, int lane,
               const struct vg_fault *q) {
  vg_charge_mistake(w);
  vg_report_thread(w->block->grid, w->block->number,
                   w->first_thread + (uint32_t)lane,
                   vg_site_of_lane(w, lane, i), q);
}

bool vg_report_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_fault *q) {
  const struct vg_grid *g = w->block->grid;
  int lane = __builtin_ctz(m);
  struct memo memo = make_memo(vg_site_of_lane(w, lane, i), q);
  if (!count_again(g->findings, g, w->block->number,
                   w->first_thread + (uint32_t)lane, m, &memo))
    return false;
  for (; m; m &= m - 1)
    vg_charge_mistake(w);
  return true;
}

static int compare(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  if (a->f.severity != b->f.severity)
    return a->f.severity < b->f.severity ? -1 : 1;
  int ra = finding_rank(err_kind((enum err)a->f.kind)),
      rb = finding_rank(err_kind((enum err)b->f.kind));
  if (ra != rb)
    return ra < rb ? -1 : 1;
  if (a->order != b->order)
    return a->order < b->order ? -1 : 1;
  if (a->f.at.line != b->f.at.line)
    return a->f.at.line < b->f.at.line ? -1 : 1;
  if (a->f.at.column != b->f.at.column)
    return a->f.at.column < b->f.at.column ? -1 : 1;
  return a->f.base < b->f.base ? -1 : a->f.base > b->f.base;
}

// A shared cell that another thread writes without order is a race, whether or
// not the read came too early to find a value. Nor is a note wanted of a line
// whose race is an error.
static bool is_raced(const struct vg_findings *v, const struct gpu_finding *f) {
  bool is_note = f->kind == ERR_RACE && f->severity != GPU_ERROR;
  bool is_early = f->kind == ERR_UNINITIALISED && f->space == GPU_SPACE_SHARED;
  if (!is_note && !is_early)
    return false;
  for (int i = 0; i < v->count; i++) {
    const struct gpu_finding *r = &v->entries[i].f;
    if (r->kind == ERR_RACE && r->base == f->base &&
        (is_early || r->severity == GPU_ERROR) &&
        (r->at.line == f->at.line || r->other.line == f->at.line))
      return true;
  }
  return false;
}

bool vg_findings_last(const struct vg_findings *v, struct gpu_finding *out) {
  if (!v->count)
    return false;
  *out = v->entries[v->count - 1].f;
  return true;
}

int vg_findings_take(struct vg_findings *v, struct gpu_finding *out, int max) {
  pthread_mutex_lock(&v->lock);
  qsort(v->entries, (size_t)v->count, sizeof *v->entries, compare);
  int n = 0;
  for (int i = 0; i < v->count && n < max; i++)
    if (!is_raced(v, &v->entries[i].f))
      out[n++] = v->entries[i].f;
  forget(v);
  pthread_mutex_unlock(&v->lock);
  return n;
}
