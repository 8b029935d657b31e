// SPDX-License-Identifier: Apache-2.0
// Blocks and grids: barriers, who runs when, and when enough is enough.
//
// Theory of operation. The warps of a block take turns, always in the same
// order. A block that ended is replaced by the next. When blocks can see each
// other's work in progress (global atomics, volatile, fences), one thread runs
// them: a block that does not end within its turn makes room for the next, up
// to as many as a device would hold at once, so that blocks may wait for each
// other and the outcome is the same every time. All other kernels run their
// blocks on all cores.
//
// PTX ISA: "bar, barrier"; CUDA guide: "Synchronization Functions".

#include "gpu/vgpu/grid/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/code/code.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/grid/stuck.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"
#include "gpu/vgpu/tier/tier.h"

// Local memory that the blocks of a grid may have at once; fewer blocks run
// together when they need more, unless they are launched to wait for all.
static const uint64_t MAX_LOCAL = 1 << 30;

enum {
  SWEEP_COST = 8, // of one warp
  MAX_WAITS = 64,
  FIRST_LOOK = 1 << 23, // work before anybody asks whether it ends
  MAX_WORKERS = 64,
  SHARES = 4, // of each worker, so that none waits long for the last
  MOST_BLOCKS = 64,
  PARALLEL_THREADS = 1 << 14
};

// ---- Special registers ----

static void fill_row(struct vg_warp *w, enum vg_special row, uint32_t value) {
  uint32_t *p = (uint32_t *)w->specials[row];
  if (*p == value)
    return; // rows start as zeros
  for (int l = 0; l < VG_LANES; l++)
    p[l] = value;
}

// What stays the same from block to block.
static void fill_fixed(struct vg_warp *w, const struct vg_grid *g) {
  const struct gpu_launch *la = &g->launch;
  for (int i = 0; i < 3; i++) {
    fill_row(w, (enum vg_special)(VG_NTID_X + i), la->block[i]);
    fill_row(w, (enum vg_special)(VG_NCTAID_X + i), la->grid[i]);
  }
  fill_row(w, VG_WARPID, w->number);
  fill_row(w, VG_NWARPID, 64);
  fill_row(w, VG_NSMID, g->multiprocessors);
  fill_row(w, VG_GRIDID, (uint32_t)g->number);
  fill_row(w, VG_DYNAMIC_SHARED, la->shared_bytes);
  fill_row(w, VG_TOTAL_SHARED, g->total_shared);
  fill_row(w, VG_RESERVED_BEGIN, g->shared_bytes - VG_RESERVED_BYTES);
  fill_row(w, VG_RESERVED_1, g->shared_bytes - VG_RESERVED_BYTES / 2);
  fill_row(w, VG_RESERVED_END, g->shared_bytes);
  fill_row(w, VG_RESERVED_CAP, VG_RESERVED_BYTES);
  fill_row(w, VG_WORKSPACE_HIGH, (uint32_t)(g->workspace >> 32));
  fill_row(w, VG_WORKSPACE_LOW, (uint32_t)g->workspace);
  for (uint32_t l = 0; l < VG_LANES; l++) {
    uint32_t t = w->first_thread + l, bit = 1u << l;
    uint32_t row[][2] = {{VG_TID_X, t % la->block[0]},
                         {VG_TID_Y, t / la->block[0] % la->block[1]},
                         {VG_TID_Z, t / la->block[0] / la->block[1]},
                         {VG_LANEID, l},
                         {VG_LANEMASK_EQ, bit},
                         {VG_LANEMASK_LT, bit - 1},
                         {VG_LANEMASK_LE, bit | (bit - 1)},
                         {VG_LANEMASK_GE, ~(bit - 1)},
                         {VG_LANEMASK_GT, ~(bit | (bit - 1))}};
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
      ((uint32_t *)w->specials[row[r][0]])[l] = row[r][1];
  }
}

// ---- A block ----

