// SPDX-License-Identifier: Apache-2.0
// Is there anything to look at in a block's shared memory?
//
// Each unit (the kernel's narrowest access, a word at most) remembers which
// thread wrote it and which read it since the last barrier. All that is older
// is in order, and forgotten when a line of units is used next.
#ifndef GPU_VGPU_CHECK_RACE_SPY_H
#define GPU_VGPU_CHECK_RACE_SPY_H

#include <string.h>

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/isa.h"
#include "gpu/vgpu/state.h"

// Threads are counted from 1; ATOMS stands for any number of atomics, MANY for
// several readers.
enum { VG_SPY_LINE = 16, VG_SPY_ATOMS = 0xFFFE, VG_SPY_MANY = 0xFFFF };

struct vg_shared_spy {
  int shift;       // a unit has 1 << shift bytes
  uint32_t *since; // of each line: clock of the barrier it is up to date with
  uint16_t *writer, *reader; // of each unit
  uint8_t *defined;          // of each byte, the shadow's
};

struct vg_shared_spy *vg_shared_spy_new(uint32_t bytes, int shift,
                                        uint8_t *defined);
void vg_shared_spy_free(struct vg_shared_spy *s); // NULL is fine

// As vg_on_shared, vg_on_shared_send and vg_on_shared_words of check.h.
void vg_shared_spy_use(struct vg_warp *w, struct vg_shared_spy *s, int lane,
                       uint32_t offset, uint32_t bytes, enum gpu_access access);
void vg_shared_spy_send(struct vg_warp *w, struct vg_shared_spy *s, int lane,
                        uint32_t offset, uint32_t bytes);
vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 vg_mask m, const uint32_t offset[VG_LANES]);

// Accesses of lanes, the first of which is thread `t` counted from 1, to units one
// behind the other; `m` says which of them take part, among them the first.
// False, and nothing is noted, when each lane must be looked at.
bool vg_shared_spy_run(struct vg_block *b, uint32_t t, uint32_t offset,
                       vg_mask m, bool is_store);

// Accesses of 16 lanes, the first of which is thread `t` counted from 1, to
// words one behind the other, where units are narrower; and reads of one word.
void vg_shared_spy_units(struct vg_block *b, uint32_t t, uint32_t offset,
                         bool is_store);
void vg_shared_spy_same_units(struct vg_block *b, uint32_t offset);

// The launch will be run again.
void vg_shared_spy_suspect(const struct vg_block *b);

static inline void vg_shared_spy_bring_up(struct vg_shared_spy *s, uint32_t now,
                                          uint32_t line) {
  if (s->since[line] == now)
    return;
  s->since[line] = now;
  memset(s->writer + line * VG_SPY_LINE, 0, VG_SPY_LINE * sizeof *s->writer);
  memset(s->reader + line * VG_SPY_LINE, 0, VG_SPY_LINE * sizeof *s->reader);
}

// ---- Sixteen lanes ----

// Inline, so that the wide handlers look with wide vectors.
typedef uint16_t vg_spy_row __attribute__((vector_size(32), aligned(2)));
typedef uint64_t vg_spy_bits __attribute__((vector_size(32)));

static inline bool vg_spy_is_any(const vg_spy_row *row) {
  vg_spy_bits v = (vg_spy_bits)*row;
  return (v[0] | v[1] | v[2] | v[3]) != 0;
}

// Of 16 words.
static inline bool vg_spy_is_defined(const uint8_t *at) {
  typedef uint64_t wide __attribute__((vector_size(VG_NATIVE_BYTES)));
  wide bad = {0};
  for (size_t k = 0; k < VG_SPY_LINE * 4; k += sizeof bad) {
    wide v;
    memcpy(&v, at + k, sizeof v);
    bad |= v ^ UINT64_C(0x0101010101010101);
  }
  uint64_t any = 0;
  for (size_t k = 0; k < sizeof bad / 8; k++)
    any |= bad[k];
  return !any;
}

// Accesses of 16 lanes, the first of which is thread `t` counted from 1, to
// words one behind the other. May be told of twice. False, and nothing is
// noted, when each lane must be looked at.
static inline bool vg_shared_spy_row(struct vg_block *b, uint32_t t,
                                     uint32_t offset, bool is_store) {
  struct vg_shared_spy *s = b->spy;
  uint32_t word = offset / 4, now = b->barrier_clock;
  if (!s || (!is_store && !vg_spy_is_defined(s->defined + offset)))
    return false;
  if (s->shift != 2) {
    vg_shared_spy_units(b, t, offset, is_store);
    return true;
  }
  vg_shared_spy_bring_up(s, now, word / VG_SPY_LINE);
  vg_shared_spy_bring_up(s, now, (word + VG_SPY_LINE - 1) / VG_SPY_LINE);
  vg_spy_row who = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  vg_spy_row writer, reader;
  who += (uint16_t)t;
  memcpy(&writer, s->writer + word, sizeof writer);
  memcpy(&reader, s->reader + word, sizeof reader);
  vg_spy_row bad = (vg_spy_row)((writer != 0) & (writer != who));
  vg_spy_row others = (vg_spy_row)((reader != 0) & (reader != who));
  if (is_store) {
    bad |= others;
    memcpy(s->writer + word, &who, sizeof who);
    memset(s->defined + offset, 1, VG_SPY_LINE * 4);
  } else {
    who |= others; // all bits: VG_SPY_MANY
    memcpy(s->reader + word, &who, sizeof who);
  }
  if (vg_spy_is_any(&bad))
    vg_shared_spy_suspect(b);
  return true;
}

// The same of 16 lanes that all read one word.
static inline bool vg_shared_spy_same(struct vg_block *b, uint32_t offset) {
  struct vg_shared_spy *s = b->spy;
  uint32_t word = offset / 4, defined;
  if (!s)
    return false;
  memcpy(&defined, s->defined + offset, sizeof defined);
  if (defined != 0x01010101)
    return false;
  if (s->shift != 2) {
    vg_shared_spy_same_units(b, offset);
    return true;
  }
  vg_shared_spy_bring_up(s, b->barrier_clock, word / VG_SPY_LINE);
  if (s->writer[word])
    vg_shared_spy_suspect(b);
  s->reader[word] = VG_SPY_MANY;
  return true;
}

#endif
