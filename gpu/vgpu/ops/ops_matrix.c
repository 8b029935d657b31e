// SPDX-License-Identifier: Apache-2.0
// wmma, mma, ldmatrix, stmatrix, movmatrix.
//
// A product gathers its fragments from the lanes' registers into whole
// matrices, multiplies them, and scatters the result. Sums of floating-point
// products are made in double and rounded once: PTX leaves order and rounding
// open (at least single precision), and no order is closer to the true sum.
//
// PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions".
#include "gpu/vgpu/ops/ops.h"

#include <math.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/taint.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/machine/matrix.h"
#include "gpu/vgpu/ops/half.h"
#include "gpu/vgpu/run/run.h"

enum { MATRIX_COST = 400 };

// The whole warp must be here: these instructions are .aligned.
static bool all_here(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (!vg_warp_meet(w, i, m, VG_ALL))
    return false;
  if (m == VG_ALL)
    return true;
  struct vg_fault f = {.kind = ERR_BARRIER,
                       .text = "a matrix instruction takes all 32 threads of "
                               "the warp, and some are not here"};
  vg_report(w, i, __builtin_ctz(m), &f);
  return true;
}

// ---- Elements ----

static double small_float(uint32_t bits, int exponent_bits) {
  int mantissa_bits = 7 - exponent_bits;
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  int mantissa = (int)(bits & ((1u << mantissa_bits) - 1));
  bool top = exponent == (1 << exponent_bits) - 1;
  double v;
  if (exponent_bits == 5 && top)
    v = mantissa ? (double)NAN : (double)INFINITY;
  else if (exponent_bits == 4 && top && mantissa == 7)
    v = (double)NAN;
  else if (!exponent)
    v = ldexp(mantissa, 1 - bias - mantissa_bits);
  else
    v = ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return bits & 0x80 ? -v : v;
}

static double float_element(int type, uint64_t bits) {
  union {
    uint32_t u;
    float f;
  } s = {(uint32_t)bits};
  union {
    uint64_t u;
    double d;
  } d = {bits};
  switch (type) {
  case PTX_EL_F16: return vg_half_to_double((uint16_t)bits, VG_F16);
  case PTX_EL_BF16: return vg_half_to_double((uint16_t)bits, VG_BF16);
  case PTX_EL_TF32:
    s.u &= ~UINT32_C(0x1FFF); // the low bits of a .tf32 are not looked at
    return (double)s.f;
  case PTX_EL_F32: return (double)s.f;
  case PTX_EL_E4M3: return small_float((uint32_t)bits, 4);
  case PTX_EL_E5M2: return small_float((uint32_t)bits, 5);
  default: return d.d;
  }
}

static int64_t int_element(int type, uint64_t bits) {
  switch (type) {
  case PTX_EL_S32: return (int32_t)bits;
  case PTX_EL_S8: return (int8_t)bits;
  case PTX_EL_S4: return (int64_t)((bits & 15) ^ 8) - 8;
  default: return (int64_t)bits; // unsigned ones and bits
  }
}

static uint64_t float_bits(int type, double v) {
  union {
    float f;
    uint32_t u;
  } s = {(float)v};
  union {
    double d;
    uint64_t u;
  } d = {v};
  switch (type) {
  case PTX_EL_F16: return vg_half_from_double(v, VG_F16, PTX_RN);
  case PTX_EL_F32: return v != v ? 0x7FFFFFFF : s.u;
  default: return d.u;
  }
}

// ---- Fragments ----

static uint64_t read_place(struct vg_warp *w, const struct vg_fragment *f,
                           int r, int l) {
  return f->is_wide ? ((const uint64_t *)VG_AT(w, f->at[r]))[l]
                    : ((const uint32_t *)VG_AT(w, f->at[r]))[l];
}

static void write_place(struct vg_warp *w, const struct vg_fragment *f, int r,
                        int l, uint64_t bits) {
  if (f->at[r] == VG_NOWHERE)
    return;
  if (f->is_wide)
    ((uint64_t *)VG_AT(w, f->at[r]))[l] = bits;
  else
    ((uint32_t *)VG_AT(w, f->at[r]))[l] = (uint32_t)bits;
}