struct vg_block *vg_block_new(struct vg_worker *k) {
  struct vg_grid *g = k->grid;
  struct vg_block *b = xcalloc(1, sizeof *b);
  b->grid = g;
  b->warp_count = (g->threads + VG_LANES - 1) / VG_LANES;
  b->shared_bytes = g->shared_bytes;
  b->shared = xcalloc(1, (g->shared_bytes + 63) & ~63u);
  size_t special_bytes = sizeof *b->warps->specials * VG_SPECIAL_ROWS;
  b->warps = aligned_alloc(64, b->warp_count * sizeof *b->warps);
  b->specials = aligned_alloc(64, b->warp_count * special_bytes);
  if (!b->warps || !b->specials)
    abort(); // as xcalloc; at most 32 warps
  memset(b->warps, 0, b->warp_count * sizeof *b->warps);
  memset(b->specials, 0, b->warp_count * special_bytes);
  vg_on_block_new(b);
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    uint32_t left = g->threads - n * VG_LANES;
    w->block = b;
    w->worker = k;
    w->number = n;
    w->specials = (void *)(b->specials + n * special_bytes);
    w->first_thread = n * VG_LANES;
    w->born = left >= VG_LANES ? VG_ALL : (1u << left) - 1;
    fill_fixed(w, g);
  }
  return b;
}

void vg_block_free(struct vg_block *b) {
  for (uint32_t n = 0; n < b->warp_count; n++)
    vg_warp_free(&b->warps[n]);
  vg_on_block_free(b);
  vg_slice_block_free(b);
  free(b->warps);
  free(b->specials);
  free(b->shared);
  free(b);
}

static void report_no_memory(struct vg_warp *w) {
  struct vg_fault f = {.kind = ERR_NOMEM,
                       .space = GPU_SPACE_LOCAL,
                       .text = "this machine has no memory for the threads' "
                               "local variables"};
  vg_report(w, w->pc, __builtin_ctz(w->live), &f);
  vg_grid_abandon(w->block->grid);
  vg_warp_drop(w);
}

void vg_block_begin(struct vg_block *b, uint64_t number) {
  struct vg_grid *g = b->grid;
  b->number = number;
  b->index[0] = (uint32_t)(number % g->launch.grid[0]);
  b->index[1] = (uint32_t)(number / g->launch.grid[0] % g->launch.grid[1]);
  b->index[2] = (uint32_t)(number / g->launch.grid[0] / g->launch.grid[1]);
  uint32_t multiprocessor = vg_place_begin(g, b);
  b->barriers_passed = 0;
  b->left = b->left_early = b->met = (struct vg_stray){0};
  b->executed = 0;
  memset(b->barriers, 0, sizeof b->barriers);
  b->exit = vg_warp_exit;
  vg_on_block(b);
  vg_slice_begin(b);
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    for (int i = 0; i < 3; i++)
      fill_row(w, (enum vg_special)(VG_CTAID_X + i), b->index[i]);
    fill_row(w, VG_SMID, multiprocessor);
    if (!vg_warp_begin(w))
      report_no_memory(w);
  }
}

void vg_block_drop(struct vg_block *b) {
  for (uint32_t n = 0; n < b->warp_count; n++)
    vg_warp_drop(&b->warps[n]);
}

// ---- Barriers ----

static void report_barrier(struct vg_block *b, struct vg_stray s,
                           enum gpu_severity severity, const char *text) {
  struct vg_fault f = {.kind = ERR_BARRIER,
                       .severity = severity,
                       .text = text,
                       .other = s.other,
                       .other_block = (uint32_t)b->number,
                       .other_thread = s.other_thread};
  vg_report(&b->warps[s.thread / VG_LANES], s.at, (int)(s.thread % VG_LANES),
            &f);
}

// Some threads waited at one barrier while others waited at another: often an
// `if` around one of them.
static void report_met(struct vg_block *b, enum gpu_severity severity) {
  struct vg_stray s = b->met;
  b->met.at = NULL;
  report_barrier(b, s, severity,
                 "some threads of this block wait here while others wait at "
                 "another barrier: each must be reached by all threads");
}

