-- SPDX-License-Identifier: Apache-2.0
-- Mistakes of many kinds, written when the rules were done (README.md: typed).
return {
-- Pointers that walk along an array.
{"pointer loop with <=", "out-of-bounds", {1, 32}, "x out n", [==[
$K
  float sum = 0;
-  for (const float *p = x; p <= x + n; p++) sum += *p;
+  for (const float *p = x; p < x + n; p++) sum += *p;
  out[threadIdx.x] = sum;
}]==], explain = {"p is x + 1000 here", "the last is x[999]", "p <= x + n"}, never = {"need a guard", "data"}},
{"letters counted to a zero that is not there", "out-of-bounds", {1, 1}, "text100 count", [==[
__global__ void k(const unsigned char *text, int *count) {
  int letters = 0;
-  for (const unsigned char *c = text; *c; c++) {
+  for (const unsigned char *c = text; c < text + 100; c++) {
    letters++;
  }
  count[0] = letters;
}]==], explain = {"c is text + 100 here", "while *c"}, never = {"need a guard", "data"}},
{"pointer of one row, end of another", "out-of-bounds", {1, 25}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  float sum = 0;
  const float *row = x + threadIdx.x * w;
-  for (int j = 0; j <= w; j++) sum += row[j];
+  for (int j = 0; j < w; j++) sum += row[j];
  out[threadIdx.x] = sum;
}]==], explain = {"j is 40", "the last is"}, never = {"need a guard", "data"}},
{"alias with its guard one too far", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
  float *result = out;
-  if (i <= n) result[i] = 3;
+  if (i < n) result[i] = 3;
}]==], explain = {"i <= n holds here (i is 1000, n is 1000)", "With i < n it stays out."}, never = {"need a guard"}},
-- Wider elements.
{"float4 copies, one for each thread", "out-of-bounds", {2, 128}, "x out n", [==[
$K
  $I
-  reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(x)[i];
+  if (i < n / 4) reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(x)[i];
}]==], explain = {"As float4 the index i, which is 250", "250 whole float4"}, never = {"data", "more that want"}},
{"float2 through a second pointer, guard of the floats", "out-of-bounds", {8, 128}, "x out n", [==[
$K
  $I
  const float2 *x2 = (const float2 *)x;
-  if (i < n) out[i] = x2[i].x + x2[i].y;
+  if (i < n / 2) out[i] = x2[i].x + x2[i].y;
}]==], explain = {"As float2 the index i", "500 whole float2"}, never = {"data", "more that want", "need a guard"}},
-- Local arrays.
{"local bins by what is in memory", "out-of-bounds", {1, 32}, "idx count n", [==[
$C
  int seen[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int j = 0; j < 32; j++) {
-    seen[idx[j]]++;
+    seen[idx[j] % 8]++;
  }
  if (threadIdx.x == 0) count[0] = seen[idx[3]];
}]==], explain = {"The index is data: idx[j] is 8"}, never = {"need a guard"}},
{"local polynomial one coefficient too far", "uninitialised", {1, 32}, "x out n", [==[
$K
  float c[5];
  for (int j = 0; j < 5; j++) c[j] = x[j + threadIdx.x];
  float sum = 0;
-  for (int j = 5; j >= 0; j--) sum = sum * x[threadIdx.x] + c[(n - 1000 + j)];
+  for (int j = 4; j >= 0; j--) sum = sum * x[threadIdx.x] + c[(n - 1000 + j)];
  out[threadIdx.x] = sum;
}]==], explain = {"j >= 0 holds here (j is 5)", "is 5: c has 5 elements"}, never = {"need a guard", "data"}},
{"rows and columns of a local table", "uninitialised", {1, 16}, "idx count n", [==[
$C
  int m[2][3];
  for (int j = 0; j < 6; j++) m[j / 3][j % 3] = idx[j];
-  count[threadIdx.x] = m[idx[threadIdx.x] % 3][idx[threadIdx.x] % 2];
+  count[threadIdx.x] = m[idx[threadIdx.x] % 2][idx[threadIdx.x] % 3];
}]==], explain = false, never = {"need a guard"}},
-- Memory that a kernel takes.
{"malloc of so many bytes, so many ints", "out-of-bounds", {1, 1}, "count", [==[
__global__ void k(int *count) {
-  int *p = (int *)malloc(16);
+  int *p = (int *)malloc(16 * sizeof(int));
  for (int i = 0; i < 16; i++) p[i] = i;
  count[0] = p[7];
  free(p);
}]==], explain = {"i < 16 holds here (i is 4)", "p has 4 elements"}, never = {"need a guard"}},
{"new of n, filled to n inclusive", "out-of-bounds", {1, 1}, "count n40", [==[
__global__ void k(int *count, int n) {
  int *list = new int[n];
-  for (int i = 0; i <= n; i++) list[i] = i;
+  for (int i = 0; i < n; i++) list[i] = i;
  count[0] = list[n / 2];
  delete[] list;
}]==], explain = {"i <= n holds here (i is 40, n is 40)", "With i < n it stays out."}, never = {"need a guard"}},
{"free of a pointer that was moved", "out-of-bounds", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(40);
  if (!p) return;
-  for (int i = 0; i < 10; i++) *p++ = i;
+  for (int i = 0; i < 10; i++) p[i] = i;
  free(p);
  count[0] = 1;
}]==], explain = {"what malloc() returned", "moved on"}, never = {"need a guard"}},
-- Copies beside the threads.
{"tile copied in the background and used at once", "race", {4, 128}, "x out n", [==[
$K
  __shared__ float tile[128];
  $I
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(float)); //@a
  __pipeline_commit();
+  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[127 - threadIdx.x]; //@b
}]==], include = "cuda_pipeline.h", explain = {"copy on line {a}", "nothing waits for it before line {b}"}, never = {"atomicAdd"}},
{"each waits for its own copy", "race", {2, 64}, "x out n", [==[
$K
  __shared__ float tile[64];
  $I
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0); //@a
+  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % 64];
}]==], include = "cuda_pipeline.h", explain = {"wait on line {a} is for the thread's own copies alone", "__syncthreads()"}, never = {"atomicAdd"}},
-- Flags and counters.
{"total published, then its flag", "race", {2, 32}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  if (threadIdx.x > 0) return;
  if (blockIdx.x == 0) {
    out[5] = x[1] + x[2]; //@a
+    __threadfence();
    atomicExch(&count[3], 1); //@b
  } else {
    while (atomicAdd(&count[3], 0) == 0) {}
    out[6] = out[5];
  }
}]==], explain = {"Line {a} writes", "line {b} tells others", "without __threadfence()"}, never = {"atomicAdd(&out"}},
{"the last block adds up the parts", "race", {8, 64}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  __shared__ int rank;
  if (threadIdx.x == 0) {
    out[blockIdx.x + 10] = x[blockIdx.x]; //@a
+    __threadfence();
    rank = atomicAdd(&count[0], 1); //@b
  }
  __syncthreads();
  if (rank == gridDim.x - 1 && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[b + 10];
    out[0] = sum;
  }
}]==], explain = {"Line {a} writes", "line {b} tells others", "without __threadfence()"}, never = {"atomicAdd(&out"}},
{"ticket of the block's own scope", "race", {2, 32}, "x out count", [==[
__global__ void k(const float *x, float *out, int *count) {
  if (threadIdx.x > 0) return;
  if (blockIdx.x == 0) {
    out[1] = x[7];
    __threadfence();
-    atomicAdd_block(&count[0], 1); //@a
+    atomicAdd(&count[0], 1);
  } else {
    while (*(volatile int *)count == 0) {}
    out[2] = out[1];
  }
}]==], explain = {"atomicAdd_block on line {a} orders the threads of its own block only", "atomicAdd is for all"}, never = {"__threadfence"}},
-- In place.
{"smoothing in place through a pointer", "race", {8, 128}, "x out n", [==[
$K
  $I
  float *a = out;
  float next = 0;
-  if (i + 1 < n) next = a[i + 1]; //@a
+  if (i + 1 < n) next = x[i + 1];
  if (i < n) a[i] = next; //@b
}]==], explain = {"write to another array"}, never = {"atomicAdd"}},
{"two buffers, both the same", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float buf[2][64];
  int t = threadIdx.x;
  buf[0][t] = x[t];
  buf[1][t] = 0;
  __syncthreads();
  for (int step = 0; step < 6; step++) {
    int now = step & 1;
-    int next = now;
+    int next = 1 - now;
    buf[next][t] = 0.5f * (buf[now][t] + buf[now][(t + 63) % 64]); //@a
    __syncthreads();
  }
  out[t] = buf[0][t];
}]==], explain = {"Line {a} reads cells that other threads write in the same step"}, never = {"atomicAdd", "missing between"}},
{"list ranking in place", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float v[64];
  int t = threadIdx.x;
  v[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
-    if (t >= d) v[t] += v[t - d]; //@a
-    __syncthreads();
+    float add = t >= d ? v[t - d] : 0;
+    __syncthreads();
+    v[t] += add;
+    __syncthreads();
  }
  out[t] = v[t];
}]==], explain = {"Line {a} reads cells that other threads write in the same step"}, never = {"atomicAdd"}},
-- Images.
{"blur with a guard of the middle only", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
-  if (col < w && row < h) {
+  if (col < w && row < h - 1) {
    out[row * w + col] = (x[row * w + col] + x[(row + 1) * w + col]) / 2;
  }
}]==], explain = {"col < w and row < h hold here", "the index (row + 1) * w + col is 1000"}, never = {"need a guard", "stays out"}},
{"flipped image, one row too far", "out-of-bounds", {{2, 2}, {32, 16}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= w || row >= h) return;
-  out[(h - row) * w + col] = x[row * w + col];
+  out[(h - 1 - row) * w + col] = x[row * w + col];
}]==], explain = {"is false here", "the index (h - row) * w + col is 1000"}, never = {"need a guard"}},
{"pixels of three bytes by one", "out-of-bounds", {1, 64}, "text100 count", [==[
__global__ void k(const unsigned char *text, int *count) {
  int i = threadIdx.x;
-  int grey = text[3 * i] + text[3 * i + 1] + text[3 * i + 2];
+  int grey = i < 33 ? text[3 * i] + text[3 * i + 1] + text[3 * i + 2] : 0;
  atomicAdd(&count[0], grey);
}]==], explain = {"in this thread", "is 100"}, never = {"data", "holds"}},
-- Sorting and searching.
{"pairs in a sort, the last without a partner", "out-of-bounds", {1, 500}, "x out n", [==[
$K
  int i = 2 * threadIdx.x + 1;
-  if (i < n && x[i] > x[i + 1]) out[i] = 1;
+  if (i + 1 < n && x[i] > x[i + 1]) out[i] = 1;
}]==], explain = {"i < n holds here (i is 999, n is 1000)", "the index i + 1 is 1000"}, never = {"need a guard"}},
{"odd-even sort without a barrier", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = -x[t];
  __syncthreads();
  for (int phase = 0; phase < 64; phase++) { //@a
    int i = 2 * t + phase % 2;
    if (i + 1 < 64 && s[i] > s[i + 1]) {
      float keep = s[i];
      s[i] = s[i + 1];
      s[i + 1] = keep;
    }
+    __syncthreads();
  }
  out[t] = s[t];
}]==], explain = {"barrier is missing between the rounds of the loop on line {a}"}, never = {"atomicAdd"}},
{"lower bound past the end", "out-of-bounds", {1, 32}, "idx count n", [==[
$C
  int lo = 0, hi = n;
-  while (lo <= hi) {
+  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (idx[mid] < 100000)
      lo = mid + 1;
    else
-      hi = mid - 1;
+      hi = mid;
  }
  count[threadIdx.x % 16] = lo;
}]==], explain = {"The index mid is 1000 in this thread"}, never = {"need a guard", "data"}},
-- Compaction and queues.
{"kept elements by a plain counter", "race", {4, 128}, "data count n", [==[
$C
  $I
-  if (i < n && idx[i] % 7 == 0) count[0]++;
+  if (i < n && idx[i] % 7 == 0) atomicAdd(&count[0], 1);
}]==], explain = {"atomicAdd(&count[0]"}, never = {"barrier is missing"}},
{"slots of a list that is too short", "out-of-bounds", {4, 128}, "data count n", [==[
__global__ void k(const int *idx, int *count, int n) {
  $I
  if (i < n && idx[i] > 200) {
    int slot = 1 + atomicAdd(&count[0], 1);
-    count[slot] = i;
+    if (slot < 16) count[slot] = i;
  }
}]==], explain = {"slot = 1 + atomicAdd(&count[0], 1)", "is 16"}, never = {"need a guard"}},
-- Warps.
{"sum of a warp after some have left", "uninitialised", {1, 32}, "x out n40", [==[
$K
-  if (threadIdx.x >= 20) return;
-  float v = x[threadIdx.x];
+  float v = threadIdx.x < 20 ? x[threadIdx.x] : 0;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) out[0] = v;
}]==], explain = {"from a thread that has left, or that the mask does not name"}, never = {"where it is declared"}},
-- Values that were never set.
{"smallest that begins with nothing", "uninitialised", {1, 32}, "x out n", [==[
$K
-  float least;
+  float least = 1e30f;
  for (int j = threadIdx.x; j < n; j += 32) {
    if (x[j] < least) least = x[j];
  }
  out[threadIdx.x] = least;
}]==], explain = {"until it is given one"}, never = {"barrier"}},
{"shared total that only one sets, too late", "uninitialised", {1, 64}, "x out n", [==[
$K
  __shared__ float total;
+  if (threadIdx.x == 0) total = 0;
+  __syncthreads();
  atomicAdd(&total, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}]==], explain = {"Nothing wrote this cell before it was read"}, never = {"where it is declared"}},
