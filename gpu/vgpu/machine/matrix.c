// SPDX-License-Identifier: Apache-2.0
// Where the elements of a matrix lie in the registers of a warp.
#include "gpu/vgpu/machine/matrix.h"

#include "gpu/vgpu/insn.h"

// The row and column of element `e` of register `r` in lane `l`, for matrices
// A (rows x k), B (k x cols) and C or D (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 ..."; the figures for the other shapes follow one rule).
static void mma_place(int fragment, int rows, int per, int l, int r, int e,
                      int *row, int *col) {
  int group = l >> 2, in_group = l & 3;
  if (fragment == PTX_FRAGMENT_C) {
    int n = r * per + e;
    *row = group + 8 * (n >> 1);
    *col = in_group * 2 + (n & 1);
  } else if (fragment == PTX_FRAGMENT_B) {
    *row = r * 4 * per + in_group * per + e;
    *col = group;
  } else {
    int high = rows > 8 ? 2 : 1; // registers take turns between row halves
    *row = group + 8 * (r % high);
    *col = r / high * 4 * per + in_group * per + e;
  }
}

// Ours, for wmma: elements in the order of rows (of columns in B, so that those
// of one register follow each other along k), lane after lane; where a fragment
// has room for more, it repeats.
static void wmma_place(int fragment, int rows, int cols, int per, int l, int r,
                       int e, int *row, int *col) {
  int each = rows * cols / VG_LANES, at = l * each + (r * per + e) % each;
  bool by_column = fragment == PTX_FRAGMENT_B;
  *row = by_column ? at % rows : at / cols;
  *col = by_column ? at / rows : at % cols;
}

void vg_matrix_place(const struct vg_matrix *x, int fragment,
                     const struct vg_fragment *f, int l, int r, int e, int *row,
                     int *col) {
  const struct ptx_matrix *p = x->ptx;
  int rows = fragment == PTX_FRAGMENT_B ? p->k : p->m;
  int cols = fragment == PTX_FRAGMENT_A ? p->k : p->n;
  if (x->layout == VG_LAYOUT_MMA)
    mma_place(fragment, rows, f->per_place, l, r, e, row, col);
  else
    wmma_place(fragment, rows, cols, f->per_place, l, r, e, row, col);
}

void vg_matrix_spread(const struct vg_matrix *x, int fragment,
                      const struct vg_fragment *f, struct vg_spread *out) {
  const struct ptx_matrix *p = x->ptx;
  int rows = fragment == PTX_FRAGMENT_B ? p->k : p->m;
  int cols = fragment == PTX_FRAGMENT_A ? p->k : p->n, row, col;
  out->end = (uint8_t)(f->count * f->per_place);
  out->first = (uint8_t)(out->end - rows * cols / VG_LANES);
  for (int l = 0; l < VG_LANES; l++) {
    vg_matrix_place(x, fragment, f, l, 0, 0, &row, &col);
    out->lane_row[l] = (uint8_t)row;
    out->lane_col[l] = (uint8_t)col;
  }
  for (int n = 0; n < out->end; n++) {
    vg_matrix_place(x, fragment, f, 0, n / f->per_place, n % f->per_place, &row,
                    &col);
    out->part_row[n] = (uint8_t)row;
    out->part_col[n] = (uint8_t)col;
  }
}

uint32_t vg_matrix_givers(const struct vg_insn *i, int to) {
  bool trans = i->matrix->ptx->trans;
  int row = to >> 2, col = 2 * (to & 3);
  switch (i->ptx->op) {
  case PTX_OP_LDMATRIX: return trans ? 3u << col : 1u << row;
  case PTX_OP_STMATRIX:
    return trans ? UINT32_C(0x11111111) << to / 2 : 15u << 4 * to;
  default: return 0x11u << (4 * col + row / 2);
  }
}
