// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs of gpu_cuda_backend; gpu/gpu_graph.h says what each
// does.
#ifndef GPU_CUDA_CUDA_GRAPH_H
#define GPU_CUDA_CUDA_GRAPH_H

#include "gpu/cuda/cuda.h"

extern const struct gpu_graphs cuda_graphs;

// Remembers the node that the launch, just captured, became. A driver status.
int cuda_graph_note(struct cuda_device *c, const struct gpu_launch *l,
                    void *stream);
// Destroys it in the driver, and here. A driver status.
int cuda_graph_free(struct cuda_device *c, struct cuda_graph *g);
void cuda_graphs_close(struct cuda_device *c); // what is left here

#endif
