-- SPDX-License-Identifier: Apache-2.0
-- Lloyd's iterations: assign, add up by atomics, divide. Integral points, so
-- that sums do not depend on their order.
local t = ...
local m = t:module[==[
#define K 4
__global__ void assign(const float2 *points, const float2 *centres, int *labels, int n) {
  __shared__ float2 c[K];
  if (threadIdx.x < K) c[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 3.4e38f;
  for (int k = 0; k < K; k++) {
    float dx = points[i].x - c[k].x, dy = points[i].y - c[k].y;
    float d = __fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy));
    if (d < best) {
      best = d;
      labels[i] = k;
    }
  }
}
__global__ void gather(const float2 *points, const int *labels, float2 *sums, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&sums[labels[i]].x, points[i].x);
  atomicAdd(&sums[labels[i]].y, points[i].y);
  atomicAdd(&counts[labels[i]], 1);
}
__global__ void divide(float2 *centres, float2 *sums, int *counts) {
  int k = threadIdx.x;
  if (counts[k]) centres[k] = make_float2(sums[k].x / counts[k], sums[k].y / counts[k]);
  sums[k] = make_float2(0, 0);
  counts[k] = 0;
}]==]
local n = 300
local points = t:ints(2 * n, 0, 255, "f32")
local p = t.values(points)
local c = table.move(p, 0, 7, 0, {})
local dp, dl = cuda.to_device(points), cuda.device_array(n, "i32")
local dc = cuda.to_device(np.array(table.move(c, 0, 7, 1, {}), "f32"))
local ds, dn = cuda.to_device(np.zeros(8, "f32")), cuda.to_device(np.zeros(4, "i32"))
local labels = {}
for _ = 1, 4 do
  m.assign[{3, 128}](dp, dc, dl, n)
  m.gather[{3, 128}](dp, dl, ds, dn, n)
  m.divide[{1, 4}](dc, ds, dn)
  local sum, count = t.fill(8, 0.0), t.fill(4, 0)
  for i = 0, n - 1 do
    local best = math.huge
    for k = 0, 3 do
      local dx, dy = t.f32(p[2 * i] - c[2 * k]), t.f32(p[2 * i + 1] - c[2 * k + 1])
      local d = t.f32(t.f32(dx * dx) + t.f32(dy * dy))
      if d < best then best, labels[i] = d, k end
    end
    local k = labels[i]
    sum[2 * k], sum[2 * k + 1] = sum[2 * k] + p[2 * i], sum[2 * k + 1] + p[2 * i + 1]
    count[k] = count[k] + 1
  end
  for k = 0, 7 do
    if count[k // 2] > 0 then c[k] = t.f32(sum[k] / count[k // 2]) end
  end
end
t:same("labels", dl, labels)
t:same("centres", dc, c)
