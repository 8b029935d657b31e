-- SPDX-License-Identifier: Apache-2.0
-- Elements that pass a test move together: ballot and popc give each lane its
-- place, one atomic a warp gives the warp's. The order is of the warps' luck,
-- so the elements are sorted before they are compared.
local t = ...
local m = t:module[==[
__global__ void keep_odd(const int *x, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool wanted = i < n && (x[i] & 1);
  unsigned mask = __ballot_sync(~0u, wanted);
  int lane = threadIdx.x & 31, leader = __ffs(mask) - 1, base = 0;
  if (wanted) {
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = x[i];
  }
}]==]
local n = 600
local x, out, count = t:ints(n, 0, 999), np.full(n, 1000, "i32"), np.zeros(1, "i32")
m.keep_odd[{5, 128}](x, out, count, n)
local want, k = {}, 0
for _, v in ipairs(x:tolist()) do
  if v % 2 == 1 then
    want[#want + 1], k = v, k + 1
  end
end
t:same("count", count, k)
for i = k + 1, n do want[i] = 1000 end
table.sort(want)
t:same("kept", np.sort(out), np.array(want, "i32"))
