-- SPDX-License-Identifier: Apache-2.0
-- Missing values, barriers, launches and others, as learners write them
-- (README.md: typed).
return {
{"shared sum never cleared", "uninitialised", {1, 64}, "x out n", [==[
$K
  __shared__ float sum;
+  if (threadIdx.x == 0) sum = 0;
+  __syncthreads();
  atomicAdd(&sum, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}]==], explain = {"shared memory start with whatever was there"}, never = {"barrier"}},
{"shared bins never cleared", "uninitialised", {1, 64}, "idx count n", [==[
$C
  __shared__ int bins[16];
+  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
+  __syncthreads();
  atomicAdd(&bins[idx[threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) count[threadIdx.x] = bins[threadIdx.x];
}]==], explain = {"Nothing wrote this cell before it was read"}, never = {"barrier"}},
{"sum without a first value", "uninitialised", {1, 32}, "x out n", [==[
$K
-  float sum;
+  float sum = 0;
  for (int j = 0; j < 10; j++) sum += x[j];
  out[threadIdx.x] = sum;
}]==], caught = false}, -- the compiler unrolls the loop and folds the sum away
{"sum to n without a first value", "uninitialised", {1, 32}, "x out n", [==[
$K
-  float sum;
+  float sum = 0;
  for (int j = 0; j < n; j++) sum += x[j];
  out[threadIdx.x] = sum;
}]==], explain = {"give it a value where it is declared"}, never = {"shared memory"}},
{"halo cells never loaded", "uninitialised", {1, 32}, "x out n", [==[
$K
  __shared__ float t[34];
  int i = threadIdx.x;
  t[i + 1] = x[i];
+  if (i == 0) t[0] = t[33] = 0;
  __syncthreads();
  out[i] = t[i] + t[i + 2];
}]==], explain = {"Nothing wrote this cell before it was read"}, never = {"barrier"}},
{"threads beyond n leave their cell", "uninitialised", {1, 64}, "x out n40", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
-  if (i < n) t[i] = x[i];
+  t[i] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (i < s) t[i] += t[i + s];
    __syncthreads();
  }
  if (i == 0) out[0] = t[0];
}]==], explain = {"Nothing wrote this cell before it was read"}, never = {"barrier"}},
{"fresh device array as input", "uninitialised", {1, 32}, "fresh out n", [==[
__global__ void k(float *fresh, float *out, int n) {
+  fresh[threadIdx.x] = 1;
  out[threadIdx.x] = fresh[threadIdx.x] > 0 ? 1 : 0;
}]==], explain = {"device arrays and shared memory start with whatever was there"}, never = {"barrier"}},
{"local array filled up to the last", "uninitialised", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  float a[8];
-  for (int j = 0; j < 7; j++) a[idx[j]] = j;
+  for (int j = 0; j < 8; j++) a[idx[j]] = j;
  if (a[idx[7]] > 3) out[threadIdx.x] = 1;
}]==], explain = {"before it was read"}, never = {"barrier"}},
{"maximum without a first value", "uninitialised", {1, 32}, "x out n", [==[
$K
-  float best;
+  float best = x[0];
  for (int j = 1; j < 10; j++) if (x[j] > best) best = x[j];
  out[threadIdx.x] = best;
}]==], caught = false}, -- as above
{"maximum of n without a first value", "uninitialised", {1, 32}, "x out n", [==[
$K
-  float best;
+  float best = x[0];
  for (int j = 1; j < n; j++) if (x[j] > best) best = x[j];
  out[threadIdx.x] = best;
}]==], explain = {"give it a value where it is declared"}, never = {"barrier"}},
{"barrier in the half that adds", "barrier", {1, 64}, "x out n", [==[
$K
  __shared__ float t[64];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  for (int s = 32; s > 0; s /= 2)
-    if (i < s) {
-      t[i] += t[i + s];
-      __syncthreads();
-    }
+  {
+    if (i < s) t[i] += t[i + s];
+    __syncthreads();
+  }
  if (i == 0) out[0] = t[0];
}]==], explain = {"must reach the same __syncthreads()"}, never = {"mask", "atomic"}},
{"barrier for thread 0 only", "barrier", {1, 64}, "x out n", [==[
$K
  __shared__ float v;
  if (threadIdx.x == 0) {
    v = x[3];
-    __syncthreads();
  }
+  __syncthreads();
  out[threadIdx.x] = threadIdx.x == 0 ? v : 0;
}]==], explain = {"must reach the same __syncthreads()"}, never = {"mask"}},
{"barrier in both branches", "barrier", {1, 64}, "x out n", [==[
$K
-  if (threadIdx.x % 2) { out[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = 3; }
-  else { __syncthreads(); out[threadIdx.x] = 2; }
+  if (threadIdx.x % 2) out[threadIdx.x] = 1;
+  __syncthreads();
+  if (threadIdx.x % 2 == 0) out[threadIdx.x] = 2;
}]==], explain = {"must reach the same __syncthreads()"}, never = {"mask"}},
{"barrier in a loop over own elements", "barrier", {1, 96}, "x out n100", [==[
$K
-  for (int i = threadIdx.x; i < n; i += blockDim.x) {
-    out[i] = x[i];
-    __syncthreads();
-  }
+  for (int i = threadIdx.x; i < n; i += blockDim.x)
+    out[i] = x[i];
+  __syncthreads();
  out[500 + threadIdx.x] = 1;
}]==], explain = {"must reach the same __syncthreads()"}, never = {"mask"}},
{"warp sum with a full mask in a branch", "barrier", {1, 32}, "x out n", [==[
$K
  float v = x[threadIdx.x];
  if (threadIdx.x < 16)
-    v += __shfl_down_sync(0xffffffff, v, 8);
+    v += __shfl_down_sync(0xffff, v, 8, 16);
  out[threadIdx.x] = v;
}]==], explain = {"names the threads that take part"}, never = {"reach the same __syncthreads"}},
{"ballot in a branch", "barrier", {1, 32}, "idx count n", [==[
$C
  int v = 0;
  if (idx[threadIdx.x] < 10)
-    v = __ballot_sync(0xffffffff, 1);
+    v = __ballot_sync(0x3ff, 1);
  atomicAdd(&count[threadIdx.x % 16], v & 1);
}]==], explain = {"names the threads that take part"}, never = {"reach the same __syncthreads"}},
{"loop that never moves", "deadlock", {1, 32}, "x out n", [==[
$K
  volatile float *o = out;
  int i = threadIdx.x;
  while (i < n) {
    o[i] = x[i];
+    i += blockDim.x;
  }
}]==], explain = {"Nothing in the loop changes i"}, never = {"barrier", "waits for what"}, slow = true},
{"unsigned counts down to zero", "timeout", {1, 1}, "x out n", [==[
$K
  volatile float *o = out;
-  for (unsigned j = 9; j >= 0; j--) o[j % 10] = j;
+  for (int j = 9; j >= 0; j--) o[j % 10] = j;
}]==], explain = {"j is unsigned, so j >= 0 always holds"}, never = {"barrier"}, slow = true},
{"remainder by zero blocks", "division", {1, 32}, "idx count n", [==[
$C
-  int part = n / 2000;
+  int part = n / 200;
  count[threadIdx.x % 16 == 99] = 0;
  if (threadIdx.x == 0) count[1] = idx[threadIdx.x + 5] / part;
}]==], explain = {"whose divisor is not 0"}, never = {"guard"}},
{"average of an empty bin", "division", {1, 32}, "idx out n", [==[
__global__ void k(const int *idx, float *out, int n) {
  int items = idx[threadIdx.x] % 4;
-  out[threadIdx.x] = 100 / items;
+  out[threadIdx.x] = items ? 100 / items : 0;
}]==], explain = {"whose divisor is not 0"}, never = {"guard"}},
{"float4 from the second float", "misaligned", {1, 16}, "x out n", [==[
$K
-  float4 v = *(const float4 *)(x + 4 * threadIdx.x + 1);
+  float4 v = *(const float4 *)(x + 4 * threadIdx.x);
  out[threadIdx.x] = v.x + v.w;
}]==], explain = {"a multiple of its size"}, never = {"guard"}},
{"int from any byte", "misaligned", {1, 16}, "text100 count", [==[
__global__ void k(const unsigned char *text, int *count) {
-  count[threadIdx.x] = *(const int *)(text + threadIdx.x);
+  count[threadIdx.x] = *(const int *)(text + 4 * threadIdx.x);
}]==], explain = {"a multiple of its size"}, never = {"guard"}},
{"double through a float pointer", "misaligned", {1, 16}, "x out n", [==[
$K
-  const double *d = (const double *)(x + 1);
+  const double *d = (const double *)(x + 2);
  out[threadIdx.x] = d[threadIdx.x] * 0;
}]==], explain = {"a multiple of its size"}, never = {"guard"}},
{"freed in the kernel, read after", "use-after-free", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(32);
  p[2] = 4;
-  free(p);
  count[0] = p[2];
+  free(p);
}]==], explain = {"given back before this line used it"}, never = {"guard"}},
{"freed twice", "use-after-free", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(32);
  p[2] = 4;
  count[0] = p[2];
  free(p);
-  free(p);
}]==], explain = {"given back before"}, never = {"guard"}},
{"malloc without free", "leak", {1, 1}, "count", [==[
__global__ void k(int *count) {
  int *p = (int *)malloc(32);
  p[2] = 4;
  count[0] = p[2];
+  free(p);
}]==], explain = {"must give back"}, never = {"guard"}},
{"lock taken and never opened", "deadlock", {2, 1}, "count", [==[
__global__ void k(int *count) {
  while (atomicCAS(&count[1], 0, 1)) ;
  __threadfence();
  atomicAdd(&count[0], 1);
  __threadfence();
+  atomicExch(&count[1], 0);
}]==], explain = {"waits for what only one could do"}, never = {"barrier"}, slow = true},
{"recursion without an end", "out-of-bounds", {1, 1}, "idx count", [==[
__global__ void k(const int *idx, int *count) {
-  count[0] = k_sum(idx, idx[9]);
+  count[0] = idx[9] * 5;
}]==], explain = {"A function that calls itself needs a case in which it does not"}, never = {"guard", "indices"}, head = [==[
__device__ __noinline__ int k_sum(const int *idx, int i) {
  volatile int here[4];
  here[i & 3] = idx[i & 7];
  return here[i & 3] + k_sum(idx, i + 1);
}]==]},
{"dynamic shared memory of too few bytes", "out-of-bounds", {1, 64, shared = 64}, "x out n", [==[
$K
  extern __shared__ float dynamic_tile[];
-  dynamic_tile[threadIdx.x] = x[threadIdx.x];
+  if (threadIdx.x < 16) dynamic_tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic_tile[0];
}]==], explain = {"has the bytes that the launch asks for"}, never = {"guard", "grid has"}},
{"assert on an input", "assert", {1, 64}, "idx count n", [==[
$C
-  assert(idx[threadIdx.x] < 60);
+  assert(idx[threadIdx.x] < 64);
}]==], explain = {"own assert stopped it"}, never = {"guard"}, include = "cassert"},
{"trap on an impossible value", "trap", {1, 32}, "idx count n", [==[
$C
-  if (idx[threadIdx.x] == 9) __trap();
+  if (idx[threadIdx.x] == 99) __trap();
}]==], explain = {"ends the whole launch"}, never = {"guard"}},
{"step that a division makes 0", "timeout", {1, 32}, "x out n", [==[
$K
-  int step = n / 2000;
+  int step = n / 20;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += step)
    sum += x[i];
  out[threadIdx.x] = sum;
}]==], explain = {"step is 0 here: no round of the loop gets any further."}, never = {"unsigned"}},
}
