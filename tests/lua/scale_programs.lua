-- SPDX-License-Identifier: Apache-2.0
-- Random programs of arrays, each a function of its inputs that reads the same
-- for np's arrays and for scale's: test_scale_programs.lua and
-- test_scale_devices.lua compare what both give.
local M = {}

-- Of programs: "exact" ones only move elements, and go element by element, or
-- choose among them; in others sums are added in another order.
local unary = {
  {"negative", exact = true}, {"abs", exact = true}, {"square", exact = true},
  {"sqrt", exact = true, before = "abs"}, {"floor", exact = true},
  {"sin", exact = true, host = true}, {"tanh", exact = true, host = true},
  {"exp", exact = true, host = true, before = "tanh"},
}
local binary = {"add", "subtract", "multiply", "maximum", "minimum"}

local function bound_of(name, a, b)
  if name == "add" or name == "subtract" then return a + b end
  if name == "multiply" then return a * b end
  return math.max(a, b)
end

local function pick(r, list) return list[r:integers(1, #list + 1)] end

-- A random cut of one axis.
local function random_cut(r, n)
  if n > 0 and r:integers(0, 3) == 0 then
    local out, left = {}, n
    while left > 0 do
      local size = r:integers(1, left + 1)
      out[#out + 1], left = size, left - size
    end
    return out
  end
  return r:integers(0, 4) == 0 and -1 or r:integers(1, n + 2)
end

function M.random_chunks(r, shape)
  local out = {}
  for axis, n in ipairs(shape) do out[axis] = random_cut(r, n) end
  return out
end

-- ---- Steps: each gives {f = function(values), shape, bound, exact} ----

local steps = {}

function steps.unary(r, p)
  local a, u = pick(r, p.nodes), pick(r, unary)
  if u.host and not p.on_host then u = unary[1] end
  local bound = (u[1] == "square") and a.bound ^ 2 or a.bound + 2
  return {shape = a.shape, bound = bound, exact = a.exact, f = function(v)
    local x = v(a)
    if u.before then x = np[u.before](x) end
    return np[u[1]](x)
  end}
end

local function broadcast(a, b)
  local out = {}
  local n = math.max(#a, #b)
  for back = 0, n - 1 do
    local x, y = a[#a - back] or 1, b[#b - back] or 1
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    out[n - back] = x == 1 and y or x
  end
  return out
end

function steps.binary(r, p)
  local a, b, name = pick(r, p.nodes), pick(r, p.nodes), pick(r, binary)
  local shape = broadcast(a.shape, b.shape)
  if not shape then return nil end
  return {shape = shape, exact = a.exact and b.exact,
          bound = bound_of(name, a.bound, b.bound),
          f = function(v) return np[name](v(a), v(b)) end}
end

function steps.scalar(r, p)
  local a, c = pick(r, p.nodes), r:integers(-3, 4)
  if r:integers(0, 2) == 0 then c = c + 0.5 end
  local on_left = r:integers(0, 2) == 0
  return {shape = a.shape, bound = a.bound + 4, exact = a.exact, f = function(v)
    if on_left then return c - v(a) end
    return v(a) + c
  end}
end

function steps.where(r, p)
  local a, b = pick(r, p.nodes), pick(r, p.nodes)
  local shape = broadcast(a.shape, b.shape)
  if not shape then return nil end
  -- A comparison may fall otherwise where a sum's last bit does.
  if not (a.exact and b.exact) then return nil end
  return {shape = shape, exact = true, bound = math.max(a.bound, b.bound),
          f = function(v) return np.where(v(a):gt(v(b)), v(a), v(b) * 0.5) end}
end

function steps.transpose(r, p)
  local a, shape = pick(r, p.nodes), {}
  for i, n in ipairs(a.shape) do shape[#a.shape + 1 - i] = n end
  return {shape = shape, bound = a.bound, exact = a.exact,
          f = function(v) return v(a).T end}
end

local function random_slice(r, n)
  local kind = r:integers(0, 4)
  if kind == 0 or n == 0 then return ":", n end
  if kind == 1 then return tostring(r:integers(-n, n)), nil end
  local from, to = r:integers(0, n), r:integers(0, n)
  if from > to then from, to = to, from end
  if kind == 2 then return ("%d:%d"):format(from, to + 1), to + 1 - from end
  local step = r:integers(1, 4)
  local text = ("%d:%s:%d"):format(to, from > 0 and from - 1 or "", -step)
  return text, (to - from) // step + 1
end

function steps.slice(r, p)
  local a, texts, shape = pick(r, p.nodes), {}, {}
  if #a.shape == 0 then return nil end
  for axis, n in ipairs(a.shape) do
    local text, left = random_slice(r, n)
    texts[axis] = text
    if left then shape[#shape + 1] = left end
  end
  if #shape == 0 then return nil end
  local key = table.concat(texts, ", ")
  return {shape = shape, bound = a.bound, exact = a.exact,
          f = function(v) return v(a)[key] end}
end

function steps.rechunk(r, p)
  local a = pick(r, p.nodes)
  local cut = M.random_chunks(r, a.shape)
  return {shape = a.shape, bound = a.bound, exact = a.exact, f = function(v)
    local x = v(a)
    return type(x) == "table" and x:rechunk(cut) or x
  end}
end

function steps.reduce(r, p)
  local a = pick(r, p.nodes)
  if #a.shape < 2 then return nil end
  local name = pick(r, {"sum", "mean", "max", "min"})
  local axis, keep = r:integers(0, #a.shape), r:integers(0, 2) == 0
  local shape, n = {}, a.shape[axis + 1]
  if n == 0 then return nil end
  for i, m in ipairs(a.shape) do
    if i ~= axis + 1 then
      shape[#shape + 1] = m
    elseif keep then
      shape[#shape + 1] = 1
    end
  end
  return {shape = shape, bound = a.bound * (name == "sum" and n or 1),
          exact = a.exact and (name == "max" or name == "min"),
          f = function(v) return v(a)[name](v(a), axis, {keepdims = keep}) end}
end

function steps.matmul(r, p)
  local a, b = pick(r, p.nodes), pick(r, p.nodes)
  if #a.shape ~= 2 or #b.shape ~= 2 or a.shape[2] ~= b.shape[1]
    or a.shape[2] == 0 then
    return nil
  end
  return {shape = {a.shape[1], b.shape[2]}, exact = false,
          bound = a.bound * b.bound * a.shape[2],
          f = function(v) return np.matmul(v(a), v(b)) end}
end

local kinds = {"unary", "binary", "binary", "scalar", "where", "transpose",
               "slice", "rechunk", "reduce", "reduce", "matmul"}

-- ---- A program ----

local function random_input(r, p)
  local n, m = r:integers(1, 9), r:integers(1, 9)
  p.sides = p.sides or {n, m, 1}
  local shape = {pick(r, p.sides), pick(r, p.sides)}
  if r:integers(0, 5) == 0 then shape = {shape[1]} end
  local x = r:random(shape) * 2 - 1
  local dtype = pick(r, p.types)
  if dtype:find("^i") then x = x * 4 end
  return {shape = shape, bound = 4, exact = true, value = x:astype(dtype)}
end

--- A program: {inputs, result, on_host}; the types are those of its inputs.
function M.make(seed, options)
  local r = np.random.default_rng(seed)
  local p = {nodes = {}, on_host = options.on_host,
             types = options.types or {"f64", "f64", "f32", "i64", "i32"}}
  for i = 1, r:integers(1, 4) do p.nodes[i] = random_input(r, p) end
  p.inputs = #p.nodes
  local wanted, tries = r:integers(3, 9), 0
  while #p.nodes < p.inputs + wanted and tries < 60 do
    tries = tries + 1
    local node = steps[pick(r, kinds)](r, p)
    if node and #node.shape > 0 and node.bound < 1e6 then
      p.nodes[#p.nodes + 1] = node
    end
  end
  p.result, p.random = p.nodes[#p.nodes], r
  return p
end

--- Its result where given(node) is each input.
function M.run(p, given)
  local known = {}
  local function value(node)
    if known[node] == nil then
      known[node] = node.value and given(node) or node.f(value)
    end
    return known[node]
  end
  return value(p.result)
end

--- Raises where a chunked program gives something else than np.
function M.compare(p, what, got, want)
  local function differ(why)
    error(("program %s: %s\ngot  %s\nwant %s"):format(what, why, tostring(got),
      tostring(want)), 0)
  end
  want = np.asarray(want)
  if got.dtype ~= want.dtype then
    differ(("the type is %s, want %s"):format(got.dtype, want.dtype))
  end
  if table.concat(got.shape, ",") ~= table.concat(want.shape, ",") then
    differ("the shapes are not the same")
  end
  if p.result.exact then
    if not np.array_equal(got, want) then differ("not the same bits") end
    return
  end
  local eps = want.dtype == "f64" and 2e-15 or 2e-6
  local off = np.abs(got:astype("f64") - want:astype("f64"))
  if got.size > 0 and np.max(off) > eps * 64 * p.result.bound then
    differ("further off than sums in another order are")
  end
end

return M
