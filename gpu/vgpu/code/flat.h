// SPDX-License-Identifier: Apache-2.0
// Kernels that do the same to each element, run over many blocks at once.
#ifndef GPU_VGPU_CODE_FLAT_H
#define GPU_VGPU_CODE_FLAT_H

#include "gpu/vgpu/insn.h"

struct vg_flat; // the plan of a kernel

// Plans a kernel that is flat: threads know themselves only by
// blockIdx.x * blockDim.x + threadIdx.x, memory is words at that index, and at
// most one guard sends threads home. NULL for all others.
struct vg_flat *vg_flat_plan(const struct vg_code *c);
void vg_flat_free(struct vg_flat *f); // NULL is fine

#endif
