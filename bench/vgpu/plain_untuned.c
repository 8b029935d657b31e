// SPDX-License-Identifier: Apache-2.0
// The problems of untuned.cu in C, as a good programmer writes them without
// intrinsics.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/vgpu/problem.h"

enum { GROUP = 256 }; // what is sorted, summed or transformed together

static void nbody(float **a, int from, int to, int n) {
  const float *body = a[0];
  for (int i = from; i < to; i++) {
    float x = body[4 * i], y = body[4 * i + 1], z = body[4 * i + 2];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      float dx = body[4 * j] - x, dy = body[4 * j + 1] - y;
      float dz = body[4 * j + 2] - z;
      float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = body[4 * j + 3] * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    a[1][3 * i] = ax;
    a[1][3 * i + 1] = ay;
    a[1][3 * i + 2] = az;
  }
}

static int by_key(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void bitonic(float **a, int from, int to, int n) {
  (void)n;
  uint32_t *out = (uint32_t *)a[1];
  memcpy(out + from, a[0] + from, sizeof *out * (size_t)(to - from));
  for (int i = from; i < to; i += GROUP)
    qsort(out + i, GROUP, sizeof *out, by_key);
}

static void radix(float **a, int from, int to, int n) {
  (void)n;
  const uint32_t *in = (const uint32_t *)a[0];
  uint32_t *out = (uint32_t *)a[1];
  for (int first = from; first < to; first += GROUP) {
    int at[17] = {0};
    for (int i = first; i < first + GROUP; i++)
      at[(in[i] & 15) + 1]++;
    for (int d = 0; d < 16; d++)
      at[d + 1] += at[d];
    for (int i = first; i < first + GROUP; i++)
      out[first + at[in[i] & 15]++] = in[i];
  }
}

static void histogram(float **a, int from, int to, int n) {
  (void)n;
  const uint32_t *in = (const uint32_t *)a[0];
  uint32_t bins[256] = {0}, *out = (uint32_t *)a[1];
  for (int i = from; i < to; i++)
    for (int k = 0; k < 4; k++)
      bins[in[i] >> 8 * k & 255]++;
  for (int b = 0; b < 256; b++)
    __atomic_fetch_add(&out[b], bins[b], __ATOMIC_RELAXED);
}

static void scan(float **a, int from, int to, int n) {
  (void)n;
  for (int first = from; first < to; first += GROUP) {
    float sum = 0;
    for (int i = first; i < first + GROUP; i++)
      a[1][i] = sum += a[0][i];
  }
}

static void stencil2d(float **a, int from, int to, int n) {
  const float *restrict in = a[0];
  float *restrict out = a[1];
  for (int y = from > 1 ? from : 1; y < (to < n - 1 ? to : n - 1); y++)
    for (int x = 1; x < n - 1; x++)
      out[y * n + x] = 0.5f * in[y * n + x] +
                       0.125f * (in[y * n + x - 1] + in[y * n + x + 1] +
                                 in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

static void stencil3d(float **a, int from, int to, int n) {
  const float *restrict in = a[0];
  float *restrict out = a[1];
  for (int z = from > 1 ? from : 1; z < (to < n - 1 ? to : n - 1); z++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        int i = (z * n + y) * n + x;
        out[i] =
            0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] +
                                   in[i + n] + in[i - n * n] + in[i + n * n]);
      }
}

static void convolve_row(const float *row, const float *weight, float *out,
                         int n) {
  for (int x = 0; x < n; x++)
    for (int dx = x < 2 ? 2 - x : 0; dx < (x > n - 3 ? n + 2 - x : 5); dx++)
      out[x] += weight[dx] * row[x + dx - 2];
}

static void convolution(float **a, int from, int to, int n) {
  for (int y = from; y < to; y++) {
    memset(a[2] + y * n, 0, sizeof(float) * (size_t)n);
    for (int dy = 0; dy < 5; dy++)
      if (y + dy - 2 >= 0 && y + dy - 2 < n)
        convolve_row(a[0] + (y + dy - 2) * n, a[1] + 5 * dy, a[2] + y * n, n);
  }
}

static void transform(const float *in, const float *turn, float *out) {
  for (int k = 0; k < GROUP; k++) {
    int to = 0;
    for (int b = 0; b < 8; b++)
      to |= (k >> b & 1) << (7 - b);
    out[2 * to] = in[2 * k];
    out[2 * to + 1] = in[2 * k + 1];
  }
  for (int half = 1; half < GROUP; half *= 2)
    for (int low = 0; low < GROUP; low++) {
      int j = low % (2 * half), high = low + half;
      if (j >= half)
        continue;
      const float *w = turn + 2 * (j * (GROUP / 2 / half));
      float x = out[2 * high] * w[0] - out[2 * high + 1] * w[1];
      float y = out[2 * high] * w[1] + out[2 * high + 1] * w[0];
      out[2 * high] = out[2 * low] - x;
      out[2 * high + 1] = out[2 * low + 1] - y;
      out[2 * low] += x;
      out[2 * low + 1] += y;
    }
}

static void fft(float **a, int from, int to, int n) {
  (void)n;
  for (int i = from; i < to; i += GROUP)
    transform(a[0] + 2 * i, a[1], a[2] + 2 * i);
}

static void spmv(float **a, int from, int to, int n) {
  (void)n;
  const int *row = (const int *)a[0], *column = (const int *)a[1];
  for (int r = from; r < to; r++) {
    float sum = 0;
    for (int k = row[r]; k < row[r + 1]; k++)
      sum += a[2][k] * a[3][column[k]];
    a[4][r] = sum;
  }
}

static void search(float **a, int from, int to, int n) {
  const uint8_t *text = (const uint8_t *)a[0], *what = (const uint8_t *)a[1];
  uint8_t *found = (uint8_t *)a[2];
  for (int i = from; i < to; i++)
    found[i] = i + 8 <= n && !memcmp(text + i, what, 8);
}

static void bfs(float **a, int from, int to, int n) {
  (void)n;
  const int *neighbour = (const int *)a[0], *level = (const int *)a[1];
  int *next = (int *)a[2];
  for (int v = from; v < to; v++)
    for (int k = 0; level[v] == 2 && k < 8; k++)
      if (level[neighbour[v * 8 + k]] < 0)
        next[neighbour[v * 8 + k]] = 3;
}

static void flag(float **a, int from, int to, int n) {
  (void)n;
  const int *in = (const int *)a[0];
  for (int i = from; i < to; i++)
    if (in[i] < 0)
      *(volatile int *)a[1] = 1; // each of them
}

static void mandelbrot(float **a, int from, int to, int n) {
  int *rounds = (int *)a[1], middle = n / 2;
  for (int y = from; y < to; y++)
    for (int x = 0; x < n; x++) {
      float cx = a[0][0] + (float)(x - middle) * (2.5f / (float)n);
      float cy = a[0][1] + (float)(y - middle) * (2.5f / (float)n);
      float zx = 0, zy = 0;
      int k = 0;
      for (; k < 256 && zx * zx + zy * zy < 4.0f; k++) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
      }
      rounds[y * n + x] = k;
    }
}

