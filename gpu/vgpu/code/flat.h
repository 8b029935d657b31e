// SPDX-License-Identifier: Apache-2.0
// Kernels that do the same to each element, run over many blocks at once.
#ifndef GPU_VGPU_CODE_FLAT_H
#define GPU_VGPU_CODE_FLAT_H

#include "gpu/vgpu/engine.h"

struct vg_flat; // the plan of a kernel

// Plans a kernel that is flat: threads know themselves only by
// blockIdx.x * blockDim.x + threadIdx.x, memory is words at that index, and at
// most one guard sends threads home. NULL for all others.
struct vg_flat *vg_flat_plan(const struct vg_code *c);
void vg_flat_free(struct vg_flat *f); // NULL is fine

// May the launch's threads be run so? Sets the grid's plan.
bool vg_flat_begin(struct vg_grid *g);

// Runs blocks from `first` on and returns how many it ran; the caller runs the
// next by itself, which is where a thread stays out, memory ends, a value is
// undefined, or whatever else wants a closer look.
uint64_t vg_flat_run(struct vg_worker *k, uint64_t first, uint64_t count);
void vg_flat_worker_free(struct vg_worker *k);

#endif
