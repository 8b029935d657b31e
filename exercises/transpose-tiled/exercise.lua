-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Rows become columns, fast",
  task = "Make the transpose fast: 90 % of the bytes that are moved in use, and"
    .. " no bank conflict.",
  needs = {"transpose-naive", "no-barrier"},
  minutes = 20,
  kernel = "transpose",
  signature = {
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "transpose",
  tolerance = {ulp = 0, reason = "values are moved, not computed"},
  budget = 20000,
  make = function(case, rng)
    local n = case.rows * case.columns
    return {
      ["in"] = rng:floats(n, -8, 8), out = n,
      rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, 32), blocks_for(case.rows, 32)}, {32, 8}}
  end,
  cases = {
    {name = "64 rows of 64", rows = 64, columns = 64},
    {name = "64 rows of 96", rows = 64, columns = 96},
    {name = "one element", rows = 1, columns = 1},
    {name = "one row", rows = 1, columns = 100},
    {name = "33 rows of 17", rows = 33, columns = 17},
    {name = "large", rows = 320, columns = 192, hidden = true},
    {name = "large and ragged", rows = 211, columns = 203, hidden = true},
  },
  rank = {case = "64 rows of 64", rows = 4096, columns = 4096, bytes = 1 << 26},
  goal = {
    {"global_efficiency >= 90", each_line = true,
      cases = {"64 rows of 64", "64 rows of 96", "large"}},
    "shared_bank_conflicts <= 0",
  },
  hints = {
    "Load side by side into a tile in shared memory; then let the threads take"
      .. " other elements of the tile than they brought.",
    "After a __syncthreads(), the block writes a tile of out, at column"
      .. " blockIdx.y * 32 and row blockIdx.x * 32: again x runs along the"
      .. " row.",
    "The element for it is tile[threadIdx.x][threadIdx.y + k]. And the guard"
      .. " has changed: out has `columns` rows of `rows` elements.",
    "A column of tile[32][32] lies in a single bank. tile[32][33] spreads it.",
  },
  editorial = "Each element is loaded and stored once in global memory and"
    .. " once in the tile: 4 sectors a request in full tiles, no bank"
    .. " conflict, one barrier, 4224 bytes a block. Nobody can move fewer"
    .. " bytes; float4, as in by-fours, could move them in fewer requests,"
    .. " with sizes that are multiples of 4. matmul-tiled uses tiles for more:"
    .. " there each element is needed often.",
  mutants = {
    {
      name = "no-barrier",
      replace = {"  __syncthreads();\n", ""},
      explain = "Threads read the tile before others have written it: they have"
        .. " to meet in between.",
    },
    {
      name = "blocks-not-exchanged",
      replace = {"int across = blockIdx.y * 32 + threadIdx.x;\n"
        .. "  int down = blockIdx.x * 32 + threadIdx.y;",
        "int across = blockIdx.x * 32 + threadIdx.x;\n"
        .. "  int down = blockIdx.y * 32 + threadIdx.y;"},
      explain = "Each tile is transposed, but it goes back to where it came"
        .. " from: the tile at block (x, y) belongs to (y, x) in out.",
    },
    {
      name = "tile-not-turned",
      replace = {"tile[threadIdx.x][threadIdx.y + k];",
        "tile[threadIdx.y + k][threadIdx.x];"},
      explain = "The tiles change places, but inside each nothing is turned:"
        .. " its rows become columns once, when it is filled or when it is"
        .. " read.",
    },
    {
      name = "old-guard",
      replace = {"down + k < columns && across < rows",
        "down + k < rows && across < columns"},
      explain = "The guard of the stores is that of in: out has `columns` rows"
        .. " of `rows` elements.",
    },
    {
      name = "row-length",
      replace = {"out[(down + k) * rows + across]",
        "out[(down + k) * columns + across]"},
      explain = "A row of out has `rows` elements, not `columns`: that shows as"
        .. " soon as the matrix is not square.",
    },
    {
      name = "one-round",
      replace = {"for (int k = 0; k < 32; k += 8)\n    if (down",
        "for (int k = 0; k < 8; k += 8)\n    if (down"},
      explain = "Only the first 8 rows of each tile are written: 8 rows of"
        .. " threads need four rounds.",
    },
    {
      name = "no-padding",
      breaks = "shared_bank_conflicts <= 0",
      replace = {"tile[32][33]", "tile[32][32]"},
      explain = "The 32 elements of a column of the tile lie in one bank: each"
        .. " such load takes 32 passes. One unused column spreads them.",
    },
    {
      name = "two-columns",
      breaks = "shared_bank_conflicts <= 0",
      replace = {"tile[32][33]", "tile[32][34]"},
      explain = "With rows of 34 a column uses every second bank: still two"
        .. " threads at each. One column more than 32 is the right number.",
    },
    {
      name = "desk-for-nothing",
      breaks = "global_efficiency >= 90",
      replace = {[[
  int across = blockIdx.y * 32 + threadIdx.x;
  int down = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (down + k < columns && across < rows)
      out[(down + k) * rows + across] = tile[threadIdx.x][threadIdx.y + k];]],
        [[
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      out[column * rows + row + k] = tile[threadIdx.y + k][threadIdx.x];]]},
      explain = "Each thread takes back what it has brought, and stores it far"
        .. " from its neighbours: the tile is there to exchange elements.",
    },
  },
}
