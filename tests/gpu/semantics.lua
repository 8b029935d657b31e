-- SPDX-License-Identifier: Apache-2.0
-- Where the manual leaves room, hardware decides: leaving a kernel between
-- barriers, shuffles among some lanes, exchanges of what nobody wrote, carries of
-- mixed pairs. Runs on any device; what is expected is computed here.
-- Usage: warpshop --device cuda:0 run tests/gpu/semantics.lua
local tap = dofile("tests/lua/tap.lua")

local function result(kernel, block, count, ...)
  local out = np.zeros(count, "i64")
  kernel[{1, block}](out, ...)
  return out
end

local function check(got, want)
  for i = 1, #want do
    local x = got[i - 1] -- arrays count from 0
    assert(x == want[i], ("[%d] is %s, not %s"):format(i - 1, x, want[i]))
  end
end

local leave = cuda.module [==[
extern "C" __global__ void early(long long *out, int w) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (t >= w)
    return;
  for (int k = 0; k < 4; k++) {
    __syncthreads();
    int next = s[(t + 1) % w];
    __syncthreads();
    s[t] = next + 1;
  }
  __syncthreads();
  out[t] = s[t];
}
extern "C" __global__ void between(long long *out, int w) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 0;
  for (int k = 0; k < 6; k++) {
    __syncthreads();
    if (k == 2 && t >= w)
      return;
    out[t] = s[t] += k;
    if (k == 3 && t >= w / 2)
      return;
    __syncthreads();
  }
  __syncthreads();
  out[t] = s[(t + 1) % (w / 2)];
}
]==]

for _, w in ipairs{20, 33, 64, 100} do
  tap.test(("threads from %d on leave before barriers"):format(w), function()
    local want = {}
    for t = 0, 127 do want[t + 1] = t < w and (t + 4) % w + 4 or 0 end
    check(result(leave.early, 128, 128, w), want)
  end)
end
for _, w in ipairs{64, 96, 50} do
  tap.test(("threads from %d on leave between barriers"):format(w), function()
    local want = {}
    for t = 0, 127 do
      want[t + 1] = t >= w and 1 or t >= w // 2 and 6 or 15
    end
    check(result(leave.between, 128, 128, w), want)
  end)
end

local shuffle = cuda.module [==[
extern "C" __global__ void some(long long *out, int n) {
  int t = threadIdx.x, v = t * t + 1;
  if (t < n) {
    unsigned mask = (1u << n) - 1;
    for (int o = n / 2; o; o /= 2)
      v += __shfl_down_sync(mask, v, o);
    if (t == 0) out[0] = v;
    out[1 + t] = __shfl_sync(mask, t * 3, n - 1 - t);
  }
}
extern "C" __global__ void halves(long long *out) {
  int t = threadIdx.x, v = t;
  unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
  if (t < 16) v = __shfl_xor_sync(mask, v, 5);
  else v = __shfl_up_sync(mask, v, 3, 16);
  out[t] = v;
}
]==]

for _, n in ipairs{2, 8, 16} do
  tap.test(("a shuffle among %d lanes"):format(n), function()
    local want = {0}
    for t = 0, n - 1 do
      want[1] = want[1] + t * t + 1
      want[t + 2] = (n - 1 - t) * 3
    end
    check(result(shuffle.some, 32, 33, n), want)
  end)
end
tap.test("two halves of a warp shuffle each for itself", function()
  local want = {}
  for t = 0, 31 do want[t + 1] = t < 16 and t ~ 5 or t % 16 >= 3 and t - 3 or t end
  check(result(shuffle.halves, 32, 32), want)
end)

local exchange = cuda.kernel [==[
__global__ void exchange(long long *out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) {
    atomicExch(&lock, 0);
    atomicExch(&sum, 5);
  }
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS(&lock, 0, 1) == 0) {
      sum = *(volatile int *)&sum + threadIdx.x;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  __syncthreads();
  out[threadIdx.x] = sum;
}
]==]
tap.test("an exchange gives a lock and a sum their first values", function()
  local want = {}
  for t = 1, 64 do want[t] = 5 + 63 * 64 // 2 end
  check(result(exchange, 64, 64), want)
end)

-- Each line: a difference or a sum that leaves its carry, and one that takes it.
local function carries(t, suffix)
  return cuda.kernel((([==[
__global__ void carries_SUFFIX(long long *out, const TYPE *a, const TYPE *b, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      TYPE low, high, r[4];
#define PAIR(N, FIRST, SECOND) \
      asm volatile("{.reg .SUFFIX l, h; " FIRST ".cc.SUFFIX l, %2, %3; " \
        SECOND ".SUFFIX h, %3, %2; mov.SUFFIX %0, l; mov.SUFFIX %1, h;}" \
        : "=REG"(low), "=REG"(high) : "REG"(a[i]), "REG"(b[k])); r[N] = high + 3 * low
      PAIR(0, "sub", "addc"); PAIR(1, "add", "subc");
      PAIR(2, "sub", "subc"); PAIR(3, "add", "addc");
      for (int j = 0; j < 4; j++) out[(i * n + k) * 4 + j] = (long long)r[j];
    }
}
]==]):gsub("SUFFIX", suffix):gsub("TYPE", t):gsub("REG", suffix == "u32" and "r" or "l")))
end

local edges = {0, 1, 2, 5, -1, -2, math.mininteger, 0x7fffffff, 0x80000000, 0xffffffff}

-- a + b + c and its carry, of so many bits.
local function sum(a, b, c, bits)
  if bits == 32 then
    local r = (a & 0xffffffff) + (b & 0xffffffff) + c
    return r & 0xffffffff, r >> 32
  end
  local r = a + b + c
  local carry = math.ult(r, a) or (c == 1 and r == a)
  return r, carry and 1 or 0
end

for _, bits in ipairs{32, 64} do
  local suffix = "u" .. bits
  local k = carries(bits == 32 and "unsigned" or "long long", suffix)
  tap.test("carries of mixed pairs, " .. bits .. " bits", function()
    local cut = bits == 32 and 0xffffffff or -1
    local values = {}
    for i, v in ipairs(edges) do values[i] = v & cut end
    local n = #values
    -- As integers of the width that the kernel takes.
    local array = np.zeros(n, bits == 32 and "u32" or "i64")
    for i, v in ipairs(values) do array[i - 1] = v end
    local got = result(k, 1, n * n * 4, array, array, n)
    local want = {}
    for _, a in ipairs(values) do
      for _, b in ipairs(values) do
        local function pair(first, second)
          local low, c = sum(a, first and ~b or b, first and 1 or 0, bits)
          local high = sum(b, second and ~a or a, c, bits)
          return (high + 3 * low) & cut
        end
        want[#want + 1] = pair(true, false)
        want[#want + 1] = pair(false, true)
        want[#want + 1] = pair(true, true)
        want[#want + 1] = pair(false, false)
      end
    end
    check(got, want)
  end)
end
tap.done()
