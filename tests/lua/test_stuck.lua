-- SPDX-License-Identifier: Apache-2.0
-- Launches that can never end are named: lines, threads, and what they wait
-- for. Those that only take long are left alone.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

if not cuda.device().id:find("virtual") then
  print("ok 1 # SKIP a real GPU runs until its time is over\n1..1")
  return
end

local function launch(source, config, n)
  local a = cuda.to_device(np.zeros(n or 64, "i32"))
  cuda.kernel(source)(config)(a, n or 64)
  cuda.synchronize()
  return a:copy_to_host()
end

-- {line, threads} of each deadlock, in order.
local function places(e)
  local list = {}
  for _, d in ipairs(e.diagnostics) do
    if d.kind == "deadlock" then list[#list + 1] = {d.line, d.count} end
  end
  return list
end

local function stuck(name, text, source, config, want, n)
  test(name, function()
    local e = raises("deadlock", text, function() launch(source, config, n) end)
    equal(places(e), want)
  end)
end

stuck("a flag that nobody sets", "waits for ever for flag[1] to change", [==[
__global__ void k(volatile int *flag, int n) {
  if (threadIdx.x == 0)
    while (flag[1] == 0) {}
  __syncthreads();
  flag[2] = 1;
}]==], {grid = 1, block = 64}, {{3, 1}, {4, 63}})

stuck("a lock that nobody opens", "lock[0]", [==[
__global__ void k(int *lock, int n) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  lock[1] += 1;
}]==], {grid = 2, block = 32}, {{2, 63}})

stuck("a lock taken by exchange", "lock[0]", [==[
__global__ void k(int *lock, int n) {
  if (threadIdx.x == 0)
    while (atomicExch(lock, 1)) {}
}]==], {grid = 2, block = 32}, {{3, 1}})

stuck("two locks in two orders", "a[1] to change", [==[
__device__ void take(int *l) {
  while (atomicCAS(l, 0, 1) != 0) {}
  __threadfence();
}
__global__ void k(int *a, int n) {
  if (threadIdx.x == 0) {
    take(&a[blockIdx.x]);
    atomicAdd(&a[2], 1);
    while (atomicAdd(&a[2], 0) < 2) {}
    take(&a[1 - blockIdx.x]);
  }
}]==], {grid = 2, block = 32}, {{2, 1}, {2, 1}})

stuck("a block that cannot begin", "blocks can only begin when", [==[
__global__ void k(volatile int *a, int n) {
  if (threadIdx.x == 0 && blockIdx.x < gridDim.x - 1)
    while (a[gridDim.x - 1] == 0) {}
  __syncthreads();
  a[blockIdx.x] = 1;
}]==], {grid = 100, block = 1024}, {{3, 32}, {4, 32 * 1023}}, 100)

stuck("a flag in shared memory, set behind a barrier", "go[0] to change", [==[
__global__ void k(int *a, int n) {
  __shared__ volatile int go;
  if (threadIdx.x == 0) go = 0;
  __syncthreads();
  if (threadIdx.x < 32) { while (!go) {} }
  else { __syncthreads(); go = 1; }
  a[threadIdx.x] = 1;
}]==], {grid = 1, block = 64}, {{5, 32}, {6, 32}})

stuck("lanes of one warp that wait for two flags", "a[1] to change", [==[
__global__ void k(volatile int *a, int n) {
  if (threadIdx.x % 2)
    while (a[0] == 0) {}
  else
    while (a[1] == 0) __nanosleep(100);
}]==], {grid = 1, block = 32}, {{5, 16}, {3, 16}})

stuck("a wait inside calls", "flag[0]", [==[
__device__ __noinline__ int look(volatile int *p, int depth) {
  return depth ? look(p, depth - 1) : *p;
}
__global__ void k(int *flag, int n) {
  while (look(flag, 3) == 0) {}
}]==], {grid = 1, block = 32}, {{2, 32}})

stuck("barriers with numbers", "32 of 96 have come to barrier 1", [==[
__global__ void k(int *a, int n) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;");
  a[threadIdx.x % n] = 1;
}]==], {grid = 1, block = 128}, {{2, 32}})

