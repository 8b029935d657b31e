// SPDX-License-Identifier: Apache-2.0
// On x86-64 the build compiles the files with loops three times: for any
// processor, for AVX2 (_v3) and for AVX-512 (_v4). Nothing is fused but what
// says fma(), and no sum changes its order, so that all three give the same bits;
// width.c chooses.
#ifndef KERNELS_WIDTH_H
#define KERNELS_WIDTH_H

#include "kernels/kernels.h"

#ifndef KERNEL_WIDTH
#  define KERNEL_WIDTH _v1
#endif
#define WIDTH_PASTE_(a, b) a##b
#define WIDTH_PASTE(a, b)  WIDTH_PASTE_(a, b)
#define WIDTH(name)        WIDTH_PASTE(name, KERNEL_WIDTH)

struct float_loops { // of f32 and f64
  const kernel_unary_loop *unary[2];
  const kernel_binary_loop *binary[2];
};

struct integer_loops {
  const kernel_unary_loop *unary[DTYPE_COUNT];
  const kernel_binary_loop *binary[DTYPE_COUNT];
};

// What each of the three gives.
struct kernel_set {
  const struct float_loops *floats;
  const struct integer_loops *integers;
  kernel_cast_loop (*cast)(enum dtype to, enum dtype from);
  kernel_reduce_loop (*reduce)(enum kernel_reduce op, enum dtype t);
  kernel_columns_loop (*columns)(enum kernel_reduce op, enum dtype t);
  kernel_scan_loop (*scan)(enum kernel_reduce op, enum dtype t);
  void (*choose)(size_t bytes, char *out, char *const *p, const int64_t *s,
                 int64_t n);
  kernel_inner_loop (*inner)(enum dtype t);
  void (*complex_multiply)(enum dtype t, char *const *p, int64_t n);
  void (*range_floats)(double *out, double start, double step, int64_t from,
                       int n);
  void (*range_integers)(int64_t *out, int64_t start, int64_t step,
                         int64_t from, int n);
};

// The sets that this machine runs: 0 for any processor, 1 for AVX2, 2 for
// AVX-512; NULL where it does not. The best is what np uses.
enum { KERNEL_SETS = 3 };
const struct kernel_set *kernel_set_at(int width);
const struct kernel_set *kernel_set_best(void);

#define KERNEL_SET_DECLARE(v)                                                  \
  extern const struct float_loops float_loops##v;                              \
  extern const struct integer_loops integer_loops##v;                          \
  kernel_cast_loop find_cast##v(enum dtype to, enum dtype from);               \
  kernel_reduce_loop find_reduce##v(enum kernel_reduce op, enum dtype t);      \
  kernel_columns_loop find_columns##v(enum kernel_reduce op, enum dtype t);    \
  kernel_scan_loop find_scan##v(enum kernel_reduce op, enum dtype t);          \
  void choose##v(size_t bytes, char *out, char *const *p, const int64_t *s,    \
                 int64_t n);                                                   \
  kernel_inner_loop find_inner##v(enum dtype t);                               \
  void complex_multiply##v(enum dtype t, char *const *p, int64_t n);           \
  void range_floats##v(double *out, double start, double step, int64_t from,   \
                       int n);                                                 \
  void range_integers##v(int64_t *out, int64_t start, int64_t step,            \
                         int64_t from, int n);
KERNEL_SET_DECLARE(_v1)
KERNEL_SET_DECLARE(_v3)
KERNEL_SET_DECLARE(_v4)
#undef KERNEL_SET_DECLARE

#endif
