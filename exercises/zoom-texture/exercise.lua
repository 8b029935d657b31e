-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A closer look",
  task = "Enlarge a picture four times in both directions, with a texture that"
    .. " mixes neighbours.",
  needs = {"filter-constant"},
  minutes = 15,
  kernel = "zoom",
  signature = {
    {"texture", "float", "picture", filter = "linear", address = "clamp"},
    {"out", "float *", "out"},
    {"value", "int", "width"},
    {"value", "int", "height"},
  },
  reference = "zoom_texture",
  tolerance = {
    abs = 0.02,
    reason = "texture units mix in steps of 1/256: of cells between 0 and 4"
      .. " that is less than 0.016",
  },
  budget = 20000,
  make = function(case, rng)
    local w, h = 4 * case.width, 4 * case.height
    return {
      picture = {rng:steps(case.width * case.height, 0, 4, 1 / 8), case.width,
        case.height},
      out = w * h, width = w, height = h,
    }, {{blocks_for(w, 16), blocks_for(h, 16)}, {16, 16}}
  end,
  cases = {
    {name = "12 x 8 cells", width = 12, height = 8},
    {name = "one cell", width = 1, height = 1},
    {name = "one row", width = 9, height = 1},
    {name = "7 x 13 cells", width = 7, height = 13},
    {name = "large", width = 40, height = 33, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "x and y of the cell of out as for any picture, and the guard.",
    "tex2D<float>(picture, across, down) takes places as fractions: the center"
      .. " of the picture's first cell is (0.5, 0.5).",
    "across is (x + 0.5f) / 4. Without the f and the 0.5 whole numbers are"
      .. " divided, and the place is the cell's corner.",
  },
  editorial = "One tex2D and one store a cell, and no load from global memory"
    .. " that your code makes: the texture unit fetches the four cells, mixes"
    .. " them and repeats the edge. By hand it would be four loads, four"
    .. " indices held at the edges and three mixings. The unit's weights have"
    .. " 8 bits behind the point. Who needs more must mix by hand, in floats.",
  mutants = {
    {
      name = "corner",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4", "x / 4.0f, y / 4.0f"},
      explain = "(x / 4, y / 4) is the cell's corner, not its center: the"
        .. " picture is shifted by half a cell of out, to the right and down.",
    },
    {
      name = "corner-across",
      replace = {"(x + 0.5f) / 4, (y", "x / 4.0f, (y"},
      explain = "x / 4 is the left edge of the cell, not its center: the"
        .. " picture is shifted to the right by half a cell of out.",
    },
    {
      name = "half-too-late",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4",
        "x / 4.0f + 0.5f, y / 4.0f + 0.5f"},
      explain = "The center is half a cell of out further, so the half is added"
        .. " before the division. Behind it, it is half a cell of the picture.",
    },
    {
      name = "whole-numbers-both",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4", "x / 4, y / 4"},
      explain = "x / 4 of two ints is an int: 16 cells of out get the same"
        .. " place.",
    },
    {
      name = "whole-numbers",
      replace = {"(x + 0.5f) / 4, (y", "x / 4, (y"},
      explain = "x / 4 of two ints is an int: four cells of out get the same"
        .. " place across.",
    },
    {
      name = "exchanged",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4",
        "(y + 0.5f) / 4, (x + 0.5f) / 4"},
      explain = "tex2D takes the place across first, and then the place down.",
    },
    {
      name = "not-enlarged",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4", "x + 0.5f, y + 0.5f"},
      explain = "Each cell of out is one of the picture's: out has four for"
        .. " each, so the place is divided by 4.",
    },
    {
      name = "no-mixing",
      replace = {"(x + 0.5f) / 4, (y + 0.5f) / 4",
        "x / 4 + 0.5f, y / 4 + 0.5f"},
      explain = "The place is always the center of a cell of the picture, so"
        .. " nothing is mixed: 16 cells of out are the same.",
    },
    {
      name = "rows-of-height",
      replace = {"out[y * width + x]", "out[y * height + x]"},
      explain = "A row of out has width cells.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] =
        tex2D<float>(picture, (x + 0.5f) / 4, (y + 0.5f) / 4);]], [[
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < 256; k++) {
    int x = blockIdx.x * 16 + k % 16, y = blockIdx.y * 16 + k / 16;
    if (x < width && y < height)
      out[y * width + x] =
          tex2D<float>(picture, (x + 0.5f) / 4, (y + 0.5f) / 4);
  }]]},
      explain = "The first thread of each block does all of its cells,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
