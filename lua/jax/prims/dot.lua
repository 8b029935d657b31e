-- SPDX-License-Identifier: Apache-2.0
-- dot_general: products of matrices and all their kin. Dimensions of both
-- arguments are batch, contracting or free; the result has batch, left free and
-- right free ones in this order (XLA's DotGeneral).
--
--   dimension_numbers = {{left contracting, right contracting},
--                        {left batch, right batch}}
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local emit = use("compile/emit")
local plan = use("compile/plan")
local config = use("core/config")
local print = use("core/print")
local types = use("core/types")
local np = use.np

local function contains(list, x)
  for _, v in ipairs(list) do
    if v == x then return true end
  end
  return false
end

local function free_dims(rank, contracting, batched)
  local out = {}
  for d = 0, rank - 1 do
    if not contains(contracting, d) and not contains(batched, d) then
      out[#out + 1] = d
    end
  end
  return out
end

local function sizes_of(shape, dims)
  local out = {}
  for i, d in ipairs(dims) do out[i] = shape[d + 1] end
  return out
end

local function joined(...)
  local out = {}
  for _, list in ipairs{...} do
    for _, v in ipairs(list) do out[#out + 1] = v end
  end
  return out
end

-- The dimensions by role.
local function roles(p, x_rank, y_rank)
  local contracting, batched = p.dimension_numbers[1], p.dimension_numbers[2]
  return {lc = contracting[1], rc = contracting[2], lb = batched[1],
          rb = batched[2], lf = free_dims(x_rank, contracting[1], batched[1]),
          rf = free_dims(y_rank, contracting[2], batched[2])}
end

local function check(p, x, y)
  local r = roles(p, #x.shape, #y.shape)
  for _, pair in ipairs{{r.lc, r.rc, "contracting"}, {r.lb, r.rb, "batch"}} do
    local a, b = sizes_of(x.shape, pair[1]), sizes_of(y.shape, pair[2])
    if not core.same_shape(a, b) then
      core.fail("argument", "TypeError",
                "dot_general: the %s dimensions of %s and %s differ: %s and %s",
                pair[3], core.shape_text(x.shape), core.shape_text(y.shape),
                core.shape_text(a), core.shape_text(b))
    end
  end
  if x.dtype ~= y.dtype then
    core.fail("argument", "TypeError",
              "dot_general: types must be equal: %s and %s", x.dtype, y.dtype)
  end
  return r
end

-- Both sides as (batch, rows, inner) and (batch, inner, columns).
local function as_matrices(r, x, y)
  local function size(shape, dims) return core.size(sizes_of(shape, dims)) end
  local b, m, k, n = size(x.shape, r.lb), size(x.shape, r.lf),
                     size(x.shape, r.lc), size(y.shape, r.rf)
  local left = np.transpose(x, joined(r.lb, r.lf, r.lc)):reshape(b, m, k)
  local right = np.transpose(y, joined(r.rb, r.rc, r.rf)):reshape(b, k, n)
  return left, right, b, m, n
end

local small_floats = {f16 = true, bf16 = true}

-- ---- CUDA C ----

-- The index into one side from texts for its batch, free and contracting parts.
local function side_index(shape, batched, free, inner, b, f, k)
  local at = {}
  for _, part in ipairs{{batched, b}, {free, f}, {inner, k}} do
    local own = emit.coords_of({flat = part[2]}, sizes_of(shape, part[1]))
    for i, d in ipairs(part[1]) do at[d + 1] = own[i] end
  end
  return {at = at}
end

local TILE, DEPTH = 64, 16 -- 256 threads, 4 x 4 results each
plan.few = 1 << 19 -- multiplications that are no matter for tiles

local tile_text = [[
  __shared__ $c left[$depth][$tile + 4], right[$depth][$tile + 4];
  const int b = blockIdx.z;
  const int row0 = blockIdx.y * $tile, col0 = blockIdx.x * $tile;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  $c acc[4][4] = {};
  for (int k0 = 0; k0 < $inner; k0 += $depth) {
    for (int e = threadIdx.x; e < $tile * $depth; e += 256) {
      const int k = k0 + e % $depth, f = row0 + e / $depth;
      $c v = 0;
      if (k < $inner && f < $rows) {
$left
      }
      left[e % $depth][e / $depth] = v;
    }
    for (int e = threadIdx.x; e < $tile * $depth; e += 256) {
      const int k = k0 + e / $tile, f = col0 + e % $tile;
      $c v = 0;
      if (k < $inner && f < $columns) {
$right
      }
      right[e / $tile][e % $tile] = v;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < $depth; k++)
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 4; s++)
          acc[r][s] =
              $fma(left[k][ty * 4 + r], right[k][tx * 4 + s], acc[r][s]);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int s = 0; s < 4; s++) {
      const int row = row0 + ty * 4 + r, col = col0 + tx * 4 + s;
      if (row < $rows && col < $columns)
        $out[((long long)b * $rows + row) * $columns + col] = $result;
    }]]

local function fma_of(t)
  if t == "f64" then return "fma" end
  if t:find("^b?f") then return "fmaf" end
  return "madd"
end

local function tiled(p, r, x, y, target, sizes)
  local kernel = p:new_kernel("dot")
  local t = x.aval.dtype
  local function side(atom, batched, free, inner)
    local code = kernel:code()
    code.depth = 4
    local text = code:element(atom, side_index(atom.aval.shape, batched, free,
                                               inner, "b", "f", "k"))
    code:add("v = %s;", text)
    return table.concat(code.lines, "\n")
  end
  local values = {
    c = emit.compute_type(t), tile = TILE, depth = DEPTH, inner = sizes.k,
    rows = sizes.m, columns = sizes.n, fma = fma_of(t),
    left = side(x, r.lb, r.lf, r.lc), right = side(y, r.rb, r.rf, r.rc),
  }
  values.out = kernel:write(target)
  values.result = emit.stored(target.aval.dtype, "acc[r][s]")
  local text = tile_text:gsub("%$(%l+)", values)
  kernel:done({text}, {(sizes.n + TILE - 1) // TILE,
                       (sizes.m + TILE - 1) // TILE, sizes.b}, 256)
end

-- Few results, or short sums: each is a reduction of products.
local function as_reduction(p, r, x, y, target, sizes)
  local t = x.aval.dtype
  local row = {start = "0", step = "$1 + $2"}
  plan.add_reduction(p, row, target.aval, target, sizes.b * sizes.m * sizes.n,
                     sizes.k, function(code, o, k)
    local b, m, n = "0", o, "0"
    if sizes.n > 1 then
      n = ("(%s %% %d)"):format(o, sizes.n)
      m = ("(%s / %d)"):format(o, sizes.n)
    end
    if sizes.b > 1 then
      b = ("(%s / %d)"):format(o, sizes.m * sizes.n)
      m = ("(%s %% %d)"):format(m, sizes.m)
    end
    local u = code:element(x, side_index(x.aval.shape, r.lb, r.lf, r.lc, b, m,
                                         k))
    local v = code:element(y, side_index(y.aval.shape, r.rb, r.rf, r.rc, b, n,
                                         k))
    return code:name(emit.compute_type(t), ("%s * %s"):format(u, v))
  end, false)
end

-- ---- The vendor's library ----

-- An atom as a view of memory: its place, the offset and the strides in
-- elements; nil where it is computed, or not so simply laid out.
local function view_of(p, atom)
  if core.is_literal(atom) then return nil end
  local place, shape = p.places[atom], atom.aval.shape
  if place then
    if place.is_value then return nil end
    local strides, step = {}, 1
    for d = #shape, 1, -1 do
      strides[d] = step
      step = step * shape[d]
    end
    return {place = place, offset = 0, strides = strides, is_whole = true}
  end
  local eqn = p.made[atom]
  local name = eqn.prim.name
  if not eqn.prim.emit.view or #eqn.inputs ~= 1 then return nil end
  local x = view_of(p, eqn.inputs[1])
  if not x then return nil end
  local from, strides = eqn.inputs[1].aval.shape, {}
  local offset, params = x.offset, eqn.params
  if name == "transpose" then
    for i, d in ipairs(params.permutation) do strides[i] = x.strides[d + 1] end
  elseif (name == "reshape" or name == "squeeze") and x.is_whole then
    local step = 1
    for d = #shape, 1, -1 do
      strides[d] = step
      step = step * shape[d]
    end
    return {place = x.place, offset = offset, strides = strides,
            is_whole = true}
  elseif name == "broadcast_in_dim" then
    for d = 1, #shape do strides[d] = 0 end
    for i, d in ipairs(params.broadcast_dimensions) do
      strides[d + 1] = from[i] == 1 and 0 or x.strides[i]
    end
  elseif name == "slice" then
    for d = 1, #shape do
      offset = offset + params.start_indices[d] * x.strides[d]
      strides[d] = x.strides[d] * (params.strides and params.strides[d] or 1)
    end
  else
    return nil
  end
  return {place = x.place, offset = offset, strides = strides}
end

-- Several dimensions as one: its size and stride; nil where that is not one.
local function merged(shape, strides, dims)
  local size, stride = 1, nil
  for i = #dims, 1, -1 do
    local n, s = shape[dims[i] + 1], strides[dims[i] + 1]
    if n ~= 1 then
      if stride and s ~= stride * size then return nil end
      stride = stride or s
      size = size * n
    end
  end
  return size, stride or 0
end

-- A side as the library takes it: rows and columns, one of which lies packed.
local function matrix_of(view, shape, batched, rows, columns)
  local count, step = merged(shape, view.strides, batched)
  local m, row = merged(shape, view.strides, rows)
  local n, column = merged(shape, view.strides, columns)
  if not (count and m and n) then return nil end
  local out = {place = view.place, offset = view.offset, step = step}
  if (column == 1 or n == 1) and (m == 1 or row >= n) then
    out.pitch = m == 1 and math.max(n, 1) or row
  elseif (row == 1 or m == 1) and (n == 1 or column >= m) then
    out.pitch, out.is_transposed = n == 1 and math.max(m, 1) or column, true
  else
    return nil
  end
  return out
end

-- The atom's own memory with its dimensions in this order.
local function copied(p, atom, order)
  local shape = sizes_of(atom.aval.shape, order)
  local var = {aval = core.aval(shape, atom.aval.dtype)}
  p.made[var] = {prim = core.prims.transpose, params = {permutation = order},
                 inputs = {atom}, outputs = {var}}
  p:materialise(var)
  return view_of(p, var), shape
end

local function count_from(first, list)
  local out = {}
  for i = 1, #list do out[i] = first + i - 1 end
  return out
end

-- A side in memory, put there (in its order of roles) where it is not.
local function side_in_memory(p, atom, batched, rows, columns)
  local made = p.made[atom]
  if made and not made.prim.emit.view then p:materialise(atom) end
  local view = view_of(p, atom)
  local m = view and matrix_of(view, atom.aval.shape, batched, rows, columns)
  if m then return m end
  local shape
  view, shape = copied(p, atom, joined(batched, rows, columns))
  return matrix_of(view, shape, count_from(0, batched),
                   count_from(#batched, rows),
                   count_from(#batched + #rows, columns))
end

-- A copy of the left side by rows, or of the right one by columns: what is
-- summed lies together.
local function left_by_rows(p, x, r)
  local view, shape = copied(p, x, joined(r.lb, r.lf, r.lc))
  return matrix_of(view, shape, count_from(0, r.lb), count_from(#r.lb, r.lf),
                   count_from(#r.lb + #r.lf, r.lc))
end

local function right_by_columns(p, y, r)
  local view, shape = copied(p, y, joined(r.rb, r.rf, r.rc))
  return matrix_of(view, shape, count_from(0, r.rb),
                   count_from(#r.rb + #r.rf, r.rc), count_from(#r.rb, r.rf))
end

--- The tensor cores take TF32 factors with what is summed lying together: the
--- library turns others itself, slowly. From how many rows or columns on of the
--- other factor a copy that lies so is quicker: where neither does, and where
--- the left one does (bench/mesh, on an H200: 2.0 ms of 2.8, and 1.5 of 1.9).
plan.turned_from = {neither = 2048, right = 16384}
local TURNED_CAPABILITY = 90 -- where that was measured

-- Which side of a product is better turned: "left", "right" or nil.
local function side_to_turn(a, b, sizes)
  local is_left_good, is_right_good = not a.is_transposed, b.is_transposed
  local from = plan.turned_from
  if is_right_good or sizes.k == 1 then return nil end
  if is_left_good then return sizes.m >= from.right and "right" or nil end
  if math.max(sizes.m, sizes.n) < from.neither then return nil end
  return sizes.m < sizes.n and "left" or "right"
end

local LIMIT = 1 << 31 -- the library counts in int

--- Is a product of f32 rounded to TF32 first? `capability` is the device's, 80
--- for 8.0; without a precision it decides.
function plan.is_tf32(precision, dtype, capability)
  if dtype ~= "f32" then return false end
  return precision == "tensorfloat32" or precision == nil and capability >= 80
end

local function by_library(eqn, p, r, x, y, out, sizes)
  local a = side_in_memory(p, x, r.lb, r.lf, r.lc)
  local b = side_in_memory(p, y, r.rb, r.rc, r.rf)
  local is_tf32 = plan.is_tf32(eqn.params.precision, x.aval.dtype,
                               use.capability())
  local side = is_tf32 and sizes.b == 1 and
               use.capability() >= TURNED_CAPABILITY and
               side_to_turn(a, b, sizes)
  if side == "left" then a = left_by_rows(p, x, r) end
  if side == "right" then b = right_by_columns(p, y, r) end
  local function matrix(m, atom)
    return {offset = m.offset * emit.bytes[atom.aval.dtype], pitch = m.pitch,
            step = m.step, is_transposed = m.is_transposed}
  end
  table.insert(p.steps, {
    places = {a.place, b.place, p.places[out]}, written = {[3] = true},
    name = "dot_general",
    product = {
      a = matrix(a, x), b = matrix(b, y),
      c = {offset = 0, pitch = sizes.n, step = sizes.m * sizes.n},
      type = x.aval.dtype, result_type = out.aval.dtype,
      is_tf32 = is_tf32, rows = sizes.m, columns = sizes.n, inner = sizes.k,
      count = sizes.b,
    },
  })
end

-- cublasGemmEx's pairs of types.
local library_types = {f16 = {f16 = true, f32 = true}, f32 = {f32 = true},
                       bf16 = {bf16 = true, f32 = true}, f64 = {f64 = true}}

local function is_for_library(x, out, sizes)
  local results = library_types[x.aval.dtype]
  return results and results[out.aval.dtype] and sizes.m < LIMIT and
         sizes.n < LIMIT and sizes.k < LIMIT and sizes.b < LIMIT and
         use.has_products()
end

-- What costs something is not computed again for each tile.
local function settle(p, atom)
  if not core.is_literal(atom) and p:cost_of(atom) > 4 then
    p:materialise(atom)
  end
end

local function emit_dot(eqn, p)
  local x, y = eqn.inputs[1], eqn.inputs[2]
  local out = eqn.outputs[1]
  local r = roles(eqn.params, #x.aval.shape, #y.aval.shape)
  local function size(a, dims)
    return core.size(sizes_of(a.aval.shape, dims))
  end
  local sizes = {b = size(x, r.lb), m = size(x, r.lf), k = size(x, r.lc),
                 n = size(y, r.rf)}
  if core.size(out.aval.shape) == 0 then return end
  local results = sizes.m * sizes.n
  if results < 16 * TILE or sizes.m < 8 or sizes.n < 8 or sizes.k == 0 or
     sizes.b * results * sizes.k < plan.few then
    as_reduction(p, r, x, y, p.places[out], sizes)
  elseif is_for_library(x, out, sizes) then
    by_library(eqn, p, r, x, y, out, sizes)
  else
    settle(p, x)
    settle(p, y)
    tiled(p, r, x, y, p.places[out], sizes)
  end
end

--- transpose(dot_general(x, y)) where it brings y's free axes before x's:
--- dot_general(y, x). Gives the new equation, or nil.
function plan.swapped(transpose, dot)
  local x, y = dot.inputs[1], dot.inputs[2]
  local r = roles(dot.params, #x.aval.shape, #y.aval.shape)
  local b, m, n = #r.lb, #r.lf, #r.rf
  local permutation = transpose.params.permutation
  for i = 1, b do
    if permutation[i] ~= i - 1 then return nil end
  end
  for i = 1, n do
    if permutation[b + i] ~= b + m + i - 1 then return nil end
  end
  for i = 1, m do
    if permutation[b + n + i] ~= b + i - 1 then return nil end
  end
  local params = {}
  for k, v in pairs(dot.params) do params[k] = v end
  params.dimension_numbers = {{r.rc, r.lc}, {r.rb, r.lb}}
  return {prim = dot.prim, params = params, inputs = {y, x},
          outputs = transpose.outputs}
end

-- ---- The row ----

local function dims_of(p, side, kind)
  return p.dimension_numbers[kind][side]
end

core.define{
  name = "dot_general",
  eval = function(p, x, y)
    local r = roles(p, #x.shape, #y.shape)
    local left, right, b, m, n = as_matrices(r, x, y)
    local shape = joined(sizes_of(x.shape, r.lb), sizes_of(x.shape, r.lf),
                         sizes_of(y.shape, r.rf))
    local wide = small_floats[x.dtype] and "f32" or x.dtype
    local out = np.zeros({b, m, n}, wide)
    if #left.shape > 0 and left.size > 0 and right.size > 0 then
      left, right = left:astype(wide), right:astype(wide)
      for i = 0, b - 1 do
        out[i] = np.matmul(left[i], right[i])
      end
    end
    return out:reshape(shape):astype(p.preferred_element_type or x.dtype)
  end,
  shape = function(p, x, y)
    local r = check(p, x, y)
    return core.aval(joined(sizes_of(x.shape, r.lb), sizes_of(x.shape, r.lf),
                            sizes_of(y.shape, r.rf)),
                     p.preferred_element_type or x.dtype, x.weak and y.weak)
  end,
  batch = function(p, _, values, dims)
    local function moved(list, dim)
      local out = {}
      for i, d in ipairs(list) do out[i] = d < dim and d or d + 1 end
      return out
    end
    local x, y = values[1], values[2]
    local lc, rc = dims_of(p, 1, 1), dims_of(p, 2, 1)
    local lb, rb = dims_of(p, 1, 2), dims_of(p, 2, 2)
    if dims[1] and dims[2] then
      return {lax.dot_general(x, y,
        {{moved(lc, dims[1]), moved(rc, dims[2])},
         {joined({dims[1]}, moved(lb, dims[1])),
          joined({dims[2]}, moved(rb, dims[2]))}}, p.precision,
        p.preferred_element_type)},
        {0}
    end
    -- One side: its axis becomes a free one. Where it lands is counted.
    local side = dims[1] and 1 or 2
    local dim = dims[side]
    local numbers = side == 1 and {{moved(lc, dim), rc}, {moved(lb, dim), rb}}
                    or {{lc, moved(rc, dim)}, {lb, moved(rb, dim)}}
    local out = lax.dot_general(x, y, numbers, p.precision,
                                p.preferred_element_type)
    local r = roles({dimension_numbers = numbers}, #core.shape_of(x),
                    #core.shape_of(y))
    local free, before = side == 1 and r.lf or r.rf, #r.lb
    if side == 2 then before = before + #r.lf end
    for i, d in ipairs(free) do
      if d == dim then return {out}, {before + i - 1} end
    end
  end,
  diff = {
    jvp = function(p, values, t)
      local x, y = values[1], values[2]
      local function dot(a, b)
        return lax.dot_general(a, b, p.dimension_numbers,
                               p.precision, p.preferred_element_type)
      end
      if t[1] and t[2] then return {lax.add_any(dot(t[1], y), dot(x, t[2]))} end
      return {t[1] and dot(t[1], y) or dot(x, t[2])}
    end,
    vjp = function(p, cts, values)
      local ct = cts[1]
      if not ct then return {false, false} end
      local x, y = values[1], values[2]
      local r = roles(p, #core.shape_of(x), #core.shape_of(y))
      local function iota(n, from)
        local out = {}
        for i = 1, n do out[i] = from + i - 1 end
        return out
      end
      -- ct has batch, left free, right free.
      local cb = iota(#r.lb, 0)
      local cl, cr = iota(#r.lf, #r.lb), iota(#r.rf, #r.lb + #r.lf)
      -- ct has the result's type, which may be another than the factors'.
      local function product(other, numbers)
        local t = types.result_type{{dtype = core.dtype_of(ct)},
                                    {dtype = core.dtype_of(other)}}
        local function as(a)
          return core.dtype_of(a) == t and a or lax.convert_element_type(a, t)
        end
        return lax.dot_general(as(ct), as(other), numbers, p.precision,
                               p.preferred_element_type)
      end
      -- The result's dimensions: batch, free of ct, then those of `other` that
      -- were contracted, in its order; put where they belong.
      local function back(other, own, other_free, other_batch, c_sum,
                          own_contracting, own_batch, own_free,
                          other_contracting)
        local g = product(other, {{c_sum, other_free}, {cb, other_batch}})
        local sorted = table.move(other_contracting, 1, #other_contracting, 1,
                                  {})
        table.sort(sorted)
        local place = {}
        for i, d in ipairs(own_batch) do place[d] = i - 1 end
        for i, d in ipairs(own_free) do place[d] = #own_batch + i - 1 end
        for i, d in ipairs(own_contracting) do
          for k, e in ipairs(sorted) do
            if e == other_contracting[i] then
              place[d] = #own_batch + #own_free + k - 1
            end
          end
        end
        local order = {}
        for d = 0, #core.shape_of(own) - 1 do order[d + 1] = place[d] end
        g = lax.transpose(g, order)
        return lax.convert_element_type(g, core.dtype_of(own))
      end
      local x_ct = not core.is_literal(x) and
        back(y, x, r.rf, r.rb, cr, r.lc, r.lb, r.lf, r.rc)
      local y_ct = not core.is_literal(y) and
        back(x, y, r.lf, r.lb, cl, r.rc, r.rb, r.rf, r.lc)
      return {x_ct, y_ct}
    end,
  },
  emit = {call = emit_dot, pulls = true},
  print = function(p)
    local names = print.numpy_names
    local function list(t) return "[" .. table.concat(t, ", ") .. "]" end
    local d = p.dimension_numbers
    return {{"dimension_numbers", ("((%s, %s), (%s, %s))"):format(
               list(d[1][1]), list(d[1][2]), list(d[2][1]), list(d[2][2]))},
            {"preferred_element_type",
             names[p.preferred_element_type] or "None"}}
  end,
}

lax.set_matmul_precision = config.set_matmul_precision
lax.matmul_precision = config.matmul_precision

function lax.dot_general(x, y, dimension_numbers, precision,
                         preferred_element_type)
  precision = config.product_precision(precision)
  return core.bind1("dot_general",
                    {dimension_numbers = dimension_numbers,
                     precision = precision ~= "default" and precision or nil,
                     preferred_element_type = preferred_element_type or
                                              core.dtype_of(x)}, x, y)
end
