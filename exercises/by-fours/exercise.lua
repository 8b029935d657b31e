-- SPDX-License-Identifier: Apache-2.0
-- 16387 floats are 4096 fours, of 128 warps, and 3 single ones: 2 loads for
-- each warp are 258 requests. One float at a time they are 1026.
local WHOLE = {"n=16387"}

return {
  title = "Four at once",
  task = "Make the kernel fast: y[i] = a * x[i] + y[i] for any n, with a"
    .. " quarter of the requests.",
  needs = {"by-columns"},
  minutes = 15,
  kernel = "axpy",
  signature = {
    {"value", "float", "a"},
    {"in", "const float *", "x"},
    {"inout", "float *", "y"},
    {"value", "int", "n"},
  },
  reference = "saxpy",
  tolerance = {
    ulp = 0,
    reason = "multiples of 1/256 below 8, and a is one of 1/4 below 4: product"
      .. " and sum are floats, and nothing is rounded",
  },
  budget = 100000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    return {a = case.a, x = rng:steps(n, -8, 8, 1 / 256),
            y = rng:steps(n, -8, 8, 1 / 256), n = n},
      {blocks_for(n, block), block}
  end,
  cases = {
    {name = "n=16387", n = 16387, a = 1.5},
    {name = "n=1", n = 1, a = 2},
    {name = "n=3", n = 3, a = -1, block = 32},
    {name = "n=4", n = 4, a = 3, block = 32},
    {name = "n=1000, blocks of 96", n = 1000, a = 0.25, block = 96},
    {name = "n=1021, a prime", n = 1021, a = -3.5, block = 64},
    {name = "n=1026", n = 1026, a = 1.25, block = 128},
    {name = "large", n = 40003, a = 2.25, hidden = true},
  },
  goal = {{"global_load_requests <= 300", cases = WHOLE}},
  hints = {
    "reinterpret_cast<const float4 *>(x)[i] are the floats 4 * i to 4 * i + 3,"
      .. " in one load.",
    "There are n / 4 fours: a thread for each. Load one of x and one of y, do"
      .. " the sum for .x, .y, .z and .w, and store the four.",
    "Behind them n % 4 floats are left, from 4 * (n / 4) on: up to three"
      .. " threads do one each.",
  },
  editorial = "The same bytes in a quarter of the requests: 258 loads in the"
    .. " first case, where one float a thread takes 1026. A full load touches"
    .. " 16 sectors, and all of their bytes are wanted. Three quarters of the"
    .. " threads have no four to do, so a quarter of the blocks would be"
    .. " enough if the launch were yours. In soa wide loads save bytes as"
    .. " well.",
  mutants = {
    {
      name = "rest-forgotten",
      replace = {"  if (last < n) y[last] += a * x[last];\n", ""},
      explain = "Where n is no multiple of 4, up to three floats behind the"
        .. " last four stay as they were.",
    },
    {
      name = "a-four-too-many",
      replace = {"int fours = n / 4, last", "int fours = (n + 3) / 4, last"},
      explain = "The last four reaches beyond the end of the arrays.",
    },
    {
      name = "n-fours",
      replace = {"if (i < fours)", "if (i < n)"},
      explain = "There are n / 4 fours, and not n of them.",
    },
    {
      name = "three-of-four",
      replace = {"    w.w += a * v.w;\n", ""},
      explain = "The last float of each four stays as it was.",
    },
    {
      name = "wrong-part",
      replace = {"w.z += a * v.z", "w.z += a * v.y"},
      explain = "The third float of a four is made of the second one of x.",
    },
    {
      name = "rest-from-the-front",
      replace = {"last = 4 * fours + i", "last = i < n % 4 ? i : n"},
      explain = "The floats that are left stand at the end, from 4 * (n / 4)"
        .. " on; the first ones have been done already.",
    },
    {
      name = "overwrites",
      replace = {"w.x += a * v.x", "w.x = a * v.x"},
      explain = "The first float of each four loses what y had there.",
    },
    {
      name = "one-more-walk",
      breaks = "global_load_requests <= 300",
      replace = {"  if (last < n) y[last] += a * x[last];", [[
  for (; last < n; last += 4 * n) y[last] += a * x[last];
  if (i < n && x[i] != x[i]) y[i] = 0;]]},
      explain = "The fours do the work, and yet every thread loads a float of"
        .. " its own besides.",
    },
    {
      name = "by-twos",
      breaks = "global_load_requests <= 300",
      replace = {[[
  int fours = n / 4, last = 4 * fours + i;
  if (i < fours) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    float4 w = reinterpret_cast<float4 *>(y)[i];
    w.x += a * v.x;
    w.y += a * v.y;
    w.z += a * v.z;
    w.w += a * v.w;
    reinterpret_cast<float4 *>(y)[i] = w;
  }]], [[
  int twos = n / 2, last = 2 * twos + i;
  if (i < twos) {
    float2 v = reinterpret_cast<const float2 *>(x)[i];
    float2 w = reinterpret_cast<float2 *>(y)[i];
    w.x += a * v.x;
    w.y += a * v.y;
    reinterpret_cast<float2 *>(y)[i] = w;
  }]]},
      explain = "Two at once are half of the requests, and a quarter is asked"
        .. " for.",
    },
  },
}
