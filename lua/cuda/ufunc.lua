-- SPDX-License-Identifier: Apache-2.0
-- cuda.vectorize and cuda.guvectorize by Numba's rules ("Creating NumPy
-- universal functions" in its documentation), cuda.fuse by CuPy's. The body is
-- a Lua function; jax's tracer runs it once for each kind of arguments and
-- makes one kernel of it.
--
-- Targets: "cuda", the device in use; "cpu", np's loops on the host;
-- "parallel", np's loops on all of its cores.
local use = ...
local np, cuda, jax = use.np, use.cuda, use.jax
local core, api, lax = use("core/core"), use("transforms/api"), use("core/lax")
local arrays, config = use("core/arrays"), use("core/config")
local shape_text = core.shape_text
local M = {}

local function fail(text, ...) core.raise("argument", text:format(...)) end

local function is_array(x) return type(x) == "userdata" and use.is_array(x) end

-- ---- Signatures ----

local function dtype_named(word, text)
  local ok, t = pcall(function() return np.zeros(0, word).dtype end)
  if not ok then
    fail("\"%s\" in the signature \"%s\" is no type: there are f32, " ..
         "float32, i32 and NumPy's other names", word, text)
  end
  return t
end

-- "f32(f32, f32)" as {result, args = {...}, text}.
local function parse_types(text)
  local result, list = text:match("^%s*([%w_]+)%s*%((.-)%)%s*$")
  if not result then
    fail("\"%s\" is no signature: write \"f32(f32, f32)\", the result's " ..
         "type first", text)
  end
  local s = {result = dtype_named(result, text), args = {}, text = text}
  for word in list:gmatch("[^,%s]+") do
    table.insert(s.args, dtype_named(word, text))
  end
  return s
end

local function is_float(t) return t:find("^b?f") ~= nil end

-- The first signature that all arguments fit.
local function choose(self, args)
  for _, s in ipairs(self.signatures) do
    local fits = #s.args == args.n
    for k = 1, fits and args.n or 0 do
      local x, t = args[k], s.args[k]
      if is_array(x) then
        fits = fits and np.can_cast(x.dtype, t)
      elseif type(x) == "number" then
        fits = fits and (is_float(t) or math.type(x) == "integer")
      else
        fits = fits and type(x) == "boolean"
      end
    end
    if fits then return s end
  end
  local given, known = {}, {}
  for k = 1, args.n do
    given[k] = is_array(args[k]) and args[k].dtype or
               args[k] == nil and "nil" or math.type(args[k]) or type(args[k])
  end
  for k, s in ipairs(self.signatures) do known[k] = s.text end
  fail("%s has no signature for (%s); it has %s", self.name,
       table.concat(given, ", "), table.concat(known, ", "))
end

-- ---- Places ----

-- Where the arguments live: "host", "device" or nil for numbers alone.
local function place_of(args, name)
  local place, first
  for k = 1, args.n do
    if is_array(args[k]) then
      local here = args[k].device == "host" and "host" or "device"
      if place and here ~= place then
        fail("%s: argument %d lives on %s, argument %d on %s: " ..
             "cuda.to_device(x) or x:copy_to_host() brings them together", name,
             first,
             args[first].device, k, args[k].device)
      end
      place, first = here, first or k
    end
  end
  return place
end

-- Runs f where the target computes: on the host by np's functions, whose loops
-- take one thread or all cores, or on the device.
local function with_target(target, f)
  local threads = use.set_threads(target == "parallel" and 0 or 1)
  return core.finally(function() use.set_threads(threads) end, config.wide, f,
                      target ~= "cuda")
end

-- An argument as a jax array of exactly that type, where the target computes.
local function entering(x, t, target)
  if not is_array(x) then x = np.asarray(x, t) end
  if target ~= "cuda" then
    if x.device ~= "host" then x = x:copy_to_host() end
    return use.mark(use.is_jax(x) and x or x:astype(t), false)
  end
  if x.dtype ~= t then
    x = (x.device == "host" and x or x:copy_to_host()):astype(t)
  end
  if x.device == "host" then x = cuda.to_device(x) end
  return use.mark(x, false)
end

