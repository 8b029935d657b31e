-- SPDX-License-Identifier: Apache-2.0
-- The matrix ladder (lessons 26 and 29): c = a b of n x n, every rung of
-- matrix.cu beside cuBLAS with the same types (jnp.dot on a GPU).
local ladder = dofile("bench/ladder.lua")

local FILE = "bench/ladders/matrix.cu"
local BOUND = 1e-4 -- of the largest result: sums of 8192 products in f32
local TILES = { -- rows, columns, depth, stages, rows and columns of a warp
  {128, 128, 32, 4, 64, 32},
  {128, 128, 64, 3, 64, 64},
  {128, 256, 32, 4, 64, 64},
  {128, 256, 64, 3, 64, 64},
  {128, 256, 64, 4, 64, 64},
  {256, 128, 64, 3, 64, 64},
}
local GROUPS_SHARED = 4 * (128 + 256) * 64 * 2 + 1024

local function stages_name(tile)
  return "stages<" .. table.concat(tile, ", ") .. ">"
end

local function load_kernels()
  local names = {}
  for k, tile in ipairs(TILES) do names[k] = stages_name(tile) end
  return cuda.module(ladder.text(FILE), {file = "matrix.cu",
                                         instantiate = names})
end

-- How a rung's tiles lie over the result.
local function launcher(name, kernel, n, rows, columns, config)
  if n % rows ~= 0 or n % columns ~= 0 then
    error(("%s takes multiples of %d x %d, not %d"):format(name, rows, columns,
                                                           n), 0)
  end
  config.grid = config.grid or n // rows * (n // columns)
  return kernel(config)
end

local function rung_of(name, type, launch, a, b, c, n)
  return {name = name, type = type, c = c,
          run = function() launch(a, b, c, n) end}
end

