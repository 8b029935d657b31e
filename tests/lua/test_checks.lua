-- SPDX-License-Identifier: Apache-2.0
-- What checked mode finds: each rule with a kernel that breaks it and one that
-- keeps it. In a wrong kernel the line to be named ends in // HERE, the other
-- party's line in // AND.
local tap = dofile("tests/lua/tap.lua")
local test = tap.test

-- Only the virtual GPU checks, whatever the other suites run on.
cuda.select("virtual:0")

local function line_of(source, mark)
  local n = 0
  for line in (source .. "\n"):gmatch("(.-)\n") do
    n = n + 1
    if line:find(mark, 1, true) then return n end
  end
end

local function diagnostics(run)
  cuda.synchronize()
  local ok, e = pcall(run)
  if not ok and type(e) ~= "table" then error(e, 0) end
  if ok then
    cuda.synchronize()
    local last = cuda.last_launch()
    return last and last.notes or {}, nil
  end
  return e.diagnostics, e
end

-- The kernel has a mistake of `kind`, and nothing but that.
local function wrong(name, kind, source, run, text)
  test("finds: " .. name, function()
    local k = cuda.kernel(source)
    local found, e = diagnostics(function() run(k) end)
    if #found == 0 then error("nothing was found") end
    local f = found[1]
    if f.kind ~= kind then
      error(("kind %s, want %s: %s"):format(
        f.kind, kind, tostring(e or f.message)))
    end
    local here, other = line_of(source, "// HERE"), line_of(source, "// AND")
    local lines = {[f.line] = true}
    if f.other then lines[f.other.line] = true end
    if here and not lines[here] then
      error(("line %d, want %d: %s"):format(f.line, here, tostring(e)))
    end
    if other and not lines[other] then
      error(("the other line %s, want %d: %s"):format(
        f.other and f.other.line or "nil", other, tostring(e)))
    end
    if text and not tostring(e or f.message):find(text, 1, true) then
      error(("%q lacks %q"):format(tostring(e or f.message), text))
    end
  end)
end

local function right(name, source, run)
  test("lets pass: " .. name, function()
    local k = cuda.kernel(source)
    local found, e = diagnostics(function() run(k) end)
    if #found > 0 then error(tostring(e or found[1].message), 0) end
  end)
end

-- ---- Races on global memory ----

wrong("a neighbour read while it is written", "race", [==[
__global__ void shift(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) a[i] = a[i + 1] * 2;  // HERE
}]==], function(k) k[{4, 256}](np.ones(1024, "f32"), 1024) end, "a[1]")

wrong("the same between blocks only", "race", [==[
__global__ void shift(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i + 1 < n ? a[i + 1] : 0;  // AND
  __syncthreads();
  a[i] = v;  // HERE
}]==], function(k) k[{256, 256}](np.ones(65536, "f32"), 65536) end, "blocks")

right("a neighbour read, another array written", [==[
__global__ void shift(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = i + 1 < n ? a[i + 1] : 0;
}]==], function(k)
  k[{256, 256}](np.ones(65536, "f32"), np.zeros(65536, "f32"), 65536)
end)

right("neighbours of one block behind a barrier", [==[
__global__ void shift(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = threadIdx.x + 1 < blockDim.x ? a[i + 1] : 0;
  __syncthreads();
  a[i] = v;
}]==], function(k) k[{256, 256}](np.ones(65536, "f32")) end)

wrong("no barrier between write and read of one block", "race", [==[
__global__ void reverse(float *a, float *b) {
  int i = threadIdx.x;
  a[i] = i;  // AND
  b[i] = a[blockDim.x - 1 - i];  // HERE
}]==], function(k)
  k[{1, 256}](np.zeros(256, "f32"), np.zeros(256, "f32"))
end, "a[")

wrong("a counter that is not atomic", "race", [==[
__global__ void count(const int *x, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) *c = *c + 1;  // HERE
}]==], function(k)
  k[{400, 256}](np.ones(102400, "i32"), np.zeros(1, "i32"), 102400)
end)

right("an atomic counter", [==[
__global__ void count(const int *x, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(c, 1);
}]==], function(k)
  k[{400, 256}](np.ones(102400, "i32"), np.zeros(1, "i32"), 102400)
end)

wrong("a plain write beside atomics", "race", [==[
__global__ void count(int *c) {
  if (threadIdx.x == 0 && blockIdx.x == 1) *c = 0;  // HERE
  atomicAdd(c, 1);
}]==], function(k) k[{4, 64}](np.zeros(1, "i32")) end)

