// SPDX-License-Identifier: Apache-2.0
// Is there a race on shared memory? As spy.c asks of global memory: the answer
// errs on the side of yes, and after a yes the launch is undone and run again,
// where race_shared.c says what it was. So this need not know which instruction
// it was, and looks at sixteen lanes as fast as at one.
//
// Each word remembers which thread wrote it and which read it since the last
// barrier. All that is older is in order, and forgotten when a line of words is
// used next.
#include "gpu/vgpu/race_spy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/watch.h"

// Threads are counted from 1; ATOMS stands for any number of atomics.
enum { LINE = 16, ATOMS = 0xFFFE, MANY = 0xFFFF };

struct vg_shared_spy {
  uint32_t *since; // of each line: clock of the barrier it is up to date with
  uint16_t *writer, *reader;
};

struct vg_shared_spy *vg_shared_spy_new(uint32_t bytes) {
  struct vg_shared_spy *s = xcalloc(1, sizeof *s);
  size_t lines = ((size_t)bytes + LINE * 4 - 1) / (LINE * 4);
  s->since = xcalloc(lines, sizeof *s->since);
  s->writer = xcalloc(lines * LINE, sizeof *s->writer);
  s->reader = xcalloc(lines * LINE, sizeof *s->reader);
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

static void suspect(const struct vg_warp *w) {
  atomic_store_explicit(&w->block->grid->watch->is_suspicious, true,
                        memory_order_relaxed);
}

static inline void bring_up(const struct vg_warp *w, struct vg_shared_spy *s,
                            uint32_t line) {
  uint32_t now = w->block->barrier_clock;
  if (s->since[line] == now)
    return;
  s->since[line] = now;
  memset(s->writer + line * LINE, 0, LINE * sizeof *s->writer);
  memset(s->reader + line * LINE, 0, LINE * sizeof *s->reader);
}

// One word, by one thread; says whether another used it, too.
static inline bool use_word(struct vg_shared_spy *s, uint32_t word, uint16_t t,
                            enum gpu_access access) {
  uint16_t *writer = &s->writer[word], *reader = &s->reader[word];
  bool by_other = *writer && *writer != t;
  switch (access) {
  case GPU_READ: *reader = *reader && *reader != t ? MANY : t; break;
  case GPU_ATOMIC:
    by_other = (*writer && *writer != ATOMS) || *reader;
    *writer = ATOMS;
    break;
  default: by_other |= *reader && *reader != t; *writer = t;
  }
  return by_other;
}

static bool all_set(const uint8_t *defined, uint32_t offset, uint32_t bytes) {
  uint8_t all = 1;
  for (uint32_t b = 0; b < bytes; b++)
    all &= defined[offset + b];
  return all;
}

void vg_shared_spy_use(struct vg_warp *w, struct vg_shared_spy *s,
                       uint8_t *defined, int lane, uint32_t offset,
                       uint32_t bytes, enum gpu_access access) {
  uint16_t t = (uint16_t)(w->first_thread + (uint32_t)lane + 1);
  bool bad = false;
  for (uint32_t k = offset / 4; k <= (offset + bytes - 1) / 4; k++) {
    bring_up(w, s, k / LINE);
    bad |= use_word(s, k, t, access);
  }
  if (access != GPU_READ)
    memset(defined + offset, 1, bytes);
  if (bad)
    suspect(w);
}

vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 const uint8_t *defined, vg_mask m,
                                 const uint32_t offset[VG_LANES]) {
  bool bad = false;
  vg_mask left = 0;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t known;
    memcpy(&known, defined + offset[l], sizeof known);
    bring_up(w, s, offset[l] / 4 / LINE);
    left |= (vg_mask)(known != 0x01010101) << l;
    bad |= use_word(s, offset[l] / 4,
                    (uint16_t)(w->first_thread + (uint32_t)l + 1), GPU_READ);
  }
  if (bad)
    suspect(w);
  return left;
}

// ---- Sixteen lanes ----

static bool read_row(uint16_t *writer, uint16_t *reader, uint16_t t) {
  uint16_t bad = 0;
  for (uint16_t n = 0; n < LINE; n++) {
    uint16_t x = (uint16_t)(t + n), r = reader[n];
    bad |= (uint16_t)((writer[n] != 0) & (writer[n] != x));
    reader[n] = (r == 0) | (r == x) ? x : MANY;
  }
  return bad;
}

static bool write_row(uint16_t *writer, uint16_t *reader, uint16_t t) {
  uint16_t bad = 0;
  for (uint16_t n = 0; n < LINE; n++) {
    uint16_t x = (uint16_t)(t + n);
    bad |= (uint16_t)((writer[n] != 0) & (writer[n] != x));
    bad |= (uint16_t)((reader[n] != 0) & (reader[n] != x));
    writer[n] = x;
  }
  return bad;
}

bool vg_shared_spy_run(struct vg_warp *w, struct vg_shared_spy *s,
                       uint8_t *defined, int lane, uint32_t offset, bool is_row,
                       enum gpu_access access) {
  uint16_t t = (uint16_t)(w->first_thread + (uint32_t)lane + 1);
  uint32_t word = offset / 4, bytes = is_row ? LINE * 4 : 4;
  bool bad;
  if (access == GPU_READ && !all_set(defined, offset, bytes))
    return false;
  bring_up(w, s, word / LINE);
  if (!is_row) { // they all read it
    bad = s->writer[word] != 0;
    s->reader[word] = MANY;
  } else {
    uint16_t *writer = s->writer + word, *reader = s->reader + word;
    bring_up(w, s, (word + LINE - 1) / LINE);
    bad = access == GPU_READ ? read_row(writer, reader, t)
                             : write_row(writer, reader, t);
  }
  if (access != GPU_READ)
    memset(defined + offset, 1, bytes);
  if (bad)
    suspect(w);
  return true;
}
