-- SPDX-License-Identifier: Apache-2.0
-- What a session on a real GPU must survive: 100 kernels that write far out of
-- bounds, 20 that write one element past the end, 5 that never end, and some of
-- each other kind, whose line and cause the virtual GPU must find by running the
-- launches again. After each, every Lua variable and host array is still right,
-- with nothing restarted by hand. Prints TAP, and the times to the next prompt.
-- Usage: warpshop run tests/gpu/faults.lua [FAR [NEAR [ENDLESS]]]
local far, near, endless = ...
far, near = tonumber(far or 100), tonumber(near or 20)
endless = tonumber(endless or 5)
local DEADLINE = 2 -- seconds; a prompt must be back within one more

local fill = cuda.kernel [==[
__global__ void fill(float *out, int n, long long skip) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i + skip] = i;
}
]==]
local spin = cuda.kernel [==[
__global__ void spin(float *out) {
  volatile float *p = out;
  while (p[0] >= 0) p[1] += 1;
}
]==]

local N = 1024
local host = np.arange(N, "f32")
local ints = np.arange(777, "i64") * 3
local word, list = "unchanged", {1, 2, {x = "deep"}}
local kept = cuda.to_device(host) -- only ever passed as const: restored
local copy = cuda.kernel [==[
__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
]==]

local function all_is_right()
  assert(word == "unchanged" and list[3].x == "deep" and #list == 3)
  assert(np.array_equal(host, np.arange(N, "f32")))
  assert(np.array_equal(ints, np.arange(777, "i64") * 3))
  -- And the device works, with what was restored and with what is new.
  local out = cuda.device_array_like(kept)
  copy[{8, 128}](kept, out, N)
  assert(np.array_equal(out:copy_to_host(), host))
  local plain = np.zeros(N, "f32")
  fill[{8, 128}](plain, N, 0)
  assert(np.array_equal(plain, host))
end

local count, failed, worst = 0, 0, {}
-- `line` and `text`: what the error must name, beside its kind.
local function check(title, kinds, provoke, line, text)
  local start = cuda.clock()
  local ok, problem = pcall(provoke)
  local seconds = cuda.clock() - start
  worst[title] = math.max(worst[title] or 0, seconds)
  local right, why = true, nil
  if ok then
    right, why = false, "no error was raised"
  elseif not kinds[problem.kind] then
    right, why = false, "unexpected: " .. tostring(problem)
  elseif line and (problem.diagnostics[1] or {}).line ~= line then
    right, why = false, "not on line " .. line .. ": " .. tostring(problem)
  elseif text and not tostring(problem):find(text, 1, true) then
    right, why = false, text .. " is not in: " .. tostring(problem)
  else
    right, why = pcall(all_is_right)
  end
  count = count + 1
  if not right then failed = failed + 1 end
  print(("%s %d - %s (%.2f s)"):format(right and "ok" or "not ok", count, title,
    seconds))
  if not right then print("# " .. tostring(why)) end
end

local oob = {["out-of-bounds"] = true}
for i = 1, far do
  check("far out of bounds", oob, function()
    local out = cuda.device_array(N, "f32")
    fill[{8, 128}](out, N, (i % 2 == 0 and -1 or 1) * (1 << 24) * i)
    cuda.synchronize()
  end)
end
for i = 1, near do
  check("one element past the end", oob, function()
    local n = N - i % 4 -- sizes with and without slack behind them
    local out = cuda.device_array(n, "f32")
    fill[{8, 128}](out, n, 1)
    cuda.synchronize()
  end)
end

-- ---- Run again on the virtual GPU, and explained ----

local kinds = cuda.module [==[
__constant__ int limit;
__device__ int next = 0;
extern "C" __global__ void shift(char *p) {
  *(int *)(p + 1) = threadIdx.x;
}
extern "C" __global__ void claim(const int *in) {
  assert(in[threadIdx.x] < 100);
}
extern "C" __global__ void upto(int *out) {
  for (int i = 0; i < limit; i++) out[i << 28] = i;
}
extern "C" __global__ void advance(int by) { next += by; }
extern "C" __global__ void after(int *out) {
  out[next] = 1;
}
extern "C" __global__ void index(int *at, int by) { at[threadIdx.x] *= by; }
extern "C" __global__ void use(const int *at, int *out) {
  out[(long long)at[threadIdx.x]] = 1;
}
extern "C" __global__ void wait(int *flag) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {}
  __syncthreads();
}
]==]
check("misaligned", {misaligned = true}, function()
  kinds.shift[{1, 32}](cuda.to_device(np.zeros(64, "i8")))
  cuda.synchronize()
end, 4)
check("an assert", {assert = true}, function()
  kinds.claim[{1, 128}](cuda.to_device(np.arange(128, "i32")))
  cuda.synchronize()
end, 7)
check("a constant from the host", oob, function()
  kinds:get_global("limit", "i32"):copy_from(np.array({3}, "i32"))
  collectgarbage()
  kinds.upto[{1, 1}](cuda.device_array(1, "i32"))
  cuda.synchronize()
end, 10)
check("a variable that an earlier launch has set", oob, function()
  kinds:get_global("next", "i32"):fill(1 << 28)
  kinds.advance[{1, 1}](5)
  kinds.after[{1, 1}](cuda.device_array(8, "i32"):fill(0))
  cuda.synchronize()
end, 14, "[268435461]")
check("not the last launch", oob, function()
  local at = cuda.device_array(32, "i32"):fill(3)
  local out = cuda.device_array(32, "i32"):fill(0)
  kinds.index[{1, 32}](at, 5)
  kinds.use[{1, 32}](at, out) -- 15: right
  kinds.index[{1, 32}](at, 1 << 26)
  kinds.use[{1, 32}](at, out) -- far outside
  kinds.index[{1, 32}](at, 0)
  cuda.synchronize()
end, 18)
cuda.set_deadline(DEADLINE)
check("a flag that nobody sets", {deadlock = true, timeout = true}, function()
  kinds.wait[{1, 64}](cuda.device_array(1, "i32"):fill(0))
  cuda.synchronize()
end, 22)
for _ = 1, endless do
  check("never ends", {timeout = true}, function()
    local out = cuda.to_device(np.zeros(2, "f32"))
    spin[{1, 1}](out)
    cuda.synchronize()
  end, 3)
end
print(("1..%d"):format(count))
for title, seconds in pairs(worst) do
  print(("# %s: next prompt after at most %.2f s"):format(title, seconds))
end
if endless > 0 and worst["never ends"] > DEADLINE + 1 then
  print(("# a prompt took longer than the deadline of %d s + 1 s"):format(
    DEADLINE))
end
os.exit(failed == 0)
