-- SPDX-License-Identifier: Apache-2.0
-- Dot products of bytes, four in one instruction.
local t = ...
local m = t:module[==[
__global__ void dots(const int *a, const int *b, int *out, int words) {
  int row = blockIdx.x, sum = 0;
  for (int k = threadIdx.x; k < words; k += 32) sum = __dp4a(a[row * words + k], b[k], sum);
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x == 0) out[row] = sum;
}]==]
local rows, words = 6, 40
local a, b = t:ints(4 * rows * words, -128, 127, "i8"), t:ints(4 * words, -128, 127, "i8")
local function pack(v, n)
  local w = {}
  for i = 0, n - 1 do
    w[i + 1] = string.unpack("<i4", string.pack("<i1i1i1i1", table.unpack(v, 4 * i, 4 * i + 3)))
  end
  return np.array(w, "i32")
end
local x, y, out = t.values(a), t.values(b), np.zeros(rows, "i32")
m.dots[{rows, 32}](pack(x, rows * words), pack(y, words), out, words)
t:same("dots", out, t.fill(rows, function(r)
  local s = 0
  for k = 0, 4 * words - 1 do s = s + x[4 * words * r + k] * y[k] end
  return s
end))
