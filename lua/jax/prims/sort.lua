-- SPDX-License-Identifier: Apache-2.0
-- Sorting along one axis, and the largest elements.
--
-- On a device elements become keys, unsigned numbers in the same order, and
-- what is sorted are keys with their places: first tiles in shared memory (a
-- bitonic network), then sorted runs are merged in pairs, each thread finding
-- where its piece of the result begins (merge path). Equal keys stay in order.
-- At last each operand is read by the sorted places.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")
local each = use("compile/each")
local arrays = use("core/arrays")
local index = use("prims/index")
local np = use.np

local BLOCK = 256
local PIECE = 8 -- elements that a thread merges

-- ---- Keys ----

emit.add_helper("order_key", [[
// NaN is last, and the zeros are equal.
template <class T> __device__ unsigned order_key(T x) {
  return (unsigned)x ^ ((T)-1 < (T)0 ? 0x80000000u : 0u);
}
__device__ unsigned order_key(float x) {
  const unsigned b = __float_as_uint(x);
  if (x != x) return 0xffffffffu;
  return x == 0 ? 0x80000000u : b >> 31 ? ~b : b | 0x80000000u;
}]])
emit.add_helper("order_key_wide", [[
template <class T> __device__ unsigned long long order_key_wide(T x) {
  return (unsigned long long)x ^ ((T)-1 < (T)0 ? 1ull << 63 : 0ull);
}
__device__ unsigned long long order_key_wide(double x) {
  const unsigned long long b = __double_as_longlong(x);
  if (x != x) return ~0ull;
  return x == 0 ? 1ull << 63 : b >> 63 ? ~b : b | 1ull << 63;
}]])
-- Of all bits: -NaN, -0 and 0, NaN are different.
emit.add_helper("total_key", [[
template <class T> __device__ unsigned total_key(T x) {
  return (unsigned)x ^ ((T)-1 < (T)0 ? 0x80000000u : 0u);
}
__device__ unsigned total_key(float x) {
  const unsigned b = __float_as_uint(x);
  return b >> 31 ? ~b : b | 0x80000000u;
}]])
emit.add_helper("total_key_wide", [[
template <class T> __device__ unsigned long long total_key_wide(T x) {
  return (unsigned long long)x ^ ((T)-1 < (T)0 ? 1ull << 63 : 0ull);
}
__device__ unsigned long long total_key_wide(double x) {
  const unsigned long long b = __double_as_longlong(x);
  return b >> 63 ? ~b : b | 1ull << 63;
}]])

local function is_wide(t) return emit.bytes[t] == 8 end

-- ---- On a device ----

local function sizes_around(shape, axis)
  local s = {outer = 1, inner = 1, n = shape[axis + 1]}
  for d, size in ipairs(shape) do
    if d <= axis then s.outer = s.outer * size end
    if d > axis + 1 then s.inner = s.inner * size end
  end
  s.rows = s.outer * s.inner
  return s
end

-- The place in the array of element j of a line.
local function place_of(s, line, j)
  if s.inner == 1 then return ("(%s * %d + %s)"):format(line, s.n, j) end
  return ("((%s / %d * %d + %s) * %d + %s %% %d)"):format(line, s.inner, s.n, j,
                                                          s.inner, line,
                                                          s.inner)
end

local function power_above(n)
  local p = 1
  while p < n do p = 2 * p end
  return p
end

-- Whether the keys at one place are less than those at another, in arrays with
-- these names; where all are equal, `otherwise`.
local function less_text(names, a, b, otherwise)
  local text = otherwise
  for k = #names, 1, -1 do
    local x, y = ("%s[%s]"):format(names[k], a), ("%s[%s]"):format(names[k], b)
    if text == "false" then
      text = ("%s < %s"):format(x, y)
    else
      text = ("(%s < %s || (%s == %s && %s))"):format(x, y, x, y, text)
    end
  end
  return text
end

