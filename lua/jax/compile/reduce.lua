-- SPDX-License-Identifier: Apache-2.0
-- Kernels of reductions. Sums are taken in an order that depends on sizes only,
-- so that a result is the same each time.
--
--   rows      a group of threads for each output: what is reduced lies together
--   columns   a column of threads for each output: neighbours lie together
--   threads   one thread for each output: few elements
local use = ...
local core = use("core/core")
local emit = use("compile/emit")
local M = {}

local MOST_THREADS = 256
local SPLIT_FROM = 8192  -- elements that a block reduces at least, before...
local ACROSS, DOWN = 32, 8 -- threads of a block of columns

local function ceil_div(a, b) return (a + b - 1) // b end

local function is_small_float(t) return t == "f16" or t == "bf16" end
local function wide(t) return is_small_float(t) and "f32" or t end
M.wide = wide

--- C of the step of `row` from a and b.
function M.step(row, t, a, b) return emit.fill(row.step, wide(t), {a, b}) end
function M.start(row, t)
  return emit.fill(row.start, t == "bool" and "bool" or wide(t), {})
end

-- ---- Groups of threads ----

--- Of a group of `threads` (a power of two up to 32, or whole warps of a
--- block): `name` becomes the whole group's, in its first thread, or with
--- `for_all` in each.
function M.combine(add, row, t, name, threads, for_all)
  local c = emit.c_types[wide(t)]
  local shuffle = for_all and "__shfl_xor_sync" or "__shfl_down_sync"
  local offset = math.min(threads, 32) // 2
  while offset >= 1 do
    add("  { const %s other = %s(0xffffffffu, %s, %d);", c, shuffle, name,
        offset)
    add("    %s = %s; }", name, M.step(row, t, name, "other"))
    offset = offset // 2
  end
  if threads <= 32 then return end
  local warps = threads // 32
  add("  { __shared__ %s part[%d];", c, warps)
  add("  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = %s;", name)
  add("  __syncthreads();")
  if for_all then
    add("  %s = part[0];", name)
  else
    add("  if (threadIdx.x == 0) {")
  end
  add("#pragma unroll")
  add("  for (int w = 1; w < %d; w++) %s = %s;", warps, name,
      M.step(row, t, name, "part[w]"))
  add(for_all and "  __syncthreads(); }" or "  } }")
end

-- ---- Rows ----