static uint64_t element_mask(int type) {
  int bits = ptx_element_bits((enum ptx_element)type);
  return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

// A cell of a whole matrix: floating-point products need doubles, integer ones
// 64 bits.
union cell {
  double f;
  int64_t i;
};

static union cell cell_of(int type, uint64_t bits) {
  if (ptx_element_is_float((enum ptx_element)type))
    return (union cell){.f = float_element(type, bits)};
  return (union cell){.i = int_element(type, bits)};
}

static void gather(struct vg_warp *w, const struct vg_matrix *x, int fragment,
                   const struct vg_fragment *f, int cols, union cell *out) {
  int bits = ptx_element_bits((enum ptx_element)f->type);
  uint64_t mask = element_mask(f->type);
  for (int l = 0; l < VG_LANES; l++)
    for (int r = 0; r < f->count; r++) {
      uint64_t v = read_place(w, f, r, l);
      for (int e = 0; e < f->per_place; e++) {
        int row, col;
        vg_matrix_place(x, fragment, f, l, r, e, &row, &col);
        out[row * cols + col] = cell_of(f->type, v >> (e * bits) & mask);
      }
    }
}

static uint64_t bits_of(const struct ptx_matrix *p, int type, union cell c) {
  if (ptx_element_is_float((enum ptx_element)type))
    return float_bits(type, c.f);
  if (p->satfinite)
    c.i = c.i > INT32_MAX ? INT32_MAX : c.i < INT32_MIN ? INT32_MIN : c.i;
  return (uint32_t)c.i;
}

static void scatter(struct vg_warp *w, const struct vg_matrix *x, vg_mask m,
                    const struct vg_fragment *f, const union cell *in) {
  int bits = ptx_element_bits((enum ptx_element)f->type), cols = x->ptx->n;
  for (int l = 0; l < VG_LANES; l++)
    for (int r = 0; r < f->count && m >> l & 1; r++) {
      uint64_t v = 0;
      for (int e = 0; e < f->per_place; e++) {
        int row, col;
        vg_matrix_place(x, PTX_FRAGMENT_C, f, l, r, e, &row, &col);
        v |= bits_of(x->ptx, f->type, in[row * cols + col]) << (e * bits);
      }
      write_place(w, f, r, l, v);
    }
}

// ---- Products ----

static void multiply_floats(const struct ptx_matrix *p, const union cell *a,
                            const union cell *b, union cell *c, bool is_f64) {
  for (int r = 0; r < p->m; r++)
    for (int k = 0; k < p->k; k++) {
      double x = a[r * p->k + k].f;
      const union cell *row = &b[k * p->n];
      union cell *to = &c[r * p->n];
      // Of .f64, each step is a fused multiply-add; products of the smaller
      // types are exact in double.
      for (int n = 0; n < p->n; n++)
        to[n].f = is_f64 ? fma(x, row[n].f, to[n].f) : to[n].f + x * row[n].f;
    }
}

static void multiply_ints(const struct ptx_matrix *p, const union cell *a,
                          const union cell *b, union cell *c) {
  for (int r = 0; r < p->m; r++)
    for (int k = 0; k < p->k; k++) {
      int64_t x = a[r * p->k + k].i;
      const union cell *row = &b[k * p->n];
      union cell *to = &c[r * p->n];
      for (int n = 0; n < p->n; n++)
        to[n].i += p->bit_op == PTX_BITS_XOR   ? x ^ row[n].i
                   : p->bit_op == PTX_BITS_AND ? x & row[n].i
                                               : x * row[n].i;
    }
}

static void op_mma(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_matrix *x = i->matrix;
  const struct ptx_matrix *p = x->ptx;
  union cell a[VG_MAX_DIM * VG_MAX_K], b[VG_MAX_K * VG_MAX_DIM];
  union cell c[VG_MAX_DIM * VG_MAX_DIM];
  vg_charge(w, MATRIX_COST);
  gather(w, x, PTX_FRAGMENT_A, &x->a, p->k, a);
  gather(w, x, PTX_FRAGMENT_B, &x->b, p->n, b);
  gather(w, x, PTX_FRAGMENT_C, &x->c, p->n, c);
  if (ptx_element_is_float((enum ptx_element)x->a.type))
    multiply_floats(p, a, b, c, x->a.type == PTX_EL_F64);
  else
    multiply_ints(p, a, b, c);
  scatter(w, x, m, &x->d, c);
}

// ---- wmma.load, wmma.store ----

// The address of an element, or of the group of small ones that share a word.
static void element_addresses(struct vg_warp *w, const struct vg_insn *i,
                              const struct vg_fragment *f, int r, int e,
                              uint64_t a[VG_LANES]) {
  const struct vg_matrix *x = i->matrix;
  int bits = ptx_element_bits((enum ptx_element)f->type);
  const uint32_t *stride = VG_AT(w, x->stride);
  vg_addresses(w, i, a);
  for (int l = 0; l < VG_LANES; l++) {
    int row, col;
    vg_matrix_place(x, x->fragment, f, l, r, e, &row, &col);
    uint64_t major = (uint64_t)(x->is_col ? col : row);
    uint64_t minor = (uint64_t)(x->is_col ? row : col);
    a[l] += (major * stride[l] + minor) * (uint64_t)bits / 8;
  }
}

// Elements of less than a byte come by whole registers: their rows are whole
// words.
static int parts_of(const struct vg_fragment *f) {
  return ptx_element_bits((enum ptx_element)f->type) < 8 ? 1 : f->per_place;
}

static uint32_t part_bytes(const struct vg_fragment *f) {
  int bits = ptx_element_bits((enum ptx_element)f->type);
  return bits < 8 ? 4 : (uint32_t)bits / 8;
}

static void op_wmma_load(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_fragment *f = &i->matrix->d;
  uint32_t bytes = part_bytes(f);
  uint64_t a[VG_LANES], rows[VG_MAX_VECTOR][VG_LANES] = {{0}};
  uint8_t got[VG_LANES][16];
  vg_charge(w, MATRIX_COST);
  for (int r = 0; r < f->count; r++)
    for (int e = 0; e < parts_of(f); e++) {
      element_addresses(w, i, f, r, e, a);
      vg_read_lanes(w, i, m, a, bytes, got);
      for (int l = 0; l < VG_LANES; l++) {
        uint64_t v = 0;
        memcpy(&v, got[l], bytes);
        rows[r][l] |= v << ((uint32_t)e * bytes * 8);
      }
    }
  // Only now: a target may be the register of the address.
  for (int r = 0; r < f->count; r++)
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1)
        write_place(w, f, r, l, rows[r][l]);
}

