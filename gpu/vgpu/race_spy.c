// SPDX-License-Identifier: Apache-2.0
// Is there a race on shared memory? As spy.c asks of global memory: the answer
// errs on the side of yes, and after a yes the launch is undone and run again,
// where race_shared.c says what it was. So this need not know which instruction
// it was, and looks at sixteen lanes as fast as at one.
#include "gpu/vgpu/race_spy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/watch.h"

struct vg_shared_spy *vg_shared_spy_new(uint32_t bytes, uint8_t *defined) {
  struct vg_shared_spy *s = xcalloc(1, sizeof *s);
  enum { LINE = VG_SPY_LINE };
  size_t lines = ((size_t)bytes + LINE * 4 - 1) / (LINE * 4);
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

// One word, by one thread; says whether another used it, too.
static inline bool use_word(struct vg_shared_spy *s, uint32_t word, uint16_t t,
                            enum gpu_access access) {
  uint16_t *writer = &s->writer[word], *reader = &s->reader[word];
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

void vg_shared_spy_use(struct vg_warp *w, struct vg_shared_spy *s, int lane,
                       uint32_t offset, uint32_t bytes,
                       enum gpu_access access) {
  uint16_t t = (uint16_t)(w->first_thread + (uint32_t)lane + 1);
  bool bad = false;
  for (uint32_t k = offset / 4; k <= (offset + bytes - 1) / 4; k++) {
    vg_shared_spy_bring_up(s, w->block->barrier_clock, k / VG_SPY_LINE);
    bad |= use_word(s, k, t, access);
  }
  if (access != GPU_READ)
    memset(s->defined + offset, 1, bytes);
  if (bad)
    vg_shared_spy_suspect(w->block);
}

vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 vg_mask m, const uint32_t offset[VG_LANES]) {
  bool bad = false;
  vg_mask left = 0;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t known;
    memcpy(&known, s->defined + offset[l], sizeof known);
    vg_shared_spy_bring_up(s, w->block->barrier_clock,
                           offset[l] / 4 / VG_SPY_LINE);
    left |= (vg_mask)(known != 0x01010101) << l;
    bad |= use_word(s, offset[l] / 4,
                    (uint16_t)(w->first_thread + (uint32_t)l + 1), GPU_READ);
  }
  if (bad)
    vg_shared_spy_suspect(w->block);
  return left;
}
