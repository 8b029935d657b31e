// SPDX-License-Identifier: Apache-2.0
// Kernels that nobody tuned the virtual GPU for, as CUDA C and as OpenCL C: one
// text, so that both run the same. plain_untuned.c has them in C.
#ifdef __OPENCL_VERSION__
#  define KERNEL           kernel void
#  define GLOBAL           global
#  define SHARED           local
#  define BARRIER          barrier(CLK_LOCAL_MEM_FENCE)
#  define THREAD           (int)get_local_id(0)
#  define THREAD_Y         (int)get_local_id(1)
#  define BLOCK            (int)get_group_id(0)
#  define BLOCK_Y          (int)get_group_id(1)
#  define THREADS          (int)get_local_size(0)
#  define BLOCKS           (int)get_num_groups(0)
#  define RSQRT(x)         rsqrt(x)
#  define MUL(x, y)        ((x) * (y))
#  pragma OPENCL FP_CONTRACT OFF
#  define ADD_SHARED(p, v) atomic_add(p, v)
#  define ADD_GLOBAL(p, v) atomic_add(p, v)
typedef uchar byte;
#else
#  define KERNEL extern "C" __global__ void
#  define GLOBAL
#  define SHARED           __shared__
#  define BARRIER          __syncthreads()
#  define THREAD           (int)threadIdx.x
#  define THREAD_Y         (int)threadIdx.y
#  define BLOCK            (int)blockIdx.x
#  define BLOCK_Y          (int)blockIdx.y
#  define THREADS          (int)blockDim.x
#  define BLOCKS           (int)gridDim.x
#  define RSQRT(x)         rsqrtf(x)
#  define MUL(x, y)        __fmul_rn(x, y)
#  define ADD_SHARED(p, v) atomicAdd(p, v)
#  define ADD_GLOBAL(p, v) atomicAdd(p, v)
typedef unsigned char byte;
typedef unsigned int uint;
#endif

