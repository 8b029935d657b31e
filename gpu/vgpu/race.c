// SPDX-License-Identifier: Apache-2.0
// Races on shared memory, and reads of bytes that were never written.
//
// Theory of operation. A cell for each 4 bytes keeps the last write and the
// last reads, with thread, instruction and two times: the block's epoch, which
// counts its barriers and fences, and the warp's, which counts bar.warp.sync.
// Two accesses are in order when a barrier or fence of the block lies between
// them, when one thread made both, or when a bar.warp.sync of the warp that
// made both does. That is coarser than happens-before: what it reports is a
// race, and a race that only a fence elsewhere hides is not reported.
//
// Volatile accesses and atomics are in order among themselves.
#include "gpu/vgpu/race.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum use { USE_NONE, USE_PLAIN, USE_VOLATILE, USE_ATOMIC };

struct access { // 16 bytes, so that noting one is a single move
  const struct vg_insn *at;
  uint32_t epoch;
  uint32_t thread : 10, bytes : 4, use : 2, sync : 16;
}; // bytes: bit b is byte b of the cell; use: enum use

struct cell {
  struct access write;
  struct access read[2]; // the last read, and the last of another thread
};

struct vg_shadow {
  uint32_t bytes;
  uint8_t *defined; // a byte per byte
  struct cell *cells;
};

struct vg_shadow *vg_shadow_new(uint32_t bytes) {
  struct vg_shadow *s = xcalloc(1, sizeof *s);
  s->bytes = bytes;
  s->defined = xcalloc(1, bytes);
  s->cells = xcalloc((bytes + 3) / 4, sizeof *s->cells);
  return s;
}

void vg_shadow_free(struct vg_shadow *s) {
  if (!s)
    return;
  free(s->defined);
  free(s->cells);
  free(s);
}

// Epochs go on from block to block, so the cells may stay as they are.
void vg_shadow_clear(struct vg_shadow *s) {
  memset(s->defined, 0, s->bytes);
}

void vg_shadow_order(struct vg_block *b) {
  b->epoch++;
}

const char *vg_shared_name(const struct vg_grid *g, uint32_t offset,
                           uint32_t *base, uint32_t *bytes) {
  const struct ptx_module *m = g->code->module->ptx;
  for (int n = -1; n < m->func_count; n++) {
    if (n >= 0 && m->funcs[n]->is_entry && m->funcs[n] != g->code->func)
      continue; // kernels' own variables overlap
    struct ptx_var **vars = n < 0 ? m->vars : m->funcs[n]->locals;
    int count = n < 0 ? m->var_count : m->funcs[n]->local_count;
    for (int v = 0; v < count; v++)
      if (vars[v]->space == PTX_SHARED && !vars[v]->is_extern &&
          offset - vars[v]->offset < vars[v]->bytes) {
        *base = (uint32_t)vars[v]->offset;
        *bytes = (uint32_t)vars[v]->bytes;
        return vars[v]->name;
      }
  }
  *base = g->static_shared;
  *bytes = g->shared_bytes - g->static_shared;
  return NULL;
}

static bool is_ordered(const struct vg_warp *w, uint16_t thread,
                       const struct access *a) {
  if (!a->use || a->epoch != w->block->epoch || a->thread == thread)
    return true;
  return a->thread / VG_LANES == w->number &&
         a->sync != (w->sync_epoch & 0xFFFF);
}

static void report_race(struct vg_warp *w, const struct vg_insn *i, int lane,
                        uint32_t offset, uint32_t bytes, enum gpu_access access,
                        const struct access *other,
                        enum gpu_access other_access, bool is_note) {
  struct vg_fault f = {.kind = ERR_RACE,
                       .severity = is_note ? GPU_NOTE : GPU_ERROR,
                       .space = GPU_SPACE_SHARED,
                       .access = access,
                       .bytes = bytes,
                       .other = other->at,
                       .other_thread = other->thread,
                       .other_access = other_access};
  uint32_t base, size;
  f.variable = vg_shared_name(w->block->grid, offset, &base, &size);
  f.address = VG_WINDOW(VG_SLOT_SHARED) + offset;
  f.base = VG_WINDOW(VG_SLOT_SHARED) + base;
  f.base_bytes = size;
  vg_report(w, i, lane, &f);
}

// The bits of a cell that an access touches, from its first byte on.
static uint8_t cell_bytes(uint32_t offset, uint32_t end) {
  uint32_t low = offset & 3, n = end - (offset & ~3u);
  return (uint8_t)((0xFu << low) & (n >= 4 ? 0xFu : (1u << n) - 1));
}

#define EACH_CELL(s, offset, bytes, c, mask)                                   \
  for (uint32_t o_ = (offset), e_ = (offset) + (bytes), mask;                  \
       o_ < e_ && (c = &(s)->cells[o_ / 4], mask = cell_bytes(o_, e_), true);  \
       o_ = (o_ & ~3u) + 4)

static inline struct access access_of(const struct vg_warp *w,
                                      const struct vg_insn *i, int lane,
                                      uint32_t mask, enum use use) {
  return (struct access){.at = i,
                         .epoch = w->block->epoch,
                         .sync = w->sync_epoch & 0xFFFF,
                         .thread = (w->first_thread + (uint32_t)lane) & 1023,
                         .bytes = mask & 15,
                         .use = use};
}

