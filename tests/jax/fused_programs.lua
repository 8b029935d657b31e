-- SPDX-License-Identifier: Apache-2.0
-- Random programs of indexing, products and reductions, of sizes at which
-- kernels read words, tiles and rows: none may fail to compile, and each gives
-- what the host gives, operation by operation. All values are small whole
-- numbers, so that f32 holds every sum exactly and results are equal by bits.
--   warpshop run tests/jax/fused_programs.lua [--seed N] [--count N]
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's are by default.
jax.config.update("jax_default_matmul_precision", "highest")

local options = {seed = 1, count = 120}
do
  local args = {...}
  for i = 1, #args, 2 do options[args[i]:sub(3)] = tonumber(args[i + 1]) end
end

local lax = jax.lax
local SIZES = {1, 2, 3, 5, 8, 11, 16, 32, 33, 48, 64, 96, 128, 160}
local MOST = 1 << 16 -- elements of a value
local LIMIT = 2.0 ^ 22 -- of a value's elements

-- ---- Chance: SplitMix64 (Steele, Lea, Flood 2014) ----

local Chance = {}
Chance.__index = Chance
function Chance:below(n)
  self.state = self.state + 0x9e3779b97f4a7c15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
  z = (z ~ (z >> 27)) * 0x94d049bb133111eb
  return ((z ~ (z >> 31)) >> 1) % n
