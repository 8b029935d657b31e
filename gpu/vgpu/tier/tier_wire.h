// SPDX-License-Identifier: Apache-2.0
// What the device's process, the tier's keeper and its worker say to each other: a head,
// then bytes. All are of one build.
#ifndef GPU_VGPU_TIER_TIER_WIRE_H
#define GPU_VGPU_TIER_TIER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tier_word {
  TIER_READY = 0x54494552, // from the worker, once: the text is LLVM's version
  TIER_LACKS,   // or there is no LLVM, or the processor is too old: why
  TIER_FIND,    // the digest of a module's text (tier_cache.h)
  TIER_NONE,    // nothing is kept under it
  TIER_COMPILE, // the text of a module
  TIER_OBJECT,  // an object
  TIER_FAILED,  // why there is none
};

struct tier_head {
  uint32_t word, bytes;
};

enum { TIER_MOST_BYTES = 10 << 20 };

// False: the other end has gone, or speaks nonsense.
bool tier_say(int fd, uint32_t word, const void *bytes, size_t count);
bool tier_say_text(int fd, uint32_t word, const char *text);
// All of it; *bytes to be freed in any case, with a 0 behind them.
bool tier_hear(int fd, struct tier_head *h, char **bytes);

// The worker's life: it loads libLLVM, says whether it can compile, and compiles until
// its keeper is gone.
int tier_work(int fd);

#endif