wrong("a histogram without atomics", "race", [==[
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[x[i]]++;  // HERE
}]==], function(k)
  k[{256, 256}](np.zeros(65536, "u8"), np.zeros(256, "i32"), 65536)
end, "bins[0]")

test("two writes of one value are a note", function()
  local k = cuda.kernel[==[
__global__ void any(const int *x, int *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == 3) *found = 1;
}]==]
  local found, e = diagnostics(function()
    k[{400, 256}](np.full(102400, 3, "i32"), np.zeros(1, "i32"), 102400)
  end)
  assert(not e, tostring(e))
  tap.equal(#found, 1)
  tap.equal(found[1].severity, "note")
  tap.equal(found[1].kind, "race")
end)

test("a plain read beside atomics is a note", function()
  local k = cuda.kernel[==[
__global__ void peek(int *c, int *out) {
  atomicAdd(c, 1);
  if (threadIdx.x == 33) out[0] = *c;
}]==]
  local found, e = diagnostics(function()
    k[{1, 64}](np.zeros(1, "i32"), np.zeros(1, "i32"))
  end)
  assert(not e, tostring(e))
  tap.equal(#found, 1)
  tap.equal(found[1].severity, "note")
end)

right("bytes side by side", [==[
__global__ void grey(const unsigned char *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[3 * i] + in[3 * i + 1] + in[3 * i + 2]) / 3;
}]==], function(k)
  k[{256, 256}](np.ones(196608, "u8"), np.zeros(65536, "u8"), 65536)
end)

right("own rows of several elements, again and again", [==[
__global__ void rows(double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < 4; j++)
      a[i * 4 + j] += a[i * 4 + (j + 1) % 4] * r;
}]==], function(k) k[{256, 128}](np.ones(131072, "f64"), 131072) end)

right("a transpose through shared memory, in place of tiles", [==[
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}]==], function(k)
  k[{{8, 8}, {32, 8}}](
    np.ones({256, 256}, "f32"), np.zeros({256, 256}, "f32"), 256)
end)

wrong("an update of bins on one line is told once", "race", [==[
__global__ void f(int *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[i % 16]++;  // HERE
}]==], function(k)
  local ok, e = pcall(function() k[{4, 256}](np.zeros(16, "i32"), 1024) end)
  assert(ok or #e.diagnostics == 1, tostring(e))
  if not ok then error(e, 0) end
end, "have the same index: i % 16 is 0")

test("a note says why it is none", function()
  local f = cuda.kernel("__global__ void f(int *x) { *x = 1; }")
  f[{2, 64}](np.zeros(1, "i32"))
  local notes = cuda.last_launch().notes
  tap.equal(#notes, 1)
  assert(notes[1].message:find("same value", 1, true), notes[1].message)
end)

local reversed = [==[
__global__ void f(float *a) {
  extern __shared__ float s[];
  s[threadIdx.x] = a[threadIdx.x];  // HERE
  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];  // AND
}]==]
wrong("dynamic shared memory by its name", "race", reversed, function(k)
  k{grid = 1, block = 64, shared = 256}(np.zeros(64, "f32"))
end, "s[0]")
wrong("no dynamic shared memory asked for", "out-of-bounds",
      reversed:gsub("// AND", ""), function(k)
  k[{1, 64}](np.zeros(64, "f32"))
end, "shared = BYTES")

-- What every thread does to its own malloc() is one mistake.
wrong("an overrun of the device heap, told once", "out-of-bounds", [==[
__global__ void f(int *out, int n) {
  int *p = (int *)malloc(n * sizeof *p);
  for (int i = 0; i <= n; i++)
    p[i] = i;  // HERE
  out[threadIdx.x] = p[0];
  free(p);
}]==], function(k)
  local ok, e = pcall(function() k[{1, 64}](np.zeros(64, "i32"), 10) end)
  assert(ok or #e.diagnostics == 1, tostring(e))
  if not ok then error(e, 0) end
end, "and 63 more threads")
wrong("memory of the device heap freed twice", "use-after-free", [==[
__global__ void f(int *out) {
  int *p = (int *)malloc(40);
  *p = 1;
  out[threadIdx.x] = *p;
  free(p);
  free(p);  // HERE
}]==], function(k) k[{1, 64}](np.zeros(64, "i32")) end, "freed a second time")

-- ---- Order passed on through memory ----

local last_block = [==[
__device__ unsigned done;
__global__ void sum(const float *x, float *part, float *out, int n) {
  __shared__ float s[128];
  __shared__ bool is_last;
  float v = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x)
    v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];  // AND
    FENCE;
    is_last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 128) v += part[i];  // HERE
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 128; i++) v += s[i];
    *out = v;
    done = 0;
  }
}]==]
local function run_last(k)
  local out = np.zeros(1, "f32")
  k[{40, 128}](np.ones(20000, "f32"), np.zeros(40, "f32"), out, 20000)
  tap.equal(out:tolist()[1], 20000)