-- Reads that go on with r, as words: {pointer, key, type}; nil where something
-- as large is read in another order.
local function word_reads(plan, code, count)
  local reads, seen, widest = {}, {}, 1
  for _, load in ipairs(code.loads) do
    local pointer, key, atom = load[1], load[2], load[3]
    if plan.places[atom].is_loose then return nil end
    local outer = key:match("^%((.+) %* " .. count .. " %+ r%)$")
    local size = core.size(atom.aval.shape)
    local goes_on = not load[4] and
      (key == "r" and size >= count or
       outer and count > 0 and size % count == 0 and
       emit.is_known_before(outer, "r"))
    if goes_on then
      if not seen[pointer .. key] then
        seen[pointer .. key] = true
        reads[#reads + 1] = {pointer, key, emit.c_types[atom.aval.dtype]}
      end
      widest = math.max(widest, emit.bytes[atom.aval.dtype])
    elseif key:find("%f[%w_]r%f[^%w_]") then
      return nil
    end
  end
  local width = 16 // widest
  return #reads > 0 and width > 1 and count % width == 0 and reads, width
end

local function add_lines(lines, more, change)
  for _, line in ipairs(more) do
    lines[#lines + 1] = change and change(line) or line
  end
end

local function escaped(text) return (text:gsub("%p", "%%%0")) end

-- A thread that has all elements of its output, which are few, has no loop: the
-- virtual GPU runs such a kernel where the host waits, without its own thread.
local MOST_UNROLLED = 256 -- lines of C

local function unroll(code, count, threads, otherwise)
  local is_small = threads == 1 and count * (#code.lines + 1) <= MOST_UNROLLED
  return is_small and "#pragma unroll" or "#pragma unroll " .. otherwise
end

-- The loop over r of a group's thread, in words where that is possible.
local function row_loop(plan, lines, code, row, t, text, count, threads)
  local function add(line, ...)
    lines[#lines + 1] = select("#", ...) > 0 and line:format(...) or line
  end
  local reads, width = word_reads(plan, code, count)
  local step = M.step(row, t, "acc", text)
  if not reads or count < threads * width // 2 then
    add(unroll(code, count, threads, 4))
    add("  for (int r = begin + lane; r < end; r += %d) {", threads)
    add_lines(lines, code.lines)
    add("    acc = %s;", step)
    add("  }")
    return false
  end
  add(unroll(code, count, threads, 2))
  add("  for (int r0 = begin + lane * %d; r0 < end; r0 += %d) {", width,
      threads * width)
  for n, read in ipairs(reads) do
    add("    const Pack<%s, %d> w%d = *(const Pack<%s, %d> *)(%s + %s);",
        read[3], width, n, read[3], width, read[1],
        (read[2]:gsub("%f[%w_]r%f[^%w_]", "r0")))
  end
  add("#pragma unroll")
  add("    for (int k = 0; k < %d; k++) {", width)
  add("      const int r = r0 + k;")
  add_lines(lines, code.lines, function(line)
    for n, read in ipairs(reads) do
      line = line:gsub(escaped(read[1] .. "[" .. read[2] .. "]"),
                       "w" .. n .. ".v[k]")
    end
    return line
  end)
  add("      acc = %s;", step)
  add("    }")
  add("  }")
  return true
end

-- Threads of a group: enough that each has some elements.
local function group_size(count)
  if count < 16 then return 1 end
  if count < 1024 then return 32 end
  return MOST_THREADS
end

-- `outputs` of `count` elements each; with `pieces`, of that many blocks each,
-- in `place` side by side.
local function row_kernel(plan, row, t, place, outputs, count, element, pieces)
  local kernel = plan:new_kernel("reduce")
  local lines = {}
  local function add(text, ...)
    lines[#lines + 1] = select("#", ...) > 0 and text:format(...) or text
  end
  local threads = pieces > 1 and MOST_THREADS or group_size(count)
  local block = threads == 1 and 128 or MOST_THREADS
  local groups = block // threads -- of a block
  local code = kernel:code()
  code.depth = 2
  local text = count > 0 and element(code, "o", "r") or M.start(row, t)
  local target = kernel:write(place)
  local total = outputs * pieces
  if threads == 1 then
    add("  const int n = blockIdx.x * %d + threadIdx.x, lane = 0;", block)
  elseif groups == 1 then
    add("  const int n = blockIdx.x, lane = threadIdx.x;")
  else
    add("  const int n = blockIdx.x * %d + (threadIdx.x >> 5), lane = " ..
        "threadIdx.x & 31;", groups)
  end
  if total % groups ~= 0 then add("  if (n >= %d) return;", total) end
  local index = outputs * count < 1 << 31 and "int" or "long long"
  if pieces > 1 then
    local each = ceil_div(ceil_div(count, pieces), 4096) * 4096
    add("  const %s o = n / %d;", index, pieces)
    add("  const int begin = n %% %d * %d;", pieces, each)
    add("  const int end = begin + %d < %d ? begin + %d : %d;", each, count,
        each, count)
  else
    add("  const %s o = n;", index)
    add("  const int begin = 0, end = %d;", count)
  end
  add("  %s acc = %s;", emit.c_types[wide(t)], M.start(row, t))
  if row_loop(plan, lines, code, row, t, text, count, threads) then
    plan.has_packs = true
  end
  if threads > 1 then M.combine(add, row, t, "acc", threads) end
  local value = place.aval.dtype == t and emit.stored(t, "acc") or "acc"
  add(threads == 1 and "  %s[n] = %s;" or "  if (lane == 0) %s[n] = %s;",
      target, value)
  kernel:done(lines, ceil_div(total, groups), block)
end

-- ---- Columns ----

-- Blocks of 32 neighbouring outputs; with `pieces`, of a part of the elements.
local function column_kernel(plan, row, t, place, outputs, count, element,
                             pieces)
  local kernel = plan:new_kernel("reduce")
  local lines = {}
  local function add(text, ...)
    lines[#lines + 1] = select("#", ...) > 0 and text:format(...) or text
  end
  local code = kernel:code()
  code.depth = 2
  local text = element(code, "o", "r")
  local target = kernel:write(place)
  local c = emit.c_types[wide(t)]
  local each = ceil_div(count, pieces)
  local index = outputs * count < 1 << 31 and "int" or "long long"
  add("  __shared__ %s part[%d][%d];", c, DOWN, ACROSS)
  add("  const int x = threadIdx.x %% %d, y = threadIdx.x / %d;", ACROSS,
      ACROSS)
  add("  const %s o = blockIdx.x * %d + x;", index, ACROSS)
  add("  %s acc = %s;", c, M.start(row, t))
  add("  const int begin = blockIdx.y * %d;", each)
  if each * pieces == count then
    add("  const int end = begin + %d;", each)
  else
    add("  const int end = begin + %d < %d ? begin + %d : %d;", each, count,
        each, count)
  end
  add(outputs % ACROSS == 0 and "  {" or "  if (o < %d) {", outputs)
  add("#pragma unroll 4")
  add("  for (int r = begin + y; r < end; r += %d) {", DOWN)
  add_lines(lines, code.lines)
  add("    acc = %s;", M.step(row, t, "acc", text))
  add("  }")
  add("  }")
  add("  part[y][x] = acc;")
  add("  __syncthreads();")
  add("  if (y == 0 && o < %d) {", outputs)
  add("#pragma unroll")
  add("    for (int k = 1; k < %d; k++) acc = %s;", DOWN,
      M.step(row, t, "acc", "part[k][x]"))
  local value = place.aval.dtype == t and emit.stored(t, "acc") or "acc"
  add("    %s[%s] = %s;", target, pieces > 1 and
      ("blockIdx.y * %d + o"):format(outputs) or "o", value)
  add("  }")
  kernel:done(lines, {ceil_div(outputs, ACROSS), pieces}, ACROSS * DOWN)
end

-- ---- Either ----

local function pieces_of(plan, blocks, count, least)
  return math.max(1, math.min(ceil_div(count, least),
                              plan.most_blocks // math.max(blocks, 1)))
end

--- The steps of a reduction of `count` elements, element(code, output, r), for
--- each of `outputs`. `is_across`: elements of neighbouring outputs lie side by
--- side, rather than those of one.
function M.add(plan, row, aval, place, outputs, count, element, is_across)
  local t = aval.dtype
  is_across = is_across and outputs >= ACROSS and count >= 16
  local kernel = is_across and column_kernel or row_kernel
  local pieces = 1
  if is_across then
    pieces = pieces_of(plan, ceil_div(outputs, ACROSS), count, 64)
  elseif count >= 4 * SPLIT_FROM then
    pieces = pieces_of(plan, outputs, count, SPLIT_FROM)
    if pieces > 1 then -- of whole words for each thread
      local each = ceil_div(ceil_div(count, pieces), 4096) * 4096
      pieces = ceil_div(count, each)
    end
  end
  if count >= 1 << 31 then
    core.fail("unsupported", nil, "a reduction of %d elements to one", count)
  end
  if pieces <= 1 then
    return kernel(plan, row, t, place, outputs, count, element, 1)
  end
  -- First the pieces, then what they gave.
  local temp = plan:new_temp(core.aval({outputs * pieces}, wide(t)))
  kernel(plan, row, t, temp, outputs, count, element, pieces)
  local var = {aval = temp.aval}
  plan.places[var] = temp
  local key = is_across and ("(%%s * %d + %%s)"):format(outputs) or
              ("(%%s * %d + %%s)"):format(pieces)
  kernel(plan, row, t, place, outputs, pieces, function(code, o, r)
    return code:element(var, {flat = is_across and key:format(r, o) or
                                     key:format(o, r)})
  end, 1)
end

-- The index into the operand, from an output's index and a number within the
-- reduced elements.
local function operand_index(shape, axes, out_shape, out, r)
  local gone, sizes = {}, {}
  for _, d in ipairs(axes) do gone[d + 1] = true end
  for d = 1, #shape do
    if gone[d] then sizes[#sizes + 1] = shape[d] end
  end
  -- Whole trailing axes: their elements lie together.
  local is_tail = true
  for d = #shape - #axes + 1, #shape do is_tail = is_tail and gone[d] end
  if is_tail then
    local count = core.size(sizes)
    if #axes == #shape then return {flat = r} end
    return {flat = ("(%s * %d + %s)"):format(out, count, r)}
  end
  local kept = emit.coords_of({flat = out}, out_shape)
  local inner = emit.coords_of({flat = r}, sizes)
  local at, k, m = {}, 0, 0
  for d = 1, #shape do
    if gone[d] then
      m = m + 1
      at[d] = inner[m]
    else
      k = k + 1
      at[d] = kept[k]
    end
  end
  return {at = at}
end

--- The steps of a reduce primitive.
function M.add_equation(plan, eqn)
  local x, out = eqn.inputs[1], eqn.outputs[1]
  local shape, axes = x.aval.shape, eqn.params.axes
  local outputs = core.size(out.aval.shape)
  if outputs == 0 then return end
  local count = core.size(shape) // outputs
  local is_across = true -- the last axis stays
  for _, d in ipairs(axes) do is_across = is_across and d ~= #shape - 1 end
  M.add(plan, eqn.prim.emit.reduce, out.aval, plan.places[out], outputs, count,
        function(code, o, r)
    return code:element(x, operand_index(shape, axes, out.aval.shape, o, r))
  end, is_across)
end

return M
