// SPDX-License-Identifier: Apache-2.0
// What the device's process and the tier's worker say to each other: a head, then
// bytes. Both are of one build.
#ifndef GPU_VGPU_TIER_TIER_WIRE_H
#define GPU_VGPU_TIER_TIER_WIRE_H

#include <stdint.h>

enum tier_word {
  TIER_READY = 0x54494552, // from the worker, once: the text is LLVM's version
  TIER_LACKS,              // there is no LLVM, or the processor is too old: why
  TIER_COMPILE,            // the text of a module
  TIER_OBJECT,             // an object
  TIER_FAILED,             // why there is none
};

struct tier_head {
  uint32_t word, bytes;
};

enum { TIER_MOST_BYTES = 16 << 20 };

#endif
