// SPDX-License-Identifier: Apache-2.0
// Is there a race on shared memory? As spy.c asks of global memory: the answer
// errs on the side of yes, and after a yes the launch is undone and run again,
// where race_shared.c says what it was. So this need not know which instruction
// it was, and looks at sixteen lanes as fast as at one.
#include "gpu/vgpu/check/check.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"

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

static bool is_written(const uint8_t *defined, size_t bytes) {
  uint8_t all = 1;
  for (size_t k = 0; k < bytes; k++)
    all &= defined[k] == 1;
  return all;
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

// Reads by all lanes of words that are units, the first lane being thread `t`.
static bool read_all_words(struct vg_shared_spy *s, uint32_t now, uint16_t t,
                           const uint32_t offset[VG_LANES]) {
  unsigned bad = 0;
  for (int l = 0; l < VG_LANES; l++)
    vg_shared_spy_bring_up(s, now, offset[l] / 4 / VG_SPY_LINE);
  for (int l = 0; l < VG_LANES; l++) {
    uint16_t who = (uint16_t)(t + l), writer = s->writer[offset[l] / 4];
    uint16_t *reader = &s->reader[offset[l] / 4];
    bad |= (unsigned)(writer != 0) & (writer != who);
    *reader = (*reader == 0) | (*reader == who) ? who : VG_SPY_MANY;
  }
  return bad;
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

void vg_shared_spy_send(struct vg_warp *w, struct vg_shared_spy *s, int lane,
                        uint32_t offset, uint32_t bytes) {
  uint16_t t = (uint16_t)(w->first_thread + (uint32_t)lane + 1);
  if (use_bytes(s, w->block->barrier_clock, offset, bytes, t, GPU_WRITE))
    vg_shared_spy_suspect(w->block);
}

vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 vg_mask m, const uint32_t offset[VG_LANES]) {
  bool bad = false;
  vg_mask left = 0;
  uint32_t now = w->block->barrier_clock, first = w->first_thread + 1;
  bool together = m == VG_ALL && s->shift == 2;
  if (together)
    bad = read_all_words(s, now, (uint16_t)first, offset);
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t known;
    memcpy(&known, s->defined + offset[l], sizeof known);
    left |= (vg_mask)(known != 0x01010101) << l;
    bad |= !together && use_bytes(s, now, offset[l], 4,
                                  (uint16_t)(first + (uint32_t)l), GPU_READ);
  }
  if (bad)
    vg_shared_spy_suspect(w->block);
  return left;
}

// Of the units from `first` on those whose bit is set in `m`, by thread `t` and
// its successors.
static bool write_units(struct vg_shared_spy *s, uint32_t first, vg_mask m,
                        uint16_t t) {
  uint16_t *writer = s->writer + first, bad = 0;
  const uint16_t *reader = s->reader + first;
  uint32_t count = 32 - (uint32_t)__builtin_clz(m);
  for (uint32_t k = 0; k < count; k++) {
    uint16_t who = (uint16_t)(t + k), on = (uint16_t) - (m >> k & 1);
    uint16_t by = writer[k], of = reader[k];
    bad |= (uint16_t)(on & ((by != 0) & (by != who)));
    bad |= (uint16_t)(on & ((of != 0) & (of != who)));
    writer[k] = on ? who : by;
  }
  return bad;
}

static bool read_units(struct vg_shared_spy *s, uint32_t first, vg_mask m,
                       uint16_t t) {
  const uint16_t *writer = s->writer + first;
  uint16_t *reader = s->reader + first, bad = 0;
  uint32_t count = 32 - (uint32_t)__builtin_clz(m);
  for (uint32_t k = 0; k < count; k++) {
    uint16_t who = (uint16_t)(t + k), on = (uint16_t) - (m >> k & 1);
    uint16_t by = writer[k], of = reader[k];
    uint16_t now = (of == 0) | (of == who) ? who : VG_SPY_MANY;
    bad |= (uint16_t)(on & ((by != 0) & (by != who)));
    reader[k] = on ? now : of;
  }
  return bad;
}

static void define_units(struct vg_shared_spy *s, uint32_t offset, vg_mask m) {
  size_t bytes = (size_t)1 << s->shift;
  uint8_t *at = s->defined + offset;
  if (!(m & (m + 1))) {
    memset(at, 1, bytes * (size_t)__builtin_popcount(m));
    return;
  }
  for (; m; m &= m - 1)
    memset(at + bytes * (size_t)__builtin_ctz(m), 1, bytes);
}

static bool are_defined(const struct vg_shared_spy *s, uint32_t offset,
                        vg_mask m) {
  size_t bytes = (size_t)1 << s->shift;
  const uint8_t *at = s->defined + offset;
  if (is_written(at, bytes * (32 - (size_t)__builtin_clz(m))))
    return true;
  bool all = m & (m + 1);
  for (; m && all; m &= m - 1)
    all = is_written(at + bytes * (size_t)__builtin_ctz(m), bytes);
  return all;
}

bool vg_shared_spy_run(struct vg_block *b, uint32_t t, uint32_t offset,
                       vg_mask m, bool is_store) {
  struct vg_shared_spy *s = b->spy;
  uint32_t first = offset >> s->shift;
  uint32_t last = first + 31 - (uint32_t)__builtin_clz(m);
  if (!is_store && !are_defined(s, offset, m))
    return false;
  for (uint32_t k = first / VG_SPY_LINE; k <= last / VG_SPY_LINE; k++)
    vg_shared_spy_bring_up(s, b->barrier_clock, k);
  bool bad = is_store ? write_units(s, first, m, (uint16_t)t)
                      : read_units(s, first, m, (uint16_t)t);
  if (is_store)
    define_units(s, offset, m);
  if (bad)
    vg_shared_spy_suspect(b);
  return true;
}

static bool is_in(const struct ptx_var *v, uint64_t at, uint64_t bytes) {
  uint64_t offset = at - v->offset;
  return offset <= v->bytes && bytes <= v->bytes - offset;
}

bool vg_on_shared_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      struct vg_span s, enum vg_pattern pattern) {
  struct vg_shared_spy *spy = w->block->spy;
  int lead = __builtin_ctz(m), last = 31 - __builtin_clz(m);
  uint32_t count = (uint32_t)(last - lead + 1), offset = (uint32_t)s.at;
  uint64_t all = pattern == VG_SAME ? s.bytes : (uint64_t)count * s.bytes;
  if (!spy || s.bytes != 1u << spy->shift || s.access == GPU_ATOMIC ||
      (i->within && !is_in(i->within, s.at, all)))
    return false;
  vg_charge(w, VG_SHADOW_COST);
  if (pattern == VG_ROW)
    return vg_shared_spy_run(w->block, w->first_thread + (uint32_t)lead + 1,
                             offset, m >> lead, s.access != GPU_READ);
  if (!vg_is_whole(spy->defined + offset, s.bytes))
    return false;
  // Its first and last reader stand for all.
  vg_shared_spy_use(w, spy, lead, offset, s.bytes, GPU_READ);
  if (last != lead)
    vg_shared_spy_use(w, spy, last, offset, s.bytes, GPU_READ);
  return true;
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
