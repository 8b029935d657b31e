-- SPDX-License-Identifier: Apache-2.0
-- Control: threads, warps and blocks that wait for each other, real calls,
-- cooperative launches. The first part runs on every device; what only the
-- virtual GPU says of mistakes follows.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local is_virtual = cuda.device().id:match("^virtual") ~= nil

-- Runs a kernel k(int *a, int n) on n zeros; its elements from 0 on.
local function run(source, launch, n)
  local k = cuda.kernel(source)
  local a = cuda.to_device(np.zeros(n, "i32"))
  k(launch)(a, n)
  cuda.synchronize()
  return a:copy_to_host()
end

-- ---- Who waits for whom ----

-- name, source, grid, block, elements, what a[0] must be
local waits = {
  {"a lock between the lanes of a warp, its work behind the loop", [==[
__global__ void k(int *a, int n) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence_block();
  *(volatile int *)a += 1;
  __threadfence_block();
  atomicExch(&lock, 0);
}]==], 1, 96, 1, 96},
  {"a lock in global memory that all blocks share", [==[
__global__ void k(int *a, int n) {
  while (atomicCAS(&a[1], 0, 1) != 0) {}
  __threadfence();
  *(volatile int *)a += 1;
  __threadfence();
  atomicExch(&a[1], 0);
}]==], 4, 64, 2, 256},
  {"a lock whose work stands inside the loop", [==[
__global__ void k(int *a, int n) {
  for (bool done = false; !done;)
    if (atomicCAS(&a[1], 0, 1) == 0) {
      __threadfence();
      *(volatile int *)a += 1;
      __threadfence();
      atomicExch(&a[1], 0);
      done = true;
    }
}]==], 4, 64, 2, 256},
  {"one lock inside another", [==[
__global__ void k(int *a, int n) {
  for (int i = 0; i < 3; i++) {
    while (atomicCAS(&a[1], 0, 1)) {}
    __threadfence();
    while (atomicCAS(&a[2], 0, 1)) {}
    __threadfence();
    *(volatile int *)a += 1;
    __threadfence();
    atomicExch(&a[2], 0);
    atomicExch(&a[1], 0);
  }
}]==], 2, 64, 3, 384},
  {"a lock that functions take and give back", [==[
__device__ __noinline__ void lock(int *p) {
  while (atomicCAS(p, 0, 1)) {}
  __threadfence();
}
__device__ __noinline__ void unlock(int *p) {
  __threadfence();
  atomicExch(p, 0);
}
__global__ void k(int *a, int n) {
  int turns = threadIdx.x % 3 ? 1 : 2;
  for (int i = 0; i < turns; i++) {
    lock(a + 1);
    *(volatile int *)a += turns == 1 ? 1 : 10;
    unlock(a + 1);
  }
}]==], 2, 64, 2, 2 * (42 + 22 * 20)},
  {"a ticket lock", [==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  int mine = atomicAdd(&a[1], 1);
  while (v[2] != mine) {}
  __threadfence();
  v[0] += 1;
  __threadfence();
  v[2] = mine + 1;
}]==], 2, 64, 3, 128},
  {"a lane that sets a flag for the others of its warp", [==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  if (threadIdx.x == 31) v[1] = 42;
  else while (v[1] == 0) {}
  atomicAdd(&a[0], v[1]);
}]==], 1, 32, 2, 42 * 32},
  {"lanes that wait one for the other in a row", [==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  int t = threadIdx.x;
  while (t > 0 && v[t] == 0) {}
  __threadfence();
  if (t == 63) v[0] = 7;
  else v[t + 1] = 1;
}]==], 1, 64, 64, 7},
  {"a warp that makes and one that takes, in shared memory", [==[
__global__ void k(int *a, int n) {
  __shared__ volatile int full;
  __shared__ volatile int box;
  if (threadIdx.x == 0) full = 0;
  __syncthreads();
  int sum = 0;
  for (int i = 1; i <= 20; i++)
    if (threadIdx.x == 0) {
      while (full) {}
      box = i;
      __threadfence_block();
      full = 1;
    } else if (threadIdx.x == 32) {
      while (!full) {}
      __threadfence_block();
      sum += box;
      __threadfence_block();
      full = 0;
    }
  if (threadIdx.x == 32) a[0] = sum;
}]==], 1, 64, 1, 210},
  {"blocks that wait for the next block's flag", [==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    while (b + 1 < gridDim.x && v[b + 1] == 0) {}
    __threadfence();
    v[b] = b + 1 < gridDim.x ? v[b + 1] + 1 : 1;
  }
  __syncthreads();
}]==], 64, 64, 64, 64},
  {"acquire, release and nanosleep", [==[
__device__ int load(int *p) {
  int v;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__global__ void k(int *a, int n) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 7)
      asm volatile("st.release.gpu.u32 [%0], 5;" ::"l"(a + 1) : "memory");
    return;
  }
  while (load(a + 1) == 0) __nanosleep(100);
  atomicAdd(a, load(a + 1));
}]==], 2, 64, 2, 5 * 64},
  {"a flag that is read by an atomic", [==[
__global__ void k(int *a, int n) {
  if (threadIdx.x == 40) atomicExch(&a[1], 3);
  while (atomicAdd(&a[1], 0) == 0) {}
  atomicAdd(a, 1);
}]==], 1, 64, 2, 64},
  {"half a warp that waits for the other half before a barrier", [==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  int x = 0;
  if (threadIdx.x < 16) {
    while (v[1] == 0) {}
  } else {
    for (int i = 0; i < 5000; i++) x = x * 3 + i;
    a[2 + threadIdx.x] = x;
    __threadfence();
    v[1] = 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) a[0] = 3;
}]==], 1, 32, 64, 3},
}

