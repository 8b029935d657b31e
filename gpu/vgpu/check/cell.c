// SPDX-License-Identifier: Apache-2.0
// Two accesses to one cell: is that a race?
//
// A plain write races with everything that is not in order with it; of two
// writes of the same value, and of a plain read beside an atomic, a note is
// made. Volatile accesses and atomics are in order among themselves, except
// block-wide atomics of two blocks.
//
// Two readers stand for all: whoever writes later is out of order with one of
// them whenever it is with any other of the block.
//
// CUDA guide: "Memory Fence Functions", "Atomic Functions".
#include "gpu/vgpu/check/cell.h"

#include <string.h>

#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/race_shared.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/state.h"

enum verdict { FINE, NOTE, RACE };

// What a lane is about to store.
static void get_value(const struct vg_look *s, int lane, uint8_t *value) {
  const struct vg_insn *i = s->i;
  int width = i->bytes <= 4 ? 4 : 8;
  for (int v = 0; v < i->vec; v++)
    memcpy(value + v * i->bytes,
           (const uint8_t *)VG_AT(s->w, i->vector->at[v]) + lane * width,
           i->bytes);
}

// Of two lanes of a warp that do one store, the other stores at this moment, too.
static bool is_at_once(const struct vg_look *s, const struct vg_use_of *u) {
  return vg_use_insn(u) == s->i && u->clock == s->w->block->clock &&
         u->block == (uint32_t)s->w->block->number &&
         u->thread / VG_LANES == s->w->number &&
         s->w->active >> u->thread % VG_LANES & 1;
}

// Does the store write what the other wrote? That is in memory, unless it is
// of the same instruction of the same warp.
static bool is_same_value(const struct vg_look *s, const struct vg_use_of *u) {
  const struct vg_insn *i = s->i;
  uint8_t mine[VG_MAX_VECTOR * 8], other[VG_MAX_VECTOR * 8];
  uint32_t all = (uint32_t)i->bytes * i->vec;
  if (s->w->in_hand)
    return s->data && !memcmp(s->w->in_hand, s->data, s->bytes);
  bool is_store = i->ptx->op == PTX_OP_ST ||
                  (i->ptx->op == PTX_OP_SUST && !i->ptx->is_formatted);
  if (!is_store || i->bytes > 8)
    return false;
  get_value(s, s->lane, mine);
  if (is_at_once(s, u)) {
    get_value(s, u->thread % VG_LANES, other);
    return !memcmp(mine, other, all);
  }
  return s->data && !memcmp(mine, s->data, s->bytes < all ? s->bytes : all);
}

// What a lane is about to store.
static struct gpu_seen seen_of_store(const struct vg_look *s, int lane) {
  const struct vg_insn *i = s->i;
  struct gpu_seen seen = {0};
  bool is_plain = i->ptx->op == PTX_OP_ST && !s->w->in_hand && i->vec == 1;
  if (is_plain && i->bytes == s->bytes && s->bytes <= sizeof seen.value) {
    get_value(s, lane, seen.value);
    seen.bytes = s->bytes;
  }
  return seen;
}

static struct gpu_seen seen_in_memory(const struct vg_look *s) {
  struct gpu_seen seen = {0};
  if (!s->data || s->bytes > sizeof seen.value)
    return seen;
  memcpy(seen.value, s->data, s->bytes);
  seen.bytes = s->bytes;
  return seen;
}

// What the lane loads.
static struct gpu_seen seen_of_load(const struct vg_look *s) {
  bool is_plain = s->i->ptx->op == PTX_OP_LD && s->i->bytes == s->bytes;
  return is_plain ? seen_in_memory(s) : (struct gpu_seen){0};
}

// Is what is in memory now what the other store wrote: all of it, and last?
static bool is_left_by(const struct vg_look *s, const struct vg_use_of *u) {
  const struct vg_insn *i = vg_use_insn(u);
  uint32_t at = (uint32_t)s->address, mask = vg_cell_bytes(at, at + s->bytes);
  if (!s->cells || u->use != VG_PLAIN || i->ptx->op != PTX_OP_ST ||
      i->vec != 1 || i->bytes != s->bytes || (u->bytes & mask) != mask)
    return false;
  for (int k = 0; k < s->cell_count; k++) {
    const struct vg_use_of *w = &s->cells[k].write;
    if (w->at != u->at || w->thread != u->thread || w->clock != u->clock ||
        w->block != u->block)
      return false;
  }
  return true;
}