static void op_wmma_store(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_fragment *f = &i->matrix->c;
  uint32_t bytes = part_bytes(f);
  uint64_t a[VG_LANES];
  uint8_t put[VG_LANES][16];
  vg_charge(w, MATRIX_COST);
  for (int r = 0; r < f->count; r++)
    for (int e = 0; e < parts_of(f); e++) {
      element_addresses(w, i, f, r, e, a);
      for (int l = 0; l < VG_LANES; l++) {
        uint64_t v = read_place(w, f, r, l) >> ((uint32_t)e * bytes * 8);
        memcpy(put[l], &v, sizeof v);
      }
      vg_mask ok = vg_write_lanes(w, i, m, a, bytes, put);
      if (w->is_careful)
        vg_taint_stored(w, i, ok, f->at[r], (uint32_t)e * bytes, bytes, a);
    }
}

// ---- ldmatrix, stmatrix, movmatrix ----

// Matrices of 8 x 8 elements of 16 bits. Lane 8 n + r has the address of row r
// of matrix n; lane l holds elements 2 (l % 4) and the next of row l / 4.
typedef uint16_t eights[8][8];

static vg_mask address_lanes(const struct vg_insn *i) {
  int lanes = 8 * i->matrix->ptx->count;
  return lanes == VG_LANES ? VG_ALL : (1u << lanes) - 1;
}

static uint32_t pair_of(eights e, int l, bool trans) {
  int row = l >> 2, col = 2 * (l & 3);
  return trans ? e[col][row] | (uint32_t)e[col + 1][row] << 16
               : e[row][col] | (uint32_t)e[row][col + 1] << 16;
}

static void put_pair(eights e, int l, bool trans, uint32_t v) {
  int row = l >> 2, col = 2 * (l & 3);
  *(trans ? &e[col][row] : &e[row][col]) = (uint16_t)v;
  *(trans ? &e[col + 1][row] : &e[row][col + 1]) = (uint16_t)(v >> 16);
}

static void op_ldmatrix(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_matrix *x = i->matrix;
  uint64_t a[VG_LANES];
  uint8_t rows[VG_LANES][16] = {{0}};
  vg_addresses(w, i, a);
  vg_read_lanes(w, i, m & address_lanes(i), a, 16, rows);
  for (int n = 0; n < x->d.count; n++) {
    eights e;
    memcpy(e, rows[8 * n], sizeof e);
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1)
        write_place(w, &x->d, n, l, pair_of(e, l, x->ptx->trans));
  }
}

static void op_stmatrix(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_matrix *x = i->matrix;
  uint64_t a[VG_LANES];
  uint8_t rows[VG_LANES][16] = {{0}};
  for (int n = 0; n < x->c.count; n++) {
    eights e;
    for (int l = 0; l < VG_LANES; l++)
      put_pair(e, l, x->ptx->trans, (uint32_t)read_place(w, &x->c, n, l));
    memcpy(rows[8 * n], e, sizeof e);
  }
  vg_addresses(w, i, a);
  vg_write_lanes(w, i, m & address_lanes(i), a, 16, rows);
}

static void op_movmatrix(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_matrix *x = i->matrix;
  eights e;
  for (int l = 0; l < VG_LANES; l++)
    put_pair(e, l, false, (uint32_t)read_place(w, &x->c, 0, l));
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      write_place(w, &x->d, 0, l, pair_of(e, l, true));
}

vg_handler vg_find_matrix(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_MMA: return op_mma;
  case PTX_OP_WMMA:
    return p->matrix->step == PTX_MATRIX_LOAD    ? op_wmma_load
           : p->matrix->step == PTX_MATRIX_STORE ? op_wmma_store
                                                 : op_mma;
  case PTX_OP_LDMATRIX: return op_ldmatrix;
  case PTX_OP_STMATRIX: return op_stmatrix;
  case PTX_OP_MOVMATRIX: return op_movmatrix;
  default: return NULL;
  }
}
