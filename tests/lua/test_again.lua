-- SPDX-License-Identifier: Apache-2.0
-- Launches that looked suspicious and ran again: what the first run wrote is
-- taken back, in every page, for any number of threads and arrays of any size.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

if not cuda.device().id:find("virtual") then
  print("ok 1 # SKIP a real GPU runs once\n1..1")
  return
end

-- Adds 1 to every stride-th element, and races on another array.
local add = cuda.kernel([[
__global__ void add(int *x, int stride, int *cell) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[(long)i * stride] += 1;
  __syncthreads();
  cell[threadIdx.x / 2 % 2] += i;
}]])

for _, size in ipairs {{1, 32, 1}, {1, 256, 4096}, {100, 256, 3}} do
  local blocks, threads, stride = size[1], size[2], size[3]
  local what = blocks .. " x " .. threads .. " threads, stride " .. stride
  test("each element counts once, " .. what, function()
    local n = blocks * threads
    local x = cuda.to_device(np.full(n * stride, 7, "i32"))
    local cell = cuda.to_device(np.zeros(2, "i32"))
    raises("race", "cell", function()
      add[{blocks, threads}](x, stride, cell)
      cuda.synchronize()
    end)
    equal(tostring(np.sum(x:copy_to_host())), tostring(7 * n * stride + n))
  end)
end

test("what the first run defined is undefined for the second", function()
  local fill = cuda.kernel([[
  __global__ void fill(int *y, int *z, int *cell) {
    if (y[threadIdx.x] == 5) z[threadIdx.x] = 1;
    y[threadIdx.x] = 1;
    __syncthreads();
    cell[threadIdx.x / 2 % 2] += threadIdx.x;
  }]])
  local zeros = function() return cuda.to_device(np.zeros(64, "i32")) end
  local e = raises("race", "cell", function()
    fill[{1, 64}](cuda.device_array(64, "i32"), zeros(), zeros())
    cuda.synchronize()
  end)
  local kinds = {}
  for _, d in ipairs(e.diagnostics) do kinds[d.kind] = true end
  equal(kinds.uninitialised, true)
end)

tap.done()
