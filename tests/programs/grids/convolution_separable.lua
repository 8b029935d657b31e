-- SPDX-License-Identifier: Apache-2.0
-- A separable convolution: rows, then columns, the filter in constant memory
-- that the host fills.
local t = ...
local m = t:module[==[
#define R 2
__constant__ float filter[2 * R + 1];
template <int DX, int DY>
__device__ void pass(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int k = -R; k <= R; k++) {
    int u = min(max(x + DX * k, 0), w - 1), v = min(max(y + DY * k, 0), h - 1);
    sum += filter[R - k] * in[v * w + u];
  }
  out[y * w + x] = sum;
}
__global__ void rows(const float *in, float *out, int w, int h) { pass<1, 0>(in, out, w, h); }
__global__ void columns(const float *in, float *out, int w, int h) { pass<0, 1>(in, out, w, h); }
]==]
local w, h = 33, 18
local f = {[-2] = 1.0, [-1] = 2.0, [0] = 4.0, [1] = 3.0, [2] = -1.0}
m:get_global("filter", "f32"):copy_from(np.array({-1, 3, 4, 2, 1}, "f32"))
local x = t:ints(w * h, 0, 20, "f32")
local mid, out = np.zeros(w * h, "f32"), np.zeros(w * h, "f32")
m.rows[{{3, 3}, {16, 8}}](x, mid, w, h)
m.columns[{{3, 3}, {16, 8}}](mid, out, w, h)
local v = t.values(x)
local function pass(dx, dy, src)
  return t.fill(w * h, function(i)
    local s = 0
    for k = -2, 2 do
      local a = math.max(0, math.min(w - 1, i % w + dx * k))
      local b = math.max(0, math.min(h - 1, i // w + dy * k))
      s = s + f[k] * src[b * w + a]
    end
    return s
  end)
end
local rows = pass(1, 0, v)
t:same("rows", mid, rows)
t:same("columns", out, pass(0, 1, rows))