// Do the two readers that are known stand for this one, too? Whoever writes
// later is out of order with one of them whenever it is with this one: they are
// of two warps, or of this one since its last bar.warp.sync.
static inline bool is_stood_for(const struct cell *c, struct access a) {
  const struct access *x = &c->read[0], *y = &c->read[1];
  if (x->epoch != a.epoch || y->epoch != a.epoch ||
      (x->bytes & y->bytes & a.bytes) != a.bytes || x->use > a.use ||
      y->use > a.use)
    return false;
  if (x->thread / VG_LANES != y->thread / VG_LANES)
    return true;
  return x->thread != y->thread &&
         x->thread / VG_LANES == a.thread / VG_LANES && x->sync == a.sync &&
         y->sync == a.sync;
}

static inline void note_read(struct cell *c, struct access a) {
  if (is_stood_for(c, a))
    return;
  if (c->read[0].use && c->read[0].thread != a.thread)
    c->read[1] = c->read[0];
  else if (c->read[0].use && c->read[0].epoch == a.epoch &&
           c->read[0].sync == a.sync)
    a.bytes |= c->read[0].bytes;
  c->read[0] = a;
}

bool vg_shadow_read(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint32_t offset, uint32_t bytes) {
  struct vg_shadow *s = w->block->shadow;
  uint16_t thread = (uint16_t)(w->first_thread + (uint32_t)lane);
  enum use use = i->is_ordered ? USE_VOLATILE : USE_PLAIN;
  struct cell *c;
  EACH_CELL(s, offset, bytes, c, mask) {
    const struct access *p = &c->write;
    if (p->epoch == w->block->epoch && (p->bytes & mask) &&
        !is_ordered(w, thread, p) &&
        !(use == USE_VOLATILE && p->use != USE_PLAIN))
      report_race(w, i, lane, offset, bytes, GPU_READ, p,
                  p->use == USE_ATOMIC ? GPU_ATOMIC : GPU_WRITE,
                  p->use == USE_ATOMIC);
    note_read(c, access_of(w, i, lane, mask, use));
  }
  for (uint32_t b = 0; b < bytes; b++)
    if (s->defined[offset + b])
      return true;
  return false;
}

// As vg_shadow_read of all lanes of `m` with elements of 4 bytes, for the usual
// case; gives the lanes that must be looked at one by one.
vg_mask vg_shadow_read_words(struct vg_warp *w, const struct vg_insn *i,
                             vg_mask m, const uint32_t offset[VG_LANES]) {
  struct vg_shadow *s = w->block->shadow;
  enum use use = i->is_ordered ? USE_VOLATILE : USE_PLAIN;
  uint32_t epoch = w->block->epoch;
  vg_mask left = 0;
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    struct cell *c = &s->cells[offset[l] / 4];
    struct access a = access_of(w, i, l, 15, use);
    uint32_t defined;
    memcpy(&defined, s->defined + offset[l], 4);
    if (!defined || (c->write.epoch == epoch && c->write.thread != a.thread))
      left |= 1u << l;
    else
      note_read(c, a);
  }
  return left;
}

static void check_readers(struct vg_warp *w, const struct vg_insn *i, int lane,
                          uint32_t offset, uint32_t bytes, struct cell *c,
                          uint32_t mask, enum use use, bool is_note) {
  uint16_t thread = (uint16_t)(w->first_thread + (uint32_t)lane);
  for (int r = 0; r < 2; r++) {
    const struct access *p = &c->read[r];
    if (!(p->bytes & mask) || is_ordered(w, thread, p) ||
        (use != USE_PLAIN && p->use != USE_PLAIN))
      continue;
    report_race(w, i, lane, offset, bytes,
                use == USE_ATOMIC ? GPU_ATOMIC : GPU_WRITE, p, GPU_READ,
                is_note || use == USE_ATOMIC);
    return;
  }
}

void vg_shadow_write(struct vg_warp *w, const struct vg_insn *i, int lane,
                     uint32_t offset, uint32_t bytes, const void *value) {
  struct vg_shadow *s = w->block->shadow;
  uint16_t thread = (uint16_t)(w->first_thread + (uint32_t)lane);
  enum use use = i->is_ordered ? USE_VOLATILE : USE_PLAIN;
  bool is_same = !memcmp(w->block->shared + offset, value, bytes);
  struct cell *c;
  EACH_CELL(s, offset, bytes, c, mask) {
    const struct access *p = &c->write;
    if ((p->bytes & mask) && !is_ordered(w, thread, p) &&
        !(use == USE_VOLATILE && p->use != USE_PLAIN))
      report_race(w, i, lane, offset, bytes, GPU_WRITE, p,
                  p->use == USE_ATOMIC ? GPU_ATOMIC : GPU_WRITE,
                  is_same && p->use != USE_ATOMIC);
    check_readers(w, i, lane, offset, bytes, c, mask, use, false);
    c->write = access_of(w, i, lane, mask, use);
  }
  memset(s->defined + offset, 1, bytes);
}

void vg_shadow_atomic(struct vg_warp *w, const struct vg_insn *i, int lane,
                      uint32_t offset, uint32_t bytes) {
  struct vg_shadow *s = w->block->shadow;
  uint16_t thread = (uint16_t)(w->first_thread + (uint32_t)lane);
  struct cell *c;
  EACH_CELL(s, offset, bytes, c, mask) {
    const struct access *p = &c->write;
    if ((p->bytes & mask) && p->use == USE_PLAIN && !is_ordered(w, thread, p))
      report_race(w, i, lane, offset, bytes, GPU_ATOMIC, p, GPU_WRITE, false);
    check_readers(w, i, lane, offset, bytes, c, mask, USE_ATOMIC, true);
    c->write = access_of(w, i, lane, mask, USE_ATOMIC);
  }
  memset(s->defined + offset, 1, bytes);
}
