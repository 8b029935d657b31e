-- SPDX-License-Identifier: Apache-2.0
-- Several virtual GPUs, copies between devices, and where blocks run.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local first = cuda.device().id

local spin = cuda.kernel[==[
__global__ void spin(float *out, int n) {
  float x = threadIdx.x;
  for (int i = 0; i < n; i++) x = x * 1.5f + 0.25f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}]==]

-- Block b does b + 1 times as much.
local uneven = cuda.kernel[==[
__global__ void uneven(float *out, int n) {
  float x = threadIdx.x;
  for (int i = 0; i < n * (blockIdx.x + 1); i++) x = x * 1.5f + 0.25f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}]==]

local function place(kernel, multiprocessors, blocks, n)
  cuda.select("virtual:0", {multiprocessors = multiprocessors})
  local out = cuda.device_array(blocks * 64, "f32")
  kernel[{blocks, 64}](out, n)
  return cuda.placement()
end

-- ---- Placement ----

test("two multiprocessors take twice as long as four", function()
  local four = place(spin, 4, 8, 500)
  local two = place(spin, 2, 8, 500)
  equal({four.multiprocessors, two.multiprocessors}, {4, 2})
  equal(two.clocks, 2 * four.clocks)
  local where = {}
  for i, b in ipairs(four.blocks) do where[i] = b.multiprocessor end
  equal(where, {0, 1, 2, 3, 0, 1, 2, 3})
  equal({four.kernel, #four.blocks}, {"spin", 8})
  equal(four.blocks[8].block, {7, 0, 0})
end)

test("each block goes to the multiprocessor that is free first", function()
  local p = place(uneven, 3, 20, 40)
  local clock = {0, 0, 0}
  for _, b in ipairs(p.blocks) do
    local best = 1
    for m = 2, 3 do if clock[m] < clock[best] then best = m end end
    equal(b.multiprocessor, best - 1, "block " .. b.number)
    equal(b.start, clock[best])
    assert(b.stop > b.start)
    clock[best] = b.stop
  end
  equal(p.clocks, math.max(table.unpack(clock)))
end)

test("the model is the same however the host ran the blocks", function()
  -- The second reads a clock, so its blocks take turns on one host thread.
  local body = [==[(unsigned *out, int n) {
    unsigned x = threadIdx.x;
    for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x%s;
  }]==]
  cuda.select("virtual:0", {multiprocessors = 3})
  local clocks = {}
  for i, tail in ipairs{"", " + 0 * (unsigned)clock()"} do
    local k = cuda.kernel("__global__ void k" .. body:format(tail))
    local out = cuda.device_array(7 * 64, "u32")
    k[{7, 64}](out, 2000)
    local p = cuda.placement()
    clocks[i] = p.clocks
    for _, b in ipairs(p.blocks) do
      equal(b.multiprocessor, b.number % 3)
    end
  end
  assert(math.abs(clocks[2] - clocks[1]) < 100,
         clocks[1] .. " and " .. clocks[2])
end)

test("occupancy bounds the blocks of a multiprocessor", function()
  local k = cuda.kernel[==[
__global__ void k(float *out, int n) {
  __shared__ float s[12 * 1024];
  s[threadIdx.x] = 1;
  for (int i = 0; i < n; i++) s[threadIdx.x] = s[threadIdx.x] * 1.5f + 0.25f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}]==]
  local p = place(k, 2, 12, 100000)
  equal(p.blocks_per_multiprocessor, 3) -- of 164 KiB, 48 + 1 each
  local overlap = 0
  for _, a in ipairs(p.blocks) do
    local others = 0
    for _, b in ipairs(p.blocks) do
      if b.multiprocessor == a.multiprocessor and b.start <= a.start and
         b.stop > a.start then
        others = others + 1
      end
    end
    assert(others <= 3, "block " .. a.number)
    overlap = math.max(overlap, others)
  end
  equal(overlap, 3)
end)

test("%smid, %nsmid and clock() agree with the placement", function()
  local k = cuda.kernel[==[
__global__ void k(unsigned *sm, unsigned *count, long long *from,
                  long long *to) {
  long long start = clock64();
  unsigned id, n;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(n));
  __syncthreads();
  if (threadIdx.x == 0) {
    sm[blockIdx.x] = id;
    count[blockIdx.x] = n;
    from[blockIdx.x] = start;
    to[blockIdx.x] = clock64();
  }
}]==]
  cuda.select("virtual:0", {multiprocessors = 5})
  local sm, count = np.zeros(12, "u32"), np.zeros(12, "u32")
  local from, to = np.zeros(12, "i64"), np.zeros(12, "i64")
  k[{12, 96}](sm, count, from, to)
  for i, b in ipairs(cuda.placement().blocks) do
    equal(sm[i - 1], b.multiprocessor)
    equal(count[i - 1], 5)
    assert(b.start <= from[i - 1] and from[i - 1] < to[i - 1] and
           to[i - 1] <= b.stop, "block " .. i)
  end
end)

test("a chart", function()
  local text = tostring(place(spin, 2, 4, 100))
  assert(text:find("spin: 4 of 4 blocks on 2 multiprocessors", 1, true), text)
  assert(text:find("\n   0 |0%-+|2%-+|\n   1 |1%-+|3%-+|$"), text)
end)

test("settings are kept, checked and told", function()
  cuda.select("virtual:0", {multiprocessors = 6})
  cuda.select("virtual:0")
  equal(cuda.device().attributes.multiprocessor_count, 6)
  cuda.select("virtual:0", {memory = 1 << 20})
  equal(cuda.device().attributes.multiprocessor_count, 6)
  equal(cuda.device().total_memory, 1 << 20)
  raises("out-of-memory", "of 1 MB free", function()
    cuda.device_array(1 << 21, "u8")
  end)
  cuda.select("virtual:0", {memory = 1 << 30})
  raises("argument", "no setting", function()
    cuda.select("virtual:0", {sms = 2})
  end)
  raises("argument", "from 1 to 256", function()
    cuda.select("virtual:0", {multiprocessors = 0})
  end)
  raises("argument", "real GPU", function()
    cuda.select("cuda:0", {multiprocessors = 2})
  end)
end)

local arch = [==[
__global__ void arch(int *out) { out[0] = __CUDA_ARCH__; }]==]

test("a capability compiles for it and sets the limits", function()
  local k, out = cuda.kernel(arch), np.zeros(1, "i32")
  for _, c in ipairs {
    {"7.5", 750, 65536, 1024, 16}, {"8.0", 800, 166912, 2048, 32},
    {"8.6", 860, 101376, 1536, 16}, {"8.7", 870, 166912, 1536, 16},
    {"8.9", 890, 101376, 1536, 24}, {9.0, 900, 232448, 2048, 32},
  } do
    cuda.select("virtual:0", {capability = c[1]})
    k[{1, 1}](out)
    equal(out[0], c[2])
    local a = cuda.device().attributes
    equal(a.compute_capability_major * 100 +
          a.compute_capability_minor * 10, c[2])
    equal(a.max_shared_memory_per_block_optin, c[3])
    equal(a.max_threads_per_multiprocessor, c[4])
    equal(a.max_blocks_per_multiprocessor, c[5])
    k[{1, 1, shared = c[3]}](out)
    raises("launch", tostring(c[3]), function()
      k[{1, 1, shared = c[3] + 4}](out)
    end)
  end
  cuda.select("virtual:0", {capability = "8.0"})
  raises("argument", "7.5, 8.0, 8.6, 8.7, 8.9 and 9.0", function()
    cuda.select("virtual:0", {capability = "10.0"})
  end)
  raises("argument", "7.5, 8.0, 8.6", function()
    cuda.select("virtual:0", {capability = {}})
  end)
end)

test("what only newer capabilities have", function()
  cuda.select("virtual:0", {capability = "9.0"})
  local k = cuda.kernel[==[
#include <cuda_fp8.h>
__global__ void k(float *out, float x) {
  unsigned elected = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(elected));
  if (elected) out[0] = float(__nv_fp8_e4m3(x));
}]==]
  local out = np.zeros(1, "f32")
  k[{1, 32}](out, 1.07)
  equal(out[0], 1.125)
  cuda.select("virtual:0", {capability = "8.0"})
end)

