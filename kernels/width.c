// SPDX-License-Identifier: Apache-2.0
// Which of the compiled loops run here: those for the widest vectors that the
// processor has.
#include "kernels/width.h"

#define SET(v)                                                                 \
  {                                                                            \
    &float_loops##v, &integer_loops##v, find_cast##v, find_reduce##v,          \
        find_columns##v, find_scan##v, choose##v, find_inner##v,               \
        complex_multiply##v, range_floats##v, range_integers##v                \
  }

static const struct kernel_set sets[KERNEL_SETS] = {
    SET(_v1),
#ifdef KERNELS_HAVE_WIDE
    SET(_v3),
    SET(_v4),
#endif
};

#ifdef KERNELS_HAVE_WIDE
static bool has_width(int width) {
  if (width > 0 &&
      !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")))
    return false;
  return width < 2 || (__builtin_cpu_supports("avx512f") &&
                       __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512cd"));
}
#else
static bool has_width(int width) {
  return width == 0;
}
#endif

const struct kernel_set *kernel_set_at(int width) {
  return has_width(width) ? &sets[width] : NULL;
}

const struct kernel_set *kernel_set_best(void) {
  int width = KERNEL_SETS - 1;
  while (!has_width(width))
    width--;
  return &sets[width];
}

kernel_cast_loop kernel_cast(enum dtype to, enum dtype from) {
  return kernel_set_best()->cast(to, from);
}

kernel_reduce_loop kernel_reduce(enum kernel_reduce op, enum dtype t) {
  return kernel_set_best()->reduce(op, t);
}

kernel_columns_loop kernel_columns(enum kernel_reduce op, enum dtype t) {
  return kernel_set_best()->columns(op, t);
}

kernel_scan_loop kernel_scan(enum kernel_reduce op, enum dtype t) {
  return kernel_set_best()->scan(op, t);
}

void kernel_choose(size_t bytes, char *out, char *const *p, const int64_t *s,
                   int64_t n) {
  kernel_set_best()->choose(bytes, out, p, s, n);
}

kernel_inner_loop kernel_inner(enum dtype t) {
  return kernel_set_best()->inner(t);
}

void kernel_complex_multiply(enum dtype t, char *const *p, int64_t n) {
  kernel_set_best()->complex_multiply(t, p, n);
}

void kernel_range_floats(double *out, double start, double step, int64_t from,
                         int n) {
  kernel_set_best()->range_floats(out, start, step, from, n);
}

void kernel_range_integers(int64_t *out, int64_t start, int64_t step,
                           int64_t from, int n) {
  kernel_set_best()->range_integers(out, start, step, from, n);
}
