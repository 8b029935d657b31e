-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A brighter picture",
  task = "Each pixel of the picture grows by `by`, but not below 0 or above"
    .. " 255; the bytes between the rows stay as they are.",
  needs = {"transpose-naive"},
  minutes = 15,
  kernel = "brighten",
  signature = {
    {"inout", "unsigned char *", "picture"},
    {"value", "int", "width"},
    {"value", "int", "height"},
    {"value", "int", "pitch"},
    {"value", "int", "by"},
  },
  reference = "brightness",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case, rng)
    local x, y = case.x or 32, case.y or 8
    return {
      picture = rng:ints(case.height * case.pitch, 0, 255),
      width = case.width, height = case.height, pitch = case.pitch,
      by = case.by,
    }, {{blocks_for(case.width, x), blocks_for(case.height, y)}, {x, y}}
  end,
  cases = {
    {name = "a small picture, brighter", width = 40, height = 20, pitch = 64,
      by = 60},
    {name = "darker", width = 40, height = 20, pitch = 64, by = -60},
    {name = "one pixel", width = 1, height = 1, pitch = 1, by = 1},
    {name = "rows without a gap", width = 64, height = 16, pitch = 64,
      by = 255},
    {name = "a narrow one", width = 3, height = 101, pitch = 16, by = -255},
    {name = "blocks of 16 x 16", width = 40, height = 40, pitch = 48, by = 9,
      x = 16, y = 16},
    {name = "a large one", width = 301, height = 203, pitch = 320, by = 17,
      hidden = true},
  },
  requires = {},
  goal = {{"active_lanes >= 8", cases = {"a small picture, brighter"}}},
  hints = {
    "Row y begins at byte y * pitch, wherever the width ends.",
    "An unsigned char holds 0 to 255 and begins again at 0 above that: add in"
      .. " an int.",
    "First value + by, then the two limits, then write it back.",
  },
  editorial = "One byte is loaded and one stored a pixel; the two limits touch"
    .. " no memory. A warp's 32 pixels in a row are one sector of 32 bytes"
    .. " where the row begins at a multiple of 32, so a request carries a"
    .. " quarter of what it does for floats. Four pixels a load would need a"
    .. " pitch that is a multiple of 4; by-fours does that for floats.",
  mutants = {
    {
      name = "width-for-pitch",
      replace = {"int value = picture[y * pitch + x] + by;",
        "pitch = width;\n    int value = picture[y * pitch + x] + by;"},
      explain = "Row y begins at y * pitch; y * width is right only where there"
        .. " is no gap between the rows.",
    },
    {
      name = "wraps",
      replace = {"int value = picture", "unsigned char value = picture"},
      explain = "A byte begins again at 0 above 255, so the brightest pixels"
        .. " become dark: compute in an int, limit, then store.",
    },
    {
      name = "no-lower-limit",
      replace = {"if (value < 0) value = 0;", ""},
      explain = "Below 0 a byte begins again at 255: dark pixels become white.",
    },
    {
      name = "no-upper-limit",
      replace = {"if (value > 255) value = 255;", ""},
      explain = "Above 255 a byte begins again at 0: bright pixels become"
        .. " dark.",
    },
    {
      name = "into-the-gap",
      replace = {"x < width && y < height", "x < pitch && y < height"},
      explain = "The bytes between the rows are no pixels, and are to stay as"
        .. " they are: x goes up to width.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int value = picture[y * pitch + x] + by;
    if (value < 0) value = 0;
    if (value > 255) value = 255;
    picture[y * pitch + x] = value;
  }]], [[
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < blockDim.x * blockDim.y; k++) {
    int x = blockIdx.x * blockDim.x + k % blockDim.x;
    int y = blockIdx.y * blockDim.y + k / blockDim.x;
    if (x < width && y < height)
      picture[y * pitch + x] =
          min(max(picture[y * pitch + x] + by, 0), 255);
  }]]},
      explain = "The first thread of each block does all of its pixels, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
