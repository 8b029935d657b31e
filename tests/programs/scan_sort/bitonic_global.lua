-- SPDX-License-Identifier: Apache-2.0
-- Bitonic sort in global memory: one launch for each compare-exchange step.
local t = ...
local m = t:module[==[
__global__ void step(int *data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
  if (ixj > i) {
    int a = data[i], b = data[ixj];
    if ((i & k) == 0 ? a > b : a < b) {
      data[i] = b;
      data[ixj] = a;
    }
  }
}]==]
local n = 512
local x = t:ints(n, -1000, 1000)
local want = x:tolist()
table.sort(want)
local d = cuda.to_device(x)
local k = 2
while k <= n do
  local j = k // 2
  while j > 0 do
    m.step[{4, 128}](d, j, k)
    j = j // 2
  end
  k = k * 2
end
t:same("sorted", d, np.array(want, "i32"))
