// SPDX-License-Identifier: Apache-2.0
// The problems, and what all that solve them need.
#include "bench/vgpu/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MI = 1 << 20, SPMV_ROWS = 1 << 17, BFS_VERTICES = 1 << 18 };

// ---- What the arrays hold at first ----

// The same numbers on every machine.
static uint32_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)(*state >> 32);
}

static void fill_words(int array, uint32_t *words, size_t count) {
  uint64_t state = (uint64_t)array + 1;
  for (size_t k = 0; k < count; k++)
    words[k] = next_random(&state);
}

// Of the first array; the others keep what fills them.
static void fill_keys(int array, uint32_t *words, size_t count) {
  if (array == 0)
    fill_words(array, words, count);
}

static void fill_floats(int array, uint32_t *words, size_t count) {
  uint64_t state = (uint64_t)array + 1;
  float *v = (float *)words;
  for (size_t k = 0; k < count; k++)
    v[k] = (float)next_random(&state) / 4294967296.0f;
}

// The roots of 1 as pairs, in the second array.
static void fill_fft(int array, uint32_t *words, size_t count) {
  float *v = (float *)words;
  fill_floats(array, words, count);
  for (size_t k = 0; array == 1 && k < count / 2; k++) {
    double angle = -2 * M_PI * (double)k / (double)count;
    v[2 * k] = (float)cos(angle);
    v[2 * k + 1] = (float)sin(angle);
  }
}

// 8 to 23 values a row.
static void fill_spmv(int array, uint32_t *words, size_t count) {
  uint64_t state = (uint64_t)array + 1;
  if (array > 1) {
    fill_floats(array, words, count);
    return;
  }
  for (size_t k = 0; array == 1 && k < count; k++)
    words[k] = next_random(&state) % SPMV_ROWS;
  for (size_t k = 1; array == 0 && k < count; k++)
    words[k] = words[k - 1] + 8 + next_random(&state) % 16;
}

// The text has four letters, and so has what is sought.
static void fill_search(int array, uint32_t *words, size_t count) {
  if (array == 2)
    return;
  fill_words(array, words, count);
  for (size_t k = 0; k < count; k++)
    words[k] = (words[k] & 0x03030303) + 0x61616161;
}

// Every seventh vertex is at level 2, the others have not been seen.
static void fill_bfs(int array, uint32_t *words, size_t count) {
  uint64_t state = (uint64_t)array + 1;
  for (size_t k = 0; k < count; k++)
    words[k] = array == 0   ? next_random(&state) % BFS_VERTICES
               : k % 7 == 0 ? 2
                            : UINT32_MAX;
}

// All values are negative; nothing says so yet.
static void fill_flag(int array, uint32_t *words, size_t count) {
  for (size_t k = 0; k < count; k++)
    words[k] = array == 0 ? UINT32_MAX - (uint32_t)k % 7 : 0;
}

// Pairs of half-precision numbers from 0.5 on.
static void fill_halves(int array, uint32_t *words, size_t count) {
  fill_words(array, words, count);
  for (size_t k = 0; array < 2 && k < count; k++)
    words[k] = (words[k] & 0x03FF03FF) + 0x38003800;
}

