// SPDX-License-Identifier: Apache-2.0
// What the warps of a launch asked of memory, one after the other: of a launch
// on the virtual GPU that was recorded (GPU_LAUNCH_REQUESTS). A request is what
// one instruction of one warp asks for its lanes together.
#ifndef GPU_REQUESTS_H
#define GPU_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GPU_REQUEST_LANES = 32,
  GPU_REQUEST_FILES = 8, // sources that have names
  GPU_REQUEST_SHARED = 16,
  GPU_REQUEST_ROOM = 32 << 20, // bytes of requests that are kept of a launch
};

struct gpu_request {
  uint32_t block;    // its number: x runs fastest
  uint32_t warp;     // of the block
  uint32_t lanes;    // that took part, a bit for each
  uint32_t interval; // block barriers that the block had passed
  uint32_t insn;     // which instruction: the same number in all warps
  int32_t line;      // of the source; 0: nobody knows
  uint8_t file;      // of gpu_requests.files
  uint8_t access;    // enum gpu_access
  uint8_t space;     // enum gpu_space: global or shared
  uint8_t bytes;     // of each lane
  // What it was counted as (gpu/counters.def).
  uint32_t sectors, needed;       // of global memory
  uint32_t passes, conflicts;     // of shared memory
  uint64_t at[GPU_REQUEST_LANES]; // addresses of the lanes that took part
};

struct gpu_requests {
  uint64_t launch; // its number on the device
  uint64_t seen;   // requests that there were
  uint64_t kept;   // of these, the first so many
  uint64_t bytes;  // that they take, packed
  uint32_t grid[3], block[3];
  char files[GPU_REQUEST_FILES][112];
  struct { // shared variables; addresses are generic ones
    char name[64];
    uint64_t base, bytes;
  } shared[GPU_REQUEST_SHARED];
  uint32_t shared_count;
};

// Writes the request behind `to`, which has room for it; returns its bytes.
size_t gpu_request_pack(const struct gpu_request *r, uint8_t *to);
// Reads the request at `*at` of the packed ones and goes on behind it; false at
// their end.
bool gpu_request_next(const uint8_t *packed, size_t bytes, size_t *at,
                      struct gpu_request *out);

#endif
