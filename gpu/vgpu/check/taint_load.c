// SPDX-License-Identifier: Apache-2.0
// Undefined values on their way into registers: loads, exchanges with memory,
// frames that begin. They make a warp careful (taint.c).
#include "gpu/vgpu/check/taint_notes.h"

#include <string.h>

#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"

// Ends the loop that runs the warp, but not its turn (vg_warp_turn).
static void go_on_carefully(struct vg_warp *w) {
  if (w->fuel <= 0 || w->block->in_gang)
    return;
  w->fuel_left = w->fuel;
  w->turn -= w->fuel;
  w->fuel = 0;
}

// Element k of what a lane has loaded.
static void put_loaded(const struct vg_taint_view *v, const struct vg_insn *i,
                       int lane, int k, const struct vg_taint_memory *x,
                       uint32_t note) {
  uint32_t bytes = i->bytes, any = 0;
  uint64_t bits = 0;
  for (uint32_t b = 0; b < bytes; b++) {
    uint64_t byte = vg_taint_bits_at(x, (uint32_t)k * bytes + b);
    any |= (uint32_t)(byte != 0) << b;
    bits |= b < 8 ? byte << b * 8 : 0;
  }
  if (bytes > 8) {
    vg_taint_put(v, i->vector->at[k], lane, any, note);
    return;
  }
  // The sign fills the register.
  if (i->type >= PTX_S8 && i->type <= PTX_S64 && bytes < 4 &&
      bits >> (bytes * 8 - 1) & 1)
    bits |= ~UINT64_C(0) << bytes * 8;
  vg_taint_put_bits(v, i->vector->at[k], lane, bits, note);
}

void vg_on_load(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  uint32_t bytes = i->bytes, all = bytes * i->vec;
  bool was_careful = w->is_careful;
  w->has_undefined = false;
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    uint32_t undefined = vg_undefined_bytes(w, l, i->space, a[l], all);
    if (!undefined)
      continue;
    bool is_hole = undefined != (all < 32 ? (1u << all) - 1 : ~0u);
    uint32_t note = vg_note_of_load(w, i, l, a[l], all, is_hole);
    struct vg_taint_memory x = vg_taint_memory(w, l, i->space, a[l], all);
    for (int k = 0; k < i->vec; k++)
      put_loaded(&v, i, l, k, &x, note);
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

// Adds what is undefined of a lane's bytes in memory.
static void mark(struct vg_warp *w, const struct vg_insn *i, int lane,
                 uint64_t address, uint32_t bytes,
                 struct vg_lane_marks *marks) {
  uint32_t whole = 0;
  struct vg_taint_memory x = vg_taint_memory(w, lane, i->space, address, bytes);
  if (!marks->any)
    memset(marks, 0, sizeof *marks);
  marks->any = true;
  for (uint32_t b = 0; b < bytes; b++) {
    marks->bits[lane][b] = vg_taint_bits_at(&x, b);
    whole += marks->bits[lane][b] == 0xFF;
  }
  marks->note[lane] =
      vg_note_of_load(w, i, lane, address, bytes, whole != bytes);
}

void vg_on_marked(struct vg_warp *w, vg_place p, vg_mask m,
                  const uint64_t bits[VG_LANES],
                  const uint32_t note[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  if (p == VG_NOWHERE)
    return;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    vg_taint_put_bits(&v, p, l, bits[l], note[l]);
  }
  vg_taint_settle(&v, p);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

static void fill_row(struct vg_frame *f, vg_place p) {
  uint64_t *row = (void *)(f->registers + (p & ~3u));
  int width = f->code->widths[p / 4];
  if (width == 1)
    *(vg_mask *)(void *)row = 0;
  for (int n = 0; width > 1 && n < VG_LANES * width / 8; n++)
    row[n] = VG_POISON;
}

void vg_on_frame(struct vg_warp *w, struct vg_frame *f, vg_mask m) {
  const struct vg_code *c = f->code;
  struct vg_taint_view v = {w, f};
  bool was_careful = w->is_careful;
  if (c->may_read_any)
    memset(f->registers, 0, c->register_bytes);
  *(vg_mask *)(void *)(f->registers + VG_CARRY) = 0;
  for (int n = 0; n < c->unwritten_count; n++) {
    const struct vg_unwritten *u = &c->unwritten[n];
    fill_row(f, u->at);
    if (!w->block->grid->is_checked)
      continue;
    uint32_t lane = (uint32_t)__builtin_ctz(m);
    uint32_t note = vg_note_add(
        w->block, (struct vg_note){.is_variable = true,
                                   .name = u->name,
                                   .thread = w->first_thread + lane});
    for (vg_mask rest = m; rest; rest &= rest - 1)
      vg_taint_put(&v, u->at, __builtin_ctz(rest), ~0u, note);
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

void vg_on_load_refused(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  uint32_t note = vg_note_add(
      w->block, (struct vg_note){.at = i, .is_told = true, .is_poison = true});
  for (; m; m &= m - 1)
    for (int k = 0; k < i->vec; k++)
      vg_taint_put(&v, i->vector->at[k], __builtin_ctz(m), ~0u, note);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

void vg_on_lane_read(struct vg_warp *w, const struct vg_insn *i, int lane,
                     struct vg_span s, struct vg_lane_marks *marks) {
  uint32_t undefined = vg_undefined_bytes(w, lane, i->space, s.at, s.bytes);
  if (undefined && marks)
    mark(w, i, lane, s.at, s.bytes, marks);
  else if (undefined == (1u << s.bytes) - 1)
    vg_on_use(w, i, lane, i->space, s, "is used here");
}

void vg_on_absent(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  uint32_t note = vg_note_add(
      w->block,
      (struct vg_note){.at = vg_site(w, i),
                       .is_variable = true,
                       .is_absent = true,
                       .thread = w->first_thread + (uint32_t)__builtin_ctz(m)});
  for (; m; m &= m - 1)
    vg_taint_put(&v, i->dst, __builtin_ctz(m), ~0u, note);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

static bool is_first_at(const uint64_t a[VG_LANES], vg_mask m, int lane) {
  for (vg_mask rest = m & ((1u << lane) - 1); rest; rest &= rest - 1)
    if (a[__builtin_ctz(rest)] == a[lane])
      return false;
  return true;
}

void vg_on_swap(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES], uint32_t bytes) {
  struct vg_taint_view v = {w, w->leaf->frame};
  vg_place dst = i->wide && i->wide->old.count ? i->wide->old.at[0] : i->dst;
  bool was_careful = w->is_careful;
  for (vg_mask rest = m; rest && dst != VG_NOWHERE; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    uint32_t undefined = vg_undefined_bytes(w, l, i->space, a[l], bytes);
    if (undefined && is_first_at(a, m, l))
      vg_taint_put(&v, dst, l, undefined,
                   vg_note_of_load(w, i, l, a[l], bytes, false));
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}
