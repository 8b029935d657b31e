// SPDX-License-Identifier: Apache-2.0
// Shared memory: races, and bytes that were never written.
//
// A cell for each 4 bytes keeps the last write and the last reads. Their clocks
// go on from block to block, so cells of a block that has ended are older than
// the barrier at which the next began.
#include "gpu/vgpu/check/race_shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/cell.h"
#include "gpu/vgpu/check/race_spy.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

struct vg_shadow {
  uint32_t bytes;
  uint8_t *defined; // a byte per byte
  struct vg_cell *cells;
  // Of a cell that is defined and not written since the barrier: its readers
  // stand for any other since the barrier of this clock, or for those of one
  // warp at this clock (warp_key).
  uint32_t *quiet, *quiet_warp;
  struct vg_use_of *sent;    // the last copy sent for, NULL before the first
  struct vg_shared_spy *spy; // in place of cells, or NULL
};

struct vg_shadow *vg_shadow_new(uint32_t bytes, int shift, bool is_exact) {
  struct vg_shadow *s = xcalloc(1, sizeof *s);
  s->bytes = bytes;
  s->defined = xcalloc(1, bytes);
  if (is_exact) {
    s->cells = xcalloc((bytes + 3) / 4, sizeof *s->cells);
    s->quiet = xcalloc((bytes + 3) / 4, sizeof *s->quiet);
    s->quiet_warp = xcalloc((bytes + 3) / 4, sizeof *s->quiet_warp);
  } else {
    s->spy = vg_shared_spy_new(bytes, shift, s->defined);
  }
  return s;
}

void vg_shadow_free(struct vg_shadow *s) {
  if (!s)
    return;
  free(s->defined);
  free(s->cells);
  free(s->quiet);
  free(s->quiet_warp);
  free(s->sent);
  vg_shared_spy_free(s->spy);
  free(s);
}

void vg_shadow_clear(struct vg_shadow *s, uint32_t end) {
  memset(s->defined, 0, end);
  memset(s->defined + end, 1, s->bytes - end);
}

struct vg_shared_spy *vg_shadow_spy(struct vg_shadow *s) {
  return s->spy;
}

uint8_t *vg_shadow_defined(struct vg_shadow *s) {
  return s->defined;
}

bool vg_is_shared_defined(const struct vg_block *b, uint32_t offset,
                          uint32_t bytes) {
  return vg_is_whole(b->shadow->defined + offset, bytes);
}

bool vg_is_reserved(const struct vg_block *b, uint32_t offset) {
  return b->grid->code->module->has_reserved &&
         offset >= b->shared_bytes - VG_RESERVED_BYTES;
}

// Dynamic memory has the name of its extern array, if there is but one.
static const char *dynamic_name(const struct ptx_module *m) {
  const char *name = NULL;
  for (int v = 0; v < m->var_count; v++) {
    if (m->vars[v]->space != PTX_SHARED || !m->vars[v]->is_extern)
      continue;
    if (name)
      return NULL;
    name = m->vars[v]->name;
  }
  return name;
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
  uint32_t end = g->shared_bytes;
  if (g->code->module->has_reserved)
    end -= VG_RESERVED_BYTES;
  *base = vg_dynamic_shared_at(g->code);
  *bytes = end > *base ? end - *base : 0;
  return dynamic_name(m);
}

// ---- Races ----

static bool is_past(const struct vg_block *b, const struct vg_use_of *u) {
  return u->clock < b->barrier_clock;
}

// An atomic on a whole word that nothing but atomics used since the barrier: it
// is in order with them, and the last stands for all.
static bool use_among_atomics(struct vg_warp *w, struct vg_shadow *s,
                              const struct vg_insn *i, int lane,
                              uint32_t offset) {
  const struct vg_block *b = w->block;
  struct vg_cell *c = &s->cells[offset / 4];
  bool is_alone = true;
  for (int r = 0; r < 2; r++)
    is_alone &= !c->read[r].use || is_past(b, &c->read[r]);
  is_alone &= !c->plain.use || is_past(b, &c->plain);
  is_alone &= c->write.use != VG_PLAIN || is_past(b, &c->write);
  if (!is_alone)
    return false;
  c->read[0].use = c->read[1].use = c->plain.use = VG_UNUSED;
  c->write = vg_use_now(w, i, lane, 15, GPU_ATOMIC);
  s->quiet[offset / 4] = s->quiet_warp[offset / 4] = 0;
  memset(s->defined + offset, 1, 4);
  return true;
}

