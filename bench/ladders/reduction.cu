// SPDX-License-Identifier: Apache-2.0
// The sum of n floats: the seven steps of lesson 22, and one more.
// reduction.lua runs and times them. Steps 1 to 7 leave a sum for each block of
// 256 threads, which step 8 adds up; step 8 needs one launch for all.

// ---- The data ----

// Small whole numbers with mean 0: sums stay below 2^24, and none is rounded.
extern "C" __global__ void fill(float *x, size_t n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned h = (unsigned)i * 2654435761u;
    x[i] = (int)((h ^ h >> 15) % 7) - 3;
  }
}

// The same sum in whole numbers.
extern "C" __global__ void exact(const float *x, int *sum, size_t n) {
  int own = 0;
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    own += (int)x[i];
  own = __reduce_add_sync(0xffffffff, own);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, own);
}

// What can be had at most: reads all and keeps nothing. No element is 4.
extern "C" __global__ void __launch_bounds__(512)
    read(const float4 *__restrict__ x, float *out, size_t n) {
  constexpr int SEVERAL = 4;
  size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, fours = n / 4;
  for (; i + (SEVERAL - 1) * stride < fours; i += SEVERAL * stride) {
    float4 v[SEVERAL];
#pragma unroll
    for (int k = 0; k < SEVERAL; k++)
      v[k] = __ldcs(&x[i + k * stride]);
#pragma unroll
    for (int k = 0; k < SEVERAL; k++)
      if (v[k].x == 4 || v[k].y == 4 || v[k].z == 4 || v[k].w == 4)
        *out = 1;
  }
  for (; i < fours; i += stride)
    if (x[i].x == 4 || x[i].y == 4 || x[i].z == 4 || x[i].w == 4)
      *out = 1;
}

// ---- Steps 1 to 7: lesson 22's ----

// Neighbours first, then those further and further apart.
extern "C" __global__ void step1(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[(size_t)blockIdx.x * 256 + t];
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    if (t % (2 * far) == 0)
      part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The lowest threads do the work: whole warps have none.
extern "C" __global__ void step2(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[(size_t)blockIdx.x * 256 + t];
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    int cell = 2 * far * t;
    if (cell < 256)
      part[cell] += part[cell + far];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The far half first: cells side by side, no bank conflict.
extern "C" __global__ void step3(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[(size_t)blockIdx.x * 256 + t];
  __syncthreads();
  for (int far = 128; far > 0; far /= 2) {
    if (t < far)
      part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// Two elements a thread, added while they are loaded.
extern "C" __global__ void step4(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  size_t i = (size_t)blockIdx.x * 512 + t;
  part[t] = x[i] + x[i + 256];
  __syncthreads();
  for (int far = 128; far > 0; far /= 2) {
    if (t < far)
      part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The last warp alone, without the block's barrier.
extern "C" __global__ void step5(const float *x, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  size_t i = (size_t)blockIdx.x * 512 + t;
  part[t] = x[i] + x[i + 256];
  __syncthreads();
  for (int far = 128; far > 16; far /= 2) {
    if (t < far)
      part[t] += part[t + far];
    __syncthreads();
  }
  if (t < 32)
    for (int far = 16; far > 0; far /= 2) {
      if (t < far)
        part[t] += part[t + far];
      __syncwarp();
    }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The sum of a block's values, right in its first thread: by shuffles, one
// number from each warp, and the first warp adds those.
template <int WARPS> __device__ float block_sum(float sum) {
  __shared__ float part[WARPS];
  int t = threadIdx.x;
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0)
    part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < WARPS ? part[t] : 0;
    for (int far = WARPS / 2; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
  }
  return sum;
}

// Shuffles in place of shared memory.
extern "C" __global__ void step6(const float *x, float *out) {
  size_t i = (size_t)blockIdx.x * 512 + threadIdx.x;
  float sum = block_sum<8>(x[i] + x[i + 256]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

// Many elements a thread.
extern "C" __global__ void step7(const float *x, float *out, size_t n) {
  float sum = 0;
  size_t stride = (size_t)gridDim.x * 256;
  for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < n; i += stride)
    sum += x[i];
  sum = block_sum<8>(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

// ---- Step 8: wide loads, several on their way, one launch ----

// 16 bytes a load and SEVERAL loads before the first is waited for: what a
// multiprocessor has on its way is what bounds the rate. n is a multiple of 4.
// The block that comes last adds up the blocks' sums, always in the same order,
// and leaves `done` at 0 for the next launch.
extern "C" __global__ void __launch_bounds__(512)
    step8(const float4 *__restrict__ x, float *parts, float *out,
          unsigned *done, size_t n) {
  constexpr int SEVERAL = 4;
  __shared__ bool is_last;
  size_t stride = (size_t)gridDim.x * 512, fours = n / 4;
  size_t i = (size_t)blockIdx.x * 512 + threadIdx.x;
  float sum = 0;
  for (; i + (SEVERAL - 1) * stride < fours; i += SEVERAL * stride) {
    float4 v[SEVERAL];
#pragma unroll
    for (int k = 0; k < SEVERAL; k++)
      v[k] = __ldcs(&x[i + k * stride]);
#pragma unroll
    for (int k = 0; k < SEVERAL; k++)
      sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  for (; i < fours; i += stride)
    sum += (x[i].x + x[i].y) + (x[i].z + x[i].w);
  sum = block_sum<16>(sum);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last)
    return;
  __threadfence();
  sum = 0;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += 512)
    sum += __ldcg(&parts[k]);
  sum = block_sum<16>(sum);
  if (threadIdx.x == 0) {
    *out = sum;
    *done = 0;
  }
}
