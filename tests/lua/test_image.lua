-- SPDX-License-Identifier: Apache-2.0
-- Modules that come compiled: PTX, cubins and fatbins, from strings and files.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local source = [[
extern "C" __global__ void scale(float *x, float a, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] *= a;
}
__global__ void add(const float *x, double *out, long long n, short s, bool b) {
  int i = threadIdx.x;
  if (i < n) out[i] = x[i] + s + b;
}
]]
local is_virtual = cuda.device().name == "virtual GPU"
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir -p " .. folder))

local function read(path)
  local f = assert(io.open(path, "rb"))
  local bytes = f:read("a")
  f:close()
  return bytes
end
local function write(path, bytes)
  local f = assert(io.open(path, "wb"))
  f:write(bytes)
  f:close()
  return path
end

local function works(m)
  local x = cuda.to_device(np.arange(5, "f32"))
  m:get_function("scale")[{1, 32}](x, 2.0, 5)
  equal(tostring(x:copy_to_host()), "array([0, 2, 4, 6, 8], f32)")
  local out = cuda.device_array(5, "f64")
  m.add[{1, 32}](x, out, 5, -1, true)
  equal(tostring(out:copy_to_host()), "array([0, 2, 4, 6, 8], f64)")
end

local made = cuda.RawModule{code = source}

-- Some drivers come without their compiler of PTX; then that is said.
local takes_ptx = true
if not is_virtual then
  made:save(folder .. "/probe.ptx")
  local ok, e = pcall(function()
    return cuda.RawModule{path = folder .. "/probe.ptx"}.add.attributes
  end)
  takes_ptx = ok
  assert(ok or e.kind == "unsupported" and
         e.message:find("cannot compile PTX", 1, true), tostring(e))
end

test("a source, and a file of it", function()
  works(made)
  works(cuda.RawModule{path = write(folder .. "/k.cu", source)})
  works(cuda.RawModule(source))
end)

test("PTX from a string and from a file", function()
  made:save(folder .. "/k.ptx")
  local m = cuda.RawModule{path = folder .. "/k.ptx"}
  if takes_ptx then works(m) end
  if takes_ptx then
    works(cuda.module("// a comment\n" .. read(folder .. "/k.ptx")))
  end
  equal(tostring(m.add),
        "kernel add(const float *, double *, long long, short, bool)")
  raises("argument", "options and instantiate are for CUDA C", function()
    cuda.RawModule{path = folder .. "/k.ptx", options = {"-G"}}
  end)
end)

test("numbers for a parameter whose type is not known", function()
  if not takes_ptx then return end
  local m = cuda.RawModule{path = folder .. "/k.ptx"}
  local x = cuda.to_device(np.ones(5, "f32"))
  local k = m.scale[{1, 32}]
  k(x, 3, 5) -- a float by its PTX
  equal(x:copy_to_host():tolist()[5], 3.0)
  k(x:pointer(), 2.0, -1)
  equal(x:copy_to_host():tolist()[5], 3.0)
  raises("argument", "4294967296 does not fit", function()
    k(x, 2.0, 1 << 32)
  end)
  raises("argument", "needs a number", function() k(x, 2.0, "5") end)
end)

test("a cubin", function()
  made:save(folder .. "/k.cubin")
  local path = folder .. "/k.cubin"
  if is_virtual then
    raises("unsupported", "the virtual GPU runs PTX", function()
      cuda.RawModule{path = path}
    end)
  else
    works(cuda.RawModule{path = path})
  end
end)

test("a fatbin of both", function()
  local path = folder .. "/k.fatbin"
  local ok, e = pcall(made.save, made, path)
  if not ok then -- the library is NVIDIA's, and not everywhere
    equal(e.kind, "not-found")
    assert(e.message:find("pip install nvidia-nvfatbin", 1, true), e.message)
    return
  end
  local bytes = read(path)
  works(cuda.RawModule{code = bytes})
  -- Damaged ones are refused, or what is left of them is used.
  for n = 1, #bytes, 97 do
    pcall(cuda.RawModule, {code = bytes:sub(1, n)})
    pcall(cuda.RawModule, {code = bytes:sub(1, n) ..
                             string.char((bytes:byte(n + 1) or 0) ~ 0x81) ..
                             bytes:sub(n + 2)})
  end
  works(cuda.RawModule{path = path})
end)

test("cuda.fatbin", function()
  raises("argument", "no architecture", function()
    cuda.fatbin(source, {"sm80"})
  end)
  raises("argument", "1 to 16", function() cuda.fatbin(source, {}) end)
  local ok, image = pcall(cuda.fatbin, source,
    {"sm_80", "sm_90", "compute_80", "compute_90"})
  if not ok then
    equal(image.kind, "not-found")
    return
  end
  works(cuda.module(image))
end)

-- From capability 10.0 on the compiler counts the parts of a shared array that
-- it took apart; before, they have their elements' numbers.
test("parts of a shared array", function()
  if not is_virtual then return end
  local ptx = cuda.kernel([==[__global__ void k(int *out, int n) {
  __shared__ int f[4];
  if (threadIdx.x == 0) { f[1] = n; if (n < 5) f[3] = n + 1; }
  __syncthreads();
  if (f[1] * f[3] > 2) out[threadIdx.x] = 1;
}]==]).ptx
  assert(ptx:find("_$_3", 1, true), "it was not taken apart")
  local function found(text)
    local ok, e = pcall(function()
      cuda.module(text).k[{1, 32}](np.zeros(32, "i32"), 100)
    end)
    return not ok and e.message:match("uninitialised value: [^\n]*")
  end
  equal(found(ptx:gsub("%.target sm_%d+", ".target sm_100")),
        "uninitialised value: f decides a branch")
end)

test("a kernel by its name", function()
  local out = cuda.device_array(1, "i32")
  cuda.RawKernel("template<int N> __global__ void f(int *x) { x[0] = N; }",
                 "f<3>")[{1, 1}](out)
  equal(out:copy_to_host():tolist()[1], 3)
  raises("argument", "no kernel \"nobody\"", function()
    cuda.RawKernel(source, "nobody")
  end)
end)

test("what is wrong", function()
  raises("argument", "either code", function() cuda.RawModule{} end)
  raises("argument", "no setting \"cod\"", function()
    cuda.RawModule{cod = 1}
  end)
  raises("io", "cannot open", function()
    cuda.RawModule{path = folder .. "/none.ptx"}
  end)
  raises("argument", "must end in .ptx", function() made:save("x.txt") end)
  raises("io", "none", function() made:save(folder .. "/none/x.ptx") end)
end)

os.execute("rm -r " .. folder)
tap.done()
