// SPDX-License-Identifier: Apache-2.0
// What the files of a warp share: warp.c (which lanes run, turns), warp_call.c
// (frames, calls), warp_wait.c (lanes that wait for others of their warp).
#ifndef GPU_VGPU_RUN_WARP_H
#define GPU_VGPU_RUN_WARP_H

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

// ---- warp.c: nodes ----

struct vg_node *vg_node_new(struct vg_warp *w);
void vg_node_free(struct vg_warp *w, struct vg_node *n);
// A leaf-to-be below `parent`, in the frame of the leaf that runs.
struct vg_node *vg_node_child(struct vg_warp *w, struct vg_node *parent,
                              vg_mask lanes, const struct vg_insn *pc,
                              const struct vg_insn *reconverge, uint64_t count);
// The leaf that runs notes where it is; that leaf is taken up; the leaf that
// runs makes way for the others.
void vg_warp_save(struct vg_warp *w);
void vg_warp_load(struct vg_warp *w, struct vg_node *n);
void vg_warp_step_aside(struct vg_warp *w);

// ---- warp_call.c ----

struct vg_frame *vg_frame_new(struct vg_warp *w, const struct vg_code *c);
void vg_frame_free(struct vg_warp *w, struct vg_frame *f);
// Local memory of all lanes grows to `bytes` a lane; false at the limit.
bool vg_warp_grow_local(struct vg_warp *w, uint32_t bytes);
// What the callee of `n` returned, for those lanes that are back.
void vg_warp_take_result(struct vg_warp *w, const struct vg_node *n,
                         vg_mask back);
// Two nodes whose lanes have made the same calls from the same places, one after
// the other, run in the same frames from now on: says whether they do.
bool vg_warp_join_calls(struct vg_warp *w, struct vg_node *a,
                        struct vg_node *b);

// ---- warp_wait.c ----

static inline bool vg_node_is_waiting(const struct vg_node *n) {
  return n->waits_for || n->barrier;
}

bool vg_warp_all_at_barrier(const struct vg_warp *w);
// Each says whether it let lanes go on; what it does stands above it.
bool vg_warp_release_synced(struct vg_warp *w);
bool vg_warp_run_met(struct vg_warp *w);
bool vg_warp_release_early(struct vg_warp *w, bool leaving);
void vg_warp_join_leaves(struct vg_warp *w);
void vg_warp_report_never_come(struct vg_warp *w);

#endif
