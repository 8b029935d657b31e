// SPDX-License-Identifier: Apache-2.0
// Blocks and grids: runs a whole launch.
#ifndef GPU_VGPU_GRID_GRID_H
#define GPU_VGPU_GRID_GRID_H

#include "gpu/vgpu/launch.h"

// Measured on two cores of 2.5 GHz: what never ends takes 0.3 to 1 s of a core
// for 2^30 units (shared compare-and-swaps 2.4 s), and a naive product of 2048
// x 2048 floats, the largest honest kernel of the lessons' kind, needs 1.5 of
// them. So twice that many: room for it, and every endless loop ends in time.
enum { VG_DEFAULT_BUDGET = 1 << 28 };
#define VG_DEFAULT_GRID_BUDGET (UINT64_C(1) << 31)

// Runs a whole grid; what went wrong is in its findings.
void vg_grid_run(struct vg_grid *g);

// It ends soon whatever its data are: few instructions, none of them twice.
bool vg_grid_is_short(const struct vg_grid *g);

// The parts of that, for the debugger. A block is made once and begun for each
// number that the grid still has to give (vg_grid_take_block).
struct vg_block *vg_block_new(struct vg_worker *k);
void vg_block_free(struct vg_block *b);
void vg_block_begin(struct vg_block *b, uint64_t number);
void vg_block_drop(struct vg_block *b); // ends all threads where they are
// Lets the warps go on whose barrier is complete; says whether any can.
bool vg_block_pass_barriers(struct vg_block *b);
void vg_block_report_deadlock(struct vg_block *b);
bool vg_grid_take_block(struct vg_grid *g, uint64_t *number);
void vg_grid_clear_workspace(struct vg_grid *g);
// How many blocks a device would hold at once.
uint32_t vg_grid_resident_limit(const struct vg_grid *g);

// ---- timeout.c: a launch that used up its budget ----

// The thread, which was at `at`, used up its own.
void vg_timeout_report(struct vg_warp *w, const struct vg_insn *at, int lane);
// All warps together used it up, and this block was the last to book: its
// longest-running warp is told of.
void vg_timeout_blame(struct vg_block *b);
// A note, once a launch: where the block was when the host ended the launch.
void vg_timeout_stopped(struct vg_block *b);

// ---- flat_plan.c, flat.c: kernels that do the same to each element ----

struct vg_code;
struct vg_flat; // the plan of a kernel

// Plans a kernel that is flat: threads know themselves only by
// blockIdx.x * blockDim.x + threadIdx.x, memory is words at that index, and at
// most one guard sends threads home. NULL for all others.
struct vg_flat *vg_flat_plan(const struct vg_code *c);
void vg_flat_free(struct vg_flat *f); // NULL is fine

// Sets the grid's plan where the launch's threads may be run so.
void vg_flat_begin(struct vg_grid *g);

// Runs blocks from `first` on and returns how many it ran; the caller runs the
// next by itself, which is where a thread stays out, memory ends, a value is
// undefined, or whatever else wants a closer look.
uint64_t vg_flat_run(struct vg_worker *k, uint64_t first, uint64_t count);
void vg_flat_worker_free(struct vg_worker *k);

// ---- gang.c: all warps of a block in lock step ----

// Runs a block from its start for as long as its warps agree; the warps then
// stand where the gang stopped and go on by themselves. `poll` is called now
// and then with the work done so far in the block's books; false ends it.
void vg_gang_run(struct vg_block *b, bool (*poll)(struct vg_block *b));

#endif
