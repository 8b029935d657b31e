-- SPDX-License-Identifier: Apache-2.0
-- 2048 weights, 50 steps: the best carries 20 bytes a weight and does 201
-- operations, 10.05 for each byte. In pieces, and with loads and stores in each
-- step, it is 0.05.
local FULL = {"2048 weights, 50 steps"}

return {
  title = "Up to the roof",
  task = "Make springs carry each number once, side by side: 9.5 operations for"
    .. " each byte, and not a twentieth of one.",
  needs = {"saxpy", "by-columns"},
  minutes = 15,
  kernel = "springs",
  signature = {
    {"inout", "float *", "x"},
    {"inout", "float *", "v"},
    {"in", "const float *", "k"},
    {"value", "int", "n"},
    {"value", "int", "steps"},
    {"value", "float", "h"},
  },
  reference = "to_the_roof",
  tolerance = {
    abs = 1 / 2 ^ 12,
    reason = "places and speeds stay below 8; each of at most 100 steps rounds"
      .. " three times, by 2^-22 at most, and springs with h * h * k below a"
      .. " quarter make less than twice of an error: 600 * 2^-22 is below"
      .. " 2^-12",
  },
  budget = 400000,
  make = function(case, rng)
    local n = case.n
    return {
      x = rng:steps(n, -1, 1, 1 / 64), v = rng:steps(n, -1, 1, 1 / 64),
      k = rng:steps(n, 1, 15, 1 / 64), n = n, steps = case.steps, h = 1 / 8,
    }, {case.grid or blocks_for(n, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "2048 weights, 50 steps", n = 2048, steps = 50, grid = 4},
    {name = "one step", n = 1000, steps = 1, grid = 2},
    {name = "no step", n = 300, steps = 0, grid = 1},
    {name = "one weight", n = 1, steps = 20},
    {name = "fewer threads than weights", n = 1009, steps = 7, grid = 2},
    {name = "one block of one warp", n = 333, steps = 3, grid = 1, block = 32},
    {name = "large", n = 1203, steps = 100, grid = 3, block = 96,
      hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {
    {"arithmetic_intensity >= 9.5", cases = FULL},
    {"global_load_bytes <= 24576", cases = FULL},
    {"global_store_bytes <= 16384", cases = FULL},
  },
  hints = {
    "The loop over the steps is outside and the loop over the weights inside."
      .. " No weight needs another one. Which loop should be the inner one?",
    "Load x[i], v[i] and k[i] into variables, do all steps on them, store two"
      .. " of them.",
    "Threads side by side should have weights side by side: a grid-stride loop"
      .. " in the place of pieces.",
  },
  editorial = "20 bytes a weight, 12 in and 8 out, for any number of steps, and"
    .. " 4 operations a step: 10.05 for each byte at 50 steps. The two lines"
    .. " of a step wait for each other; a thread that has several weights at"
    .. " once could fill these waits. one-launch keeps numbers in the block"
    .. " where a step needs a neighbour, too.",
  mutants = {
    {
      name = "pieces",
      breaks = "arithmetic_intensity >= 9.5",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {]],
        [[
  int threads = gridDim.x * blockDim.x, piece = (n + threads - 1) / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
  for (int i = first; i < first + piece && i < n; i++) {]]},
      explain = "Each thread has weights that lie side by side, so that threads"
        .. " side by side have weights far apart: a sector for each.",
    },
    {
      name = "in-memory",
      breaks = "global_load_bytes <= 24576",
      replace = {"speed -= pull * place;", "speed -= h * k[i] * place;\n"
        .. "      x[i] = place;"},
      explain = "k is loaded in every step, since x, which is stored there,"
        .. " might be the same array.",
    },
    {
      name = "stored-each-step",
      breaks = "global_store_bytes <= 16384",
      replace = {"place += h * speed;",
        "place += h * speed;\n      __stcg(&x[i], place);"},
      explain = "The place is stored in every step, and only the last one is"
        .. " looked at.",
    },
    {
      name = "old-speed",
      replace = {[[
      speed -= pull * place;
      place += h * speed;]], [[
      float next = speed - pull * place;
      place += h * speed;
      speed = next;]]},
      explain = "The place moves by the old speed here; it has to be the new"
        .. " one.",
    },
    {
      name = "speed-not-stored",
      replace = {"    v[i] = speed;\n", ""},
      explain = "The speeds have never come back to v.",
    },
    {
      name = "one-step-more",
      replace = {"s < steps", "s <= steps"},
      explain = "This does one step more than was asked for.",
    },
    {
      name = "squared-h",
      replace = {"place += h * speed", "place += h * h * speed"},
      explain = "The place is moved by h * h * v; once h is enough.",
    },
    {
      name = "no-stride",
      replace = {"i += stride", "i += n"},
      explain = "Each thread does one weight, and there are more weights than"
        .. " threads.",
    },
    {
      name = "no-guard",
      replace = {"i < n; i += stride", "i < n + stride; i += stride"},
      explain = "The loop goes on behind the last weight.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {]],
        [[
  if (threadIdx.x > 0) return;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {]]},
      explain = "One thread of each block does all the work.",
    },
  },
}
