// SPDX-License-Identifier: Apache-2.0
// The CPU side of the built-in kernels: inner loops over one axis, stamped for
// each element type. A stride is in bytes and may be 0 or negative; when the
// strides say that memory is contiguous, the loops vectorise.
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

// Elements of an argument: two registers, by value.
struct kernel_line {
  const char *at;
  int64_t stride;
};
static inline struct kernel_line kernel_line(const void *at, int64_t stride) {
  return (struct kernel_line){at, stride};
}

// Conversion of one type to another. A float that an integer type cannot hold
// becomes the nearest that it can, and NaN becomes 0, on every machine.
typedef void (*kernel_cast_loop)(char *out, int64_t out_stride, const char *in,
                                 int64_t in_stride, int64_t n);
kernel_cast_loop kernel_cast(enum dtype to, enum dtype from);

enum kernel_unary {
#define UNARY(name, text, kind, i, f) KERNEL_##name,
#include "kernels/unary.def"
#undef UNARY
  KERNEL_UNARY_COUNT
};

enum kernel_binary {
#define BINARY(name, text, kind, b, i, f) KERNEL_##name,
#include "kernels/binary.def"
#undef BINARY
  KERNEL_BINARY_COUNT
};

// What an operation takes and gives:
// 'n' numbers to numbers; 'f' floats to floats; 'i' integers to integers;
// 'p' predicate of anything, giving bool; 'd' division, floats to floats;
//
char kernel_unary_kind(enum kernel_unary op);
char kernel_binary_kind(enum kernel_binary op);
const char *kernel_unary_name(enum kernel_unary op);
const char *kernel_binary_name(enum kernel_binary op);

// The loop that computes in `t`; NULL when the operation has none for it.
// Results are of type `t`, except that 'p' gives bool. f16 and bf16
// have no loops: their values are computed in f32.
typedef void (*kernel_unary_loop)(char *out, int64_t out_stride, const char *a,
                                  int64_t a_stride, int64_t n);
typedef void (*kernel_binary_loop)(char *out, int64_t out_stride,
                                   struct kernel_line a, struct kernel_line b,
                                   int64_t n);
kernel_unary_loop kernel_unary(enum kernel_unary op, enum dtype t);
kernel_binary_loop kernel_binary(enum kernel_binary op, enum dtype t);

// The same for the operations of lax.def, by name. nextafter has loops for f16
// and bf16 too.
kernel_unary_loop kernel_lax_unary(const char *name, enum dtype t);
kernel_binary_loop kernel_lax_binary(const char *name, enum dtype t);

// out[i] = p[0][i] ? p[1][i] : p[2][i] for a mask and elements of `bytes` bytes
// with the strides `s`; `out` is contiguous.
void kernel_choose(size_t bytes, char *out, char *const *p, const int64_t *s,
                   int64_t n);

enum kernel_reduce {
  KERNEL_SUM,
  KERNEL_PROD,
  KERNEL_MIN,
  KERNEL_MAX,
  KERNEL_ARGMIN, // gives i64
  KERNEL_ARGMAX,
  KERNEL_ANY, // gives bool
  KERNEL_ALL,
  KERNEL_REDUCE_COUNT
};

// Reduces `n` elements to one. Sums and products of integers are i64 or u64.
// Float sums are pairwise, so that their error
// grows with log n; min and max give NaN where there is one. Empty min, max,
// argmin and argmax are the caller's mistake.
typedef void (*kernel_reduce_loop)(char *out, const char *a, int64_t stride,
                                   int64_t n);
kernel_reduce_loop kernel_reduce(enum kernel_reduce op, enum dtype t);

// A matrix with strides in bytes.
struct kernel_matrix {
  const char *data;
  int64_t row, column;
};
// out[m][n] = a[m][k] b[k][n]; out is C-contiguous and overlaps neither. `t` is a
// type of 4 or 8 bytes.
struct kernel_product {
  char *out;
  struct kernel_matrix a, b;
  int64_t m, k, n;
};
void kernel_matmul(enum dtype t, const struct kernel_product *x);

