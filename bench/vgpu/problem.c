// SPDX-License-Identifier: Apache-2.0
// The problems, and what all that solve them need.
#include "bench/vgpu/problem.h"

#include <time.h>

enum { MI = 1 << 20 };

#define MATRIX (512 * 512)
const struct problem problems[] = {
    {"saxpy",
     "saxpy 2^24",
     {16 * MI / 256, 1},
     {256, 1},
     16 * MI,
     2,
     {16 * MI, 16 * MI},
     {1.0f, 2.0f},
     1,
     true,
     3.0 * 4 * 16 * MI},
    {"naive",
     "naive matmul 512",
     {32, 32},
     {16, 16},
     512,
     3,
     {MATRIX, MATRIX, MATRIX},
     {0.5f, 0.25f, 0},
     2,
     false,
     3.0 * 4 * MATRIX},
    {"tiled",
     "tiled matmul 512",
     {32, 32},
     {16, 16},
     512,
     3,
     {MATRIX, MATRIX, MATRIX},
     {0.5f, 0.25f, 0},
     2,
     false,
     3.0 * 4 * MATRIX},
    {"black_scholes",
     "Black-Scholes 2^22",
     {4 * MI / 256, 1},
     {256, 1},
     4 * MI,
     5,
     {4 * MI, 4 * MI, 4 * MI, 4 * MI, 4 * MI},
     {20, 25, 1.5f, 0, 0},
     3,
     false,
     5.0 * 4 * 4 * MI},
    {"reduce",
     "block reduction 2^22",
     {4 * MI / 256, 1},
     {256, 1},
     4 * MI,
     2,
     {4 * MI, 4 * MI / 256},
     {0.5f, 0},
     1,
     false,
     4.0 * 4 * MI},
};
const int problem_count = sizeof problems / sizeof *problems;

double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

double sum_of(const float *values, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += (double)values[k];
  return sum;
}