end
right("the last block adds up",
      (last_block:gsub("FENCE", "__threadfence()")), run_last)
wrong("the last block without a fence", "race",
      (last_block:gsub("FENCE", "")), run_last, "part[")
wrong("the last block behind a fence for its own block", "race",
  (last_block:gsub("FENCE", "__threadfence_block()")), run_last)

local lock = [==[
__device__ int lock;
__global__ void add(int *sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) ;
    READ
    *sum += 1;  // HERE
    FENCE
    atomicExch(&lock, 0);
  }
}]==]
local function with(source, t)
  return (source:gsub("%f[%w]%u%u%u+%f[%W]", function(w) return t[w] end))
end
local function run_lock(k)
  local sum = np.zeros(1, "i32")
  k[{30, 64}](sum)
  tap.equal(sum:tolist()[1], 30)
end
right("a lock with a fence",
      with(lock, {FENCE = "__threadfence();", READ = "", HERE = ""}), run_lock)
wrong("a lock without a fence", "race", with(lock, {FENCE = "", READ = ""}),
      run_lock)

right("a lock that each thread takes in turn", [==[
__device__ int lock;
__global__ void add(int *sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      *sum = *sum + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}]==], function(k)
  local sum = np.zeros(1, "i32")
  k[{3, 40}](sum)
  tap.equal(sum:tolist()[1], 120)
end)

local flag = [==[
__global__ void pass(float *data, volatile int *flag, float *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;  // AND
    BEFORE
    __syncthreads();
    if (threadIdx.x == 0) { FENCE *flag = 1; }
  } else {
    if (threadIdx.x == 0) while (*flag == 0) ;
    __syncthreads();
    out[threadIdx.x] = data[127 - threadIdx.x];  // HERE
  }
}]==]
local function run_flag(k)
  k[{2, 128}](np.zeros(128, "f32"), np.zeros(1, "i32"), np.zeros(128, "f32"))
end
right("a flag behind a fence",
      with(flag, {FENCE = "__threadfence();", BEFORE = ""}), run_flag)
right("a flag, each writer with its own fence",
      with(flag, {FENCE = "", BEFORE = "__threadfence();"}), run_flag)
wrong("a flag without a fence", "race", with(flag, {FENCE = "", BEFORE = ""}),
      run_flag)

wrong("the data are written behind the flag", "race", [==[
__global__ void pass(float *data, int *flag, float *out) {
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);
    *data = 3;  // AND
    __threadfence();
  } else {
    while (atomicAdd(flag, 0) == 0) ;
    *out = *data;  // HERE
  }
}]==], function(k)
  k[{2, 1}](np.zeros(1, "f32"), np.zeros(1, "i32"), np.zeros(1, "f32"))
end)

-- Lanes in a row of shared memory, some of them off.
wrong("a row that runs over into the next array", "out-of-bounds", [==[
__global__ void over(float *out, int from, int by) {
  __shared__ float a[64], b[64];
  int t = threadIdx.x;
  a[t] = 1;
  b[t] = 2;
  __syncthreads();
  out[t] = b[t];
  if (t >= from)
    out[t] += a[t + by];  // HERE
}]==], function(k)
  k[{1, 64}](np.zeros(64, "f32"), 20, 20)
end, "a[")
wrong("one element of a row is not written", "uninitialised", [==[
__global__ void holes(float *out) {
  __shared__ float a[64];
  int t = threadIdx.x;
  if (t != 5) a[t] = 1;
  __syncthreads();
  out[t] = 2;
  if (a[t] > 0) out[t] = 3;  // HERE
}]==], function(k)
  k[{1, 64}](np.zeros(64, "f32"))
end, "a[")

local shared_flag = [==[
__global__ void pass(float *data, float *out) {
  __shared__ int flag;
  if (threadIdx.x == 0) atomicExch(&flag, 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 3;
    FENCE
    atomicExch(&flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0) == 0) ;
    out[blockIdx.x] = data[blockIdx.x];  // HERE
  }
}]==]
local function run_shared_flag(k)
  k[{2, 64}](np.zeros(2, "f32"), np.zeros(2, "f32"))