// Each body (x, y, z, mass) gets its acceleration.
KERNEL nbody(GLOBAL const float *body, GLOBAL float *out, int n) {
  SHARED float tile[256 * 4];
  int i = BLOCK * 256 + THREAD;
  float x = body[4 * i], y = body[4 * i + 1], z = body[4 * i + 2];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += 256) {
    for (int k = 0; k < 4; k++)
      tile[256 * k + THREAD] = body[4 * first + 256 * k + THREAD];
    BARRIER;
    for (int j = 0; j < 256; j++) {
      float dx = tile[4 * j] - x, dy = tile[4 * j + 1] - y;
      float dz = tile[4 * j + 2] - z;
      float r = RSQRT(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = tile[4 * j + 3] * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    BARRIER;
  }
  out[3 * i] = ax;
  out[3 * i + 1] = ay;
  out[3 * i + 2] = az;
}

// Every 256 keys of their own.
KERNEL bitonic(GLOBAL const uint *in, GLOBAL uint *out, int n) {
  SHARED uint key[256];
  int t = THREAD, i = BLOCK * 256 + t;
  key[t] = in[i];
  BARRIER;
  for (int size = 2; size <= 256; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      int other = t ^ apart;
      if (other > t) {
        uint a = key[t], b = key[other];
        if ((a > b) == ((t & size) == 0)) {
          key[t] = b;
          key[other] = a;
        }
      }
      BARRIER;
    }
  out[i] = key[t];
}

// One pass over 4 bits, within every 256 keys: a stable split by each bit.
KERNEL radix(GLOBAL const uint *in, GLOBAL uint *out, int n) {
  SHARED uint key[256];
  SHARED uint sum[256];
  int t = THREAD, i = BLOCK * 256 + t;
  key[t] = in[i];
  BARRIER;
  for (int bit = 0; bit < 4; bit++) {
    uint mine = key[t], zero = ~mine >> bit & 1;
    sum[t] = zero;
    BARRIER;
    for (int apart = 1; apart < 256; apart *= 2) {
      uint before = t >= apart ? sum[t - apart] : 0;
      BARRIER;
      sum[t] += before;
      BARRIER;
    }
    uint to = zero ? sum[t] - 1 : sum[255] + t - sum[t];
    key[to] = mine;
    BARRIER;
  }
  out[i] = key[t];
}

// Of the bytes of n words.
KERNEL histogram(GLOBAL const uint *in, GLOBAL uint *out, int n) {
  SHARED uint bin[256];
  bin[THREAD] = 0;
  BARRIER;
  for (int i = BLOCK * 256 + THREAD; i < n; i += BLOCKS * 256) {
    uint word = in[i];
    for (int k = 0; k < 4; k++)
      ADD_SHARED(&bin[word >> 8 * k & 255], 1u);
  }
  BARRIER;
  ADD_GLOBAL(&out[THREAD], bin[THREAD]);
}

// Sums up to each element, within every 256.
KERNEL scan(GLOBAL const float *in, GLOBAL float *out, int n) {
  SHARED float sum[2][256];
  int t = THREAD, i = BLOCK * 256 + t, now = 0;
  sum[0][t] = in[i];
  BARRIER;
  for (int apart = 1; apart < 256; apart *= 2) {
    sum[1 - now][t] = sum[now][t] + (t >= apart ? sum[now][t - apart] : 0);
    now = 1 - now;
    BARRIER;
  }
  out[i] = sum[now][t];
}

KERNEL stencil2d(GLOBAL const float *in, GLOBAL float *out, int n) {
  int x = BLOCK * 16 + THREAD, y = BLOCK_Y * 16 + THREAD_Y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[y * n + x] = 0.5f * in[y * n + x] +
                     0.125f * (in[y * n + x - 1] + in[y * n + x + 1] +
                               in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

KERNEL stencil3d(GLOBAL const float *in, GLOBAL float *out, int n) {
  int x = BLOCK * 32 + THREAD, row = BLOCK_Y * 8 + THREAD_Y;
  int y = row % n, z = row / n, i = row * n + x;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] +
                                  in[i + n] + in[i - n * n] + in[i + n * n]);
}

// With 5 x 5 weights; what lies outside is 0.
KERNEL convolution(GLOBAL const float *in, GLOBAL const float *weight,
                   GLOBAL float *out, int n) {
  SHARED float tile[20][20];
  int x0 = BLOCK * 16 - 2, y0 = BLOCK_Y * 16 - 2;
  for (int k = THREAD_Y * 16 + THREAD; k < 400; k += 256) {
    int x = x0 + k % 20, y = y0 + k / 20;
    bool is_inside = x >= 0 && y >= 0 && x < n && y < n;
    tile[k / 20][k % 20] = is_inside ? in[y * n + x] : 0;
  }
  BARRIER;
  float sum = 0;
  for (int dy = 0; dy < 5; dy++)
    for (int dx = 0; dx < 5; dx++)
      sum += weight[dy * 5 + dx] * tile[THREAD_Y + dy][THREAD + dx];
  out[(y0 + 2 + THREAD_Y) * n + x0 + 2 + THREAD] = sum;
}

// Of every 256 complex numbers, by 128 threads; `turn` are the roots of 1.
KERNEL fft(GLOBAL const float *in, GLOBAL const float *turn, GLOBAL float *out,
           int n) {
  SHARED float re[256], im[256];
  int t = THREAD, first = BLOCK * 512;
  for (int k = t; k < 256; k += 128) {
    int to = 0;
    for (int b = 0; b < 8; b++)
      to |= (k >> b & 1) << (7 - b);
    re[to] = in[first + 2 * k];
    im[to] = in[first + 2 * k + 1];
  }
  BARRIER;
  for (int apart = 1; apart < 256; apart *= 2) {
    int j = t % apart, low = t / apart * 2 * apart + j, high = low + apart;
    float c = turn[2 * (j * (128 / apart))],
          s = turn[2 * (j * (128 / apart)) + 1];
    float a = re[high] * c - im[high] * s, b = re[high] * s + im[high] * c;
    re[high] = re[low] - a;
    im[high] = im[low] - b;
    re[low] += a;
    im[low] += b;
    BARRIER;
  }
  for (int k = t; k < 256; k += 128) {
    out[first + 2 * k] = re[k];
    out[first + 2 * k + 1] = im[k];
  }
}

// Rows of a sparse matrix, one a thread.
KERNEL spmv(GLOBAL const int *row, GLOBAL const int *column,
            GLOBAL const float *value, GLOBAL const float *x, GLOBAL float *y,
            int n) {
  int r = BLOCK * THREADS + THREAD;
  if (r >= n)
    return;
  float sum = 0;
  for (int k = row[r]; k < row[r + 1]; k++)
    sum += value[k] * x[column[k]];
  y[r] = sum;
}

// Where the text has the eight bytes of `what`; the last seven are not asked.
KERNEL search(GLOBAL const byte *text, GLOBAL const byte *what,
              GLOBAL byte *found, int n) {
  SHARED byte tile[256 + 8];
  SHARED byte word[8];
  int t = THREAD, first = BLOCK * 256;
  for (int k = t; k < 256 + 7; k += 256)
    tile[k] = first + k < n ? text[first + k] : 0;
  if (t < 8)
    word[t] = what[t];
  BARRIER;
  int k = 0;
  while (k < 8 && tile[t + k] == word[k])
    k++;
  found[first + t] = k == 8;
}

// One step: vertices at level 2 give their unseen neighbours level 3.
KERNEL bfs(GLOBAL const int *neighbour, GLOBAL const int *level,
           GLOBAL int *next, int n) {
  int v = BLOCK * THREADS + THREAD;
  if (v >= n || level[v] != 2)
    return;
  for (int k = 0; k < 8; k++) {
    int u = neighbour[v * 8 + k];
    if (level[u] < 0)
      next[u] = 3;
  }
}

// Many threads write the same: one flag says that any value is negative.
KERNEL flag(GLOBAL const int *in, GLOBAL int *any, int n) {
  int i = BLOCK * THREADS + THREAD;
  if (i < n && in[i] < 0)
    any[0] = 1;
}

// How many of 256 rounds each point of the plane stays near. Its edge shows any other
// rounding, so no product is joined with a sum.
KERNEL mandelbrot(GLOBAL const float *middle, GLOBAL int *rounds, int n) {
  int x = BLOCK * 16 + THREAD, y = BLOCK_Y * 16 + THREAD_Y, k = 0;
  float cx = middle[0] + MUL((float)(x - n / 2), 2.5f / n);
  float cy = middle[1] + MUL((float)(y - n / 2), 2.5f / n), zx = 0, zy = 0;
  while (k < 256 && MUL(zx, zx) + MUL(zy, zy) < 4.0f) {
    float next = MUL(zx, zx) - MUL(zy, zy) + cx;
    zy = MUL(MUL(2.0f, zx), zy) + cy;
    zx = next;
    k++;
  }
  rounds[y * n + x] = k;
}

KERNEL transpose(GLOBAL const float *in, GLOBAL float *out, int n) {
  SHARED float tile[32][33];
  int x = BLOCK * 32 + THREAD, y = BLOCK_Y * 32 + THREAD_Y;
  for (int k = 0; k < 32; k += 8)
    tile[THREAD_Y + k][THREAD] = in[(y + k) * n + x];
  BARRIER;
  x = BLOCK_Y * 32 + THREAD;
  y = BLOCK * 32 + THREAD_Y;
  for (int k = 0; k < 32; k += 8)
    out[(y + k) * n + x] = tile[THREAD][THREAD_Y + k];
}

// A product of half-precision matrices: each 32 threads a tile of 16 x 16.
#ifdef __OPENCL_VERSION__
KERNEL wmma_product(GLOBAL const half *a, GLOBAL const half *b, GLOBAL float *c,
                    int n) {
  int row = BLOCK_Y * 16, column = (BLOCK * 4 + THREAD / 32) * 16;
  for (int k = 0; k < 8; k++) {
    int i = THREAD % 32 + 32 * k, r = row + i / 16, q = column + i % 16;
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += vload_half(r * n + j, a) * vload_half(j * n + q, b);
    c[r * n + q] = sum;
  }
}
#else
#  include <mma.h>
using namespace nvcuda;
KERNEL wmma_product(const half *a, const half *b, float *c, int n) {
  int row = BLOCK_Y * 16, column = (BLOCK * 4 + THREAD / 32) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(x, a + row * n + k, n);
    wmma::load_matrix_sync(y, b + k * n + column, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
#endif