test("host copies survive new settings", function()
  local x = cuda.to_device(np.arange(5, "f32"))
  cuda.select("virtual:0", {multiprocessors = 7})
  equal(x:copy_to_host():tolist(), {0, 1, 2, 3, 4})
end)

test("CUDA arrays and textures are lost with new settings", function()
  local k = cuda.kernel[==[
__global__ void k(cudaTextureObject_t t, float *out) {
  out[0] = tex1D<float>(t, 0.f);
}]==]
  local a = cuda.array(np.ones(4, "f32"))
  local t = cuda.texture(a)
  cuda.select("virtual:0", {multiprocessors = 8})
  raises("device-lost", "make it again", function() a:copy_to_host() end)
  raises("device-lost", "make it again", function()
    k[{1, 1}](t, np.zeros(1, "f32"))
  end)
end)

-- ---- Several devices ----

test("two virtual GPUs have memories of their own", function()
  local ids = {}
  for _, d in ipairs(cuda.devices()) do ids[d.id] = true end
  assert(ids["virtual:0"] and ids["virtual:1"])
  cuda.select("virtual:0")
  local a = cuda.to_device(np.arange(4, "f32"))
  local b = a:to("virtual:1")
  equal({a.device, b.device, cuda.device().id},
        {"virtual:0", "virtual:1", "virtual:0"})
  equal(a:to("virtual:0"), a)
  equal(b:to("host"):tolist(), {0, 1, 2, 3})
  b:fill(9)
  equal(a:copy_to_host():tolist(), {0, 1, 2, 3})
  cuda.memcpy_peer(a, b)
  equal(a:copy_to_host():tolist(), {9, 9, 9, 9})
  cuda.select("virtual:1")
  spin[{1, 4}](b, 1)
  equal(b:copy_to_host():tolist(), {0.25, 1.75, 3.25, 4.75})
  cuda.select("virtual:0")
end)