end
right("a flag in shared memory behind a fence",
      with(shared_flag, {FENCE = "__threadfence();"}), run_shared_flag)
wrong("a flag in shared memory without a fence", "race",
      with(shared_flag, {FENCE = ""}), run_shared_flag)
wrong("a flag in shared memory tells other blocks nothing", "race", [==[
__global__ void pass(float *data, float *out) {
  __shared__ int flag;
  if (blockIdx.x == 0) {
    *data = 3;
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    atomicExch(&flag, 1);
    *out = *data;  // HERE
  }
}]==], function(k)
  k[{2, 1}](np.zeros(1, "f32"), np.zeros(1, "f32"))
end)

right("a chain of blocks looks back", [==[
__device__ int ticket;
__global__ void scan(int *a, volatile int *sum, volatile int *flag) {
  __shared__ int block, before;
  if (threadIdx.x == 0) block = atomicAdd(&ticket, 1);
  __syncthreads();
  int i = block * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    int own = 0;
    for (int k = 0; k < blockDim.x; k++) own += a[i + k];
    before = 0;
    if (block > 0) {
      while (flag[block - 1] == 0) ;
      __threadfence();
      before = sum[block - 1];
    }
    sum[block] = before + own;
    __threadfence();
    flag[block] = 1;
  }
  __syncthreads();
  a[i] = before + a[i];
}]==], function(k)
  k[{20, 32}](np.ones(640, "i32"), np.zeros(20, "i32"), np.zeros(20, "i32"))
end)

right("a warp's first lane tells another block", [==[
__global__ void pass(float *data, int *flag, float *out) {
  int lane = threadIdx.x;
  if (blockIdx.x == 0) {
    data[lane] = lane;
    __syncwarp();
    if (lane == 0) { __threadfence(); atomicExch(flag, 1); }
  } else {
    if (lane == 0) while (atomicAdd(flag, 0) == 0) ;
    __syncwarp();
    out[lane] = data[31 - lane];
  }
}]==], function(k)
  k[{2, 32}](np.zeros(32, "f32"), np.zeros(1, "i32"), np.zeros(32, "f32"))
end)

-- ---- Inside a warp ----

local warp = [==[
__global__ void sum(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];  // FIRST
    for (int d = 16; d > 0; d /= 2) {
      int v = s[t + d];  // AND
      SYNC
      s[t] += v;  // HERE
      SYNC
    }
    if (t == 0) *out = s[0];
  }
}]==]
local function run_warp(k)
  k[{1, 64}](np.ones(64, "i32"), np.zeros(1, "i32"))
end
wrong("a warp that relies on lock step", "race", with(warp, {SYNC = ""}),
      run_warp, "__syncwarp")
right("a warp with __syncwarp",
      with(warp:gsub("// FIRST\n", "__syncwarp();\n"),
           {SYNC = "__syncwarp();"}), run_warp)

local halves = [==[
__global__ void swap(const int *x, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = x[t];  // AND
  __syncwarp(t < 16 ? 0xFFFFu : 0xFFFF0000u);
  out[t] = s[t ^ BIT];  // HERE
}]==]
local function run_halves(k)
  k[{1, 32}](np.ones(32, "i32"), np.zeros(32, "i32"))
end
right("half a warp in step with itself", (halves:gsub("BIT", "8")), run_halves)
wrong("half a warp not in step with the other", "race",
      (halves:gsub("BIT", "16")), run_halves)

-- ---- Shared variables side by side, barriers ----

wrong("an overrun into the next shared variable", "out-of-bounds", [==[
__global__ void f(const int *x, int *out) {
  __shared__ int a[32], b[32];
  int i = threadIdx.x;
  if (i < 32) a[i] = b[i] = 0;
  __syncthreads();
  if (i < 32) a[i + x[i]] = i;  // HERE
  __syncthreads();
  if (i < 32) out[i] = a[i] + b[i];
}]==], function(k)
  k[{1, 64}](np.ones(64, "i32"), np.zeros(64, "i32"))
end, "a[32]")

right("pointers into one shared variable or the other", [==[
__global__ void f(const int *x, int *out) {
  __shared__ int a[32], b[32];
  int i = threadIdx.x;
  int *p = x[i] > 1 ? a : b, *q = x[i] > 1 ? b : a;
  if (i < 32) { p[i] = i; q[i] = 2 * i; }
  __syncthreads();
  if (i < 32) out[i] = a[31 - i] + b[31 - i];
}]==], function(k) k[{1, 64}](np.ones(64, "i32"), np.zeros(64, "i32")) end)