test("a loop that does nothing is no deadlock, and ends as well", function()
  local e = raises("timeout", "leaves everything as it was", function()
    launch([==[
__global__ void k(volatile int *a, int n) {
  int i = 0;
  while (i < n) a[threadIdx.x] = i;
}]==], {grid = 1, block = 32})
  end)
  equal(e.diagnostics[1].line, 3)
  equal(e.diagnostics[1].count, 32)
end)

-- ---- What only takes long ----

-- Block 0 works for some 30 million instructions; the others wait for it.
local slow = [==[
__global__ void k(volatile int *a, int n) {
  if (blockIdx.x == 0) {
    unsigned x = threadIdx.x + 1;
    for (int i = 0; i < 3000000; i++) x = x * 1664525u + 1013904223u;
    a[2 + threadIdx.x] = x;
    __threadfence();
    if (threadIdx.x == 0) a[0] = 1;
  } else if (threadIdx.x == 0) {
    while (a[0] == 0) {}
    __threadfence();
    atomicAdd((int *)&a[1], a[2] == 0 ? 1000 : 1);
  }
}]==]

test("who waits for a slow one is left alone", function()
  for seed = 0, 2 do
    local name = cuda.device().id
    cuda.select(name, {schedule_seed = seed})
    equal(launch(slow, {grid = 8, block = 32})[1], 7)
  end
  cuda.select(cuda.device().id, {schedule_seed = 0})
end)

test("who waits with a limit is left alone", function()
  local h = launch([==[
__global__ void k(volatile int *a, int n) {
  int tries = 0;
  while (a[0] == 0 && tries < 2000000) tries++;
  a[1 + threadIdx.x % 2] = tries;
}]==], {grid = 1, block = 2})
  equal(h[1], 2000000)
end)

test("who waits for a time is left alone", function()
  local h = launch([==[
__global__ void k(int *a, int n) {
  long long start = clock64();
  while (clock64() - start < 4000000 && ((volatile int *)a)[0] == 0) {}
  a[1] = 5;
}]==], {grid = 1, block = 1})
  equal(h[1], 5)
end)

test("who was running when the deadline came is told", function()
  cuda.set_deadline(0.1)
  local ok, e = pcall(launch, [==[
__global__ void k(volatile int *a, int n) {
  if (threadIdx.x == 40)
    while (a[0] == 0) a[1] = a[1] + 2;
  __syncthreads();
}]==], {grid = 1, block = 64})
  cuda.set_deadline(0)
  equal(ok, false)
  equal(e.kind, "timeout")
  equal(e.message:match("^[^\n]*"), "the work did not end within 0.1 s")
  for _, part in ipairs{":3  the kernel was stopped while this thread ran here",
                        "thread (40,0,0)"} do
    assert(e.message:find(part, 1, true), e.message)
  end
  equal(e.diagnostics[1].severity, "note")
  equal(e.diagnostics[1].line, 3)
end)

-- ---- Words for what only takes long ----

-- Ends in the end: nobody may say that it never does.
local function slow_words(name, source, config, part, line, all)
  test("too much work: " .. name, function()
    cuda.set_budget(20000, all or 400000)
    local ok, e = pcall(launch, source, config, 50000)
    cuda.set_budget(0)
    equal(ok, false)
    equal(e.kind, "timeout")
    local text = tostring(e)
    for _, wrong in ipairs{"never ends", "does not end", "for ever"} do
      assert(not text:find(wrong, 1, true), text)
    end
    assert(text:find(part, 1, true), text)
    equal(e.diagnostics[1].line, line)
    equal(text:find("Every thread does all", 1, true) ~= nil,
          part:find("Every thread", 1, true) ~= nil)
  end)
end

slow_words("all of it in each thread", [==[
__global__ void k(volatile int *a, int n) {
  for (int j = 0; j < n; j++)
    a[j] = j + 1;
}]==], {grid = 32, block = 128},
  "Every thread does all the work: 32 blocks x 128 threads x n = 50000 " ..
  "rounds of this loop. Let each begin at its own: for (int j = ", 2)