test("no kernel reaches another device's memory", function()
  local a = cuda.to_device(np.zeros(4, "f32"))
  local b = a:to("virtual:1")
  equal(cuda.device():can_access_peer("virtual:1"), false)
  raises("unsupported", "x:to(\"virtual:0\")", function()
    cuda.device():enable_peer_access("virtual:1")
  end)
  raises("argument", "always reaches", function()
    cuda.device():enable_peer_access("virtual:0")
  end)
  raises("argument", 'virtual:1"), or copy it over with :to("virtual:0")',
    function() spin[{1, 4}](b, 1) end)
  local e = raises("out-of-bounds", "memory of virtual:1", function()
    spin[{1, 4}](b:pointer():address(), 1)
    cuda.synchronize()
  end)
  equal(e.diagnostics[1].line, 4)
end)

test("textures stay on their device", function()
  local k = cuda.kernel[==[
__global__ void k(cudaTextureObject_t t, float *out) {
  out[0] = tex1Dfetch<float>(t, 0);
}]==]
  local t = cuda.texture(cuda.array(np.ones(4, "f32")))
  cuda.select("virtual:1")
  raises("argument", "lives on virtual:0", function()
    k[{1, 1}](t, np.zeros(1, "f32"))
  end)
  cuda.select("virtual:0")
end)

test("what is no device", function()
  raises("argument", "takes a device", function()
    cuda.to_device(np.ones(1)):to("moon")
  end)
  raises("not-found", "WARPSHOP_VIRTUAL_DEVICES", function()
    cuda.select("virtual:7")
  end)
  raises("argument", "argument 2 is on the host", function()
    cuda.memcpy_peer(cuda.device_array(1), np.ones(1))
  end)
end)

-- Only where there are two: their memories, by way of the host.
test("two real GPUs", function()
  local gpus = 0
  for _, d in ipairs(cuda.devices()) do
    if d.id:find("^cuda") then gpus = gpus + 1 end
  end
  if gpus < 2 then return end
  cuda.select("cuda:0")
  local b = cuda.to_device(np.arange(4, "f32")):to("cuda:1")
  equal({b.device, b:to("host"):tolist()}, {"cuda:1", {0, 1, 2, 3}})
end)

test("a real GPU does not tell where its blocks ran", function()
  if not first:find("^cuda") then return end
  cuda.select(first)
  raises("unsupported", "%smid", cuda.placement)
end)

test("what the virtual GPU cannot run is told when it is made", function()
  cuda.select("virtual:0")
  local source = [==[
__global__ void k(float *o) {
  int x = threadIdx.x;
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%0,%0,%0}, "
               "{%1,%1},{%1,%1},{%0,%0,%0,%0}, %1, 0x0;" :: "f"(o[0]), "r"(x));
}]==]
  for _, make in ipairs {cuda.kernel, cuda.module} do
    local ok, e = pcall(make, source)
    assert(not ok and e.kind == "unsupported", tostring(e))
    assert(e.message:find("k.cu:4  ", 1, true), e.message)
    assert(e.message:find("mma.sp", 1, true), e.message)
    local d = e.diagnostics[1]
    equal({d.file, d.line, d.kind}, {"k.cu", 4, "unsupported"})
  end
end)

tap.done()