for _, is_checked in ipairs { true, false } do
  for _, c in ipairs(waits) do
    test(c[1] .. (is_checked and ", checked" or ", unchecked"), function()
      cuda.set_checked(is_checked)
      local ok, e = pcall(function()
        equal(run(c[2], { grid = c[3], block = c[4] }, c[5])[0], c[6])
      end)
      cuda.set_checked(true)
      assert(ok, e)
    end)
  end
end

-- ---- Cooperative groups ----

local grid_sync = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *a, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  a[i] = i;
  for (int round = 0; round < 5; round++) {
    grid.sync();
    int next = a[(i + 1) % n];
    grid.sync();
    a[i] = next + (grid.size() == n ? 0 : 1000000);
  }
}]==]

test("grid.sync() holds all blocks", function()
  for _ = 1, 2 do
    local h = run(grid_sync, { grid = 24, block = 96, cooperative = true },
      24 * 96)
    for i = 0, 24 * 96 - 1 do equal(h[i], (i + 5) % (24 * 96)) end
  end
end)

test("tiles, coalesced groups and their reductions", function()
  local h = run([==[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int *a, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto eight = cg::tiled_partition<8>(block);
  int t = block.thread_rank();
  a[t] = cg::reduce(eight, t, cg::plus<int>());
  a[64 + t] = cg::inclusive_scan(eight, t);
  a[128 + t] = eight.shfl(t, 3) + 100 * eight.meta_group_rank();
  a[192 + t] = -1;
  if (t % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    a[192 + t] = 100 * g.size() + g.thread_rank();
  }
  auto odd = cg::binary_partition(eight, t & 1);
  a[256 + t] = cg::reduce(odd, t, cg::greater<int>());
  auto four = cg::tiled_partition(block, 4);
  four.sync();
  a[320 + t] = four.thread_rank();
}]==], { grid = 1, block = 64 }, 384)
  local seen = { 0, 0 }
  for t = 0, 63 do
    local first = t - t % 8
    equal(h[t], 8 * first + 28)
    local sum = 0
    for x = first, t do sum = sum + x end
    equal(h[64 + t], sum)
    equal(h[128 + t], first + 3 + 100 * (t // 8))
    local w = t // 32
    if t % 3 == 0 then
      equal(h[192 + t], 100 * (w == 0 and 11 or 11) + seen[w + 1])
      seen[w + 1] = seen[w + 1] + 1
    else
      equal(h[192 + t], -1)
    end
    equal(h[256 + t], first + 6 + t % 2)
    equal(h[320 + t], t % 4)
  end
end)

test("a tile of two warps", function()
  local h = run([==[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int *a, int n) {
  __shared__ cg::block_tile_memory<128> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  a[threadIdx.x] = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
}]==], { grid = 1, block = 128 }, 128)
  equal(h[0], 63 * 32)
  equal(h[127], 63 * 32 + 64 * 64)
end)

test("memcpy_async of a group", function()
  local h = run([==[
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(int *a, int n) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  a[threadIdx.x] = 3 * threadIdx.x;
  block.sync();
  cg::memcpy_async(block, s, a, sizeof(int) * 256);
  cg::wait(block);
  a[256 + threadIdx.x] = s[255 - threadIdx.x];
}]==], { grid = 1, block = 256 }, 512)
  for t = 0, 255 do equal(h[256 + t], 3 * (255 - t)) end
end)