// Is what is in memory now what was there at the read: did all writes come before?
static bool is_as_read(const struct vg_look *s, const struct vg_use_of *u) {
  const struct vg_insn *i = vg_use_insn(u);
  if (!s->cells || u->use != VG_PLAIN || i->ptx->op != PTX_OP_LD ||
      i->vec != 1 || i->bytes != s->bytes)
    return false;
  for (int k = 0; k < s->cell_count; k++) {
    const struct vg_use_of *w = &s->cells[k].write;
    if (w->use && (w->block != u->block || w->clock >= u->clock))
      return false;
  }
  return true;
}

// What the two wrote or read. Of what the other did before, memory tells where
// nothing came between.
static void set_seen(struct vg_fault *f, const struct vg_look *s,
                     const struct vg_use_of *u) {
  bool is_store = f->access == GPU_WRITE;
  if (is_store)
    f->seen = seen_of_store(s, s->lane);
  else if (f->access == GPU_READ)
    f->seen = seen_of_load(s);
  if (is_store && f->other_access == GPU_WRITE && is_at_once(s, u))
    f->other_seen = seen_of_store(s, (int)(u->thread % VG_LANES));
  else if (f->other_access == GPU_WRITE ? is_left_by(s, u)
                                        : is_store && is_as_read(s, u))
    f->other_seen = seen_in_memory(s);
  f->first = f->access == f->other_access && is_at_once(s, u) ? 0 : 2;
}

static bool is_other_block(const struct vg_look *s, const struct vg_use_of *u) {
  return u->block != (uint32_t)s->w->block->number;
}

static enum verdict judge(const struct vg_look *s, const struct vg_use_of *u,
                          enum gpu_access was, enum gpu_access access) {
  enum vg_use mine = vg_use_kind(s->i, access), its = (enum vg_use)u->use;
  bool is_narrow = mine == VG_ATOM_BLOCK || its == VG_ATOM_BLOCK;
  if (mine != VG_PLAIN && its != VG_PLAIN)
    return is_narrow && is_other_block(s, u) && was != GPU_READ &&
                   access != GPU_READ
               ? RACE
               : FINE;
  if (access == GPU_READ)
    return its >= VG_ATOM ? NOTE : RACE;
  if (access == GPU_ATOMIC)
    return was == GPU_READ ? NOTE : RACE;
  if (was == GPU_READ)
    return RACE;
  return its < VG_ATOM && is_same_value(s, u) ? NOTE : RACE;
}

// What is known of the two; why it is but a note.
static bool is_copy(const struct vg_insn *i) {
  return i->ptx->op == PTX_OP_CP;
}

static const char *describe(const struct vg_look *s, const struct vg_use_of *u,
                            enum gpu_access was, enum gpu_access access,
                            enum verdict v) {
  uint32_t thread = s->w->first_thread + (uint32_t)s->lane;
  if (v == NOTE)
    return was == GPU_WRITE && access == GPU_WRITE
               ? "both write the same value, so nothing is lost"
               : "a plain read beside atomics sees a value of before or after "
                 "them";
  if (u->use != VG_PLAIN && vg_use_kind(s->i, access) != VG_PLAIN)
    return "An atomic function whose name ends in _block is atomic among the "
           "threads of its own block only: where several blocks use the cell, "
           "take the one without _block.";
  if (access == GPU_READ && is_copy(vg_use_insn(u)))
    return "An asynchronous copy brings what this cell is to hold, and need "
           "not have come: the thread that ordered it waits for it, and behind "
           "that wait a __syncthreads() tells the others.";
  if (was == GPU_READ && is_copy(s->i))
    return "An asynchronous copy is ordered onto a cell that another thread "
           "may still read: a __syncthreads() belongs behind the last use, "
           "before the order.";
  if (is_other_block(s, u))
    return "The two threads are of different blocks, which __syncthreads() "
           "does not order.";
  if (u->thread / VG_LANES == thread / VG_LANES)
    return "Both threads are of one warp, whose threads need not run in step: "
           "__syncwarp() between them puts them in order.";
  return NULL;
}

// A surface is known to the learner by its number, not by its memory.
static void name_surface(const struct vg_look *s, struct vg_fault *f) {
  const struct vg_insn *i = s->i;
  if (i->ptx->op != PTX_OP_SULD && i->ptx->op != PTX_OP_SUST &&
      i->ptx->op != PTX_OP_SURED)
    return;
  f->space = GPU_SPACE_SURFACE;
  f->address = ((const uint64_t *)VG_AT(s->w, i->src[0]))[s->lane];
}

