// SPDX-License-Identifier: Apache-2.0
// Undefined values in registers: the shadow of a frame.
#include "gpu/vgpu/check/taint.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

void vg_on_frame_end(struct vg_warp *w, struct vg_frame *f) {
  if (!f->taint)
    return;
  w->tainted_rows -= f->tainted_rows;
  f->tainted_rows = 0;
  free(f->taint);
  f->taint = NULL;
  w->is_careful = w->tainted_rows > 0;
}

// The shadow of a frame: a byte for each byte of its registers, a note for each
// 4 bytes of them, and a flag for each row, at the place of its first word.
static uint8_t *bytes_at(const struct vg_frame *f, vg_place p) {
  return f->taint + (p & ~3u);
}

static uint32_t *note_at(const struct vg_frame *f, uint32_t offset) {
  return (uint32_t *)(void *)(f->taint + f->capacity + (offset & ~3u));
}

static uint8_t *flag_at(const struct vg_frame *f, vg_place p) {
  return f->taint + 2 * (size_t)f->capacity + p / 4;
}

static bool is_register(vg_place p) {
  return p != VG_NOWHERE && (p & 3) == VG_REGISTERS;
}

int vg_taint_width(const struct vg_taint_view *v, vg_place p) {
  return is_register(p) ? v->frame->code->widths[p / 4] : 4;
}

bool vg_taint_any(const struct vg_taint_view *v, vg_place p) {
  return is_register(p) && v->frame->taint && *flag_at(v->frame, p);
}

// Which of four bytes are not 0, as bits; and back.
static uint32_t to_bits(uint32_t bytes) {
  bytes |= bytes >> 4 & 0x0F0F0F0F;
  bytes |= bytes >> 2 & 0x03030303;
  bytes |= bytes >> 1 & 0x01010101;
  return (((bytes & 0x01010101) * 0xFF & 0x08040201) * 0x01010101) >> 24;
}

static uint32_t from_bits(uint32_t bits) {
  return ((bits & 0xF) * 0x00204081 & 0x01010101) * 0xFF;
}

uint32_t vg_taint_get(const struct vg_taint_view *v, vg_place p, int lane,
                      uint32_t *note) {
  *note = 0;
  if (!vg_taint_any(v, p))
    return 0;
  int width = vg_taint_width(v, p);
  const uint8_t *t = bytes_at(v->frame, p);
  if (width == 1) { // a predicate
    uint32_t lanes;
    memcpy(&lanes, t, sizeof lanes);
    *note = *note_at(v->frame, p);
    return lanes >> lane & 1;
  }
  uint32_t r = 0;
  for (int k = 0; k < width / 4; k++)
    r |= to_bits(((const uint32_t *)(const void *)t)[lane * width / 4 + k])
         << 4 * k;
  *note = *note_at(v->frame, p + (uint32_t)(lane * width));
  return r;
}

uint64_t vg_taint_bits(const struct vg_taint_view *v, vg_place p, int lane) {
  int width = vg_taint_width(v, p);
  uint64_t r = 0;
  if (!vg_taint_any(v, p))
    return 0;
  if (width == 4 || width == 8)
    memcpy(&r, bytes_at(v->frame, p) + lane * width, (size_t)width);
  return r;
}

uint32_t vg_taint_note(const struct vg_taint_view *v, vg_place p, int lane) {
  if (!vg_taint_any(v, p))
    return 0;
  int width = vg_taint_width(v, p);
  return *note_at(v->frame, width == 1 ? p : p + (uint32_t)(lane * width));
}

vg_mask vg_taint_predicate(const struct vg_taint_view *v, vg_place p) {
  vg_mask lanes = 0;
  if (vg_taint_any(v, p) && vg_taint_width(v, p) == 1)
    memcpy(&lanes, bytes_at(v->frame, p), sizeof lanes);
  return lanes;
}

