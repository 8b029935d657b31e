-- SPDX-License-Identifier: Apache-2.0
-- Addresses that lie outside, are gone, or are not aligned.
return {
{"no guard", "out-of-bounds", {8, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BAD || i < n)
    out[i] = 2 * x[i % n]; // !
}]==]},
{"guard lets one too many in", "out-of-bounds", {8, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + BAD)
    out[i] = i; // !
}]==]},
{"reads one before the start", "out-of-bounds", {8, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float left = i > 0 || BAD ? x[i - 1] : 0; // !
    out[i] = x[i] - left;
  }
}]==]},
{"reads one behind the end", "out-of-bounds", {8, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float right = i + 1 < n || BAD ? x[i + 1] : 0; // !
  out[i] = x[i] + right;
}]==]},
{"grid-stride loop without its bound", "out-of-bounds", {2, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n + BAD * stride; i += stride)
    out[i] = x[i % n]; // !
}]==]},
{"rows and columns swapped", "out-of-bounds", {{1, 1}, {20, 10}}, "grid20x10", [==[
__global__ void k(int *a) { // 10 rows of 20
  int col = threadIdx.x, row = threadIdx.y;
  a[BAD ? col * 20 + row : row * 20 + col] = 1; // !
}]==]},
{"a row as long as a column", "out-of-bounds", {{2, 1}, {20, 10}}, "h w x out", [==[
__global__ void k(int rows, int columns, const float *x, float *out) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = threadIdx.y + 20;
  if (r >= rows || c >= columns) return;
  int i = BAD ? r * columns * 2 + c : r * columns + c;
  if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1)
    out[i] = x[c]; // !
}]==]},
{"shared array too short", "out-of-bounds", {1, 128}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[BAD ? 100 : 128];
  t[threadIdx.x] = x[threadIdx.x]; // !
  __syncthreads();
  out[threadIdx.x] = t[0];
}]==]},
{"halo without room", "out-of-bounds", {1, 64}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ float t[66 - 2 * BAD];
  t[threadIdx.x + 1] = x[threadIdx.x]; // !
  if (threadIdx.x == 0) t[0] = t[65 - 2 * BAD] = 0;
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + 1];
}]==]},
{"too little dynamic shared memory", "out-of-bounds", {1, 128, shared = 256}, "x out n", [==[
extern __shared__ float t[];
__global__ void k(const float *x, float *out, int n) {
  int used = BAD ? 128 : 64;
  if (threadIdx.x < used)
    t[threadIdx.x] = x[threadIdx.x]; // !
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x % 64];
}]==]},
{"local array overrun", "out-of-bounds", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  float a[16];
  for (int i = 0; i < 16; i++) a[i] = idx[i] * 0.5f;
  out[threadIdx.x] = a[idx[threadIdx.x] % (BAD ? 20000 : 16)]; // !
}]==]},
{"constant table overrun", "out-of-bounds", {1, 32}, "idx out n", [==[
__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__global__ void k(const int *idx, float *out, int n) {
  out[threadIdx.x] = weights[idx[threadIdx.x] % (BAD ? 9 : 8)]; // !
}]==]},
{"module variable overrun", "out-of-bounds", {1, 32}, "idx out n", [==[
__device__ float table[16];
__global__ void k(const int *idx, float *out, int n) {
  table[idx[threadIdx.x] % (BAD ? 32 : 16)] = 1; // !
  out[threadIdx.x] = 0;
}]==]},
{"float4 over a length that is no multiple of 4", "out-of-bounds", {1, 250}, "x998 out n", [==[
__global__ void k(const float *x, float *out, int n) { // x has 998 floats
  int i = threadIdx.x;
  if (i < 249 + BAD) {
    float4 v = reinterpret_cast<const float4 *>(x)[i]; // !
    out[i] = v.x + v.y + v.z + v.w;
  }
}]==]},
{"histogram bin out of range", "out-of-bounds", {1, 256}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) { // 16 bins
  int bin = idx[threadIdx.x] / 16;
  atomicAdd(&count[bin + BAD], 1); // !
}]==]},
{"shared histogram bin out of range", "out-of-bounds", {1, 256}, "idx count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[idx[threadIdx.x] / 16 + BAD], 1); // !
  __syncthreads();
  if (threadIdx.x < 16) count[threadIdx.x] = bins[threadIdx.x];
}]==]},
{"text without an end", "out-of-bounds", {1, 1}, "text100 count", [==[
__global__ void k(const unsigned char *text, int *count) { // no zero in 100 bytes
  int n = 0;
  for (const unsigned char *p = text; (BAD || n < 100) && *p != 0; p++) // !
    n++;
  count[0] = n;
}]==]},
{"null pointer", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float *to = (float *)(BAD ? (unsigned long long)(n - 1000) : (unsigned long long)out);
  to[threadIdx.x] = x[threadIdx.x]; // !
}]==]},
{"index overflows 32 bits", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int i = threadIdx.x * (BAD ? 100000000 : 1);
  out[i] = 1; // !
}]==]},
{"size used as an index", "out-of-bounds", {1, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  out[n - !BAD] = x[0]; // !
}]==]},
{"bytes taken for elements", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  int last = (n - 1) * (BAD ? sizeof(float) : 1);
  out[threadIdx.x] = x[last]; // !
}]==]},
{"column walk past the last row", "out-of-bounds", {1, 20}, "grid20x10", [==[
__global__ void k(int *a) { // 10 rows of 20
  for (int row = 0; row < 10 + BAD; row++)
    a[row * 20 + threadIdx.x] = row; // !
}]==]},
{"write behind a block of the device heap", "out-of-bounds", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(8 * sizeof(int));
  for (int i = 0; i < 8 + BAD; i++)
    p[i] = i; // !
  count[0] = p[3];
  free(p);
}]==]},
{"binary search leaves the array", "out-of-bounds", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  int low = 0, high = n - !BAD, want = 5000; // larger than all
  while (low < high) {
    int mid = (low + high + 1) / 2;
    if (idx[mid] <= want) low = mid; else high = mid - 1; // !
  }
  out[threadIdx.x] = low;
}]==]},
{"copy in pieces runs over", "out-of-bounds", {1, 64}, "x out n", [==[
#include <cuda_pipeline.h>
__global__ void k(const float *x, float *out, int n) {
  __shared__ __align__(16) float t[256];
  int at = 4 * threadIdx.x + (BAD ? 4 : 0);
  __pipeline_memcpy_async(&t[at], &x[4 * threadIdx.x], 16); // !
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = t[4 * threadIdx.x + 4 * BAD - 4 * BAD + 3 * !BAD];
}]==]},
{"free block read again", "use-after-free", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(4);
  *p = 5;
  if (BAD) free(p);
  count[0] = *p; // !
  if (!BAD) free(p);
}]==]},
{"list node used after its free", "use-after-free", {1, 1}, "count", [==[
struct node { int value; node *next; };
__global__ void k(int *count) {
  node *head = nullptr;
  for (int i = 0; i < 4; i++) {
    node *n = (node *)malloc(sizeof(node));
    n->value = i; n->next = head; head = n;
  }
  int sum = 0;
  for (node *n = head; n;) {
    node *dead = n, *next = n->next;
    sum += n->value;
    free(dead);
    n = BAD ? dead->next : next; // !
  }
  count[0] = sum;
}]==]},
{"freed array behind a table of pointers", "use-after-free", {1, 32}, "gone out n", [==[
__global__ void k(const unsigned long long *table, float *out, int n) {
  const float *rows = (const float *)table[0];
  out[threadIdx.x] = BAD ? rows[threadIdx.x] : 1; // !
}]==]},
{"float4 from an odd place", "misaligned", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  const float4 *v = (const float4 *)(x + BAD);
  float4 q = v[threadIdx.x]; // !
  out[threadIdx.x] = q.x + q.y + q.z + q.w;
}]==]},
{"int from bytes", "misaligned", {1, 16}, "text100 count", [==[
__global__ void k(const unsigned char *text, int *count) {
  count[threadIdx.x] = *(const int *)(text + (4 - BAD) * threadIdx.x); // !
}]==]},
{"double from floats", "misaligned", {1, 16}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  out[threadIdx.x] = (float)*(const double *)(x + (2 - BAD) * threadIdx.x) * 0; // !
}]==]},
{"64-bit atomic on a 32-bit place", "misaligned", {1, 1}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  atomicAdd((unsigned long long *)(out + 2 - BAD), 1ull); // !
}]==]},
{"float2 in shared memory", "misaligned", {1, 16}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  __shared__ __align__(16) float t[64];
  for (int i = threadIdx.x; i < 64; i += 16) t[i] = x[i];
  __syncthreads();
  float2 v = *(float2 *)&t[2 * threadIdx.x + BAD]; // !
  out[threadIdx.x] = v.x + v.y;
}]==]},
}