static struct vg_fault fault_of(const struct vg_look *s,
                                const struct vg_use_of *u, enum gpu_access was,
                                enum gpu_access access, enum verdict v) {
  return (struct vg_fault){
      .kind = ERR_RACE,
      .severity = v == NOTE ? GPU_NOTE : GPU_ERROR,
      .space = s->space,
      .access = access,
      .address = s->address,
      .base = s->base,
      .base_bytes = s->base_bytes,
      .bytes = s->bytes,
      .variable = s->variable,
      .text = describe(s, u, was, access, v),
      .interval = is_other_block(s, u) ? 0 : s->w->block->barriers_passed + 1,
      .other = vg_use_insn(u),
      .other_block = u->block,
      .other_thread = u->thread,
      .other_access = was};
}

static void report(struct vg_look *s, const struct vg_use_of *u,
                   enum gpu_access was, enum gpu_access access,
                   enum verdict v) {
  struct vg_fault f = fault_of(s, u, was, access, v);
  if (s->space == GPU_SPACE_SHARED) {
    uint32_t base, bytes;
    uint32_t offset = (uint32_t)(s->address - VG_WINDOW(VG_SLOT_SHARED));
    if (v == NOTE && vg_is_reserved(s->w->block, offset))
      return; // what the toolkit keeps there is its own affair
    f.variable = vg_shared_name(s->w->block->grid, offset, &base, &bytes);
    f.variable = f.variable ? f.variable : s->i->dynamic;
    f.base = VG_WINDOW(VG_SLOT_SHARED) + base;
    f.base_bytes = bytes;
  }
  name_surface(s, &f);
  set_seen(&f, s, u);
  s->is_told = v == RACE;
  if (s->space != GPU_SPACE_SHARED || access != GPU_READ) {
    vg_report(s->w, s->i, s->lane, &f);
    return;
  }
  // The write is told first, whichever of the two came first.
  f.access = was;
  struct gpu_seen seen = f.seen;
  f.seen = f.other_seen;
  f.other_seen = seen;
  f.first = 1;
  f.other = s->i;
  f.other_thread = s->w->first_thread + (uint32_t)s->lane;
  f.other_access = access;
  vg_report(&s->w->block->warps[u->thread / VG_LANES], vg_use_insn(u),
            (int)(u->thread % VG_LANES), &f);
}

void vg_cell_compare(struct vg_look *s, const struct vg_use_of *u,
                     enum gpu_access was, enum gpu_access access) {
  if (s->is_told)
    return;
  if (vg_order_is_after(s->w, s->lane, u)) {
    if (access == GPU_READ && u->use == VG_PLAIN && !s->i->is_ordered &&
        !vg_order_is_fenced(s->w, s->lane, u))
      vg_count_unfenced(s->w);
    return;
  }
  if (was == GPU_WRITE && u->use >= VG_ATOM)
    was = GPU_ATOMIC;
  enum verdict v = judge(s, u, was, access);
  if (v == FINE)
    return;
  // Who has seen the last atomic write to the place comes after it; of two
  // atomics it is the scopes that do not fit.
  bool are_strong = u->use != VG_PLAIN && vg_use_kind(s->i, access) != VG_PLAIN;
  if (u->use != VG_PLAIN && was != GPU_READ && !are_strong &&
      vg_order_has_seen(s->w, s->lane, s->address))
    return;
  report(s, u, was, access, v);
}

static inline bool is_current(const struct vg_block *b,
                              const struct vg_use_of *u,
                              const struct vg_use_of *a) {
  return u->block == a->block && u->clock >= b->barrier_clock &&
         (u->clock == a->clock || !b->known);
}

// Do the two readers that are known stand for this one, too? They are of two
// warps, or of this one since its last bar.warp.sync.
static inline bool is_stood_for(const struct vg_block *b,
                                const struct vg_cell *c,
                                const struct vg_use_of *a) {
  const struct vg_use_of *x = &c->read[0], *y = &c->read[1];
  if (!is_current(b, x, a) || !is_current(b, y, a) ||
      (x->bytes & y->bytes & a->bytes) != a->bytes || x->use > a->use ||
      y->use > a->use)
    return false;
  if (x->thread / VG_LANES != y->thread / VG_LANES)
    return true;
  return x->thread != y->thread &&
         x->thread / VG_LANES == a->thread / VG_LANES && x->clock == a->clock &&
         y->clock == a->clock;
}

void vg_cell_note_read(struct vg_block *b, struct vg_cell *c,
                       struct vg_use_of a) {
  struct vg_use_of *x = &c->read[0];
  if (is_stood_for(b, c, &a))
    return;
  if (x->use && x->thread != a.thread)
    c->read[1] = *x;
  else if (x->use && x->block == a.block && x->clock == a.clock &&
           x->use == a.use)
    a.bytes |= x->bytes;
  *x = a;
}

