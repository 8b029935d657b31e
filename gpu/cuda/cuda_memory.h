// SPDX-License-Identifier: Apache-2.0
// Device memory on a real GPU: plain allocations, and guarded ones that end at
// an unmapped page.
#ifndef GPU_CUDA_CUDA_MEMORY_H
#define GPU_CUDA_CUDA_MEMORY_H

#include "gpu/cuda/cuda_driver.h"
#include "gpu/gpu.h"

enum cuda_block_kind {
  CUDA_BLOCK_PLAIN,
  CUDA_BLOCK_GUARDED,
  CUDA_BLOCK_OWN,    // an allocation of its own, ours or another process's
  CUDA_BLOCK_PART,   // of a slab
  CUDA_BLOCK_OPENED, // by cuIpcOpenMemHandle: another process's
};

struct cuda_block {
  gpu_ptr address; // what the caller got
  size_t bytes;
  enum cuda_block_kind kind;
  bool is_exportable;
  struct gpu_ipc handle;  // of one that was opened
  struct cuda_slab *slab; // of a part
  // The allocation that it lies in; of a plain or opened one not known:
  gpu_ptr mapped;
  size_t mapped_bytes;
  uint64_t backing;
  // Guarded blocks only:
  unsigned slack_bytes; // canary between the last byte and the hole, under 16
  bool is_touched;      // a launch got it since the canary was last read
};

struct cuda_memory {
  const struct cuda_driver *cu;
  int ordinal;
  bool is_exportable; // what is allocated can leave
  struct cuda_slab *slabs;
  size_t granularity;        // 0 until first asked for
  gpu_ptr next, end;         // addresses that no guarded block had yet
  struct cuda_block *blocks; // unordered
  int count, capacity;
  int slack_count; // blocks that have a canary
  gpu_ptr *freed;  // asked to be freed while the device was busy
  int freed_count, freed_capacity;
};

enum err cuda_memory_alloc(struct cuda_memory *m, size_t bytes, unsigned flags,
                           gpu_ptr *out, struct err_info *e);

// Frees now when `is_idle`, else when cuda_memory_idle is called: the driver
// would wait for the running kernel, and the server must not wait.
enum err cuda_memory_free(struct cuda_memory *m, gpu_ptr p, bool is_idle,
                          struct err_info *e);

// Marks guarded blocks that a launch can reach through its parameters.
void cuda_memory_touch(struct cuda_memory *m, const void *params,
                       size_t param_bytes);
// Does the address reach a block with a canary?
bool cuda_memory_has_canary(const struct cuda_memory *m, gpu_ptr p);

// To be called when the device has finished: frees what waits, and reads the
// canaries of the blocks touched. True when one was overwritten; `f` then
// describes the first, and it is repaired.
bool cuda_memory_idle(struct cuda_memory *m, struct gpu_finding *f);

void cuda_memory_close(struct cuda_memory *m);

// The block that holds `p`, or NULL.
const struct cuda_block *cuda_memory_find(const struct cuda_memory *m,
                                          gpu_ptr p);

// ---- For cuda_export.c ----

void cuda_memory_add(struct cuda_memory *m, const struct cuda_block *b);
struct cuda_alloc_prop cuda_memory_properties(const struct cuda_memory *m);
int cuda_memory_find_granularity(struct cuda_memory *m); // a status

#endif
