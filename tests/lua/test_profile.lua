-- SPDX-License-Identifier: Apache-2.0
-- cuda.profile: counters of launches, of lines, in words; the same every time
-- and on every device.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local m = cuda.module[==[
__global__ void copy(const float *in, float *out, int stride, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i * stride];
}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}
__global__ void thrice(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3.0 * in[i] + 0.1;
}
__global__ void sum(const int *in, int *out) {
  atomicAdd(&out[0], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void next(int *x) {
  x[threadIdx.x] += 1;
  if (x[threadIdx.x] % 2) x[threadIdx.x] *= 3;
}]==]

local function line_of(p, line)
  for _, l in ipairs(p.lines) do
    if l.line == line then return l end
  end
end

local function note_of(p, code)
  for _, n in ipairs(p.notes) do
    if n.code == code then return n end
  end
end

local x, out = np.ones(32 * 1024, "f32"), np.zeros(1024, "f32")

local function copy(stride)
  return cuda.profile(function() m.copy[{8, 128}](x, out, stride, 1024) end)
end

test("a coalesced copy", function()
  local p = copy(1)
  equal(p.kernel, "copy")
  equal(p.launches, 1)
  equal(p.grid, {8, 1, 1})
  equal(p.block, {128, 1, 1})
  equal(p.warps, 32)
  equal(p.global_load_requests, 32)
  equal(p.global_load_sectors, 128)
  equal(p.global_store_bytes, 4096)
  equal(p.sectors_per_request, 4.0)
  equal(p.branch_efficiency, 100.0)
  equal(p.active_lanes, 32.0)
  equal(p.fp64, 0)
  equal(p.conflicts_per_request, nil)
  assert(p.is_complete)
  assert(not note_of(p, "uncoalesced"))
end)

