// SPDX-License-Identifier: Apache-2.0
// Which loads feed what a launch leaves behind (GPU_LAUNCH_FEEDS): a slice back
// from the host's arrays to the instructions that loaded, through data and
// through the decisions that data made.
#ifndef GPU_VGPU_SLICE_FEEDS_H
#define GPU_VGPU_SLICE_FEEDS_H

#include "gpu/vgpu/function.h"
#include "gpu/vgpu/slice/slice.h"

struct vg_feeds;

// Of a module: numbers its loads and decisions. The slice's facts are sets of
// these numbers, of which there are vg_feeds_count.
struct vg_feeds *vg_feeds_new(const struct vg_module *m);
void vg_feeds_free(struct vg_feeds *f); // NULL is fine
uint32_t vg_feeds_count(const struct vg_feeds *f);
// Once the facts are there: what each instruction stands under.
void vg_feeds_link(struct vg_feeds *f, struct vg_slice_facts *facts);

// `i` is about to run for the lanes `m` of those that are active.
void vg_feeds_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// The fact of the load that runs, and of what it stands under.
uint32_t vg_feeds_load(const struct vg_feeds *f);
uint32_t vg_feeds_control(const struct vg_feeds *f);
// A lane of a selection has taken one side, by a condition of those facts:
// gives the fact of the decision.
uint32_t vg_feeds_select(struct vg_slice *s, bool is_first,
                         struct vg_slice_value condition);

#endif