// A barrier that stands in a branch, and threads that went past it and ended: the
// kernel's threads do not agree how many barriers there are. To leave is no
// mistake (bypass.c). A barrier that names how many threads it is for does not
// miss those that left.
static void check_left(struct vg_block *b, struct vg_warp *w) {
  struct vg_stray s = {.at = w->barrier_at,
                       .thread =
                           w->first_thread + (uint32_t)__builtin_ctz(w->live)};
  if (w->barrier_threads)
    return;
  if (b->left_early.at && w->barrier_at->is_bypassed) {
    report_barrier(b, s, GPU_ERROR,
                   "other threads of this block never wait at this barrier: it "
                   "stands in a branch that they do not take");
    b->left_early.at = NULL;
  }
  s.other = b->left.at;
  s.other_thread = b->left.thread;
  if (b->left.at && b->met.at)
    report_met(b, GPU_ERROR);
  else if (b->left.at && w->barrier_at->is_bypassed)
    report_barrier(b, s, GPU_ERROR,
                   "threads of this block ended after an earlier barrier, "
                   "while others wait at this one");
  b->left.at = NULL;
}

// Do all warps that wait for the whole block wait at one place?
static void check_places(struct vg_block *b, int32_t id) {
  const struct vg_warp *first = NULL;
  for (uint32_t n = 0; n < b->warp_count && !b->met.at; n++) {
    struct vg_warp *w = &b->warps[n];
    if (!w->live || w->barrier != id || w->barrier_threads)
      continue;
    first = first ? first : w;
    if (w->barrier_at->ptx->line == first->barrier_at->ptx->line)
      continue;
    b->met = (struct vg_stray){
        .at = first->barrier_at,
        .thread = first->first_thread + (uint32_t)__builtin_ctz(first->live),
        .other = w->barrier_at,
        .other_thread = w->first_thread + (uint32_t)__builtin_ctz(w->live)};
  }
}

// One barrier may stand at several places, if all name as many threads.
static void check_counts(struct vg_block *b, int32_t id) {
  const struct vg_warp *first = NULL;
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    if (!w->live || w->barrier != id)
      continue;
    first = first ? first : w;
    uint32_t mine = w->barrier_threads, its = first->barrier_threads;
    if ((mine ? mine : b->grid->threads) == (its ? its : b->grid->threads))
      continue;
    struct vg_fault f = {.kind = ERR_BARRIER,
                         .text = "two warps meet at one barrier and do not "
                                 "agree how many threads it is for",
                         .other = first->barrier_at,
                         .other_block = (uint32_t)b->number,
                         .other_thread = first->first_thread};
    vg_report(w, w->barrier_at, __builtin_ctz(w->live), &f);
    return;
  }
}

static void complete_barrier(struct vg_block *b, int32_t id) {
  check_counts(b, id);
  check_places(b, id);
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    if (w->live && w->barrier == id) {
      check_left(b, w);
      vg_barrier_result(w, &b->barriers[id]);
      vg_warp_pass_barrier(w);
    }
  }
  memset(&b->barriers[id], 0, sizeof b->barriers[id]);
  vg_slice_vote_end(b, id);
  vg_on_barrier(b);
  b->barriers_passed++;
}

// Lets the warps go on whose barrier is complete; says whether any can.
bool vg_block_pass_barriers(struct vg_block *b) {
  bool any = false;
  for (int32_t id = 0; id < VG_BARRIERS; id++) {
    uint32_t come = b->barriers[id].arrived, wanted = 0, waiting = 0, live = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
      const struct vg_warp *w = &b->warps[n];
      live += w->live != 0;
      if (!w->live || w->barrier != id)
        continue;
      come += VG_LANES;
      waiting++;
      wanted = w->barrier_threads;
    }
    if (!waiting || (wanted ? come < wanted : waiting < live))
      continue;
    complete_barrier(b, id);
    any = true;
  }
  return any;
}

