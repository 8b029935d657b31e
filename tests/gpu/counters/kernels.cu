// SPDX-License-Identifier: Apache-2.0
// Kernels whose counters are compared with Nsight Compute's: cases.def says how
// each is launched. All take the same arrays: `in` and `out` of 2^20 floats,
// `index` of as many pseudo-random whole numbers below 65536, and n = 65536.
#define KERNEL(name)                                                         \
  extern "C" __global__ void name(const float *in, float *out, int *index,   \
                                  int n)
#define I (blockIdx.x * blockDim.x + threadIdx.x)

// ---- Global memory ----

KERNEL(coalesced) { out[I] = in[I] + 1; }

KERNEL(partial) {
  int i = I;
  if (i < n) out[i] = in[i] + 1;
}

KERNEL(strided_2) { out[I] = in[I * 2]; }
KERNEL(strided_8) { out[I] = in[I * 8]; }
KERNEL(strided_32) { out[I * 32] = in[I * 32]; }
KERNEL(misaligned) { out[I + 1] = in[I + 3]; }
KERNEL(broadcast) { out[I] = in[I / 32] + in[0]; }

struct body {
  float x, y, z, mass;
};

KERNEL(array_of_structs) {
  const struct body *b = (const struct body *)in;
  out[I] = b[I].x * b[I + 1].mass;
}

KERNEL(struct_of_arrays) { out[I] = in[I] * in[I + n + 1]; }

KERNEL(float2_loads) {
  float2 v = ((const float2 *)in)[I];
  ((float2 *)out)[I] = make_float2(v.y, v.x);
}

KERNEL(float4_loads) {
  float4 v = ((const float4 *)in)[I];
  ((float4 *)out)[I] = make_float4(v.w, v.z, v.y, v.x);
}

KERNEL(float4_same) {
  float4 v = ((const float4 *)in)[I / 32];
  out[I] = v.x + v.y + v.z + v.w;
}

KERNEL(gather) { out[I] = in[index[I]]; }

KERNEL(bytes) {
  const char *from = (const char *)in;
  ((char *)out)[I] = from[I + 5];
}

KERNEL(store_same) { out[I / 32] = in[I / 32]; }
KERNEL(store_bytes_strided) { ((char *)out)[I * 3] = (char)n; }

KERNEL(some_lanes) {
  if (threadIdx.x % 32 < 20) out[I * 2] = in[I * 3];
}

// ---- Transposes ----

KERNEL(transpose_naive) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * 256 + y] = in[y * 256 + x];
}

template <int width>
static __device__ void transpose(const float *in, float *out) {
  __shared__ float tile[32][width];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 256 + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  out[y * 256 + x] = tile[threadIdx.x][threadIdx.y];
}

KERNEL(transpose_tiled) { transpose<32>(in, out); }
KERNEL(transpose_padded) { transpose<33>(in, out); }

// ---- Shared memory ----

