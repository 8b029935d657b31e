-- SPDX-License-Identifier: Apache-2.0
-- Writing windows to positions that are values: what a gather would read there
-- is set, or combined with an update. Of updates that meet when they set, the
-- last stays; where they combine, all take part.
local use = ...
local core = use("core/core")
local program = use("core/program")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")
local each = use("compile/each")
local index = use("prims/index")
local print = use("core/print")
local np = use.np

local shifted = index.shifted

local fields = {"update_window_dims", "inserted_window_dims",
                "scatter_dims_to_operand_dims", "operand_batching_dims",
                "scatter_indices_batching_dims"}

-- The numbers of the gather that reads what the scatter writes.
local function as_gather(dn)
  return {offset_dims = dn.update_window_dims,
          collapsed_slice_dims = dn.inserted_window_dims,
          start_index_map = dn.scatter_dims_to_operand_dims,
          operand_batching_dims = dn.operand_batching_dims,
          start_indices_batching_dims = dn.scatter_indices_batching_dims}
end

-- The window's size on each axis of the operand.
local function window_sizes(dn, shape, updates)
  local g = index.geometry(as_gather(dn), shape, #updates)
  local sizes = {}
  for d = 1, #shape do sizes[d] = 1 end
  for _, w in ipairs(g.window) do sizes[w[1] + 1] = updates[w[2] + 1] end
  return sizes, g
end

local function gather_back(p, x, indices, updates, fill)
  local sizes = window_sizes(p.dimension_numbers, core.shape_of(x),
                             core.shape_of(updates))
  return lax.gather(x, indices, as_gather(p.dimension_numbers), sizes, {
    mode = p.mode == "clip" and "clip" or "fill", fill_value = fill or 0,
    unique_indices = p.unique_indices,
    indices_are_sorted = p.indices_are_sorted,
  })
end

-- ---- On the host ----

local is_small = {f16 = true, bf16 = true}

local function eval_rule(combine)
  return function(p, x, indices, updates)
    local shape, t = x.shape, x.dtype
    if x.size == 0 or updates.size == 0 then return x:copy() end
    local dn = p.dimension_numbers
    local at, inside = index.positions(as_gather(dn), shape,
                                       window_sizes(dn, shape, updates.shape),
                                       indices, updates.shape,
                                       p.mode == "clip")
    local wide = combine and is_small[t] and "f32" or t
    local out = x:reshape({x.size}):astype(wide):copy()
    at = at:reshape({at.size}):copy()
    updates = updates:astype(wide):reshape({updates.size}):copy()
    if not np.all(inside) then
      inside = inside:reshape({inside.size})
      at, updates = at[inside], updates[inside]
    end
    use.scatter(combine, out, at, updates)
    return out:astype(t):reshape(shape)
  end
end

-- ---- On a device ----

-- Up to so many rows each element of the result looks through them all, which
-- needs no order among threads.
local FEW_ROWS = 8

local function row_count(g, updates)
  local n = 1
  for _, d in ipairs(g.batch) do n = n * updates.aval.shape[d + 1] end
  return n
end

local function combined(row, t, a, b)
  if not row.step then return b end
  return emit.fill(emit.template_of(row.step, t), is_small[t] and "f32" or t,
                   {a, b})
end

-- One kernel: each element of the result, by all rows.
local function by_result(row, eqn, plan, sizes, g)
  local x, indices, updates = table.unpack(eqn.inputs)
  local shape, t = x.aval.shape, x.aval.dtype
  local is_clipped = eqn.params.mode == "clip"
  local rows_shape = {}
  for i, d in ipairs(g.batch) do rows_shape[i] = updates.aval.shape[d + 1] end
  each.index(plan, "scatter", core.size(shape), function(code, i, kernel)
    local target = kernel:write(plan.places[eqn.outputs[1]])
    local at = emit.coords_of({flat = i}, shape)
    code:add("%s acc = %s;", emit.compute_type(t),
             code:element(x, {flat = i}))
    code:open(("for (int row = 0; row < %d; row++)"):format(
      core.size(rows_shape)))
    local rows = emit.coords_of({flat = "row"}, rows_shape)
    local from, conditions = index.start_texts(code, g, indices, shape, sizes,
                                               rows, is_clipped)
    local own, is_done = {}, {}
    for k, d in ipairs(g.batch) do own[d + 1] = rows[k] end
    for _, w in ipairs(g.window) do
      local d, start = w[1] + 1, from[w[1] + 1]
      local text = start and ("(%s - %s)"):format(at[d], start) or at[d]
      own[w[2] + 1], is_done[d] = text, true
      if sizes[d] < shape[d] then
        conditions[#conditions + 1] = ("(unsigned)%s < %du"):format(text,
                                                                    sizes[d])
      end
    end
    for _, w in ipairs(g.batching) do
      is_done[w[1] + 1] = true
      conditions[#conditions + 1] = ("%s == %s"):format(at[w[1] + 1],
                                                        own[w[2] + 1])
    end
    for d = 1, #shape do
      if not is_done[d] and shape[d] > 1 then
        conditions[#conditions + 1] = ("%s == %s"):format(at[d],
                                                          from[d] or "0")
      end
    end
    local is_open = #conditions > 0
    if is_open then
      code:open("if (" .. table.concat(conditions, " && ") .. ")")
    end
    code:add("acc = %s;", combined(row, t, "acc",
                                   code:element(updates, {at = own})))
    if is_open then code:close() end
    code:close()
    code:add("%s[%s] = %s;", target, i, emit.stored(t, "acc"))
  end)
end

-- In a kernel over the updates: the place of update `i` in the operand; what
-- follows it is done only when that is inside, until `code:close` is called
-- where the second result says so.
local function open_target(code, i, eqn, sizes, g)
  local x, indices, updates = table.unpack(eqn.inputs)
  local shape = x.aval.shape
  local at, rows = emit.coords_of({flat = i}, updates.aval.shape), {}
  for k, d in ipairs(g.batch) do rows[k] = at[d + 1] end
  local from, conditions = index.start_texts(code, g, indices, shape, sizes,
                                             rows, eqn.params.mode == "clip")
  local own = {}
  for d = 1, #shape do own[d] = from[d] or "0" end
  for _, pairs_of in ipairs{g.window, g.batching} do
    for _, w in ipairs(pairs_of) do
      local d, text = w[1] + 1, at[w[2] + 1]
      own[d] = own[d] == "0" and text or ("(%s + %s)"):format(own[d], text)
    end
  end
  local is_open = #conditions > 0
  if is_open then
    code:open("if (" .. table.concat(conditions, " && ") .. ")")
  end
  local t = core.size(shape) < 1 << 31 and "int" or "long long"
  return code:name(t, emit.flat_of({at = own}, shape)), is_open
end

emit.add_helper("atomic_fold", [[
template <int bytes> struct Word { typedef unsigned long long type; };
template <> struct Word<4> { typedef unsigned type; };
template <class T, class F> __device__ void atomic_fold(T *p, F next) {
  typedef typename Word<sizeof(T)>::type W;
  W *w = (W *)p, seen = atomicCAS(w, (W)0, (W)0), was;
  do {
    T x;
    was = seen;
    memcpy(&x, &was, sizeof x);
    x = next(x);
    W y;
    memcpy(&y, &x, sizeof y);
    seen = atomicCAS(w, was, y);
  } while (seen != was);
}]])

-- Combining in memory that other threads combine in, of 4 or 8 bytes.
local function atomic_text(row, t, pointer, value)
  local c = emit.c_types[t]
  if row.is_negated then
    value = t:find("^f") and "-" .. value or
            ("(%s)(0 - (%s)%s)"):format(c, c, value)
  end
  if row.atomic == "atomicAdd" or t:find("^[iu]") and row.atomic then
    if t == "i64" and row.atomic == "atomicAdd" then
      return ("atomicAdd((unsigned long long *)(%s), (unsigned long long)%s);")
             :format(pointer, value)
    end
    return ("%s(%s, (%s)%s);"):format(row.atomic, pointer, c, value)
  end
  return ("atomic_fold(%s, [&](%s x) { return (%s)(%s); });"):format(
    pointer, c, c, combined(row, t, "x", value))
end

local wide_types = {f16 = "f32", bf16 = "f32", bool = "i32", i8 = "i32",
                    u8 = "i32", i16 = "i32", u16 = "i32"}

-- Each place by its own update: a place has only one.
local function by_unique(row, eqn, plan, sizes, g, place)
  local updates = eqn.inputs[3]
  local t = updates.aval.dtype
  each.index(plan, "scatter", core.size(updates.aval.shape),
             function(code, i, kernel)
    local target = kernel:write(place)
    local at, is_open = open_target(code, i, eqn, sizes, g)
    local value = code:element(updates, {flat = i})
    local own = ("%s[%s]"):format(target, at)
    code:add("%s = %s;", own, emit.stored(t, combined(row, t,
                                                      emit.loaded(t, own),
                                                      value)))
    if is_open then code:close() end
  end)
end

-- Which update each place gets: the last.
local function by_last(eqn, plan, sizes, g, place, winner)
  local updates = eqn.inputs[3]
  local t, n = updates.aval.dtype, core.size(updates.aval.shape)
  each.index(plan, "scatter", n, function(code, i, kernel)
    local last = kernel:write(winner)
    local at, is_open = open_target(code, i, eqn, sizes, g)
    code:add("atomicMax(%s + %s, %s);", last, at, i)
    if is_open then code:close() end
  end)
  each.index(plan, "scatter", n, function(code, i, kernel)
    local target, last = kernel:write(place), kernel:write(winner)
    local at, is_open = open_target(code, i, eqn, sizes, g)
    code:open(("if (%s[%s] == %s)"):format(last, at, i))
    code:add("%s[%s] = %s;", target, at,
             emit.stored(t, code:element(updates, {flat = i})))
    code:close()
    if is_open then code:close() end
  end)
end

local function by_atomics(row, eqn, plan, sizes, g, place)
  local updates, t = eqn.inputs[3], place.aval.dtype
  each.index(plan, "scatter", core.size(updates.aval.shape),
             function(code, i, kernel)
    local target = kernel:write(place)
    local at, is_open = open_target(code, i, eqn, sizes, g)
    local value = code:element(updates, {flat = i})
    code:add("%s", atomic_text(row, t, ("%s + %s"):format(target, at), value))
    if is_open then code:close() end
  end)
end

local function emit_rule(row)
  return function(eqn, plan)
    local x, updates = eqn.inputs[1], eqn.inputs[3]
    local place, t = plan.places[eqn.outputs[1]], x.aval.dtype
    local n = core.size(x.aval.shape)
    local sizes, g = window_sizes(eqn.params.dimension_numbers, x.aval.shape,
                                  updates.aval.shape)
    if row_count(g, updates) <= FEW_ROWS and
       core.size(updates.aval.shape) > 0 then
      return by_result(row, eqn, plan, sizes, g)
    end
    local is_unique = eqn.params.unique_indices
    local wide = not is_unique and row.step and wide_types[t]
    local winner = not is_unique and not row.step and
                   plan:new_temp(core.aval(x.aval.shape, "i32"))
    local target = wide and plan:new_temp(core.aval(x.aval.shape, wide)) or
                   place
    each.index(plan, "scatter", n, function(code, i, kernel)
      local to = kernel:write(target)
      local value = code:element(x, {flat = i})
      code:add("%s[%s] = %s;", to, i, wide and value or emit.stored(t, value))
      if winner then code:add("%s[%s] = -1;", kernel:write(winner), i) end
    end)
    if is_unique then
      by_unique(row, eqn, plan, sizes, g, target)
    elseif row.step then
      by_atomics(row, eqn, plan, sizes, g, target)
    else
      by_last(eqn, plan, sizes, g, target, winner)
    end
    if not wide then return end
    local var = {aval = target.aval}
    plan.places[var] = target
    each.index(plan, "scatter", n, function(code, i, kernel)
      local to = kernel:write(place)
      code:add("%s[%s] = %s;", to, i,
               emit.stored(t, ("(%s)%s"):format(emit.compute_type(t),
                                                code:element(var, {flat = i}))))
    end)
  end
end

-- ---- The rows ----

local function batch_rule(name)
  return function(p, size, values, dims)
    local dn = p.dimension_numbers
    local x = batch.at(values[1], dims[1], 0, size)
    local updates = batch.at(values[3], dims[3], 0, size)
    local indices, new = values[2], {}
    for k, v in pairs(p) do new[k] = v end
    if not dims[2] then
      new.dimension_numbers = {
        update_window_dims = shifted(dn.update_window_dims, 1, 0),
        inserted_window_dims = shifted(dn.inserted_window_dims, 1),
        scatter_dims_to_operand_dims =
          shifted(dn.scatter_dims_to_operand_dims, 1),
        operand_batching_dims = shifted(dn.operand_batching_dims, 1),
        scatter_indices_batching_dims = dn.scatter_indices_batching_dims,
      }
    else
      indices = batch.at(indices, dims[2], 0, size)
      new.dimension_numbers = {
        update_window_dims = shifted(dn.update_window_dims, 1),
        inserted_window_dims = shifted(dn.inserted_window_dims, 1),
        scatter_dims_to_operand_dims =
          shifted(dn.scatter_dims_to_operand_dims, 1),
        operand_batching_dims = shifted(dn.operand_batching_dims, 1, 0),
        scatter_indices_batching_dims =
          shifted(dn.scatter_indices_batching_dims, 1, 0),
      }
    end
    return core.bind(core.prims[name], new, {x, indices, updates}), {0}
  end
end

local function shape_rule(name)
  return function(p, x, indices, updates)
    if x.dtype ~= updates.dtype then
      core.fail("argument", "TypeError", "%s: types must be equal: %s and %s",
                name, x.dtype, updates.dtype)
    end
    local dn = as_gather(p.dimension_numbers)
    index.check_numbers(name, dn, x.shape, indices, #updates.shape)
    local sizes, g = window_sizes(p.dimension_numbers, x.shape, updates.shape)
    local fits = true
    for d, n in ipairs(x.shape) do fits = fits and sizes[d] <= n end
    for i, d in ipairs(g.batch) do
      fits = fits and updates.shape[d + 1] == indices.shape[i]
    end
    if not fits then
      core.fail("argument", "ValueError", "%s: updates of shape %s for " ..
                "indices of shape %s into %s", name,
                core.shape_text(updates.shape), core.shape_text(indices.shape),
                core.shape_text(x.shape))
    end
    return core.aval(x.shape, x.dtype, x.weak)
  end
end

local function print_rule(p, show)
  local text = print.param_text
  return {
    {"dimension_numbers", index.numbers_text("ScatterDimensionNumbers",
                                             p.dimension_numbers, fields)},
    {"indices_are_sorted", text(p.indices_are_sorted)},
    {"mode", index.mode_text(p.mode)},
    {"unique_indices", text(p.unique_indices)},
    {"update_consts", "()"},
    {"update_jaxpr", p.update_jaxpr and show(p.update_jaxpr) or "None"},
  }
end

-- What is written down of combining two elements; one for each type.
local combining = {}
local function combining_program(row, dtype)
  if not row.prim then return nil end
  local key = row.prim .. dtype
  combining[key] = combining[key] or program.trace(function(args)
    return {lax[row.prim](args[1], args[2])}
  end, {core.aval({}, dtype), core.aval({}, dtype)})
  return combining[key]
end

local function define(row)
  core.define{
    name = row.name,
    eval = eval_rule(row.combine),
    shape = shape_rule(row.name),
    batch = batch_rule(row.name),
    diff = row.diff,
    emit = {call = emit_rule(row), pulls = true},
    print = print_rule,
  }
  --- See JAX's lax.scatter for the dimension numbers. options: mode,
  --- unique_indices, indices_are_sorted.
  lax[row.name:gsub("-", "_")] = function(x, indices, updates,
                                          dimension_numbers, options)
    options = options or {}
    local dn = {}
    for _, name in ipairs(fields) do
      dn[name] = dimension_numbers[name] or {}
    end
    return core.bind(core.prims[row.name], {
      dimension_numbers = dn, mode = index.check_mode(row.name, options.mode),
      unique_indices = options.unique_indices or false,
      indices_are_sorted = options.indices_are_sorted or false,
      update_jaxpr = combining_program(row, core.dtype_of(x)),
    }, {x, indices, updates})[1]
  end
end

local function again(name, p, x, indices, updates)
  return core.bind(core.prims[name], p, {x, indices, updates})[1]
end
local function or_zero(t, x) return t or lax.full_like(x, 0) end

-- 1 for each update that stays where several meet, else 0.
local function survivors(p, values)
  local x, indices, updates = table.unpack(values)
  local shape = core.shape_of(updates)
  local numbers = lax.reshape(lax.iota("i32", {core.size(shape)}, 0), shape)
  local written = again("scatter", p,
                        lax.full(core.shape_of(x), -1, "i32"), indices, numbers)
  local read = gather_back(p, written, indices, updates, -2)
  return lax.eq(read, numbers)
end

-- Linear in the array and the updates together.
local function jvp_of(name)
  return function(p, values, t)
    if not t[1] and not t[3] then return {false} end
    return {again(name, p, or_zero(t[1], values[1]), values[2],
                  or_zero(t[3], values[3]))}
  end
end

define{
  name = "scatter",
  diff = {
    jvp = jvp_of("scatter"),
    vjp = function(p, cts, values)
      local ct, indices, updates = cts[1], values[2], values[3]
      if not ct then return {false, false, false} end
      local none = lax.full_like(updates, 0)
      local x_ct = again("scatter", p, ct, indices, none)
      if core.is_literal(updates) then return {x_ct, false, false} end
      local update_ct = gather_back(p, ct, indices, updates)
      if not p.unique_indices then
        update_ct = lax.select_n(survivors(p, values), none, update_ct)
      end
      return {x_ct, false, update_ct}
    end,
  },
}

define{
  name = "scatter-add", prim = "add", combine = "add", atomic = "atomicAdd",
  step = {"$1 + $2", "(T)((U)$1 + (U)$2)", "($1 || $2)"},
  diff = {
    jvp = jvp_of("scatter-add"),
    vjp = function(p, cts, values)
      if not cts[1] then return {false, false, false} end
      return {cts[1], false, not core.is_literal(values[3]) and
              gather_back(p, cts[1], values[2], values[3])}
    end,
  },
}

-- With other parameters' places.
local function added(p, x, indices, updates)
  return lax.scatter_add(x, indices, updates, p.dimension_numbers, p)
end

define{
  name = "scatter-sub", prim = "sub", combine = "subtract",
  atomic = "atomicAdd", is_negated = true,
  step = {"$1 - $2", "(T)((U)$1 - (U)$2)"},
  diff = {
    jvp = jvp_of("scatter-sub"),
    vjp = function(p, cts, values)
      if not cts[1] then return {false, false, false} end
      return {cts[1], false, not core.is_literal(values[3]) and
              lax.neg(gather_back(p, cts[1], values[2], values[3]))}
    end,
  },
}

local function need_unique(p)
  if p.unique_indices then return end
  core.fail("unsupported", "NotImplementedError", "the derivative of " ..
            "scatter-mul is there only for unique_indices = true: several " ..
            "factors may meet in one element")
end

define{
  name = "scatter-mul", prim = "mul", combine = "multiply",
  step = {"$1 * $2", "(T)((U)$1 * (U)$2)", "($1 && $2)"},
  diff = {
    jvp = function(p, values, t)
      local x, indices, updates = table.unpack(values)
      local total = t[1] and again("scatter-mul", p, t[1], indices, updates)
      if t[3] then
        need_unique(p)
        local part = lax.mul(gather_back(p, x, indices, updates), t[3])
        part = added(p, lax.full_like(x, 0), indices, part)
        total = total and lax.add_any(total, part) or part
      end
      return {total}
    end,
    vjp = function(p, cts, values)
      local x, indices, updates = table.unpack(values)
      local ct = cts[1]
      if not ct then return {false, false, false} end
      local x_ct = again("scatter-mul", p, ct, indices, updates)
      if core.is_literal(updates) then return {x_ct, false, false} end
      need_unique(p)
      return {x_ct, false, lax.mul(gather_back(p, ct, indices, updates),
                                   gather_back(p, x, indices, updates))}
    end,
  },
}

-- Those that equal the extreme share its derivative in equal parts.
local function extreme_diff()
  local function weights(p, values, out)
    local x, indices, updates = table.unpack(values)
    local t = core.dtype_of(x)
    local own = lax.convert_element_type(lax.eq(x, out), t)
    local theirs = lax.convert_element_type(
      lax.eq(updates, gather_back(p, out, indices, updates)), t)
    return own, theirs, added(p, own, indices, theirs)
  end
  return {
    jvp = function(p, values, t, outputs)
      if not t[1] and not t[3] then return {false} end
      local own, theirs, count = weights(p, values, outputs[1])
      local x_part = lax.mul(own, or_zero(t[1], values[1]))
      local u_part = lax.mul(theirs, or_zero(t[3], values[3]))
      return {lax.div(added(p, x_part, values[2], u_part), count)}
    end,
    vjp = function(p, cts, values, outputs)
      if not cts[1] then return {false, false, false} end
      local own, theirs, count = weights(p, values, outputs[1])
      local share = lax.div(cts[1], count)
      return {lax.mul(own, share), false, not core.is_literal(values[3]) and
              lax.mul(theirs, gather_back(p, share, values[2], values[3]))}
    end,
  }
end

define{
  name = "scatter-min", prim = "min", combine = "minimum", atomic = "atomicMin",
  step = {"($1 < $2 || $1 != $1 ? $1 : $2)"}, diff = extreme_diff(),
}
define{
  name = "scatter-max", prim = "max", combine = "maximum", atomic = "atomicMax",
  step = {"($1 > $2 || $1 != $1 ? $1 : $2)"}, diff = extreme_diff(),
}
