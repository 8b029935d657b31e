// SPDX-License-Identifier: Apache-2.0
// Decoded operands of matrix and asynchronous instructions, which have more of
// them than struct vg_insn has room for.
#ifndef GPU_VGPU_MATRIX_MATRIX_H
#define GPU_VGPU_MATRIX_MATRIX_H

#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/insn.h"

enum { VG_MAX_DIM = 32, VG_MAX_K = 256 };

// Where a fragment's elements lie: lane l, register r, part e of it.
enum vg_layout {
  VG_LAYOUT_MMA,  // as the manual draws it for mma
  VG_LAYOUT_WMMA, // ours: PTX leaves it open
};

enum { VG_MAX_PARTS = 128 }; // elements that a lane holds of a fragment

// The row of an element is its lane's plus its part's, and so is the column: of
// all layouts, since their sizes are powers of two. Part e of register r has the
// number r * per_place + e.
struct vg_spread {
  uint8_t lane_row[VG_LANES], lane_col[VG_LANES];
  uint8_t part_row[VG_MAX_PARTS], part_col[VG_MAX_PARTS];
  uint8_t first; // part; those before it are the same elements again
  uint8_t end;   // number of parts
};

struct vg_fragment {
  uint8_t count;                  // registers, 0 when the instruction has none
  uint8_t type;                   // enum ptx_element
  uint8_t per_place;              // elements in a register
  bool is_wide;                   // registers of 64 bits
  const struct vg_spread *spread; // of products, wmma.load and wmma.store
  vg_place at[VG_MAX_VECTOR];
};

struct vg_matrix {
  const struct ptx_matrix *ptx;
  enum vg_layout layout;
  struct vg_fragment d, a, b, c; // a load's target is d, a store's source c
  // wmma.load and wmma.store:
  enum ptx_fragment fragment;
  bool is_col;
  vg_place stride; // in elements; the tight one where none is written
};

struct vg_async {
  uint32_t mods; // PTX_MOD_...
  // One for each address operand, as a load or a store would have it: findings
  // point to them.
  const struct vg_insn *to, *from, *barrier;
  vg_place bytes;  // of a copy: cp-size, or the size of a bulk copy
  vg_place source; // bytes read of it, the rest is zeros; VG_NOWHERE: all
  vg_place ignore; // a predicate: read nothing; VG_NOWHERE: none
  vg_mask ignore_flip;
  vg_place value; // count, state, parity, group number; VG_NOWHERE: none
};

// Which element of its matrix part `e` of register `r` in lane `l` is.
struct vg_element {
  int row, col;
};
struct vg_element vg_matrix_element(const struct vg_matrix *x, int fragment,
                                    const struct vg_fragment *f, int l, int r,
                                    int e);
void vg_matrix_spread(const struct vg_matrix *x, int fragment,
                      const struct vg_fragment *f, struct vg_spread *out);
// ldmatrix, stmatrix, movmatrix move matrices of 8 x 8 elements, a register of
// each lane for each: the lanes that give row `to` of the memory (stmatrix), or
// the rows that lane `to` takes (ldmatrix), or its lanes (movmatrix), one bit
// each.
uint32_t vg_matrix_givers(const struct vg_insn *i, int to);

#endif