test("names of Nsight Compute", function()
  local p = copy(2)
  equal(p["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 256)
  equal(p["smsp__inst_executed.sum"], p.inst_executed)
end)

test("a strided copy is told apart, with its line", function()
  local p = copy(32)
  equal(p.load_sectors_per_request, 32.0)
  equal(p.store_sectors_per_request, 4.0)
  local note = note_of(p, "uncoalesced")
  equal(note.line, 4)
  assert(note.text:find("32 sectors of 32 bytes; 4 would do", 1, true))
  equal(line_of(p, 4).global_load_sectors, 1024)
  assert(tostring(p):find("line 4: each load touches 32 sectors", 1, true))
end)

test("lines add up to the launch", function()
  local p = copy(1)
  for _, name in ipairs{"inst_executed", "global_load_sectors", "integer"} do
    local n = 0
    for _, l in ipairs(p.lines) do n = n + l[name] end
    equal(n, p[name], name)
  end
end)

test("bank conflicts", function()
  local a, b = np.ones({64, 64}, "f32"), np.zeros({64, 64}, "f32")
  local p = cuda.profile(function()
    m.transpose[{{2, 2}, {32, 32}}](a, b, 64)
  end)
  equal(p.shared_load_conflicts, 31 * 128)
  equal(p.shared_store_conflicts, 0)
  equal(p.barriers, 128)
  equal(p.shared_bytes, 4096)
  equal(note_of(p, "bank-conflicts").line, 12)
  assert(p:listing():find("\n   12 .* 31.0 "))
end)

test("a double where floats are meant", function()
  local p = cuda.profile(function() m.thrice[{8, 128}](x, out, 1024) end)
  assert(p.fp64 > 0 and p.fp64_conversions == 2048)
  equal(note_of(p, "double").line, 16)
  assert(note_of(p, "double").text:find("write 3.0f", 1, true))
end)

test("a double in a function of CUDA's library is noted where it is called",
  function()
    local k = cuda.kernel[==[
__global__ void f(const float *x, float *y) {
  int i = threadIdx.x;
  float s = x[i];
  y[i] = pow((double)s, (double)s) + 1;
}]==]
    local y = np.zeros(32, "f32")
    local p = cuda.profile(function() k[{1, 32}](x, y) end)
    local note = note_of(p, "double")
    equal(note.line, 4)
    assert(note.text:find("^" .. p.fp64 .. " instructions on doubles"))
    assert(line_of(p, 4).fp64 < p.fp64)
  end)

test("atomics that wait", function()
  local ones, total = np.ones(256, "i32"), np.zeros(1, "i32")
  local p = cuda.profile(function() m.sum[{2, 128}](ones, total) end)
  equal(total[0], 256)
  equal(p.global_reductions, 8)
  equal(p.atomic_contention, 32.0)
  equal(note_of(p, "atomic-contention").line, 19)
end)

test("registers and occupancy are known", function()
  local p = copy(1)
  assert(math.type(p.registers) == "integer" and p.registers > 4)
  equal(p.spill_bytes, 0)
  assert(p.occupancy > 0 and p.occupancy <= 100)
  assert(p.blocks_per_multiprocessor >= 1 and p.limiter)
  local is_real = cuda.device().id:match("^cuda:") ~= nil
  local says = tostring(p):find("Counted on the virtual GPU", 1, true) ~= nil
  equal(says, is_real)
  assert(m.copy.attributes.registers == p.registers or
         cuda.device().id ~= "virtual:0")
end)

test("several launches are added up, several kernels kept apart", function()
  local p = cuda.profile(function()
    for _ = 1, 3 do m.copy[{8, 128}](x, out, 1, 1024) end
    m.thrice[{8, 128}](x, out, 1024)
  end)
  equal(p.launches, 4)
  equal(#p.kernels, 2)
  equal(p.kernels[1].kernel, "copy")
  equal(p.kernels[1].launches, 3)
  equal(p.kernels[1].global_load_requests, 96)
  equal(p.global_load_requests, 128)
  equal(p.occupancy, nil)
  assert(p:table():find("copy ", 1, true))
  assert(p:table():find("thrice ", 1, true))
end)

test("device arrays keep what the launches did", function()
  local d = cuda.to_device(np.arange(32, "i32"))
  local p = cuda.profile(function()
    m.next[{1, 32}](d)
    m.next[{1, 32}](d)
  end)
  local want = {}
  for i = 0, 31 do
    local v = i
    for _ = 1, 2 do
      v = v + 1
      if v % 2 == 1 then v = v * 3 end
    end
    want[i + 1] = v
  end
  equal(d:copy_to_host():tolist(), want)
  equal(p.launches, 2)
end)

test("the same every time", function()
  local function counts()
    local p = copy(3)
    local t = {}
    for _, c in ipairs(cuda.counters()) do t[#t + 1] = tostring(p[c.name]) end
    return table.concat(t, " ")
  end
  local first = counts()
  for _ = 1, 3 do equal(counts(), first) end
end)

test("tiles and asynchronous copies", function()
  local t = cuda.module[==[
#include <mma.h>
#include <cuda_pipeline.h>
using namespace nvcuda;
__global__ void tile(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void turn(const float *a, float *b) {
  __shared__ float t[32];
  __pipeline_memcpy_async(&t[threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  b[threadIdx.x] = t[31 - threadIdx.x];
}]==]
  local a, c = np.ones({16, 16}, "f16"), np.zeros({16, 16}, "f32")
  local p = cuda.profile(function() t.tile[{1, 32}](a, a, c) end)
  equal(p.tensor, 1)
  equal(p.global_load_requests, 2)
  equal(p.global_load_sectors, 2 * 512 // 32)
  equal(p.global_store_sectors, 1024 // 32)
  equal(p.global_sectors_needed, p.global_load_sectors + p.global_store_sectors)
  assert(np.all(np.equal(c, 16)))
  p = cuda.profile(function() t.turn[{1, 32}](x, out) end)
  equal(p.async_copies, 1)
  equal(p.async_copy_sectors, 4)
  equal(p.global_load_requests, 0)
  equal(p.sectors_per_request, 4.0)
  equal(p.global_sectors_needed, 8) -- of the copy, and of the store
  equal(p.shared_load_conflicts, 0)
  equal(p.async_copies_idle, 32)
end)

tap.test("copies during which nothing is worked on", function()
  local k = cuda.kernel[==[
#include <cuda_pipeline.h>
__global__ void rounds(const float *x, float *out, int newest) {
  __shared__ float t[2][32];
  int i = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&t[0][i], &x[i], 4);
  __pipeline_commit();
  for (int k = 0; k < 4; k++) {
    if (k < 3) __pipeline_memcpy_async(&t[(k + 1) % 2][i], &x[32 * k + 32 + i], 4);
    __pipeline_commit();
    if (newest) __pipeline_wait_prior(1);
    else __pipeline_wait_prior(0);
    __syncwarp();
    sum += t[k % 2][31 - i];
    __syncwarp();
  }
  out[i] = sum;
}]==]
  local rows, sums = np.arange(128, "f32"), np.zeros(32, "f32")
  local p = cuda.profile(function() k[{1, 32}](rows, sums, 1) end)
  equal(p.async_copies_idle, 32) -- the first tile
  p = cuda.profile(function() k[{1, 32}](rows, sums, 0) end)
  equal(p.async_copies_idle, 128)
end)

tap.test("reads behind an atomic and no fence", function()
  local k = cuda.kernel[==[
__global__ void last(int *parts, int *total, int *done, int is_fenced) {
  parts[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (atomicAdd(done, 1) < gridDim.x - 1) return;
  if (is_fenced) __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += parts[b];
  *total = sum;
}]==]
  for fenced = 0, 1 do
    local parts, total = np.zeros(8, "i32"), np.zeros(1, "i32")
    local p = cuda.profile(function()
      k[{8, 1}](parts, total, np.zeros(1, "i32"), fenced)
    end)
    equal(total[0], 28)
    equal(p.unfenced_reads, fenced == 1 and 0 or 7)
  end
end)

-- Thread 0 hears of the other blocks, and a barrier tells the rest of its own.
tap.test("reads behind an atomic, a barrier and no fence", function()
  local k = cuda.kernel[==[
__global__ void last(int *parts, int *sums, int *done, int before, int behind) {
  __shared__ bool is_last;
  int t = threadIdx.x;
  if (t == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    is_last = atomicAdd(done, 1) == gridDim.x - 1;
    if (before == 1) __threadfence();
    if (before == 2) __threadfence_block();
  }
  __syncthreads();
  if (!is_last) return;
  if (behind == 1) __threadfence();
  if (behind == 2) __threadfence_block();
  sums[t] = parts[t];
}]==]
  local function reads(before, behind)
    local parts, sums = np.zeros(64, "i32"), np.zeros(64, "i32")
    local p = cuda.profile(function()
      k[{64, 64}](parts, sums, np.zeros(1, "i32"), before, behind)
    end)
    equal(np.sum(sums), 63 * 32)
    return p.unfenced_reads
  end
  equal(reads(0, 0), 63)
  equal(reads(0, 1), 0) -- by each reader
  equal(reads(1, 0), 0) -- by the one who heard, before the others hear of it
  equal(reads(2, 0), 63)
  equal(reads(0, 2), 63)
end)

-- Lanes that read one cell together are counted each.
tap.test("reads of one cell by many lanes, without a fence", function()
  local k = cuda.kernel[==[
__global__ void last(int *parts, int *sums, int *done) {
  __shared__ bool is_last;
  int t = threadIdx.x, sum = 0;
  if (t == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    is_last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  for (int b = 0; b < gridDim.x; b++) sum += parts[b];
  sums[t] = sum;
}]==]
  for _, threads in ipairs{1, 2, 20, 32, 100} do
    local parts, sums = np.zeros(8, "i32"), np.zeros(threads, "i32")
    local p = cuda.profile(function()
      k[{8, threads}](parts, sums, np.zeros(1, "i32"))
    end)
    equal(np.sum(sums), 28 * threads)
    equal(p.unfenced_reads, 7 * threads)
  end
end)

tap.test("a grid's barrier is a fence", function()
  local k = cuda.kernel[==[
#include <cooperative_groups.h>
__global__ void turn(int *a, int *b) {
  if (threadIdx.x == 0) a[blockIdx.x] = blockIdx.x;
  cooperative_groups::this_grid().sync();
  b[blockIdx.x * 64 + threadIdx.x] = a[gridDim.x - 1 - blockIdx.x];
}]==]
  local a, b = np.zeros(8, "i32"), np.zeros(512, "i32")
  local p = cuda.profile(function()
    k{grid = 8, block = 64, cooperative = true}(a, b)
  end)
  equal(b[0], 7)
  equal(p.unfenced_reads, 0)
end)

test("the last launch, counted again", function()
  local d = cuda.to_device(np.zeros(32, "i32"))
  m.next[{1, 32}](d)
  local before = d:copy_to_host():tolist()
  local p = cuda.profile()
  equal(p.kernel, "next")
  equal(p.block, {32, 1, 1})
  equal(p.launches, 1)
  equal(cuda.profile().inst_executed, p.inst_executed)
  equal(d:copy_to_host():tolist(), before)
  equal(cuda.last_launch().kernel, "next")
end)

test("nothing launched", function()
  local p = cuda.profile(function() end)
  equal(p.launches, 0)
  equal(p.inst_executed, 0)
  equal(p.sectors_per_request, nil)
  local none = "No kernel was launched: give a launch, such as " ..
    "k[{grid, block}](...)."
  equal(tostring(p), none)
  equal(p:listing(), none)
end)

test("what is wrong is said", function()
  raises("argument", "no counter \"speed\"", function()
    return copy(1).speed
  end)
  raises("argument", "inside", function()
    cuda.profile(function() copy(1) end)
  end)
  local ok, e = pcall(cuda.profile, function() error("mine", 0) end)
  assert(not ok and e == "mine")
  equal(copy(1).launches, 1) -- it can be used again
end)

test("every counter has its words", function()
  for _, c in ipairs(cuda.counters()) do
    assert(#c.name > 0 and #c.meaning > 10 and c.unit and c.nsight)
    assert(c.kind == "exact" or c.kind == "close" or c.kind == "own")
  end
end)

tap.done()
