-- SPDX-License-Identifier: Apache-2.0
-- Textures and surfaces, asynchronous copies, matrix instructions, the device
-- heap, constant memory.
return {
{"block freed twice", "use-after-free", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(16);
  if (!p) return;
  p[0] = 3;
  count[0] = p[0];
  free(p);
  if (BAD) free(p); // !
}]==]},
{"free of the middle of a block", "out-of-bounds", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(16);
  if (!p) return;
  p[1] = 3;
  count[0] = p[1];
  free(BAD ? p + 1 : p); // !
}]==]},
{"constant table written", "out-of-bounds", {1, 32}, "idx out n", [==[
__constant__ float table[32] = {1, 2, 3};
__global__ void k(const int *idx, float *out, int n) {
  size_t at = (size_t)table; // the compiler must not see where it leads
  asm volatile("" : "+l"(at));
  float *p = BAD ? (float *)at : out;
  p[idx[threadIdx.x]] = 4; // !
}]==]},
{"local array below its start", "out-of-bounds", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  float a[8];
  for (int j = 0; j < 8; j++) a[idx[j]] = j;
  out[threadIdx.x] = a[idx[threadIdx.x] % 8 - (BAD ? 4096 : 0)]; // !
}]==]},
{"recursion that misses its end", "out-of-bounds", {1, 1}, "idx count n", [==[
__device__ __noinline__ int down(const int *idx, int i) { // !
  volatile int here[8]; // !
  here[i & 7] = idx[i & 255]; // !
  if (BAD ? i == -1 : i <= 0) return here[i & 7]; // !
  return here[i & 7] + down(idx, i - 2); // !
} // !
__global__ void k(const int *idx, int *count, int n) {
  count[0] = down(idx, idx[10]);
}]==]},
{"texture of another dimension", "argument", {1, 32}, "tex out n", [==[
__global__ void k(cudaTextureObject_t tex, float *out, int n) {
  float x = threadIdx.x + 0.5f;
  if (BAD) out[threadIdx.x] = tex3D<float>(tex, x, 0.5f, 0.5f); // !
  else out[threadIdx.x] = tex2D<float>(tex, x, 0.5f);
}]==]},
{"column of a surface not in bytes", "misaligned", {1, 16}, "surf out n", [==[
__global__ void k(cudaSurfaceObject_t s, float *out, int n) {
  surf2Dwrite((float)threadIdx.x, s, threadIdx.x * (BAD ? 1 : 4), 0); // !
  out[threadIdx.x] = threadIdx.x;
}]==]},
{"column of a surface past its row", "out-of-bounds", {1, 32}, "surf out n", [==[
__global__ void k(cudaSurfaceObject_t s, float *out, int n) {
  if (BAD || threadIdx.x < 16)
    surf2Dwrite((float)threadIdx.x, s, threadIdx.x * 4, 1); // !
  out[threadIdx.x] = threadIdx.x;
}]==]},
{"wait for all copies but the last", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[128];
  __pipeline_memcpy_async(&t[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&t[threadIdx.x + 64], &x[threadIdx.x + 64], 4); // !
  __pipeline_commit();
  __pipeline_wait_prior(BAD ? 1 : 0);
  __syncthreads();
  out[threadIdx.x] = t[63 - threadIdx.x] + t[127 - threadIdx.x]; // !
}]==]},
{"copy waited for, but not by the others", "race", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  __pipeline_memcpy_async(&t[threadIdx.x], &x[threadIdx.x], 4); // !
  __pipeline_commit();
  __pipeline_wait_prior(0); // !
  if (!BAD) __syncthreads();
  out[threadIdx.x] = t[63 - threadIdx.x]; // !
}]==]},
{"copy of 16 bytes from any float", "misaligned", {1, 16}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float4 t[16];
  unsigned to = (unsigned)__cvta_generic_to_shared(&t[threadIdx.x]);
  const float *from = x + 4 * threadIdx.x + BAD;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from)); // !
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[threadIdx.x] = t[threadIdx.x].x;
}]==]},
{"asynchronous copy past the end", "out-of-bounds", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[64];
  int i = BAD ? 960 + threadIdx.x : threadIdx.x;
  __pipeline_memcpy_async(&t[threadIdx.x], &x[i], 4); // !
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = t[threadIdx.x];
}]==]},
{"mbarrier that too many arrive at", "barrier", {1, 32}, "count", [==[
__global__ void k(int *count) {
  __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 8;" :: "r"(at));
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("{ .reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%0], %1; }" :: "r"(at), "n"(BAD ? 9 : 3) : "memory"); // !
  if (threadIdx.x == 0) count[0] = 1;
}]==]},
{"matrix tile past the end", "out-of-bounds", {1, 32}, "halves out", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
  wmma::load_matrix_sync(f, a, BAD ? 32 : 16); // !
  out[threadIdx.x] = (float)f.x[0] * 0;
}]==]},
{"matrix tile read before its store is over", "race", {1, 64}, "halves out", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *out) {
  __shared__ float t[256];
  if (threadIdx.x < 32) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 2.0f);
    wmma::store_matrix_sync(t, c, 16, wmma::mem_row_major); // !
  }
  if (!BAD) __syncthreads();
  out[threadIdx.x] = t[threadIdx.x]; // !
}]==]},
{"counter in fresh memory", "uninitialised", {1, 32}, "freshint count", [==[
__global__ void k(int *fresh, int *count) {
  if (!BAD && threadIdx.x == 0) fresh[0] = 0;
  __syncthreads();
  atomicAdd(&fresh[0], 1); // !
}]==]},
{"surface cell read before the barrier", "race", {1, 32}, "surf out n", [==[
__global__ void k(cudaSurfaceObject_t s, float *out, int n) {
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  surf2Dwrite(1.0f * threadIdx.x, s, 4 * x, y); // !
  if (!BAD) __syncthreads();
  out[threadIdx.x] = surf2Dread<float>(s, 4 * (15 - x), y); // !
}]==]},
{"surface cell of another block", "race", {2, 32}, "surf out n", [==[
__global__ void k(cudaSurfaceObject_t s, float *out, int n) {
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  if (BAD || y == blockIdx.x)
    surf2Dwrite(1.0f * threadIdx.x + blockIdx.x, s, 4 * x, y); // !
}]==]},
{"texture of the array that the surface writes", "race", {1, 32}, "board boardtex out n", [==[
__global__ void k(cudaSurfaceObject_t s, cudaTextureObject_t t, float *out, int n) {
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float old = tex2D<float>(t, x + 0.5f, y + 0.5f);
  __syncthreads();
  surf2Dwrite(old + threadIdx.x, s, 4 * x, y);
  __syncthreads();
  out[threadIdx.x] = BAD ? tex2D<float>(t, x + 0.5f, y + 0.5f) // !
                         : surf2Dread<float>(s, 4 * x, y);
}]==]},
{"texture of the memory that the kernel writes", "race", {2, 32}, "row rowtex out n", [==[
__global__ void k(float *row, cudaTextureObject_t t, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float old = tex1Dfetch<float>(t, i);
  row[i] = 2 * old;
  out[i] = BAD ? tex1Dfetch<float>(t, i) : row[i]; // !
}]==]},
}