// The usual answer, without a call.
static inline bool is_quiet(const struct vg_look *s,
                            const struct vg_use_of *u) {
  const struct vg_block *b = s->w->block;
  return !u->use || (u->block == (uint32_t)b->number &&
                     (u->clock < b->barrier_clock ||
                      u->thread == s->w->first_thread + (uint32_t)s->lane));
}

// An atomic, or a volatile write, does not take the place of a plain write
// before it: who is in order with the one need not be with the other.
static void note_write(struct vg_cell *c, struct vg_use_of a) {
  const struct vg_use_of *p = &c->write;
  if (a.use == VG_PLAIN)
    c->plain.use = VG_UNUSED;
  else if (p->use == VG_PLAIN)
    c->plain = *p;
  // What one thread wrote piece by piece is remembered whole.
  if (p->use == a.use && p->thread == a.thread && p->block == a.block &&
      p->clock == a.clock)
    a.bytes |= p->bytes;
  c->write = a;
}

void vg_cell_compare_writes(struct vg_look *s, const struct vg_cell *c,
                            uint32_t mask, enum gpu_access access) {
  if (c->write.bytes & mask && !is_quiet(s, &c->write))
    vg_cell_compare(s, &c->write, GPU_WRITE, access);
  if (c->plain.bytes & mask && !is_quiet(s, &c->plain))
    vg_cell_compare(s, &c->plain, GPU_WRITE, access);
}

void vg_cell_use(struct vg_look *s, struct vg_cell *c, uint32_t mask,
                 enum gpu_access access) {
  struct vg_use_of a = vg_use_now(s->w, s->i, s->lane, mask, access);
  vg_cell_compare_writes(s, c, mask, access);
  if (access == GPU_READ) {
    vg_cell_note_read(s->w->block, c, a);
    return;
  }
  for (int r = 0; r < 2; r++)
    if (c->read[r].bytes & mask && !is_quiet(s, &c->read[r]))
      vg_cell_compare(s, &c->read[r], GPU_READ, access);
  note_write(c, a);
}

// ---- Many lanes, one value ----

static bool is_over(const struct vg_block *b, const struct vg_use_of *u) {
  return !u->use ||
         (u->block == (uint32_t)b->number && u->clock < b->barrier_clock);
}

// Is the cell's write of this store and this moment, and all else that is known
// of it behind a barrier?
static bool is_of_now(const struct vg_look *s, const struct vg_cell *c) {
  const struct vg_block *b = s->w->block;
  const struct vg_use_of *u = &c->write;
  return vg_use_insn(u) == s->i && u->use == VG_PLAIN && u->clock == b->clock &&
         u->block == (uint32_t)b->number &&
         u->thread / VG_LANES == s->w->number && is_over(b, &c->plain) &&
         is_over(b, &c->read[0]) && is_over(b, &c->read[1]);
}

static uint64_t value_in(const struct vg_look *s, int v, int lane) {
  const void *row = VG_AT(s->w, s->i->vector->at[v]);
  return s->i->bytes <= 4 ? ((const uint32_t *)row)[lane]
                          : ((const uint64_t *)row)[lane];
}

static bool write_alike(const struct vg_look *s, int lane, vg_mask m) {
  uint64_t mask = ~UINT64_C(0) >> (64 - 8 * s->i->bytes), other = 0;
  for (int v = 0; v < s->i->vec; v++) {
    uint64_t first = value_in(s, v, lane);
    for (int l = 0; l < VG_LANES; l++)
      other |= (value_in(s, v, l) ^ first) & -(uint64_t)(m >> l & 1);
  }
  return !(other & mask);
}

bool vg_cell_write_again(struct vg_look *s, struct vg_cell *c, vg_mask m) {
  const struct vg_use_of *u = &c->write;
  const struct vg_insn *i = s->i;
  int last = 31 - __builtin_clz(m);
  vg_mask known = m | 1u << u->thread % VG_LANES;
  if (s->w->in_hand || i->ptx->op != PTX_OP_ST || i->is_ordered ||
      i->bytes > 8 || known & ~s->w->active || !is_of_now(s, c) ||
      !write_alike(s, (int)(u->thread % VG_LANES), m))
    return false;
  s->lane = __builtin_ctz(m);
  struct vg_fault f = fault_of(s, u, GPU_WRITE, GPU_WRITE, NOTE);
  if (!vg_report_again(s->w, i, m, &f))
    return false;
  c->write = vg_use_now(s->w, i, last, 15, GPU_WRITE);
  return true;
}