-- A result where the arguments were.
local function leaving(x, place, like_jax)
  if like_jax then return x end
  x = use.unmark(x)
  if place == "device" then
    return x.device == "host" and cuda.to_device(x) or x
  end
  return x.device == "host" and x or x:copy_to_host()
end

local function any_jax(args)
  for k = 1, args.n do
    if is_array(args[k]) and use.is_jax(args[k]) then return true end
  end
  return false
end

local function broadcast(shapes, name)
  local shape, k, before = core.broadcast_shapes(shapes)
  return shape or fail("%s: shapes %s and %s do not broadcast", name,
                       shape_text(before), shape_text(shapes[k]))
end

-- ---- Bodies ----

local targets = {cpu = true, parallel = true, cuda = true}

local function check_body(body, what)
  if type(body) == "string" then
    fail("%s takes a Lua function, function(x) return ... end; a text of " ..
         "CUDA C for each element is cuda.ElementwiseKernel's", what)
  end
  if type(body) ~= "function" then
    fail("%s takes a Lua function for its body, not %s", what,
         body == nil and "nil" or type(body))
  end
end

local function check_options(options, what, known)
  options = options or {}
  for key in pairs(options) do
    if not known[key] then
      fail("%s has no setting \"%s\"", what, tostring(key))
    end
  end
  local target = options.target or "cuda"
  if not targets[target] then
    fail("%s: there is no target \"%s\"; there are cpu, parallel and cuda",
         what, tostring(target))
  end
  return options, target
end

-- x with its axes stretched to `shape`, to whose last ones they belong.
local function stretch(x, shape)
  local own = core.shape_of(x)
  if core.same_shape(own, shape) then return x end
  local kept, axes = {}, {}
  for d, s in ipairs(own) do
    local at = #shape - #own + d
    if s ~= 1 or shape[at] == 1 then
      table.insert(kept, s)
      table.insert(axes, at - 1)
    end
  end
  if #kept < #own then x = lax.reshape(x, kept) end
  return lax.broadcast_in_dim(x, shape, axes)
end

-- Calls the body with arguments of one shape; the result gets the type `t`.
local function elementwise(body, t)
  return function(...)
    local args, shapes = {...}, {}
    for k, x in ipairs(args) do shapes[k] = core.shape_of(x) end
    local shape = broadcast(shapes, "the body")
    for k, x in ipairs(args) do args[k] = stretch(x, shape) end
    local y = body(table.unpack(args))
    if y == nil then
      fail("the body returned nothing: a `return` is missing")
    end
    y = arrays.as_value(y, "the body's result")
    if core.is_literal(y) then return lax.full(shape, y.value, t) end
    return core.dtype_of(y) == t and y or lax.convert_element_type(y, t)
  end
end

-- ---- cuda.vectorize ----

local Ufunc = {}
Ufunc.__index = Ufunc

function Ufunc.__call(self, ...)
  local args = table.pack(...)
  local s = choose(self, args)
  local place = place_of(args, self.name)
  local like_jax = any_jax(args)
  return with_target(self.target, function()
    local values = {}
    for k = 1, args.n do
      values[k] = entering(args[k], s.args[k], self.target)
    end
    local y = leaving(self.compiled[s](table.unpack(values)), place,
                      like_jax)
    if not place and y.ndim == 0 then return y:item() end
    return y
  end)
end

