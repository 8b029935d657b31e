// SPDX-License-Identifier: Apache-2.0
// What flat_plan.c finds out about a flat kernel and flat.c runs.
#ifndef GPU_VGPU_GRID_FLAT_PLAN_H
#define GPU_VGPU_GRID_FLAT_PLAN_H

#include "gpu/vgpu/grid/grid.h"
#include "gpu/vgpu/insn.h"

enum {
  CHUNK = 4096, // threads of a row
  CHUNK_WARPS = CHUNK / VG_LANES,
  ROW_BYTES = CHUNK * 4,
  MAX_CODE = 512,
  MAX_ROWS = 128,
  MAX_ACCESSES = 16,
  MAX_DIRECT = 2
};

// The banks that no instruction of a flat kernel uses otherwise.
static const enum vg_bank direct_banks[MAX_DIRECT] = {VG_SPECIALS, VG_UNIFORM};

enum kind {
  NOTHING,
  BLOCK_INDEX, // blockIdx.x
  BLOCK_START, // blockIdx.x * blockDim.x
  THREAD_INDEX,
  NUMBER, // first value and step
  ROW,
  GUARD
};

enum act { SKIP, COMPUTE, COMPARE, LEAVE, LOAD, STORE, VECTOR, DONE };

struct flat_insn {
  enum act act;
  const struct ptx_insn *ptx;
  struct vg_insn insn;   // VECTOR: with rows for places
  struct vg_insn direct; // likewise, where words of arrays are such rows
  bool is_direct;        // LOAD, STORE: nothing is left to do then
  uint16_t row;          // of what is loaded, stored or computed
  int16_t fill[3];       // VECTOR, STORE: registers to be spread to rows first
  uint16_t fill_row[3];
};

struct vg_flat {
  const struct ptx_func *func;
  struct flat_insn *insns;
  int count;
  uint8_t *kinds; // of registers
  int16_t *rows;  // of registers, -1: none
  int row_count;
  int accesses;
  int direct_count;
  const struct ptx_insn *direct[MAX_DIRECT]; // whose words are a row
};

enum kind vg_flat_kind(const struct vg_flat *f, const struct ptx_operand *o);

// The operand with the address of a load or store.
static inline const struct ptx_operand *address_of(const struct ptx_insn *p) {
  return &p->operands[p->op == PTX_OP_ST ? 0 : 1];
}

#endif
