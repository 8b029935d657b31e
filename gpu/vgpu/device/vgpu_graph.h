// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs of gpu_virtual_backend; gpu/gpu_graph.h says what each
// does.
#ifndef GPU_VGPU_DEVICE_VGPU_GRAPH_H
#define GPU_VGPU_DEVICE_VGPU_GRAPH_H

#include "gpu/vgpu/device/device.h"

extern const struct gpu_graphs vg_graphs;

// Takes work that is captured, which then does not run.
bool vg_capture_takes(struct vg_device *d, struct work *k);
void vg_graphs_close(struct vg_device *d);

#endif
