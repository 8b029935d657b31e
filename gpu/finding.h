// SPDX-License-Identifier: Apache-2.0
// One mistake that a device saw in a kernel. Plain bytes, so that a finding
// crosses the ring between processes unchanged; names of arrays are added by
// whoever launched the kernel and knows them.
#ifndef GPU_FINDING_H
#define GPU_FINDING_H

#include <stdint.h>

#include "base/err.h"

enum gpu_severity { GPU_ERROR, GPU_WARNING, GPU_NOTE };
enum gpu_space {
  GPU_SPACE_NONE,
  GPU_SPACE_GLOBAL,
  GPU_SPACE_SHARED,
  GPU_SPACE_LOCAL,
  GPU_SPACE_CONST,
  GPU_SPACE_PARAM,
  GPU_SPACE_TEXTURE,
  GPU_SPACE_SURFACE,
  GPU_SPACE_WARP,     // no memory: what lanes of a warp do together
  GPU_SPACE_REGISTER, // a variable of one thread
};
enum gpu_access { GPU_ACCESS_NONE, GPU_READ, GPU_WRITE, GPU_ATOMIC };

// A value, as its bytes.
struct gpu_seen {
  uint32_t bytes; // 0: not known
  uint8_t value[8];
};

// Where one thread did something. `line` is 0 when the code has no line table.
struct gpu_place {
  int32_t line;
  int32_t column;
  uint32_t block[3];
  uint32_t thread[3];
  int32_t access;       // enum gpu_access
  struct gpu_seen seen; // of a race: what it wrote or read in this run
};

struct gpu_finding {
  int32_t kind;     // enum err: ERR_OUT_OF_BOUNDS ...
  int32_t severity; // enum gpu_severity
  int32_t space;    // enum gpu_space
  struct gpu_place at;
  struct gpu_place other; // the second party of a race; access 0 when none
  uint64_t address;       // as the kernel used it
  uint64_t base;          // start of the nearest allocation, 0 when unknown
  uint64_t base_bytes;    // its size
  int64_t offset;         // address - base, in bytes; may be negative
  uint32_t bytes;         // size of the access
  uint32_t count;         // threads that made the same mistake at this line
  uint64_t launch;        // running number of the launch on this device
  uint32_t node;          // of a graph that the launch is; 0: of none
  uint32_t
      interval;   // of a race in one block: between which of its barriers, from
                  // 1 before the first; 0: not known
  uint32_t first; // of a race: 1 if `at` came first in this run, 2 if `other`
                  // did; 0: at once, or not known
  char file[120]; // the learner's file, as named at compile time
  char variable[64];  // a shared or module variable's name, or ""
  char function[120]; // mangled name of the kernel
  char text[240];     // detail in words, such as the assertion's text
};

#endif
