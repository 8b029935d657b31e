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
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/ops/half.h"
#include "gpu/vgpu/ops/nan64.h"
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

// Part n of all lanes.
static void read_part(struct vg_warp *w, const struct vg_fragment *f, int n,
                      uint64_t out[VG_LANES]) {
  int bits = ptx_element_bits((enum ptx_element)f->type);
  int r = n / f->per_place, shift = n % f->per_place * bits;
  uint64_t mask = element_mask(f->type);
  for (int l = 0; l < VG_LANES; l++)
    out[l] = read_place(w, f, r, l) >> shift & mask;
}

// A cell of a whole matrix: floating-point products need doubles, integer ones
// 64 bits.
union cell {
  double f;
  int64_t i;
};

static void cells_of(int type, const uint64_t bits[VG_LANES],
                     union cell out[VG_LANES]) {
  if (type == PTX_EL_F16)
    for (int l = 0; l < VG_LANES; l++)
      out[l].f = vg_f16_to_double((uint16_t)bits[l]);
  else if (ptx_element_is_float((enum ptx_element)type))
    for (int l = 0; l < VG_LANES; l++)
      out[l].f = float_element(type, bits[l]);
  else
    for (int l = 0; l < VG_LANES; l++)
      out[l].i = int_element(type, bits[l]);
}

static void gather(struct vg_warp *w, const struct vg_fragment *f, int cols,
                   union cell *out) {
  const struct vg_spread *s = f->spread;
  for (int n = s->first; n < s->end; n++) {
    union cell *to = out + s->part_row[n] * cols + s->part_col[n];
    union cell cells[VG_LANES];
    uint64_t bits[VG_LANES];
    read_part(w, f, n, bits);
    cells_of(f->type, bits, cells);
    for (int l = 0; l < VG_LANES; l++)
      to[s->lane_row[l] * cols + s->lane_col[l]] = cells[l];
  }
}

static uint64_t bits_of(const struct ptx_matrix *p, int type, union cell c) {
  if (ptx_element_is_float((enum ptx_element)type))
    return float_bits(type, c.f);
  if (p->satfinite)
    c.i = c.i > INT32_MAX ? INT32_MAX : c.i < INT32_MIN ? INT32_MIN : c.i;
  return (uint32_t)c.i;
}

static void scatter(struct vg_warp *w, const struct ptx_matrix *p, vg_mask m,
                    const struct vg_fragment *f, const union cell *in) {
  const struct vg_spread *s = f->spread;
  int bits = ptx_element_bits((enum ptx_element)f->type);
  for (int r = 0; r < f->count; r++)
    for (int l = 0; l < VG_LANES; l++) {
      const union cell *from = in + s->lane_row[l] * p->n + s->lane_col[l];
      uint64_t v = 0;
      for (int e = 0; e < f->per_place; e++) {
        int n = r * f->per_place + e;
        union cell c = from[s->part_row[n] * p->n + s->part_col[n]];
        v |= bits_of(p, f->type, c) << (e * bits);
      }
      if (m >> l & 1)
        write_place(w, f, r, l, v);
    }
}

// ---- Products ----

// Of .f64, each step is a fused multiply-add.
static void multiply_doubles(const struct ptx_matrix *p, const union cell *a,
                             const union cell *b, union cell *c) {
  for (int r = 0; r < p->m; r++)
    for (int k = 0; k < p->k; k++)
      for (int n = 0; n < p->n; n++) {
        double x = a[r * p->k + k].f, y = b[k * p->n + n].f;
        double *z = &c[r * p->n + n].f, sum = fma(x, y, *z);
        *z = sum == sum ? sum : vg_nan64(x, y, *z);
      }
}

