-- SPDX-License-Identifier: Apache-2.0
-- The programs of five introductions to GPU computing from Python, as they are
-- written here, each with its result: what docs/seed-map.md names beside the
-- lessons. Sizes are theirs on a real GPU, and small on a virtual one.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
jax.config.update("jax_default_matmul_precision", "highest")
local is_real = not cuda.device().id:find("virtual", 1, true)

local function size(theirs, small) return is_real and theirs or small end
local function close(got, want, tolerance)
  local is_away, home = pcall(function() return got:copy_to_host() end)
  local here = is_away and home or np.asarray(got)
  if not np.allclose(here, np.asarray(want), tolerance or {rtol = 1e-6}) then
    error(tostring(got) .. " is not " .. tostring(want), 2)
  end
end

-- ---- Numba ----

-- @njit, @njit(parallel=True), @vectorize(target='cuda'): cos^2 + sin^2.
test("one function for a core, for all cores, for a device", function()
  local x = np.arange(size(10000000, 10000), "f32")
  local function body(v) return np.cos(v) ^ 2 + np.sin(v) ^ 2 end
  for _, target in ipairs{"cpu", "parallel", "cuda"} do
    local f = cuda.vectorize({"f32(f32)"}, body, {target = target})
    close(f(x), np.ones_like(x), {rtol = 1e-5})
  end
end)

-- @cuda.jit with cuda.grid(1) and cuda.gridsize(1), int32, 32 blocks of 128.
local add = cuda.kernel [[
__global__ void add_kernel(const int *x, const int *y, int *out, int n) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  for (int i = start; i < n; i += stride) out[i] = x[i] + y[i];
}]]

test("add_kernel: arange and ones, sent, added, fetched", function()
  local n = 4096
  local x = np.arange(n):astype("i32")
  local y = np.ones_like(x)
  equal(y.dtype, "i32")
  local dx, dy = cuda.to_device(x), cuda.to_device(y)
  local out = cuda.device_array_like(dx)
  add[{32, 128}](dx, dy, out, n)
  cuda.synchronize()
  close(out, np.arange(1, n + 1))
  out = np.zeros(n, "i32") -- host arrays are copied there and back
  add[{4, 128}](x, y, out, n)
  close(out, np.arange(1, n + 1))
end)

test("positions: thread, block and both, written down", function()
  local k = cuda.kernel [[
__global__ void positions(int *thread, int *block, int *both) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  thread[i] = threadIdx.x;
  block[i] = blockIdx.x;
  both[i] = i;
}]]
  local t, b, i = np.zeros(24, "i32"), np.zeros(24, "i32"), np.zeros(24, "i32")
  k[{3, 8}](t, b, i)
  close(i, np.arange(24))
  close(b, i // 8)
  close(t, i % 8)
end)

-- add-list.py: two lists of 10^8 elements, by vectorize.
test("two long lists, added by a stamp", function()
  local n = size(100000000, 100000)
  local a, b = np.ones(n, "f32"), np.ones(n, "f32")
  local add_lists = cuda.vectorize({"f32(f32, f32)"}, function(x, y)
    return x + y
  end)
  equal(np.sum(add_lists(a, b)), 2 * n)
end)

-- Quicksort: the same kernel in local memory and in device memory.
test("quicksort in a kernel, in local and in device memory", function()
  local code = [[
__device__ void quicksort(int *v, int n) {
  int stack[64], top = 0;
  stack[top++] = 0;
  stack[top++] = n - 1;
  while (top > 0) {
    int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    int pivot = v[high], place = low;
    for (int k = low; k < high; k++)
      if (v[k] < pivot) {
        int keep = v[k];
        v[k] = v[place];
        v[place++] = keep;
      }
    v[high] = v[place];
    v[place] = pivot;
    stack[top++] = low;
    stack[top++] = place - 1;
    stack[top++] = place + 1;
    stack[top++] = high;
  }
}
extern "C" __global__ void in_device(int *x) { quicksort(x + 32 * threadIdx.x, 32); }
extern "C" __global__ void in_local(int *x) {
  int mine[32];
  for (int k = 0; k < 32; k++) mine[k] = x[32 * threadIdx.x + k];
  quicksort(mine, 32);
  for (int k = 0; k < 32; k++) x[32 * threadIdx.x + k] = mine[k];
}]]
  local m = cuda.module(code)
  local numbers = ((np.arange(1024) * 7919) % 1009):astype("i32")
  local want = np.sort(numbers:reshape(32, 32), 1)
  for _, name in ipairs{"in_device", "in_local"} do
    local x = numbers:copy()
    m[name][{1, 32}](x)
    close(x:reshape(32, 32), want)
  end
end)

-- 2-D integration: sin(x + y) over the unit square is 2 sin(1) - sin(2).
local volume = 2 * math.sin(1) - math.sin(2)

