// SPDX-License-Identifier: Apache-2.0
// The processor that compiled code runs on, and what relocations do to its bytes.
#ifndef GPU_VGPU_TIER_TIER_RELOCATE_H
#define GPU_VGPU_TIER_TIER_RELOCATE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

// As ELF and as LLVM call it.
#ifdef __aarch64__
#  define TIER_TRIPLE "aarch64-unknown-linux-gnu"
enum { TIER_MACHINE = EM_AARCH64 };
#else
#  define TIER_TRIPLE "x86_64-unknown-linux-gnu"
enum { TIER_MACHINE = EM_X86_64 };
#endif

// Has it vectors of 512 bits?
bool tier_has_avx512(void);

// Bytes that a relocation changes, of any kind.
enum { TIER_PATCH = 4 };

// Has the bytes, which are at the offset `at` of an image, refer to the offset `target`.
// The image begins at a multiple of 4096. NULL, or why that cannot be: the list is
// closed, distances have their widths, and instructions are those that it is for.
const char *tier_relocate(unsigned machine, uint32_t type, uint8_t *bytes,
                          uint64_t at, uint64_t target);

#endif