wrong("two warps that name different counts", "barrier", [==[
__global__ void f(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
  else asm volatile("bar.sync 1, 32;");
  out[threadIdx.x] = 1;
}]==], function(k) k[{1, 64}](np.zeros(64, "i32")) end)

right("producer and consumer warps at a named barrier", [==[
__global__ void f(int *out) {
  __shared__ int s[32];
  int i = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    s[i] = i;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[i] = s[31 - i];
  }
}]==], function(k) k[{1, 64}](np.zeros(32, "i32")) end)

wrong("two halves that each have a barrier of their own", "barrier", [==[
__global__ void f(int *a) {
  if (threadIdx.x < 32) {
    a[threadIdx.x] = 1;
    __syncthreads();  // HERE
  } else {
    a[threadIdx.x] = 2;
    __syncthreads();  // AND
  }
}]==], function(k) k[{1, 64}](np.zeros(64, "i32")) end, "another barrier")

right("early leavers, and a barrier in a branch that the others agree on", [==[
__global__ void f(int *a, int n, int twice) {
  int i = threadIdx.x;
  if (i >= n) return;
  a[i] = i;
  if (twice) {
    __syncthreads();
    a[i] += a[n - 1 - i] > 1000;
  }
  a[i] += 1;
}]==], function(k) k[{1, 128}](np.zeros(128, "i32"), 64, 0) end)

right("nothing but the barrier's branch, left out by whole warps", [==[
__global__ void f(int *a, int n) {
  __shared__ int t[128];
  int i = threadIdx.x;
  if (i < n) {
    t[i] = i;
    __syncthreads();
    a[i] = t[i ^ 1];
  }
}]==], function(k) k[{1, 128}](np.zeros(128, "i32"), 64) end)

-- ---- Values that nothing wrote ----

-- Two arrays on the device, the first not initialised, and 64 threads.
local function unwritten(k)
  local x = cuda.device_array(64, "i32")
  local out = cuda.to_device(np.zeros(64, "i32"))
  k[{1, 64}](x, out)
  out:copy_to_host()
end

wrong("a branch on a value that nothing wrote", "uninitialised", [==[
__global__ void f(const int *x, int *out) {
  int v = x[threadIdx.x];  // HERE
  if (v > 3)  // AND
    out[threadIdx.x] = 1;
  else
    atomicAdd(&out[0], 2);
}]==], unwritten, "x[")

wrong("an index that nothing wrote", "uninitialised", [==[
__global__ void f(const int *x, int *out) {
  int v = x[threadIdx.x];  // HERE
  out[v & 63] = 1;
}]==], unwritten)

wrong("a sum with a value that nothing wrote", "uninitialised", [==[
__global__ void f(const int *x, int *out) {
  out[threadIdx.x] = x[threadIdx.x] + 1;  // HERE
}]==], unwritten, "host")

wrong("it went through shared memory and a shuffle", "uninitialised", [==[
__global__ void f(const int *x, int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];  // HERE
  __syncthreads();
  int v = __shfl_sync(~0u, s[63 - threadIdx.x], 3);
  if (v == 7) out[threadIdx.x] = 1;  // AND
}]==], unwritten)

right("a value that is read and not used", [==[
__global__ void f(const int *x, int *out) {
  int i = threadIdx.x;
  __shared__ int s[64];
  s[i] = x[i];
  __syncthreads();
  int v = i < 0 ? s[63 - i] : i;
  out[i] = (v << 8) | ((s[i] & 0) >> 3);
}]==], unwritten)

-- ---- Lanes that come late to a function of all ----

-- Lane 5 loops for longer than the others wait for it to come back; then each
-- lane calls `total` in a turn of its own.
local function late(value)
  return ([==[
__device__ __noinline__ int step(int v, int far) {
  return v + __shfl_down_sync(~0u, v, far);
}
__device__ __noinline__ int total(int v) {
  for (int far = 16; far > 0; far /= 2) v = step(v, far);
  return v;
}
__global__ void f(const int *x, int *out) {
  int i = threadIdx.x, v = VALUE;  // HERE
  if (i == 5)
    for (int k = 0; k < 9000; k++)
      if (out[k & 31] == 77) v++;
  v = total(v);
  if (v == 7) out[32] = 1;  // AND
  if (i == 0) out[33] = v;
}]==]):gsub("VALUE", value)
end

