// SPDX-License-Identifier: Apache-2.0
// What a cubin (an ELF file) says about its kernels. Sections and their
// meaning are as cuobjdump --dump-elf shows them.
#ifndef GPU_NVRTC_IMAGE_NVRTC_CUBIN_H
#define GPU_NVRTC_IMAGE_NVRTC_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_kernel {
  int registers;
  int64_t local_bytes, shared_bytes;
};

// Fills `out` for the kernel of that mangled name; false when the bytes are no
// cubin or have no such kernel. Any bytes are safe.
bool cubin_find(const void *cubin, size_t bytes, const char *mangled,
                struct cubin_kernel *out);

// Calls `take` with the mangled name of each kernel.
void cubin_each_kernel(const void *cubin, size_t bytes,
                       void (*take)(void *context, const char *mangled),
                       void *context);

#endif
