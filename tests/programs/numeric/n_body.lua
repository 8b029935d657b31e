-- SPDX-License-Identifier: Apache-2.0
-- All pairs of bodies, positions in tiles of float4, two leapfrog steps.
local t = ...
t:approximate(1e-5)
local m = t:module[==[
__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
  float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
  float d2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
  float inv = rsqrtf(d2), s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}
__global__ void forces(const float4 *pos, float4 *acc, int n) {
  extern __shared__ float4 shPosition[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 mine = pos[min(i, n - 1)];
  float3 a = {0, 0, 0};
  for (int base = 0; base < n; base += blockDim.x) {
    int j = base + threadIdx.x;
    shPosition[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < blockDim.x; k++) a = interaction(mine, shPosition[k], a);
    __syncthreads();
  }
  if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0);
}
__global__ void move(float4 *pos, float4 *vel, const float4 *acc, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vel[i].x += acc[i].x * dt, vel[i].y += acc[i].y * dt, vel[i].z += acc[i].z * dt;
  pos[i].x += vel[i].x * dt, pos[i].y += vel[i].y * dt, pos[i].z += vel[i].z * dt;
}]==]
local n, dt = 70, 0.01
local pos = t:floats(4 * n, 0.5, 1.5)
local p, v = t.values(pos), t.fill(4 * n, 0.0)
local d, vel = cuda.to_device(pos), cuda.to_device(np.zeros(4 * n, "f32"))
local acc = cuda.device_array(4 * n, "f32")
for _ = 1, 2 do
  m.forces{grid = 3, block = 32, shared = 32 * 16}(d, acc, n)
  m.move[{3, 32}](d, vel, acc, dt, n)
  for i = 0, 4 * n - 1, 4 do
    for j = 0, 4 * n - 1, 4 do
      local x, y, z = p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]
      local s = p[j + 3] * (x * x + y * y + z * z + 0.01) ^ -1.5 * dt
      v[i], v[i + 1], v[i + 2] = v[i] + x * s, v[i + 1] + y * s, v[i + 2] + z * s
    end
  end
  for i = 0, 4 * n - 1 do p[i] = p[i] + v[i] * dt end
end
t:close("velocities", vel, v, 1e-4)
t:close("positions", d, p, 1e-5)
