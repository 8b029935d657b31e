// SPDX-License-Identifier: Apache-2.0
// Which PTX ptxas need not see.
#ifndef GPU_NVRTC_WORKER_NVRTC_REFUSAL_H
#define GPU_NVRTC_WORKER_NVRTC_REFUSAL_H

#include <stdbool.h>

// Could ptxas refuse this PTX of NVRTC's, or warn of it? True when in doubt.
bool nvrtc_may_refuse(const char *ptx);

#endif
