// SPDX-License-Identifier: Apache-2.0
// The model of machine.h, live and afterwards.
#include "gpu/vgpu/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/counters.h"
#include "gpu/occupancy.h"
#include "gpu/vgpu/launch.h"

enum { MAX_BLOCKS = 1 << 20 }; // of a grid whose placement is recorded

uint32_t vg_blocks_per_multiprocessor(const struct vg_grid *g) {
  struct gpu_occupancy o;
  struct gpu_occupancy_need need = {.shared_dynamic =
                                        g->total_shared, // static ones included
                                    .registers = -1,
                                    .spill_bytes = -1};
  memcpy(need.grid, g->launch.grid, sizeof need.grid);
  memcpy(need.block, g->launch.block, sizeof need.block);
  gpu_occupancy_compute(&g->limits, &need, &o);
  double least = gpu_occupancy_value(&o, GPU_METRIC_LIMIT_BLOCKS);
  double warps = gpu_occupancy_value(&o, GPU_METRIC_LIMIT_WARPS);
  double shared = gpu_occupancy_value(&o, GPU_METRIC_LIMIT_SHARED);
  least = warps < least ? warps : least;
  least = shared < least ? shared : least;
  return least >= 1 ? (uint32_t)least : 1;
}

struct vg_placement *vg_placement_new(const struct vg_grid *g) {
  if (g->block_count > MAX_BLOCKS)
    return NULL;
  struct vg_placement *p = xcalloc(1, sizeof *p);
  p->what.multiprocessors = g->multiprocessors;
  p->what.blocks_per_multiprocessor = vg_blocks_per_multiprocessor(g);
  p->what.blocks = g->block_count;
  p->what.launch = g->number;
  memcpy(p->what.grid, g->launch.grid, sizeof p->what.grid);
  memcpy(p->what.block, g->launch.block, sizeof p->what.block);
  strncpy(p->what.function, g->code->func->name, sizeof p->what.function - 1);
  p->is_live = g->code->is_ordered;
  p->clock = xcalloc(g->multiprocessors, sizeof *p->clock);
  p->resident = xcalloc(g->multiprocessors, sizeof *p->resident);
  if (p->is_live)
    p->places = xcalloc(g->block_count, sizeof *p->places);
  else
    p->work = xcalloc(g->block_count, sizeof *p->work);
  return p;
}

void vg_placement_free(struct vg_placement *p) {
  if (!p)
    return;
  free(p->places);
  free(p->made);
  free(p->work);
  free(p->clock);
  free(p->resident);
  free(p);
}

void vg_placement_clear(struct vg_placement *p) {
  if (!p)
    return;
  size_t blocks = (size_t)p->what.blocks, units = p->what.multiprocessors;
  memset(p->clock, 0, units * sizeof *p->clock);
  memset(p->resident, 0, units * sizeof *p->resident);
  if (p->places)
    memset(p->places, 0, blocks * sizeof *p->places);
  if (p->work)
    memset(p->work, 0, blocks * sizeof *p->work);
}

// ---- The model ----

// The multiprocessor with room whose clock is least: the first one there is.
static uint32_t first_free(const struct vg_placement *p) {
  uint32_t best = UINT32_MAX;
  for (uint32_t m = 0; m < p->what.multiprocessors; m++)
    if (p->resident[m] < p->what.blocks_per_multiprocessor &&
        (best == UINT32_MAX || p->clock[m] < p->clock[best]))
      best = m;
  return best == UINT32_MAX ? 0 : best;
}

static void begin(struct vg_placement *p, uint64_t number) {
  uint32_t m = first_free(p);
  p->resident[m]++;
  p->places[number] = (struct gpu_block_place){.block = (uint32_t)number,
                                               .multiprocessor = m,
                                               .start = p->clock[m],
                                               .end = p->clock[m]};
}

static void run(struct vg_placement *p, uint64_t number, uint64_t instructions,
                bool has_ended) {
  struct gpu_block_place *b = &p->places[number];
  p->clock[b->multiprocessor] += instructions;
  b->end = p->clock[b->multiprocessor];
  b->is_placed = true;
  if (has_ended)
    p->resident[b->multiprocessor]--;
}

// ---- Live ----

uint32_t vg_place_begin(struct vg_grid *g, struct vg_block *b) {
  struct vg_placement *p = g->placement;
  b->instructions = 0;
  b->clock_base = 0;
  if (!p || !p->is_live)
    return (uint32_t)(b->number % g->multiprocessors);
  begin(p, b->number);
  return p->places[b->number].multiprocessor;
}

void vg_place_turn(struct vg_block *b) {
  struct vg_placement *p = b->grid->placement;
  b->turn_from = b->instructions;
  if (p && p->is_live)
    b->clock_base =
        p->clock[p->places[b->number].multiprocessor] - b->instructions;
}

void vg_place_ran(struct vg_block *b, bool has_ended) {
  struct vg_placement *p = b->grid->placement;
  if (!p)
    return;
  if (p->is_live)
    run(p, b->number, b->instructions - b->turn_from, has_ended);
  else
    p->work[b->number] =
        b->instructions < UINT32_MAX ? (uint32_t)b->instructions : UINT32_MAX;
}

// ---- Afterwards ----

// Blocks in turns, as grid.c runs them when they must see each other's work.
static void place_all(struct vg_placement *p) {
  uint64_t limit =
      (uint64_t)p->what.multiprocessors * p->what.blocks_per_multiprocessor;
  limit = limit < VG_MAX_RESIDENT ? limit : VG_MAX_RESIDENT;
  uint64_t turning[VG_MAX_RESIDENT], count = 0, next = 0;
  uint32_t *left = p->work;
  while (next < p->what.blocks || count) {
    while (next < p->what.blocks && count < limit) {
      uint64_t n = next++;
      if (!left[n])
        continue; // the launch ended before it
      begin(p, n);
      bool has_ended = left[n] <= VG_BLOCK_TURN;
      uint32_t part = has_ended ? left[n] : VG_BLOCK_TURN;
      left[n] -= part;
      run(p, n, part, has_ended);
      if (!has_ended) {
        turning[count++] = n;
        break;
      }
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
      uint64_t n = turning[i];
      bool has_ended = left[n] <= VG_BLOCK_TURN;
      uint32_t part = has_ended ? left[n] : VG_BLOCK_TURN;
      left[n] -= part;
      run(p, n, part, has_ended);
      if (!has_ended)
        turning[kept++] = n;
    }
    count = kept;
  }
  p->is_live = true; // once is enough
}

struct gpu_block_place *vg_placement_take(struct vg_placement *p,
                                          struct gpu_placement *out) {
  if (!p->is_live) {
    p->places = xcalloc((size_t)p->what.blocks, sizeof *p->places);
    place_all(p);
  }
  struct gpu_block_place *list =
      xcalloc((size_t)p->what.blocks + 1, sizeof *list);
  *out = p->what;
  for (uint64_t n = 0; n < p->what.blocks; n++) {
    if (!p->places[n].is_placed)
      continue;
    struct gpu_block_place *to = &list[out->placed++];
    *to = p->places[n];
    if (p->made) {
      to->made = p->made[n].flags;
      to->threads = p->made[n].threads;
      to->chain = p->made[n].chain;
    }
    if (p->places[n].end > out->clocks)
      out->clocks = p->places[n].end;
  }
  return list;
}

void vg_place_did(struct vg_grid *g, uint64_t block, uint32_t instructions) {
  if (g->placement && !g->placement->is_live)
    g->placement->work[block] = instructions;
}
