// SPDX-License-Identifier: Apache-2.0
// A warp that runs: its lanes diverge and meet again.
#ifndef GPU_VGPU_RUN_RUN_H
#define GPU_VGPU_RUN_RUN_H

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

// Calls that are open have so much local memory a thread, beside the kernel's own.
enum { VG_STACK_BYTES = 64 * 1024 };

// Puts all lanes at the kernel's start; false when the host has no memory for
// their local variables.
bool vg_warp_begin(struct vg_warp *w);
void vg_warp_free(struct vg_warp *w);
// All lanes of a warp of a gang, none of which has parted, leave the kernel.
void vg_warp_end(struct vg_warp *w, const struct vg_insn *at);
// Runs until the turn ends, a barrier, or the end; says which.
enum vg_stop vg_warp_turn(struct vg_warp *w);
void vg_stop_turn(struct vg_warp *w, enum vg_stop why);
// The lanes that run got nowhere (a compare-and-swap failed): whom they wait
// for should run now. vg_warp_poll is the same for a read that may have come
// too early: lanes that wait to meet these are not set free at once.
void vg_warp_wait(struct vg_warp *w);
void vg_warp_poll(struct vg_warp *w);
void vg_warp_branch(struct vg_warp *w, const struct vg_insn *i, vg_mask taken);
// Lanes of a branch go to different places: those of `m` to `to`, then the rest
// run the branch again.
void vg_warp_scatter(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_insn *to);
void vg_warp_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_code *callee);
void vg_warp_split(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Those of the lanes that run and the others of them go on apart from each other
// and from all that wait for them, until they wait for each other. In a call, and
// where the warp has many parts, they stay together.
void vg_warp_part(struct vg_warp *w, vg_mask some);
void vg_warp_return(struct vg_warp *w, vg_mask m);
void vg_warp_exit(struct vg_warp *w, const struct vg_insn *at, vg_mask m);
void vg_warp_sync(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named);
// Must be called first by an instruction that several lanes take part in: false
// when it cannot run now, because named lanes are still elsewhere; it is run
// again once they have come.
bool vg_warp_meet(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named);
// False when the lanes name different masks: then it runs once for each.
bool vg_warp_agree(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place named);
void vg_warp_barrier(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_warp_pass_barrier(struct vg_warp *w);
void vg_warp_drop(struct vg_warp *w);
const struct vg_insn *vg_warp_place(const struct vg_warp *w, int *lane,
                                    uint64_t *count);

// One instruction at a time, for the debugger: is there a leaf that can run
// (that of `lane`, if it can)? w->pc is its next instruction then, w->active
// its lanes. vg_warp_step runs that instruction, and answers as a turn does.
bool vg_warp_ready(struct vg_warp *w, int lane);
enum vg_stop vg_warp_step(struct vg_warp *w);
// The leaf has had a whole turn of such steps: the others get theirs.
void vg_warp_hand_over(struct vg_warp *w);
// Lets lanes go on that wait to meet others of their warp; false: there are
// none.
bool vg_warp_release(struct vg_warp *w);

// ---- schedule.c ----

// A seed for the order of blocks and warps (gpu.h: and of lanes): the same seed
// gives the same order on every machine, another one another. Without a seed (0)
// they run by number.

// The n-th block that the grid begins.
uint64_t vg_schedule_block(const struct vg_grid *g, uint64_t n);

// In which order a block's warps get their next turns, and how long those are.
struct vg_sweep {
  uint32_t first, step;
};
struct vg_sweep vg_schedule_sweep(const struct vg_block *b);
static inline uint32_t vg_schedule_warp(const struct vg_block *b,
                                        const struct vg_sweep *s, uint32_t n) {
  return s->step == 1 && !s->first
             ? n
             : (uint32_t)((s->first + (uint64_t)n * s->step) % b->warp_count);
}
int32_t vg_schedule_turn(const struct vg_warp *w, int32_t turn);
// A turn is over: is the next one another part's, of a warp whose lanes have parted?
bool vg_schedule_hands_over(const struct vg_warp *w);
// After a read that is no race whatever others write meanwhile: where the order is
// drawn, all others have a turn before anything comes of it.
void vg_schedule_read(struct vg_warp *w);

#endif
