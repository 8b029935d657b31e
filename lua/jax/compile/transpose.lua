-- SPDX-License-Identifier: Apache-2.0
-- Elementwise kernels that read an array across its rows: tiles of 32 x 32 go
-- through shared memory, so that both sides are read and written in rows.
local use = ...
local core = use("core/core")
local emit = use("compile/emit")
local M = {}

local TILE, DEEP = 32, 8 -- threads of a block: 32 x 8
local LEAST = 16         -- elements of both axes that make it worth while
local MOST_TILES = 4
-- Pairs of tiles go in 64 x 64 where there are enough of them, and the block's
-- shared memory has room for them (on an H200 0.56 ms for 0.59 in 32 x 32).
local PAIR, PAIR_FROM, SHARED = 64, 1024, 48 << 10

local function ceil_div(a, b) return (a + b - 1) // b end

-- Does the element's place go on with `ia`, and move with `ib`?
local function is_across(load)
  local key = load[2]
  return not load[4] and (key:find("%+ ia%)$") or key == "ia") and
         key:find("%f[%w_]ib%f[^%w_]") and emit.is_known_before(key)
end

-- The coordinates of an element: `ia` of axis a, `ib` of the last, and those of
-- the others within `rest`.
local function index_of(shape, a)
  local others, sizes, at = {}, {}, {}
  for d = 1, #shape - 1 do
    if d ~= a then
      others[#others + 1] = d
      sizes[#sizes + 1] = shape[d]
    end
  end
  local own = emit.coords_of({flat = "rest"}, sizes)
  for i, d in ipairs(others) do at[d] = own[i] end
  at[a], at[#shape] = "ia", "ib"
  return {at = at}, core.size(sizes)
end

local function escaped(text) return (text:gsub("%p", "%%%0")) end

-- ---- Blocks of pairs ----

-- x and its own transpose: the tile at (a, b) needs what lies at (b, a), and
-- the other way round, so that a block that has both reads each once.

local function mirrored(key)
  return (key:gsub("%f[%w_]i([ab])%f[^%w_]", {a = "ib", b = "ia"}))
end

-- The keys of loads along the rows that lie in a tile of `crossing`, by number,
-- and how long the tiles are; nil where pairs would save nothing.
local function own_keys(code, crossing, n)
  local keys, bytes = {}, 0
  for k, load in ipairs(crossing) do
    local key = mirrored(load[2])
    bytes = bytes + emit.bytes[load[3].aval.dtype]
    for _, other in ipairs(code.loads) do
      if other[1] == load[1] and other[2] == key then keys[k] = key end
    end
  end
  local function fits(tile) return 2 * tile * (tile + 1) * bytes <= SHARED end
  if not next(keys) or not fits(TILE) then return nil end
  return keys, n >= PAIR_FROM and fits(PAIR) and PAIR or TILE
end

-- Lines that give a block its tiles, low <= high < tiles; gives their count. A
-- triangle's long rows and its short ones are put together to equal ones.
local function pair_lines(add, tiles, tile)
  local extra = 1 - tiles % 2
  local width = tiles + extra
  local count = tiles * (tiles + 1) // 2
  add("  const int pair = blockIdx.x %% %d;", count)
  add("  const int row = pair / %d, column = pair %% %d;", width, width)
  add("  const bool is_long = column >= row + %d;", extra)
  add("  const int low = (is_long ? row : %d - row) * %d;", tiles - extra, tile)
  add("  const int high = (is_long ? column - %d : %d - column) * %d;", extra,
      tiles - 1, tile)
  return count
end

-- ---- The kernel ----

-- Lines that give a block its place, and the count of blocks for one `rest`; in
-- pairs a0 and b0 are given by each side.
local function place_lines(add, rows, columns, index, tile, keys)
  local across, down = ceil_div(columns, tile), ceil_div(rows, tile)
  add("  const int tx = threadIdx.x %% %d, ty = threadIdx.x / %d;", tile, tile)
  if keys then
    local count = pair_lines(add, across, tile)
    add("  const %s rest = blockIdx.x / %d;", index, count)
    return count
  end
  add("  const int block = blockIdx.x / %d;", across)
  add("  const int b0 = blockIdx.x %% %d * %d;", across, tile)
  add("  const int a0 = block %% %d * %d;", down, tile)
  add("  const %s rest = block / %d;", index, down)
  return across * down
end

-- The line with elements of tiles for those of memory.
local function with_tiles(line, crossing, keys)
  for n, load in ipairs(crossing) do
    local function put(key, text)
      line = line:gsub(escaped(load[1] .. "[" .. key .. "]"), text)
    end
    local side = keys and "[side]" or ""
    put(load[2], ("tile%d%s[tx][ty + k]"):format(n, side))
    if keys and keys[n] then
      put(keys[n], ("tile%d[1 - side][ty + k][tx]"):format(n))
    end
  end
  return line
end

local function write(kernel, code, crossing, shape, a, rest)
  local lines = {}
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  local columns, rows = shape[#shape], shape[a]
  local index = core.size(shape) < 1 << 31 and "int" or "long long"
  local keys, tile
  if rows == columns then keys, tile = own_keys(code, crossing, rows) end
  tile = tile or TILE
  local side = keys and "[side]" or ""
  for n, load in ipairs(crossing) do
    add("  __shared__ %s tile%d%s[%d][%d];", emit.c_types[load[3].aval.dtype],
        n, keys and "[2]" or "", tile, tile + 1)
  end
  local blocks = place_lines(add, rows, columns, index, tile, keys)
  local is_whole = columns % tile == 0 and rows % tile == 0
  -- The elements of a tile: ia and ib begin at a0 and b0.
  local function each(ia, ib, unrolled, body)
    if keys then
      add("#pragma unroll")
      add("  for (int side = 0; side < 2; side++) {")
      add("  const int a0 = side ? high : low, b0 = side ? low : high;")
    end
    add(unrolled and "#pragma unroll" or "#pragma unroll 1")
    add("  for (int k = 0; k < %d; k += %d) {", tile, DEEP)
    add("    const %s ia = a0 + %s, ib = b0 + %s;", index, ia, ib)
    if not is_whole then
      add("    if (ia >= %d || ib >= %d) continue;", rows, columns)
    end
    body()
    add(keys and "  } }" or "  }")
  end
  each("tx", "ty + k", true, function()
    for n, load in ipairs(crossing) do
      add("    tile%d%s[ty + k][tx] = %s[%s];", n, side, load[1], load[2])
    end
  end)
  add("  __syncthreads();")
  each("ty + k", "tx", #code.lines <= 12, function()
    for _, line in ipairs(code.lines) do
      lines[#lines + 1] = with_tiles(line, crossing, keys)
    end
  end)
  kernel:done(lines, blocks * rest, tile * DEEP)
end

--- One kernel for roots of equal shape, where that is better than reading
--- across: true when it was added to the plan. `pass(kernel, index)` writes the
--- elements at an index and gives the code.
function M.try(plan, atoms, pass)
  local shape = atoms[1].aval.shape
  if #shape < 2 or shape[#shape] < LEAST then return false end
  for a = 1, #shape - 1 do
    if shape[a] >= LEAST then
      local kernel = plan:new_kernel("tiled")
      local index, rest = index_of(shape, a)
      local code = pass(kernel, index)
      local crossing, seen = {}, {}
      for _, load in ipairs(code.loads) do
        local name = load[1] .. load[2]
        if is_across(load) and not seen[name] and #crossing < MOST_TILES then
          seen[name] = true
          crossing[#crossing + 1] = load
        end
      end
      if #crossing > 0 then
        write(kernel, code, crossing, shape, a, rest)
        return true
      end
    end
  end
  return false
end

return M