// Products of the smaller types are exact in double. All have 8 columns or a
// multiple of them, whose sums stay in the host's registers.
static void multiply_floats(const struct ptx_matrix *p, const union cell *a,
                            const union cell *b, union cell *c) {
  enum { WIDE = 8 };
  for (int r = 0; r < p->m; r++)
    for (int first = 0; first < p->n; first += WIDE) {
      union cell *to = &c[r * p->n + first];
      double sum[WIDE];
      for (int n = 0; n < WIDE; n++)
        sum[n] = to[n].f;
      for (int k = 0; k < p->k; k++) {
        const union cell *row = &b[k * p->n + first];
        for (int n = 0; n < WIDE; n++)
          sum[n] += a[r * p->k + k].f * row[n].f;
      }
      for (int n = 0; n < WIDE; n++)
        to[n].f = sum[n];
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
  gather(w, &x->a, p->k, a);
  gather(w, &x->b, p->n, b);
  gather(w, &x->c, p->n, c);
  if (x->a.type == PTX_EL_F64)
    multiply_doubles(p, a, b, c);
  else if (ptx_element_is_float((enum ptx_element)x->a.type))
    multiply_floats(p, a, b, c);
  else
    multiply_ints(p, a, b, c);
  scatter(w, p, m, &x->d, c);
}

// ---- wmma.load, wmma.store ----

// Of each lane: where the matrix begins, how far its rows (its columns, where
// those follow each other) lie apart, and its own place, in elements.
struct walk {
  uint64_t base[VG_LANES], at[VG_LANES];
  uint32_t stride[VG_LANES];
};

static void begin_walk(struct vg_warp *w, const struct vg_insn *i,
                       const struct vg_spread *s, struct walk *k) {
  bool is_col = i->matrix->is_col;
  memcpy(k->stride, VG_AT(w, i->matrix->stride), sizeof k->stride);
  vg_addresses(w, i, k->base);
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t major = is_col ? s->lane_col[l] : s->lane_row[l];
    uint32_t minor = is_col ? s->lane_row[l] : s->lane_col[l];
    k->at[l] = (uint64_t)major * k->stride[l] + minor;
  }
}

// The addresses of part n, or of the group of small ones that share a word.
static void part_addresses(const struct vg_matrix *x,
                           const struct vg_fragment *f, const struct walk *k,
                           int n, uint64_t a[VG_LANES]) {
  const struct vg_spread *s = f->spread;
  uint32_t major = x->is_col ? s->part_col[n] : s->part_row[n];
  uint32_t minor = x->is_col ? s->part_row[n] : s->part_col[n];
  int bits = ptx_element_bits((enum ptx_element)f->type); // a power of two
  int shift = __builtin_ctz((unsigned)bits);
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t at = k->at[l] + (uint64_t)major * k->stride[l] + minor;
    a[l] = k->base[l] + (at << shift >> 3);
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

// What the registers of a load get, and what of it is undefined.
struct loaded {
  uint64_t rows[VG_MAX_VECTOR][VG_LANES];
  bool has_undefined; // else the rest means nothing
  uint64_t bits[VG_MAX_VECTOR][VG_LANES];
  uint32_t note[VG_MAX_VECTOR][VG_LANES];
};

static void begin_undefined(struct loaded *x) {
  if (!x->has_undefined) {
    memset(x->bits, 0, sizeof x->bits);
    memset(x->note, 0, sizeof x->note);
  }
  x->has_undefined = true;
}

// Only when all is loaded: a target may be the register of the address.
static void give_loaded(struct vg_warp *w, const struct vg_fragment *f,
                        vg_mask m, struct loaded *x) {
  if (w->is_careful)
    begin_undefined(x);
  for (int r = 0; r < f->count; r++) {
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1)
        write_place(w, f, r, l, x->rows[r][l]);
    if (x->has_undefined)
      vg_on_marked(w, f->at[r], m, x->bits[r], x->note[r]);
  }
}

static void add_part(uint64_t row[VG_LANES], uint8_t got[VG_LANES][16],
                     uint64_t mask, uint32_t shift) {
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t v;
    memcpy(&v, got[l], sizeof v);
    row[l] |= (v & mask) << shift;
  }
}