static void transpose(float **a, int from, int to, int n) {
  enum { TILE = 32 };
  for (int y = from; y < to; y += TILE)
    for (int x = 0; x < n; x += TILE)
      for (int j = y; j < y + TILE; j++)
        for (int i = x; i < x + TILE; i++)
          a[1][j * n + i] = a[0][i * n + j];
}

static void wmma_product(float **m, int from, int to, int n) {
  const _Float16 *a = (const _Float16 *)m[0], *b = (const _Float16 *)m[1];
  for (int r = from; r < to; r++) {
    float *c = m[2] + r * n;
    memset(c, 0, sizeof *c * (size_t)n);
    for (int k = 0; k < n; k++)
      for (int q = 0; q < n; q++)
        c[q] += (float)a[r * n + k] * (float)b[k * n + q];
  }
}

const struct plain_code plain_untuned[] = {{"nbody", nbody},
                                           {"bitonic", bitonic},
                                           {"radix", radix},
                                           {"histogram", histogram},
                                           {"scan", scan},
                                           {"stencil2d", stencil2d},
                                           {"stencil3d", stencil3d},
                                           {"convolution", convolution},
                                           {"fft", fft},
                                           {"spmv", spmv},
                                           {"search", search},
                                           {"bfs", bfs},
                                           {"flag", flag},
                                           {"mandelbrot", mandelbrot},
                                           {"transpose", transpose},
                                           {"wmma_product", wmma_product},
                                           {NULL, NULL}};
