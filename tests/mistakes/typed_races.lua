-- SPDX-License-Identifier: Apache-2.0
-- Races as learners write them (README.md: typed). {a} is the number of the
-- line that ends in "//@a".
return {
{"tile read before it is full", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i]; //@a
+  __syncthreads();
  out[i] = t[63 - i]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}: __syncthreads()"}, never = {"atomic", "same index", "rounds"}},
{"tile read before it is full, guarded", "race", {4, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  $I
  int tid = threadIdx.x;
  if (i < n)
    t[tid] = x[i]; //@a
+  __syncthreads();
  if (i < n)
    out[i] = t[(tid + 1) % 64]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "same index"}},
{"reduction, no barrier after loading", "race", {1, 128}, "x out n", [==[
$K
  __shared__ float t[128];
  int tid = threadIdx.x;
  t[tid] = x[tid]; //@a
+  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (tid < s) t[tid] += t[tid + s]; //@b
    __syncthreads();
  }
  if (tid == 0) out[0] = t[0];
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "rounds"}},
{"reduction, no barrier in the loop", "race", {1, 128}, "x out n", [==[
$K
  __shared__ float t[128];
  int tid = threadIdx.x;
  t[tid] = x[tid];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) { //@a
    if (tid < s) t[tid] += t[tid + s];
+    __syncthreads();
  }
  if (tid == 0) out[0] = t[0];
}]==], explain = {"between the rounds of the loop on line {a}: __syncthreads()"}, never = {"atomic", "variable"}},
{"reduction with >>=, no braces", "race", {2, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int tid = threadIdx.x;
  t[tid] = x[blockIdx.x * blockDim.x + tid];
  __syncthreads();
-  for (int s = blockDim.x / 2; s > 0; s >>= 1) //@a
+  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s)
      t[tid] = t[tid] + t[tid + s];
+    __syncthreads();
+  }
  if (tid == 0) out[blockIdx.x] = t[0];
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "variable"}},
{"maximum reduction without a barrier", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float best[64];
  int tid = threadIdx.x;
  best[tid] = x[tid];
  __syncthreads();
  for (int s = 32; s > 0; s = s / 2) { //@a
    if (tid < s)
      best[tid] = fmaxf(best[tid], best[tid + s]);
+    __syncthreads();
  }
  if (tid == 0) out[0] = best[0];
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "variable"}},
{"interleaved reduction without a barrier", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int tid = threadIdx.x;
  t[tid] = x[tid];
  __syncthreads();
  for (int s = 1; s < 64; s *= 2) { //@a
    if (tid % (2 * s) == 0) t[tid] += t[tid + s];
+    __syncthreads();
  }
  if (tid == 0) out[0] = t[0];
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "variable"}},
{"barrier before the sum's last read", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int tid = threadIdx.x;
  t[tid] = x[tid];
  __syncthreads();
  if (tid < 32) t[tid] += t[tid + 32]; //@a
+  __syncthreads();
  if (tid == 0) { //@b
    float sum = 0;
    for (int j = 0; j < 32; j++) sum += t[j]; //@c
    out[0] = sum;
  }
}]==], explain = {"A barrier is missing between line {a} and line {c}"}, never = {"atomic", "rounds"}},
{"tiles of a loop overwritten too early", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  float sum = 0;
  for (int p = 0; p < 4; p++) { //@a
    t[threadIdx.x] = x[64 * p + threadIdx.x];
    __syncthreads();
    sum += t[63 - threadIdx.x];
+    __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "between line"}},
{"tiles of a loop read too early", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  float sum = 0;
  for (int p = 0; p < 4; p++) {
    t[threadIdx.x] = x[64 * p + threadIdx.x]; //@a
+    __syncthreads();
    sum += t[63 - threadIdx.x]; //@b
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "rounds"}},
{"matrix product, tiles overwritten", "race", {1, {8, 8}}, "x out n", [==[
$K
  __shared__ float a[8][8];
  __shared__ float b[8][8];
  int r = threadIdx.y, c = threadIdx.x;
  float sum = 0;
  for (int t = 0; t < 3; t++) { //@a
    a[r][c] = x[t * 8 + r * 24 + c];
    b[r][c] = x[(t * 8 + r) * 8 + c];
    __syncthreads();
    for (int k = 0; k < 8; k++)
      sum += a[r][k] * b[k][c];
+    __syncthreads();
  }
  out[r * 8 + c] = sum;
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "between line"}},
{"matrix product, tiles read too early", "race", {1, {8, 8}}, "x out n", [==[
$K
  __shared__ float a[8][8];
  int r = threadIdx.y, c = threadIdx.x;
  float sum = 0;
  a[r][c] = x[r * 8 + c]; //@a
+  __syncthreads();
  for (int k = 0; k < 8; k++)
    sum += a[r][k]; //@b
  out[r * 8 + c] = sum;
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "rounds"}},
{"transpose through a tile", "race", {1, {16, 16}}, "x out n", [==[
$K
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x]; //@a
+  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "same index"}},
{"thread 0 sets, all use", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float mean;
  if (threadIdx.x == 0)
    mean = x[10]; //@a
+  __syncthreads();
  out[threadIdx.x] = x[threadIdx.x] - mean; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "same index"}},
{"counter cleared beside the counting", "race", {1, 96}, "x out n", [==[
$K
  __shared__ int found;
  if (threadIdx.x == 0) found = 0; //@a
+  __syncthreads();
  if (x[threadIdx.x] > 50) atomicAdd(&found, 1); //@b
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomicAdd(&", "same index"}},
{"counter read beside the counting", "race", {1, 96}, "x out n", [==[
$K
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[threadIdx.x % 4 == 9 ? 0 : threadIdx.x % 4] = threadIdx.x % 4; //@a
+  __syncthreads();
  out[threadIdx.x] = bins[(threadIdx.x + 1) % 4]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomicAdd(&"}},
{"shared sum with +=", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
-  sum += x[threadIdx.x];
+  atomicAdd(&sum, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}]==], explain = {"All these threads add to one cell: atomicAdd(&sum, ...)"}, never = {"barrier is missing", "same index"}},
{"global sum with +=", "race", {4, 64}, "x out n", [==[
$K
  $I
-  if (i < n) out[0] += x[i];
+  if (i < n) atomicAdd(&out[0], x[i]);
}]==], explain = {"All these threads add to one cell: atomicAdd(&out[0], ...)"}, never = {"barrier", "same index"}},
{"global count with ++", "race", {4, 64}, "idx count n", [==[
$C
  $I
-  if (idx[i] % 3 == 0) count[0]++;
+  if (idx[i] % 3 == 0) atomicAdd(&count[0], 1);
}]==], explain = {"atomicAdd(&count[0], ...)"}, never = {"barrier", "same index"}},
{"histogram with ++", "race", {4, 64}, "idx count n", [==[
$C
  $I
-  if (i < n) count[idx[i] % 16]++;
+  if (i < n) atomicAdd(&count[idx[i] % 16], 1);
}]==], explain = {"atomicAdd(&count[idx[i] % 16], ...)"}, never = {"barrier", "same index"}},
{"shared histogram with +=", "race", {1, 64}, "idx count n", [==[
$C
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  int b = idx[t] % 16;
-  bins[b] += 1;
+  atomicAdd(&bins[b], 1);
  __syncthreads();
  if (t < 16) count[t] = bins[t];
}]==], explain = {"atomicAdd(&bins[b], ...)"}, never = {"barrier is missing", "rounds"}},
{"histogram in a grid-stride loop", "race", {4, 64}, "idx count n", [==[
$C
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
-    count[idx[i] % 16] += 1;
+    atomicAdd(&count[idx[i] % 16], 1);
}]==], explain = {"atomicAdd(&count[idx[i] % 16], ...)"}, never = {"rounds", "same index"}},
{"maximum with if", "race", {1, 64}, "idx count n", [==[
$C
  int v = idx[threadIdx.x];
-  if (count[0] < v) count[0] = v;
+  atomicMax(&count[0], v);
}]==], explain = false, never = {"atomicAdd(&", "barrier is missing", "rounds"}},
{"old value read, new one written", "race", {2, 64}, "idx count n", [==[
$C
-  int old = count[0];
-  count[0] = old + 1;
+  atomicAdd(count, 1);
}]==], explain = false, never = {"barrier is missing", "rounds"}},
{"product with *=", "race", {1, 64}, "idx count n", [==[
$C
-  count[0] *= 2;
+  atomicMul2(&count[0]);
}]==], explain = false, never = {"atomicAdd(&", "barrier is missing"}, head = [==[
__device__ void atomicMul2(int *p) {
  int old = *p, seen;
  do { seen = old; old = atomicCAS(p, seen, 2 * seen); } while (old != seen);
}]==]},
{"block index left out", "race", {4, 64}, "x out n", [==[
$K
-  int i = threadIdx.x;
+  $I
  out[i] = x[i] + blockIdx.x;
}]==], explain = {"Two threads have the same index: i is 0 in block (0,0,0) thread (0,0,0) and 0 in block (", "no blockIdx.x in it"}, never = {"atomic", "barrier is missing"}},
{"block index left out of a call", "race", {4, 64}, "x out n", [==[
$K
  $I
-  out[threadIdx.x] = x[i];
+  out[i] = x[i];
}]==], explain = {"threadIdx.x is 0 in block (0,0,0) thread (0,0,0) and 0 in block (", "no blockIdx.x in it"}, never = {"atomic", "barrier is missing"}},
{"gridDim for blockDim", "race", {4, 64}, "x out n", [==[
$K
-  int i = blockIdx.x * gridDim.x + threadIdx.x;
+  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * blockIdx.x;
}]==], explain = {"Two threads have the same index: i is ", "gridDim.x is the number of blocks, 4", "blockDim.x threads, 64"}, never = {"atomic", "barrier is missing"}},
{"threads of a constant number", "race", {4, 64}, "x out n", [==[
$K
-  int i = blockIdx.x * 32 + threadIdx.x;
+  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = x[i] * blockIdx.x;
}]==], explain = {"Two threads have the same index: i is 32"}, never = {"atomic", "barrier is missing", "no blockIdx"}},
{"stride of one block", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
-  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
+  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = out[i] * 2 + 1;
}]==], explain = {"Two threads have the same index: i is ", "the grid's step is gridDim.x * blockDim.x"}, never = {"atomic", "rounds"}},
{"stride of one block, +=", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
-  for (int i = first; i < n; i += blockDim.x)
+  for (int i = first; i < n; i += blockDim.x * gridDim.x)
    out[i] += 1;
}]==], explain = false, never = {"atomicAdd(&", "rounds"}},
{"stride of one block by a variable", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
-  int stride = blockDim.x;
+  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = out[i] * 2 + 1;
}]==], explain = {"Two threads have the same index: i is ", "the grid's step is gridDim.x * blockDim.x"}, never = {"atomic", "rounds"}},
{"grid-stride loop that begins with the thread", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  int stride = blockDim.x * gridDim.x;
-  for (int i = threadIdx.x; i < n; i += stride)
+  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = out[i] * 2 + 1;
}]==], explain = {"Two threads have the same index: i is ", "no blockIdx.x in its start"}, never = {"atomic", "rounds", "the grid's step"}},
{"rows by x only", "race", {1, {16, 8}}, "x out n", [==[
$K
-  int i = threadIdx.x;
+  int i = threadIdx.y * blockDim.x + threadIdx.x;
  out[i] = threadIdx.y;
}]==], explain = {"Two threads have the same index: i is 0 in thread (0,0,0) and 0 in thread (", "no threadIdx.y in it"}, never = {"atomic", "barrier is missing"}},
{"row times height", "race", {1, {16, 8}}, "x out n", [==[
$K
-  int i = threadIdx.y * blockDim.y + threadIdx.x;
+  int i = threadIdx.y * blockDim.x + threadIdx.x;
  out[i] = threadIdx.y;
}]==], explain = {"Two threads have the same index: i is 8 in thread ("}, never = {"atomic", "barrier is missing", "There is no"}},
{"blocks of two directions, one used", "race", {{2, 2}, 32}, "x out n", [==[
$K
-  int i = blockIdx.x * blockDim.x + threadIdx.x;
+  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = blockIdx.y;
}]==], explain = {"Two threads have the same index: i is ", "no blockIdx.y in it"}, never = {"atomic", "barrier is missing"}},
{"i / 2 as a cell", "race", {1, 64}, "x out n", [==[
$K
  $I
-  out[i / 2] = x[i];
+  out[i] = x[i];
}]==], explain = {"Two threads have the same index: i / 2 is 0 in thread (0,0,0) and 0 in thread (1,0,0)"}, never = {"atomic", "barrier is missing", "There is no"}},
{"cell of the remainder", "race", {1, 64}, "x out n", [==[
$K
  int t = threadIdx.x;
-  out[t % 16] = x[t];
+  out[t] = x[t];
}]==], explain = {"Two threads have the same index: t % 16 is "}, never = {"atomic", "barrier is missing"}},
{"shared cell per two threads", "race", {1, 64}, "x out n", [==[
$K
-  __shared__ float t[32];
-  t[threadIdx.x % 32] = x[threadIdx.x];
+  __shared__ float t[64];
+  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[0];
}]==], explain = {"Two threads have the same index: threadIdx.x % 32 is "}, never = {"atomic", "barrier is missing"}},
{"scan in place", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
-    if (i >= d) t[i] += t[i - d];
+    float v = i >= d ? t[i - d] : 0;
+    __syncthreads();
+    t[i] += v;
    __syncthreads();
  }
  out[i] = t[i];
}]==], explain = {"read into a variable, then __syncthreads(), then write"}, never = {"atomic", "rounds"}},
{"shift in shared memory", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[65];
  int i = threadIdx.x;
  t[i] = x[i];
  if (i == 0) t[64] = 0;
  __syncthreads();
-  t[i] = t[i + 1];
+  float v = t[i + 1];
+  __syncthreads();
+  t[i] = v;
  __syncthreads();
  out[i] = t[i];
}]==], explain = {"read into a variable, then __syncthreads(), then write"}, never = {"atomic", "rounds"}},
{"blur in place in shared memory", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
-  if (i > 0) t[i] = (t[i] + t[i - 1]) / 2;
+  float v = i > 0 ? (t[i] + t[i - 1]) / 2 : t[i];
+  __syncthreads();
+  t[i] = v;
  __syncthreads();
  out[i] = t[i];
}]==], explain = {"read into a variable, then __syncthreads(), then write"}, never = {"atomic", "rounds"}},
{"two lines: old neighbour, new own", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  float v = t[(i + 1) % 64]; //@a
+  __syncthreads();
  t[i] = v; //@b
  __syncthreads();
  out[i] = t[i];
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "rounds"}},
{"steps of a simulation without a barrier", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float a[64];
  int i = threadIdx.x;
  a[i] = x[i];
  __syncthreads();
  for (int s = 0; s < 5; s++) { //@a
    float next = a[(i + 1) % 64];
    __syncthreads();
    a[i] = next;
+    __syncthreads();
  }
  out[i] = a[i];
}]==], explain = {"between the rounds of the loop on line {a}"}, never = {"atomic", "between line"}},
{"blur in place across blocks", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  $I
-  float right = out[i + 1];
-  out[i] = right / 2;
+  float right = out[i + 300];
+  out[i] = right / 2;
}]==], explain = {"o barrier orders", "another array"}, never = {"barrier is missing", "atomicAdd(&"}},
{"blur in place across blocks, with a barrier", "race", {4, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  $I
-  float right = out[(i + 64) % 256];
+  float right = out[i + 256];
  __syncthreads();
  out[i] = right / 2;
}]==], explain = {"No barrier orders two blocks"}, never = {"barrier is missing", "atomicAdd(&"}},
{"partial sums used by another block", "race", {4, 32}, "x out n", [==[
$K
  if (threadIdx.x == 0) out[1 + blockIdx.x] = x[blockIdx.x];
  __syncthreads();
-  if (blockIdx.x == 0 && threadIdx.x == 0)
+  if (blockIdx.x == 9 && threadIdx.x == 0)
    out[0] = out[1] + out[2] + out[3] + out[4];
}]==], explain = {"No barrier orders two blocks"}, never = {"barrier is missing", "same index"}},
{"cleared by one block, counted by all", "race", {4, 64}, "x out n", [==[
$K
  $I
-  if (i == 0) out[0] = 0;
-  __syncthreads();
  if (x[i] > 5) atomicAdd(&out[0], 1);
}]==], explain = {"No barrier orders two blocks"}, never = {"barrier is missing", "atomicAdd(&"}},
{"neighbour of the same block in global memory", "race", {1, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  int i = threadIdx.x;
  out[i] = i; //@a
+  __syncthreads();
  out[i + 100] = out[63 - i]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic", "two blocks"}},
{"warp's neighbours in shared memory", "race", {1, 32}, "x out n", [==[
$K
  __shared__ float t[32];
  t[threadIdx.x] = x[threadIdx.x]; //@a
+  __syncwarp();
  out[threadIdx.x] = t[31 - threadIdx.x]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic"}},
{"last warp alone without __syncwarp", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  if (i < 32) {
    float v = t[i + 32];
    t[i] += v; //@a
+    __syncwarp();
    v = t[(i + 16) % 32]; //@b
+    __syncwarp();
    t[i] += v;
  }
  if (i == 0) out[0] = t[0];
}]==], explain = {"The threads of a warp need not run in step: __syncwarp() is missing between line {a} and line {b}."}, never = {"__syncthreads(), where", "atomicAdd(&"}},
{"two results in one cell", "race", {1, 64}, "x out n", [==[
$K
  int i = threadIdx.x;
-  out[0] = x[i];
+  if (i == 0) out[0] = x[i];
}]==], explain = {"Several threads write one cell: the index 0 is the same for all of them."}, never = {"atomicAdd(&", "barrier is missing", "same index"}},
{"winner takes the last write", "race", {1, 64}, "idx count n", [==[
$C
  int i = threadIdx.x;
-  if (idx[i] % 2) count[1] = i;
+  if (idx[i] == 7) count[1] = i;
}]==], explain = false, never = {"atomicAdd(&", "barrier is missing"}},
{"next cell in one step, global", "race", {1, 64}, "out n", [==[
__global__ void k(float *out, int n) {
  int i = threadIdx.x;
-  out[i + 1] = out[i] + 1;
+  out[i + 64] = out[i] + 1;
}]==], explain = false, never = {"atomicAdd(&", "same index"}},
{"counter without atomics, then a slot", "race", {1, 64}, "x out count n", [==[
__global__ void k(const float *x, float *out, int *count, int n) {
-  int slot = count[0]++;
+  int slot = atomicAdd(&count[0], 1);
  out[slot] = x[threadIdx.x] > 0;
}]==], explain = {"All these threads add to one cell: atomicAdd(&count[0], ...)"}, never = {"barrier is missing", "same index"}},
{"column sums with +=", "race", {1, {40, 25}}, "x out w h", [==[
__global__ void k(const float *x, float *out, int w, int h) {
-  out[threadIdx.x] += x[threadIdx.y * w + threadIdx.x];
+  atomicAdd(&out[threadIdx.x], x[threadIdx.y * w + threadIdx.x]);
}]==], explain = {"Two threads have the same index: threadIdx.x is 0", "no threadIdx.y in it", "If all of them are to be added up, atomicAdd(&out[threadIdx.x], ...) does it."}, never = {"barrier is missing", "rounds"}},
{"loop that goes on by the number of blocks", "race", {4, 64}, "x out n", [==[
$K
-  int stride = gridDim.x;
+  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] += x[i];
}]==], explain = {"i is 4 in", "The loop goes on by stride, which is 4, and the grid has 256 threads: the grid's step is gridDim.x * blockDim.x."}, never = {"atomicAdd", "__syncwarp"}},
{"loop of a block that goes on by one", "race", {1, 64}, "x out n", [==[
$K
-  for (int i = threadIdx.x; i < n; i++)
+  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] += x[i];
}]==], explain = {"The loop goes on by 1, and the grid has 64 threads: the grid's step is gridDim.x * blockDim.x."}, never = {"atomicAdd", "__syncwarp"}},
{"loop that begins at gridDim for blockDim", "race", {4, 64}, "x out n", [==[
$K
  int stride = gridDim.x * blockDim.x;
-  for (int i = blockIdx.x * gridDim.x + threadIdx.x; i < n; i += stride)
+  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] += x[i];
}]==], explain = {"The loop begins at 4 in both.", "gridDim.x is the number of blocks, 4; a block has blockDim.x threads, 64: with that the two differ."}, never = {"atomicAdd", "does not order"}},
{"sum of a block into one cell", "race", {4, 32}, "x sums4", [==[
__global__ void k(const float *x, float *sums) {
  float sum = __shfl_down_sync(~0u, x[blockIdx.x * 32 + threadIdx.x], 16);
-  if (threadIdx.x == 0) sums[0] = sum;
+  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}]==], explain = {"Several threads write one cell: the index 0 is the same for all of them. There is no blockIdx.x in it."}, never = {"atomicAdd", "does not order"}},
{"largest so far in one cell", "race", {1, 64}, "idx count n", [==[
$C
  int v = idx[threadIdx.x];
-  if (count[0] < v) count[0] = v;
+  atomicMax(&count[0], v);
}]==], explain = {"All these threads look for the largest in one cell: atomicMax(&count[0], v) reads, compares and writes in one step."}, never = {"atomicAdd", "barrier is missing"}},
{"smallest by min()", "race", {1, 64}, "idx count n", [==[
$C
  int v = idx[threadIdx.x] - 9;
-  count[0] = min(count[0], v);
+  atomicMin(&count[0], v);
}]==], explain = {"look for the smallest in one cell: atomicMin(&count[0], v)"}, never = {"atomicAdd", "barrier is missing"}},
{"largest of floats, which has no atomic", "race", {1, 64}, "x out n", [==[
$K
  float v = x[threadIdx.x];
-  if (out[0] < v) out[0] = v;
+  atomicMax((int *)&out[0], __float_as_int(v));
}]==], explain = false, never = {"atomicMax", "atomicAdd", "barrier is missing"}},
{"product in one cell", "race", {1, 64}, "x out n", [==[
$K
-  out[0] *= x[threadIdx.x];
+  out[threadIdx.x] *= x[threadIdx.x];
}]==], explain = {"All these threads multiply one cell", "No atomic multiplies"}, never = {"atomicAdd", "barrier is missing"}},
{"rest that all take from", "race", {1, 64}, "idx count n", [==[
$C
-  count[0] -= idx[threadIdx.x];
+  atomicSub(&count[0], idx[threadIdx.x]);
}]==], explain = {"All these threads subtract from one cell: atomicAdd(&count[0], -...)"}, never = {"barrier is missing"}},
{"flags in one word", "race", {1, 64}, "idx count n", [==[
$C
-  count[0] |= 1 << idx[threadIdx.x] % 8;
+  atomicOr(&count[0], 1 << idx[threadIdx.x] % 8);
}]==], explain = {"All these threads set bits of one cell: atomicOr(&count[0], ...)"}, never = {"atomicAdd", "barrier is missing"}},
{"histogram read in one line and written in the next", "race", {1, 64}, "data count n", [==[
__global__ void k(const int *data, int *count, int n) {
  int b = data[threadIdx.x] % 16;
-  int v = count[b];
-  count[b] = v + 1;
+  atomicAdd(&count[b], 1);
}]==], explain = {"Data lead several threads to one cell: atomicAdd(&count[b], 1)", "gives what was there before"}, never = {"barrier is missing", "same index"}},
{"counter written out as a sum", "race", {1, 64}, "idx count n", [==[
$C
-  count[3] = count[3] + idx[threadIdx.x];
+  atomicAdd(&count[3], idx[threadIdx.x]);
}]==], explain = {"All these threads add to one cell: atomicAdd(&count[3], idx[threadIdx.x])"}, never = {"barrier is missing", "same index"}},
{"own cell written from a shared sum, no update", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float sum;
  if (threadIdx.x == 0) sum = x[5]; //@a
+  __syncthreads();
  out[threadIdx.x] = sum + x[threadIdx.x]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic"}},
{"votes and shuffles between two lines order nothing", "race", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  t[threadIdx.x] = x[threadIdx.x]; //@a
  float v = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
+  __syncthreads();
  out[threadIdx.x] = v + t[63 - threadIdx.x]; //@b
}]==], explain = {"A barrier is missing between line {a} and line {b}"}, never = {"atomic"}},
}
