-- SPDX-License-Identifier: Apache-2.0
-- Mistakes that show inside of a header's function, built with -G, where those
-- are real calls: the line is the learner's own.
return {
{"atomicAdd past the end", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  atomicAdd(out + (int)x[threadIdx.x] + (BAD ? 990 : 0), 1.0f); // !
}]==], options = {"-G"}},
{"plain store beside atomicMax", "race", {1, 64}, "idx count n", [==[
__global__ void k(const int *x, int *count, int n) {
  if (threadIdx.x == 0) count[0] = -1; // !
  if (!BAD) __syncthreads();
  atomicMax(count, x[threadIdx.x]); // !
}]==], options = {"-G"}},
{"block-wide atomics of two blocks", "race", {2, 32}, "idx count n", [==[
__global__ void k(const int *x, int *count, int n) {
  if (BAD) atomicAdd_block(count, x[threadIdx.x]); // !
  else atomicAdd(count, x[threadIdx.x]);
}]==], options = {"-G"}},
{"cached store through two functions", "out-of-bounds", {1, 32}, "x out n", [==[
__device__ void put(float *x, int i, float v) {
  __stcs(x + i, v); // !
}
__global__ void k(const float *x, float *out, int n) {
  put(out, threadIdx.x + (BAD ? 970 : 0), x[threadIdx.x]);
}]==], options = {"-G"}},
{"shuffle whose mask names threads of the other branch", "barrier", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16)
    v += __shfl_xor_sync(BAD ? 0xffffffff : 0xffff, v, 8); // !
  out[threadIdx.x] = v;
}]==], options = {"-G"}},
{"collective copy past the end", "out-of-bounds", {1, 32}, "x out n", [==[
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const float *x, float *out, int n) {
  __shared__ float s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, x + (BAD ? 950 : 0), sizeof s); // !
  cg::wait(block);
  out[threadIdx.x] = s[63 - threadIdx.x];
}]==], options = {"-G"}},
{"block.sync() in a branch", "barrier", {1, 64}, "x out n", [==[
#include <cooperative_groups.h>
__global__ void k(const float *x, float *out, int n) {
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  if (threadIdx.x < 40 || !BAD)
    block.sync(); // !
  out[threadIdx.x] = x[threadIdx.x];
}]==], options = {"-G"}},
{"loop that waits for an atomic nobody makes", "deadlock", {1, 1}, "idx count n", [==[
__global__ void k(const int *x, int *count, int n) {
  if (!BAD) atomicExch(count, 1);
  while (atomicAdd(count, 0) == 0) {} // !
}]==], options = {"-G"}},
{"block of new never deleted", "leak", {1, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float *p = new float[4]; // !
  p[0] = x[1];
  out[0] = p[0];
  if (!BAD) delete[] p;
}]==], options = {"-G"}},
{"histogram bin that nobody cleared", "uninitialised", {1, 32}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  __shared__ int bins[32];
  if (!BAD) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[x[threadIdx.x]], 1); // !
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}]==], options = {"-G"}},
}