end
function Chance:from(list) return list[self:below(#list) + 1] end

-- ---- Programs: steps that add a value to those before ----
-- A value is {shape, most}: no element is larger. A step is {text, f, shape,
-- most}, f(values) the new one; a row of `kinds` draws one, or nil.

local function size_of(shape)
  local n = 1
  for _, s in ipairs(shape) do n = n * s end
  return n
end

-- Indexes below n that follow from a value: a program's own, or an argument's.
local function indexes(draw, n, count)
  if draw.chance:below(3) == 0 then
    local k = draw:pick(function(v) return #v.shape == 1 end)
    if k and draw.values[k].shape[1] == count then
      return "|v" .. k .. "| % " .. n, function(values)
        return jnp.mod(jnp.abs(values[k]):astype("i32"), n)
      end
    end
  end
  local list = {}
  for i = 1, count do list[i] = draw.chance:below(n) end
  local k = #draw.indexes + 1
  draw.indexes[k] = np.array(list, "i32")
  return "i" .. k, function(_, given) return given[k] end
end

local kinds = {}

local function one(rank, f)
  kinds[#kinds + 1] = function(draw)
    local k = draw:pick(function(v) return not rank or #v.shape >= rank end)
    if k then return f(draw, k, draw.values[k]) end
  end
end

one(1, function(draw, k, v) -- rows by an index array
  local rest = table.move(v.shape, 2, #v.shape, 2, {draw.chance:from(SIZES)})
  local text, of = indexes(draw, v.shape[1], rest[1])
  return {("v%d[%s]"):format(k, text), function(values, given)
    return values[k][of(values, given)]
  end, rest, v.most}
end)

one(2, function(draw, k, v) -- columns
  local shape = {v.shape[1], draw.chance:from(SIZES),
                 table.unpack(v.shape, 3)}
  local text, of = indexes(draw, v.shape[2], shape[2])
  return {("take(v%d, %s, 1)"):format(k, text), function(values, given)
    return jnp.take(values[k], of(values, given), 1)
  end, shape, v.most}
end)

one(1, function(draw, k, v) -- a stretch from a place that is computed
  local size = 1 + draw.chance:below(v.shape[1])
  local text, of = indexes(draw, v.shape[1], 1)
  return {("dynamic_slice(v%d, %s, %d)"):format(k, text, size),
          function(values, given)
    return lax.dynamic_slice_in_dim(values[k], of(values, given)[0], size, 0)
  end, {size, table.unpack(v.shape, 2)}, v.most}
end)

one(1, function(_, k, v)
  return {("v%d[::-1] - 1"):format(k), function(values)
    return jnp.flip(values[k], 0) - 1
  end, v.shape, v.most + 1}
end)

one(2, function(_, k, v)
  local shape = table.move(v.shape, 1, #v.shape, 1, {})
  shape[1], shape[2] = shape[2], shape[1]
  return {("swap(v%d)"):format(k), function(values)
    return jnp.swapaxes(values[k], 0, 1)
  end, shape, v.most}
end)

one(1, function(draw, k, v)
  local by = 1 + draw.chance:below(5)
  return {("pad(v%d, %d)"):format(k, by), function(values)
    local widths = {{by, 0}}
    for d = 2, #v.shape do widths[d] = {0, 0} end
    return jnp.pad(values[k], widths)
  end, {v.shape[1] + by, table.unpack(v.shape, 2)}, v.most}
end)

one(1, function(_, k, v)
  return {("concatenate(v%d, -v%d)"):format(k, k), function(values)
    return jnp.concatenate({values[k], -values[k]}, 0)
  end, {2 * v.shape[1], table.unpack(v.shape, 2)}, v.most}
end)

one(1, function(_, k, v)
  return {("where(v%d > 0, v%d, 2)"):format(k, k), function(values)
    return jnp.where(values[k]:gt(0), values[k], 2.0)
  end, v.shape, math.max(v.most, 2)}
end)

one(1, function(_, k, v)
  return {("roll(v%d)"):format(k), function(values)
    return jnp.roll(values[k], 1, 0)
  end, v.shape, v.most}
end)

one(1, function(_, k, v)
  return {("ravel(v%d)"):format(k), function(values)
    return jnp.ravel(values[k])
  end, {size_of(v.shape)}, v.most}
end)

one(1, function(draw, k, v) -- reductions
  local name = draw.chance:from{"sum", "max", "min"}
  local axis = draw.chance:below(#v.shape)
  local keeps = draw.chance:below(2) == 0
  local shape = table.move(v.shape, 1, #v.shape, 1, {})
  local n = shape[axis + 1]
  if keeps then shape[axis + 1] = 1 else table.remove(shape, axis + 1) end
  return {("%s(v%d, %d, %s)"):format(name, k, axis, keeps), function(values)
    return jnp[name](values[k], {axis = axis, keepdims = keeps})
  end, shape, name == "sum" and v.most * n or v.most}
end)

one(1, function(draw, k, v)
  local axis = draw.chance:below(#v.shape)
  return {("v%d - max(v%d, %d)"):format(k, k, axis), function(values)
    local x = values[k]
    return x - jnp.max(x, {axis = axis, keepdims = true})
  end, v.shape, 2 * v.most}
end)

one(1, function(draw, k, v)
  local axis = draw.chance:below(#v.shape)
  return {("cumsum(v%d, %d)"):format(k, axis), function(values)
    return jnp.cumsum(values[k], axis)
  end, v.shape, v.most * v.shape[axis + 1]}
end)

one(2, function(draw, k, v) -- products, with itself or another
  local j = draw:pick(function(w)
    return #w.shape == 2 and w.shape[1] == v.shape[#v.shape]
  end)
  if not j then
    if #v.shape ~= 2 then return nil end
    return {("matmul(v%d, swap(v%d))"):format(k, k), function(values)
      return jnp.matmul(values[k], values[k].T)
    end, {v.shape[1], v.shape[1]}, v.most * v.most * v.shape[2]}
  end
  local w = draw.values[j]
  local shape = table.move(v.shape, 1, #v.shape, 1, {})
  shape[#shape] = w.shape[2]
  return {("matmul(v%d, v%d)"):format(k, j), function(values)
    return jnp.matmul(values[k], values[j])
  end, shape, v.most * w.most * w.shape[1]}
end)

one(1, function(draw, k, v) -- two of one shape, or of a row
  local j = draw:pick(function(w)
    return table.concat(w.shape, ",") == table.concat(v.shape, ",") or
           #w.shape == 1 and w.shape[1] == v.shape[#v.shape]
  end)
  if not j then return nil end
  return {("v%d + 2 * v%d"):format(k, j), function(values)
    return values[k] + 2 * values[j]
  end, v.shape, v.most + 2 * draw.values[j].most}
end)

one(1, function(draw, k, v) -- scattered
  local count = draw.chance:from(SIZES)
  local text, of = indexes(draw, v.shape[1], count)
  local name = draw.chance:from{"add", "max"}
  return {("v%d.at[%s].%s(1)"):format(k, text, name), function(values, given)
    local at = values[k].at[of(values, given)]
    return at[name](at, 1.0)
  end, v.shape, v.most + count}
end)

local Draw = {}
Draw.__index = Draw

-- The number of a value, mostly a late one, that is wanted.
function Draw:pick(is_wanted)
  local list = {}
  for k, v in ipairs(self.values) do
    if is_wanted(v) and size_of(v.shape) > 0 then list[#list + 1] = k end
  end
  if #list == 0 then return nil end
  local from = self.chance:below(3) > 0 and math.max(1, #list - 2) or 1
  return list[from + self.chance:below(#list - from + 1)]
end

local function draw_program(seed)
  local draw = setmetatable({
    chance = setmetatable({state = seed}, Chance), values = {}, indexes = {},
    inputs = {}, steps = {}}, Draw)
  for k = 1, 2 do
    local shape = {draw.chance:from(SIZES), draw.chance:from(SIZES)}
    if draw.chance:below(4) == 0 then
      shape[3] = draw.chance:from{1, 2, 3, 8}
    end
    local list = {}
    for i = 1, size_of(shape) do list[i] = draw.chance:below(7) - 3.0 end
    draw.inputs[k] = np.array(list, "f32"):reshape(shape)
    draw.values[k] = {shape = shape, most = 3}
  end
  local want = 2 + draw.chance:below(5)
  for _ = 1, 60 do
    local step = draw.chance:from(kinds)(draw)
    if step and size_of(step[3]) <= MOST and step[4] <= LIMIT and
       #step[3] <= 3 then
      draw.steps[#draw.steps + 1] = step
      draw.values[#draw.values + 1] = {shape = step[3], most = step[4]}
      if #draw.steps == want then break end
    end
  end
  return draw
end

local function text_of(draw)
  local lines = {}
  for i, x in ipairs(draw.inputs) do
    lines[i] = ("v%d = f32{%s}"):format(i, table.concat(x.shape, ", "))
  end
  for i, step in ipairs(draw.steps) do
    lines[#lines + 1] = ("v%d = %s"):format(#draw.inputs + i, step[1])
  end
  return table.concat(lines, "\n")
end

-- The last value, and one before it: what lies between is fused.
local function function_of(draw)
  return function(arrays, given)
    local values = {}
    for i, x in ipairs(arrays) do values[i] = x end
    for _, step in ipairs(draw.steps) do
      values[#values + 1] = step[2](values, given)
    end
    local n = #values
    return {values[n], values[n - #draw.steps // 2]}
  end
end

local function arrays_of(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = jnp.array(x) end
  return out
end

-- On the host, operation by operation.
local function reference(f, draw)
  local before = jax.config.jax_platforms
  jax.config.update("jax_platforms", "cpu")
  local ok, r = pcall(f, arrays_of(draw.inputs), arrays_of(draw.indexes))
  jax.config.update("jax_platforms", before)
  if not ok then error(r, 0) end
  return r
end

for n = 1, options.count do
  local seed = options.seed * 1000003 + n
  tap.test(("fused program %d of seed %d"):format(n, options.seed), function()
    jax.config.update("jax_vectorize_small", seed % 2 == 0)
    local draw = draw_program(seed)
    local f = function_of(draw)
    local ok, e = pcall(function()
      local got = jax.jit(f)(arrays_of(draw.inputs), arrays_of(draw.indexes))
      local want = reference(f, draw)
      for k = 1, #want do
        local a, b = np.asarray(got[k]), np.asarray(want[k])
        if not np.array_equal(a, b) then
          error(("result %d differs:\n%s\nwant\n%s"):format(k, tostring(a),
                                                            tostring(b)), 0)
        end
      end
    end)
    if not ok then
      error(("seed %d: %s\n%s"):format(seed, tostring(e), text_of(draw)), 0)
    end
  end)
end
tap.done()
