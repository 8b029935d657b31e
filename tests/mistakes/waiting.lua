-- SPDX-License-Identifier: Apache-2.0
-- Barriers that not all reach, waits without an end, kernels that stop.
return {
{"vote by threads that the mask leaves out", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  unsigned mask = BAD ? 0xffff : 0xffffffff;
  out[threadIdx.x] = __ballot_sync(mask, x[threadIdx.x] > 3); // !
}]==]},
{"shuffle by threads that the mask leaves out", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  unsigned half = threadIdx.x < 16 ? 0xffff : BAD ? 0xffff : 0xffff0000;
  out[threadIdx.x] = __shfl_xor_sync(half, x[threadIdx.x], 1); // !
}]==]},
{"__syncwarp by threads that it does not name", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  out[threadIdx.x] = x[threadIdx.x];
  __syncwarp(BAD ? 0xf : 0xffffffff); // !
  out[threadIdx.x] += 1;
}]==]},
{"warps that go past the only barrier", "barrier", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = threadIdx.x;
  if (i < 64 || !BAD) {
    out[i] = x[i];
    __syncthreads(); // !
  }
  out[i] += 1;
}]==]},
{"warps that leave a loop of barriers before the others", "barrier", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[128];
  float sum = 0;
  for (int p = BAD ? threadIdx.x / 64 : 0; p < 1; p++) {
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // !
    sum += t[threadIdx.x ^ 1];
  }
  out[threadIdx.x] = sum;
}]==]},
{"warps that wait at the next barrier instead", "barrier", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (threadIdx.x < 32 || !BAD) {
    out[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // !
  }
  out[threadIdx.x] += 2;
  __syncthreads();
  out[threadIdx.x] += 3;
}]==]},
{"barrier in a branch", "barrier", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (!BAD || threadIdx.x < 16)
    __syncthreads(); // !
  out[threadIdx.x] = 1;
}]==]},
{"barrier in an if that ends the kernel, and part of a warp", "barrier", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
#if BAD
  if (threadIdx.x < 40) {
    out[threadIdx.x] = t[63 - threadIdx.x];
    __syncthreads(); // !
    out[threadIdx.x] += 1;
  }
#else // leaving is legal: before a loop of barriers, and between two of them
  if (threadIdx.x >= 50)
    return;
  for (int i = 0; i < n - 997; i++) {
    t[threadIdx.x] += i;
    __syncthreads();
    if (threadIdx.x >= 40) { return; }
    out[threadIdx.x] += t[39 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] += 1;
#endif
}]==], text = "have left the kernel before this barrier"},
{"barrier in a loop of different lengths", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int steps = BAD ? 1 + threadIdx.x % 3 : 3;
  for (int i = 0; i < steps; i++) {
    __syncthreads(); // !
    out[threadIdx.x] = i;
  }
}]==]},
{"mask names a thread that does not come", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16)
    v += __shfl_down_sync(BAD ? ~0u : 0xffffu, v, 8, 16); // !
  else
    v *= 2;
  out[threadIdx.x] = v;
}]==]},
{"__syncwarp in a branch", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float v = 0;
  if (threadIdx.x < 8) {
    __syncwarp(BAD ? ~0u : 0xffu); // !
    v = x[threadIdx.x];
  }
  __syncwarp();
  out[threadIdx.x] = v;
}]==]},
{"ballot with a full mask in a branch", "barrier", {1, 32}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  int v = 0;
  if (idx[threadIdx.x] % 2)
    v = __ballot_sync(BAD ? ~0u : 0xaaaaaaaau, 1) != 0; // !
  __syncwarp();
  atomicAdd(count, v);
}]==]},
{"barrier reached through two branches of one warp", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (BAD && threadIdx.x % 2) {
    out[threadIdx.x] = 1;
    asm volatile("bar.sync 1;"); // !
  } else {
    asm volatile("bar.sync 0;"); // !
    out[threadIdx.x] = 2;
  }
}]==]},
{"a whole warp leaves the barrier out", "barrier", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __syncthreads();
  if (!BAD || threadIdx.x < 32)
    __syncthreads(); // !
  out[threadIdx.x] = 1;
}]==]},
{"matrix instruction in a branch", "barrier", {1, 32}, "halves out", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *out) {
  if (BAD && threadIdx.x > 20) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
  wmma::load_matrix_sync(f, a, 16); // !
  out[threadIdx.x] = (float)f.x[0] * 0;
}]==]},
{"mbarrier never initialised", "barrier", {1, 32}, "count", [==[
__global__ void k(int *count) {
  __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0) {
    if (BAD) b = 0;
    else asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at));
  }
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(at) : "memory"); // !
}]==]},
{"two warps wait at two barriers", "deadlock", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (BAD && threadIdx.x >= 32)
    asm volatile("bar.sync 1, 64;"); // !
  else
    asm volatile("bar.sync 2, %0;" :: "n"(BAD ? 64 : 64)); // !
  out[threadIdx.x] = 1;
}]==]},
{"barrier for more threads than there are", "deadlock", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  asm volatile("bar.sync 1, %0;" :: "n"(BAD ? 128 : 64)); // !
  out[threadIdx.x] = 1;
}]==]},
{"consumers wait, nobody arrives", "deadlock", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 3, 64;"); // !
  else if (!BAD)
    asm volatile("bar.arrive 3, 64;");
  out[threadIdx.x] = 1;
}]==]},
{"loop that never ends", "timeout", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  volatile float *o = out;
  int i = 0;
  while (i < n) // !
    o[threadIdx.x] = i += !BAD; // !
}]==], slow = true},
{"unsigned counter goes below zero", "timeout", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  volatile float *o = out;
  for (unsigned i = 8; BAD ? i >= 0 : i > 0; i--) // !
    o[threadIdx.x] = i; // !
}]==], slow = true},
{"lock that nobody opens", "deadlock", {1, 1}, "count", [==[
__global__ void k(int *count) {
  count[1] = BAD;
  __threadfence();
  while (atomicCAS(&count[1], 0, 1)) ; // !
  count[0]++;
}]==], slow = true},
{"flag that nobody raises", "deadlock", {2, 1}, "count", [==[
__global__ void k(int *count) {
  volatile int *flag = count;
  if (blockIdx.x == 0) { __threadfence(); if (!BAD) *flag = 1; }
  else while (*flag == 0) ; // !
}]==], slow = true},
{"step too small for a float", "timeout", {1, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  volatile float *o = out;
  for (float t = BAD ? 16777216.0f : 0.0f; t < (BAD ? 16777300.0f : 84.0f); t += 1.0f) // !
    o[0] = t; // !
}]==], slow = true},
{"assert fails", "assert", {1, 64}, "idx count n", [==[
#include <cassert>
__global__ void k(const int *idx, int *count, int n) {
  assert(idx[threadIdx.x] < (BAD ? 50 : 64)); // !
}]==]},
{"trap", "trap", {1, 32}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  if (BAD && idx[threadIdx.x] == 7)
    __trap(); // !
}]==]},
{"call through a null pointer", "out-of-bounds", {1, 32}, "x out n", [==[
typedef float (*function)(float);
__device__ float twice(float v) { return 2 * v; }
__device__ function table[2] = {twice, nullptr};
__global__ void k(const float *x, float *out, int n) {
  function f = table[BAD ? (int)x[threadIdx.x] % 2 : 0];
  out[threadIdx.x] = f(x[threadIdx.x]); // !
}]==]},
{"recursion without an end", "out-of-bounds", {1, 1}, "count", [==[
__device__ __noinline__ int depth(volatile int *stop, int n) {
  volatile int room[8];
  room[n & 7] = n;
  return *stop == n ? 0 : 1 + depth(stop, n + 1) + room[n & 7] * 0; // !
}
__global__ void k(int *count) { count[1] = depth(count, BAD ? 1 : -5); }
]==], where = false},
{"loop of barriers that some threads end sooner", "barrier", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int rounds = BAD && threadIdx.x >= 64 ? n - 997 : n - 995;
  float v = 0;
  for (int k = 0; k < rounds; k++) {
    v += x[k];
    __syncthreads(); // !
  }
  out[threadIdx.x] = v;
}]==]},
{"barrier in a branch, with one more behind it", "barrier", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (!BAD || threadIdx.x < 32) {
    out[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // !
  }
  out[threadIdx.x] += 1;
  __syncthreads(); // !
  out[threadIdx.x] += n;
}]==], where = false},
{"barrier behind a guarded ret", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (BAD)
    asm volatile("{.reg .pred p; setp.ge.u32 p, %0, 8; @p ret;}" :: "r"(threadIdx.x));
  __syncthreads(); // !
  out[threadIdx.x] = x[threadIdx.x];
}]==]},
}
