-- SPDX-License-Identifier: Apache-2.0
-- The kernels whose counters are compared with Nsight Compute's, on small
-- grids. They have no references: what one device gives the other must give.
local t = ...
local text = assert(io.open("tests/gpu/counters/kernels.cu")):read("a")

-- The launcher reads signatures from the text, where the macro hides them.
local names = {}
text = text:gsub("#define KERNEL.-\n#define I", "#define I")
text = text:gsub("KERNEL%(([%w_]+)%)", function(name)
  names[#names + 1] = name
  return 'extern "C" __global__ void ' .. name
    .. "(const float *in, float *out, int *index, int n)"
end)

-- What differs from 2 blocks of 256 threads, and elements of out.
local flat, square, tile = {2, 256}, {{2, 2}, {32, 32}}, {{2, 2}, {16, 16}}
local shapes = {
  strided_32 = {flat, 16384}, transpose_naive = {square, 16384},
  transpose_tiled = {square, 16384}, transpose_padded = {square, 16384},
  matmul_naive = {tile, 4096}, matmul_tiled = {tile, 4096},
  small_blocks = {{8, 32}, 1024},
  much_shared = {{2, 128, shared = 512}, 1024}, large_blocks = {{1, 1024}, 1024},
}

-- Many threads write one value to one cell.
local noted = {store_same = true, store_64_pairs = true, store_shared_same = true}

local m = t:module(text)
local input, places = t:floats(32768, -1, 1), t:ints(16384, 0, 16383)
for _, name in ipairs(names) do
  local shape, count = table.unpack(shapes[name] or {flat, 4096})
  t.expected.race = noted[name]
  t:approximate(name == "special_functions" and 1e-4 or 0)
  local out, index = np.zeros(count, "f32"), places:copy()
  m[name]{grid = shape[1], block = shape[2], shared = shape.shared}(input, out, index, 400)
  t:record(name, out)
  if name == "global_atomics" then t:record(name .. ": index", index) end
end