local function only_binary(self, method)
  if #self.signatures[1].args ~= 2 then
    fail("%s:%s is for functions of two arguments; it has %d", self.name,
         method, #self.signatures[1].args)
  end
end

-- The elements from `first` to before `stop` of the first axis, every step-th.
local function part(x, first, stop, step)
  local from, to, steps = {}, {}, {}
  for d, n in ipairs(core.shape_of(x)) do
    from[d], to[d], steps[d] = 0, n, 1
  end
  from[1], to[1], steps[1] = first, stop, step or 1
  return lax.slice(x, from, to, steps)
end

-- Halves the axis until one element is left: x[0] op x[1], x[2] op x[3] ...
local function fold(body, x)
  while core.shape_of(x)[1] > 1 do
    local n = core.shape_of(x)[1]
    local half = body(part(x, 0, n - n % 2, 2), part(x, 1, n, 2))
    if n % 2 == 1 then half = lax.concatenate({half, part(x, n - 1, n)}, 0) end
    x = half
  end
  local shape = core.shape_of(x)
  return lax.reshape(x, table.move(shape, 2, #shape, 1, {}))
end

local function moved(x, from, to)
  local order, rank = {}, #core.shape_of(x)
  for d = 0, rank - 1 do
    if d ~= from then table.insert(order, d) end
  end
  table.insert(order, to + 1, from)
  return lax.transpose(x, order)
end

local function along_axis(self, method, x, axis, f)
  only_binary(self, method)
  local s = choose(self, table.pack(x, x))
  axis = axis or 0
  local rank = is_array(x) and x.ndim or 0
  if math.type(axis) ~= "integer" or axis < -rank or axis >= rank then
    fail("%s:%s: axis %s of an array of %d axes", self.name, method,
         tostring(axis), rank)
  end
  if x.shape[axis % rank + 1] == 0 then
    fail("%s:%s: the axis has no elements", self.name, method)
  end
  local key = method .. axis % rank .. s.text
  self.folds[key] = self.folds[key] or api.jit(function(v)
    return f(elementwise(self.body, s.result), moved(v, axis % rank, 0),
             axis % rank)
  end)
  return with_target(self.target, function()
    local y = self.folds[key](entering(x, s.result, self.target))
    return leaving(y, x.device == "host" and "host" or "device", use.is_jax(x))
  end)
end

--- The function between all elements of an axis, pair by pair.
function Ufunc.reduce(self, x, axis)
  return along_axis(self, "reduce", x, axis, fold)
end

--- Likewise, with every result on the way (Hillis and Steele's scan).
function Ufunc.accumulate(self, x, axis)
  return along_axis(self, "accumulate", x, axis, function(body, v, back)
    local n, step = core.shape_of(v)[1], 1
    while step < n do
      v = lax.concatenate({part(v, 0, step),
                           body(part(v, 0, n - step), part(v, step, n))}, 0)
      step = step * 2
    end
    return moved(v, 0, back)
  end)
end

--- The function of every pair of an element of x and one of y.
function Ufunc.outer(self, x, y)
  only_binary(self, "outer")
  local function stretched(v, before, after)
    local shape = {}
    for _ = 1, before do table.insert(shape, 1) end
    table.move(v.shape, 1, #v.shape, #shape + 1, shape)
    for _ = 1, after do table.insert(shape, 1) end
    return v:reshape(shape)
  end
  return self(stretched(x, 0, y.ndim), stretched(y, 0, 0))
end

Ufunc.__tostring = function(self)
  local list = {}
  for k, s in ipairs(self.signatures) do list[k] = s.text end
  return ("vectorize %s: %s (target %s)"):format(self.name,
                                                 table.concat(list, ", "),
                                                 self.target)
end

--- As documented in help/cuda.lua.
function M.vectorize(signatures, body, options)
  check_body(body, "cuda.vectorize")
  local target
  options, target = check_options(options, "cuda.vectorize",
                                  {target = true, name = true})
  local self = setmetatable({body = body, target = target, compiled = {},
                             folds = {}, signatures = {},
                             name = options.name or "the function"}, Ufunc)
  if type(signatures) == "string" then signatures = {signatures} end
  if type(signatures) ~= "table" or #signatures == 0 then
    fail("cuda.vectorize takes signatures first, such as \"f32(f32, f32)\"")
  end
  for k, text in ipairs(signatures) do
    local s = parse_types(text)
    if k > 1 and #s.args ~= #self.signatures[1].args then
      fail("cuda.vectorize: \"%s\" has another number of arguments than \"%s\"",
           text, self.signatures[1].text)
    end
    self.signatures[k] = s
    self.compiled[s] = api.jit(elementwise(body, s.result), {name = self.name})
  end
  return self
end

-- ---- cuda.guvectorize ----

local Gufunc = {}
Gufunc.__index = Gufunc

-- "(m,n),(n)->(m)" as lists of names.
local function parse_layout(text)
  local left, right = text:match("^(.-)%->(.+)$")
  if not left then
    fail("\"%s\" is no layout: write \"(m,n),(n)->(m)\"", tostring(text))
  end
  local function groups(part_text)
    local list, rest = {}, part_text:gsub("%((.-)%)", function() return "" end)
    if rest:find("[^%s,]") then
      fail("\"%s\" in the layout \"%s\": each argument is (names)", rest, text)
    end
    for inner in part_text:gmatch("%((.-)%)") do
      local names = {}
      for word in inner:gmatch("[^,%s]+") do table.insert(names, word) end
      table.insert(list, names)
    end
    return list
  end
  return groups(left), groups(right)
end

-- The sizes of the layout's names, and each argument's loop axes.
local function measure(self, args)
  local sizes, owner, loops = {}, {}, {}
  for k, names in ipairs(self.inputs) do
    local x = args[k]
    local shape = is_array(x) and x.shape or {}
    if #shape < #names then
      fail("%s: argument %d has the shape %s, and (%s) needs %d axes",
           self.name, k, shape_text(shape), table.concat(names, ","), #names)
    end
    loops[k] = table.move(shape, 1, #shape - #names, 1, {})
    for n, name in ipairs(names) do
      local size = shape[#shape - #names + n]
      if sizes[name] and sizes[name] ~= size then
        fail("%s: %s is %d in argument %d and %d in argument %d", self.name,
             name, sizes[name], owner[name], size, k)
      end
      sizes[name], owner[name] = size, k
    end
  end
  return sizes, loops
end

-- body, mapped over the loop axes, the last one innermost.
local function mapped(self, loops, rank)
  local f = self.body
  for axis = rank, 1, -1 do
    local in_axes = {}
    for k, loop in ipairs(loops) do
      in_axes[k] = #loop - rank + axis >= 1 and 0 or false
    end
    f = api.vmap(f, {in_axes = in_axes})
  end
  return f
end

function Gufunc.__call(self, ...)
  local args = table.pack(...)
  if args.n ~= #self.inputs then
    fail("%s takes %d arguments (%s), not %d", self.name, #self.inputs,
         self.layout, args.n)
  end
  local place, like_jax = place_of(args, self.name), any_jax(args)
  local sizes, loops = measure(self, args)
  local shape = broadcast(loops, self.name)
  return with_target(self.target, function()
    local values = {}
    for k = 1, args.n do
      local x = args[k]
      x = entering(x, self.types and self.types[k] or
                      (is_array(x) and x.dtype or np.asarray(x).dtype),
                   self.target)
      -- A loop axis of one element is stretched, so that vmap sees one size.
      local full = table.move(shape, #shape - #loops[k] + 1, #shape, 1, {})
      for _, name in ipairs(self.inputs[k]) do
        table.insert(full, sizes[name])
      end
      values[k] = stretch(x, full)
      loops[k] = table.move(full, 1, #loops[k], 1, {})
    end
    local key = {}
    for k, loop in ipairs(loops) do key[k] = #loop end
    key = table.concat(key, ",")
    self.cache[key] = self.cache[key] or
                      api.jit(mapped(self, loops, #shape), {name = self.name})
    local results = table.pack(self.cache[key](table.unpack(values)))
    if results.n ~= #self.outputs then
      fail("%s: the body gave %d results, the layout %s has %d", self.name,
           results.n, self.layout, #self.outputs)
    end
    for k, names in ipairs(self.outputs) do
      local full = table.move(shape, 1, #shape, 1, {})
      for _, name in ipairs(names) do
        sizes[name] = sizes[name] or results[k].shape[#full + 1]
        table.insert(full, sizes[name])
      end
      if not core.same_shape(results[k].shape, full) then
        fail("%s: result %d has the shape %s, and (%s) with these arguments is "
             .. "%s", self.name, k, shape_text(results[k].shape),
             table.concat(names, ","), shape_text(full))
      end
      results[k] = leaving(results[k], place, like_jax)
    end
    return table.unpack(results, 1, results.n)
  end)
end

Gufunc.__tostring = function(self)
  return ("guvectorize %s: %s (target %s)"):format(self.name, self.layout,
                                                   self.target)
end

-- An argument that a body in Numba's form writes to, one element or slice at a
-- time: arrays of jax are made anew with each.
local Written = {}
function Written.__index(self, i)
  local x = rawget(self, "value")
  return #x.shape == 0 and x or x[i]
end
function Written.__newindex(self, i, v)
  local x = rawget(self, "value")
  local is_whole = #x.shape == 0 or i == ":" -- out[0] of "()", as in Numba
  rawset(self, "value", is_whole and use.jnp.full(x.shape, v, x.dtype)
         or x.at[i]:set(v))
end
function Written.__len(self) return #rawget(self, "value") end

-- A body that writes to its last arguments, as one that returns them.
local function returning(self, body)
  return function(...)
    local args = table.pack(...)
    local sizes, dtype = {}, self.types and self.types[args.n + 1]
    for k, names in ipairs(self.inputs) do
      for n, name in ipairs(names) do sizes[name] = args[k].shape[n] end
    end
    dtype = dtype or np.result_type(table.unpack(args, 1, args.n))
    local written = {}
    for k, names in ipairs(self.outputs) do
      local shape = {}
      for n, name in ipairs(names) do shape[n] = sizes[name] end
      if #shape < #names then
        fail("%s: the size of (%s) cannot be told from the arguments: a " ..
             "body that writes to it needs names of the left side", self.name,
             table.concat(names, ","))
      end
      written[k] = setmetatable({value = use.jnp.zeros(shape, dtype)}, Written)
      args[args.n + k] = written[k]
    end
    body(table.unpack(args, 1, args.n + #written))
    for k, w in ipairs(written) do written[k] = rawget(w, "value") end
    return table.unpack(written)
  end
end

-- "f32[:], f32, f32[:]", or Numba's list of such: the types of one.
local function numba_types(list)
  local text = type(list) == "table" and list[1] or list
  return (text:gsub("^%s*void%s*%((.*)%)%s*$", "%1"):gsub("%[[^%]]*%]", ""))
end

--- As documented in help/cuda.lua.
function M.guvectorize(layout, body, options, ...)
  if type(body) == "string" then -- Numba's order: types, layout, body
    local types = numba_types(layout)
    layout, body, options = body, options, ...
    options = table.move(options or {}, 1, 0, 1, {types = types,
      target = options and options.target, name = options and options.name})
  end
  check_body(body, "cuda.guvectorize")
  local target
  options, target = check_options(options, "cuda.guvectorize",
                                  {target = true, name = true, types = true})
  if type(layout) ~= "string" then
    fail("cuda.guvectorize takes a layout first, such as \"(m,n),(n)->(m)\"")
  end
  local inputs, outputs = parse_layout(layout)
  local types
  if options.types then
    types = {}
    for word in options.types:gmatch("[^,%s]+") do
      table.insert(types, dtype_named(word, options.types))
    end
    if #types ~= #inputs and #types ~= #inputs + #outputs then
      fail("cuda.guvectorize: %d types for %d arguments", #types, #inputs)
    end
  end
  local self = setmetatable({body = body, layout = layout, inputs = inputs,
                             outputs = outputs, target = target, types = types,
                             cache = {}, name = options.name or "the function"},
                            Gufunc)
  if use.parameter_count(body) == #inputs + #outputs then
    self.body = returning(self, body)
  end
  return self
end

-- ---- cuda.fuse ----

local Fused = {}
Fused.__tostring = function() return "a function of arrays, fused" end
Fused.__call = function(self, ...)
  local args = table.pack(...)
  local place, like_jax = place_of(args, "the fused function"), any_jax(args)
  for k = 1, args.n do
    if is_array(args[k]) then
      args[k] = entering(args[k], args[k].dtype, "cuda")
    end
  end
  local results = table.pack(with_target("cuda", function()
    return self.f(table.unpack(args, 1, args.n))
  end))
  for k = 1, results.n do results[k] = leaving(results[k], place, like_jax) end
  return table.unpack(results, 1, results.n)
end

--- As documented in help/cuda.lua.
function M.fuse(f)
  check_body(f, "cuda.fuse")
  return setmetatable({f = jax.jit(f)}, Fused)
end

return M