slow_words("all of it in each of enough threads", [==[
__global__ void k(volatile int *a, int n) {
  for (int j = 0; j < n; j++) { a[j] = 7; }
}]==], {grid = 500, block = 128},
  "Every thread does all the work: 500 blocks x 128 threads x n = 50000 " ..
  "rounds of this loop. Use int j = blockIdx.x * blockDim.x + threadIdx.x; " ..
  "once, and if (j < n) for the loop.", 2)
slow_words("a sum that each thread makes", [==[
__global__ void k(volatile int *a, int n) {
  int sum = 0;
  for (int j = 0; j < n; j++) sum += a[j];
  a[0] = sum;
}]==], {grid = 4, block = 64}, "Every thread does all the work", 3)
slow_words("one thread", [==[
__global__ void k(volatile int *a, int n) {
  for (int j = 0; j < n; j++) a[j] = j;
}]==], {grid = 1, block = 1},
  "this thread was still running after 20000 instructions, in the loop of " ..
  "line 2", 2, 4000000)
slow_words("a product's row", [==[
__global__ void k(volatile int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int j = 0; j < n; j++) sum += a[j] * i;
  a[i] = sum;
}]==], {grid = 4, block = 64}, "in the loop of line 3", 3)
slow_words("parts by atomics", [==[
__global__ void k(int *a, int n) {
  for (int j = 0; j < n; j++) atomicAdd(&a[j], 1);
}]==], {grid = 4, block = 64}, "in the loop of line 2", 2)
slow_words("a loop that leaves early", [==[
__global__ void k(volatile int *a, int n) {
  for (int j = 0; j < n; j++) if (a[j] > n) break;
}]==], {grid = 4, block = 64}, "in the loop of line 2", 2)
slow_words("a while that halves late", [==[
__global__ void k(volatile int *a, int n) {
  int i = threadIdx.x;
  while (i < 30 * n) i += 1 + (a[0] != 0);
  a[1] = i;
}]==], {grid = 1, block = 32}, "in the loop of line 3", 3)
slow_words("others wait at a barrier", [==[
__global__ void k(volatile int *a, int n) {
  if (threadIdx.x == 0)
    for (int j = 0; j < n; j++) a[j] = j;
  __syncthreads();
  a[threadIdx.x] += 1;
}]==], {grid = 1, block = 64},
  "wait at a barrier for the thread that still runs", 3)
slow_words("a step by reference", [==[
__device__ void next(volatile int *a, int &i) { i += 1 + a[0]; }
__global__ void k(volatile int *a, int n) {
  int i = threadIdx.x;
  while (i < n) next(a, i);
  a[1] = i;
}]==], {grid = 1, block = 32}, "in the loop of line 4", 4)
slow_words("many short threads", [==[
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i * 3 % 7;
}]==], {grid = 60000, block = 128}, "together used up 400000 units", 1)

test("what is proven never to end is said so", function()
  local e = raises("timeout", "does not end", function()
    launch([==[
__global__ void k(volatile int *a, int n) {
  for (int i = 0; i < n; ) a[threadIdx.x] = 1;
}]==], {grid = 1, block = 32})
  end)
  equal(e.diagnostics[1].line, 2)
  assert(not tostring(e):find("set_budget", 1, true), tostring(e))
end)

test("deep recursion is named, whichever call no longer fits", function()
  for _, room in ipairs{8, 900} do
    local e = raises("out-of-bounds", "too deep a recursion", function()
      launch(([==[
__device__ __noinline__ int leaf(volatile int *a, int n) {
  volatile int room[ROOM];
  for (int i = 0; i < ROOM; i++) room[i] = n;
  return room[n %% ROOM] + a[0];
}
__device__ __noinline__ int depth(volatile int *a, int n) {
  volatile int own[4];
  own[n & 3] = leaf(a, n);
  return a[0] > n ? 0 : 1 + depth(a, n + 1) + own[n & 3];
}
__global__ void k(int *a, int n) { a[1] = depth(a, 1); }
]==]):gsub("ROOM", room):gsub("%%%%", "%%"), {grid = 1, block = 1})
    end)
    assert(tostring(e):find("depth has called itself", 1, true), tostring(e))
  end
end)

tap.done()