// Is a copy to the cell on its way, or done since the barrier, by another thread?
static bool is_sent_by_other(const struct vg_block *b,
                             const struct vg_shadow *s, uint32_t cell,
                             uint32_t thread) {
  return s->sent && s->sent[cell].use && !is_past(b, &s->sent[cell]) &&
         s->sent[cell].thread != thread;
}

static struct vg_look look_at(struct vg_warp *w, const struct vg_insn *i,
                              int lane, uint32_t offset, uint32_t bytes) {
  const struct vg_shadow *s = w->block->shadow;
  return (struct vg_look){.w = w,
                          .i = i,
                          .lane = lane,
                          .space = GPU_SPACE_SHARED,
                          .address = VG_WINDOW(VG_SLOT_SHARED) + offset,
                          .bytes = bytes,
                          .data = w->block->shared + offset,
                          // Copies change memory and leave cells as they are.
                          .cells = s->sent ? NULL : &s->cells[offset / 4],
                          .cell_count =
                              (int)((offset + bytes - 1) / 4 - offset / 4 + 1)};
}

void vg_on_shared_send(struct vg_warp *w, const struct vg_insn *i, int lane,
                       uint32_t offset, uint32_t bytes) {
  struct vg_block *b = w->block;
  struct vg_shadow *s = b->shadow;
  if (s->spy) {
    vg_shared_spy_send(w, s->spy, lane, offset, bytes);
    return;
  }
  uint32_t thread = w->first_thread + (uint32_t)lane, end = offset + bytes;
  i = vg_site(w, i);
  if (!s->sent)
    s->sent = xcalloc((s->bytes + 3) / 4, sizeof *s->sent);
  struct vg_look spot = look_at(w, i, lane, offset, bytes);
  for (uint32_t o = offset; o < end; o = (o & ~3u) + 4) {
    struct vg_cell *c = &s->cells[o / 4];
    uint32_t mask = vg_cell_bytes(o, end);
    for (int r = 0; r < 2; r++) {
      const struct vg_use_of *u = &c->read[r];
      if (u->use && u->bytes & mask && !is_past(b, u) && u->thread != thread)
        vg_cell_compare(&spot, u, GPU_READ, GPU_WRITE);
    }
    s->sent[o / 4] = vg_use_now(w, i, lane, mask, GPU_WRITE);
    s->quiet[o / 4] = s->quiet_warp[o / 4] = 0;
  }
}

void vg_on_shared(struct vg_warp *w, const struct vg_insn *i, int lane,
                  uint32_t offset, uint32_t bytes, enum gpu_access access) {
  struct vg_block *b = w->block;
  struct vg_shadow *s = b->shadow;
  if (s->spy) {
    vg_shared_spy_use(w, s->spy, lane, offset, bytes, access);
    return;
  }
  uint32_t thread = w->first_thread + (uint32_t)lane, end = offset + bytes;
  i = vg_site(w, i);
  if (access == GPU_ATOMIC && bytes == 4 && !(offset & 3) &&
      use_among_atomics(w, s, i, lane, offset))
    return;
  struct vg_look spot = look_at(w, i, lane, offset, bytes);
  for (uint32_t o = offset; o < end; o = (o & ~3u) + 4) {
    struct vg_cell *c = &s->cells[o / 4];
    uint32_t mask = vg_cell_bytes(o, end);
    bool is_quiet = is_past(b, &c->write) || c->write.thread == thread;
    if (access == GPU_READ && is_sent_by_other(b, s, o / 4, thread) &&
        s->sent[o / 4].bytes & mask)
      vg_cell_compare(&spot, &s->sent[o / 4], GPU_WRITE, access);
    if (access == GPU_READ && is_quiet) {
      vg_cell_note_read(b, c, vg_use_now(w, i, lane, mask, access));
      continue;
    }
    if (access != GPU_READ)
      s->quiet[o / 4] = s->quiet_warp[o / 4] = 0;
    // Reads of a block that has ended are no block's any more.
    for (int r = 0; r < 2; r++)
      if (is_past(b, &c->read[r]))
        c->read[r].use = VG_UNUSED;
    if (is_past(b, &c->write))
      c->write.use = VG_UNUSED;
    if (is_past(b, &c->plain))
      c->plain.use = VG_UNUSED;
    vg_cell_use(&spot, c, mask, access);
  }
  if (access != GPU_READ)
    memset(s->defined + offset, 1, bytes);
}

