// SPDX-License-Identifier: Apache-2.0
// Zeroed memory of any size for allocations and what is known of them. Large
// pieces are pages straight from the kernel: what is never touched costs
// nothing, and all goes back at once. Small ones come from the heap, since to
// map and unmap a page takes longer than to launch a small kernel.
#ifndef GPU_VGPU_MACHINE_PAGES_H
#define GPU_VGPU_MACHINE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

// NULL when there is no memory. Aligned to 64 bytes.
void *vg_pages_new(uint64_t bytes);
// `bytes` as it was asked for; NULL is fine.
void vg_pages_free(void *p, uint64_t bytes);
// Zeros again.
void vg_pages_clear(void *p, uint64_t bytes);

// Is a piece of that size mapped?
static inline bool vg_pages_are_mapped(uint64_t bytes) {
  return bytes > 1 << 15;
}

#endif
