-- SPDX-License-Identifier: Apache-2.0
-- What a launch costs: N small kernels launched one by one, as one graph of N
-- nodes, and as one kernel that does N steps (lesson 42).
--   warpshop run --device cuda:0 bench/graph/launches.lua    half a minute
-- The three take turns in each round. A time is the host's, from the first call
-- until the device is done, divided by N; medians over the rounds, with the
-- median distance from them. "posted" ends with the last call, when the host
-- could go on. Making the graph is told apart, once. The virtual GPU tries it
-- out with small numbers, and its times say nothing of a GPU.
local is_real = cuda.device().id:find("cuda", 1, true) == 1
local N = is_real and 1000 or 50
local ROUNDS = is_real and 101 or 3
local ELEMENTS = 256 -- one block, so that the kernels themselves take little

local module = cuda.module([==[
__global__ void step(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}
__global__ void stay(float *x, int n, int count) {
  int i = threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int k = 0; k < count; k++) {
    __syncthreads(); // as far apart as launches are
    v = 0.5f * v + 1.0f;
  }
  if (i < n) x[i] = v;
}]==])
cuda.set_deadline(0)
cuda.set_guarded(false) -- as a plain driver program

local x, s = cuda.device_array(ELEMENTS, "f32"), cuda.stream()
local step = module.step{grid = 1, block = ELEMENTS, stream = s}
local stay = module.stay{grid = 1, block = ELEMENTS, stream = s}

local function record()
  s:begin_capture()
  for _ = 1, N do step(x, ELEMENTS) end
  return s:end_capture()
end

-- Microseconds until the calls have returned, and until the device is done.
local function timed(f)
  local from = cuda.clock()
  f()
  local posted = cuda.clock()
  s:synchronize()
  return (posted - from) * 1e6, (cuda.clock() - from) * 1e6
end

x:fill(0)
step(x, ELEMENTS)
stay(x, ELEMENTS, 1)
cuda.synchronize()
local from = cuda.clock()
local graph = record()
local made_us = (cuda.clock() - from) * 1e6
graph:upload(s)
s:synchronize()

local ways = {
  {"launches, one by one", function()
    for _ = 1, N do step(x, ELEMENTS) end
  end},
  {"one graph of as many nodes", function() graph:launch(s) end},
  {"one kernel that stays", function() stay(x, ELEMENTS, N) end},
}

-- The same work in each way, or the times mean nothing.
local seen = {}
for k, way in ipairs(ways) do
  x:fill(0)
  cuda.synchronize()
  way[2]()
  s:synchronize()
  seen[k] = x:copy_to_host()[ELEMENTS - 1]
end
assert(seen[1] == seen[2] and seen[2] == seen[3], "results differ")

for _, way in ipairs(ways) do
  way.posted, way.done = np.zeros(ROUNDS), np.zeros(ROUNDS)
end
for round = -3, ROUNDS - 1 do -- the first three are not counted
  for _, way in ipairs(ways) do
    local posted, done = timed(way[2])
    if round >= 0 then way.posted[round], way.done[round] = posted, done end
  end
end

local function spread(a) return np.median(np.abs(a - np.median(a))) end

print(("%s, %d steps of %d elements, medians of %d rounds (their spread)")
  :format(cuda.device().name, N, ELEMENTS, ROUNDS))
print(("%-28s %10s %14s %16s"):format("", "done, us", "us a step",
  "posted, us a step"))
for _, way in ipairs(ways) do
  print(("%-28s %10.1f %6.3f (%5.3f) %16.3f"):format(way[1],
    np.median(way.done), np.median(way.done) / N, spread(way.done) / N,
    np.median(way.posted) / N))
end
print(("recording and making the graph: %.0f us, once"):format(made_us))