static uint32_t threads_at(const struct vg_block *b, int32_t id) {
  uint32_t come = b->barriers[id].arrived;
  for (uint32_t n = 0; n < b->warp_count; n++) {
    const struct vg_warp *w = &b->warps[n];
    come +=
        w->live && w->barrier == id ? (uint32_t)__builtin_popcount(w->live) : 0;
  }
  return come;
}

void vg_block_report_deadlock(struct vg_block *b) {
  char text[160];
  struct vg_fault f = {.kind = ERR_DEADLOCK, .text = text};
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    if (!w->live)
      continue;
    uint32_t wanted = w->barrier_threads;
    snprintf(text, sizeof text,
             "all threads of the block that still run wait at barriers that "
             "the others never reach: %u of %u have come to barrier %d",
             threads_at(b, w->barrier), wanted ? wanted : b->grid->threads,
             w->barrier);
    for (int l = 0; l < VG_LANES; l++)
      if (w->live >> l & 1)
        vg_report(w, w->barrier_at, l, &f);
  }
}

// ---- Turns ----

static bool is_over(struct vg_worker *k) {
  return atomic_load_explicit(&k->grid->is_abandoned, memory_order_relaxed) ||
         atomic_load_explicit(k->grid->is_cancelled, memory_order_relaxed) ||
         vg_is_suspicious(k->grid);
}

static void check_budget(struct vg_worker *k, struct vg_warp *w) {
  int lane;
  uint64_t count;
  if (!w->live)
    return;
  const struct vg_insn *at = vg_warp_place(w, &lane, &count);
  if (count > k->grid->budget)
    vg_timeout_report(w, at, lane);
}

static void book_kinds(struct vg_grid *g, struct gpu_work *w) {
  if (!(w->prints | w->mistakes | w->cells))
    return;
  atomic_fetch_add(&g->prints, w->prints);
  atomic_fetch_add(&g->mistakes, w->mistakes);
  atomic_fetch_add(&g->cells, w->cells);
  *w = (struct gpu_work){0};
}

// What all blocks may do. Memory is left out where only what never ends is to be
// ended: an array is touched for the first time once.
static uint64_t most_work(const struct vg_grid *g) {
  bool pays = g->launch.flags & GPU_LAUNCH_PAYS_MEMORY;
  uint64_t free = pays ? 0 : atomic_load(&g->memory_work);
  return g->grid_budget < UINT64_MAX - free ? g->grid_budget + free
                                            : UINT64_MAX;
}

// Books what the block did since the last time on the launch, which ends when
// all its blocks together did too much.
static void book(struct vg_worker *k, struct vg_block *b) {
  uint64_t did = b->executed - b->booked;
  b->booked = b->executed;
  uint64_t all = atomic_fetch_add(&k->grid->executed, did) + did;
  book_kinds(k->grid, &b->charged);
  if (all <= k->grid->grid_budget || all <= most_work(k->grid) || is_over(k))
    return;
  vg_timeout_blame(b);
}

// Looks whether the blocks that run can ever end: seldom, and the more seldom
// the longer the launch takes. A launch that is counted counts each step of
// its own accord, which these would not be.
static bool is_stuck(struct vg_worker *k, struct vg_block *const *blocks,
                     uint32_t count, bool is_turn) {
  struct vg_grid *g = k->grid;
  uint64_t did = atomic_load_explicit(&g->executed, memory_order_relaxed);
  // The look takes steps, which nobody would count or follow.
  if (did < FIRST_LOOK || did < k->look_at || k->tallies || g->slice)
    return false;
  k->look_at = did * 2;
  if (!vg_stuck_report(blocks, count, is_turn))
    return false;
  vg_grid_abandon(g);
  return true;
}

static bool may_gang_go_on(struct vg_block *b) {
  struct vg_worker *k = b->warps->worker;
  book(k, b);
  return !is_over(k) && b->warps->leaf->count <= k->grid->budget;
}