local function lines_adder(lines)
  return function(text, ...)
    lines[#lines + 1] = select("#", ...) > 0 and text:format(...) or text
  end
end

-- Sorts tiles of up to `tile` elements; keys (if they will be merged) and
-- places go to memory.
local function sort_tiles(plan, s, keys, tile, places, stored)
  local kernel = plan:new_kernel("sort_tiles")
  local per_line = power_above(s.n)
  local is_whole = per_line <= tile
  local part = is_whole and per_line or tile
  local tiles_of_line = is_whole and 1 or (s.n + tile - 1) // tile
  local tiles = is_whole and (s.rows * part + tile - 1) // tile or
                s.rows * tiles_of_line
  local code = kernel:code()
  local names = {}
  for k, key in ipairs(keys) do
    names[k] = "k" .. k
    code:add("__shared__ %s %s[%d];", emit.c_types[key.dtype], names[k], tile)
  end
  code:add("__shared__ int from[%d];", tile)
  local function where()
    if is_whole then
      code:add("const int line = (blockIdx.x * %d + e) / %d;", tile, part)
      code:add("const int j = e %% %d;", part)
    else
      code:add("const int line = blockIdx.x / %d;", tiles_of_line)
      code:add("const int j = blockIdx.x %% %d * %d + e;", tiles_of_line, tile)
    end
    code:add("const bool is_in = line < %d && j < %d;", s.rows, s.n)
  end
  code:open(("for (int e = threadIdx.x; e < %d; e += blockDim.x)"):format(tile))
  where()
  code:add("from[e] = is_in ? j : 0x7fffffff;")
  for k, key in ipairs(keys) do code:add("%s[e] = ~(%s)0;", names[k],
                                         emit.c_types[key.dtype]) end
  code:open("if (is_in)")
  code:add("const int at = %s;", place_of(s, "line", "j"))
  for k, key in ipairs(keys) do
    code:add("%s[e] = %s;", names[k], key.text(code, "at"))
  end
  code:close()
  code:close()
  code:open(("for (int k = 2; k <= %d; k <<= 1)"):format(part))
  code:open("for (int d = k >> 1; d > 0; d >>= 1)")
  code:add("__syncthreads();")
  code:open(("for (int e = threadIdx.x; e < %d; e += blockDim.x)"):format(
    tile // 2))
  code:add("const int a = 2 * e - (e & (d - 1)), b = a + d;")
  code:add("const bool is_up = (a & %d & k) == 0;", part - 1)
  code:open(("if (%s == is_up)"):format(less_text(names, "b", "a",
                                                  "from[b] < from[a]")))
  for k, key in ipairs(keys) do
    code:add("const %s t%d = %s[a]; %s[a] = %s[b]; %s[b] = t%d;",
             emit.c_types[key.dtype], k, names[k], names[k], names[k], names[k],
             k)
  end
  code:add("const int f = from[a]; from[a] = from[b]; from[b] = f;")
  for _ = 1, 4 do code:close() end
  code:add("__syncthreads();")
  local to = kernel:write(plan.places[places])
  local key_to = {}
  for k, var in ipairs(stored) do key_to[k] = kernel:write(plan.places[var]) end
  code:open(("for (int e = threadIdx.x; e < %d; e += blockDim.x)"):format(tile))
  where()
  code:open("if (is_in)")
  code:add("%s[line * %d + j] = from[e];", to, s.n)
  for k, name in ipairs(key_to) do
    code:add("%s[line * %d + j] = %s[e];", name, s.n, names[k])
  end
  code:close()
  code:close()
  kernel:done(code.lines, tiles, math.max(32, math.min(BLOCK, tile // 2)))
end

-- Merges sorted runs of `width` in pairs; without keys_to it is the last time.
local function merge_runs(plan, s, width, places, keys, places_to, keys_to)
  local kernel = plan:new_kernel("merge")
  local lines, names, written = {}, {}, {}
  local add = lines_adder(lines)
  local from = kernel:read(places)
  for k, var in ipairs(keys) do names[k] = kernel:read(var) end
  local to = kernel:write(plan.places[places_to])
  for k, var in ipairs(keys_to or {}) do
    written[k] = kernel:write(plan.places[var])
  end
  local pieces = (s.n + PIECE - 1) // PIECE
  add("  const int piece = blockIdx.x * blockDim.x + threadIdx.x;")
  add("  if (piece >= %d) return;", pieces * s.rows)
  add("  const int line = piece / %d, first = piece %% %d * %d;", pieces,
      pieces, PIECE)
  add("  const int base = first / %d * %d, start = line * %d;", 2 * width,
      2 * width, s.n)
  add("  const int middle = min(base + %d, %d), end = min(base + %d, %d);",
      width, s.n, 2 * width, s.n)
  add("  const int want = first - base, right = end - middle;")
  add("  int low = max(0, want - right), high = min(want, middle - base);")
  add("  while (low < high) {")
  add("    const int m = (low + high) / 2;")
  add("    const int a = start + base + m, b = start + middle + want - 1 - m;")
  add("    if (%s) high = m;", less_text(names, "b", "a", "false"))
  add("    else low = m + 1;")
  add("  }")
  add("  int a = start + base + low, b = start + middle + want - low;")
  add("  const int a_end = start + middle, b_end = start + end;")
  add("  for (int o = first; o < min(first + %d, end); o++) {", PIECE)
  add("    const bool is_b = a >= a_end || (b < b_end && %s);",
      less_text(names, "b", "a", "false"))
  add("    const int i = is_b ? b++ : a++;")
  add("    %s[start + o] = %s[i];", to, from)
  for k, name in ipairs(written) do
    add("    %s[start + o] = %s[i];", name, names[k])
  end
  add("  }")
  kernel:done(lines, (pieces * s.rows + BLOCK - 1) // BLOCK, BLOCK)
end

-- The variable with each line's places in sorted order. keys: {dtype, text =
-- function(code, flat)}.
local function sorted_places(plan, s, keys)
  local size, bytes = s.rows * s.n, 4
  for _, key in ipairs(keys) do bytes = bytes + emit.bytes[key.dtype] end
  local tile = 1024
  while tile * bytes > 40 * 1024 do tile = tile // 2 end
  if power_above(s.n) < tile then
    tile = math.max(64, power_above(s.n),
                    math.min(tile, power_above(s.rows * power_above(s.n))))
  end
  local function temps()
    local list = {}
    for k, key in ipairs(keys) do
      list[k] = each.temp(plan, core.aval({size}, key.dtype))
    end
    return list
  end
  local function new_places()
    return each.temp(plan, core.aval({size}, "i32"))
  end
  local places = new_places()
  local stored = s.n > tile and temps() or {}
  sort_tiles(plan, s, keys, tile, places, stored)
  local width = tile
  while width < s.n do
    local is_last = 2 * width >= s.n
    local to, keys_to = new_places(), not is_last and temps() or nil
    merge_runs(plan, s, width, places, stored, to, keys_to)
    places, stored, width = to, keys_to, 2 * width
  end
  return places
end

local function check_size(name, shape)
  if core.size(shape) >= 1 << 31 then
    core.fail("unsupported", nil, "%s of 2^31 elements or more", name)
  end
end

local function key_of(atom, kind, is_descending)
  local t = atom.aval.dtype
  local wide = is_wide(t)
  return {
    dtype = wide and "u64" or "u32",
    text = function(code, flat)
      local text = ("%s_key%s(%s)"):format(kind, wide and "_wide" or "",
                                           code:element(atom, {flat = flat}))
      return is_descending and "~" .. text or text
    end,
  }
end

local function emit_sort(eqn, plan)
  local p, shape = eqn.params, eqn.inputs[1].aval.shape
  if core.size(shape) == 0 then return end
  check_size("sort", shape)
  local s = sizes_around(shape, p.dimension)
  local keys = {}
  for k = 1, p.num_keys do keys[k] = key_of(eqn.inputs[k], "order") end
  local places = sorted_places(plan, s, keys)
  each.index(plan, "sorted", core.size(shape), function(code, i, kernel)
    code:add("const int line = %s / %d * %d + %s %% %d;", i, s.n * s.inner,
             s.inner, i, s.inner)
    code:add("const int j = %s / %d %% %d;", i, s.inner, s.n)
    local from = code:element(places, {flat = ("line * %d + j"):format(s.n)})
    code:add("const int at = %s;", place_of(s, "line", from))
    for k, var in ipairs(eqn.outputs) do
      local t = var.aval.dtype
      code:add("%s[%s] = %s;", kernel:write(plan.places[var]), i,
               emit.stored(t, code:element(eqn.inputs[k], {flat = "at"})))
    end
  end)
end

local function emit_top_k(eqn, plan)
  local p, x = eqn.params, eqn.inputs[1]
  local shape, out = x.aval.shape, eqn.outputs[1].aval.shape
  if core.size(out) == 0 then return end
  check_size("top_k", shape)
  local s = sizes_around(shape, p.axis)
  local places = sorted_places(plan, s, {key_of(x, "total", true)})
  each.index(plan, "top", core.size(out), function(code, i, kernel)
    code:add("const int line = %s / %d * %d + %s %% %d;", i, p.k * s.inner,
             s.inner, i, s.inner)
    code:add("const int j = %s / %d %% %d;", i, s.inner, p.k)
    local from = code:element(places, {flat = ("line * %d + j"):format(s.n)})
    code:add("const int at = %s;", place_of(s, "line", from))
    code:add("%s[%s] = %s;", kernel:write(plan.places[eqn.outputs[1]]), i,
             emit.stored(x.aval.dtype, code:element(x, {flat = "at"})))
    code:add("%s[%s] = %s;", kernel:write(plan.places[eqn.outputs[2]]), i,
             from)
  end)
end

-- ---- Along an axis by places ----

local function along(shape, axis)
  local others, sizes = {}, {}
  for d = 0, #shape - 1 do
    if d ~= axis then others[#others + 1] = d end
    sizes[d + 1] = 1
  end
  return {offset_dims = {}, collapsed_slice_dims = {axis},
          start_index_map = {axis}, operand_batching_dims = others,
          start_indices_batching_dims = others}, sizes
end

local function as_rows(places)
  return lax.expand_dims(places, {#core.shape_of(places)})
end

--- The elements of x at `places` of an axis; the other axes are the places'.
function lax.take_along(x, places, axis, options)
  local shape = core.shape_of(places)
  if core.size(shape) == 0 then return lax.full(shape, 0, core.dtype_of(x)) end
  local numbers, sizes = along(core.shape_of(x), axis)
  return lax.gather(x, as_rows(places), numbers, sizes, options)
end

-- The cotangent of x, of which take_along gave what `ct` belongs to.
local function put_along(x, places, axis, ct)
  if core.size(core.shape_of(ct)) == 0 then return lax.full_like(x, 0) end
  local numbers = index.as_scatter((along(core.shape_of(x), axis)))
  return lax.scatter_add(lax.full_like(x, 0), as_rows(places), ct, numbers,
                         {unique_indices = true, mode = "promise_in_bounds"})
end

-- ---- sort: {dimension, is_stable, num_keys} ----

local function is_float(x) return core.dtype_of(x):find("^b?f") ~= nil end

local function with_places(p, values)
  local x = values[1]
  local shape = core.shape_of(x)
  local all = table.move(values, 1, #values, 1, {})
  all[#all + 1] = lax.iota("i32", shape, p.dimension)
  local outputs = core.bind(core.prims.sort, p, all)
  return outputs, table.remove(outputs)
end

core.define{
  name = "sort",
  eval = function(p, ...)
    local operands, places = {...}, nil
    if operands[1].size == 0 then return operands end
    for k = p.num_keys, 1, -1 do
      local key = operands[k]
      if places then key = np.take_along_axis(key, places, p.dimension) end
      local order = np.argsort(key, p.dimension)
      places = places and np.take_along_axis(places, order, p.dimension) or
               order
    end
    for i, x in ipairs(operands) do
      operands[i] = np.take_along_axis(x, places, p.dimension)
    end
    return operands
  end,
  shape = function(p, first, ...)
    if p.dimension < 0 or p.dimension >= #first.shape then
      core.fail("argument", "ValueError", "sort: axis %d of an array of " ..
                "shape %s", p.dimension, core.shape_text(first.shape))
    end
    local out = {first}
    for i, x in ipairs{...} do
      if not core.same_shape(x.shape, first.shape) then
        core.fail("argument", "TypeError", "sort: shapes must be equal: %s " ..
                  "and %s", core.shape_text(first.shape),
                  core.shape_text(x.shape))
      end
      out[i + 1] = x
    end
    if p.num_keys < 1 or p.num_keys > #out then
      core.fail("argument", "ValueError", "sort: %d keys of %d operands",
                p.num_keys, #out)
    end
    return out
  end,
  batch = function(p, size, values, dims)
    local moved, out_dims = {}, {}
    for i, x in ipairs(values) do
      moved[i] = batch.at(x, dims[i], 0, size)
      out_dims[i] = 0
    end
    return core.bind(core.prims.sort,
                     {dimension = p.dimension + 1, is_stable = p.is_stable,
                      num_keys = p.num_keys}, moved), out_dims
  end,
  diff = {
    gives_outputs = true,
    jvp = function(p, values, t)
      local outputs, places = with_places(p, values)
      local tangents = {}
      for i in ipairs(values) do
        tangents[i] = t[i] and lax.take_along(t[i], places, p.dimension)
      end
      return tangents, outputs
    end,
    forward = function(p, values)
      local outputs, places = with_places(p, values)
      return outputs, {places}
    end,
    vjp = function(p, cts, values, _, saved)
      local back = {}
      for i, x in ipairs(values) do
        back[i] = cts[i] and is_float(x) and
                  put_along(x, saved[1], p.dimension, cts[i])
      end
      return back
    end,
  },
  emit = {call = emit_sort, pulls = true},
}

local function axis_of(x, axis, name)
  local rank = #core.shape_of(x)
  if math.type(axis) ~= "integer" or axis < -rank or axis >= rank then
    core.fail("argument", "ValueError", "%s: axis %s of an array of shape %s",
              name, tostring(axis), core.shape_text(core.shape_of(x)))
  end
  return axis < 0 and axis + rank or axis
end

-- The last argument, if it has names.
local function named(names, ...)
  local out, list = {}, {...}
  local last = list[#list]
  if type(last) == "table" and not getmetatable(last) then
    out = last
    list[#list] = nil
  end
  for i, v in ipairs(list) do out[names[i]] = v end
  return out
end

local function values_of(operands)
  local is_list = type(operands) == "table" and not getmetatable(operands)
  local list = {}
  for i, x in ipairs(is_list and operands or {operands}) do
    list[i] = arrays.as_value(x, "an operand")
  end
  return list
end

--- Sorts along an axis (the last), NaN last, equal elements in their order. A
--- list of operands is sorted by the first, or the first num_keys; all are
--- given back.
function lax.sort(operands, ...)
  local o = named({"dimension", "is_stable", "num_keys"}, ...)
  local list = values_of(operands)
  local dimension = axis_of(list[1], o.dimension or -1, "sort")
  return table.unpack(core.bind(core.prims.sort, {
    dimension = dimension, is_stable = o.is_stable ~= false,
    num_keys = o.num_keys or 1}, list))
end

-- ---- top_k: {axis, k} ----

local signed = {f16 = "i16", bf16 = "i16", f32 = "i32", f64 = "i64"}

-- Integers that grow where the elements fall, by all bits.
local function falling(x)
  local t = signed[x.dtype]
  if x.dtype == "bool" then return np.logical_not(x) end
  if not t then return np.invert(x) end
  local b = x:copy():view(t)
  local rest = np.array(t == "i64" and math.maxinteger or
                        t == "i32" and 0x7fffffff or 0x7fff, t)
  return np.invert(np.where(np.less(b, 0), np.bitwise_xor(b, rest), b))
end

core.define{
  name = "top_k",
  eval = function(p, x)
    local shape = table.move(x.shape, 1, #x.shape, 1, {})
    shape[p.axis + 1] = p.k
    if core.size(shape) == 0 then
      return {np.zeros(shape, x.dtype), np.zeros(shape, "i32")}
    end
    local key = {}
    for d = 1, #shape do key[d] = d == p.axis + 1 and ":" .. p.k or ":" end
    local places = np.argsort(falling(x), p.axis)[table.concat(key, ", ")]
    return {np.take_along_axis(x, places, p.axis), places}
  end,
  shape = function(p, x)
    local shape = table.move(x.shape, 1, #x.shape, 1, {})
    if math.type(p.k) ~= "integer" or p.k < 0 or p.k > shape[p.axis + 1] then
      core.fail("argument", "ValueError", "top_k: k = %s of an axis of size " ..
                "%d", tostring(p.k), shape[p.axis + 1])
    end
    shape[p.axis + 1] = p.k
    return {core.aval(shape, x.dtype, x.weak), core.aval(shape, "i32")}
  end,
  batch = function(p, _, values, dims)
    local axis = p.axis < dims[1] and p.axis or p.axis + 1
    return core.bind(core.prims.top_k, {axis = axis, k = p.k}, values),
           {dims[1], dims[1]}
  end,
  diff = {
    jvp = function(p, _, t, outputs)
      return {lax.take_along(t[1], outputs[2], p.axis), false}
    end,
    vjp = function(p, cts, values, outputs)
      return {cts[1] and put_along(values[1], outputs[2], p.axis, cts[1])}
    end,
  },
  emit = {call = emit_top_k, pulls = true},
}

--- The k largest elements of an axis (the last) in falling order, and their
--- places.
function lax.top_k(x, k, axis)
  if type(k) == "table" then k, axis = k.k, k.axis end
  if type(axis) == "table" then axis = axis.axis end
  x = arrays.as_value(x, "the operand")
  axis = axis_of(x, axis or -1, "top_k")
  return table.unpack(core.bind(core.prims.top_k, {axis = axis, k = k}, {x}))
end
