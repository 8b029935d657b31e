// SPDX-License-Identifier: Apache-2.0
// Is there a race on shared memory? As spy.c asks of global memory: the answer
// errs on the side of yes, and after a yes the launch is undone and run again,
// where race_shared.c says what it was. So this need not know which instruction
// it was, and looks at sixteen lanes as fast as at one.
#include "gpu/vgpu/race_spy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/watch.h"

struct vg_shared_spy *vg_shared_spy_new(uint32_t bytes, int shift,
                                        uint8_t *defined) {
  struct vg_shared_spy *s = xcalloc(1, sizeof *s);
  enum { LINE = VG_SPY_LINE };
  size_t line_bytes = (size_t)LINE << shift;
  size_t lines = (bytes + line_bytes - 1) / line_bytes;
  s->shift = shift;
  s->since = xcalloc(lines, sizeof *s->since);
  s->writer = xcalloc(lines * LINE, sizeof *s->writer);
  s->reader = xcalloc(lines * LINE, sizeof *s->reader);
  s->defined = defined;
  return s;
}

void vg_shared_spy_free(struct vg_shared_spy *s) {
  if (!s)
    return;
  free(s->since);
  free(s->writer);
  free(s->reader);
  free(s);
}

void vg_shared_spy_suspect(const struct vg_block *b) {
  atomic_store_explicit(&b->grid->watch->is_suspicious, true,
                        memory_order_relaxed);
}

// One unit, by one thread; says whether another used it, too.
static inline bool use_unit(struct vg_shared_spy *s, uint32_t unit, uint16_t t,
                            enum gpu_access access) {
  uint16_t *writer = &s->writer[unit], *reader = &s->reader[unit];
  bool by_other = *writer && *writer != t;
  switch (access) {
  case GPU_READ: *reader = *reader && *reader != t ? VG_SPY_MANY : t; break;
  case GPU_ATOMIC:
    by_other = (*writer && *writer != VG_SPY_ATOMS) || *reader;
    *writer = VG_SPY_ATOMS;
    break;
  default: by_other |= *reader && *reader != t; *writer = t;
  }
  return by_other;
}

static inline bool use_bytes(struct vg_shared_spy *s, uint32_t now,
                             uint32_t offset, uint32_t bytes, uint16_t t,
                             enum gpu_access access) {
  bool bad = false;
  uint32_t last = (offset + bytes - 1) >> s->shift;
  for (uint32_t k = offset >> s->shift; k <= last; k++) {
    vg_shared_spy_bring_up(s, now, k / VG_SPY_LINE);
    bad |= use_unit(s, k, t, access);
  }
  return bad;
}

// A read of the one unit that a word is.
static inline bool use_word(struct vg_shared_spy *s, uint32_t now,
                            uint32_t unit, uint16_t t) {
  vg_shared_spy_bring_up(s, now, unit / VG_SPY_LINE);
  return use_unit(s, unit, t, GPU_READ);
}

void vg_shared_spy_use(struct vg_warp *w, struct vg_shared_spy *s, int lane,
                       uint32_t offset, uint32_t bytes,
                       enum gpu_access access) {
  uint16_t t = (uint16_t)(w->first_thread + (uint32_t)lane + 1);
  bool bad = use_bytes(s, w->block->barrier_clock, offset, bytes, t, access);
  if (access != GPU_READ)
    memset(s->defined + offset, 1, bytes);
  if (bad)
    vg_shared_spy_suspect(w->block);
}

vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 vg_mask m, const uint32_t offset[VG_LANES]) {
  bool bad = false;
  vg_mask left = 0;
  uint32_t now = w->block->barrier_clock;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint16_t t = (uint16_t)(w->first_thread + (uint32_t)l + 1);
    uint32_t known;
    memcpy(&known, s->defined + offset[l], sizeof known);
    left |= (vg_mask)(known != 0x01010101) << l;
    bad |= s->shift == 2 ? use_word(s, now, offset[l] / 4, t)
                         : use_bytes(s, now, offset[l], 4, t, GPU_READ);
  }
  if (bad)
    vg_shared_spy_suspect(w->block);
  return left;
}

void vg_shared_spy_units(struct vg_block *b, uint32_t t, uint32_t offset,
                         bool is_store) {
  struct vg_shared_spy *s = b->spy;
  uint32_t first = offset >> s->shift, count = VG_SPY_LINE * 4u >> s->shift;
  uint32_t last_line = (first + count - 1) / VG_SPY_LINE;
  int per_word = 2 - s->shift;
  uint16_t *writer = s->writer + first, *reader = s->reader + first, bad = 0;
  for (uint32_t k = first / VG_SPY_LINE; k <= last_line; k++)
    vg_shared_spy_bring_up(s, b->barrier_clock, k);
  for (uint32_t k = 0; k < count; k++) {
    uint16_t who = (uint16_t)(t + (k >> per_word));
    uint16_t other = writer[k] && writer[k] != who;
    uint16_t reads = reader[k] && reader[k] != who;
    bad |= other | (is_store ? reads : 0);
    writer[k] = is_store ? who : writer[k];
    reader[k] = is_store ? reader[k] : reads ? VG_SPY_MANY : who;
  }
  if (is_store)
    memset(s->defined + offset, 1, VG_SPY_LINE * 4);
  if (bad)
    vg_shared_spy_suspect(b);
}

void vg_shared_spy_same_units(struct vg_block *b, uint32_t offset) {
  struct vg_shared_spy *s = b->spy;
  uint32_t first = offset >> s->shift, count = 4u >> s->shift;
  bool bad = false;
  for (uint32_t k = first; k < first + count; k++) {
    vg_shared_spy_bring_up(s, b->barrier_clock, k / VG_SPY_LINE);
    bad |= s->writer[k] != 0;
    s->reader[k] = VG_SPY_MANY;
  }
  if (bad)
    vg_shared_spy_suspect(b);
}
