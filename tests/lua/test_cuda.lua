-- SPDX-License-Identifier: Apache-2.0
-- cuda: devices, kernels, launches, arguments, memory, modules, streams.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local add = cuda.kernel[==[
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}]==]

local function all(a, value)
  return np.all(np.equal(a, value))
end

-- ---- Devices ----

test("the device says what it is", function()
  local d = cuda.device()
  assert(d.id:match("^%a+:%d$") and d.name and d.arch)
  assert(d.attributes.warp_size == 32)
  assert(d.attributes.max_threads_per_block >= 1024)
  assert(tostring(d):find(d.id, 1, true))
end)

test("devices lists the virtual GPU", function()
  local ids = {}
  for _, d in ipairs(cuda.devices()) do ids[d.id] = true end
  assert(ids["virtual:0"])
end)

test("free memory is at most all of it", function()
  local free, total = cuda.mem_info()
  assert(free > 0 and free <= total)
end)

test("a device that does not exist", function()
  raises("argument", "gpu7", function() cuda.select("gpu7") end)
  local ok, e = pcall(cuda.select, "virtual:63")
  assert(not ok and tostring(e):find("virtual:63", 1, true))
  assert(cuda.device().id) -- the one before still works
end)

-- ---- The transcript of the manual ----

test("host arrays are copied over and back", function()
  local x, y = np.arange(4096, "f32"), np.ones(4096, "f32")
  local out = np.zeros(4096, "f32")
  add[{32, 128}](x, y, out, 4096)
  equal(tostring(out), "array([1, 2, 3, ..., 4094, 4095, 4096], f32)")
  local l = cuda.last_launch()
  equal(l.kernel, "add")
  equal(l.grid, {32, 1, 1})
  equal(l.block, {128, 1, 1})
  equal(l.bytes_in, 3 * 16384)
  equal(l.bytes_out, 16384)
  equal(l.constants, "x and y")
  assert(l.kernel_us > 0)
end)

test("what did not change is not copied again", function()
  local x, y = np.arange(64, "f32"), np.ones(64, "f32")
  local out = np.zeros(64, "f32")
  add[{1, 64}](x, y, out, 64)
  add[{1, 64}](x, y, out, 64)
  equal(cuda.last_launch().bytes_in, 0)
  x[0] = 41
  add[{1, 64}](x, y, out, 64)
  equal(cuda.last_launch().bytes_in, 256)
  equal(out[0], 42)
end)

test("device arrays", function()
  local x, y = np.arange(4096, "f32"), np.ones(4096, "f32")
  local dx, dy = cuda.to_device(x), cuda.to_device(y)
  local dout = cuda.device_array_like(dx)
  add[{32, 128}](dx, dy, dout, 4096)
  cuda.synchronize()
  equal(tostring(dout:copy_to_host()),
    "array([1, 2, 3, ..., 4094, 4095, 4096], f32)")
  local out = np.zeros(4096, "f32")
  assert(rawequal(dout:copy_to_host(out), out))
  equal(out[4095], 4096)
  assert(all(dx:copy_to_host(), x))
end)

