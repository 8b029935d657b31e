// SPDX-License-Identifier: Apache-2.0
// Compute capabilities of the virtual GPU.
#ifndef GPU_CAPABILITY_H
#define GPU_CAPABILITY_H

#include <stddef.h>
#include <stdint.h>

enum { GPU_DEFAULT_CAPABILITY = 80 };

struct gpu_capability {
  uint32_t number;                // 90 is 9.0
  uint32_t threads, blocks;       // of a multiprocessor
  uint32_t shared_bytes;          // likewise
  uint32_t shared_bytes_of_block; // where the launch asks for it
};

// NULL: the virtual GPU cannot have it; 0 is the default.
const struct gpu_capability *gpu_find_capability(uint32_t number);
uint32_t gpu_parse_capability(const char *text);     // "9.0"; 0: none of them
void gpu_list_capabilities(char *out, size_t bytes); // "7.5, 8.0 ... and 9.0"

#endif
