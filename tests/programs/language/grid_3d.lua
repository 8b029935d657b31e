-- SPDX-License-Identifier: Apache-2.0
-- A three-dimensional grid of three-dimensional blocks, all sizes odd.
local t = ...
local m = t:module[==[
__global__ void index(int *out, dim3 size) {
  dim3 p(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
         blockIdx.z * blockDim.z + threadIdx.z);
  if (p.x < size.x && p.y < size.y && p.z < size.z)
    out[(p.z * size.y + p.y) * size.x + p.x] = p.x + 100 * p.y + 10000 * p.z + 1000000 * gridDim.z;
}]==]
local out = np.zeros(11 * 7 * 5, "i32")
m.index[{{4, 3, 3}, {3, 3, 2}}](out, cuda.struct("u32 u32 u32", 11, 7, 5))
t:same("index", out, t.fill(385, function(i)
  return i % 11 + 100 * (i // 11 % 7) + 10000 * (i // 77) + 3000000
end))
