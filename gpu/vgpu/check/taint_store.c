// SPDX-License-Identifier: Apache-2.0
// Undefined values on their way into memory: what is stored is undefined where it
// is stored.
#include "gpu/vgpu/check/taint_notes.h"

#include <string.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

struct stored {
  uint32_t bytes[VG_LANES], note[VG_LANES];
  vg_mask lanes; // that have any
};

// A variable that fills a part of a value may be padding there.
static void see_stored(struct vg_warp *w, const struct vg_insn *i,
                       uint32_t number, bool is_part) {
  struct vg_note *n = number ? vg_note_at(w->block, number) : NULL;
  if (!n || !n->is_variable)
    return;
  vg_note_place(w, n, i);
  n->is_hole |= is_part;
}

static void look_at_value(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m,
                          struct stored *s) {
  s->lanes = 0;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    s->bytes[l] = s->note[l] = 0;
    for (int k = 0; k < i->vec; k++) {
      uint32_t note, all = i->bytes < 32 ? (1u << i->bytes) - 1 : ~0u;
      uint32_t part = vg_taint_get(v, i->vector->at[k], l, &note) & all;
      s->bytes[l] |= part << k * i->bytes;
      s->note[l] = part ? note : s->note[l];
      see_stored(v->w, i, part ? note : 0, part != all);
    }
    s->lanes |= (vg_mask)(s->bytes[l] != 0) << l;
  }
}

// Undefined bits of byte b of what a lane stores.
static uint8_t stored_bits(const struct vg_taint_view *v,
                           const struct vg_insn *i, int lane, uint32_t b) {
  vg_place p = i->vector->at[b / i->bytes];
  if (i->bytes > 8)
    return 0xFF;
  return (uint8_t)(vg_taint_bits(v, p, lane) >> b % i->bytes * 8);
}

// What a lane wrote: the undefined bits of each of its bytes.
struct written {
  uint32_t bytes, note;
  uint8_t bits[32];
};

static void undefine(struct vg_warp *w, const struct vg_insn *i, int lane,
                     uint64_t at, const struct written *v) {
  struct vg_memory *memory = w->block->grid->memory;
  int space = vg_space_split(i->space, &at);
  struct vg_taint_memory x = vg_taint_memory(w, lane, space, at, v->bytes);
  for (uint32_t b = 0; b < v->bytes; b++) {
    if (!v->bits[b])
      continue;
    uint32_t *kept = vg_note_kept(w, lane, space, at + b, true);
    vg_taint_set_bits_at(memory, &x, b, v->bits[b]);
    if (x.map && kept)
      *kept = v->note;
  }
  if (x.alloc)
    vg_origin_set(memory, x.alloc, x.offset, v->bytes,
                  vg_note_origin(w, lane, v->note));
}

void vg_on_stored(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_part part, const uint64_t a[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  for (; vg_taint_any(&v, part.of) && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t bits = vg_taint_bits(&v, part.of, l) >> part.from * 8;
    struct written x = {part.bytes, vg_taint_note(&v, part.of, l), {0}};
    bits &= part.bytes < 8 ? (UINT64_C(1) << part.bytes * 8) - 1 : ~UINT64_C(0);
    memcpy(x.bits, &bits, sizeof bits);
    if (!bits)
      continue;
    see_stored(w, i, x.note, false);
    undefine(w, i, l, a[l], &x);
  }
}

// What was there has no value any more, which whoever reads it is told.
void vg_on_discard(struct vg_warp *w, const struct vg_insn *i, int lane,
                   uint64_t at) {
  const struct vg_grid *g = w->block->grid;
  struct vg_taint_memory x =
      vg_taint_memory(w, lane, PTX_GLOBAL, at, VG_DISCARD_BYTES);
  if (!x.alloc)
    return;
  struct vg_fault f = {.kind = ERR_UNINITIALISED,
                       .severity = GPU_ERROR,
                       .space = GPU_SPACE_GLOBAL,
                       .access = GPU_WRITE,
                       .address = at,
                       .base = at - x.offset,
                       .base_bytes = x.alloc->bytes,
                       .bytes = VG_DISCARD_BYTES,
                       .variable = x.alloc->name};
  struct gpu_finding origin;
  for (uint32_t b = 0; b < VG_DISCARD_BYTES; b++)
    vg_taint_set_bits_at(g->memory, &x, b, 0xFF);
  vg_finding_fill(&origin, g, w->block->number,
                  w->first_thread + (uint32_t)lane, vg_site(w, i), &f);
  vg_origin_set(g->memory, x.alloc, x.offset, VG_DISCARD_BYTES,
                vg_origin_add(g->memory, &origin));
}

static bool is_global(int space, uint64_t address) {
  return vg_space_split(space, &address) == PTX_GLOBAL;
}

void vg_taint_store(const struct vg_taint_view *v, const struct vg_insn *i,
                    vg_mask m) {
  struct stored s;
  uint64_t a[VG_LANES];
  look_at_value(v, i, m, &s);
  if (s.lanes)
    vg_addresses(v->w, i, a);
  i->run(v->w, i, m);
  for (vg_mask rest = s.lanes; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    if (vg_note_at(v->w->block, s.note[l])->is_poison &&
        is_global(i->space, a[l]))
      continue; // the host hears of the load itself
    struct written x = {(uint32_t)i->bytes * i->vec, s.note[l], {0}};
    for (uint32_t b = 0; b < x.bytes; b++)
      x.bits[b] = s.bytes[l] >> b & 1 ? stored_bits(v, i, l, b) : 0;
    undefine(v->w, i, l, a[l], &x);
  }
}
