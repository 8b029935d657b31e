-- SPDX-License-Identifier: Apache-2.0
-- Indices outside of their array, as learners write them (README.md: typed).
return {
{"whole blocks, no guard", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  out[i] = 2 * x[i];
+  if (i < n) out[i] = 2 * x[i];
}]==], explain = {"The grid has 1024 threads and x has 1000 elements", "if (i < n)"}, never = {"holds", "data"}},
{"guard with <=", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i <= n) out[i] = x[i];
+  if (i < n) out[i] = x[i];
}]==], explain = {"i <= n holds here (i is 1000, n is 1000)", "With i < n it stays out."}, never = {"need a guard", "#"}},
{"return with > for >=", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i > n) return;
+  if (i >= n) return;
  out[i] = x[i];
}]==], explain = {"i > n is false here (i is 1000, n is 1000)", "With i >= n it leaves."}, never = {"need a guard"}},
{"width or height for width and height", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
-  if (col < w || row < h)
+  if (col < w && row < h)
    out[row * w + col] = x[row * w + col];
}]==], explain = {"col < w || row < h holds here", "With col < w && row < h it stays out."}, never = {"need a guard"}},
{"return with and for or", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
-  if (col >= w && row >= h) return;
+  if (col >= w || row >= h) return;
  out[row * w + col] = x[row * w + col];
}]==], explain = {"col >= w && row >= h is false here", "With col >= w || row >= h it leaves."}, never = {"need a guard"}},
{"x * width + y", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h)
-    out[col * w + row] = 1;
+    out[row * w + col] = 1;
}]==], explain = {"col < w and row < h hold here", "the index col * w + row is 1000", "row * w + col is 25."}, never = {"need a guard", "stays out"}},
{"guard of the other direction", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
-  if (col < w && row < w)
+  if (col < w && row < h)
    out[row * w + col] = x[row * w + col];
}]==], explain = {"col < w and row < w hold here", "row is 25", "w is 40"}, never = {"need a guard", "col * w + row"}},
{"no guard in two directions", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
+  if (col < w && row < h)
  out[row * w + col] = 1;
}]==], explain = {"need a guard for each direction"}, never = {"if (row * w"}},
{"n larger than the arrays", "out-of-bounds", {9, 128}, "x out n1100", [==[
$K
  $I
-  if (i < n) out[i] = x[i];
+  if (i < n - 100) out[i] = x[i];
}]==], explain = {"The guard compares with n, and n says 1100: the array has 1000."}, never = {"need a guard"}},
{"right neighbour of the last", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i < n) out[i] = x[i] + x[i + 1];
+  if (i + 1 < n) out[i] = x[i] + x[i + 1];
}]==], explain = {"i < n holds here (i is 999, n is 1000), and the index i + 1 is 1000"}, never = {"need a guard", "Pass"}},
{"left neighbour of the first", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i < n) out[i] = x[i] - x[i - 1];
+  if (i > 0 && i < n) out[i] = x[i] - x[i - 1];
}]==], explain = {"i < n holds here (i is 0, n is 1000), and the index i - 1 is -1", "the first element is x[0]"}, never = {"need a guard", "has 1000"}},
{"guard i >= 0 before x[i - 1]", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i >= 0 && i < n) out[i] = x[i] - x[i - 1];
+  if (i >= 1 && i < n) out[i] = x[i] - x[i - 1];
}]==], explain = {"i >= 0 and i < n hold here", "the index i - 1 is -1"}, never = {"need a guard"}},
{"stencil guard forgets the left side", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i < n - 1)
+  if (i > 0 && i < n - 1)
    out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}]==], explain = {"i < n - 1 holds here", "the index i - 1 is -1"}, never = {"need a guard"}},
{"loop to n inclusive", "out-of-bounds", {1, 1}, "x out n", [==[
$K
  float sum = 0;
-  for (int j = 0; j <= n; j++) sum += x[j];
+  for (int j = 0; j < n; j++) sum += x[j];
  out[0] = sum;
}]==], explain = {"j <= n holds here (j is 1000, n is 1000)", "With j < n it stays out."}, never = {"need a guard", "grid has"}},
{"loop downwards from n", "out-of-bounds", {1, 1}, "x out n", [==[
$K
  float sum = 0;
-  for (int j = n; j >= 0; j--) sum += x[j];
+  for (int j = n - 1; j >= 0; j--) sum += x[j];
  out[0] = sum;
}]==], explain = {"j is 1000", "the last is x[999]"}, never = {"need a guard", "grid has"}},
{"while loop one too far", "out-of-bounds", {1, 1}, "x out n", [==[
$K
  int j = 0;
-  while (j <= n) { out[j] = x[0]; j++; }
+  while (j < n) { out[j] = x[0]; j++; }
}]==], explain = {"j <= n holds here", "j is 1000"}, never = {"need a guard"}},
{"grid-stride loop inclusive", "out-of-bounds", {4, 64}, "x out n", [==[
$K
  int stride = gridDim.x * blockDim.x;
-  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += stride)
+  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = 2 * x[i];
}]==], explain = {"i <= n holds here (i is 1000, n is 1000)", "With i < n"}, never = {"need a guard"}},
{"each thread does four, guard on the first", "out-of-bounds", {4, 64}, "x out n", [==[
$K
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first < n)
-    for (int j = 0; j <= 4; j++) out[first + j] = 1;
+    for (int j = 0; j < 4; j++) if (first + j == 4 * (first / 4) + j) out[first + j] = 1;
}]==], explain = {"first is 996", "j is 4", "index first + j is 1000"}, never = {"need a guard"}},
{"row loop with the width", "out-of-bounds", {1, 32}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = threadIdx.x;
-  for (int r = 0; r < w; r++)
+  for (int r = 0; r < h; r++)
    out[r * w + col] = 1;
}]==], explain = {"r < w holds here (r is 25, w is 40)", "index r * w + col is 10"}, never = {"need a guard", "col * w + r"}},
{"last element by n", "out-of-bounds", {1, 32}, "x out n", [==[
$K
-  out[threadIdx.x] = x[n];
+  out[threadIdx.x] = x[n - 1];
}]==], explain = {"The index n is 1000", "the last is x[999]"}, never = {"need a guard"}},
{"reversed, one too far", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i < n) out[i] = x[n - i];
+  if (i < n) out[i] = x[n - 1 - i];
}]==], explain = {"i < n holds here (i is 0, n is 1000), and the index n - i is 1000"}, never = {"need a guard"}},
{"twice the index", "out-of-bounds", {4, 128}, "x out n", [==[
$K
  $I
-  if (i < n) out[2 * i] = x[i];
+  if (2 * i < n) out[2 * i] = x[i];
}]==], explain = {"i < n holds here", "the index 2 * i is 1000"}, never = {"need a guard", "Pass"}},
{"block by its own size twice", "out-of-bounds", {8, 128}, "x out n", [==[
$K
-  int i = blockIdx.x * blockDim.x * blockDim.x + threadIdx.x;
+  int i = blockIdx.x * blockDim.x + threadIdx.x;
+  if (i < n)
  out[i] = x[i % n];
}]==], explain = {"The index i is 16384", "the last is out[999]"}, never = {"guard"}},
{"i is 1-based", "out-of-bounds", {8, 125}, "x out n", [==[
$K
-  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
+  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3;
}]==], explain = {"The index i is 1000 in this thread", "the last is out[999]"}, never = {"grid has", "data"}},
{"bins without a check", "out-of-bounds", {4, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) { // 16 bins
  $I
-  if (i < n) atomicAdd(&count[data[i]], 1);
+  if (i < n && data[i] < 16) atomicAdd(&count[data[i]], 1);
}]==], explain = {"The index is data: data[i] is ", "count has 16 elements"}, never = {"need a guard", "Pass", "compares"}},
{"bin by a variable", "out-of-bounds", {4, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) {
  $I
  if (i < n) {
-    int bin = data[i] / 16;
+    int bin = data[i] / 20;
    atomicAdd(&count[bin], 1);
  }
}]==], explain = {"bin = data[i] / 16 is ", "count has 16 elements"}, never = {"need a guard", "Pass", "compares"}},
{"letters of signed char", "out-of-bounds", {1, 64}, "chars count n", [==[
-__global__ void k(const char *text, int *count, int n) {
+__global__ void k(const signed char *text, int *count, int n) {
  int i = threadIdx.x;
-  atomicAdd(&count[text[i]], 1);
+  atomicAdd(&count[(unsigned char)text[i] % 16], 1);
}]==], explain = {"The index is data: text[i] is -", "unsigned char"}, never = {"need a guard", "Pass"}},
{"gather by unchecked numbers", "out-of-bounds", {1, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) {
  int t = threadIdx.x;
-  int from = data[t];
+  int from = data[t] % 16;
  int v = count[from];
  if (v > 1) atomicAdd(&count[0], v);
}]==], explain = {"from = data[t] is ", "count has 16"}, never = {"need a guard", "Pass"}},
{"scatter by a negative number", "out-of-bounds", {1, 64}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  int t = threadIdx.x;
  if (t < n)
-    out[idx[t] - 5] = 1;
+    out[idx[t]] = 1;
}]==], explain = {"The index is data: idx[t] - 5 is -", "first element is out[0]"}, never = {"need a guard", "char"}},
{"shared array of half a block", "out-of-bounds", {1, 128}, "x out n", [==[
$K
-  __shared__ float t[64];
+  __shared__ float t[128];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[0];
}]==], explain = {"The block has 128 threads and t has 64 elements"}, never = {"grid has"}},
{"neighbour in shared memory", "out-of-bounds", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
-  if (i < 64) out[i] = t[i + 1];
+  if (i < 63) out[i] = t[i + 1];
}]==], explain = {"i < 64 holds here", "the index i + 1 is 64", "t has 64 elements"}, never = {"need a guard"}},
{"shared index of the whole grid", "out-of-bounds", {4, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  $I
-  t[i] = x[i];
+  t[threadIdx.x] = x[i];
  __syncthreads();
  out[i] = t[63 - threadIdx.x];
}]==], explain = {"The index i is 64 in this thread", "t has 64 elements"}, never = {"need a guard", "grid has"}},
{"tile with a #define too small", "out-of-bounds", {1, 64}, "x out n", [==[
#define SMALL_TILE 32
$K
-  __shared__ float t[SMALL_TILE];
+  __shared__ float t[2 * SMALL_TILE];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[1];
}]==], explain = {"The block has 64 threads and t has 32 elements"}, never = {"grid has"}},
{"reduction that starts with the block", "out-of-bounds", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int tid = threadIdx.x;
  t[tid] = x[tid];
  __syncthreads();
-  for (int s = blockDim.x; s > 0; s /= 2) {
+  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) t[tid] += t[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[0] = t[0];
}]==], explain = {"s is 64", "index tid + s is 64", "t has 64 elements"}, never = {"need a guard"}},
{"output of one block per sum, by i", "out-of-bounds", {4, 64}, "x sums4 n", [==[
__global__ void k(const float *x, float *sums, int n) { // a cell for each block
  $I
-  if (i < n) sums[i] = 1;
+  if (threadIdx.x == 0) sums[blockIdx.x] = x[i];
}]==], explain = {"sums has 4 elements", "i < n holds"}, never = {"data"}},
{"guard tests another variable", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (threadIdx.x < n) out[i] = 5;
+  if (i < n) out[i] = 5;
}]==], explain = {"threadIdx.x < n holds here", "i is 1000"}, never = {"need a guard"}},
{"ternary reads one too far", "out-of-bounds", {8, 125}, "x out n", [==[
$K
  $I
-  float right = i < n ? x[i + 1] : 0;
+  float right = i + 1 < n ? x[i + 1] : 0;
  out[i] = right;
}]==], explain = {"i < n holds here (i is 999, n is 1000), and the index i + 1 is 1000"}, never = {"need a guard"}},
{"and in the wrong order", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (x[i] >= 0 && i < n) out[i] = 1;
+  if (i < n && x[i] >= 0) out[i] = 1;
}]==], explain = {"The grid has 1024 threads and x has 1000 elements", "if (i < n)"}, never = {"holds here"}},
{"grid in y taken for x", "out-of-bounds", {{1, 8}, 125}, "x out n", [==[
$K
-  int i = blockIdx.y * 250 + threadIdx.x;
+  int i = blockIdx.y * blockDim.x + threadIdx.x;
  out[i] = 1;
}]==], explain = {"The index i is 1000 in this thread"}, never = {"data"}},
{"column of a table past its height", "out-of-bounds", {1, 40}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  float sum = 0;
-  for (int r = 0; r <= h; r++) sum += x[r * w + threadIdx.x];
+  for (int r = 0; r < h; r++) sum += x[r * w + threadIdx.x];
  out[threadIdx.x] = sum;
}]==], explain = {"r <= h holds here (r is 25, h is 25)", "With r < h it stays out."}, never = {"need a guard"}},
{"convolution without its border", "out-of-bounds", {8, 125}, "x out n", [==[
$K
  $I
  float sum = 0;
  for (int d = -2; d <= 2; d++)
+    if (i + d >= 0 && i + d < n)
    sum += x[i + d];
  out[i] = sum;
}]==], explain = {"the index i + d is -2", "d is -2"}, never = {"grid has", "stays out"}},
{"index of int that overflows", "out-of-bounds", {1, 32}, "x out n", [==[
$K
-  int i = threadIdx.x * 70000 * 70000;
+  int i = threadIdx.x;
  out[i] = 1;
}]==], explain = false, never = {"need a guard", "grid has"}},
{"half of the arrays, guard in the caller's head", "out-of-bounds", {2, 512}, "x out n", [==[
$K
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
-  out[i] = x[i];
+  if (i >= n) return;
+  out[i] = x[i];
}]==], explain = {"The grid has 1024 threads and x has 1000 elements", "if (i < n)"}, never = {"holds"}},
{"unsigned difference", "out-of-bounds", {1, 32}, "x out n", [==[
$K
  unsigned i = threadIdx.x;
-  out[i] = x[i - 1];
+  out[i] = i > 0 ? x[i - 1] : 0;
}]==], explain = {"The index i - 1 is -1 in this thread", "first element is x[0]"}, never = {"grid has", "need a guard"}},
{"pointer one past", "out-of-bounds", {1, 32}, "x out n", [==[
$K
  const float *p = x + n;
-  out[threadIdx.x] = *p;
+  out[threadIdx.x] = *(p - 1);
}]==], explain = false, never = {"need a guard", "grid has", "holds"}},
{"a cell for each thread, where there is one for each block", "out-of-bounds", {4, 32}, "x sums4", [==[
__global__ void k(const float *x, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
-  sums[i] = x[i];
+  if (threadIdx.x == 0) sums[blockIdx.x] = x[i];
}]==], explain = {"sums has 4 elements, one for each block: blockIdx.x is a block's number."}, never = {"need a guard"}},
{"pointer and number, no guard", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  *(out + i) = 1;
+  if (i < n) *(out + i) = 1;
}]==], explain = {"The grid has 1024 threads and out has 1000 elements", "if (i < n)"}, never = {"data", "holds"}},
{"pointer and number, the neighbour", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
-  if (i < n) out[i] = *(x + i + 1);
+  if (i + 1 < n) out[i] = *(x + i + 1);
}]==], explain = {"i < n holds here (i is 999, n is 1000), and the index i + 1 is 1000"}, never = {"need a guard"}},
{"atomic at pointer and data", "out-of-bounds", {1, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) {
-  atomicAdd(count + data[threadIdx.x] % 20, 1);
+  atomicAdd(count + data[threadIdx.x] % 16, 1);
}]==], explain = {"The index is data: data[threadIdx.x] % 20 is", "the last is count[15]"}, never = {"need a guard"}},
{"one row too far of a tile", "out-of-bounds", {1, {8, 4}}, "x out n", [==[
$K
  __shared__ float s[4][8];
  int c = threadIdx.x, r = threadIdx.y;
  s[r][c] = x[8 * r + c];
  __syncthreads();
-  out[8 * r + c] = s[r + 1][c];
+  out[8 * r + c] = s[3 - r][c];
}]==], explain = {"In s[r + 1][c] the index r + 1 is 4, and that bracket of s goes from 0 to 3"}, never = {"need a"}},
{"tile by column and row", "out-of-bounds", {1, {16, 4}}, "x out n", [==[
$K
  __shared__ float s[4][16];
  int c = threadIdx.x, r = threadIdx.y;
-  s[c][r] = x[16 * r + c];
+  s[r][c] = x[16 * r + c];
  __syncthreads();
  out[16 * r + c] = s[0][0];
}]==], explain = {"In s[c][r] the index c is", "that bracket of s goes from 0 to 3"}, never = {"need a"}},
{"bin one too high, by a variable", "out-of-bounds", {1, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) {
  int bin = data[threadIdx.x] % 16;
-  atomicAdd(&count[bin + 1], 1);
+  atomicAdd(&count[bin], 1);
}]==], explain = {"The index is data: bin = data[threadIdx.x] % 16, and bin + 1 is 16 in this thread"}, never = {"need a guard"}},
{"bytes where elements are counted", "out-of-bounds", {1, 32}, "x out n", [==[
$K
-  out[threadIdx.x] = x[threadIdx.x * sizeof(float) * 100];
+  out[threadIdx.x] = x[threadIdx.x];
}]==], explain = {"threadIdx.x * sizeof(float) * 100 is 1200"}, never = {"need a guard"}},
{"product that an int does not hold", "out-of-bounds", {64, 64}, "x out n", [==[
$K
  $I
-  int at = i * i * 40000;
+  int at = i * i % 1000;
  if (i > 300) out[at] = 1;
}]==], explain = {"The index at = i * i * 40000 comes to 3624040000 (i is 301)", "more than the 32 bits of an int hold: what is left of it is -670927296"}, never = {"need a guard"}},
{"next block's cell", "out-of-bounds", {4, 32}, "x sums4", [==[
__global__ void k(const float *x, float *sums) {
-  if (threadIdx.x == 0) sums[blockIdx.x + 1] = x[blockIdx.x];
+  if (threadIdx.x == 0) sums[blockIdx.x] = x[blockIdx.x];
}]==], explain = {"The index blockIdx.x + 1 is 4 in this thread (blockIdx.x is 3)", "the last is sums[3]"}, never = {"need a guard", "one for each block"}},
}
