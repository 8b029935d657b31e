// SPDX-License-Identifier: Apache-2.0
// Theory of operation. Blocks are numbered anew by a Feistel network over the
// least power of four that holds them all; numbers beyond the grid walk on
// until they fall inside, so that every block has its turn once (Black and
// Rogaway, "Ciphers with Arbitrary Finite Domains"). Warps begin anywhere and
// go on in equal steps that meet each of them; turns are shorter, so that warps
// interleave within loops, too. A volatile or relaxed read ends the turn of its
// warp and of its block: who writes what follows from it may come too late.
// Where the seed has GPU_SCHEDULE_APART, some of the lanes that read go on
// without the others, and both parts keep their turn for some such reads, so that
// the one is some lines ahead of the other until they wait for each other.
#include "gpu/vgpu/run/run.h"

#include "gpu/vgpu/launch.h"

enum { ROUNDS = 4, LEAST_TURN = 16, TURN_MASK = 511 };
enum { KEPT_TURNS = 4 }; // of a warp whose lanes have parted, on the average

// SplitMix64's finaliser (Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

static uint64_t permute(uint64_t seed, int half_bits, uint64_t n) {
  uint64_t mask = (UINT64_C(1) << half_bits) - 1;
  uint64_t left = n >> half_bits, right = n & mask;
  for (uint64_t r = 0; r < ROUNDS; r++) {
    uint64_t next = left ^ (mix(seed ^ mix(right ^ r << 56)) & mask);
    left = right;
    right = next;
  }
  return left << half_bits | right;
}

uint64_t vg_schedule_block(const struct vg_grid *g, uint64_t n) {
  if (!g->seed || n >= g->block_count)
    return n;
  int half_bits = 1;
  while (UINT64_C(1) << 2 * half_bits < g->block_count)
    half_bits++;
  do
    n = permute(g->seed, half_bits, n);
  while (n >= g->block_count);
  return n;
}

static uint32_t common(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

struct vg_sweep vg_schedule_sweep(const struct vg_block *b) {
  struct vg_sweep s = {0, 1};
  uint32_t count = b->warp_count;
  if (!b->grid->seed || count < 2)
    return s;
  uint64_t draw = mix(b->grid->seed ^ mix(b->number ^ b->instructions << 20));
  s.first = (uint32_t)(draw % count);
  s.step = (uint32_t)(draw >> 32) % count;
  while (common(s.step, count) != 1)
    s.step = (s.step + 1) % count;
  return s;
}

static bool parts_lanes(const struct vg_grid *g) {
  return g->seed & GPU_SCHEDULE_APART;
}

static uint64_t draw_of(const struct vg_warp *w) {
  const struct vg_block *b = w->block;
  return mix(b->grid->seed ^
             mix(b->number << 8 ^ w->number ^ b->instructions << 24));
}

int32_t vg_schedule_turn(const struct vg_warp *w, int32_t turn) {
  if (!w->block->grid->seed)
    return turn;
  int32_t n = LEAST_TURN + (int32_t)(draw_of(w) & TURN_MASK);
  return n < turn ? n : turn;
}

bool vg_schedule_hands_over(const struct vg_warp *w) {
  return !parts_lanes(w->block->grid) || draw_of(w) % KEPT_TURNS == 0;
}

void vg_schedule_read(struct vg_warp *w) {
  if (!w->block->grid->seed)
    return;
  w->block->gives_way = true;
  if (parts_lanes(w->block->grid))
    vg_warp_part(w, (vg_mask)(draw_of(w) >> 32));
  vg_stop_turn(w, VG_RUNS);
}
