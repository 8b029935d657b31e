-- SPDX-License-Identifier: Apache-2.0
-- What is said of a mistake: the array's name and element, and which of a line's
-- accesses it was.
return {
{"element of an array that the compiler took apart", "uninitialised", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ int f[4];
  if (threadIdx.x == 0) { f[1] = n; if (!BAD || n < 5) f[3] = n + 1; }
  __syncthreads();
  if (f[1] * f[3] > 2) out[threadIdx.x] = 1; // !
}]==], text = {"f[3] decides a branch"}},
{"one of two extern arrays", "out-of-bounds", {1, 32, shared = 128}, "x out n", [==[
extern __shared__ float a[];
extern __shared__ int b[];
__global__ void k(const float *x, float *out, int n) {
  a[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a[31 - threadIdx.x];
  __syncthreads();
  b[threadIdx.x + BAD] = 1; // !
}]==], text = {"b[32], 4 bytes past the end of b"}, mark = "b[threadIdx.x + BAD]"},
{"index below 0 of unsigned numbers", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  out[threadIdx.x] = x[threadIdx.x - BAD]; // !
}]==], text = {"x[-1], 4 bytes before the start of"}, mark = "x[threadIdx.x - BAD]"},
{"one access of four on a line", "out-of-bounds", {2, 500}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 3 - 2 * BAD < n)
    out[i] = x[i] + x[i + 1] * x[i + 3 - 1] - x[i + n / 500]; // !
}]==], text = {"x[1000]"}, mark = "x[i + 3 - 1]"},
{"one row of a shared array", "out-of-bounds", {1, {8, 4}}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float s[4][8];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.y == 3)
    out[threadIdx.x] = s[0][0] + s[threadIdx.y + BAD][threadIdx.x] + s[1][1]; // !
}]==], text = {"s[32], 4 bytes past"}, mark = "s[threadIdx.y + BAD][threadIdx.x]"},
{"pairs in a shared array", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float2 s[32];
  s[threadIdx.x] = make_float2(x[threadIdx.x], 1);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + BAD].x; // !
}]==], text = {"s[32], 4 bytes past the end of s"}},
{"the one local array of a line", "out-of-bounds", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  float a[16];
  for (int i = 0; i < 16; i++) a[i] = idx[i] * 0.5f;
  out[threadIdx.x] = a[(idx[threadIdx.x] & 15) - 20 * BAD]; // !
}]==], text = {"a[-20], ", "before the start of a (local, 64 bytes)"}},
{"recursion that never gets to its end", "out-of-bounds", {1, 32}, "idx out n", [==[
__device__ int halves(int n) { return n == 0 ? 0 : 1 + halves(BAD ? n - 2 : n / 2) * n; } // !
__global__ void k(const int *idx, float *out, int n) {
  out[threadIdx.x] = halves(n | 1);
}]==], text = {"too deep a recursion", "halves has called itself"}},
{"local variable of a function that has returned", "out-of-bounds", {1, 32}, "idx out n", [==[
__device__ __noinline__ int *made(int n, int *mine) {
  int own[4];
  int *volatile p = BAD ? own : mine;
  for (int j = 0; j < 4; j++) p[j] = n * j;
  return p;
}
__global__ void k(const int *idx, float *out, int n) {
  int a[4];
  int *p = made(n, a);
  out[threadIdx.x] = p[idx[threadIdx.x] & 3]; // !
}]==], text = {"has returned"}},
{"loop whose step is 0", "timeout", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float sum = 0;
  int step = n / (BAD ? 2000 : 20);
  for (int i = threadIdx.x; i < n; i += step) sum += x[i]; // !
  out[threadIdx.x] = sum;
}]==], never = "division"},
}
