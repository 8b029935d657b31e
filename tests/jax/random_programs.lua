-- SPDX-License-Identifier: Apache-2.0
-- Random programs: no transformation changes what a program computes.
--   warpshop run tests/jax/random_programs.lua [--seed N] [--count N]
--     [--seconds S] [--record FILE | --against FILE]
-- For each program: eager = jit, vmap = a loop, jit of vmap = vmap; gradients
-- alone, of jit and under jit; jvp against vjp. --record keeps the results, and
-- --against compares with those of another device or of the host. programs.lua
-- draws the programs and says how near results must be. What fails is cut down
-- to few equations and printed with its seed.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's are by default.
jax.config.update("jax_default_matmul_precision", "highest")
-- As on a real GPU, arrays and values needed meanwhile share memory.
if os.getenv("JAX_UNCHECKED") then cuda.set_checked(false) end
local lib = dofile("tests/jax/lib.lua")
local draw = dofile("tests/jax/programs.lua")

local options = {seed = 1, count = 500}
do
  local args = {...}
  for i = 1, #args, 2 do
    options[args[i]:sub(3)] = tonumber(args[i + 1]) or args[i + 1]
  end
end

-- ---- Comparing ----

-- How far apart two arrays are; infinite where only one is NaN.
local function distance(a, b)
  if a.dtype ~= b.dtype then return math.huge end
  if table.concat(a.shape, ",") ~= table.concat(b.shape, ",") then
    return math.huge
  end
  local most = 0
  local x, y = lib.flat(a), lib.flat(b)
  for i = 1, #x do
    local p, q = x[i], y[i]
    if p ~= q and (p == p or q == q) then
      if type(p) == "boolean" then return math.huge end
      local d = math.abs(p - q)
      most = math.max(most, d == d and d or math.huge)
    end
  end
  return most
end

local function check(what, got, want, bounds)
  if #got ~= #want then error(what .. ": other results", 0) end
  for i = 1, #want do
    local d, most = distance(np.asarray(got[i]), np.asarray(want[i])), bounds[i]
    if d > most then
      error(("%s: result %d is off by %g, at most %g\n got %s\nwant %s"):format(
        what, i, d, most, tostring(got[i]), tostring(want[i])), 0)
    end
  end
end

local function bounds_of(program, field)
  local out = {}
  for i, id in ipairs(program.outputs) do
    out[i] = 2 * program.vars[id][field]
  end
  return out
end

local function largest(x)
  local most = 0
  for _, v in ipairs(lib.flat(np.asarray(x))) do
    v = math.abs(v)
    if v == v and v > most and v < math.huge then most = v end
  end
  return most
end

-- ---- The checks ----

local function arguments(program)
  local args = {}
  for i, x in ipairs(program.inputs) do args[i] = jnp.array(x) end
  return args
end

local function check_jit(program, f, args, eager)
  check("jit", jax.jit(f)(table.unpack(args)), eager,
        bounds_of(program, "none"))
end

local function check_vmap(program, f)
  local axes, items, stacked = program.axes, {{}, {}, {}}, {}
  for i, x in ipairs(program.inputs) do
    local parts = {}
    for k = 1, 3 do
      parts[k] = axes[i] and lib.vary(x, k - 1) or x
      items[k][i] = jnp.array(parts[k])
    end
    stacked[i] = jnp.array(axes[i] and np.stack(parts, axes[i]) or x)
  end
  local batched = jax.vmap(f, {in_axes = axes})
  local all = batched(table.unpack(stacked))
  for k = 1, 3 do
    local got = {}
    for i, x in ipairs(all) do
      got[i] = np.asarray(np.asarray(x)[k - 1], x.dtype)
    end
    local want = f(table.unpack(items[k]))
    check("vmap, item " .. k - 1, got, want, bounds_of(program, "order_error"))
  end
  check("jit of vmap", jax.jit(batched)(table.unpack(stacked)), all,
        bounds_of(program, "none"))
end

-- A scalar of the float results.
local function total(f)
  return function(...)
    local sum = 0.0
    for _, x in ipairs(f(...)) do
      if x.dtype == "f32" then
        sum = sum + jnp.sum(x * jnp.array(lib.cotangent(x.shape, "f32")))
      end
    end
    return sum
  end
end