// out = the sum of the products of two lines, whose order depends on `n` alone;
// strides in bytes, `t` a type of 4 or 8 bytes.
typedef void (*kernel_inner_loop)(char *out, const char *a, int64_t sa,
                                  const char *b, int64_t sb, int64_t n);
kernel_inner_loop kernel_inner(enum dtype t);

// p[0] + p[1] i = (p[2] + p[3] i) (p[4] + p[5] i): `n` of f32 or f64, contiguous;
// the first two overlap no other. Each product is rounded by itself.
void kernel_complex_multiply(enum dtype t, char *const *p, int64_t n);

// out[i] = sum over j of a[i + j] b[j] for i in 0 .. na - nb: all contiguous,
// `t` a type of 4 or 8 bytes, na >= nb >= 1.
void kernel_slide(enum dtype t, char *out, const char *a, int64_t na,
                  const char *b, int64_t nb);
// The same for `columns` lines that lie side by side: `stride` leads from one
// element of a line to the next, `out` is contiguous.
typedef void (*kernel_columns_loop)(char *out, const char *a, int64_t stride,
                                    int64_t n, int64_t columns);
kernel_columns_loop kernel_columns(enum kernel_reduce op, enum dtype t);

// out[i] is the sum (product, minimum, maximum) of a[0 .. i], n >= 1, both
// contiguous; for i64, u64, f32 and f64.
typedef void (*kernel_scan_loop)(char *out, const char *a, int64_t n);
kernel_scan_loop kernel_scan(enum kernel_reduce op, enum dtype t);

// out[i] = start + (from + i) step, n of them. Numbers are f64, each product
// rounded; integers wrap.
void kernel_range_floats(double *out, double start, double step, int64_t from,
                         int n);
void kernel_range_integers(int64_t *out, int64_t start, int64_t step,
                           int64_t from, int n);

// n complex numbers: z has pairs, re and im their parts. `mirror` gets the first
// n / 2 + 1 of a real line's transform; the others are those, conjugated.
void kernel_pairs_join(double *restrict z, const double *re, const double *im,
                       int64_t n);
void kernel_pairs_split(double *restrict re, double *restrict im,
                        const double *z, int64_t n);
void kernel_pairs_mirror(double *restrict re, double *restrict im,
                         const double *z, int64_t n);

// ---- Sorting and searching (order.c) ----

// For every element type at once: elements become keys of 64 bits that stand in
// the same order, NaN last, 0 and -0 equal.

// keys[i] for each of the `n` elements of type `t`. `is_exact` tells 0 from -0,
// so that order_elements can bring the elements back (NaN without its bits).
void order_keys(enum dtype t, const char *a, int64_t stride, int64_t n,
                uint64_t *keys, bool is_exact);
void order_elements(enum dtype t, const uint64_t *keys, int64_t n, char *out);

// The key of a NaN of type `t`, or one above all of an integer type's; 64 bits
// have none above, so 0 says that there is none.
uint64_t order_nan(enum dtype t);

// Sorts keys; and positions 0 .. n-1 by their keys, which are sorted too: equal
// ones stay in order. `spare` is room for as many keys (and positions) again.
void order_sort(uint64_t *keys, uint64_t *spare, int64_t n);
void order_argsort(uint64_t *keys, int64_t *at, uint64_t *spare,
                   int64_t *spare_at, int64_t n);

// How many of the sorted `keys` stand before `key`: those under it, or those
// not over it.
int64_t order_search(const uint64_t *keys, int64_t n, uint64_t key,
                     bool after_equal);
// out[i] is that of keys[i], of `count`, in the sorted ones.
void order_search_all(const uint64_t *sorted, int64_t n, const uint64_t *keys,
                      int64_t count, bool after_equal, int64_t *out);

#endif
