-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A plane for each colour",
  task = "Make the kernel fast: planes[k * n + i] = pixels[4 * i + k], with 80"
    .. " % of the bytes that are moved in use.",
  needs = {"by-columns"},
  minutes = 10,
  kernel = "split",
  signature = {
    {"in", "const float *", "pixels"},
    {"out", "float *", "planes"},
    {"value", "int", "n"},
  },
  reference = "soa",
  tolerance = {ulp = 0, reason = "values are moved, not computed"},
  budget = 5000,
  make = function(case, rng)
    local block = case.block or 256
    return {
      pixels = rng:floats(4 * case.n, 0, 1), planes = 4 * case.n, n = case.n,
    }, {(case.n + block - 1) // block, block}
  end,
  cases = {
    {name = "1024 pixels", n = 1024},
    {name = "one pixel", n = 1},
    {name = "1009 pixels, a prime", n = 1009},
    {name = "one block and one more", n = 257},
    {name = "640 pixels, blocks of 64", n = 640, block = 64},
    {name = "large", n = 20000, hidden = true},
  },
  goal = {
    {"global_efficiency >= 80", each_line = true,
      cases = {"1024 pixels", "640 pixels, blocks of 64", "large"}},
  },
  hints = {
    "The stores are side by side already. How far apart are the addresses of"
      .. " thread 0 and thread 1 in the load pixels[4 * i]?",
    "A pixel has 16 bytes, and one thread wants all of them: let it take them"
      .. " with one load.",
    "reinterpret_cast<const float4 *>(pixels)[i] is pixel i, with .x, .y, .z"
      .. " and .w.",
  },
  editorial = "One load and four stores a pixel: 16 bytes in, 16 bytes out,"
    .. " and where n is a multiple of 8 all that is moved is wanted. A full"
    .. " warp's load touches 16 sectors, each store 4. A pixel of three floats"
    .. " has no such load, as none takes 12 bytes; its threads could exchange"
    .. " what they have fetched by way of shared memory, as in"
    .. " transpose-tiled.",
  mutants = {
    {
      name = "still-pixels",
      replace = {"planes[n + i] = p.y", "planes[4 * i + 1] = p.y"},
      explain = "The greens go to where they came from: in planes they begin"
        .. " behind all n reds.",
    },
    {
      name = "bgr",
      replace = {"planes[i] = p.x", "planes[i] = p.z"},
      explain = "The first plane holds the third number: x is red, y green, z"
        .. " blue, w alpha.",
    },
    {
      name = "same-plane",
      replace = {"planes[2 * n + i]", "planes[n + i]"},
      explain = "Green and blue are written to the same plane, and the third"
        .. " one is never written.",
    },
    {
      name = "no-alpha",
      replace = {"planes[3 * n + i] = p.w;", ""},
      explain = "The fourth plane, alpha, is never written.",
    },
    {
      name = "no-guard",
      replace = {"if (i >= n) return;", ""},
      explain = "In the last block some threads have no pixel: only those with"
        .. " i < n do.",
    },
    {
      name = "step-of-four",
      replace = {"(pixels)[i]", "(pixels)[4 * i < n ? 4 * i : i]"},
      explain = "As a float4 pointer it counts pixels already: pixel i is [i],"
        .. " not [4 * i].",
    },
    {
      name = "one-by-one",
      breaks = "global_efficiency >= 80",
      replace = {"float4 p = reinterpret_cast<const float4 *>(pixels)[i];",
        "float4 p;\n  p.x = pixels[4 * i];\n  p.y = pixels[4 * i + 1];\n"
        .. "  p.z = pixels[4 * i + 2];\n  p.w = pixels[4 * i + 3];"},
      explain = "A float4 that is filled by four loads is four loads: each of"
        .. " them uses a quarter of its sectors.",
    },
    {
      name = "in-pairs",
      breaks = "global_efficiency >= 80",
      replace = {"float4 p = reinterpret_cast<const float4 *>(pixels)[i];",
        "const float2 *pairs = reinterpret_cast<const float2 *>(pixels);\n"
        .. "  float2 a = pairs[2 * i], b = pairs[2 * i + 1];\n"
        .. "  float4 p = {a.x, a.y, b.x, b.y};"},
      explain = "Pairs are better than single floats, and each load still"
        .. " leaves half of its bytes unused.",
    },
  },
}
