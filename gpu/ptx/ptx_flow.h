// SPDX-License-Identifier: Apache-2.0
// Where branches meet again.
#ifndef GPU_PTX_PTX_FLOW_H
#define GPU_PTX_PTX_FLOW_H

#include "gpu/ptx/ptx_parser.h"

// Fills `reconverge`.
void find_reconvergence(struct ptx_func *f);

#endif