test("a volume: one thread a column, the sums added on the host", function()
  local k = cuda.kernel [[
__global__ void integrate(double *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double h = 1.0 / n, x = h * (i + 0.5), sum = 0;
  for (int j = 0; j < n; j++) sum += sin(x + h * (j + 0.5));
  sums[i] = sum * h * h;
}]]
  local n = size(100 * 1024, 256)
  local sums = np.zeros(n)
  k[{n // 128, 128}](sums, n)
  close(np.array{np.sum(sums)}, {volume}, {rtol = 1e-5})
end)

test("the same, reduced in shared memory: a sum a block comes home", function()
  local k = cuda.kernel [[
__global__ void integrate(double *sums, int n) {
  __shared__ double part[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  double h = 1.0 / n, x = h * (i + 0.5), sum = 0;
  for (int j = 0; j < n && i < n; j++) sum += sin(x + h * (j + 0.5));
  part[t] = sum * h * h;
  for (int s = 64; s > 0; s /= 2) {
    __syncthreads();
    if (t < s) part[t] += part[t + s];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}]]
  local n = size(100 * 1024, 256)
  local sums = np.zeros(n // 128)
  k[{n // 128, 128}](sums, n)
  close(np.array{np.sum(sums)}, {volume}, {rtol = 1e-5})
end)

-- ---- CuPy ----

-- np.dot of 1000 x 1000 on the host, cp.dot on the device; there and back.
test("a product on the host and on the device", function()
  local n = size(1000, 100)
  local x, y = np.random.rand(n, n), np.random.rand(n, n)
  local z = np.dot(x, y)
  local dz = np.dot(cuda.to_device(x), cuda.to_device(y))
  equal(dz.device ~= nil, true)
  close(dz, z, {rtol = 1e-9})
  close(cuda.to_device(z):copy_to_host(), z)
  close(np.array{np.mean(x)}, {0.5}, {atol = 0.05})
  equal(np.random.normal(0, 1, {30, 20}).shape, {30, 20})
end)

-- cp.RawModule(code, options=('-std=c++11',)).get_function(name); by type.
test("a raw module for each type, kept by type", function()
  local text = [[extern "C" __global__ void __launch_bounds__(128)
lomb_$T(const $T *__restrict__ x, $T *__restrict__ out, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = static_cast<$T>(2) * x[i];
}]]
  local kept, made = {}, 0
  local function kernel_for(dtype)
    if not kept[dtype] then
      local T = dtype == "f32" and "float" or "double"
      kept[dtype] = cuda.RawModule{code = text:gsub("%$T", T),
        options = {"-std=c++11", "--use_fast_math"}}:get_function("lomb_" .. T)
      made = made + 1
    end
    return kept[dtype]
  end
  for _, dtype in ipairs{"f32", "f64", "f32"} do
    local x, out = np.arange(1000, dtype), np.zeros(1000, dtype)
    local blocks = cuda.device().attributes.multiprocessor_count * 20
    kernel_for(dtype)[{blocks, 128}](x, out, 1000)
    close(out, x * 2)
  end
  equal(made, 2)
  equal(kept.f32.attributes ~= nil or kept.f32.registers ~= nil, true)
end)

-- Numba's and CuPy's limits on registers.
test("a cap on registers", function()
  local code = "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
  local m = cuda.module(code, {options = {"--maxrregcount=32"}})
  local x = np.zeros(32, "f32")
  m.k[{1, 32}](x)
  equal(np.sum(x), 32)
end)

-- np.matmul of a NumPy matrix and a tensor of another library.
test("matmul of one library's matrix and another's", function()
  local a, t = np.ones({2, 3}, "f32"), jnp.ones({3, 2})
  close(np.asarray(np.matmul(a, t)), np.full({2, 2}, 3))
end)

-- ---- JAX ----

test("ten numbers: type, printed form, and no writing", function()
  equal(np.arange(10).dtype, "i64")
  local x = jnp.arange(10)
  equal(x.dtype, "i32")
  equal(tostring(x), "Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], i32)")
  local ok, e = pcall(function() x[0] = 10 end)
  equal(ok, false)
  equal(tostring(e):find("immutable", 1, true) ~= nil, true)
  equal(np.asarray(x.at[0]:set(10))[0], 10)
  equal(x[0]:item(), 0)
end)

test("a matrix from a key, times its transpose", function()
  local n = size(3000, 96)
  local key = jax.random.PRNGKey(0)
  local x = jax.random.normal(key, {n, n}, "f32")
  equal(x.dtype, "f32")
  local h = np.asarray(x)
  local want = np.dot(h, h.T)
  local near = {rtol = 1e-3, atol = 1e-2}
  close(jnp.dot(x, x.T):block_until_ready(), want, near)
  local put = jax.device_put(h)
  close(jnp.dot(put, put.T):block_until_ready(), want, near)
end)

test("SELU without jit and with it, a million numbers", function()
  local function selu(x, alpha, lmbda)
    alpha, lmbda = alpha or 1.67, lmbda or 1.05
    return lmbda * jnp.where(x:gt(0), x, alpha * jnp.exp(x) - alpha)
  end
  local x = jax.random.normal(jax.random.PRNGKey(0), {size(1000000, 20000)})
  local fast, near = jax.jit(selu), {rtol = 1e-4, atol = 1e-5}
  local h = np.asarray(x)
  local want = np.where(h:gt(0), h, 1.67 * np.exp(h) - 1.67) * 1.05
  close(selu(x), want, near)
  close(fast(x), want, near)
  close(fast(x + 1), selu(x + 1), near)
  equal(fast:why():find("trace 2", 1, true), nil, "traced once")
end)

-- A matrix of 150 x 100 by ten vectors of 100.
test("ten vectors: a loop with stack, vmap, jit of vmap", function()
  local k1, k2 = table.unpack(jax.random.split(jax.random.PRNGKey(0)))
  local matrix = jax.random.normal(k1, {150, 100})
  local vectors = jax.random.normal(k2, {10, 100})
  local function by_vector(v) return jnp.dot(matrix, v) end
  local rows = {}
  for i = 0, 9 do rows[i + 1] = by_vector(vectors[i]) end
  local want = np.asarray(jnp.stack(rows))
  equal(want.shape, {10, 150})
  local near = {rtol = 1e-4, atol = 1e-4}
  close(jax.vmap(by_vector)(vectors), want, near)
  close(jax.jit(jax.vmap(by_vector))(vectors), want, near)
end)

-- ---- What stands in for Dask, frames and ml ----

-- x + x.T - x.mean(axis=0) of an array in chunks of rows, one after the other.
test("an expression over an array of many", function()
  local n, rows = 64, 16
  local x = np.random.rand(n, n)
  local sum, parts = np.zeros(n), {}
  for first = 0, n - 1, rows do
    sum = sum + x[first .. ":" .. first + rows]:sum(0)
  end
  for first = 0, n - 1, rows do
    local chunk = cuda.to_device(x[first .. ":" .. first + rows]:copy())
    local across = cuda.to_device(x.T[first .. ":" .. first + rows]:copy())
    local part = chunk + across - cuda.to_device(sum / n)
    parts[#parts + 1] = part:copy_to_host()
  end
  close(np.concatenate(parts), x + x.T - np.mean(x, 0))
end)

-- df.groupby('name').balance.max(): names as numbers, a maximum for each.
test("the largest balance for each name", function()
  local k = cuda.kernel [=[
__global__ void largest(const int *name, const int *balance, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&out[name[i]], balance[i]);
}]=]
  local names = {"ada", "ben", "ada", "eve", "ben", "ada"}
  local balance = np.array({10, 70, 30, 5, 20, 25}, "i32")
  local number, codes, count = {}, np.zeros(6, "i32"), 0
  for i, name in ipairs(names) do
    if not number[name] then number[name], count = count, count + 1 end
    codes[i - 1] = number[name]
  end
  local out = np.full(count, -2147483648, "i32")
  k[{1, 32}](codes, balance, out, 6)
  equal({out[number.ada], out[number.ben], out[number.eve]}, {30, 70, 5})
end)

-- KMeans(n_clusters, init, max_iter, n_init=1).fit(X): nearest centre, new
-- centres, until nothing changes.
test("k-means on the device", function()
  local points = np.concatenate{
    np.random.default_rng(1):normal(0, 0.1, {40, 2}),
    np.random.default_rng(2):normal(3, 0.1, {40, 2})}
  local x, centres = cuda.to_device(points), points["39:41"]:copy()
  for _ = 1, 20 do
    local c = cuda.to_device(centres)
    local d = np.sum((x:reshape(80, 1, 2) - c:reshape(1, 2, 2)) ^ 2, 2)
    local nearest = np.argmin(d, 1):copy_to_host()
    local new = centres:copy()
    for k = 0, 1 do new[k] = np.mean(points[np.equal(nearest, k)], 0) end
    if np.array_equal(new, centres) then break end
    centres = new
  end
  close(centres, {{0, 0}, {3, 3}}, {atol = 0.1})
end)

-- The same code in a pool of workers: here a function over parts of its data.
test("one function, mapped over parts", function()
  local function fit(part) return np.mean(part) end
  local x, fits = np.arange(1000.0), {}
  for k = 0, 3 do
    local part = x[250 * k .. ":" .. 250 * (k + 1)]:copy()
    fits[k + 1] = np.asarray(fit(cuda.to_device(part)))
  end
  for k, v in ipairs(fits) do
    fits[k] = type(v) == "number" and v or v:item()
  end
  equal((fits[1] + fits[2] + fits[3] + fits[4]) / 4, np.mean(x))
end)

-- Which GPUs there are, by a program.
test("a program can ask for devices", function()
  equal(type(cuda.is_available()), "boolean")
  equal(#cuda.devices() >= 1 and #jax.devices() >= 1, true)
  raises("not-found", "virtual:999", function() cuda.select("virtual:999") end)
end)

tap.done()
