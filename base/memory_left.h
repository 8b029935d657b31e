// SPDX-License-Identifier: Apache-2.0
// How much memory this machine has and how much of it is left for us.
#ifndef BASE_MEMORY_LEFT_H
#define BASE_MEMORY_LEFT_H

#include <stdint.h>

uint64_t memory_total(void); // bytes

// Of those, what this process may ever use: the least of them, the limits of
// its cgroups (version 1 and 2) and what Slurm gave the job (SLURM_MEM_PER_NODE,
// or SLURM_MEM_PER_CPU for each of SLURM_CPUS_ON_NODE). `root` is in front of
// /proc and /sys: "" but for tests.
uint64_t memory_allowed(const char *root);

// Bytes that can still be used without making the kernel kill somebody: the
// least of what the machine has available and what our cgroups allow, less a
// margin for everybody else.
uint64_t memory_left(void);

#endif
