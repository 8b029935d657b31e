-- SPDX-License-Identifier: Apache-2.0
-- Asynchronous copies, barriers of shared memory, and matrix instructions, as
-- learners write them: through the toolkit's own headers.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local x, y = np.arange(64, "f32"), np.zeros(64, "f32")
local is_checked = cuda.device().id:match("^virtual")

-- Runs a kernel f(x, y) on 64 threads; y should then be `factor` times x
-- backwards.
local function reverses(source, factor)
  cuda.kernel(source)[{1, 64}](x, y)
  equal(y:tolist(), (np.arange(63, -1, -1, "f32") * factor):tolist())
end

local function finds(kind, line, text, source)
  if not is_checked then return end
  local ok, e = pcall(function() cuda.kernel(source)[{1, 64}](x, y) end)
  assert(not ok, "nothing was found")
  equal(e.kind, kind, tostring(e))
  equal(e.diagnostics[1].line, line)
  assert(tostring(e):find(text, 1, true), tostring(e))
end

test("a pipeline's copies are there after the wait", function()
  reverses([==[
#include <cuda_pipeline.h>
__global__ void f(const float *x, float *y) {
  __shared__ float t[64];
  __pipeline_memcpy_async(&t[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = t[63 - threadIdx.x];
}]==], 1)
end)

test("a copy that nobody waited for has not come", function()
  finds("race", 4, "race on t[", [==[
#include <cuda_pipeline.h>
__global__ void f(const float *x, float *y) {
  __shared__ float t[64];
  __pipeline_memcpy_async(&t[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  y[threadIdx.x] = t[63 - threadIdx.x];
  __pipeline_wait_prior(0);
}]==])
end)

test("cuda::barrier", function()
  reverses([==[
#include <cuda/barrier>
__global__ void f(const float *x, float *y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ float t[64];
  if (threadIdx.x == 0) init(&b, 64);
  __syncthreads();
  t[threadIdx.x] = x[threadIdx.x];
  b.arrive_and_wait();
  y[threadIdx.x] = 2 * t[63 - threadIdx.x];
}]==], 2)
end)

test("cooperative_groups::memcpy_async", function()
  reverses([==[
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void f(const float *x, float *y) {
  __shared__ float t[64];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, t, x, sizeof t);
  cg::wait(b);
  y[threadIdx.x] = 3 * t[63 - threadIdx.x];
}]==], 3)
end)

test("an mbarrier that nobody initialised", function()
  finds("barrier", 6, "no initialised mbarrier", [==[
__global__ void f(const float *x, float *y) {
  __shared__ unsigned long long b;
  if (threadIdx.x == 0) b = 0;
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(at) : "memory");
}]==])
end)

test("more arrivals than an mbarrier expects", function()
  finds("barrier", 6, "more threads arrive", [==[
__global__ void f(const float *x, float *y) {
  __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 4;" :: "r"(at));
  __syncthreads();
  asm volatile("{.reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s,[%0],5;}"::"r"(at):"memory");
}]==])
end)

local product = [==[
#include <mma.h>
using namespace nvcuda;
__global__ void mm(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.x * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + blockIdx.y * 16 * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.x * 16 * n + blockIdx.y * 16, fc, n,
                          wmma::mem_row_major);
}]==]

test("a wmma matrix product", function()
  local n, a, b = 48, {}, {}
  for i = 1, n * n do
    a[i], b[i] = i * 7 % 5 - 2, i * 3 % 7 - 3
  end
  local want = {}
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local sum = 0
      for k = 1, n do sum = sum + a[i * n + k] * b[j * n + k] end
      want[#want + 1] = sum
    end
  end
  local c = np.zeros(n * n, "f32")
  cuda.kernel(product)[{{n // 16, n // 16}, 32}](
    np.array(a, "f16"), np.array(b, "f16"), c, n)
  equal(c:tolist(), np.array(want, "f32"):tolist())
end)

test("a matrix instruction that not all threads of a warp reach", function()
  finds("barrier", 10, "all 32 threads", [==[
#include <mma.h>
using namespace nvcuda;
__global__ void f(const float *x, float *y) {
  __shared__ half t[256];
  for (int i = threadIdx.x; i < 256; i += 64) t[i] = (half)1.0f;
  __syncthreads();
  if (threadIdx.x < 20) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;

    wmma::load_matrix_sync(a, t, 16);
    y[threadIdx.x] = a.x[0];
  }
}]==])
end)

tap.done()
