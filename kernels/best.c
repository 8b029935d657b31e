// SPDX-License-Identifier: Apache-2.0
// The best that this CPU does of what the built-in kernels do: their loops over
// wide vectors, shared out among all its processors. A GPU that is compared
// with one core alone looks better than it is.
//
// The results are those of the plain loops, but for block_sum, whose doubles are
// added in another order.
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/reference.h"

// Part of the elements 0 to n - 1, on one of the team's threads.
struct stretch {
  float a;
  const float *x, *y;
  float *out;
  int64_t n, threads, blocks;
};

#ifdef __x86_64__
#  define WIDE __attribute__((target("avx2,fma"))) static
#  define HAS_WIDE                                                             \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#  define WIDE     static
#  define HAS_WIDE 0
#endif

// ---- vector_add: np's own loop ----

static void add_part(void *context, int number, int parts) {
  const struct stretch *s = context;
  int64_t from = kernel_team_from(s->n, number, parts);
  int64_t to = kernel_team_from(s->n, number + 1, parts);
  kernel_binary(KERNEL_ADD, DTYPE_F32)(
      (char *)(s->out + from), sizeof(float),
      (struct kernel_line){(const char *)(s->x + from), sizeof(float)},
      (struct kernel_line){(const char *)(s->y + from), sizeof(float)},
      to - from);
}

void best_vector_add(const struct reference_call *call, struct kernel_team *t) {
  struct stretch s = {.n = reference_int(call, 3)};
  s.x = reference_f32(call, 0, s.n);
  s.y = reference_f32(call, 1, s.n);
  s.out = reference_f32(call, 2, s.n);
  if (s.x && s.y && s.out)
    kernel_team_run(t, add_part, &s);
}

// ---- saxpy ----

#define SAXPY(scope, name)                                                     \
  scope void name(float a, const float *restrict x, float *restrict y,         \
                  int64_t n) {                                                 \
    for (int64_t i = 0; i < n; i++)                                            \
      y[i] = fmaf(a, x[i], y[i]);                                              \
  }
SAXPY(static, saxpy_plain)
SAXPY(WIDE, saxpy_wide)

static void saxpy_part(void *context, int number, int parts) {
  const struct stretch *s = context;
  int64_t from = kernel_team_from(s->n, number, parts);
  int64_t to = kernel_team_from(s->n, number + 1, parts);
  (HAS_WIDE ? saxpy_wide : saxpy_plain)(s->a, s->x + from, s->out + from,
                                        to - from);
}

void best_saxpy(const struct reference_call *call, struct kernel_team *t) {
  struct stretch s = {.n = reference_int(call, 3),
                      .a = reference_float(call, 0)};
  s.x = reference_f32(call, 1, s.n);
  s.out = reference_f32(call, 2, s.n);
  if (s.x && s.out)
    kernel_team_run(t, saxpy_part, &s);
}

// ---- block_sum ----

enum { SUMS = 8 }; // that do not wait for each other

#define SUM(scope, name)                                                       \
  scope double name(const float *x, int64_t n) {                               \
    double sum[SUMS] = {0}, rest = 0;                                          \
    int64_t i = 0;                                                             \
    for (; i + SUMS <= n; i += SUMS)                                           \
      for (int k = 0; k < SUMS; k++)                                           \
        sum[k] += x[i + k];                                                    \
    for (; i < n; i++)                                                         \
      rest += x[i];                                                            \
    for (int k = 0; k < SUMS; k++)                                             \
      rest += sum[k];                                                          \
    return rest;                                                               \
  }
SUM(static, sum_plain)
SUM(WIDE, sum_wide)

static void sum_part(void *context, int number, int parts) {
  const struct stretch *s = context;
  int64_t to = kernel_team_from(s->blocks, number + 1, parts);
  for (int64_t b = kernel_team_from(s->blocks, number, parts); b < to; b++) {
    int64_t from = b * s->threads, left = s->n - from;
    int64_t n = left < s->threads ? left : s->threads;
    double sum = n > 0 ? (HAS_WIDE ? sum_wide : sum_plain)(s->x + from, n) : 0;
    s->out[b] = (float)sum;
  }
}

void best_block_sum(const struct reference_call *call, struct kernel_team *t) {
  struct stretch s = {.n = reference_int(call, 2),
                      .blocks = call->grid[0],
                      .threads = call->block[0]};
  s.x = reference_f32(call, 0, s.n);
  s.out = reference_f32(call, 1, s.blocks);
  if (s.x && s.out)
    kernel_team_run(t, sum_part, &s);
}
