// SPDX-License-Identifier: Apache-2.0
// Kernels of tests/unit/vgpu_engine.c: what learners write, right and wrong.
// checks.ptx is what nvcc makes of this file: see README.md beside it.
#include <cassert>
#include <cstdio>
#define KERNEL extern "C" __global__ void

KERNEL add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}

KERNEL add_unguarded(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  out[i] = v;
}

KERNEL block_sum(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (t < k)
      part[t] += part[t + k];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

KERNEL block_sum_no_barrier(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  for (int k = 128; k; k >>= 1) {
    if (t < k)
      part[t] += part[t + k];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

KERNEL warp_reverse(int *out, int with_sync) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (with_sync)
    __syncwarp();
  out[t] = s[31 - t];
}

KERNEL read_unwritten_shared(float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 32)
    s[t] = t;
  __syncthreads();
  out[t] = s[t];
}

KERNEL barrier_in_branch(int *out) {
  if (threadIdx.x < 16)
    __syncthreads();
  out[threadIdx.x] = 1;
}

KERNEL leave_early(int *out, int n) {
  if (threadIdx.x >= n)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

KERNEL leave_between(int *out) {
  for (int k = 0; k < 4; k++) {
    if (threadIdx.x >= 64 && k == 2)
      return;
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

KERNEL two_barriers(int *out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1;");
  else
    asm volatile("bar.sync 2;");
  out[threadIdx.x] = 1;
}

KERNEL sync_names_absent(int *out) {
  if (threadIdx.x < 16)
    __syncwarp();
  out[threadIdx.x] = 1;
}

KERNEL sync_subsets(int *out) {
  int t = threadIdx.x, v = t;
  if (t < 16) {
    __syncwarp(0xffff);
    v = __shfl_sync(0xffff, v, 3);
  } else {
    __syncwarp(0xffff0000);
    v = __shfl_sync(0xffff0000, v, 20);
  }
  out[t] = v;
}

KERNEL endless(volatile int *flag) {
  while (*flag == 0)
    ;
}

KERNEL lock_in_warp(int *lock, int *count) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  (*(volatile int *)count)++;
  __threadfence();
  atomicExch(lock, 0);
}

KERNEL wait_for_last_block(volatile int *flag) {
  if (blockIdx.x == 0) {
    while (flag[0] == 0)
      ;
    flag[1] = 7;
  } else if (blockIdx.x == gridDim.x - 1) {
    flag[0] = 1;
  }
}

KERNEL misaligned(char *p) { *(int *)(p + 1) = 3; }
KERNEL write_at(int *p, long long i) { p[i] = 5; }
KERNEL shared_past_end(int *out, int i) {
  __shared__ int s[8];
  s[threadIdx.x % 8] = 1;
  __syncthreads();
  out[0] = s[i];
}
KERNEL local_past_end(int *out, int i) {
  int a[8];
  for (int k = 0; k < 8; k++)
    a[k] = out[k];
  out[0] = a[i];
}

__device__ int ackermann(int m, int n) {
  return m == 0   ? n + 1
         : n == 0 ? ackermann(m - 1, 1)
                  : ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL recursion(int *out) {
  out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 5);
}
__device__ int deep(int n, int *p) {
  int a[8];
  for (int i = 0; i < 8; i++)
    a[i] = p[i] + n;
  return n == 0 ? 1 : deep(n - 1, a) + a[n & 7];
}
KERNEL recursion_without_end(int *out) { *out = deep(1000000, out); }

KERNEL say(int n, double x) {
  printf("%d %5.2f %s %c %lld%%\n", n + threadIdx.x, x, "text", 'c',
         1ll << 40);
}
KERNEL say_much() { printf("0123456789abcdef0123456789abcdef\n"); }
KERNEL claim(int n) { assert(n == 3); }
KERNEL stop() {
  if (threadIdx.x == 5)
    __trap();
}

KERNEL heap(int *out) {
  int *p = (int *)malloc(64);
  p[3] = threadIdx.x;
  out[threadIdx.x] = p[3];
  free(p);
  if (threadIdx.x == 3)
    out[40] = p[3];
}

__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factors[3] = {1.0f, 2.0f, 3.0f};
KERNEL variables(float *out, int i) { out[0] = table[i] * factors[i]; }

struct padded {
  char c;
  int i;
  short s;
  double d;
  char e;
};
KERNEL copy_padded(const padded *a, padded *b) {
  b[threadIdx.x] = a[threadIdx.x];
}

KERNEL by_value(padded p, double *out) { *out = p.c + p.i + p.s + p.d + p.e; }

KERNEL histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

KERNEL dynamic_reverse(int *out) {
  extern __shared__ int d[];
  d[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = d[blockDim.x - 1 - threadIdx.x];
}

KERNEL mandelbrot(int *out, int w, int h, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h)
    return;
  float x0 = px * 3.5f / w - 2.5f, y0 = py * 2.0f / h - 1.0f, x = 0, y = 0;
  int k = 0;
  while (__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) <= 4 && k < limit) {
    float t =
        __fadd_rn(__fadd_rn(__fmul_rn(x, x), -__fmul_rn(y, y)), x0);
    y = __fadd_rn(__fmul_rn(2 * x, y), y0);
    x = t;
    k++;
  }
  out[py * w + px] = k;
}

KERNEL double_math(const double *x, double *out) {
  double v = x[threadIdx.x];
  double *p = out + threadIdx.x * 8;
  p[0] = sin(v);
  p[1] = cos(v);
  p[2] = exp(v);
  p[3] = log(fabs(v));
  p[4] = pow(fabs(v), 1.7);
  p[5] = sqrt(fabs(v));
  p[6] = v / 3.7;
  p[7] = tanh(v);
}

KERNEL busy_for_ever(volatile unsigned long long *count) {
  while (++*count)
    ;
}