if is_virtual then
  -- ---- The order of blocks and warps ----

  local function with_seed(seed, f)
    cuda.select("virtual:0", { schedule_seed = seed })
    local ok, r = pcall(f)
    cuda.select("virtual:0", { schedule_seed = 0 })
    assert(ok, r)
    return r
  end

  local function text(h, n)
    local t = {}
    for i = 0, n - 1 do t[#t + 1] = h[i] end
    return table.concat(t, " ")
  end

  -- Who comes first is written down: by blocks, and by warps of a block.
  local ordered = [==[
__global__ void k(int *a, int n) {
  if (threadIdx.x % 32 == 0) {
    int place = atomicAdd(&a[n - 1], 1);
    a[place] = blockIdx.x * 100 + threadIdx.x / 32;
  }
}]==]
  local free_of_order = [==[
__global__ void k(int *a, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, threadIdx.x);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) a[i] = sum + i;
  atomicAdd(&a[n - 1], i);
}]==]

  test("a seed shows what depends on the order, the same every time", function()
    local function once(source, n)
      return function()
        return text(run(source, { grid = 12, block = 128 }, n), n)
      end
    end
    local plain = once(ordered, 49)()
    assert(plain:match("^0 1 2 3 100 101"), plain)
    local seen = { [plain] = true }
    for seed = 1, 4 do
      local first = with_seed(seed, once(ordered, 49))
      equal(with_seed(seed, once(ordered, 49)), first)
      assert(not seen[first], "two seeds gave one order")
      seen[first] = true
    end
    local right = once(free_of_order, 1600)()
    for seed = 1, 4 do
      equal(with_seed(seed, once(free_of_order, 1600)), right)
    end
  end)

  test("every block runs once under every seed", function()
    for _, blocks in ipairs { 1, 2, 3, 17, 100 } do
      local h = with_seed(99, function()
        return run("__global__ void k(int *a, int n) " ..
          "{ if (threadIdx.x == 0) a[blockIdx.x] += blockIdx.x + 1; }",
          { grid = blocks, block = 64 }, blocks)
      end)
      for b = 0, blocks - 1 do equal(h[b], b + 1) end
    end
  end)

  test("waits end under every seed", function()
    for seed = 5, 7 do
      for _, c in ipairs(waits) do
        local h = with_seed(seed, function()
          return run(c[2], { grid = c[3], block = c[4] }, c[5])
        end)
        equal(h[0], c[6], c[1])
      end
    end
  end)

  -- The last 32 cells as in 2007: by lanes in step. volatile lets none of them
  -- wait.
  local in_step = [==[
__global__ void k(int *a, int n) {
  __shared__ volatile int part[32];
  int t = threadIdx.x;
  part[t] = t + 1;
  __syncwarp();
  for (int far = 16; far > 0; far /= 2) {
    if (t < far) part[t] += part[t + far];
    %s
  }
  if (t == 0) a[blockIdx.x] = part[0];
}]==]

  test("lanes part where a seed says so", function()
    local apart = 1 << 20 -- GPU_SCHEDULE_APART in gpu/gpu.h
    local is_wrong
    for seed = 1, 4 do
      local function sums(sync, which)
        return with_seed(which, function()
          return text(run(in_step:format(sync), {grid = 8, block = 32}, 8), 8)
        end)
      end
      local right = ("528 "):rep(7) .. "528"
      equal(sums("", seed), right)
      equal(sums("__syncwarp();", seed | apart), right)
      is_wrong = is_wrong or sums("", seed | apart) ~= right
      equal(sums("", seed | apart), sums("", seed | apart))
    end
    assert(is_wrong, "lanes stayed in step under four seeds")
  end)

  test("waits end where lanes part", function()
    for _, c in ipairs(waits) do
      local h = with_seed(1 << 20 | 5, function()
        return run(c[2], { grid = c[3], block = c[4] }, c[5])
      end)
      equal(h[0], c[6], c[1])
    end
  end)

  -- ---- What never ends is named ----

  test("warps that wait at different barriers are a deadlock", function()
    local e = raises("deadlock", "wait at barriers", function()
      run([==[
__global__ void k(int *a, int n) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  a[0] = 1;
}]==], { grid = 1, block = 64 }, 1)
    end)
    local lines = {}
    for _, d in ipairs(e.diagnostics) do
      if d.kind == "deadlock" then lines[d.line] = d.count end
    end
    equal(lines, { [3] = 32, [5] = 32 })
  end)

  test("a lock that its holder takes again is a deadlock", function()
    local e = raises("deadlock", "waits for ever for a[0]", function()
      run([==[
__global__ void k(int *a, int n) {
  for (int i = 0; i < 2; i++)
    while (atomicCAS(&a[0], 0, 1) != 0) {}
  atomicExch(&a[0], 0);
}]==], { grid = 1, block = 1 }, 1)
    end)
    equal(e.diagnostics[1].line, 3)
    equal(e.diagnostics[1].thread, { 0, 0, 0 })
  end)

  test("a flag of a block that never comes is a deadlock", function()
    local e = raises("deadlock", "can only begin when", function()
      run([==[
__global__ void k(int *a, int n) {
  volatile int *v = a;
  if (threadIdx.x == 0)
    while (blockIdx.x + 1 < gridDim.x && v[blockIdx.x + 1] == 0) {}
  __syncthreads();
  v[blockIdx.x] = 1;
}]==], { grid = 100, block = 1024 }, 100)
    end)
    equal(e.diagnostics[1].line, 4)
  end)

  test("a grid that does not fit cannot be cooperative", function()
    raises("launch", "this one holds 512 of them", function()
      run(grid_sync, { grid = 1000, block = 64, cooperative = true }, 64000)
    end)
    raises("launch", "16 multiprocessors, each 2", function()
      run(grid_sync, { grid = 33, block = 1024, cooperative = true }, 33 * 1024)
    end)
  end)

  test("grid.sync() in a launch that is not cooperative", function()
    local e = raises("trap", "launched as a cooperative one", function()
      run(grid_sync, { grid = 4, block = 64 }, 256)
    end)
    equal(e.diagnostics[1].line, 8)
  end)
end

tap.done()
