// SPDX-License-Identifier: Apache-2.0
// Places of shared variables.
#ifndef GPU_PTX_PTX_SHARED_H
#define GPU_PTX_PTX_SHARED_H

#include "gpu/ptx/ptx_parser.h"

// The module has been read: gives shared variables their places.
bool place_shared(struct parser *p);

#endif