local function float_inputs(program)
  local numbers = {}
  for i, x in ipairs(program.inputs) do
    if x.dtype == "f32" then numbers[#numbers + 1] = i - 1 end
  end
  return numbers
end

local function check_gradients(program, f, args)
  local numbers = float_inputs(program)
  if #numbers == 0 then return end
  local phi = total(f)
  local how = {argnums = numbers}
  local plain = jax.grad(phi, how)(table.unpack(args))
  local bounds = {}
  for i, g in ipairs(plain) do
    bounds[i] = 1e-5 * largest(g) + program.slope_error
  end
  check("grad of jit", jax.grad(jax.jit(phi), how)(table.unpack(args)), plain,
        bounds)
  check("jit of grad", jax.jit(jax.grad(phi, how))(table.unpack(args)), plain,
        bounds)
  -- The derivative along a direction is the direction times the gradient.
  local along, want, size = {}, 0.0, 0.0
  for i, x in ipairs(args) do
    along[i] = jnp.array(x.dtype == "f32" and lib.direction(program.inputs[i])
                         or np.zeros(x.shape, x.dtype))
  end
  for i, n in ipairs(numbers) do
    local terms = np.multiply(np.asarray(plain[i]):astype("f64"),
                              np.asarray(along[n + 1]):astype("f64"))
    if terms.size > 0 then
      want = want + np.sum(terms)
      size = size + np.sum(np.abs(terms))
    end
  end
  local chosen, tangents = {}, {}
  for i, n in ipairs(numbers) do
    chosen[i], tangents[i] = args[n + 1], along[n + 1]
  end
  local _, slope = jax.jvp(function(...)
    local all = table.move(args, 1, #args, 1, {})
    for i, x in ipairs{...} do all[numbers[i] + 1] = x end
    return phi(table.unpack(all))
  end, chosen, tangents)
  local got = np.asarray(slope):item()
  if math.abs(got - want) > 1e-5 * size + program.slope_error * (1 + size) then
    error(("jvp gives %g, vjp %g"):format(got, want), 0)
  end
end

local function check_program(program, other)
  local f = draw.as_function(program)
  local args = arguments(program)
  local eager = f(table.unpack(args))
  if other then
    check("the other device", eager, other, bounds_of(program, "error"))
  end
  check_jit(program, f, args, eager)
  check_vmap(program, f)
  check_gradients(program, f, args)
  return eager
end

-- ---- Other devices ----

-- A line for each result: program, number, type, shape, elements.
local function write_down(file, n, results)
  for i, x in ipairs(results) do
    local text = {}
    for k, v in ipairs(lib.flat(np.asarray(x))) do
      text[k] = math.type(v) == "float" and ("%a"):format(v) or tostring(v)
    end
    file:write(("%d %d %s %s;%s\n"):format(n, i, x.dtype,
      table.concat(x.shape, ","), table.concat(text, " ")))
  end
end

local words = {["true"] = true, ["false"] = false, inf = math.huge,
               ["-inf"] = -math.huge, nan = 0 / 0, ["-nan"] = 0 / 0}

local function read_down(path)
  local all = {}
  for line in io.lines(path) do
    local n, i, dtype, shape, text = line:match("^(%d+) (%d+) (%S+) (.*);(.*)$")
    local data, sizes = {}, {}
    for s in shape:gmatch("%d+") do sizes[#sizes + 1] = tonumber(s) end
    for v in text:gmatch("%S+") do
      if words[v] ~= nil then
        data[#data + 1] = words[v]
      else
        data[#data + 1] = tonumber(v)
      end
    end
    n = tonumber(n)
    all[n] = all[n] or {}
    all[n][tonumber(i)] = #data == 0 and np.zeros(sizes, dtype) or
                          np.array(data, dtype):reshape(sizes)
  end
  return all
end

-- ---- Failures ----

-- Failures are of one kind where their messages begin alike.
local function kind_of(e) return tostring(e):gsub("%d+", "0"):sub(1, 40) end

-- The program without equations that the failure does not need.
local function shrunk(program, kind)
  local is_smaller = true
  while is_smaller do
    is_smaller = false
    for k = #program.eqns, 1, -1 do
      local less = draw.without(program, k)
      if less then
        local ok, e = pcall(check_program, less)
        if not ok and kind_of(e) == kind then
          program, is_smaller = less, true
          break
        end
      end
    end
  end
  return program
end

local function explain(seed, program, e)
  local ok = pcall(check_program, program)
  local small = ok and program or shrunk(program, kind_of(e))
  local _, why = pcall(check_program, small)
  local shown, text = pcall(function()
    return tostring(jax.make_jaxpr(draw.as_function(small))(
      table.unpack(arguments(small))))
  end)
  local lines = {("seed %d: %s"):format(seed, tostring(e)), "cut down to:",
                 shown and text or "(it cannot be traced: " .. tostring(text) ..
                 ")", draw.text(small)}
  if not ok then lines[#lines + 1] = tostring(why) end
  return table.concat(lines, "\n")
end

-- ---- All ----

local Said = {__tostring = function(e) return e.text end}
local record = options.record and assert(io.open(options.record, "w"))
local others = options.against and read_down(options.against) or {}
local from = os.clock()
for n = 1, options.count do
  if options.seconds and os.clock() - from > options.seconds then break end
  local seed = options.seed * 1000003 + n
  tap.test(("program %d of seed %d"):format(n, options.seed), function()
    local program = draw.program(seed)
    jax.config.update("jax_vectorize_small", seed % 2 == 0)
    local ok, results = pcall(check_program, program, others[n])
    if not ok then
      error(setmetatable({text = explain(seed, program, results)}, Said), 0)
    end
    if record then write_down(record, n, results) end
  end)
end
if record then record:close() end
tap.done()