bool vg_taint_row(const struct vg_taint_view *v, vg_place p,
                  uint32_t bytes[VG_LANES]) {
  if (!vg_taint_any(v, p))
    return false;
  int width = vg_taint_width(v, p);
  const uint32_t *t = (const uint32_t *)(const void *)bytes_at(v->frame, p);
  for (int l = 0; l < VG_LANES; l++) {
    if (width == 1) {
      bytes[l] = *t >> l & 1;
      continue;
    }
    bytes[l] = 0;
    for (int k = 0; k < width / 4; k++)
      bytes[l] |= to_bits(t[l * width / 4 + k]) << 4 * k;
  }
  return true;
}

static void set_flag(struct vg_warp *w, struct vg_frame *f, vg_place p,
                     bool value) {
  uint8_t *flag = flag_at(f, p);
  int change = (int)value - (int)*flag;
  *flag = value;
  f->tainted_rows += (uint32_t)change;
  w->tainted_rows += (uint32_t)change;
  w->is_careful = w->tainted_rows > 0;
}

void vg_taint_put(const struct vg_taint_view *v, vg_place p, int lane,
                  uint32_t bytes, uint32_t note) {
  struct vg_frame *f = v->frame;
  if (!is_register(p) || (!bytes && !vg_taint_any(v, p)))
    return;
  if (!f->taint)
    f->taint = xcalloc(1, (size_t)f->capacity * 2 + f->capacity / 4 + 16);
  int width = vg_taint_width(v, p);
  uint8_t *t = bytes_at(f, p);
  if (bytes && !*flag_at(f, p))
    set_flag(v->w, f, p, true);
  if (width == 1) {
    uint32_t lanes;
    memcpy(&lanes, t, sizeof lanes);
    if (bytes && !lanes)
      *note_at(f, p) = note; // of its first lane, which stands for all
    lanes = bytes ? lanes | 1u << lane : lanes & ~(1u << lane);
    memcpy(t, &lanes, sizeof lanes);
    return;
  }
  for (int k = 0; k < width / 4; k++)
    ((uint32_t *)(void *)t)[lane * width / 4 + k] = from_bits(bytes >> 4 * k);
  *note_at(f, p + (uint32_t)(lane * width)) = note;
}

void vg_taint_put_bits(const struct vg_taint_view *v, vg_place p, int lane,
                       uint64_t bits, uint32_t note) {
  int width = vg_taint_width(v, p);
  vg_taint_put(v, p, lane, bits ? ~0u : 0, note);
  if (bits && is_register(p) && (width == 4 || width == 8))
    memcpy(bytes_at(v->frame, p) + lane * width, &bits, (size_t)width);
}

void vg_taint_settle(const struct vg_taint_view *v, vg_place p) {
  if (!vg_taint_any(v, p))
    return;
  int width = vg_taint_width(v, p);
  const uint8_t *t = bytes_at(v->frame, p);
  for (int b = 0; b < (width == 1 ? 4 : width * VG_LANES); b++)
    if (t[b])
      return;
  set_flag(v->w, v->frame, p, false);
}

void vg_on_hand_over(struct vg_warp *w, struct vg_frame *to,
                     struct vg_frame *from, vg_place p, vg_mask m) {
  struct vg_taint_view source = {w, from}, target = {w, to};
  if (!vg_taint_any(&source, p) && !vg_taint_any(&target, p))
    return;
  int width = vg_taint_width(&source, p);
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note, bytes = vg_taint_get(&source, p, l, &note);
    vg_taint_put(&target, p, l, bytes, note);
    if (bytes && (width == 4 || width == 8))
      vg_taint_put_bits(&target, p, l, vg_taint_bits(&source, p, l), note);
  }
  vg_taint_settle(&target, p);
}

bool vg_is_undefined(struct vg_warp *w, const struct vg_frame *f, vg_place p,
                     int lane) {
  struct vg_taint_view v = {w, (struct vg_frame *)f};
  uint32_t note;
  return vg_taint_get(&v, p, lane, &note) != 0;
}
