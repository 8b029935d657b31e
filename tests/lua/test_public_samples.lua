-- SPDX-License-Identifier: Apache-2.0
-- Kernels that a lesson shows, beside the same step as NVIDIA's public samples
-- do it (cuda-samples: sortingNetworks, matrixMul): no counter is worse, but
-- where the lesson says why. The samples' kernels stand here in words of our
-- own, by what is known of them: who has which element, what is shared, where a
-- barrier is.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
if cuda.device().name ~= "virtual GPU" then
  print("ok 1 # SKIP the virtual GPU counts the same everywhere\n1..1")
  return
end

--- The kernel of that name in a lesson's file.
local function shown(file, name)
  local text = io.open("lessons/" .. file):read("a")
  for cell in text:gmatch("\n```cuda run\n(.-\n)```\n") do
    if cell:find("__global__ void " .. name .. "(", 1, true) then
      return cuda.kernel(cell)
    end
  end
  error(file .. " shows no kernel " .. name)
end

local LESS = {
  "inst_executed", "thread_inst_executed", "branches", "divergent_branches",
  "barriers",
  "global_load_requests", "global_load_sectors", "global_load_bytes",
  "global_store_requests", "global_store_sectors", "global_store_bytes",
  "shared_load_requests", "shared_load_wavefronts", "shared_load_conflicts",
  "shared_store_requests", "shared_store_wavefronts", "shared_store_conflicts",
  "local_load_requests", "local_store_requests",
}

--- Lanes that did nothing, over all instructions: active_lanes without its
--- quotient, which gets worse where an instruction of a whole warp is saved.
local function idle(p) return 32 * p.inst_executed - p.thread_inst_executed end

--- The counters of which `ours` has more than `theirs`, but those of `but`.
local function worse(ours, theirs, but)
  local list = {}
  for _, name in ipairs(LESS) do
    if ours[name] > theirs[name] and not (but or {})[name] then
      list[#list + 1] = ("%s %d > %d"):format(name, ours[name], theirs[name])
    end
  end
  if idle(ours) > idle(theirs) then
    list[#list + 1] = ("idle lanes %d > %d"):format(idle(ours), idle(theirs))
  end
  return table.concat(list, ", ")
end

-- A block of half as many threads as numbers; a barrier at each round's
-- beginning and one behind the last. The sample carries a value beside each
-- key.
local bitonic = cuda.kernel[==[
__global__ void bitonic(int *x) {
  __shared__ int keys[256];
  int t = threadIdx.x;
  x += blockIdx.x * 256 + t;
  keys[t] = x[0];
  keys[t + 128] = x[128];
  for (int size = 2; size <= 256; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      bool down = t & size / 2;
      int at = 2 * t - (t & stride - 1);
      int first = keys[at], second = keys[at + stride];
      if (first > second != down) {
        keys[at] = second;
        keys[at + stride] = first;
      }
    }
  __syncthreads();
  x[0] = keys[t];
  x[128] = keys[t + 128];
}]==]

local function unsorted(n)
  return (np.arange(n, "i32") * 7919) % 10007
end

test("lesson 27: a network of pairs", function()
  local theirs, ours = unsorted(1024), unsorted(1024)
  local p = cuda.profile(function() bitonic[{4, 128}](theirs) end)
  local k = shown("27-sorting.md", "by_pairs")
  local q = cuda.profile(function() k[{4, 128}](ours) end)
  equal(np.array_equal(theirs, ours), true)
  equal(worse(q, p), "")
  -- The one before it is simpler: a thread a place.
  local simple = shown("27-sorting.md", "network")
  local r = cuda.profile(function() simple[{4, 256}](unsorted(1024)) end)
  local said = worse(r, p)
  equal(said:find("shared_load_requests 2144 > 1184", 1, true) ~= nil, true)
end)

local by_tiles = cuda.kernel[==[
__global__ void by_tiles(const float *a, const float *b, float *c, int wa, int wb) {
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  const float *end = a + wa * (16 * blockIdx.y + y) + wa + x;
  a = end - wa;
  b += 16 * blockIdx.x + wb * y + x;
  for (; a < end; a += 16, b += 16 * wb) {
    __shared__ float as[16][16], bs[16][16];
    as[y][x] = *a;
    bs[y][x] = *b;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[wb * (16 * blockIdx.y + y) + 16 * blockIdx.x + x] = sum;
}]==]

test("lesson 26: a pair of tiles", function()
  local n = 64
  local a = (np.arange(n * n, "f32") % 7):reshape(n, n)
  local b = (np.arange(n * n, "f32") % 5):reshape(n, n)
  local c, d = np.zeros({n, n}, "f32"), np.zeros({n, n}, "f32")
  local p = cuda.profile(function()
    by_tiles[{{4, 4}, {16, 16}}](a, b, c, n, n)
  end)
  local k = shown("26-matrix-product.md", "pair")
  local q = cuda.profile(function()
    for first = 0, n - 1, 16 do k[{{4, 4}, {16, 16}}](a, b, d, n, first) end
  end)
  equal(np.array_equal(c, d), true)
  -- The lesson's loop is the host's: c comes and goes in each of four launches,
  -- and each works out its places.
  equal(worse(q, p, {
    inst_executed = true, thread_inst_executed = true,
    global_load_requests = true, global_load_sectors = true,
    global_load_bytes = true, global_store_requests = true,
    global_store_sectors = true, global_store_bytes = true,
  }), "")
  equal(q.global_load_sectors,
    p.global_load_sectors + 4 * p.global_store_sectors)
  equal(q.global_store_sectors, 4 * p.global_store_sectors)
  equal(q.inst_executed < 1.35 * p.inst_executed, true)
end)

tap.done()
