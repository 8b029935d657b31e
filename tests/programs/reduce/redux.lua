-- SPDX-License-Identifier: Apache-2.0
-- Whole-warp reductions in one instruction, and votes.
local t = ...
local m = t:module[==[
__global__ void all(const unsigned *x, unsigned *out) {
  unsigned v = x[threadIdx.x], lane = threadIdx.x % 32, w = threadIdx.x / 32;
  unsigned r[8] = {
      __reduce_add_sync(~0u, v), __reduce_min_sync(~0u, v), __reduce_max_sync(~0u, v),
      __reduce_and_sync(~0u, v), __reduce_or_sync(~0u, v), __reduce_xor_sync(~0u, v),
      __ballot_sync(~0u, v & 1), (unsigned)(__all_sync(~0u, v > 9) * 2 + __any_sync(~0u, v > 990))};
  if (lane == 0)
    for (int i = 0; i < 8; i++) out[8 * w + i] = r[i];
}]==]
local x = t:ints(128, 0, 1000, "u32")
local out = np.zeros(32, "u32")
m.all[{1, 128}](x, out)
local v, want = t.values(x), {}
for w = 0, 3 do
  local add, low, high, conj, disj, excl, ballot, every, some = 0, 1e9, 0, -1, 0, 0, 0, 1, 0
  for lane = 0, 31 do
    local u = v[32 * w + lane]
    add, low, high = add + u, math.min(low, u), math.max(high, u)
    conj, disj, excl = conj & u, disj | u, excl ~ u
    ballot = ballot | (u & 1) << lane
    if u <= 9 then every = 0 end
    if u > 990 then some = 1 end
  end
  local row = {add, low, high, conj, disj, excl, ballot, every * 2 + some}
  for i = 0, 7 do want[8 * w + i] = row[i + 1] end
end
t:same("warps", out, want)
