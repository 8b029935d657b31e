-- SPDX-License-Identifier: Apache-2.0
-- Arrays, textures and surfaces, the same on the virtual and on a real GPU.
-- Expectations are computed here, by the formulas of the CUDA C++ Programming
-- Guide's "Texture Fetching"; weights with 8 fractional bits are exact in them.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local checks = cuda.device().is_checked

local function list(a) return a:reshape(-1):tolist() end

local function close(got, want, error_bound, what)
  for i, w in ipairs(want) do
    if got[i] ~= got[i] or math.abs(got[i] - w) > error_bound then
      error(("%s: value %d is %s, want %s"):format(what, i, got[i], w), 2)
    end
  end
  equal(#got, #want, what)
end

local function clamp(i, n) return math.max(0, math.min(n - 1, i)) end
local resolve = {
  clamp = clamp,
  wrap = function(i, n) return i % n end,
  mirror = function(i, n)
    i = i % (2 * n)
    return i < n and i or 2 * n - 1 - i
  end,
  border = function(i, n) return i >= 0 and i < n and i or nil end,
}

-- ---- Reading ----

local kernels = cuda.module[==[
extern "C" __global__ void read1(cudaTextureObject_t t, const float *x,
                                 float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(t, x[i]);
}
extern "C" __global__ void read2(cudaTextureObject_t t, const float *x,
                                 const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(t, x[i], y[i]);
}
extern "C" __global__ void fetch_int(cudaTextureObject_t t, int *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(t, i);
}
extern "C" __global__ void point_int(cudaTextureObject_t t, int *out) {
  out[threadIdx.x] = tex1D<int>(t, threadIdx.x + 0.5f);
}
extern "C" __global__ void pixels(cudaTextureObject_t t, float4 *out, int w) {
  int x = threadIdx.x, y = threadIdx.y;
  out[y * w + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void bytes(cudaTextureObject_t t, int *out, int w) {
  int x = threadIdx.x, y = threadIdx.y;
  out[y * w + x] = tex2D<unsigned char>(t, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void volume(cudaTextureObject_t t, float *out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] =
      tex3D<float>(t, x + 1.f, y + 1.f, z + 1.f);
}
extern "C" __global__ void layers(cudaTextureObject_t t, float *out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] =
      tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z);
}
extern "C" __global__ void layers1(cudaTextureObject_t t, float *out) {
  out[threadIdx.y * blockDim.x + threadIdx.x] =
      tex1DLayered<float>(t, threadIdx.x + 0.5f, threadIdx.y);
}
extern "C" __global__ void cube(cudaTextureObject_t t, const float3 *v,
                                float *out) {
  float3 p = v[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(t, p.x, p.y, p.z);
}
extern "C" __global__ void gather(cudaTextureObject_t t, float4 *out) {
  out[0] = tex2Dgather<float4>(t, 1.f, 1.f, 0);
}
]==]

local function read1(texture, xs)
  local x = np.array(xs, "f32")
  local out = np.zeros(#xs, "f32")
  kernels.read1[{1, #xs}](texture, x, out, #xs)
  return list(out)
end

local function points()
  local xs = {}
  for i = -96, 160 do xs[#xs + 1] = i / 16 + (i % 3) / 256 end
  return xs
end

-- One axis of a linear filter, by the guide's formula.
local function lerp(values, x, mode)
  local n, b = #values, x - 0.5
  local i = math.floor(b)
  local alpha = math.floor((b - i) * 256 + 0.5) / 256
  local function at(k)
    local r = resolve[mode](k, n)
    return r and values[r + 1] or 0
  end
  return (1 - alpha) * at(i) + alpha * at(i + 1)
end

local values = {4, 5, 8, -16, 32, 7}

for _, mode in ipairs{"clamp", "border"} do
  test("linear filtering, " .. mode, function()
    local t = cuda.texture(cuda.array(np.array(values, "f32")),
                           {filter_mode = "linear", address_mode = mode})
    local want, xs = {}, points()
    for i, x in ipairs(xs) do want[i] = lerp(values, x, mode) end
    close(read1(t, xs), want, 0, mode)
  end)
end

for _, mode in ipairs{"wrap", "mirror", "clamp", "border"} do
  test("normalised coordinates, " .. mode, function()
    local four = {3, -1, 8, 64}
    local a = cuda.array(np.array(four, "f32"))
    local linear = cuda.texture(a, {filter_mode = "linear", normalized = true,
                                    address_mode = mode})
    local point = cuda.texture(a, {normalized = true, address_mode = mode})
    local xs, want, nearest = {}, {}, {}
    for i = -40, 56 do
      local x = i / 16 + 1 / 64
      xs[#xs + 1] = x
      want[#want + 1] = lerp(four, x * 4, mode)
      local k = resolve[mode](math.floor(x * 4), 4)
      nearest[#nearest + 1] = k and four[k + 1] or 0
    end
    close(read1(linear, xs), want, 0, "linear")
    close(read1(point, xs), nearest, 0, "point")
  end)
end

-- Wrapping and mirroring need normalised coordinates (CUDA guide).
test("wrap without normalised coordinates is clamp", function()
  local t = cuda.texture(cuda.array(np.array({1, 2, 3}, "f32")),
                         {address_mode = "wrap"})
  close(read1(t, {-5, 0.5, 2.5, 9}), {1, 1, 3, 3}, 0, "wrap")
end)

-- Between the 1/256 the weights are rounded: how, the guide does not say. The
-- virtual GPU takes the nearest; a real one may differ by one of them.
test("weights have 8 fractional bits", function()
  local t = cuda.texture(cuda.array(np.array({0, 256}, "f32")),
                         {filter_mode = "linear"})
  local xs, want, differ = {}, {}, 0
  for i = 0, 255 do
    local alpha = i / 256 + (i % 8) / 2048 + 1 / 8192
    xs[#xs + 1] = 0.5 + alpha
    want[#want + 1] = math.floor(alpha * 256 + 0.5)
  end
  local got = read1(t, xs)
  for i, v in ipairs(got) do
    assert(v == math.floor(v), "a weight of " .. v .. "/256")
    if v ~= want[i] then differ = differ + 1 end
  end
  close(got, want, checks and 0 or 1, "weights")
  print(("# %d of %d weights are not the nearest"):format(differ, #got))
end)

test("two dimensions, linear", function()
  local w, h = 5, 4
  local rows = {}
  for y = 0, h - 1 do
    rows[y + 1] = {}
    for x = 0, w - 1 do rows[y + 1][x + 1] = (x * 37 + y * 91) % 64 end
  end
  local t = cuda.texture(cuda.array(np.array(rows, "f32")),
                         {filter_mode = "linear"})
  local xs, ys, want = {}, {}, {}
  for i = 0, 199 do
    local x, y = (i * 29 % 104) / 16 - 0.75, (i * 17 % 88) / 16 - 0.5
    local column = {}
    for r = 1, h do column[r] = lerp(rows[r], x, "clamp") end
    xs[#xs + 1], ys[#ys + 1] = x, y
    want[#want + 1] = lerp(column, y, "clamp")
  end
  local out = np.zeros(#xs, "f32")
  kernels.read2[{1, #xs}](t, np.array(xs, "f32"), np.array(ys, "f32"), out,
                          #xs)
  -- Weights of 16 bits: how a real GPU rounds their sum is its own affair.
  close(list(out), want, checks and 0 or 1 / 1024, "bilinear")
end)

test("three dimensions, linear", function()
  local a = np.arange(27, "f32"):reshape(3, 3, 3)
  local t = cuda.texture(cuda.array(a), {filter_mode = "linear"})
  local out = np.zeros({2, 2, 2}, "f32")
  kernels.volume[{1, {2, 2, 2}}](t, out)
  -- Centres of eight cells of a linear function of x, y and z.
  equal(list(out), {6.5, 7.5, 9.5, 10.5, 15.5, 16.5, 18.5, 19.5})
end)

test("element types", function()
  for _, c in ipairs{{"u8", 0, 255}, {"i8", -128, 127}, {"u16", 0, 65535},
                     {"i16", -32768, 32767}, {"i32", -2147483648, 2147483647}}
  do
    local a = np.array({c[2], c[3], 1, 0}, c[1])
    local out = np.zeros(4, "i32")
    kernels.point_int[{1, 4}](cuda.texture(cuda.array(a)), out)
    equal(list(out), {c[2], c[3], 1, 0}, c[1])
  end
end)

test("normalised floats", function()
  local t = cuda.texture(cuda.array(np.array({0, 51, 204, 255}, "u8")),
                         {read_mode = "normalized_float"})
  close(read1(t, {0, 1, 2, 3}), {0, 0.2, 0.8, 1}, 1e-7, "u8")
  t = cuda.texture(cuda.array(np.array({-128, -127, 0, 127}, "i8")),
                   {read_mode = "normalized_float"})
  close(read1(t, {0, 1, 2, 3}), {-1, -1, 0, 1}, 1e-7, "i8")
  t = cuda.texture(cuda.array(np.array({0, 13107, 65535}, "u16")),
                   {read_mode = "normalized_float", filter_mode = "linear"})
  close(read1(t, {0.5, 1.5, 2.5}), {0, 0.2, 1}, 1e-7, "u16")
end)

test("f16 elements are read as floats", function()
  local t = cuda.texture(cuda.array(np.array({1.5, -2.25, 65504}, "f16")),
                         {filter_mode = "linear"})
  close(read1(t, {0.5, 1.5, 1, 2.5}), {1.5, -2.25, -0.375, 65504}, 0, "f16")
end)

test("four channels", function()
  local a = np.arange(24, "u8"):reshape(2, 3, 4)
  local t = cuda.texture(cuda.array(a, {channels = 4}),
                         {read_mode = "normalized_float"})
  local out = np.zeros({2, 3, 4}, "f32")
  kernels.pixels[{1, {3, 2}}](t, out, 3)
  for i, v in ipairs(list(out)) do
    assert(math.abs(v * 255 - (i - 1)) < 1e-4, "value " .. i)
  end
end)

test("sRGB becomes linear, alpha stays", function()
  local a = np.array({{{0, 10, 128, 200}}}, "u8")
  local t = cuda.texture(cuda.array(a, {channels = 4}),
                         {read_mode = "normalized_float", srgb = true})
  local out = np.zeros({1, 1, 4}, "f32")
  kernels.pixels[{1, {1, 1}}](t, out, 1)
  local function linear(c)
    c = c / 255
    return c <= 0.04045 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4
  end
  close(list(out), {0, linear(10), linear(128), 200 / 255},
        checks and 1e-7 or 5e-4, "srgb")
end)

test("layers", function()
  local a = np.arange(24, "f32"):reshape(3, 2, 4)
  local t = cuda.texture(cuda.array(a, {layered = true}))
  local out = np.zeros({3, 2, 4}, "f32")
  kernels.layers[{1, {4, 2, 3}}](t, out)
  equal(list(out), list(a))
  a = np.arange(10, "f32"):reshape(2, 5)
  t = cuda.texture(cuda.array(a, {layered = true}))
  out = np.zeros({2, 5}, "f32")
  kernels.layers1[{1, {5, 2}}](t, out)
  equal(list(out), list(a))
end)

-- CUDA guide, "Cubemap Textures": which face a direction meets.
test("cube maps", function()
  local a = np.arange(6, "f32"):reshape(6, 1, 1)
  local t = cuda.texture(cuda.array(a, {cubemap = true}), {normalized = true})
  local directions = {{3, 1, -2}, {-3, 1, 2}, {1, 3, 2}, {1, -3, 2},
                      {1, 2, 3}, {-1, 2, -3}}
  local out = np.zeros(6, "f32")
  kernels.cube[{1, 6}](t, np.array(directions, "f32"), out)
  equal(list(out), {0, 1, 2, 3, 4, 5})
end)

test("gather gives four neighbours", function()
  local a = np.array({{1, 2}, {3, 4}}, "f32")
  local t = cuda.texture(cuda.array(a, {gather = true}))
  local out = np.zeros(4, "f32")
  kernels.gather[{1, 1}](t, out)
  equal(list(out), {3, 4, 2, 1}) -- counter-clockwise from the lower left
end)

test("linear memory: tex1Dfetch, outside gives 0", function()
  cuda.set_guarded(false)
  local d = cuda.to_device(np.array({5, 6, 7}, "i32"))
  cuda.set_guarded(true)
  local out = np.full(5, -1, "i32")
  kernels.fetch_int[{1, 5}](cuda.texture(d), out, 5)
  equal(list(out), {5, 6, 7, 0, 0})
end)

if checks then
  test("tex1Dfetch does not read an array", function()
    local t = cuda.texture(cuda.array(np.array({5, 6, 7}, "i32")))
    local wanted = "use tex1D with the element's number"
    local e = raises("argument", wanted, function()
      kernels.fetch_int[{1, 3}](t, np.zeros(3, "i32"), 3)
    end)
    equal(e.diagnostics[1].line, 13)
  end)
end

test("pitch memory: rows of a device array", function()
  local a = np.remainder(np.arange(3 * 64), 251):astype("u8"):reshape(3, 64)
  cuda.set_guarded(false)
  local d = cuda.to_device(a)
  cuda.set_guarded(true)
  local out = np.zeros({3, 64}, "i32")
  kernels.bytes[{1, {64, 3}}](cuda.texture(d), out, 64)
  equal(list(out), list(a))
  local narrow = cuda.to_device(np.zeros({3, 5}, "u8"))
  raises("argument", "multiple of", function() cuda.texture(narrow) end)
end)

-- ---- Writing ----

local surfaces = cuda.module[==[
extern "C" __global__ void fill(cudaSurfaceObject_t s, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) surf2Dwrite<float>(x + 100.f * y, s, x * 4, y);
}
extern "C" __global__ void twice(cudaSurfaceObject_t from,
                                 cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y;
  uchar4 v = surf2Dread<uchar4>(from, x * 4, y);
  surf2Dwrite(make_uchar4(2 * v.x, 2 * v.y, 2 * v.z, v.w), to, x * 4, y);
}
extern "C" __global__ void edges(cudaSurfaceObject_t s, int *out) {
  int x = (int)threadIdx.x - 1;
  out[threadIdx.x] = surf1Dread<int>(s, x * 4, cudaBoundaryModeClamp);
  out[threadIdx.x + 6] = surf1Dread<int>(s, x * 4, cudaBoundaryModeZero);
}
extern "C" __global__ void deep(cudaSurfaceObject_t s) {
  surf3Dwrite((short)(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z), s,
              threadIdx.x * 2, threadIdx.y, threadIdx.z);
}
extern "C" __global__ void layer(cudaSurfaceObject_t s) {
  surf2DLayeredwrite((int)threadIdx.z, s, threadIdx.x * 4, threadIdx.y,
                     threadIdx.z);
}
]==]

test("a surface is written and read back", function()
  local a = cuda.array({3, 4}, "f32", {surface = true})
  surfaces.fill[{1, {4, 3}}](cuda.surface(a), 4, 3)
  equal(list(a:copy_to_host()), {0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202,
                                 203})
  local t = cuda.texture(a, {filter_mode = "linear"})
  local out = np.zeros(1, "f32")
  kernels.read2[{1, 1}](t, np.array({1}, "f32"), np.array({1}, "f32"), out, 1)
  equal(out[0], 50.5)
end)

test("four bytes an element", function()
  local a = np.arange(24, "u8"):reshape(2, 3, 4)
  local from = cuda.array(a, {channels = 4, surface = true})
  local to = cuda.array({2, 3}, "u8", {channels = 4, surface = true})
  surfaces.twice[{1, {3, 2}}](cuda.surface(from), cuda.surface(to))
  local got, want = list(to:copy_to_host()), {}
  for i = 0, 23 do want[i + 1] = i % 4 == 3 and i or 2 * i end
  equal(got, want)
end)

test("boundary modes clamp and zero", function()
  local a = cuda.array(np.array({7, 8, 9}, "i32"), {surface = true})
  local out = np.zeros(12, "i32")
  surfaces.edges[{1, 6}](cuda.surface(a), out)
  equal(list(out), {7, 7, 8, 9, 9, 9, 0, 7, 8, 9, 0, 0})
end)

test("surfaces of volumes and layers", function()
  local a = cuda.array({2, 3, 4}, "i16", {surface = true})
  surfaces.deep[{1, {4, 3, 2}}](cuda.surface(a))
  local got = list(a:copy_to_host())
  equal({got[1], got[4], got[5], got[13], got[24]}, {0, 3, 10, 100, 123})
  a = cuda.array({3, 2, 2}, "i32", {surface = true, layered = true})
  surfaces.layer[{1, {2, 2, 3}}](cuda.surface(a))
  equal(list(a:copy_to_host()), {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2})
end)

-- ---- Arrays ----

test("arrays are copied both ways, from hosts and devices", function()
  local x = np.arange(12, "f32"):reshape(3, 4)
  local a = cuda.array({3, 4}, "f32")
  equal(a.shape, {3, 4})
  equal({a.dtype, a.channels, a.nbytes, a.device},
        {"f32", 1, 48, cuda.device().id})
  a:copy_from(cuda.to_device(x))
  equal(list(a:copy_to_host()), list(x))
  local d = cuda.device_array({3, 4}, "f32")
  a:copy_from(x["::-1"]):copy_to(d) -- a strided view is packed
  equal(list(d:copy_to_host()), list(x["::-1"]:copy()))
  local out = np.zeros(12, "f32")
  a:copy_to_host(out)
  equal(out[0], 8.0)
  raises("argument", "12 values of f32",
         function() a:copy_from(np.zeros(3, "f32")) end)
end)

test("a large array survives the trip", function()
  local n = 3 * 1024
  local x = np.arange(n * n, "u32"):reshape(n, n)
  local back = cuda.array(x):copy_to_host()
  assert(np.all(np.equal(back, x)))
end)

test("what is wrong is refused in words", function()
  raises("argument", "normalized_float", function()
    cuda.texture(cuda.array({4}, "i32"), {filter_mode = "linear"})
  end)
  raises("argument", "surface = true",
         function() cuda.surface(cuda.array({4}, "f32")) end)
  raises("argument", "address_mode is one of",
         function() cuda.texture(cuda.array({4}), {address_mode = "x"}) end)
  raises("argument", "no option \"filter\"",
         function() cuda.texture(cuda.array({4}), {filter = "linear"}) end)
  raises("argument", "not f64", function() cuda.array({4}, "f64") end)
  raises("argument", "channels is 1, 2 or 4",
         function() cuda.array({4}, "f32", {channels = 3}) end)
  raises("argument", "6 faces",
         function() cuda.array({5, 2, 2}, "f32", {cubemap = true}) end)
  raises("argument", "cuda.texture(cuda.array(x))",
         function() cuda.texture(np.zeros(4, "f32")) end)
  raises("argument", "normalized = true", function()
    cuda.texture(cuda.array({6, 2, 2}, "f32", {cubemap = true}))
  end)
end)

test("arguments are checked", function()
  local t = cuda.texture(cuda.array(np.zeros({2, 2}, "f32")))
  local s = cuda.surface(cuda.array({2, 2}, "f32", {surface = true}))
  raises("argument", "takes a surface", function()
    surfaces.fill[{1, 1}](t, 1, 1)
  end)
  raises("argument", "takes a texture", function()
    kernels.fetch_int[{1, 1}](s, np.zeros(1, "i32"), 1)
  end)
  raises("argument", "takes what cuda.texture", function()
    kernels.fetch_int[{1, 1}](np.zeros(4, "f32"), np.zeros(1, "i32"), 1)
  end)
  t:free()
  raises("use-after-free", "freed", function()
    kernels.fetch_int[{1, 1}](t, np.zeros(1, "i32"), 1)
  end)
end)

-- ---- Mistakes of kernels, which the virtual GPU sees ----

local function finding(kind, text, line, f)
  if not checks then return end
  local e = raises(kind, text, f)
  equal(e.diagnostics[1].line, line)
  return e
end

test("a write outside of a surface", function()
  local a = cuda.array(np.zeros({3, 4}, "f32"), {surface = true})
  local s = cuda.surface(a)
  local e = finding("out-of-bounds", "x is byte 16, y 0", 3, function()
    surfaces.fill[{1, {5, 1}}](s, 5, 1)
    cuda.synchronize()
  end)
  assert(not e or e.diagnostics[1].array == "s")
end)

test("x that counts elements in place of bytes", function()
  local k = cuda.kernel[==[
extern "C" __global__ void k(cudaSurfaceObject_t s) {
  surf2Dwrite<float>(1.f, s, threadIdx.x, 0);
}]==]
  local s = cuda.surface(cuda.array({1, 8}, "f32", {surface = true}))
  finding("misaligned", "multiple", 2, function()
    k[{1, 8}](s)
    cuda.synchronize()
  end)
end)

test("a number that is no texture", function()
  finding("argument", "is no texture object", 4, function()
    kernels.read1[{1, 1}](77, np.zeros(1, "f32"), np.zeros(1, "f32"), 1)
  end)
end)

test("a texture of other dimensions", function()
  local t = cuda.texture(cuda.array(np.zeros({2, 2}, "f32")))
  finding("argument", "has two dimensions, and this reads one", 4, function()
    kernels.read1[{1, 1}](t, np.zeros(1, "f32"), np.zeros(1, "f32"), 1)
  end)
end)

test("an array that was freed", function()
  local a = cuda.array(np.zeros(4, "f32"))
  local t = cuda.texture(a)
  a:free()
  finding("use-after-free", "array was freed", 4, function()
    kernels.read1[{1, 1}](t, np.zeros(1, "f32"), np.zeros(1, "f32"), 1)
  end)
end)

test("an element that nothing wrote", function()
  local t = cuda.texture(cuda.array({4}, "f32"))
  finding("uninitialised", "uninitialised texture element", 4, function()
    kernels.read1[{1, 1}](t, np.zeros(1, "f32"), np.zeros(1, "f32"), 1)
  end)
end)

test("floats asked of integers are a warning", function()
  local t = cuda.texture(cuda.array(np.zeros(4, "u8")))
  kernels.read1[{1, 1}](t, np.zeros(1, "f32"), np.zeros(1, "f32"), 1)
  local note = cuda.last_launch().notes[1]
  assert(not checks or note.message:find("gives integers", 1, true))
end)

tap.done()
