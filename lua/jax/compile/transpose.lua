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

local function write(kernel, code, crossing, shape, a, rest)
  local lines = {}
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  local columns, rows = shape[#shape], shape[a]
  local index = core.size(shape) < 1 << 31 and "int" or "long long"
  for n, load in ipairs(crossing) do
    add("  __shared__ %s tile%d[%d][%d];", emit.c_types[load[3].aval.dtype], n,
        TILE, TILE + 1)
  end
  add("  const int tx = threadIdx.x %% %d, ty = threadIdx.x / %d;", TILE, TILE)
  add("  const int block = blockIdx.x / %d;", ceil_div(columns, TILE))
  add("  const int b0 = blockIdx.x %% %d * %d;", ceil_div(columns, TILE), TILE)
  add("  const int a0 = block %% %d * %d;", ceil_div(rows, TILE), TILE)
  add("  const %s rest = block / %d;", index, ceil_div(rows, TILE))
  local is_whole = columns % TILE == 0 and rows % TILE == 0
  local inside = is_whole and "" or
                 ("    if (ia >= %d || ib >= %d) continue;"):format(rows,
                                                                  columns)
  add("#pragma unroll")
  add("  for (int k = 0; k < %d; k += %d) {", TILE, DEEP)
  add("    const %s ia = a0 + tx, ib = b0 + ty + k;", index)
  lines[#lines + 1] = inside
  for n, load in ipairs(crossing) do
    add("    tile%d[ty + k][tx] = %s[%s];", n, load[1], load[2])
  end
  add("  }")
  add("  __syncthreads();")
  add(#code.lines > 12 and "#pragma unroll 1" or "#pragma unroll")
  add("  for (int k = 0; k < %d; k += %d) {", TILE, DEEP)
  add("    const %s ia = a0 + ty + k, ib = b0 + tx;", index)
  lines[#lines + 1] = inside
  for _, line in ipairs(code.lines) do
    for n, load in ipairs(crossing) do
      line = line:gsub(escaped(load[1] .. "[" .. load[2] .. "]"),
                       "tile" .. n .. "[tx][ty + k]")
    end
    lines[#lines + 1] = line
  end
  add("  }")
  kernel:done(lines, ceil_div(columns, TILE) * ceil_div(rows, TILE) * rest,
              TILE * DEEP)
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