// The block's warps may start in lock step: nobody looks at each, and no other
// block's work shows.
static bool is_gang(const struct vg_worker *k, const struct vg_block *b) {
  const struct vg_grid *g = k->grid;
  return !g->code->is_ordered && !k->tallies && !g->slice && !g->seed &&
         !b->instructions;
}

// Gives every warp of the block turns until it ends (true), or has had its
// share of instructions.
static bool take_turn(struct vg_worker *k, struct vg_block *b, uint64_t share) {
  b->executed = b->booked = 0;
  b->waits = 0;
  b->gives_way = false;
  if (is_gang(k, b))
    vg_gang_run(b, may_gang_go_on);
  for (;;) {
    bool any_live = false, any_ran = false;
    struct vg_sweep sweep = vg_schedule_sweep(b);
    for (uint32_t n = 0; n < b->warp_count; n++) {
      struct vg_warp *w = &b->warps[vg_schedule_warp(b, &sweep, n)];
      if (!w->live || w->barrier >= 0) {
        any_live |= w->live != 0;
        continue;
      }
      enum vg_stop stop = vg_warp_turn(w);
      any_ran = true;
      any_live |= stop != VG_ENDED;
      if (stop == VG_BARRIER || stop == VG_RUNS)
        check_budget(k, w);
      if (stop == VG_BARRIER)
        vg_barrier_arrive(w);
      if (is_over(k))
        break;
    }
    // Looking after all the warps costs time, too.
    b->executed += b->warp_count * SWEEP_COST;
    book(k, b);
    if (is_over(k)) {
      if (atomic_load(k->grid->is_cancelled))
        vg_timeout_stopped(b);
      vg_block_drop(b);
      return true;
    }
    if (!any_live) {
      if (b->met.at)
        report_met(b, GPU_WARNING);
      return true;
    }
    if (!vg_block_pass_barriers(b) && !any_ran) {
      vg_block_report_deadlock(b);
      vg_block_drop(b);
      return true;
    }
    if (share == UINT64_MAX && is_stuck(k, &b, 1, false)) {
      vg_block_drop(b);
      return true;
    }
    if (share < UINT64_MAX &&
        (b->executed > share || b->waits > MAX_WAITS || b->gives_way))
      return false;
  }
}

static bool block_turn(struct vg_worker *k, struct vg_block *b,
                       uint64_t share) {
  vg_place_turn(b);
  bool has_ended = take_turn(k, b, share);
  vg_place_ran(b, has_ended);
  return has_ended;
}

bool vg_grid_take_block(struct vg_grid *g, uint64_t *number) {
  uint64_t n = atomic_fetch_add(&g->next_block, 1);
  *number = vg_schedule_block(g, n);
  return n < g->block_count;
}

// Blocks one behind the other go to one worker, for their memory's sake. False:
// all have gone to one.
static bool take_share(struct vg_worker *k) {
  struct vg_grid *g = k->grid;
  uint64_t share = g->block_count / (MAX_WORKERS * SHARES);
  share = share < 1 ? 1 : share < MOST_BLOCKS ? share : MOST_BLOCKS;
  k->next = atomic_fetch_add(&g->next_block, share);
  k->end = k->next + share;
  k->end = k->end < g->block_count ? k->end : g->block_count;
  return k->next < k->end;
}

static bool take_next(struct vg_worker *k, uint64_t *number) {
  do {
    if (k->next >= k->end && !take_share(k))
      return false;
    k->next += vg_flat_run(k, k->next, k->end - k->next);
  } while (k->next == k->end);
  *number = k->next++;
  return true;
}

static void interpret(struct vg_worker *k, struct vg_block *b,
                      uint64_t number) {
  uint64_t start = k->grid->tier_launch ? clock_ns() : 0;
  vg_block_begin(b, number);
  block_turn(k, b, UINT64_MAX);
  vg_on_block_end(b);
  if (k->grid->tier_launch)
    vg_tier_note(k->grid, start);
}