static void op_wmma_load(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_fragment *f = &i->matrix->d;
  uint32_t bytes = part_bytes(f);
  uint64_t a[VG_LANES], mask = ~UINT64_C(0) >> (64 - 8 * bytes);
  uint8_t got[VG_LANES][16] = {{0}};
  struct loaded x;
  struct walk k;
  memset(x.rows, 0, sizeof x.rows);
  x.has_undefined = false;
  vg_charge(w, MATRIX_COST);
  begin_walk(w, i, f->spread, &k);
  for (int r = 0; r < f->count; r++)
    for (int e = 0; e < parts_of(f); e++) {
      part_addresses(i->matrix, f, &k, r * f->per_place + e, a);
      struct vg_lane_marks marks;
      marks.any = false;
      vg_read_lanes(w, i, m, (struct vg_spans){a, bytes, GPU_READ}, got,
                    &marks);
      add_part(x.rows[r], got, mask, (uint32_t)e * bytes * 8);
      if (!marks.any)
        continue;
      begin_undefined(&x);
      add_part(x.bits[r], marks.bits, mask, (uint32_t)e * bytes * 8);
      for (int l = 0; l < VG_LANES; l++)
        x.note[r][l] = marks.note[l] ? marks.note[l] : x.note[r][l];
    }
  give_loaded(w, f, m, &x);
}

static void op_wmma_store(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_fragment *f = &i->matrix->c;
  uint32_t bytes = part_bytes(f);
  uint64_t a[VG_LANES];
  uint8_t put[VG_LANES][16];
  struct walk k;
  vg_charge(w, MATRIX_COST);
  begin_walk(w, i, f->spread, &k);
  for (int r = 0; r < f->count; r++)
    for (int e = 0; e < parts_of(f); e++) {
      part_addresses(i->matrix, f, &k, r * f->per_place + e, a);
      for (int l = 0; l < VG_LANES; l++) {
        uint64_t v = read_place(w, f, r, l) >> ((uint32_t)e * bytes * 8);
        memcpy(put[l], &v, sizeof v);
      }
      vg_mask ok =
          vg_write_lanes(w, i, m, (struct vg_spans){a, bytes, GPU_WRITE}, put);
      if (w->is_careful)
        vg_on_stored(w, i, ok,
                     (struct vg_part){f->at[r], (uint32_t)e * bytes, bytes}, a);
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

// The registers that hold a matrix whose rows these are.
static void get_pairs(uint8_t rows[8][16], bool trans, uint64_t out[VG_LANES]) {
  eights e;
  memcpy(e, rows, sizeof e);
  for (int l = 0; l < VG_LANES; l++)
    out[l] = pair_of(e, l, trans);
}

// Of the row, or the two rows, that a lane's pair comes from.
static uint32_t note_of_pair(const uint32_t note[8], int l, bool trans) {
  const uint32_t *of = &note[trans ? 2 * (l & 3) : l >> 2];
  return trans && !of[0] ? of[1] : of[0];
}

static void op_ldmatrix(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (!all_here(w, i, m))
    return;
  const struct vg_matrix *x = i->matrix;
  uint64_t a[VG_LANES];
  uint8_t rows[VG_LANES][16] = {{0}};
  struct vg_lane_marks marks;
  struct loaded got;
  marks.any = got.has_undefined = false;
  vg_addresses(w, i, a);
  vg_read_lanes(w, i, m & address_lanes(i), (struct vg_spans){a, 16, GPU_READ},
                rows, &marks);
  if (marks.any)
    begin_undefined(&got);
  for (int n = 0; n < x->d.count; n++) {
    get_pairs(rows + 8 * n, x->ptx->trans, got.rows[n]);
    if (!marks.any)
      continue;
    get_pairs(marks.bits + 8 * n, x->ptx->trans, got.bits[n]);
    for (int l = 0; l < VG_LANES; l++)
      got.note[n][l] = note_of_pair(marks.note + 8 * n, l, x->ptx->trans);
  }
  give_loaded(w, &x->d, m, &got);
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
  vg_write_lanes(w, i, m & address_lanes(i),
                 (struct vg_spans){a, 16, GPU_WRITE}, rows);
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
