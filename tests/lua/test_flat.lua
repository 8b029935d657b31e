-- SPDX-License-Identifier: Apache-2.0
-- Kernels that do the same to each element run over many blocks at once on the
-- virtual GPU (gpu/vgpu/grid/flat.c). With a schedule seed warps run alone:
-- both must give the same bits, and the same findings.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local function on(seed, f)
  cuda.select("virtual:0", {schedule_seed = seed})
  return f()
end

-- name, body of k(x, y, out, ints, n), threads of a block
local kernels = {
  {"saxpy", "if (i < n) out[i] = 2.5f * x[i] + y[i];", 256},
  {"no guard", "out[i] = x[i] - y[i];", 128},
  {"guard the other way", "if (i >= n) return; out[i] = x[i] * y[i];", 96},
  {"guard with <=", "if (i <= n - 1) out[i] = x[i] / y[i];", 250},
  {"unsigned index", "unsigned j = i; if (j < (unsigned)n) out[j] = x[j];", 64},
  {"index as a value", "if (i < n) out[i] = (float)i * 0.5f + x[i];", 256},
  {"integers", "if (i < n) ints[i] = ints[i] * 3 + (i ^ 5) - (i << 2);", 256},
  {"in place", "if (i < n) out[i] = out[i] * 2 + 1;", 100},
  {"constants only", "if (i < n) out[i] = 7;", 32},
  {"shifted reads", "if (i < n - 1) out[i] = x[i + 1] - x[i];", 256},
  {"a polynomial", [[if (i < n) {
    float v = x[i];
    out[i] = ((v * 0.5f - 1) * v + 2) * v + 3;
  }]], 256},
  {"roots and minima",
   "if (i < n) out[i] = fminf(sqrtf(x[i]), fabsf(y[i]));", 256},
  {"functions of the hardware", [[if (i < n)
    out[i] = __sinf(x[i]) + __expf(y[i] * -0.1f) + rsqrtf(x[i]) + __logf(x[i]);
  ]], 256},
  {"directed rounding",
   "out[i] = __fadd_rz(x[i], y[i]) + __fdiv_ru(x[i], y[i]);", 256},
  {"pointer arithmetic", [[if (i < n) {
    const float *p = x + i;
    float *q = out + i;
    *q = *p + 1;
  }]], 512},
  {"64-bit index", [[
    long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) out[j] = x[j];
  ]], 256},
  {"every second", "if (2 * i < n) out[2 * i] = x[2 * i];", 256},
}

local function run(body, block, n, grid)
  local k = cuda.kernel(([[
__global__ void k(const float *x, const float *y, float *out, int *ints, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
}]]):format(body))
  local size = grid * block
  local x, y = np.arange(size, "f32") * 0.37 + 1, np.arange(size, 0, -1, "f32")
  local out, ints = np.ones(size, "f32"), np.arange(size, "i32")
  k[{grid, block}](x, y, out, ints, n)
  return {out:tolist(), ints:tolist()}
end

for _, k in ipairs(kernels) do
  local name, body, block = table.unpack(k)
  test(name, function()
    for _, cut in ipairs{0, 1, block // 2, block + 3} do
      local grid = 23
      local n = grid * block - cut
      equal(on(nil, function() return run(body, block, n, grid) end),
        on(11, function() return run(body, block, n, grid) end), "n = " .. n)
    end
  end)
end

local function found(source, grid, block, ...)
  local k = cuda.kernel(source)
  local ok, e = pcall(function(...)
    k[{grid, block}](...)
    cuda.synchronize()
  end, ...)
  if ok then return "nothing" end
  return ("%s at %s: %s"):format(e.kind, e.diagnostics[1].line,
                                 e.message:match("[^\n]*"))
end

local function both(what, f)
  test(what, function()
    local flat = on(nil, f)
    assert(flat ~= "nothing", "nothing was found")
    equal(flat:match("^%S+ at %d+"), on(11, f):match("^%S+ at %d+"))
  end)
end

both("no guard, past the end", function()
  return found([[
__global__ void k(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] + 1;
}]], 40, 256, np.zeros(10000, "f32"), np.zeros(10000, "f32"))
end)

both("what nobody wrote", function()
  return found([[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + 1;
}]], 40, 256, cuda.device_array(10240, "f32"), np.zeros(10240, "f32"), 10240)
end)

both("neighbours' cells in place race", function()
  return found([[
__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i + 1] = out[i] + 1;
}]], 8, 256, np.zeros(2048, "f32"), 2048)
end)

test("a misaligned array is no row of words", function()
  local source = [[
__global__ void k(const unsigned char *bytes, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *x = (const float *)(bytes + 2);
  out[i] = x[i];
}]]
  equal(on(nil, function()
    return found(source, 4, 256, np.zeros(8192, "u8"),
                 np.zeros(1024, "f32")):match("^%S+")
  end), "misaligned")
end)

-- As many blocks as are on several processors, on arrays that go on behind
-- them.
test("there is no block behind the last one", function()
  local k = cuda.kernel[[
__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = out[i] + 1;
}]]
  for _, blocks in ipairs{64, 100, 1000} do
    local n = 256 * blocks
    local x = np.zeros(n + 65536, "f32")
    on(nil, function() k[{blocks, 256}](x, #x) end)
    equal(np.sum(x[":" .. n]), n)
    equal(np.sum(x[n .. ":"]), 0)
  end
end)

cuda.select("virtual:0")
tap.done()
