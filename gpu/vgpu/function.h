// SPDX-License-Identifier: Apache-2.0
// A decoded function and the module that it is of.
#ifndef GPU_VGPU_FUNCTION_H
#define GPU_VGPU_FUNCTION_H

#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

// A set of places that an address may come from: bit n is the parameter bytes
// [8n, 8n + 8).
enum { VG_REACH_PARAMS = 60 };
#define VG_REACH_LOCAL     (UINT64_C(1) << 60)
#define VG_REACH_VARIABLES (UINT64_C(1) << 61) // of the module
#define VG_REACH_SHARED    (UINT64_C(1) << 62)
#define VG_REACH_ANYTHING  (UINT64_C(1) << 63) // an address read from memory

// A register that may be read before anything has written it (unwritten.c).
struct vg_unwritten {
  vg_place at;
  const char *name; // in the source, or NULL
};

// A function, decoded. A thread's frame holds, from its start: parameters,
// result, .param variables of calls, .local variables.
struct vg_code {
  const struct ptx_func *func;
  struct vg_module *module;
  struct vg_insn *insns; // func->code_count and a marker
  int insn_count;
  uint32_t register_bytes; // of a warp's frame
  uint32_t uniform_bytes;  // of its bank VG_UNIFORM
  struct vg_flat *flat;    // how to run it over many blocks at once, or NULL
  struct vg_tier_kernel *tier; // what is compiled of it (tier/), or NULL
  uint8_t *widths;             // of a row, by its place / 4: 1 is a predicate
  struct vg_unwritten *unwritten;
  int unwritten_count;
  bool may_read_any;  // too large to say which: they start with the same value
  uint8_t *constants; // bank VG_CONSTANTS
  uint32_t constant_bytes;
  uint32_t frame_bytes; // of one thread's local memory
  uint32_t result_at;
  uint32_t *local_at;   // of func->locals
  vg_place *reg_at;     // of func's registers
  uint64_t written;     // what it may write: VG_REACH_...
  uint8_t unit_shift;   // its narrowest access to global memory, as a power
  uint8_t shared_shift; // the same of shared memory; a word at most
  bool takes_workspace; // reads its address: grid.sync()
  bool may_recurse;     // what it calls may come back to itself
  bool is_foreign;      // of a header of the toolkit
  bool is_straight;     // no instruction runs twice, and none calls or sleeps
  bool is_ordered; // global atomics, volatile, fences, printf, malloc: blocks
                   // take turns instead of running in parallel
};

// Bytes of a row of that width.
static inline uint32_t vg_row_bytes(uint8_t width) {
  return width == 1 ? 4 : (uint32_t)width * VG_LANES;
}

struct vg_module {
  struct ptx_module *ptx;
  struct region *region;
  struct vg_sites *sites; // site.c
  struct vg_code *codes;  // of ptx->funcs, in their order
  gpu_ptr *var_at;        // of ptx->vars, in their order
  uint32_t const_bytes;
  uint32_t dynamic_at; // of all its kernels, or 0: each has its own
  bool has_reserved;   // it asks where reserved shared memory is
  char *text;          // what it was loaded from, or NULL: it is loaded once
  size_t text_bytes;
};

enum { VG_RESERVED_BYTES = 1024 }; // of shared memory

// Where a kernel's dynamic shared memory begins.
static inline uint32_t vg_dynamic_shared_at(const struct vg_code *kernel) {
  uint32_t own = (kernel->func->shared_bytes + 15) / 16 * 16;
  uint32_t all = kernel->module->dynamic_at;
  return all > own ? all : own;
}

#endif
