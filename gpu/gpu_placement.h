// SPDX-License-Identifier: Apache-2.0
// Where a launch ran, as data.
#ifndef GPU_GPU_PLACEMENT_H
#define GPU_GPU_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/requests.h"

// What a block's part of the results is made of: of what the launch left in
// memory that the host had made, and all that data flowed into it from.
enum gpu_block_made {
  GPU_MADE_SHARED = 1,  // a load of shared memory that another thread wrote
  GPU_MADE_BARRIER = 2, // and a barrier of the block came between the two
  GPU_MADE_SHUFFLE = 4, // a shuffle, vote or the like of another lane
  GPU_MADE_ATOMICS = 8, // an atomic update
  GPU_MADE_VECTOR_LOADS = 16, // a load of several elements at once
  GPU_MADE_CONSTANT = 32,     // a load of constant memory
  GPU_MADE_TENSOR = 64,       // a matrix product of a warp
  GPU_MADE_ASYNC = 128,       // an asynchronous copy to shared memory
  GPU_MADE_WITH_ATOMICS = 256 // some thread ran an atomic, whatever for
};

// Where a block of a launch ran on the virtual GPU, in clocks of its
// multiprocessor: each issues one warp instruction a clock.
struct gpu_block_place {
  uint32_t block; // its number: x runs fastest
  uint32_t multiprocessor;
  uint64_t start, end;
  bool is_placed; // false: the launch ended before it
  // Of a launch that was traced:
  uint32_t made;    // enum gpu_block_made
  uint32_t threads; // of the block that loaded something for the results
  uint32_t chain;   // the longest row of arithmetic, one step after the other
};

struct gpu_placement {
  uint32_t multiprocessors;
  uint32_t blocks_per_multiprocessor; // that it can hold at a time
  uint64_t blocks;                    // of the grid
  uint32_t placed;                    // blocks that ran
  uint64_t clocks;                    // until the last one had ended
  uint64_t launch;
  uint32_t grid[3], block[3];
  char function[120]; // mangled name of the kernel
};

#endif
