// SPDX-License-Identifier: Apache-2.0
// Counts what a launch does: for each instruction how often it ran and what it
// asked of memory, as a device's counters would. Only launches that ask for it
// pay (GPU_LAUNCH_COUNT); their warps run one by one.
#ifndef GPU_VGPU_COUNT_COUNT_H
#define GPU_VGPU_COUNT_COUNT_H

#include "gpu/counters.h"
#include "gpu/vgpu/count/record.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

// Of one instruction.
struct vg_tally {
  uint64_t issued, threads, threads_on; // by warps; by threads; predicate true
  uint64_t divergent;
  uint64_t requests, sectors, bytes; // global memory
  uint64_t needed;                   // sectors that would do, of copies as well
  uint64_t shared_requests, wavefronts, conflicts; // shared memory
  uint64_t local_requests, local_sectors;
  uint64_t atomic_threads, atomic_waits;
  uint64_t copies, copy_sectors; // cp.async
  uint64_t idle_copies;          // by threads, see vg_count_waited
  uint64_t unfenced;             // reads, see vg_count_unfenced
};

struct vg_counts;

struct vg_counts *vg_counts_new(const struct vg_module *m);
void vg_counts_free(struct vg_counts *c);
void vg_counts_clear(struct vg_counts *c); // NULL is fine

// A worker of a counted grid counts in tallies of its own, and adds them to
// the grid's when it leaves. Sums do not depend on how many workers there are.
void vg_count_join(struct vg_worker *k);
void vg_count_leave(struct vg_worker *k);

// The number of the instruction `i` of the leaf that runs, among all those of
// its module; where it is counted.
uint32_t vg_count_number(const struct vg_warp *w, const struct vg_insn *i);
struct vg_tally *vg_count_place(const struct vg_warp *w,
                                const struct vg_insn *i);
// What `i` asks of memory for the lanes `m`, and whether they part; before it
// runs, while its registers are as it finds them.
void vg_count_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_tally *t);
// What an instruction that is no plain load or store asks of memory while it
// runs (w->tally): one access of the lanes `m` at `a`; or the source of their
// cp.async.
void vg_count_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const uint64_t a[VG_LANES], uint32_t bytes, bool is_load);
void vg_count_copy(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   const uint64_t a[VG_LANES], uint32_t bytes);
// A lane has waited for a copy, which it ordered when its warp's shared_loads
// stood at `ordered`: nothing was worked on meanwhile where they still do.
void vg_count_waited(struct vg_warp *w, uint64_t ordered);
// A lane reads what another block wrote, and has been told so without a fence.
void vg_count_unfenced(struct vg_warp *w);
uint64_t vg_unfenced(const struct vg_warp *w); // so far; 0: nobody counts
// It ran: for lanes `active`, of which `m` had their predicate set.
void vg_count_issue(struct vg_warp *w, const struct vg_insn *i, vg_mask active,
                    vg_mask m, struct vg_tally *t);

const struct vg_module *vg_counts_module(const struct vg_counts *c);
// The tallies of that function's instructions, by their number.
const struct vg_tally *vg_counts_of(const struct vg_counts *c, int function);

// ---- count_report.c: lines, and what a device keeps of its launches ----

struct vg_count_book {
  struct vg_count_entry *entries; // oldest first
  int count;
  uint64_t dropped; // launches that found no room
};

// Notes a launch that has ended.
void vg_count_book_add(struct vg_count_book *b, const struct vg_grid *g,
                       bool is_cut);
// Moves the oldest entry out; false when there is none.
bool vg_count_book_take(struct vg_count_book *b, struct gpu_counts *out,
                        struct gpu_line_counts **lines);
void vg_count_book_close(struct vg_count_book *b);

#endif