local function plain_rungs(kernels, data, n)
  local function rung(name, type, kernel, rows, columns, config)
    local side = data[type]
    return rung_of(name, type, launcher(name, kernel, n, rows, columns, config),
                   side.a, side.b, data.c, n)
  end
  return {
    rung("1 a thread an element", "f32", kernels.naive, 8, 32,
         {grid = {n // 32, n // 8}, block = {32, 8}}),
    rung("2 tiles", "f32", kernels.tiled, 32, 32,
         {grid = {n // 32, n // 32}, block = {32, 32}}),
    rung("3 8 x 8 a thread", "f32", kernels.registers, 128, 128,
         {grid = {n // 128, n // 128}, block = 256}),
    rung("4 wmma", "f16", kernels.tensor, 64, 16,
         {grid = {n // 16, n // 64}, block = {32, 4}}),
  }
end

local function staged_rungs(kernels, data, n, rungs)
  local most = cuda.device().attributes.max_shared_memory_per_block_optin
  for _, t in ipairs(TILES) do
    local rows, columns, deep, stages = table.unpack(t)
    local shared = stages * (rows + columns) * deep * 2
    local name = ("5 mma.sync %d x %d x %d, %d stages"):format(rows, columns,
                                                            deep, stages)
    if shared <= most and n % deep == 0 then
      local launch = launcher(name, kernels[stages_name(t)], n, rows, columns, {
        block = rows // t[5] * (columns // t[6]) * 32, shared = shared})
      table.insert(rungs, rung_of(name, "f16", launch, data.f16.a, data.f16.b,
                                  data.c, n))
    end
  end
end

-- wgmma is compiled for capability 9.0 alone, and the virtual GPU has none: so
-- these rungs come last, when all others are printed.
local function group_rungs(data, n)
  local kernels = cuda.module(ladder.text(FILE), {file = "matrix.cu",
    instantiate = {"groups<true>", "groups<false>"}})
  local function rung(name, kernel, b)
    local launch = launcher(name, kernel, n, 128, 256,
                            {block = 256, shared = GROUPS_SHARED})
    return rung_of(name, "f16", launch, data.f16.a, b, data.c, n)
  end
  return {
    rung("6 wgmma 128 x 256 x 64, b turned", kernels["groups<false>"],
         data.f16.b_turned),
    rung("6 wgmma 128 x 256 x 64", kernels["groups<true>"], data.f16.b),
  }
end

-- cuBLAS with inputs of `type` and results of `result`. f32 in all its bits:
-- the default on a GPU is TF32.
local function library(type, data, result)
  local a, b = jnp.from_dlpack(data[type].a), jnp.from_dlpack(data[type].b)
  local options = {preferred_element_type = result,
                   precision = type == "f32" and "highest" or nil}
  local product = jax.jit(function(x, y) return jnp.dot(x, y, options) end)
  local c
  local name = ladder.is_real and "cuBLAS" or "jnp.dot"
  return {name = name .. ", to " .. result, type = type, is_peer = true,
          bound = result == "f16" and 1e-3 or BOUND,
          run = function() c = product(a, b) end,
          result = function() return jnp.asarray(c, {dtype = "f32"}) end}
end

local function make_data(kernels, n)
  local data = {c = cuda.device_array({n, n}, "f32"),
                want = cuda.device_array({n, n}, "f32"), f32 = {}, f16 = {}}
  for k, side in ipairs{"a", "b"} do
    data.f32[side] = cuda.device_array({n, n}, "f32")
    data.f16[side] = cuda.device_array({n, n}, "f16")
    local turned = cuda.device_array({n, n}, "f16")
    kernels.fill[{256, 256}](data.f32[side], data.f16[side], turned, n, k)
    data.f16[side .. "_turned"] = turned
  end
  return data
end

-- The rung's largest distance from what is wanted, in parts of the largest.
local function error_of(rung, kernels, data, n)
  local out = cuda.to_device(np.zeros(2, "u32"))
  data.c:fill(0 / 0)
  rung.run()
  local c = rung.result and rung.result() or data.c
  kernels.apart[{256, 256}](c, data.want, out, n)
  local bits = out:copy_to_host()
  local pair = {string.unpack("<ff", string.pack("<I4I4", bits[0], bits[1]))}
  return pair[1] / pair[2]
end

-- Rung 1 is the reference of the others, and np's product on the host is that
-- of rung 1, where n is small enough for it.
local function make_reference(first, data, n)
  data.c:fill(0 / 0)
  first.run()
  data.want:copy_from(data.c)
  if n > 512 then return end
  local host = np.matmul(data.f32.a:copy_to_host(), data.f32.b:copy_to_host())
  np.testing.assert_allclose(data.want:copy_to_host(), host, {atol = 1e-3})
end

local function check(rungs, kernels, data, n)
  for _, rung in ipairs(rungs) do
    ladder.check(rung, rung.bound or BOUND, function()
      return error_of(rung, kernels, data, n)
    end)
  end
end

-- What a type is measured by: the fastest of its library's.
local function peer_of(rungs, type)
  local best
  for _, rung in ipairs(rungs) do
    if rung.is_peer and rung.type == type and rung.ms and
       (not best or rung.ms < best.ms) then best = rung end
  end
  return best
end

local function print_rungs(rungs, n)
  for _, rung in ipairs(rungs) do
    local peer = peer_of(rungs, rung.type)
    local speed = rung.ms and ("%.1f | %s"):format(2 * n ^ 3 / rung.ms / 1e9,
      peer and ("%.1f %%"):format(100 * peer.ms / rung.ms) or "-") or "- | -"
    print(("| %d | %s | %s | %s | %s | %s |"):format(n, rung.type, rung.name,
      ladder.cells(rung), speed, ladder.error_cell(rung)))
  end
end

local function finish(rungs, kernels, data, n)
  check(rungs, kernels, data, n)
  ladder.time(rungs)
  print_rungs(rungs, n)
  return rungs
end

local function with_size(kernels, n)
  local data = make_data(kernels, n)
  local rungs = plain_rungs(kernels, data, n)
  staged_rungs(kernels, data, n, rungs)
  make_reference(rungs[1], data, n)
  table.insert(rungs, 4, library("f32", data, "f32"))
  table.insert(rungs, library("f16", data, "f32"))
  table.insert(rungs, library("f16", data, "f16"))
  return finish(rungs, kernels, data, n)
end

local function groups_with_size(kernels, n)
  local data = make_data(kernels, n)
  make_reference(plain_rungs(kernels, data, n)[1], data, n)
  local rungs = group_rungs(data, n)
  table.insert(rungs, library("f16", data, "f32"))
  table.insert(rungs, library("f16", data, "f16"))
  return finish(rungs, kernels, data, n)
end

local function summary(rungs, n)
  local best, peer = nil, peer_of(rungs, "f16")
  for _, rung in ipairs(rungs) do
    if rung.name:find("mma.sync", 1, true) and rung.ms and
       (not best or rung.ms < best.ms) then best = rung end
  end
  if not best or not peer then return end
  local share = peer.ms / best.ms
  print(("# n = %d: %s is at %.1f %% of cuBLAS, %s"):format(n, best.name:sub(3),
    100 * share, share >= 0.5 and "50 or more" or "less than 50"))
end

local M = {}

--- Checks and times the ladder, prints it, gives its rungs.
function M.run(is_small)
  ladder.headline("c = a b, n x n; error in parts of the largest result")
  print("| n | type | rung | ms | quartiles | TFLOP/s | of cuBLAS | error |")
  print("|---|---|---|---|---|---|---|---|")
  local kernels, sizes = load_kernels(), is_small and {256} or {4096, 8192}
  local all = ladder.climb(sizes, function(n)
    local rungs = with_size(kernels, n)
    summary(rungs, n)
    return rungs
  end)
  local major = cuda.device().attributes.compute_capability_major
  if ladder.is_real and major == 9 then
    local groups = ladder.climb(sizes, function(n)
      return groups_with_size(kernels, n)
    end)
    table.move(groups, 1, #groups, #all + 1, all)
  end
  return all
end

--- The mma.sync rungs for matrices of n x n, not yet run. Raises where n is no
--- multiple of their tiles.
function M.rungs(n)
  local kernels, rungs = load_kernels(), {}
  staged_rungs(kernels, make_data(kernels, n), n, rungs)
  return rungs
end

return M