// Blocks one after the other, until `take` has no more.
static void run_taken(struct vg_grid *g,
                      bool (*take)(struct vg_worker *k, uint64_t *number)) {
  struct vg_worker k = {.grid = g};
  struct vg_block *b = vg_block_new(&k);
  uint64_t number;
  vg_count_join(&k);
  while (!is_over(&k) && take(&k, &number)) {
    uint32_t instructions;
    if (vg_tier_run(&k, number, &instructions))
      vg_place_did(g, number, instructions);
    else
      interpret(&k, b, number);
  }
  vg_count_leave(&k);
  vg_block_free(b);
  vg_on_worker_end(&k);
  vg_flat_worker_free(&k);
  vg_tier_worker_free(&k);
}

// As a worker among several.
static void *run_blocks(void *arg) {
  run_taken(arg, take_next);
  return NULL;
}

static bool take_first(struct vg_worker *k, uint64_t *number) {
  uint64_t none = 0;
  *number = 0;
  return atomic_compare_exchange_strong(&k->grid->next_block, &none, 1);
}

// How many blocks the host has memory for at a time. In checked mode what is
// known of local memory takes twice as much beside it; where calls may be deep,
// the registers that wait for them take as much as their stack.
static uint64_t blocks_in_memory(const struct vg_grid *g) {
  uint64_t warps = (g->threads + VG_LANES - 1) / VG_LANES;
  uint64_t stack = g->code->may_recurse ? 2 * VG_STACK_BYTES : 0;
  uint64_t local = (g->code->frame_bytes + stack) * (g->is_checked ? 3 : 1);
  uint64_t bytes = local * g->threads +
                   (g->code->register_bytes + g->code->uniform_bytes) * warps;
  return MAX_LOCAL / (bytes + 1) + 1;
}

uint32_t vg_grid_resident_limit(const struct vg_grid *g) {
  uint64_t n = (uint64_t)g->multiprocessors * vg_blocks_per_multiprocessor(g);
  if (!g->workspace) {
    uint64_t fit = blocks_in_memory(g);
    n = n < fit ? n : fit;
    n = n < VG_MAX_RESIDENT ? n : VG_MAX_RESIDENT;
  }
  return (uint32_t)(n < g->block_count ? n : g->block_count);
}

// Blocks in turns: a new one starts once all that run have had a turn, or where
// one gives way.
static void run_interleaved(struct vg_grid *g) {
  struct vg_worker k = {.grid = g};
  uint32_t limit = vg_grid_resident_limit(g), count = 0, spare = 0;
  struct vg_block **blocks = xcalloc(limit, sizeof *blocks);
  uint64_t number;
  vg_count_join(&k);
  // blocks[0..count) run, blocks[count..spare) are free for the next.
  for (bool more = true; (more || count) && !is_over(&k);) {
    while (more && count < limit) {
      if (!(more = vg_grid_take_block(g, &number)))
        break;
      if (count == spare)
        blocks[spare++] = vg_block_new(&k);
      vg_block_begin(blocks[count], number);
      if (!block_turn(&k, blocks[count], VG_BLOCK_TURN) &&
          !blocks[count++]->gives_way)
        break;
      if (is_over(&k))
        break;
    }
    for (uint32_t n = 0; n < count && !is_over(&k);) {
      struct vg_block *b = blocks[n];
      if (!block_turn(&k, b, VG_BLOCK_TURN)) {
        n++;
        continue;
      }
      // Keeps the order of those that run, so that turns stay fair.
      memmove(&blocks[n], &blocks[n + 1], (--count - n) * sizeof *blocks);
      blocks[count] = b;
    }
    // Those that have not begun wait for one of these to end.
    if (count && (count == limit || !more))
      is_stuck(&k, blocks, count, true);
  }
  vg_count_leave(&k);
  for (uint32_t n = 0; n < spare; n++) {
    vg_block_drop(blocks[n]);
    vg_block_free(blocks[n]);
  }
  free(blocks);
}