local function summed(k)
  local x = cuda.device_array(64, "i32")
  local out = cuda.to_device(np.zeros(64, "i32"))
  k[{1, 32}](x, out)
  tap.equal(out:copy_to_host()[33], 496)
end

right("lanes that call what shuffles later than others", late("i"), summed)

wrong("undefined in a lane that calls later", "uninitialised",
  late("i == 5 ? x[i] : i"), summed)

wrong("undefined in the lanes that have waited", "uninitialised",
  late("i == 6 ? x[i] : i"), summed)

right("one byte of four is written and used", [==[
struct pixel { unsigned char r, g, b, a; };
__global__ void f(pixel *x, int *out) {
  int i = threadIdx.x;
  x[i].g = i;
  pixel p = x[i];
  if (p.g > 7) out[i] = p.g;
}]==], function(k)
  local x = cuda.device_array(256, "u8")
  local out = cuda.to_device(np.zeros(64, "i32"))
  k[{1, 64}](x, out)
  out:copy_to_host()
end)

right("lanes beyond the data take part in a shuffle", [==[
__global__ void f(const int *x, int *out) {
  __shared__ int s[64];
  int i = threadIdx.x;
  if (i < 40) s[i] = i;
  __syncwarp();
  int v = s[i], w = __shfl_down_sync(~0u, v, 1);
  if (i < 31) out[i] = w;
}]==], unwritten)

right("a local array, filled before it is used", [==[
__global__ void f(const int *x, int *out) {
  int a[16];
  for (int k = 0; k < 16; k++) a[(k * 5) % 16] = k;
  if (a[threadIdx.x % 16] > 3) out[threadIdx.x] = 1;
}]==], unwritten)

right("device printf and structs by value", [==[
struct pair { char c; double d; };
__device__ __noinline__ double use(pair p) { return p.c + p.d; }
__global__ void f(const int *x, int *out) {
  pair p; p.c = 1; p.d = threadIdx.x;
  if (use(p) > 3) out[threadIdx.x] = 1;
}]==], unwritten)

test("an array that nothing was written to", function()
  local f = cuda.kernel("__global__ void f(int *x) {}")
  f[{1, 1}](cuda.device_array(4, "i32"))
  local x = cuda.device_array(64, "f32")
  local ok, e = pcall(function() x:copy_to_host() end)
  assert(not ok and e.kind == "uninitialised", tostring(e))
end)

test("a part of an array that nothing was written to is a warning", function()
  local k = cuda.kernel("__global__ void f(int *x) { x[threadIdx.x] = 1; }")
  local d = cuda.device_array(64, "i32")
  k[{1, 60}](d)
  d:copy_to_host()
  local notes = cuda.last_launch().notes
  tap.equal(#notes, 1)
  tap.equal(notes[1].severity, "warning")
  assert(notes[1].message:find("16 bytes", 1, true), notes[1].message)
end)

-- Bytes that are copied along with others, and never used, may be padding.
local function padding(name, struct, fill, floats)
  test("copied with its padding: " .. name, function()
    local k = cuda.kernel(struct .. [==[
__global__ void k(const V *a, V *b) {
  __shared__ V s[32];
  V v;
]==] .. fill .. [==[
  s[threadIdx.x] = v;
  __syncthreads();
  b[threadIdx.x] = s[31 - threadIdx.x];
}]==])
    local from = cuda.to_device(np.zeros(32 * floats, "f32"))
    local to = cuda.device_array(32 * floats, "f32")
    k[{1, 32}](from, to)
    to:copy_to_host()
    local notes = cuda.last_launch().notes
    tap.equal(#notes, 1)
    tap.equal(notes[1].severity, "note")
    assert(notes[1].message:find("padding", 1, true), notes[1].message)
  end)
end

padding("a char before a double", "struct V { char c; double d; };",
        "v.c = 1; v.d = a[threadIdx.x].d;", 4)
padding("three floats of 16 bytes",
        "struct __align__(16) V { float x, y, z; };",
        "v.x = v.y = 1; v.z = a[threadIdx.x].z;", 4)

wrong("a component that was never set, and is used", "uninitialised", [==[
__global__ void k(float *out) {
  __shared__ float4 s[32];
  s[threadIdx.x].x = s[threadIdx.x].y = s[threadIdx.x].z = 1;
  __syncthreads();
  float4 v = s[31 - threadIdx.x];  // HERE
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}]==], function(k) k[{1, 32}](np.zeros(32, "f32")) end, "host has got")

tap.done()
