-- SPDX-License-Identifier: Apache-2.0
-- Compares np and jax with what NumPy and JAX gave (README.md).
--   warpshop run tests/jax/run.lua FAMILY.json... [TEXT]
-- With TEXT only cases whose text contains it. JAX_PLATFORMS=cpu computes on
-- the host; otherwise the device in use does.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local json = dofile("tests/jax/json.lua")
-- As on a real GPU, arrays and values needed meanwhile share memory.
if os.getenv("JAX_UNCHECKED") then cuda.set_checked(false) end
local lib = dofile("tests/jax/lib.lua")

-- So many cases make one compiled program.
local BATCH = 24

-- Outside of jit each operation of each case would be compiled for a device:
-- one case of so many is enough there, unless JAX_EAGER says otherwise.
local is_host = jnp.zeros({1}).device == "host"
local EAGER = tonumber(os.getenv("JAX_EAGER")) or is_host and 1 or 12

local files, only = {}, nil
for _, a in ipairs{...} do
  if a:find("%.json$") then files[#files + 1] = a else only = a end
end

local function read_case(row, arrays, plain)
  local case = {text = row.lua, row = row, names = lib.sorted_names(row.args)}
  case.host, case.args = {}, {}
  for i, name in ipairs(case.names) do
    case.host[i] = arrays[row.args[name] + 1]
    case.args[i] = plain and case.host[i] or jnp.array(case.host[i])
  end
  if row.raises then return case end
  case.want = {}
  for i, n in ipairs(row.want) do case.want[i] = arrays[n + 1] end
  case.tolerance = lib.tolerance(row.tol)
  return case
end

local Said = {__tostring = function(e) return e.text end}

-- One comparison: f must not raise. Its message needs no traceback.
local function compare(case, what, f)
  tap.test(("%s: %s"):format(case.text, what), function()
    local ok, e = pcall(f)
    if ok then return end
    error(type(e) == "string" and setmetatable({text = e}, Said) or e, 0)
  end)
end

-- Results that could not be computed stand as {failure = error}.
local function check(case, what, results, f)
  compare(case, what, function()
    if results.failure then error(results.failure, 0) end
    f(results)
  end)
end

local function check_all(got, want, tolerance, row)
  if #got ~= #want then
    error(("%d results, want %d"):format(#got, #want), 0)
  end
  for i = 1, #want do
    lib.check_values(got[i], want[i], tolerance, row, i)
  end
end

local function try(f, ...)
  local ok, results = pcall(f, ...)
  return ok and results or {failure = results}
end

-- ---- Many cases in one program ----

-- Each function of `list` on its arguments, as one jitted program: a list of
-- results for each set of inputs. `inputs[k][i]` are the arguments of function
-- i. Where the program fails, each function is tried alone.
local function run_together(list, inputs)
  local all = jax.jit(function(args)
    local out = {}
    for i, f in ipairs(list) do out[i] = f(table.unpack(args[i])) end
    return out
  end)
  local results = {}
  for k, args in ipairs(inputs) do
    local ok, out = pcall(all, args)
    if ok then
      results[k] = out
    elseif #list == 1 then
      results[k] = {{failure = out}}
    else
      results[k] = {}
      for i, f in ipairs(list) do
        results[k][i] = run_together({f}, {{args[i]}})[1][1]
      end
    end
  end
  return results
end

-- ---- Batches ----

-- Which arguments are batched, and along which axis, differs from case to case.
local function batch_axes(case, n)
  local axes, way = {}, n % 3
  for i, a in ipairs(case.host) do
    local is_batched = way < 2 or i == (n // 3) % #case.host + 1
    axes[i] = is_batched and (way == 1 and #a.shape or 0)
  end
  return axes
end

local function prepare_batch(case, n)
  case.axes = batch_axes(case, n)
  case.items, case.stacked = {{}, {}, {}}, {}
  for i, a in ipairs(case.host) do
    local parts = {}
    for k = 1, 3 do
      parts[k] = case.axes[i] and lib.vary(a, k - 1, case.row.vary) or a
      case.items[k][i] = jnp.array(parts[k])
    end
    case.stacked[i] = case.axes[i] and
      jnp.array(np.stack(parts, case.axes[i])) or case.args[i]
  end
end

local function check_batch(case, got, items)
  check(case, "vmap", got, function()
    for k = 1, 3 do
      if items[k].failure then error(items[k].failure, 0) end
      if #got ~= #items[k] then error("the numbers of results differ", 0) end
      for i, x in ipairs(got) do
        lib.check_values(np.asarray(x)[k - 1], np.asarray(items[k][i]),
                         case.tolerance)
      end
    end
  end)
end

local function test_batches(cases, first)
  local list, items, batched, stacked = {}, {{}, {}, {}}, {}, {}
  for n, case in ipairs(cases) do
    prepare_batch(case, first + n)
    list[n] = case.f
    for k = 1, 3 do items[k][n] = case.items[k] end
    batched[n] = jax.vmap(case.f, {in_axes = case.axes})
    stacked[n] = case.stacked
  end
  local singles = run_together(list, items)
  local wholes = run_together(batched, {stacked})[1]
  for n, case in ipairs(cases) do
    check_batch(case, wholes[n], {singles[1][n], singles[2][n], singles[3][n]})
  end
end

-- ---- Gradients ----

-- The sum of the float results, each times its cotangent.
local function total(case)
  return function(...)
    local sum = 0.0
    for _, x in ipairs(case.f(...)) do
      if lib.is_float(x) then
        sum = sum + jnp.sum(x * jnp.array(lib.cotangent(x.shape, x.dtype)))
      end
    end
    return sum
  end
end

local function gradient(case)
  local numbers = {}
  for i, name in ipairs(case.names) do
    if case.row.grad[name] then numbers[#numbers + 1] = i - 1 end
  end
  case.numbers = numbers
  return jax.grad(total(case), {argnums = numbers})
end

-- The same sum in double precision, and the sum of its terms' sizes.
local function weighed(results)
  local sum, size = 0.0, 0.0
  for _, x in ipairs(results) do
    if lib.is_float(x) then
      local terms = np.multiply(np.asarray(x):astype("f64"),
                                lib.cotangent(x.shape, "f64"))
      if terms.size > 0 then
        sum = sum + np.sum(terms)
        size = size + np.sum(np.abs(terms))
      end
    end
  end
  return sum, size
end

local STEP = 2.0 ^ -7

local function moved(case, sign)
  local args = table.move(case.args, 1, #case.args, 1, {})
  for _, n in ipairs(case.numbers) do
    local a = case.host[n + 1]
    args[n + 1] = jnp.array(np.add(a, np.multiply(lib.direction(a),
                                                  sign * STEP)))
  end
  return args
end

local function check_differences(case, grads, up, down)
  check(case, "grad, differences", grads, function()
    if up.failure or down.failure then error(up.failure or down.failure, 0) end
    local above, size = weighed(up)
    local got, want, part = (above - weighed(down)) / (2 * STEP), 0.0, 0.0
    for i, n in ipairs(case.numbers) do
      local a = case.host[n + 1]
      local terms = np.multiply(np.asarray(grads[i]):astype("f64"),
                                lib.direction(a):astype("f64"))
      want = want + np.sum(terms)
      part = part + np.sum(np.abs(terms))
    end
    local off = math.abs(got - want)
    if off ~= off or off > 1e-2 * part + 2e-5 * size + 1e-4 then
      error(("along a direction %.6g, by differences %.6g"):format(want, got),
            0)
    end
  end)
end

local function test_gradients(cases, arrays)
  local list, args = {}, {}
  local smooth, up, down = {}, {}, {}
  for n, case in ipairs(cases) do
    list[n], args[n] = gradient(case), case.args
    if case.row.fd ~= false then
      smooth[#smooth + 1] = case
      up[#smooth], down[#smooth] = moved(case, 1), moved(case, -1)
    end
  end
  local grads = run_together(list, {args})[1]
  for n, case in ipairs(cases) do
    check(case, "grad", grads[n], function(got)
      local want = {}
      for _, k in ipairs(case.numbers) do
        want[#want + 1] = arrays[case.row.grad[case.names[k + 1]] + 1]
      end
      check_all(got, want, lib.tolerance(case.row.grad_tol))
      for i, x in ipairs(want) do lib.check_type(got[i], x) end
    end)
    case.grads = grads[n]
  end
  local functions = {}
  for n, case in ipairs(smooth) do functions[n] = case.f end
  local sides = run_together(functions, {up, down})
  for n, case in ipairs(smooth) do
    check_differences(case, case.grads, sides[1][n], sides[2][n])
  end
end

-- ---- Values and errors ----

local function check_value(case, what, results)
  check(case, what, results, function(got)
    check_all(got, case.want, case.tolerance, case.row)
  end)
end

local function check_types(case, results)
  check(case, "type", results, function(got)
    for i, x in ipairs(case.want) do
      local weak = nil
      if case.row.weak then weak = case.row.weak[i] end
      lib.check_type(got[i], x, weak)
    end
  end)
end

local function test_error(case)
  compare(case, "an error, as " .. case.row.raises, function()
    local ok, e = pcall(function() return case.f(table.unpack(case.args)) end)
    if ok then error("no error was raised", 0) end
    if type(e) ~= "table" or
       e.kind ~= "argument" and e.kind ~= "unsupported" then
      error("not an error that explains: " .. tostring(e), 0)
    end
  end)
end

local function test_jit(cases)
  local list, args = {}, {}
  for n, case in ipairs(cases) do list[n], args[n] = case.f, case.args end
  local results = run_together(list, {args})[1]
  for n, case in ipairs(cases) do
    check_value(case, "jit", results[n])
    if not case.has_types then check_types(case, results[n]) end
  end
end

-- ---- A family ----

-- Every other group has wide words, which arrays this small have only if asked.
local function in_groups(cases, f)
  for from = 1, #cases, BATCH do
    jax.config.update("jax_vectorize_small", from // BATCH % 2 == 0)
    f(table.move(cases, from, math.min(#cases, from + BATCH - 1), 1, {}), from)
  end
end

local function selected(cases, is_wanted)
  local list = {}
  for _, case in ipairs(cases) do
    if is_wanted(case) then list[#list + 1] = case end
  end
  return list
end

local function test_family(path)
  local family = json.read(path)
  jax.config.update("jax_enable_x64", family.x64 == true)
  local arrays = {}
  for i, packed in ipairs(family.arrays) do arrays[i] = lib.array(packed) end
  local cases = {}
  for _, row in ipairs(family.cases) do
    if not only or row.lua:find(only, 1, true) then
      local case = read_case(row, arrays, family.plain)
      case.f = lib.compile(case.text, case.names)
      if row.raises then
        test_error(case)
      else
        cases[#cases + 1] = case
        local is_alone = family.plain or row.jit == false or only
        if is_alone or #cases % EAGER == 0 then
          local results = try(case.f, table.unpack(case.args))
          check_value(case, "value", results)
          check_types(case, results)
          case.has_types = true
        end
      end
    end
  end
  if family.plain then return end
  in_groups(selected(cases, function(case) return case.row.jit ~= false end),
            test_jit)
  in_groups(selected(cases, function(case)
    return case.row.vmap ~= false and #case.args > 0
  end), test_batches)
  in_groups(selected(cases, function(case) return case.row.grad end),
            function(group) test_gradients(group, arrays) end)
end

for _, path in ipairs(files) do test_family(path) end
tap.done()
