-- SPDX-License-Identifier: Apache-2.0
-- The hardware's own counters (cuda.profile's p.hardware) beside what the virtual GPU
-- counts of the same launches, on a real GPU that lets its counters be read. What a
-- kernel asks of memory must be the same number; the hardware's conflicts may be a few
-- more. Prints TAP, and one skipped test with the reason where they cannot be read.
-- Usage: warpshop --device cuda:0 run tests/gpu/hardware.lua
local tap = dofile("tests/lua/tap.lua")

-- A turned matrix, by way of tiles whose rows are `pitch` floats apart: 32 are a conflict
-- of all banks, 33 are none.
local function turned(name, pitch)
  return ([==[
extern "C" __global__ void NAME(const float *a, float *b, int n) {
  __shared__ float tile[32][PITCH];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
]==]):gsub("NAME", name):gsub("PITCH", pitch)
end

local m = cuda.module(turned("transpose", 32) .. turned("padded", 33) .. [==[
extern "C" __global__ void plain(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
extern "C" __global__ void strided(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i * 8];
}
extern "C" __global__ void divergent(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  if (threadIdx.x % 32 < 4)
    for (int k = 0; k < n; k++)
      x = x * 1.0001f + sinf(x);
  b[i] = x;
}
extern "C" __global__ void sum(const float *a, float *out, int *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out, a[i]);
  if (threadIdx.x == 0)
    places[blockIdx.x] = atomicAdd(places + gridDim.x, 1);
}
__device__ int turns = 5;
extern "C" __global__ void bump(float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] += turns;
  if (i == 0)
    turns++;
}
]==])

local N <const> = 1 << 20
local a, b = cuda.to_device(np.ones(8 * N, "f32")), cuda.to_device(np.zeros(N, "f32"))

local first = cuda.profile(function() m.plain[{N // 256, 256}](a, b) end)
if not first.hardware then
  print("1..1\nok 1 - counters # SKIP " .. tostring(first.no_hardware))
  return
end
print(("# %s, %d runs of a launch, caches %s"):format(cuda.device().name,
  first.hardware.passes, first.hardware.cold_caches and "empty" or "kept"))

-- Those that must be the same, of one launch.
local exact <const> = {
  "global_load_requests", "global_load_sectors", "global_store_requests",
  "global_store_sectors", "shared_load_requests", "shared_store_requests",
  "async_copies", "texture_requests", "warps"
}
-- Those whose hardware has a few of its own.
local near <const> = {
  "shared_load_conflicts", "shared_store_conflicts", "shared_load_wavefronts",
  "shared_store_wavefronts"
}

local function agrees(name, p)
  tap.test(name .. ": memory as the virtual GPU counts it", function()
    local h = p.hardware
    assert(h, p.no_hardware)
    for _, c in ipairs(exact) do
      assert(not h[c] or h[c] == p[c], ("%s: hardware %s, virtual %s"):format(c, h[c], p[c]))
    end
    for _, c in ipairs(near) do
      local more = (h[c] or p[c]) - p[c]
      assert(more >= 0 and more <= 0.02 * p[c] + 64,
        ("%s: hardware %s, virtual %s"):format(c, h[c], p[c]))
    end
    assert(h.duration_ns > 500 and h.inst_executed > 0)
    assert(math.abs(h.inst_executed - p.inst_executed) <= 0.65 * p.inst_executed,
      ("instructions: %s, %s"):format(h.inst_executed, p.inst_executed))
  end)
  for line in tostring(p):gmatch("[^\n]+") do print("# " .. line) end
end

agrees("coalesced copy", first)
tap.test("coalesced copy: 4 sectors each", function()
  assert(first.hardware.global_load_sectors == 4 * N // 32)
end)

local far = cuda.profile(function() m.strided[{N // 256, 256}](a, b) end)
agrees("strided copy", far)
tap.test("strided copy: 32 sectors each, and eight times the bytes from DRAM", function()
  assert(far.hardware.global_load_sectors == N)
  assert(far.hardware.dram_read_bytes > 8e6)
end)

local n <const> = 1024
local turned = cuda.profile(function() m.transpose[{{32, 32}, {32, 8}}](a, b, n) end)
agrees("transpose", turned)
tap.test("transpose: 31 conflicts for each load of the tile", function()
  local each = turned.hardware.shared_load_conflicts / (n * n // 32)
  assert(each >= 31 and each < 32, each)
end)
local padded = cuda.profile(function() m.padded[{{32, 32}, {32, 8}}](a, b, n) end)
agrees("padded transpose", padded)

local parted = cuda.profile(function() m.divergent[{N // 256, 256}](a, b, 8) end)
agrees("divergent kernel", parted)
tap.test("divergent kernel: few threads an instruction, on both", function()
  local h = parted.hardware.active_lanes
  assert(h < 16 and math.abs(h - parted.active_lanes) < 8, h)
end)

local out, places = cuda.to_device(np.zeros(1, "f32")), cuda.to_device(np.zeros(65, "i32"))
local added = cuda.profile(function() m.sum[{64, 256}](a, out, places) end)
tap.test("atomics: what is left is of one launch", function()
  assert(out:copy_to_host()[0] == 64 * 256)
  assert(places:copy_to_host()[64] == 64)
  assert(added.hardware, added.no_hardware)
end)
for line in tostring(added):gmatch("[^\n]+") do print("# " .. line) end

tap.test("a kernel that changes its input and a variable runs once", function()
  local d = cuda.to_device(np.zeros(512, "f32"))
  local p = cuda.profile(function()
    m.bump[{2, 256}](d)
    m.bump[{2, 256}](d)
  end)
  assert(d:copy_to_host()[300] == 5 + 6)
  assert(p.hardware.launches == 2, p.hardware.launches)
  assert(p.hardware.global_load_requests == p.global_load_requests,
    p.hardware.global_load_requests)
end)

tap.test("host arrays, too", function()
  local x, y = np.ones(2048, "f32"), np.zeros(2048, "f32")
  local p = cuda.profile(function() m.plain[{8, 256}](x, y) end)
  assert(y[2047] == 1 and p.hardware.global_load_sectors == 256)
end)

tap.test("the last launch again, by command", function()
  m.plain[{N // 256, 256}](a, b)
  assert(cuda.profile().hardware.global_load_sectors == 4 * N // 32)
end)

tap.test("one whose fault is the launch's own is told as ever", function()
  local wild = cuda.kernel [==[
    __global__ void wild(float *b) { b[threadIdx.x + (1ll << 33)] = 1; }
  ]==]
  local d = cuda.to_device(np.zeros(32, "f32"))
  local ok, e = pcall(function()
    cuda.profile(function() wild[{1, 32}](d) cuda.synchronize() end)
  end)
  assert(not ok and e.kind == "out-of-bounds", tostring(e))
  local p = cuda.profile(function() m.plain[{8, 256}](np.ones(2048, "f32"), np.zeros(2048, "f32")) end)
  assert(p.hardware, p.no_hardware)
end)

tap.done()