-- Structures.
{"structure's array, one too far", "uninitialised", {1, 32}, "x out n", [==[
$K
  held_stack s;
  s.used = 0;
  for (int j = 0; j < 6; j++) s.cells[j % 4] = x[j];
-  out[threadIdx.x] = s.cells[n - 995];
+  out[threadIdx.x] = s.cells[n - 998];
}]==], head = "struct held_stack { int used; float cells[4]; };", explain = false, never = {"need a guard"}},
-- Loops.
{"Newton steps until it is exact", "timeout", {1, 1}, "x out n", [==[
$K
  float a = x[2], r = a;
-  while (r * r != a) r = 0.5f * (r + a / r);
+  for (int j = 0; j < 20; j++) r = 0.5f * (r + a / r);
  out[0] = r;
}]==], explain = {"never"}, never = {"every thread does all"}},
{"counts by a step that is set elsewhere", "timeout", {1, 1}, "x out n", [==[
$K
  int i = 0;
  float sum = 0;
  while (i < n) {
    sum += x[i];
-    if (sum > 10) i++;
+    i++;
  }
  out[0] = sum + 1;
}]==], explain = false},
-- Barriers.
{"barrier behind a data-dependent break", "barrier", {1, 64}, "x out n", [==[
$K
  for (int j = 0; j < 8; j++) {
-    if (x[threadIdx.x] < j) break;
+    if (x[0] > j) break;
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}]==], explain = {"must reach the same"}, never = {"mask"}},
{"barrier in a loop over the thread's own rows", "barrier", {1, 64}, "x out n", [==[
$K
  __shared__ float best;
  if (threadIdx.x == 0) best = 0;
-  for (int j = threadIdx.x; j < 100; j += blockDim.x) {
+  for (int j = threadIdx.x; j < 128; j += blockDim.x) {
    __syncthreads();
    if (threadIdx.x == 0) best += x[j];
  }
  __syncthreads();
  out[threadIdx.x] = best;
}]==], explain = {"must reach the same"}, never = {"mask"}},
-- Alignment and division.
{"int2 from an odd element", "misaligned", {1, 32}, "idx count n", [==[
$C
-  int2 v = *(const int2 *)(idx + threadIdx.x);
+  int2 v = *(const int2 *)(idx + 2 * threadIdx.x);
  if (threadIdx.x < 16) count[threadIdx.x] = v.x + v.y;
}]==], explain = {"a multiple of its size"}, never = {"need a guard"}},
{"share of an empty bin", "division", {1, 16}, "data count n", [==[
$C
  int c = count[threadIdx.x];
-  count[threadIdx.x] = idx[threadIdx.x] / c;
+  count[threadIdx.x] = c ? idx[threadIdx.x] / c : 0;
}]==], explain = {"whose divisor is not 0"}, never = {"need a guard"}},
{"element by the block's number alone", "race", {8, 128}, "x out n", [==[
$K
-  int i = blockIdx.x;
+  $I
  if (i < n) out[i] = x[i] + threadIdx.x; //@a
}]==], explain = {"Two threads have the same index", "There is no threadIdx.x in it."}, never = {"atomicAdd", "barrier"}},
{"table of functions with a hole", "out-of-bounds", {1, 32}, "x out n", [==[
$K
-  held_function f = held_table[threadIdx.x % 3];
+  held_function f = held_table[threadIdx.x % 2];
  out[threadIdx.x] = f(x[threadIdx.x]);
}]==], head = [[typedef float (*held_function)(float);
__device__ float held_half(float v) { return v / 2; } __device__ float held_less(float v) { return v - 1; }
__device__ held_function held_table[3] = {held_half, held_less};]], explain = {"no address of a __device__ function"}, never = {"need a guard"}},
}