test("host and device arrays in one launch", function()
  local dx = cuda.to_device(np.arange(10, "f32"))
  local out = np.zeros(10, "f32")
  add[{1, 32}](dx, np.ones(10, "f32"), out, 10)
  equal(out:tolist(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
end)

test("1000 launches in a row", function()
  local count = cuda.kernel[==[
  __global__ void count(int *x) { x[threadIdx.x] += 1; }]==]
  local x = cuda.to_device(np.zeros(32, "i32"))
  for _ = 1, 1000 do count[{1, 32}](x) end
  assert(all(x:copy_to_host(), 1000))
end)

-- ---- Launch configurations ----

local where = cuda.kernel[==[
__global__ void where(int *out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x +
      blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = thread;
}]==]

test("grids and blocks of three directions", function()
  local out = np.full(2 * 3 * 4 * 24, -1, "i32")
  where[{{2, 3, 4}, {2, 3, 4}}](out)
  for i = 0, 2 * 3 * 4 * 24 - 1 do assert(out[i] == i % 24) end
  where{grid = {2, 3, 4}, block = {2, 3, 4}}(out)
end)

test("equal configurations share a launcher", function()
  assert(rawequal(add[{32, 128}], add[{32, 128}]))
  assert(rawequal(add[{32, 128}], add{grid = 32, block = 128}))
  assert(not rawequal(add[{32, 128}], add[{32, 64}]))
end)

test("a launch without its grid is explained", function()
  local x = np.zeros(1000, "f32")
  raises("argument", "add[{8, 128}](x, x, x, 1000)",
    function() add(x, x, x, 1000) end)
  raises("argument", "how many threads", function() add[{4}](x) end)
  raises("argument", "grid", function() local _ = add[3] end)
end)

test("limits are checked before the device sees them", function()
  local x = np.zeros(8, "f32")
  raises("launch", "1024", function() add[{1, 2048}](x, x, x, 8) end)
  raises("launch", "at least 1", function() add[{0, 32}](x, x, x, 8) end)
  raises("argument", "rounds up", function() add[{8 / 3, 32}](x, x, x, 8) end)
  raises("argument", "\"gird\"",
    function() add{grid = 1, block = 2, gird = 3}(x, x, x, 8) end)
  add[{8 / 4, 32}](x, x, x, 8) -- a float that is whole
end)

test("dynamic shared memory", function()
  local reverse = cuda.kernel[==[
  extern __shared__ int cell[];
  __global__ void reverse(int *x) {
    cell[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = cell[blockDim.x - 1 - threadIdx.x];
  }]==]
  local x = np.arange(64, "i32")
  reverse{grid = 1, block = 64, shared = 256}(x)
  equal(x[0], 63)
  equal(x[63], 0)
end)

-- ---- Arguments ----

local f32 = np.zeros(8, "f32")

test("the element type must match", function()
  local d = cuda.to_device(np.zeros(8, "f64"))
  local e = raises("argument", "d:astype(\"f32\")",
    function() add[{1, 8}](d, f32, f32, 8) end)
  for _, text in ipairs{"argument 1", "x", "const float *", "f64"} do
    assert(e.message:find(text, 1, true), e.message)
  end
  raises("argument", "f64",
    function() add[{1, 8}](f32, f32, np.zeros(8, "f64"), 8) end)
  raises("argument", "i32",
    function() add[{1, 8}](f32, np.zeros(8, "i32"), f32, 8) end)
end)

test("the number of arguments shows the signature", function()
  raises("argument",
    "add(const float *x, const float *y, float *out, int n)",
    function() add[{1, 8}](f32, f32, f32) end)
  raises("argument", "takes 4 arguments, not 5",
    function() add[{1, 8}](f32, f32, f32, 8, 9) end)
end)

test("integers must fit", function()
  raises("argument", "2147483648",
    function() add[{1, 8}](f32, f32, f32, 1 << 31) end)
  raises("argument", "whole number",
    function() add[{1, 8}](f32, f32, f32, 7.5) end)
  raises("argument", "not string",
    function() add[{1, 8}](f32, f32, f32, "8") end)
  raises("argument", "nil", function() add[{1, 8}](f32, f32, f32, nil) end)
  add[{1, 8}](f32, f32, f32, 8.0)
end)

test("pointers take arrays, pointers and integers", function()
  raises("argument", "nil", function() add[{1, 8}](nil, f32, f32, 8) end)
  raises("argument", "np.array",
    function() add[{1, 8}]({1, 2}, f32, f32, 8) end)
  raises("argument", "string", function() add[{1, 8}]("x", f32, f32, 8) end)
  local x = cuda.to_device(np.arange(8, "f32"))
  local out = cuda.to_device(f32)
  local p = out:pointer()
  add[{1, 8}](x, x:pointer(), p, 8)
  equal(out:copy_to_host()[7], 14)
  add[{1, 8}](x, x, p:address(), 7)
  add[{1, 1}](x, x, p + 4, 1) -- four bytes on
  equal(out:copy_to_host()[1], 0)
  equal(p + 4, out["1:"]:pointer())
end)

test("numbers of every kind", function()
  local k = cuda.kernel[==[
  #include <cuda_fp16.h>
  #include <cuda_bf16.h>
  __global__ void k(double *out, bool a, signed char b, unsigned char c,
                    short d, unsigned e, long long f, unsigned long long g,
                    float h, double i, __half j, __nv_bfloat16 l) {
    double v[11] = {(double)a, (double)b, (double)c, (double)d, (double)e,
                    (double)f, (double)g, (double)h, i, (double)__half2float(j),
                    (double)__bfloat162float(l)};
    for (int n = 0; n < 11; n++) out[n] = v[n];
  }]==]
  local out = np.zeros(11, "f64")
  k[{1, 1}](out, true, -5, 200, -300, 4000000000, -(1 << 40), 1 << 40, 0.5,
    0.1, 1.5, -2.5)
  equal(out:tolist(), {1, -5, 200, -300, 4e9, -2.0 ^ 40, 2.0 ^ 40, 0.5, 0.1,
    1.5, -2.5})
  raises("argument", "does not fit", function()
    k[{1, 1}](out, true, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  end)
  raises("argument", "does not fit", function()
    k[{1, 1}](out, true, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0)
  end)
  raises("argument", "negative", function()
    k[{1, 1}](out, true, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0)
  end)
  raises("argument", "too large", function()
    k[{1, 1}](out, true, 0, 0, 0, 0, 0, 0, 1e39, 0, 0, 0)
  end)
end)

test("signedness is ignored, vectors take their scalars", function()
  local k = cuda.kernel[==[
  __global__ void k(unsigned *a, float4 *b, const void *c) {
    a[0] = 7; b[0] = make_float4(1, 2, 3, 4);
  }]==]
  local a, b = np.zeros(1, "i32"), np.zeros(4, "f32")
  k[{1, 1}](a, b, np.zeros(3, "u8"))
  equal(a[0], 7)
  equal(b:tolist(), {1, 2, 3, 4})
end)

test("structures by value have C's layout", function()
  local k = cuda.kernel[==[
  struct P { float x; char c; double d; int i; };
  __global__ void k(double *out, P p, int n) {
    out[0] = p.x; out[1] = p.c; out[2] = p.d; out[3] = p.i; out[4] = n;
  }]==]
  local out = np.zeros(5, "f64")
  local p = cuda.struct("f32 i8 f64 i32", 1.5, -3, 0.1, 77)
  equal(#p, 24)
  k[{1, 1}](out, p, 9)
  equal(out:tolist(), {1.5, -3, 0.1, 77, 9})
  raises("argument", "24 bytes",
    function() k[{1, 1}](out, cuda.struct("f32", 1), 9) end)
  raises("argument", "cuda.struct", function() k[{1, 1}](out, 1, 9) end)
  raises("argument", "4 members", function()
    cuda.struct("f32 i8 f64 i32", 1)
  end)
end)

test("views, aliases and strides of host arrays", function()
  local x = np.arange(12, "f32")
  add[{1, 4}](x["0:4"], x["4:8"], x["8:12"], 4) -- one base, three views
  equal(x["8:12"]:tolist(), {4, 6, 8, 10})
  equal(x["0:8"]:tolist(), {0, 1, 2, 3, 4, 5, 6, 7})
  local every = np.zeros(8, "f32")
  add[{1, 4}](x["0:8:2"], x["1:8:2"], every["::2"], 4)
  equal(every:tolist(), {1, 0, 5, 0, 9, 0, 13, 0})
  raises("argument", "shares memory",
    function() add[{1, 4}](x["0:4"], x["4:8"], x["::3"], 4) end)
end)

test("strided device arrays are refused", function()
  local d = cuda.to_device(np.arange(8, "f32"))
  raises("argument", ":copy()",
    function() add[{1, 4}](d["::2"], d, d, 4) end)
  equal(d["::2"]:copy_to_host():tolist(), {0, 2, 4, 6})
  add[{1, 4}](d["::2"]:copy(), d, d, 4)
  equal(d:copy_to_host():tolist(), {0, 3, 6, 9, 4, 5, 6, 7})
  equal(d:astype("i32").dtype, "i32")
end)

-- ---- Memory ----

test("freed arrays are refused by name", function()
  local gone = cuda.to_device(f32)
  gone:free()
  raises("use-after-free", "gone",
    function() add[{1, 8}](gone, gone, gone, 8) end)
  raises("use-after-free", "gone", function() gone:copy_to_host() end)
end)

test("copies and fills", function()
  local d = cuda.device_array({2, 3}, "f64")
  equal(d.shape, {2, 3})
  d:copy_from(np.array({{1, 2, 3}, {4, 5, 6}}, "f64"))
  equal(cuda.to_device(d):copy_to_host():tolist(), {{1, 2, 3}, {4, 5, 6}})
  d:fill(2.5)
  equal(d:copy_to_host():tolist(), {{2.5, 2.5, 2.5}, {2.5, 2.5, 2.5}})
  raises("argument", "same shape",
    function() d:copy_from(np.zeros(5)) end)
  raises("argument", "cuda.to_device", function() f32:copy_to_host() end)
  raises("argument", "np.array", function() cuda.to_device{1, 2} end)
end)

test("the host may change once its copy has been read", function()
  local x = np.zeros(1 << 16, "f32")
  local d = cuda.to_device(x)
  x["::"] = 5
  assert(all(d:copy_to_host(), 0))
end)

test("dropped device arrays give their memory back", function()
  -- Others may be using a real GPU's memory at the same time.
  local is_alone = cuda.device().id:find("^virtual") ~= nil
  local function in_use()
    collectgarbage()
    cuda.synchronize() -- what has retired is freed,
    cuda.synchronize() -- and that is work on the device, too
    local free, total = cuda.mem_info()
    return cuda.memory_stats().bytes_in_use, is_alone and total - free or 0
  end
  local ours, whole = in_use()
  for _ = 1, 200 do cuda.device_array(1 << 20, "u8") end
  local ours_after, whole_after = in_use()
  assert(ours_after - ours < 50 << 20, ours_after - ours)
  assert(whole_after - whole < 50 << 20, whole_after - whole)
end)

test("a module that nobody can launch gives its memory back", function()
  if not cuda.device().id:find("^virtual") then return end
  local small = cuda.kernel("__global__ void small(int *a) { a[0]++; }")
  local a = cuda.to_device(np.zeros(4, "i32"))
  local function free()
    for _ = 1, 64 do small[{1, 1}](a) end -- so many launches are remembered
    cuda.synchronize()
    collectgarbage()
    return (cuda.mem_info())
  end
  local before = free()
  do
    local big <const> = cuda.kernel [==[
__device__ char kept[1 << 28];
__global__ void big(int *a) { kept[a[0]] = 1; }]==]
    big[{1, 1}](a)
    equal(before - free() >= 1 << 28, true)
  end
  collectgarbage()
  equal(before - free() < 1 << 20, true)
end)

test("a launch may be long, where it is told so", function()
  local device = cuda.device().id
  cuda.select("virtual:0")
  local k = cuda.kernel [==[
__global__ void mix(unsigned *out, int n) {
  unsigned v = threadIdx.x;
  for (int i = 0; i < n; i++) v = v * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}]==]
  local out = cuda.device_array(256, "u32")
  local function launch()
    k[{8, 32}](out, 10000)
    cuda.synchronize()
  end
  cuda.set_budget(0, 20000)
  local e = raises("timeout", "together used up", launch)
  assert(tostring(e):find("cuda.set_budget", 1, true), tostring(e))
  if jnp then -- whose kernels are as long as their arrays are large
    equal(jnp.sum(jnp.ones({300, 300}) + 1):item(), 180000.0)
  end
  cuda.set_budget(0, 1 << 40)
  out = cuda.device_array(256, "u32")
  launch()
  cuda.set_budget(0)
  raises("argument", "cuda.set_budget takes", function()
    cuda.set_budget(0, -1)
  end)
  cuda.select(device)
end)

test("an array that no device holds", function()
  raises("out-of-memory", "", function() cuda.device_array(1 << 50, "u8") end)
  raises("argument", "", function() cuda.device_array(-1) end)
end)

test("cuda.arrays lists names and states", function()
  local listed = cuda.to_device(f32)
  for _, row in ipairs(cuda.arrays()) do
    if row.name == "listed" then
      equal(row.dtype, "f32")
      equal(row.state, "copied")
      equal(row.bytes, 32)
      return
    end
  end
  error("not listed: " .. tostring(listed))
end)

-- ---- Modules ----

test("modules, templates, instantiations", function()
  local m = cuda.module([==[
  template <int N> __global__ void mm(int *out) { out[0] = N; }
  __global__ void get_global(int *out) { out[0] = 1; }
  __device__ int table[4] = {1, 2, 3, 4};
  ]==], {instantiate = {"mm<16>", "mm<3>"}})
  local out = np.zeros(1, "i32")
  m["mm<16>"][{1, 1}](out)
  equal(out[0], 16)
  m["mm< 3 >"][{1, 1}](out)
  equal(out[0], 3)
  m.get_global[{1, 1}](out) -- a kernel's name wins over a method
  equal(out[0], 1)
  raises("argument", "instantiate", function() return m.mm end)
  assert(rawequal(m["mm<16>"], m["mm<16>"]))
end)

test("pointers to structures and to named types take any array", function()
  local m = cuda.module[==[
  struct Slot { unsigned key, value; };
  typedef float real;
  __global__ void fill(Slot *s) { s[threadIdx.x] = Slot{threadIdx.x, 7}; }
  extern "C" __global__ void twice(real *x, const Slot *s) {
    x[threadIdx.x] = 2 * s[threadIdx.x].value;
  }
  ]==]
  local slots, x = cuda.device_array(4, "u32"), np.zeros(2, "f32")
  m.fill[{1, 2}](slots)
  equal(slots:copy_to_host():tolist(), {0, 7, 1, 7})
  m.twice[{1, 2}](x, slots:pointer())
  equal(x:tolist(), {14, 14})
end)

test("module variables", function()
  local m = cuda.module[==[
  __device__ int table[4] = {1, 2, 3, 4};
  __global__ void twice() { table[threadIdx.x] *= 2; }]==]
  local t = m:get_global("table", "i32")
  equal(t:copy_to_host():tolist(), {1, 2, 3, 4})
  m.twice[{1, 4}]()
  equal(t:copy_to_host():tolist(), {2, 4, 6, 8})
  raises("argument", "nothing", function() m:get_global("nothing") end)
end)

test("compile errors have line and column", function()
  local e = raises("compile", "blokIdx", function()
    cuda.kernel("__global__ void bad(int *x) {\n x[0] = blokIdx.x;\n}")
  end)
  equal(e.diagnostics[1].line, 2)
  assert(e.diagnostics[1].column >= 9)
  equal(e.diagnostics[1].file, "bad.cu")
  raises("argument", "no kernel",
    function() cuda.kernel("__device__ int x;") end)
  raises("argument", "2 kernels", function()
    cuda.kernel("__global__ void a() {} __global__ void b() {}")
  end)
  raises("argument", "\"option\"", function()
    cuda.kernel("__global__ void a() {}", {option = {}})
  end)
end)

test("options reach the compiler", function()
  local k = cuda.kernel(
    "__global__ void k(int *x) { x[0] = SIZE; }",
    {options = {"-DSIZE=31"}, cache = false})
  local x = np.zeros(1, "i32")
  k[{1, 1}](x)
  equal(x[0], 31)
  equal(k.is_cached, false)
end)

test("a kernel tells about itself", function()
  equal(add.name, "add")
  equal(add.file, "add.cu")
  equal(#add.parameters, 4)
  equal(add.parameters[1].name, "x")
  equal(add.parameters[4].type, "int")
  assert(add.source:find("__global__"))
  assert(add.ptx:find(".entry", 1, true))
  assert(add.attributes.max_threads >= 128)
  local ok, sass = pcall(function() return add.sass end)
  assert(ok and sass:find("add", 1, true) or sass.kind == "not-found")
  equal(tostring(add),
    "kernel add(const float *x, const float *y, float *out, int n)")
  raises("argument", "no field", function() return add.foo end)
end)

-- ---- Streams, events, time ----

test("streams and events", function()
  local s, e0, e1 = cuda.stream(), cuda.event(), cuda.event()
  local x = cuda.to_device(np.ones(1024, "f32"))
  e0:record(s)
  add{grid = 8, block = 128, stream = s}(x, x, x, 1024)
  e1:record(s)
  s:synchronize()
  e1:synchronize()
  assert(e1:query())
  while not s:query() do end
  assert(e0:elapsed(e1) >= 0)
  equal(x:copy_to_host()[0], 2)
  raises("argument", "recorded", function() cuda.event():synchronize() end)
end)

test("cuda.range calls its function", function()
  equal({cuda.range("work", function(a) return a, 2 end, 1)}, {1, 2})
  raises("argument", "inner", function()
    cuda.range("work", function()
      error{kind = "argument", message = "inner"}
    end)
  end)
end)

test("cuda.time splits a launch", function()
  local d = cuda.to_device(np.ones(4096, "f32"))
  local t = cuda.time(function() add[{32, 128}](d, d, d, 4096) end, {r = 5})
  equal(t.runs, 5)
  assert(t.kernel_us > 0 and t.mad_us >= 0 and t.copy_in_us == 0)
  equal(t.bytes, 16384)
  local x = np.ones(4096, "f32")
  t = cuda.time(function() x[0] = 1; add[{32, 128}](x, x, x, 4096) end,
    {r = 3})
  assert(t.kernel_us > 0 and t.copy_in_us > 0 and t.copy_out_us > 0)
end)

test("cuda.time runs what it is told to, and no more", function()
  local calls = 0
  local t = cuda.time(function() calls = calls + 1 end,
    {n = 1, r = 1, warmup = 0})
  equal(calls, 1)
  equal(t.runs, 1)
  assert(t.host_us >= 0 and t.kernel == nil)
end)

test("a first call shows its compile, a second does not", function()
  local k = cuda.module([[__global__ void first(float *x) { x[0] = 1; }]],
    {cache = false}).first
  local d = cuda.to_device(np.ones(4, "f32"))
  local function launch() k[{1, 1}](d) end
  assert(cuda.time(launch, {r = 2}).compile_ms > 0)
  equal(cuda.time(launch, {r = 2}).compile_ms, 0.0)
end)

-- ---- Names of Numba and CuPy ----

test("a GPU is there, on the virtual one too", function()
  equal(cuda.is_available(), true)
  equal(jax.default_backend(), "gpu")
  assert(#cuda.gpus > 0 and cuda.gpus[0].id)
  local n = 0
  for i, d in pairs(cuda.gpus) do
    equal(i, n)
    equal(d.id, cuda.gpus[i].id)
    n = n + 1
  end
  equal(n, #cuda.gpus)
  local ok, e = pcall(function() return cuda.gpus[n] end)
  assert(not ok and tostring(e):find("counted from 0", 1, true), e)
end)

test("cuda.asarray, cuda.asnumpy, cuda.random", function()
  local d = cuda.asarray({1, 2, 3}, "f32")
  equal(d.device, cuda.device().id)
  equal(cuda.asnumpy(d):tolist(), {1.0, 2.0, 3.0})
  assert(rawequal(cuda.asarray(d), d))
  equal(cuda.asarray(d, "i32").dtype, "i32")
  equal(cuda.asnumpy{4, 5}:tolist(), {4, 5})
  local x = cuda.random.rand(4, 3)
  equal(x.device, cuda.device().id)
  equal(x.shape, {4, 3})
  raises("argument", "nonesuch", function() cuda.random.nonesuch() end)
end)

test("a kernel called as CuPy's RawKernel is", function()
  local k = cuda.RawKernel([[extern "C" __global__ void fill(int *x, int n) {
    extern __shared__ int s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i;
    if (i < n) x[i] = s[threadIdx.x];
  }]], "fill")
  local d = cuda.to_device(np.zeros(10, "i32"))
  k({2}, {8}, {d, 10}, {shared_mem = 32})
  equal(d:copy_to_host():tolist(), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  d = cuda.to_device(np.zeros(10, "i32"))
  k(2, 8, {d, 9}, {shared_mem = 32})
  equal(d:copy_to_host():tolist(), {0, 1, 2, 3, 4, 5, 6, 7, 8, 0})
  equal(k.max_threads_per_block, k.attributes.max_threads)
  equal(k.local_size_bytes, k.attributes["local"])
  equal(k.shared_size_bytes, 0)
end)

test("a range has a colour", function()
  equal(cuda.range("a", "red", function(x) return x + 1 end, 2), 3)
  equal(cuda.range("a", 0xff00ff00, function() return 4 end), 4)
  raises("argument", "no colour", function()
    cuda.range("a", "reddish", function() end)
  end)
end)

test("a range marks a function, not what it has given", function()
  raises("argument", "needs a function, not a number", function()
    cuda.range("a", "red", math.sqrt(2))
  end)
  raises("argument", "not nothing", function() cuda.range("a", "red") end)
  local called = setmetatable({}, {__call = function(_, x) return x + 1 end})
  equal(cuda.range("a", called, 2), 3)
end)

-- ---- What mistakes are called ----

test("a setting that a launch does not have", function()
  raises("argument", '"blok"', function() add{grid = 1, blok = 16}() end)
end)

test("a kernel that a module does not have", function()
  local m = cuda.module("template<int N> __global__ void fill(int *a) " ..
    "{ a[threadIdx.x] = N; }", {instantiate = {"fill<1>"}})
  raises("argument", 'instantiate = {"fill<3>"}', function()
    return m["fill<3>"]
  end)
  local ok, e = pcall(function() return m.other end)
  assert(not ok and not tostring(e):find("instantiate", 1, true))
end)

test("a compile error ends without an empty line, and many are cut", function()
  local lines = {}
  for i = 1, 20 do lines[i] = "__device__ int f" .. i .. "() { return no" .. i
    .. "; }" end
  local ok, e = pcall(cuda.module, table.concat(lines, "\n"))
  assert(not ok and #e.diagnostics >= 20)
  local text = tostring(e)
  assert(text:find("... and %d+ more$"), text)
end)

test("assert and shared memory in words", function()
  if not cuda.device().id:find("virtual", 1, true) then return end
  raises("assert", "assertion failed: a[0] == 7", function()
    cuda.kernel("#include <cassert>\n" ..
      "__global__ void k(int *a) { assert(a[0] == 7); }")[{1, 1}](
      np.zeros(1, "i32"))
  end)
  raises("out-of-bounds", "shared = BYTES", function()
    cuda.kernel([==[__global__ void k(int *a) {
      extern __shared__ int s[];
      s[threadIdx.x] = 1;
      a[0] = s[0];
    }]==])[{1, 1}](np.zeros(1, "i32"))
  end)
end)

-- ---- Garbage ----

-- The last 64 launches are remembered with their kernels. On a GPU the first
-- one is at work all that time, and other code comes to where its module's was.
test("a kernel ends though its module is garbage", function()
  local on_gpu = cuda.device().id:find("^cuda")
  local kept = {slow = cuda.kernel[==[__global__ void slow(int *out, int n) {
    unsigned x = 1;
    for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    out[0] = x;
  }]==]}
  local quick = cuda.kernel[==[__global__ void quick(int *out) { out[1]++; }]==]
  local out = cuda.to_device(np.zeros(2, "i32"))
  kept.slow[{1, 1}](out, on_gpu and 300000000 or 1000)
  for _ = 1, 100 do quick[{1, 1}](out) end
  kept.slow = nil
  collectgarbage() collectgarbage()
  for i = 1, 8 do
    cuda.kernel(("__global__ void k(int *out) { out[1] += %d; }"):format(i))[
      {1, 1}](out)
  end
  equal(out:copy_to_host()[1], 136)
end)

-- ---- Help ----

test("every function has help, and its examples are right", function()
  local help = dofile("lua/help/cuda.lua")
  for name in pairs(cuda) do
    assert(help["cuda." .. name], "cuda." .. name .. " has no help")
  end
  for name, text in pairs(help) do
    assert(cuda[name:match("^cuda%.(.+)$")], name .. " does not exist")
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      equal(tostring((assert(load("return " .. code))())), want, name)
    end
  end
end)

tap.done()
