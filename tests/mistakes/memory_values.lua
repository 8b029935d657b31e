-- SPDX-License-Identifier: Apache-2.0
-- Bytes that nobody wrote, blocks that nobody frees.
return {
{"array that was never filled decides a branch", "uninitialised", {1, 32}, "fresh out n", [==[
__global__ void k(const float *fresh, float *out, int n) {
  float v = BAD ? fresh[threadIdx.x] : 0; // !
  out[threadIdx.x] = 0;
  if (v > 0) out[threadIdx.x] = 1; // !
}]==]},
{"index that nobody wrote", "uninitialised", {1, 32}, "freshint out n", [==[
__global__ void k(int *fresh, float *out, int n) {
  if (!BAD) fresh[threadIdx.x] = threadIdx.x;
  out[fresh[threadIdx.x] & 31] = 1; // !
}]==]},
{"result that nobody wrote", "uninitialised", {1, 64}, "freshout", [==[
__global__ void k(float *fresh) { // 64 floats, copied to the host
  if (!BAD || threadIdx.x < 60) fresh[threadIdx.x] = threadIdx.x;
}]==], read = "freshout"},
{"sum of what nobody wrote reaches the host", "uninitialised", {1, 32}, "fresh out n", [==[
__global__ void k(const float *fresh, float *out, int n) {
  out[threadIdx.x] = BAD ? fresh[threadIdx.x] + 1 : 1; // !
}]==]},
{"edge of a tile never filled", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[34];
  t[threadIdx.x + 1] = x[threadIdx.x];
  if (threadIdx.x == 0 && !BAD) t[0] = t[33] = 0;
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + 1] + t[threadIdx.x + 2]; // !
}]==]},
{"counter in shared memory not zeroed", "uninitialised", {1, 64}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0 && !BAD) sum = 0;
  __syncthreads();
  atomicAdd(&sum, idx[threadIdx.x]); // !
  __syncthreads();
  if (threadIdx.x == 0) count[0] = sum;
}]==]},
{"dynamic shared memory not filled", "uninitialised", {1, 32, shared = 256}, "x out n", [==[
extern __shared__ float t[];
__global__ void k(const float *x, float *out, int n) {
  t[threadIdx.x] = x[threadIdx.x];
  if (!BAD) t[threadIdx.x + 32] = 0;
  __syncthreads();
  out[threadIdx.x] = t[63 - threadIdx.x] > 3 ? 1 : 0; // !
}]==]},
{"block of the device heap not filled", "uninitialised", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(64);
  for (int i = 0; i < 16 - BAD; i++) p[i] = i;
  int n = 0;
  for (int i = 0; i < 16; i++)
    if (p[i] > 7) n++; // !
  count[0] = n;
  free(p);
}]==]},
{"local array filled in part", "uninitialised", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  float a[64];
  for (int i = 0; i < 64 - 32 * BAD; i++) a[idx[i] % 64] = i;
  if (a[idx[threadIdx.x + 32]] > 0) // !
    out[threadIdx.x] = 1;
}]==]},
{"member of a structure not set", "uninitialised", {1, 32}, "freshint out n", [==[
struct pair { int a, b; };
__global__ void k(int *fresh, float *out, int n) {
  pair *p = (pair *)fresh;
  p[threadIdx.x].a = 1;
  if (!BAD) p[threadIdx.x].b = 2;
  pair q = p[threadIdx.x]; // !
  if (q.b == 2) out[threadIdx.x] = q.a; // !
}]==]},
{"block never freed", "leak", {1, 4}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(16); // !
  *p = threadIdx.x;
  count[threadIdx.x] = *p;
  if (!BAD) free(p);
}]==]},
{"only some threads free", "leak", {1, 4}, "count", [==[
__global__ void k(int *count) {
  char *p = (char *)malloc(100); // !
  p[0] = 1;
  count[threadIdx.x] = p[0];
  if (!BAD || threadIdx.x % 2) free(p);
}]==]},
{"128 bits of which a word was not written", "uninitialised", {1, 32},
 "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  __shared__ __align__(16) float s[128];
  int t = threadIdx.x * 4;
  for (int j = 0; j < 4; j++)
    if (!BAD || j != 2) s[t + j] = idx[t + j];
  asm volatile("{.reg .b128 q; ld.shared.b128 q, [%0]; st.global.b128 [%1], q;}" // !
    :: "l"(__cvta_generic_to_shared(s + t)), "l"(out + t) : "memory"); // !
}]==]},
{"128 bits at a multiple of 8 bytes", "misaligned", {1, 16}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  int t = threadIdx.x * 4 + (BAD ? 2 : 0);
  asm volatile("{.reg .b128 q; ld.global.b128 q, [%0]; st.global.b128 [%1], q;}" // !
    :: "l"(idx + t), "l"(out + threadIdx.x * 4) : "memory"); // !
}]==]},
{"sleep of two seconds", "sleep", {2, 64}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  __nanosleep(BAD ? 2000000000 : 1000000); // !
  out[threadIdx.x] = x[threadIdx.x];
}]==]},
{"sleep whose time some threads compute too long", "sleep", {1, 64}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  unsigned ns = (BAD ? 20001 : 15873) * threadIdx.x; // of 63: 1260063 or 999999
  __nanosleep(ns); // !
  out[threadIdx.x] = x[threadIdx.x];
}]==]},
{"mean of a bin that may be empty", "division", {4, 64}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count = x[i] % 100;
  out[i] = BAD || count ? 5000 / count : 0; // !
}]==]},
{"remainder by an argument that is 0", "division", {1, 64}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  unsigned turns = n - (BAD ? 1000 : 990);
  out[threadIdx.x] = (unsigned)x[threadIdx.x] % turns; // !
}]==]},
{"divisor that a thread has only in part of a warp", "division", {1, 64}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  short d = x[threadIdx.x] - 40;
  if (BAD ? d <= 0 : d < 0)
    out[threadIdx.x] = (short)n / d; // !
}]==]},
{"bit-field that was not set, beside one that was", "uninitialised", {1, 32}, "idx out n", [==[
struct Cell { unsigned kind : 5; bool is_wall : 1; bool is_exit : 1; };
__global__ void k(const int *x, float *out, int n) {
  __shared__ Cell s[32];
  s[threadIdx.x].kind = x[threadIdx.x];
  if (!BAD) s[threadIdx.x].is_exit = x[threadIdx.x] & 1;
  s[threadIdx.x].is_wall = true;
  __syncthreads();
  if (s[31 - threadIdx.x].is_exit) out[threadIdx.x] = s[31 - threadIdx.x].kind;
}]==], where = false},
{"flag raised in a mask that nobody cleared", "uninitialised", {1, 32}, "idx out n", [==[
__global__ void k(const int *x, float *out, int n) {
  __shared__ unsigned seen[32];
  if (!BAD) seen[threadIdx.x] = 0;
  seen[threadIdx.x] |= 1u << x[threadIdx.x] % 8; // !
  __syncthreads();
  if (seen[31 - threadIdx.x] & 2) out[threadIdx.x] = 1;
}]==]},
{"sum that starts with no value", "uninitialised", {4, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
#if BAD
  float sum;
#else
  float sum = 0;
#endif
  for (int i = 0; i < n; i++) sum += x[i]; // !
  out[blockIdx.x] = sum;
}]==], text = "what is read here was never given a value"},
{"sum that starts with no value, with its name", "uninitialised", {4, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float total;
  if (!BAD) total = 0;
  for (int i = 0; i < n; i++) total += x[i]; // !
  out[blockIdx.x * 32 + threadIdx.x] = total;
}]==], options = {"-G"}, text = "total was never given a value, and the host has got"},
{"variable that only some threads set decides a branch", "uninitialised", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int where;
  if (x[threadIdx.x] < 40 || !BAD) where = threadIdx.x;
  out[threadIdx.x] = 0;
  if (where > 20) out[threadIdx.x] = n; // !
}]==], options = {"-G"}, text = "where was never given a value, and decides a branch"},
{"index that was given no value", "uninitialised", {1, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int at;
  if (!BAD) at = 5;
  for (int i = 0; i < n; i++)
    if (x[i] == threadIdx.x + 2000) at = i;
  out[at] = 1; // !
}]==], options = {"-G"}, text = "was never given a value, and is used as an address"},
{"largest so far, of a function that is called", "uninitialised", {1, 32}, "x out n", [==[
__device__ __noinline__ float most(const float *x, int n) {
  float best;
  if (!BAD) best = x[0];
  for (int i = 0; i < n; i++)
    if (x[i] > best) best = x[i]; // !
  return best;
}
__global__ void k(const float *x, float *out, int n) {
  out[threadIdx.x] = most(x + threadIdx.x, n - 900);
}]==], options = {"-G"}, text = "was never given a value, and decides"},
{"variable handed to another thread by a shuffle", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float v;
  if (threadIdx.x < 16 || !BAD) v = x[threadIdx.x];
  v = __shfl_xor_sync(~0u, v, 16); // !
  out[threadIdx.x] = v; // !
}]==], text = "was never given a value"},
{"variable that is packed with another", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float2 v;
  v.x = x[threadIdx.x];
  if (threadIdx.x < 8 || !BAD) v.y = 1;
  ((float2 *)out)[threadIdx.x] = v; // !
}]==], options = {"-G"}, where = false},
{"function that returns no value on one way", "uninitialised", {1, 32}, "x out n", [==[
__device__ __noinline__ float root(float x) {
  if (x >= 16) return sqrtf(x);
  if (!BAD) return 0;
} // !
__global__ void k(const float *x, float *out, int n) {
  out[threadIdx.x] = root(x[threadIdx.x]); // !
}]==], options = {"-G"}, text = "what is read here was never given a value"},
{"sum of a warp from which threads have left", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  if (BAD && threadIdx.x >= 20) return;
  float v = threadIdx.x < 20 ? x[threadIdx.x] : 0;
  for (int o = 16; o; o /= 2)
    v += __shfl_down_sync(0xffffffff, v, o); // !
  if (threadIdx.x == 0) out[0] = v;
}]==], text = "its value is undefined, and the host has got what became of it"},
{"what a shuffle brings from outside of its mask", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 8) {
    for (int o = 4; o; o /= 2)
      v += __shfl_down_sync(0xff, v, o); // !
    if (BAD ? threadIdx.x < 2 : threadIdx.x < 1)
      out[threadIdx.x] = v > 3 ? 1 : 2; // !
  }
}]==], where = false},
{"exchange that looks at what nobody wrote", "uninitialised", {1, 32}, "freshint count", [==[
__global__ void k(int *fresh, int *count) {
  __shared__ int s;
  if (threadIdx.x == 0) {
    atomicExch(&s, 5); // needs no value before it
    atomicExch(&fresh[0], 0);
  }
  // Of all that exchange one cell only the first gets what was there before.
  if (BAD && atomicExch(&fresh[1], 0) == 3) count[3] = 1; // !
  atomicExch(threadIdx.x % 2 ? &fresh[2] : &count[2], 7); // in two arrays at once
  __syncthreads();
  atomicAdd(&s, 1);
  atomicAdd(&fresh[0], 1);
  __syncthreads();
  count[0] = s;
  count[1] = fresh[2];
}]==], never = "more thread"},
{"accumulator that nobody filled", "uninitialised", {1, 32}, "x out n", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const float *x, float *out, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(a, __float2half(x[0]));
  wmma::fill_fragment(b, __float2half(1));
  if (!BAD) wmma::fill_fragment(c, 0);
  for (int i = 0; i < n / 100; i++) wmma::mma_sync(c, a, b, c); // !
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}]==]},
{"rows of a matrix that nobody set", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  unsigned a[4], b[2] = {0x3c003c00, 0x3c003c00};
  float d[4];
  a[0] = a[2] = x[threadIdx.x] > 0 ? 0x3c003c00 : 0; // of rows 0 to 7
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.0f)); // !
  out[threadIdx.x] = d[BAD ? 2 : 0];
}]==]},
{"matrix of which half was never written, and all is used", "uninitialised", {1, 32}, "x out", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const float *x, float *out) {
  __shared__ __half t[256];
  __shared__ float sum[256];
  for (int i = threadIdx.x; i < 128; i += 32) t[i] = __float2half(x[i % 32]);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(b, __float2half(1));
  wmma::fill_fragment(c, 0);
  wmma::load_matrix_sync(a, t, 16); // !
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(sum, c, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < (BAD ? 144 : 128); i += 32) out[i] = sum[i]; // !
}]==]},
{"ldmatrix of rows that nothing wrote", "uninitialised", {1, 32}, "x out", [==[
#include <cuda_fp16.h>
__global__ void k(const float *x, float *out) {
  __shared__ __align__(16) __half t[64];
  t[threadIdx.x] = __float2half(x[threadIdx.x]); // rows 0 to 3
  __syncthreads();
  unsigned v, at = (unsigned)__cvta_generic_to_shared(t + threadIdx.x % 8 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at) : "memory"); // !
  if (BAD ? threadIdx.x < 20 : threadIdx.x < 16) out[threadIdx.x] = v; // !
}]==]},
{"ldmatrix of a second matrix that nothing wrote", "uninitialised", {1, 32}, "x out", [==[
#include <cuda_fp16.h>
__global__ void k(const float *x, float *out) {
  __shared__ __align__(16) __half t[128];
  t[threadIdx.x] = t[threadIdx.x + 32] = __float2half(x[threadIdx.x]); // the first
  __syncthreads();
  unsigned v, w, at = (unsigned)__cvta_generic_to_shared(t + threadIdx.x % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(at) : "memory"); // !
  out[threadIdx.x] = BAD ? w : v; // !
}]==]},
{"ldmatrix.trans of rows that nothing wrote", "uninitialised", {1, 32}, "x out", [==[
#include <cuda_fp16.h>
__global__ void k(const float *x, float *out) {
  __shared__ __align__(16) __half t[64];
  t[threadIdx.x] = __float2half(x[threadIdx.x]); // rows 0 to 3
  __syncthreads();
  unsigned v, at = (unsigned)__cvta_generic_to_shared(t + threadIdx.x % 8 * 8);
  for (int i = 0; i < 2; i++) // twice: the warp knows of undefined values then
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at) : "memory"); // !
  if (threadIdx.x % 4 < (BAD ? 3 : 2)) out[threadIdx.x] = v; // !
}]==]},
}
