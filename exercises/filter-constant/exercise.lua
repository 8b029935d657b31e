-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Nine weights for everybody",
  task = "Each cell becomes the weighted sum of the nine cells around it, with"
    .. " the weights in constant memory.",
  needs = {"transpose-naive"},
  minutes = 20,
  kernel = "filter",
  signature = {
    {"constant", "float[9]", "weights"},
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "width"},
    {"value", "int", "height"},
  },
  reference = "filter_constant",
  tolerance = {
    ulp = 0,
    reason = "weights are multiples of 1/16 up to 2, cells of 1/64 up to 8:"
      .. " sums of nine products are exact in 24 bits",
  },
  budget = 20000,
  make = function(case, rng)
    local w, h = case.width, case.height
    return {
      weights = rng:steps(9, -2, 2, 1 / 16),
      ["in"] = rng:steps(w * h, -8, 8, 1 / 64), out = w * h,
      width = w, height = h,
    }, {{blocks_for(w, 16), blocks_for(h, 16)}, {16, 16}}
  end,
  cases = {
    {name = "64 x 48", width = 64, height = 48},
    {name = "one cell", width = 1, height = 1},
    {name = "one row", width = 40, height = 1},
    {name = "33 x 17", width = 33, height = 17},
    {name = "large", width = 150, height = 131, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "x and y as for any picture, and the guard. Then two loops over dy and dx"
      .. " from -1 to 1.",
    "The weight of the cell at (dx, dy) is weights[3 * dy + dx + 4].",
    "A neighbour that is outside of the picture is left out: four comparisons,"
      .. " with width and with height.",
  },
  editorial = "Up to nine loads and one store a cell; the weights cost no load"
    .. " from global memory. Each cell of in is asked for by up to nine"
    .. " threads, mostly of the same block. Next: let a block fetch its tile"
    .. " with the cells around it to shared memory, once. halo does so in one"
    .. " dimension and blur-separable in two.",
  mutants = {
    {
      name = "weights-turned",
      replace = {"weights[3 * dy + dx + 4]", "weights[3 * dx + dy + 4]"},
      explain = "Rows and columns of the weights are exchanged: dy counts rows"
        .. " of three.",
    },
    {
      name = "weights-backwards",
      replace = {"weights[3 * dy + dx + 4]", "weights[4 - 3 * dy - dx]"},
      explain = "The weights are taken from the last to the first: weights[0]"
        .. " is that of the cell above and to the left.",
    },
    {
      name = "around-the-edge",
      replace = {"across >= 0 && across < width && down >= 0 && down < height",
        "down * width + across >= 0 && down * width + across < width * height"},
      explain = "At the left and right edge the neighbour is taken from the row"
        .. " above or below.",
    },
    {
      name = "edge-repeated",
      replace = {"if (across >= 0 && across < width && down >= 0 && down <"
        .. " height)", "across = min(max(across, 0), width - 1);\n"
        .. "      down = min(max(down, 0), height - 1);"},
      explain = "Beyond the edge the cells of the edge are taken once more;"
        .. " here those outside count as 0.",
    },
    {
      name = "no-last-column",
      replace = {"across < width &&", "across < width - 1 &&"},
      explain = "The last column of in is left out of the sums.",
    },
    {
      name = "without-itself",
      replace = {"int across = x + dx", "if (!dx && !dy) continue;\n"
        .. "      int across = x + dx"},
      explain = "The cell itself is left out: it has the weight weights[4].",
    },
    {
      name = "no-guard",
      replace = {"  if (x >= width || y >= height) return;\n", ""},
      explain = "Blocks at the right and at the bottom have more threads than"
        .. " cells.",
    },
    {
      name = "weights-not-used",
      replace = {"weights[3 * dy + dx + 4] * in", "in"},
      explain = "The nine cells are added up without their weights.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int across = x + dx, down = y + dy;
      if (across >= 0 && across < width && down >= 0 && down < height)
        sum += weights[3 * dy + dx + 4] * in[down * width + across];
    }
  out[y * width + x] = sum;]], [[
  if (threadIdx.x > 0) return;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int x = blockIdx.x * 16; x < blockIdx.x * 16 + 16; x++) {
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int across = x + dx, down = y + dy;
        if (across >= 0 && across < width && down >= 0 && down < height)
          sum += weights[3 * dy + dx + 4] * in[down * width + across];
      }
    out[y * width + x] = sum;
  }]]},
      explain = "The first thread of each row of the block does its 16 cells,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
