// SPDX-License-Identifier: Apache-2.0
// What ptxas could still find wrong with PTX that NVRTC has made: inline
// assembly, functions that are nowhere, bounds that cannot be kept, memory that
// is not there. Where there is none of it, ptxas says nothing of a kernel but
// its registers.
#include "gpu/nvrtc/worker/nvrtc_refusal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Far below what any GPU has (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability": 48 KiB of shared memory without an
// opt-in, 64 KiB constant, 512 KiB local, 4 KiB of parameters).
enum { MOST_MEMORY = 32 << 10, MOST_PARAMS = 2 << 10 };

// The bytes of the arrays declared in `space` (".shared"), at least: NVRTC
// writes what is not a number as .b8 name[bytes].
static uint64_t bytes_in(const char *ptx, const char *space) {
  uint64_t sum = 0;
  for (const char *p = ptx; (p = strstr(p, space)); p++) {
    size_t n = strcspn(p, ";,)\n");
    const char *length = memchr(p, '[', n);
    uint64_t width = length && memmem(p, n, ".b8 ", 4) ? 1 : 8;
    sum += width * (length ? strtoull(length + 1, NULL, 10) : 1);
  }
  return sum;
}

bool nvrtc_may_refuse(const char *ptx) {
  static const char *const marks[] = {"begin inline asm",
                                      ".func",
                                      "call",
                                      ".minnctapersm",
                                      ".maxnreg",
                                      ".reqntid",
                                      ".maxclusterrank",
                                      ".reqnctapercluster",
                                      ".explicitcluster",
                                      ".extern .global"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (strstr(ptx, marks[i]))
      return true;
  return bytes_in(ptx, ".shared ") > MOST_MEMORY ||
         bytes_in(ptx, ".local ") > MOST_MEMORY ||
         bytes_in(ptx, ".const ") > MOST_MEMORY ||
         bytes_in(ptx, ".param ") > MOST_PARAMS;
}
