// SPDX-License-Identifier: Apache-2.0
// Where the elements of a matrix lie in the registers of a warp.
#include "gpu/vgpu/matrix/matrix.h"

#include "gpu/vgpu/insn.h"

// Part `e` of register `r` in lane `l`, of `per` parts each, for matrices
// A (rows x k), B (k x cols) and C or D (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 ..."; the figures for the other shapes follow one rule).
static struct vg_element mma_element(int fragment, int rows, int per, int l,
                                     int r, int e) {
  int group = l >> 2, in_group = l & 3;
  if (fragment == PTX_FRAGMENT_C) {
    int n = r * per + e;
    return (struct vg_element){group + 8 * (n >> 1), in_group * 2 + (n & 1)};
  }
  if (fragment == PTX_FRAGMENT_B)
    return (struct vg_element){r * 4 * per + in_group * per + e, group};
  int high = rows > 8 ? 2 : 1; // registers take turns between row halves
  return (struct vg_element){group + 8 * (r % high),
                             r / high * 4 * per + in_group * per + e};
}

// Ours, for wmma: elements in the order of rows (of columns in B, so that those
// of one register follow each other along k), lane after lane; where a fragment
// has room for more than the lane's share, it repeats. `n` counts a lane's parts.
static struct vg_element wmma_element(int fragment, int rows, int cols, int l,
                                      int n) {
  int each = rows * cols / VG_LANES, at = l * each + n % each;
  if (fragment == PTX_FRAGMENT_B)
    return (struct vg_element){at % rows, at / rows};
  return (struct vg_element){at / cols, at % cols};
}

struct vg_element vg_matrix_element(const struct vg_matrix *x, int fragment,
                                    const struct vg_fragment *f, int l, int r,
                                    int e) {
  const struct ptx_matrix *p = x->ptx;
  int rows = fragment == PTX_FRAGMENT_B ? p->k : p->m;
  int cols = fragment == PTX_FRAGMENT_A ? p->k : p->n;
  return x->layout == VG_LAYOUT_MMA
             ? mma_element(fragment, rows, f->per_place, l, r, e)
             : wmma_element(fragment, rows, cols, l, r * f->per_place + e);
}

void vg_matrix_spread(const struct vg_matrix *x, int fragment,
                      const struct vg_fragment *f, struct vg_spread *out) {
  const struct ptx_matrix *p = x->ptx;
  int rows = fragment == PTX_FRAGMENT_B ? p->k : p->m;
  int cols = fragment == PTX_FRAGMENT_A ? p->k : p->n;
  out->end = (uint8_t)(f->count * f->per_place);
  out->first = (uint8_t)(out->end - rows * cols / VG_LANES);
  for (int l = 0; l < VG_LANES; l++) {
    struct vg_element at = vg_matrix_element(x, fragment, f, l, 0, 0);
    out->lane_row[l] = (uint8_t)at.row;
    out->lane_col[l] = (uint8_t)at.col;
  }
  for (int n = 0; n < out->end; n++) {
    struct vg_element at = vg_matrix_element(
        x, fragment, f, 0, n / f->per_place, n % f->per_place);
    out->part_row[n] = (uint8_t)at.row;
    out->part_col[n] = (uint8_t)at.col;
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