// ---- The problems ----

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
    {.name = "nbody",
     .title = "n-body 4096",
     .grid = {16, 1},
     .block = {256, 1},
     .n = 4096,
     .arrays = 2,
     .count = {4 * 4096, 3 * 4096},
     .result = 1,
     .bytes = 7.0 * 4 * 4096,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "bitonic",
     .title = "bitonic sort, 2^20 by 256",
     .grid = {4096, 1},
     .block = {256, 1},
     .n = MI,
     .arrays = 2,
     .count = {MI, MI},
     .result = 1,
     .bytes = 8.0 * MI,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_keys},
    {.name = "radix",
     .title = "radix pass, 2^20 by 256",
     .grid = {4096, 1},
     .block = {256, 1},
     .n = MI,
     .arrays = 2,
     .count = {MI, MI},
     .result = 1,
     .bytes = 8.0 * MI,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_keys},
    {.name = "histogram",
     .title = "histogram 2^22",
     .grid = {256, 1},
     .block = {256, 1},
     .n = MI,
     .arrays = 2,
     .count = {MI, 256},
     .result = 1,
     .bytes = 4.0 * MI,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_keys},
    {.name = "scan",
     .title = "scan, 2^20 by 256",
     .grid = {4096, 1},
     .block = {256, 1},
     .n = MI,
     .arrays = 2,
     .count = {MI, MI},
     .result = 1,
     .bytes = 8.0 * MI,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "stencil2d",
     .title = "stencil 2048^2",
     .grid = {128, 128},
     .block = {16, 16},
     .n = 2048,
     .arrays = 2,
     .count = {4 * MI, 4 * MI},
     .result = 1,
     .bytes = 8.0 * 4 * MI,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "stencil3d",
     .title = "stencil 128^3",
     .grid = {4, 2048},
     .block = {32, 8},
     .n = 128,
     .arrays = 2,
     .count = {2 * MI, 2 * MI},
     .result = 1,
     .bytes = 8.0 * 2 * MI,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "convolution",
     .title = "convolution 1024^2, 5 x 5",
     .grid = {64, 64},
     .block = {16, 16},
     .n = 1024,
     .arrays = 3,
     .count = {MI, 25, MI},
     .result = 2,
     .bytes = 8.0 * MI,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "fft",
     .title = "FFT, 2^19 by 256",
     .grid = {2048, 1},
     .block = {128, 1},
     .n = MI / 2,
     .arrays = 3,
     .count = {MI, 256, MI},
     .result = 2,
     .bytes = 8.0 * MI,
     .is_untuned = true,
     .fill = fill_fft},
    {.name = "spmv",
     .title = "SpMV 2^17",
     .grid = {SPMV_ROWS / 256, 1},
     .block = {256, 1},
     .n = SPMV_ROWS,
     .arrays = 5,
     .count = {SPMV_ROWS + 1, 24 * SPMV_ROWS, 24 * SPMV_ROWS, SPMV_ROWS,
               SPMV_ROWS},
     .result = 4,
     .bytes = 8.0 * 16 * SPMV_ROWS,
     .is_untuned = true,
     .fill = fill_spmv},
    {.name = "search",
     .title = "string search 2^21",
     .grid = {2 * MI / 256, 1},
     .block = {256, 1},
     .n = 2 * MI,
     .arrays = 3,
     .count = {MI / 2, 2, MI / 2},
     .result = 2,
     .bytes = 4.0 * MI,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_search},
    {.name = "bfs",
     .title = "BFS step 2^18",
     .grid = {BFS_VERTICES / 256, 1},
     .block = {256, 1},
     .n = BFS_VERTICES,
     .arrays = 3,
     .count = {8 * BFS_VERTICES, BFS_VERTICES, BFS_VERTICES},
     .result = 2,
     .bytes = 10.0 * 4 * BFS_VERTICES,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_bfs},
    {.name = "flag",
     .title = "2^20 writers of a flag",
     .grid = {MI / 256, 1},
     .block = {256, 1},
     .n = MI,
     .arrays = 2,
     .count = {MI, 1},
     .result = 1,
     .bytes = 4.0 * MI,
     .is_exact = true,
     .is_untuned = true,
     .fill = fill_flag},
    {.name = "mandelbrot",
     .title = "Mandelbrot 512",
     .grid = {32, 32},
     .block = {16, 16},
     .n = 512,
     .arrays = 2,
     .count = {2, 512 * 512},
     .first = {-0.5f, 0},
     .result = 1,
     .bytes = 4.0 * 512 * 512,
     .is_exact = true,
     .is_untuned = true},
    {.name = "transpose",
     .title = "transpose 2048^2",
     .grid = {64, 64},
     .block = {32, 8},
     .n = 2048,
     .arrays = 2,
     .count = {4 * MI, 4 * MI},
     .result = 1,
     .bytes = 8.0 * 4 * MI,
     .is_untuned = true,
     .fill = fill_floats},
    {.name = "wmma_product",
     .title = "wmma 512",
     .grid = {8, 32},
     .block = {128, 1},
     .n = 512,
     .arrays = 3,
     .count = {MATRIX / 2, MATRIX / 2, MATRIX},
     .result = 2,
     .bytes = 8.0 * MATRIX,
     .is_untuned = true,
     .fill = fill_halves},
};
const int problem_count = sizeof problems / sizeof *problems;

double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

bool counts_cpu_time;

double spent_ms(void) {
  struct timespec t;
  if (!counts_cpu_time)
    return now_ms();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

uint32_t *first_words(const struct problem *p, int array) {
  size_t count = p->count[array];
  uint32_t *words = malloc(4 * count), word;
  memcpy(&word, &p->first[array], sizeof word);
  for (size_t k = 0; k < count; k++)
    words[k] = word;
  if (p->fill)
    p->fill(array, words, count);
  return words;
}

static size_t count_wrong_floats(const uint32_t *words, const uint32_t *right,
                                 size_t count) {
  const float *is = (const float *)words, *want = (const float *)right;
  float most = 0;
  size_t wrong = 0;
  for (size_t k = 0; k < count; k++)
    most = fmaxf(most, fabsf(want[k]));
  for (size_t k = 0; k < count; k++)
    wrong += !(fabsf(is[k] - want[k]) <= 1e-3f * most);
  return wrong;
}

size_t count_wrong(const struct problem *p, const uint32_t *words,
                   const uint32_t *right) {
  size_t count = p->count[p->result], wrong = 0;
  if (!p->is_exact)
    return count_wrong_floats(words, right, count);
  for (size_t k = 0; k < count; k++)
    wrong += words[k] != right[k];
  return wrong;
}
