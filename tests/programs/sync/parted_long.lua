-- SPDX-License-Identifier: Apache-2.0
-- Lanes of one warp part again and again, in loops of different lengths with
-- calls in them, so long that they take turns. Each still does its own work
-- once, in its own order.
local t = ...
local m = t:module[==[
__device__ __noinline__ unsigned step(unsigned v) { return v * 1664525u + 1013904223u; }
__device__ __forceinline__ unsigned add(unsigned v) {
  v = step(v);
  if (v & 64) v += 17;
  return v;
}
__device__ __forceinline__ unsigned mix(unsigned v) {
  v = step(v);
  v = add(add(v) * 3 + add(v + 1));
  if (v & 128) v ^= 5;
  return v;
}
__global__ void powers(const int *x, unsigned *out) {
  unsigned v = x[threadIdx.x];
  for (int round = 0; round < 2; round++)
    for (unsigned p = x[threadIdx.x]; p; p >>= 1)
      if (p & 1)
        for (int i = 0; i < 9; i++) v = mix(v) + mix(v + i) + mix(v ^ i);
  out[threadIdx.x] = v;
}]==]
local u32 = t.u32
local function step(v) return u32(v * 1664525 + 1013904223) end
local function add(v)
  v = step(v)
  return v & 64 ~= 0 and u32(v + 17) or v
end
local function mix(v)
  v = step(v)
  v = add(u32(add(v) * 3 + add(u32(v + 1))))
  return v & 128 ~= 0 and v ~ 5 or v
end
local function powers(v)
  local bits = v
  for _ = 1, 2 do
    local p = bits
    while p > 0 do
      if p & 1 == 1 then
        for i = 0, 8 do v = u32(mix(v) + mix(u32(v + i)) + mix(v ~ i)) end
      end
      p = p >> 1
    end
  end
  return v
end
for name, x in pairs{small = np.arange(32, "i32"), drawn = t:ints(32, 0, 1 << 20)} do
  local out, v = np.zeros(32, "u32"), t.values(x)
  m.powers[{1, 32}](x, out)
  t:same(name .. " powers", out, t.fill(32, function(i) return powers(v[i]) end))
end
