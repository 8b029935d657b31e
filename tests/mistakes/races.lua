-- SPDX-License-Identifier: Apache-2.0
-- Two threads, one cell, nothing in between.
return {
{"counter set to zero beside the thread's own atomic", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (threadIdx.x == 0) out[0] = 0; // !
  if (!BAD) __syncthreads();
  atomicAdd(out, x[threadIdx.x]); // !
}]==]},
{"shared counter set to zero, no barrier", "race", {1, 96}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0; // !
  if (!BAD) __syncthreads();
  if (x[threadIdx.x] > 10) atomicAdd(&count, 1); // !
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}]==]},
{"one block clears the bins that all blocks fill", "race", {2, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BAD && blockIdx.x == 0 && threadIdx.x < 16) out[threadIdx.x] = 0; // !
  __syncthreads();
  atomicAdd(&out[i % 16], x[i]); // !
}]==]},
{"a bin cleared behind __syncwarp, counted by another warp", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0; // !
  __syncwarp();
  if (!BAD) __syncthreads();
  atomicAdd(&sum, x[threadIdx.x]); // !
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}]==]},
{"no barrier between write and read", "race", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[128];
  t[threadIdx.x] = x[threadIdx.x]; // !
  if (!BAD) __syncthreads();
  out[threadIdx.x] = t[127 - threadIdx.x]; // !
}]==]},
{"second barrier of a tile loop missing", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  float sum = 0;
  for (int p = 0; p < 4; p++) {
    t[threadIdx.x] = x[64 * p + threadIdx.x]; // !
    __syncthreads();
    sum += t[63 - threadIdx.x]; // !
    if (!BAD) __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==]},
{"tree reduction without barriers", "race", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[128];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s]; // !
    if (!BAD) __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = t[0];
}]==]},
{"last warp's steps without __syncwarp", "race", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  t[threadIdx.x] = x[threadIdx.x];
  t[threadIdx.x + 32] = 0;
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    float v = t[threadIdx.x + s]; // !
    if (!BAD) __syncwarp();
    t[threadIdx.x] += v; // !
    if (!BAD) __syncwarp();
  }
  out[threadIdx.x] = t[0];
}]==]},
{"neighbour within the warp read at once", "race", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[32];
  t[threadIdx.x] = x[threadIdx.x]; // !
  if (!BAD) __syncwarp();
  out[threadIdx.x] = t[(threadIdx.x + 1) % 32]; // !
}]==]},
{"a shuffle is no barrier", "race", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[32];
  t[threadIdx.x] = x[threadIdx.x]; // !
  float v = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
  if (!BAD) __syncwarp();
  out[threadIdx.x] = v + t[31 - threadIdx.x]; // !
}]==]},
{"scan in place", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    float v = i >= d ? t[i - d] : 0; // !
    if (!BAD) __syncthreads();
    t[i] += v; // !
    __syncthreads();
  }
  out[i] = t[i];
}]==]},
{"reversal in place", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float v = t[63 - threadIdx.x]; // !
  if (!BAD) __syncthreads();
  t[threadIdx.x] = v; // !
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x];
}]==]},
{"thread 0 fills, all read", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float mean;
  if (threadIdx.x == 0)
    mean = x[5] / 2; // !
  if (!BAD) __syncthreads();
  out[threadIdx.x] = x[threadIdx.x] - mean; // !
}]==]},
{"shared histogram without atomics", "race", {1, 64}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  if (BAD) bins[idx[threadIdx.x] % 16]++; // !
  else atomicAdd(&bins[idx[threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) count[threadIdx.x] = bins[threadIdx.x];
}]==]},
{"global histogram without atomics", "race", {4, 64}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BAD) count[idx[i] % 16]++; // !
  else atomicAdd(&count[idx[i] % 16], 1);
}]==]},
{"all threads add to one global sum", "race", {2, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BAD) out[0] += x[i]; // !
  else atomicAdd(out, x[i]);
}]==]},
{"maximum without atomics", "race", {1, 64}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  int v = idx[threadIdx.x];
  if (BAD) { if (count[0] < v) count[0] = v; } // !
  else atomicMax(count, v);
}]==]},
{"stencil in place across blocks", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *to = BAD ? out : out + 500;
  float right = out[i + 1]; // !
  to[i] = right + 1; // !
}]==]},
{"neighbour's cell of another block", "race", {4, 32}, "out n", [==[
__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i; // !
  __syncthreads();
  int from = BAD ? (i + 32) % 128 : blockIdx.x * 32 + 31 - threadIdx.x;
  out[256 + i] = out[from]; // !
}]==]},
{"blocks write one cell with different values", "race", {4, 32}, "out n", [==[
__global__ void k(float *out, int n) {
  int i = BAD ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = blockIdx.x; // !
}]==]},
{"block index left out", "race", {4, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = threadIdx.x + !BAD * blockIdx.x * blockDim.x;
  out[i] = x[blockIdx.x * blockDim.x + threadIdx.x]; // !
}]==]},
{"last block sums without a fence", "race", {4, 32}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = x[blockIdx.x]; // !
    if (!BAD) __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    if (!BAD) __threadfence();
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[1 + b]; // !
    out[0] = sum;
  }
}]==]},
{"plain store meets an atomic", "race", {2, 32}, "count", [==[
__global__ void k(int *count) {
  if (blockIdx.x == 0 || !BAD) atomicAdd(&count[0], 1); // !
  else if (threadIdx.x == 0) count[0] = 7; // !
}]==]},
{"queue slot taken without an atomic", "race", {2, 32}, "count out", [==[
__global__ void k(int *count, float *out) {
  int at;
  if (BAD) { at = count[0]; count[0] = at + 1; } // !
  else at = atomicAdd(count, 1);
  out[at % 64] = threadIdx.x;
}]==]},
{"lock around nothing", "race", {4, 1}, "count", [==[
__global__ void k(int *count) {
  if (!BAD) while (atomicCAS(&count[1], 0, 1)) ;
  __threadfence();
  count[0] = count[0] + 1; // !
  __threadfence();
  if (!BAD) atomicExch(&count[1], 0);
}]==]},
{"double buffer swapped too late", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[2][64];
  int i = threadIdx.x;
  t[0][i] = x[i];
  __syncthreads();
  for (int s = 0; s < 4; s++) {
    int from = s % 2, to = BAD ? from : 1 - from;
    t[to][i] = t[from][(i + 1) % 64]; // !
    __syncthreads();
  }
  out[i] = t[0][i];
}]==]},
{"transpose in place", "race", {1, {16, 16}}, "out n", [==[
__global__ void k(float *out, int n) {
  int r = threadIdx.y, c = threadIdx.x;
  float v = out[c * 16 + r]; // !
  if (!BAD) __syncthreads();
  out[r * 16 + c] = v; // !
}]==]},
{"flag without a fence", "race", {2, 1}, "out count", [==[
__global__ void k(float *out, int *count) {
  volatile int *flag = count;
  if (blockIdx.x == 0) {
    out[0] = 42; // !
    if (!BAD) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) ;
    if (!BAD) __threadfence();
    out[1] = out[0]; // !
  }
}]==]},
{"copy that nobody waited for", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  __pipeline_memcpy_async(&t[threadIdx.x], &x[threadIdx.x], 4); // !
  __pipeline_commit();
  if (!BAD) __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = t[63 - threadIdx.x]; // !
}]==]},
{"copy sent for while others read the cells", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[2][64];
  float sum = 0;
  __pipeline_memcpy_async(&t[0][threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  for (int k = 0; k < 3; k++) {
    const float *from = &x[64 * (k + 1) + threadIdx.x];
    if (k < 2)
      __pipeline_memcpy_async(&t[(k + 1) % 2][threadIdx.x], from, 4); // !
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += t[k % 2][63 - threadIdx.x]; // !
    if (!BAD) __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==], never = "is missing"},
{"copies met before they were waited for", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[2][64];
  float sum = 0;
  __pipeline_memcpy_async(&t[0][threadIdx.x], &x[threadIdx.x], 4); // !
  __pipeline_commit();
  for (int k = 0; k < 3; k++) {
    const float *from = &x[64 * (k + 1) + threadIdx.x];
    __pipeline_memcpy_async(&t[(k + 1) % 2][threadIdx.x], from, 4); // !
    __pipeline_commit();
    if (BAD) __syncthreads();
    __pipeline_wait_prior(1);
    if (!BAD) __syncthreads();
    sum += t[k % 2][63 - threadIdx.x]; // !
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==], never = "is missing"},
{"bundle that the wait leaves out", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[2][64];
  float sum = 0;
  __pipeline_memcpy_async(&t[0][threadIdx.x], &x[threadIdx.x], 4); // !
  __pipeline_commit();
  for (int k = 0; k < 3; k++) {
    const float *from = &x[64 * (k + 1) + threadIdx.x];
    if (k < 2) {
      __pipeline_memcpy_async(&t[(k + 1) % 2][threadIdx.x], from, 4); // !
      if (BAD) __pipeline_commit();
    }
    if (!BAD) __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += t[k % 2][63 - threadIdx.x]; // !
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==], never = "is missing"},
{"both threads of a pair exchange", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  int me = threadIdx.x;
  t[me] = x[63 - me];
  __syncthreads();
  for (int far = 32; far > 0; far /= 2) {
    int low = min(me, me ^ far), high = max(me, me ^ far);
    if ((BAD || me == low) && t[low] > t[high]) { // !
      float keep = t[low];
      t[low] = t[high]; // !
      t[high] = keep; // !
    }
    __syncthreads();
  }
  out[me] = t[me];
}]==], never = "is missing"},
{"look and then write", "race", {1, 64}, "data freshint", [==[
__global__ void k(const int *data, int *level) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  for (int i = threadIdx.x; i < 301; i += blockDim.x) level[i] = -1;
  __syncthreads();
  int v = data[threadIdx.x % 16];
#if BAD
  if (level[v] == -1) { // !
    level[v] = 7; // !
    atomicAdd(&found, 1);
  }
#else
  if (atomicCAS(&level[v], -1, 7) == -1) atomicAdd(&found, 1);
#endif
}]==]},
{"copies sent for by one warp to what another reads", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[32];
  int i = threadIdx.x % 32, is_helper = threadIdx.x / 32;
  float sum = 0;
  if (!is_helper) t[i] = x[i];
  __syncthreads();
  if (!is_helper) sum = t[31 - i]; // !
  if (!BAD) __syncthreads();
  if (is_helper) __pipeline_memcpy_async(&t[i], &x[32 + i], 4); // !
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = t[31 - i] + sum;
}]==]},
{"cells read that a copy is on its way to", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  if (BAD) __pipeline_memcpy_async(&t[i], &x[64 + i], 4); // !
  float old = t[63 - i]; // !
  __syncthreads();
  if (!BAD) __pipeline_memcpy_async(&t[i], &x[64 + i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = t[63 - i] + old;
}]==]},
{"a copy still on its way behind a barrier", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  __pipeline_memcpy_async(&t[i], &x[64 + i], 4); // !
  __pipeline_commit();
  __syncthreads();
  float old = BAD ? t[63 - i] : x[63 - i]; // !
  __syncthreads();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = t[63 - i] + old;
}]==]},
{"reversal in a template, whose mangled name is long", "race", {1, 64}, "x out n", [==[
namespace reversal_of_a_block_in_shared_memory {
template <typename T, int threads>
static __device__ void reverse(const T *from, T *to) {
  __shared__ T part[threads];
  part[threadIdx.x] = from[threadIdx.x]; // !
  if (!BAD) __syncthreads();
  to[threadIdx.x] = part[threads - 1 - threadIdx.x]; // !
}
}
__global__ void k(const float *x, float *out, int n) {
  reversal_of_a_block_in_shared_memory::reverse<float, 64>(x, out);
}]==]},
{"neighbour's new value through __ldg", "race", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = threadIdx.x;
  out[i] = x[i];
  __syncthreads();
  float next = BAD ? __ldg(&out[(i + 1) % 64]) : out[(i + 1) % 64]; // !
  __syncthreads();
  out[i] += next;
}]==]},
{"one thread of each block adds for its block only", "race", {4, 64}, "idx count", [==[
__global__ void k(const int *idx, int *count) {
  if (threadIdx.x == 0) {
#if BAD
    atomicAdd_block(&count[0], idx[1]); // !
#else
    atomicAdd(&count[0], idx[1]);
#endif
  }
}]==]},
{"two blocks add in scopes of two kinds", "race", {2, 64}, "idx count", [==[
__global__ void k(const int *idx, int *count) {
  if (threadIdx.x) return;
  if (BAD && blockIdx.x == 1) atomicAdd_block(&count[0], idx[1]); // !
  else atomicAdd(&count[0], idx[1]); // !
}]==]},
{"two blocks add in scopes of two kinds, the narrow one first", "race", {2, 64}, "idx count", [==[
__global__ void k(const int *idx, int *count) {
  if (threadIdx.x) return;
  if (BAD && blockIdx.x == 0) atomicAdd_block(&count[0], idx[1]); // !
  else atomicAdd(&count[0], idx[1]); // !
}]==], text = "whose name ends in _block"},
{"a counter of each block that all blocks add to", "race", {2, 64}, "idx count out", [==[
__global__ void k(const int *idx, int *count, float *out) {
  out[0] = 1; // from all, which is noted
  atomicAdd_block(&count[BAD ? 0 : blockIdx.x], idx[1]); // !
}]==]},
{"two threads copy different bytes to one place", "race", {1, 64}, "x out", [==[
__global__ void k(const float *x, float *out) {
  __shared__ float s[32];
  unsigned at = (unsigned)__cvta_generic_to_shared(s + threadIdx.x % 32);
  const float *from = BAD ? x + threadIdx.x : x + threadIdx.x % 32;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(from) : "memory"); // !
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x % 32];
}]==], where = false, never = "both write the same value"},
{"a flag raised for its block only, behind a fence for all", "race", {2, 64}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[0] = x[1]; // !
    __threadfence();
#if BAD
    atomicExch_block(&count[0], 1);
#else
    atomicExch(&count[0], 1);
#endif
  } else {
    while (!*(volatile int *)count);
    out[1] = out[0]; // !
  }
}]==]},
{"a flag looked at for its block only", "race", {2, 64}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[0] = x[1]; // !
    __threadfence();
    atomicExch(&count[0], 1);
  } else {
    int is_up = 0;
    while (!is_up) {
#if BAD
      asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(is_up) : "l"(count) : "memory");
#else
      asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(is_up) : "l"(count) : "memory");
#endif
    }
    out[1] = out[0]; // !
  }
}]==]},
{"a counter for its block only, that orders its block", "race", {1, 64}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  if (threadIdx.x == 0) {
    out[0] = x[1]; // !
    if (!BAD) __threadfence_block();
    atomicExch_block(&count[0], 1);
  } else if (threadIdx.x == 32) {
    while (!*(volatile int *)count);
    out[1] = out[0]; // !
  }
}]==]},
{"bytes of one word through a function", "race", {1, 64}, "idx out n", [==[
__device__ __noinline__ void put(unsigned char *p, int i) { p[i] = i; } // !
__global__ void k(const int *idx, float *out, int n) {
  int i = threadIdx.x;
  out[64 + i] = n;
  put((unsigned char *)out, BAD ? i / 2 : i);
}]==]},
}