void vg_on_shared_atomic(struct vg_warp *w, const struct vg_insn *i, int lane,
                         struct vg_span s, uint32_t offset) {
  // What an exchange finds does not matter to what it leaves there.
  if (i->sub != PTX_ATOM_EXCH &&
      !vg_is_shared_defined(w->block, offset, s.bytes) &&
      vg_undefined_bytes(w, lane, i->space, s.at, s.bytes))
    vg_on_use(w, i, lane, i->space, s, "goes into an atomic");
  vg_on_shared(w, i, lane, offset, s.bytes, GPU_ATOMIC);
}

// Do the readers that are known stand for any other of the block, too? The
// usual case of vg_cell_note_read: whole words, readers of two warps.
static inline bool has_two_readers(const struct vg_block *b,
                                   const struct vg_cell *c) {
  const struct vg_use_of *x = &c->read[0], *y = &c->read[1];
  return !b->known && x->clock >= b->barrier_clock &&
         y->clock >= b->barrier_clock && x->bytes == 15 && y->bytes == 15 &&
         x->use == VG_PLAIN && y->use == VG_PLAIN &&
         x->thread / VG_LANES != y->thread / VG_LANES;
}

static uint32_t warp_key(const struct vg_warp *w) {
  return w->block->clock << 5 | w->number;
}

// The same for the readers of one warp since its last bar.warp.sync.
static inline bool has_two_lanes(const struct vg_warp *w,
                                 const struct vg_cell *c) {
  const struct vg_use_of *x = &c->read[0], *y = &c->read[1];
  uint32_t now = w->block->clock;
  return x->clock == now && y->clock == now && x->bytes == 15 &&
         y->bytes == 15 && x->use == VG_PLAIN && y->use == VG_PLAIN &&
         x->thread != y->thread && x->thread / VG_LANES == w->number &&
         y->thread / VG_LANES == w->number;
}

// Lanes whose neighbours on both sides read the same word: those stand for
// them.
static vg_mask between(vg_mask m, const uint32_t offset[VG_LANES]) {
  vg_mask same = 0;
  for (int l = 1; l < VG_LANES; l++)
    same |= (vg_mask)(offset[l] == offset[l - 1]) << l;
  same &= m & m << 1;
  return same & same >> 1;
}

vg_mask vg_on_shared_words(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m, const uint32_t offset[VG_LANES]) {
  struct vg_block *b = w->block;
  struct vg_shadow *s = b->shadow;
  vg_mask left = 0, loud = 0;
  bool is_plain = !i->is_ordered;
  uint32_t key = warp_key(w);
  if (s->spy)
    return vg_shared_spy_read_words(w, s->spy, m, offset);
  i = vg_site(w, i);
  if (is_plain) {
    for (int l = 0; l < VG_LANES; l++)
      loud |= (m >> l & 1) && s->quiet[offset[l] / 4] != b->barrier_clock &&
              s->quiet_warp[offset[l] / 4] != key;
    if (!loud)
      return 0;
  }
  for (vg_mask rest = m & ~between(m, offset); rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    struct vg_cell *c = &s->cells[offset[l] / 4];
    uint32_t defined, thread = w->first_thread + (uint32_t)l;
    memcpy(&defined, s->defined + offset[l], 4);
    if (defined != 0x01010101 ||
        (!is_past(b, &c->write) && c->write.thread != thread) ||
        is_sent_by_other(b, s, offset[l] / 4, thread))
      left |= 1u << l;
    else if (!is_plain || !has_two_readers(b, c))
      vg_cell_note_read(b, c, vg_use_now(w, i, l, 15, GPU_READ));
    else if (is_past(b, &c->write))
      s->quiet[offset[l] / 4] = b->barrier_clock;
    if (is_past(b, &c->write) && has_two_lanes(w, c) && !(left >> l & 1))
      s->quiet_warp[offset[l] / 4] = key;
  }
  return left;
}
