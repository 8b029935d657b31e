-- SPDX-License-Identifier: Apache-2.0
-- Random programs over the devices of a mesh, beside the same on one device: an
-- interpreter that keeps a list with each rank's array and goes through the
-- ranks in their order. Results are equal by bits, derivatives within what the
-- order of sums makes of them.
--   warpshop run tests/jax/shard_programs.lua [--count N] [--seed S]
-- Needs eight devices: WARPSHOP_VIRTUAL_DEVICES=8. A failure prints its seed
-- and the program, cut down.
local tap = dofile("tests/lua/tap.lua")
local count, seed = 12, 1
do
  local args = {...}
  for i = 1, #args, 2 do
    if args[i] == "--count" then count = math.tointeger(args[i + 1]) end
    if args[i] == "--seed" then seed = math.tointeger(args[i + 1]) end
  end
end
jax.config.update("jax_default_matmul_precision", "highest")
local lax, P = jax.lax, jax.P

-- ---- Numbers drawn ----

local state
local function draw(n) -- 1 .. n
  state = (state * 6364136223846793005 + 1442695040888963407)
  return (state >> 33) % n + 1
end
local function one_of(list) return list[draw(#list)] end

-- ---- Meshes ----

local layouts = {
  {sizes = {1}, names = {"i"}}, {sizes = {2}, names = {"i"}},
  {sizes = {4}, names = {"i"}}, {sizes = {8}, names = {"i"}},
  {sizes = {2, 2}, names = {"x", "y"}}, {sizes = {4, 2}, names = {"x", "y"}},
  {sizes = {2, 4}, names = {"x", "y"}}, {sizes = {1, 8}, names = {"x", "y"}},
}

local function size_of(layout, names)
  local n = 1
  for i, name in ipairs(layout.names) do
    for _, own in ipairs(names) do
      if own == name then n = n * layout.sizes[i] end
    end
  end
  return n
end

-- The place of a rank along these axes, in their order.
local function place_of(layout, rank, names)
  local at, rest = {}, rank
  for i = #layout.names, 1, -1 do
    at[layout.names[i]] = {rest % layout.sizes[i], layout.sizes[i]}
    rest = rest // layout.sizes[i]
  end
  local place = 0
  for _, name in ipairs(names) do
    place = place * at[name][2] + at[name][1]
  end
  return place
end

-- The ranks of each group that differs along these axes alone, in order.
local function groups_of(layout, names)
  local groups, by_key = {}, {}
  for rank = 0, size_of(layout, layout.names) - 1 do
    local rest = {}
    for _, name in ipairs(layout.names) do
      local is_named = false
      for _, own in ipairs(names) do is_named = is_named or own == name end
      if not is_named then rest[#rest + 1] = name end
    end
    local key = place_of(layout, rank, rest)
    if not by_key[key] then
      groups[#groups + 1] = {}
      by_key[key] = groups[#groups]
    end
    by_key[key][place_of(layout, rank, names) + 1] = rank + 1
  end
  return groups
end

-- ---- Operations ----
--
-- A step is {op, inputs (numbers of values), option}; a value's shape is that
-- of one rank's part. `can` says whether the op takes values of such shapes and
-- gives the result's; `mesh` is what the function of shard_map calls, `ranks`
-- the same of the lists.

local function map(list, f)
  local out = {}
  for r, x in ipairs(list) do out[r] = f(x, r) end
  return out
end

local function elementwise(f, is_smooth)
  return {
    can = function(a, b) return not b and a or
      (a[1] == b[1] and a[2] == b[2] and a) end,
    mesh = function(_, _, a, b) return f(a, b) end,
    ranks = function(_, _, a, b)
      return map(a, function(x, r) return f(x, b and b[r]) end)
    end,
    is_smooth = is_smooth ~= false,
  }
end

-- f(list of a group's arrays) gives one for each of them.
local function by_groups(layout, names, list, f)
  local out = {}
  for _, group in ipairs(groups_of(layout, names)) do
    local own = {}
    for k, r in ipairs(group) do own[k] = list[r] end
    for k, y in ipairs(f(own)) do out[group[k]] = y end
  end
  return out
end

local function folded(name, f, is_smooth)
  return {
    can = function(a) return a end, has_axes = true, is_same = true,
    mesh = function(_, o, a) return lax[name](a, o.axes) end,
    ranks = function(layout, o, a)
      return by_groups(layout, o.axes, a, function(list)
        local y = list[1]
        for k = 2, #list do y = f(y, list[k]) end
        if name == "pmean" then y = y / #list end
        return map(list, function() return y end)
      end)
    end,
    is_smooth = is_smooth ~= false,
  }
end

local function part(x, axis, k, n)
  local size = x.shape[axis + 1] // n
  return lax.slice_in_dim(x, (k - 1) * size, k * size, 1, axis)
end

local function sum_of(list)
  local y = list[1]
  for k = 2, #list do y = y + list[k] end
  return y
end

local ops = {
  add = elementwise(function(a, b) return a + b end),
  sub = elementwise(function(a, b) return a - b end),
  mul = elementwise(function(a, b) return a * b end),
  maximum = elementwise(jnp.maximum, false),
  sin = elementwise(function(a) return jnp.sin(a) end),
  tanh = elementwise(function(a) return jnp.tanh(a) end),
  scaled = elementwise(function(a) return a * 0.3125 - 0.7 end),
  floor = elementwise(function(a) return jnp.floor(a) end, false),
  relu = elementwise(function(a) return jax.nn.relu(a) end, false),
  flip = elementwise(function(a) return jnp.flip(a, 0) end),
  transpose = {
    can = function(a) return {a[2], a[1]} end,
    mesh = function(_, _, a) return jnp.transpose(a) end,
    ranks = function(_, _, a)
      return map(a, function(x) return jnp.transpose(x) end)
    end,
    is_smooth = true,
  },
  column_max = {
    can = function(a) return a end,
    mesh = function(_, _, a) return a + jnp.max(a, 0) end,
    ranks = function(_, _, a)
      return map(a, function(x) return x + jnp.max(x, 0) end)
    end,
  },
  psum = folded("psum", function(a, b) return a + b end),
  pmean = folded("pmean", function(a, b) return a + b end),
  pmax = folded("pmax", jnp.maximum, false),
  pmin = folded("pmin", jnp.minimum, false),
  axis_index = {
    can = function(a) return a end, has_axes = true, is_varying = true,
    mesh = function(_, o, a) return a * lax.axis_index(o.axes) end,
    ranks = function(layout, o, a)
      return map(a, function(x, r)
        return x * place_of(layout, r - 1, o.axes)
      end)
    end,
    is_smooth = true,
  },
  all_gather = {
    can = function(a, _, n, o)
      local out = {a[1], a[2]}
      out[o.axis + 1] = out[o.axis + 1] * n
      return out[o.axis + 1] <= 32 and out
    end,
    has_axes = true, is_varying = true,
    mesh = function(_, o, a)
      return lax.all_gather(a, o.axes, {axis = o.axis, tiled = true})
    end,
    ranks = function(layout, o, a)
      return by_groups(layout, o.axes, a, function(list)
        local y = jnp.concatenate(list, o.axis)
        return map(list, function() return y end)
      end)
    end,
    is_smooth = true,
  },
  psum_scatter = {
    can = function(a, _, n, o)
      local out = {a[1], a[2]}
      if out[o.axis + 1] % n ~= 0 then return nil end
      out[o.axis + 1] = out[o.axis + 1] // n
      return out
    end,
    has_axes = true, is_varying = true,
    mesh = function(_, o, a)
      return lax.psum_scatter(a, o.axes,
                              {scatter_dimension = o.axis, tiled = true})
    end,
    ranks = function(layout, o, a)
      return by_groups(layout, o.axes, a, function(list)
        local y = sum_of(list)
        return map(list, function(_, k) return part(y, o.axis, k, #list) end)
      end)
    end,
    is_smooth = true,
  },
  all_to_all = {
    can = function(a, _, n, o)
      local out = {a[1], a[2]}
      if out[o.axis + 1] % n ~= 0 then return nil end
      out[o.axis + 1] = out[o.axis + 1] // n
      out[2 - o.axis] = out[2 - o.axis] * n
      return out[2 - o.axis] <= 32 and out
    end,
    has_axes = true, is_varying = true,
    mesh = function(_, o, a)
      return lax.all_to_all(a, o.axes, o.axis, 1 - o.axis, {tiled = true})
    end,
    ranks = function(layout, o, a)
      return by_groups(layout, o.axes, a, function(list)
        return map(list, function(_, k)
          return jnp.concatenate(map(list, function(x)
            return part(x, o.axis, k, #list)
          end), 1 - o.axis)
        end)
      end)
    end,
    is_smooth = true,
  },
  ppermute = {
    can = function(a) return a end, has_axes = true, is_varying = true,
    mesh = function(_, o, a) return lax.ppermute(a, o.axes, o.perm) end,
    ranks = function(layout, o, a)
      return by_groups(layout, o.axes, a, function(list)
        local out = map(list, function(x) return jnp.zeros_like(x) end)
        for _, pair in ipairs(o.perm) do
          out[pair[2] + 1] = list[pair[1] + 1]
        end
        return out
      end)
    end,
    is_smooth = true,
  },
  -- A loop whose rounds meet, and a batch of sums.
  loop = {
    can = function(a) return a end, has_axes = true, is_varying = true,
    mesh = function(_, o, a)
      local start = lax.pcast(a, o.axes, {to = "varying"})
      return lax.fori_loop(0, 3, function(i, c)
        return c * 0.25 + lax.psum(c, o.axes) * a + i
      end, start)
    end,
    ranks = function(layout, o, a)
      local c = a
      for i = 0, 2 do
        local sums = by_groups(layout, o.axes, c, function(list)
          local y = sum_of(list)
          return map(list, function() return y end)
        end)
        c = map(c, function(x, r) return x * 0.25 + sums[r] * a[r] + i end)
      end
      return c
    end,
    is_smooth = true,
  },
  batch = {
    can = function(a) return a end, has_axes = true, is_varying = true,
    mesh = function(_, o, a)
      return jax.vmap(function(row)
        return row * lax.psum(row, o.axes)
      end)(a)
    end,
    ranks = function(layout, o, a)
      local sums = by_groups(layout, o.axes, a, function(list)
        local y = sum_of(list)
        return map(list, function() return y end)
      end)
      return map(a, function(x, r) return x * sums[r] end)
    end,
    is_smooth = true,
  },
}
local names = {}
for name in pairs(ops) do names[#names + 1] = name end
table.sort(names)
local binary = {add = true, sub = true, mul = true, maximum = true}

-- ---- Programs ----

local function random_axes(layout)
  if #layout.names == 1 then return {layout.names[1]} end
  return one_of{{"x"}, {"y"}, {"x", "y"}, {"y", "x"}}
end

local function random_perm(n)
  local targets, perm = {}, {}
  for k = 0, n - 1 do targets[k + 1] = k end
  for k = n, 2, -1 do
    local j = draw(k)
    targets[k], targets[j] = targets[j], targets[k]
  end
  for k = 0, n - 1 do
    if draw(5) > 1 then perm[#perm + 1] = {k, targets[k + 1]} end
  end
  return perm
end

-- The axes along which the result differs, from those of the inputs.
local function varying_after(op, step, inputs)
  local set = {}
  for _, v in ipairs(inputs) do
    for name in pairs(v.varying) do set[name] = true end
  end
  for _, name in ipairs(step.option.axes or {}) do
    if op.is_same then set[name] = nil end
    if op.is_varying then set[name] = true end
  end
  return set
end

local function add_step(program, values)
  local name, layout = one_of(names), program.layout
  local op, option = ops[name], {axis = draw(2) - 1}
  local step = {name = name, inputs = {draw(#values)}, option = option}
  if binary[name] then step.inputs[2] = draw(#values) end
  if op.has_axes then
    option.axes = random_axes(layout)
    option.perm = random_perm(size_of(layout, option.axes))
  end
  local a = values[step.inputs[1]]
  local b = step.inputs[2] and values[step.inputs[2]]
  local shape = op.can(a.shape, b and b.shape,
                       size_of(layout, option.axes or {}), option)
  if not shape then return end
  table.insert(program.steps, step)
  table.insert(values, {shape = shape, varying = varying_after(op, step,
                                                               {a, b})})
end

-- x is cut along all axes, w along none.
local function random_program(number)
  state = seed * 1000003 + number
  for _ = 1, 4 do draw(2) end
  local layout = one_of(layouts)
  local rows, columns = one_of{1, 2, 4, 8}, one_of{1, 2, 3, 8}
  local all = {}
  for _, name in ipairs(layout.names) do all[name] = true end
  local values = {
    {shape = {rows, columns}, varying = all},
    {shape = {rows, columns}, varying = {}},
  }
  local program = {layout = layout, steps = {}, shape = {rows, columns},
                   values = values}
  local length = 2 + draw(8)
  while #program.steps < length do add_step(program, values) end
  return program
end

local function text_of(program)
  local lines = {("mesh %s (%s), parts %d x %d; 1 is x, 2 is w"):format(
    table.concat(program.layout.names, ","),
    table.concat(program.layout.sizes, ","), program.shape[1],
    program.shape[2])}
  for k, s in ipairs(program.steps) do
    local o = s.option
    lines[k + 1] = ("%d = %s(%s) axis %d%s"):format(
      k + 2, s.name, table.concat(s.inputs, ", "), o.axis,
      o.axes and " along " .. table.concat(o.axes, ",") or "")
  end
  return table.concat(lines, "\n")
end

-- ---- Both ways ----

local function run_on_mesh(program, x, w)
  local values = {x, w}
  for _, s in ipairs(program.steps) do
    values[#values + 1] = ops[s.name].mesh(
      program.layout, s.option, values[s.inputs[1]],
      s.inputs[2] and values[s.inputs[2]])
  end
  return values[#values]
end

local function sharded(program, check)
  local layout, last = program.layout, program.values[#program.steps + 2]
  local cut = {}
  for _, name in ipairs(layout.names) do
    if last.varying[name] or not check then cut[#cut + 1] = name end
  end
  return jax.shard_map(function(x, w) return run_on_mesh(program, x, w) end, {
    mesh = jax.make_mesh(layout.sizes, layout.names),
    in_specs = {P(layout.names), P()},
    out_specs = #cut > 0 and P(cut) or P(), check_vma = check}), cut
end

local function on_one(program, cut)
  local layout = program.layout
  local n = size_of(layout, layout.names)
  return function(x, w)
    local xs, ws = {}, {}
    for r = 1, n do xs[r], ws[r] = part(x, 0, r, n), w end
    local values = {xs, ws}
    for _, s in ipairs(program.steps) do
      values[#values + 1] = ops[s.name].ranks(
        layout, s.option, values[s.inputs[1]],
        s.inputs[2] and values[s.inputs[2]])
    end
    local last, kept, seen = values[#values], {}, {}
    for r = 1, n do -- those that differ, in the mesh's order
      local key = place_of(layout, r - 1, cut)
      if not seen[key] then
        seen[key] = true
        kept[#kept + 1] = last[r]
      end
    end
    return jnp.concatenate(kept, 0)
  end
end

local function input(rows, columns, salt)
  local list = {}
  for i = 1, rows * columns do
    -- By 509: sums are rounded, and so depend on their order.
    list[i] = ((i * i * 31 + i * 7919 + salt * 104729) % 1009 - 504) / 509
  end
  return jnp.array(list, "f32"):reshape(rows, columns)
end

local function inputs_of(program)
  local n = size_of(program.layout, program.layout.names)
  return input(program.shape[1] * n, program.shape[2], 1),
         input(program.shape[1], program.shape[2], 2)
end

local function check_bits(what, got, want)
  got, want = np.asarray(got), np.asarray(want)
  tap.equal(got.shape, want.shape, what .. ": shape")
  local same = np.logical_or(np.equal(got:view("i32"), want:view("i32")),
                             np.logical_and(np.isnan(got), np.isnan(want)))
  if not np.all(same) then
    error(("%s: %s and %s on one device"):format(what, tostring(got),
                                                 tostring(want)), 0)
  end
end

local function check_near(what, got, want)
  got, want = np.asarray(got):astype("f64"), np.asarray(want):astype("f64")
  local scale = np.max(np.abs(want)) + 1e-3
  if not np.all(np.isfinite(want)) or scale > 1e6 then return end
  local off = np.max(np.abs(got - want)) / scale
  if off >= 2e-4 or off ~= off then
    error(("%s: %s and %s on one device (%g off)"):format(
      what, tostring(got), tostring(want), off), 0)
  end
end

local function loss_of(f)
  return function(x, w) return jnp.sum(jnp.sin(f(x, w))) end
end

local function check(program)
  local x, w = inputs_of(program)
  local f, cut = sharded(program, true)
  local one = on_one(program, cut)
  local want = one(x, w)
  check_bits("shard_map", f(x, w), want)
  check_bits("jit of shard_map", jax.jit(f)(x, w), want)
  local free, all = sharded(program, false)
  check_bits("without check_vma", free(x, w), on_one(program, all)(x, w))
  for _, s in ipairs(program.steps) do
    if not ops[s.name].is_smooth then return end
  end
  for k, name in ipairs{"x", "w"} do
    local wanted = jax.grad(loss_of(one), k - 1)(x, w)
    check_near("gradient by " .. name, jax.grad(loss_of(f), k - 1)(x, w),
               wanted)
  end
end

-- ---- Failures, cut down ----

local function shorter(program, length)
  local new = {layout = program.layout, shape = program.shape,
               values = program.values, steps = {}}
  table.move(program.steps, 1, length, 1, new.steps)
  return new
end

local function fail_short(program, e)
  for length = 1, #program.steps do
    local short = shorter(program, length)
    local ok, own = pcall(check, short)
    if not ok then program, e = short, own break end
  end
  error(tostring(e) .. "\n" .. text_of(program), 0)
end

for number = 1, count do
  tap.test(("seed %d, program %d"):format(seed, number), function()
    local program = random_program(number)
    local ok, e = pcall(check, program)
    if not ok then fail_short(program, e) end
  end)
end

return tap.done()