template <typename T, int stride, int same>
static __device__ void read_shared(const float *in, T *out) {
  __shared__ T part[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    part[i] = ((const T *)in)[i];
  __syncthreads();
  out[I] = part[threadIdx.x / same * stride % 1024];
}

KERNEL(conflicts_2) { read_shared<float, 2, 1>(in, out); }
KERNEL(conflicts_8) { read_shared<float, 8, 1>(in, out); }
KERNEL(conflicts_32) { read_shared<float, 32, 1>(in, out); }
KERNEL(shared_broadcast) { read_shared<float, 1, 32>(in, out); }
KERNEL(shared_64) { read_shared<float2, 1, 1>(in, (float2 *)out); }
KERNEL(shared_64_strided) { read_shared<float2, 2, 1>(in, (float2 *)out); }
KERNEL(shared_64_pairs) { read_shared<float2, 1, 2>(in, (float2 *)out); }
KERNEL(shared_128) { read_shared<float4, 1, 1>(in, (float4 *)out); }
KERNEL(shared_128_strided) { read_shared<float4, 2, 1>(in, (float4 *)out); }

template <typename T, int stride, int same>
static __device__ void write_shared(const float *in, T *out) {
  __shared__ T part[2048];
  T *mine = &part[threadIdx.x / same * stride % 2048];
  *mine = ((const T *)in)[I / same];
  __syncthreads();
  out[I] = *mine;
}

KERNEL(store_conflicts_8) { write_shared<float, 8, 1>(in, out); }
KERNEL(store_64_strided) { write_shared<float2, 2, 1>(in, (float2 *)out); }
KERNEL(store_64_pairs) { write_shared<float2, 1, 2>(in, (float2 *)out); }
KERNEL(store_128_strided) { write_shared<float4, 2, 1>(in, (float4 *)out); }
KERNEL(store_shared_same) { write_shared<float, 1, 32>(in, out); }

KERNEL(shared_bytes) {
  __shared__ char part[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) part[i] = (char)index[i];
  __syncthreads();
  out[I] = part[threadIdx.x * 5] + part[threadIdx.x];
}

KERNEL(float_with_doubles) { out[I] = in[I] * 3.0 + 0.1; }

// ---- Branches ----

KERNEL(divergent_if) {
  float x = in[I], sum = 0;
  if (index[I] & 1) {
    for (int k = 0; k < 8; k++) sum = sum * x + in[k];
  } else {
    for (int k = 0; k < 8; k++) sum = sum / (x + 2) + in[k + 8];
  }
  out[I] = sum;
}

KERNEL(divergent_loop) {
  int steps = index[I] & 31, left = I;
  while (steps-- > 0) left = left % 2 ? 3 * left + 1 : left / 2;
  out[I] = left;
}

// ---- Sums ----

KERNEL(reduction) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = in[I];
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (t < k) part[t] += part[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

KERNEL(shuffle_sum) {
  float sum = in[I];
  for (int k = 16; k; k >>= 1) sum += __shfl_down_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) out[I / 32] = sum;
}

KERNEL(histogram) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[index[I] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd((int *)out + threadIdx.x, bins[threadIdx.x]);
}

KERNEL(global_atomics) {
  int old = atomicAdd(&index[I & 1023], 1);
  atomicMax((int *)out + (I & 15), old);
}

// ---- Numbers ----

KERNEL(stencil) {
  int i = I + 1;
  out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

KERNEL(matmul_naive) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 128; k++) sum += in[y * 128 + k] * in[k * 128 + x];
  out[y * 128 + x] = sum;
}

KERNEL(matmul_tiled) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int at = 0; at < 128; at += 16) {
    a[ty][tx] = in[y * 128 + at + tx];
    b[ty][tx] = in[(at + ty) * 128 + x];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  out[y * 128 + x] = sum;
}

KERNEL(doubles) {
  double x = in[I], sum = 0;
  for (int k = 0; k < 16; k++) sum = sum * x + 0.1;
  out[I] = sum;
}

KERNEL(special_functions) {
  float x = in[I];
  out[I] = __sinf(x) + __expf(x) + rsqrtf(x + 2) + __logf(x + 1);
}

// ---- Occupancy ----

KERNEL(local_array) {
  float a[64];
  for (int k = 0; k < 64; k++) a[k] = in[I + k];
  float sum = 0;
  for (int k = 0; k < 64; k++) sum += a[index[I + k] & 63];
  out[I] = sum;
}

KERNEL(many_registers) {
  float a[96];
#pragma unroll
  for (int k = 0; k < 96; k++) a[k] = in[I + k * 256];
  float sum = 0;
#pragma unroll
  for (int r = 1; r < 4; r++)
#pragma unroll
    for (int k = 0; k < 96; k++) sum = sum * a[k] + a[k * r % 96];
  out[I] = sum;
}

KERNEL(much_shared) {
  extern __shared__ float part[];
  part[threadIdx.x] = in[I];
  __syncthreads();
  out[I] = part[blockDim.x - 1 - threadIdx.x];
}

KERNEL(small_blocks) { out[I] = in[I] * 2; }
KERNEL(large_blocks) { out[I] = in[I] * 2; }
