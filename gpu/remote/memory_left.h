// SPDX-License-Identifier: Apache-2.0
// How much memory this machine has and how much of it is left for us.
#ifndef GPU_REMOTE_MEMORY_LEFT_H
#define GPU_REMOTE_MEMORY_LEFT_H

#include <stdint.h>

uint64_t memory_total(void); // bytes

// Bytes that can still be used without making the kernel kill somebody: the
// least of what the machine has available and what our cgroups allow, less a
// margin for everybody else.
uint64_t memory_left(void);

#endif