static int worker_count(const struct vg_grid *g) {
  if (g->launch.flags & GPU_LAUNCH_IN_ORDER)
    return 1;
  if (g->block_count * g->threads < PARALLEL_THREADS || g->slice || g->record)
    return 1;
  int cores = vg_pool_cores();
  uint64_t n = g->block_count;
  n = n < (uint64_t)cores ? n : (uint64_t)cores;
  n = n < blocks_in_memory(g) ? n : blocks_in_memory(g);
  return (int)(n < MAX_WORKERS ? n : MAX_WORKERS);
}

// A launch that was stopped inside grid.sync() left its count behind.
void vg_grid_clear_workspace(struct vg_grid *g) {
  struct vg_alloc *a = vg_slot(g->memory, g->workspace >> VG_SLOT_BITS);
  if (a)
    memset(a->data, 0, a->bytes);
}

static void run_on(struct vg_grid *g, int count) {
  vg_grid_clear_workspace(g);
  g->is_alone = true;
  if (g->code->is_ordered && !vg_tier_is_on(g)) {
    uint64_t start = g->tier_launch ? clock_ns() : 0;
    run_interleaved(g);
    if (g->tier_launch)
      vg_tier_note(g, start);
    return;
  }
  // An endless recursion ends the launch in its first block, not in each. One
  // thread does so, too: a launch costs the same on any number of them.
  if (g->is_checked && g->code->may_recurse)
    run_taken(g, take_first);
  g->is_alone = count == 1;
  vg_pool_run(g->pool, count - 1, run_blocks, g);
}

static void forget_work(struct vg_grid *g) {
  vg_placement_clear(g->placement);
  atomic_store(&g->next_block, 0);
  atomic_store(&g->executed, 0);
  atomic_store(&g->prints, 0);
  atomic_store(&g->mistakes, 0);
  atomic_store(&g->cells, 0);
  atomic_store(&g->memory_work, 0);
  atomic_store(&g->is_abandoned, false);
}

// What ran was suspicious: once more from the start, in order, exactly.
static void run_again(struct vg_grid *g) {
  vg_on_again(g);
  vg_counts_clear(g->counts);
  vg_record_clear(g->record);
  if (g->slice) {
    vg_slice_free(g->slice);
    g->slice = vg_slice_new(g);
  }
  forget_work(g);
  run_on(g, 1);
}

// Compiled code could not go on: all of it by the interpreter.
static void run_interpreted(struct vg_grid *g, int count) {
  vg_tier_put_back(g);
  vg_findings_clear(g->findings);
  forget_work(g);
  if (!vg_on_launch(g, g->code->is_ordered))
    count = 1;
  run_on(g, count);
}

bool vg_grid_is_short(const struct vg_grid *g) {
  enum { FEW = 1 << 14 }; // instructions of warps
  uint64_t warps = (g->threads + VG_LANES - 1) / VG_LANES;
  return g->code->is_straight && !g->code->is_ordered &&
         g->block_count <= FEW &&
         g->block_count * warps * (uint64_t)g->code->insn_count <= FEW;
}

void vg_grid_run(struct vg_grid *g) {
  g->first_slot = atomic_load(&g->memory->slots);
  vg_flat_begin(g);
  vg_tier_begin(g);
  bool is_ordered = g->code->is_ordered && !vg_tier_is_on(g);
  int count = is_ordered ? 1 : worker_count(g);
  // Compiled code sees for itself that there is nothing to look at.
  if (!vg_tier_is_on(g) && !vg_on_launch(g, g->code->is_ordered))
    count = 1;
  run_on(g, count);
  if (!vg_tier_is_done(g))
    run_interpreted(g, count);
  vg_tier_end(g);
  if (vg_is_suspicious(g) && !atomic_load(g->is_cancelled))
    run_again(g);
  if (g->is_checked)
    vg_heap_report(g);
  vg_tier_note_said(g);
  vg_on_end(g);
  if (g->placement && g->slice)
    g->placement->made = vg_slice_end(g->slice);
}
