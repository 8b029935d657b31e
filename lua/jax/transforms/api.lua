-- SPDX-License-Identifier: Apache-2.0
-- The transformations as functions of functions: make_jaxpr, jit, vmap, grad
-- and their relatives. Arguments and results are trees of tables. As in JAX,
-- argument numbers (argnums) and axes count from 0.
local use = ...
local core = use("core/core")
local program = use("core/program")
local tree = use("core/tree")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local exec = use("compile/exec")
local misses = use("explain/misses")
local function_names = use("compile/names")
local mistakes = use("explain/mistakes")
local options_of = use("core/options")
local print = use("core/print")
local keys = use("core/key")
local config = use("core/config")
local arrays = use("core/arrays")
local struct = use("core/struct")
local lower = use("explain/lower")
local nans = use("explain/nans")
local shards = use("mesh/shards")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Arguments ----

local function flatten_args(args, where)
  local leaves, paths, structure = tree.flatten_with_path(args, where)
  for i, x in ipairs(leaves) do leaves[i] = arrays.as_value(x, paths[i]) end
  return leaves, structure
end

--- What argument `i` (from 0) of f is called: "argument x", or "argument 1".
local function argument_name(f, i)
  local name = type(f) == "function" and use.parameter(f, i + 1)
  return "argument " .. (name or i)
end
M.argument_name = argument_name

--- The leaves of f's arguments, what each is called ("argument p.w[1]"), and
--- their structure. `numbers[i]`: which argument of f args[i] is.
local function named_leaves(f, args, numbers)
  local leaves, paths, structure = tree.flatten_with_path(args, "")
  for i, path in ipairs(paths) do
    local n, rest = path:match("^%[(%d+)%](.*)$")
    n = tonumber(n)
    paths[i] = argument_name(f, numbers and numbers[n] or n - 1) .. rest
  end
  return leaves, paths, structure
end

-- The same as values that `bind` takes.
local function named_values(f, args, numbers)
  local leaves, paths, structure = named_leaves(f, args, numbers)
  for i, x in ipairs(leaves) do leaves[i] = arrays.as_value(x, paths[i]) end
  return leaves, structure, paths
end

M.named_values = named_values

--- The leaves of a tree as values, and its structure.
function M.values_of(x, where)
  return flatten_args(x, where)
end

-- What a function gave, as a list of values; `give` gets the structure.
local function flatten_results(where, give, ...)
  local n = select("#", ...)
  if n == 0 then
    fail("TypeError", "%s returned nothing: a `return` is missing", where)
  end
  local results = {...}
  for i = 1, n do
    if results[i] == nil then
      fail("TypeError", "%s returned nil: it must give arrays, numbers or " ..
           "tables of them", where)
    end
  end
  if n == 1 then results = results[1] end
  local leaves, paths, structure = tree.flatten_with_path(results, "")
  for i, x in ipairs(leaves) do
    leaves[i] = arrays.as_value(x, where .. "'s result" .. paths[i],
                         "a traced function gives arrays, numbers and " ..
                         "tables of them; what does not depend on its " ..
                         "arguments can be had outside of it")
  end
  give(structure, n)
  return leaves
end

-- Takes the static arguments out: the rest, their numbers (from 0), and the
-- statics by their place, with the number of all.
local function part_statics(args, is_static)
  local rest, numbers, statics = {}, {}, {n = args.n, is_static = is_static}
  for i = 1, args.n do
    if is_static[i - 1] then
      statics[i] = args[i]
    else
      rest[#rest + 1] = args[i]
      numbers[#rest] = i - 1
    end
  end
  return rest, numbers, statics
end

-- All arguments in their order again.
local function with_statics(rest, statics)
  if not statics then return {n = #rest, table.unpack(rest)} end
  local all, at = {n = statics.n}, 0
  for i = 1, statics.n do
    if statics.is_static[i - 1] then
      all[i] = statics[i]
    else
      at = at + 1
      all[i] = rest[at]
    end
  end
  return all
end

-- The option `name`, argument numbers of f's, as a set; -1 is the last.
local function number_set(f, name, numbers)
  local set = {}
  local count = type(f) == "function" and use.parameter_count(f) or nil
  if type(numbers) ~= "table" then numbers = {numbers} end
  for _, n in ipairs(numbers) do
    if math.type(n) ~= "integer" then
      fail("TypeError", "%s are argument numbers, counted from 0, not %s", name,
           core.kind_text(n))
    end
    local at = n < 0 and count and n + count or n
    if at < 0 or count and at >= count then
      fail("ValueError", count and "jitted function has %s = %d, but takes " ..
           "%d argument%s (they count from 0)" or "%s = %d counts from the " ..
           "end, and the function takes any number of arguments", name, n,
           count, count == 1 and "" or "s")
    end
    set[at] = true
  end
  return set
end

-- A function of lists from one of trees: list -> list. `out.structure` and
-- `out.count` are set by a call.
local function flat_function(f, structure, out, statics)
  return function(leaves)
    local args = with_statics(tree.unflatten(structure, leaves), statics)
    return flatten_results("the function", function(s, n)
      out.structure, out.count = s, n
    end, core.call(f, table.unpack(args, 1, args.n)))
  end
end

local function give_back(out, leaves)
  for i, x in ipairs(leaves) do
    if core.is_literal(x) and not core.is_tracing() then
      leaves[i] = arrays.array_of(x)
    end
  end
  local results = tree.unflatten(out.structure, leaves)
  if out.count == 1 then return results end
  return table.unpack(results, 1, out.count)
end

M.flat_function, M.give_back = flat_function, give_back

--- Raises where f cannot be called; `what` is the transformation.
function M.need_function(what, f)
  if core.is_callable(f) then return end
  fail("TypeError", "%s takes a function, not %s", what, core.kind_text(f))
end

-- ---- make_jaxpr ----

local Shown = {}
Shown.__index = Shown
Shown.__tostring = function(x) return print.program(x.jaxpr) end

--- The program that f is for such arguments. `static_argnums` as for jit.
function M.make_jaxpr(f, ...)
  M.need_function("make_jaxpr", f)
  local options = options_of("make_jaxpr", ...)
  local is_static = number_set(f, "static_argnums", options.static_argnums)
  return function(...)
    local rest, numbers, statics = part_statics(table.pack(...), is_static)
    local leaves, structure = named_values(f, rest, numbers)
    local avals = {}
    for i, x in ipairs(leaves) do avals[i] = core.aval_of(x) end
    local p = program.trace(flat_function(f, structure, {}, statics), avals)
    return setmetatable({jaxpr = p}, Shown)
  end
end

-- ---- vmap ----

-- One axis (or false) for each leaf, from a tree that may end earlier.
local function axes_for(axes, x, out)
  if keys.is_key(x) then -- its elements are pairs of words
    out[#out + 1] = axes and axes < 0 and axes - 1 or axes
    return
  end
  if tree.is_branch(x) then
    local is_same = type(axes) ~= "table"
    local function of(key)
      if is_same then return axes end
      return axes[key] or false
    end
    for i = 1, rawlen(x) do axes_for(of(i), rawget(x, i), out) end
    local names = {}
    for k in pairs(x) do
      if type(k) == "string" then names[#names + 1] = k end
    end
    table.sort(names)
    for _, k in ipairs(names) do
      axes_for(of(k), rawget(x, k), out)
    end
    return
  end
  if type(axes) == "table" then
    fail("ValueError",
         "in_axes has a table where the argument has an array")
  end
  out[#out + 1] = axes
end

M.axes_for = axes_for

local function normal_axis(axis, rank, what)
  if math.type(axis) ~= "integer" then
    fail("TypeError", "vmap: an axis is a whole number or false, not %s",
         core.kind_text(axis))
  elseif axis < -rank or axis >= rank then
    fail("ValueError", "vmap was requested to map %s along axis %d, which " ..
         "it has not: it has %d ax%s%s", what, axis, rank,
         rank == 1 and "is" or "es", rank > 0 and ", counted from 0" or
         ". What is the same for all gets false in in_axes")
  end
  return axis % math.max(rank, 1)
end

-- A list of axes has one for each argument; those at its end may be nil.
local function check_axes_count(in_axes, count)
  if type(in_axes) == "table" and #in_axes > count then
    fail("ValueError", "vmap: in_axes has %d entries, and the function got " ..
         "%d argument%s: in_axes needs one for each (false: not mapped)",
         #in_axes, count, count == 1 and "" or "s")
  end
  if type(in_axes) == "table" and #in_axes == 0 and next(in_axes) == nil then
    fail("ValueError", "vmap: in_axes is empty; it needs an axis or false " ..
                       "for each argument")
  end
end

-- Fields alone are those of the one argument, which is a table.
local function axes_of_arguments(in_axes, count)
  if type(in_axes) ~= "table" or #in_axes > 0 or
     type(next(in_axes)) ~= "string" then
    return in_axes
  end
  if count ~= 1 then
    fail("ValueError", "vmap: in_axes has fields, and the function got %d " ..
         "arguments: in_axes needs an axis, false or a table for each", count)
  end
  return {in_axes}
end

-- The size that all mapped axes have.
local function mapped_size(leaves, paths, dims)
  local size, is_same, text = nil, true, {}
  for i, x in ipairs(leaves) do
    if dims[i] then
      local shape = core.shape_of(x)
      local n = shape[dims[i] + 1]
      is_same = is_same and (not size or n == size)
      size = size or n
      text[#text + 1] = ("%s: %d (axis %d of %s)"):format(
        paths[i], n, dims[i], core.shape_text(shape))
    end
  end
  if not size then
    fail("ValueError", "vmap: at least one argument must have an axis in " ..
         "in_axes that is not false")
  end
  if not is_same then
    fail("ValueError", "vmap got inconsistent sizes for array axes to be " ..
         "mapped: %s. All must be equal; in_axes says which axis of each " ..
         "argument is meant, false for one that is the same for all",
         table.concat(text, "; "))
  end
  return size
end

local vmapped = setmetatable({}, {__mode = "k"})

--- f for a whole axis of its arguments at once.
function M.vmap(f, ...)
  M.need_function("vmap", f)
  local options = options_of("vmap", ...)
  local options_in_axes = options.in_axes == nil and 0 or options.in_axes
  local out_axes = options.out_axes == nil and 0 or options.out_axes
  local function mapped(...)
    local args = {...}
    local in_axes = axes_of_arguments(options_in_axes, select("#", ...))
    check_axes_count(in_axes, select("#", ...))
    local leaves, structure, paths = named_values(f, args)
    local axes, dims = {}, {}
    axes_for(in_axes, args, axes)
    for i, x in ipairs(leaves) do
      local shape = core.shape_of(x)
      dims[i] = axes[i] and normal_axis(axes[i], #shape, paths[i]) or false
    end
    local size = mapped_size(leaves, paths, dims)
    local out = {}
    local flat = flat_function(f, structure, out)
    local results, out_dims = batch.run(flat, size, leaves, dims)
    local wanted = {}
    axes_for(out_axes, tree.unflatten(out.structure, results), wanted)
    for i, x in ipairs(results) do
      if wanted[i] then
        local rank = #core.shape_of(x) + (out_dims[i] and 0 or 1)
        results[i] = batch.at(x, out_dims[i],
                              normal_axis(wanted[i], rank, "the result"), size)
      elseif out_dims[i] then
        fail("ValueError", "vmap: a result is mapped, and out_axes is false")
      end
    end
    return give_back(out, results)
  end
  vmapped[mapped] = {f = f, in_axes = options_in_axes}
  return mapped
end

--- f of a vmap(f), and for such arguments those of one of the batch, as shapes;
--- nil for another function.
function M.one_of_batch(g, args)
  local known = vmapped[g]
  if not known then return nil end
  local leaves, structure, paths = named_values(known.f, args)
  local axes = {}
  axes_for(axes_of_arguments(known.in_axes, #args), args, axes)
  for i, x in ipairs(leaves) do
    local a = core.aval_of(x)
    local shape = table.move(a.shape, 1, #a.shape, 1, {})
    if axes[i] then
      table.remove(shape, normal_axis(axes[i], #shape, paths[i]) + 1)
    end
    leaves[i] = struct.new(shape, a.dtype)
  end
  return known.f, tree.unflatten(structure, leaves)
end

-- ---- Derivatives ----

--- f's results and the derivative along `tangents`, both as trees.
function M.jvp(f, primals, tangents)
  M.need_function("jvp", f)
  for what, x in pairs{primals = primals, tangents = tangents} do
    if type(x) ~= "table" or getmetatable(x) then
      fail("TypeError", "jvp: %s are a table, one for each argument of the " ..
           "function: jax.jvp(f, {x}, {t}); not %s", what, core.kind_text(x))
    end
  end
  local leaves, structure = flatten_args(primals, "primals")
  local along, other = flatten_args(tangents, "tangents")
  if tree.text(structure) ~= tree.text(other) then
    fail("TypeError", "jvp: primals and tangents have different structures")
  end
  for i, x in ipairs(leaves) do
    if not core.same_shape(core.shape_of(x), core.shape_of(along[i])) then
      fail("ValueError", "jvp: primal %s, tangent %s: shapes must be equal",
           core.aval_text(core.aval_of(x)),
           core.aval_text(core.aval_of(along[i])))
    end
    if core.is_literal(along[i]) then
      along[i] = core.literal(along[i].value, core.dtype_of(x),
                              core.aval_of(along[i]).weak)
    end
  end
  local out = {}
  local values, derivatives = ad.jvp(flat_function(f, structure, out), leaves,
                                     along)
  for i, x in ipairs(values) do
    derivatives[i] = derivatives[i] or ad.zeros_like(x)
  end
  give_back(out, values)
  give_back(out, derivatives)
  return tree.unflatten(out.structure, values),
         tree.unflatten(out.structure, derivatives)
end

--- f's results, and the function from their cotangents to those of the
--- arguments.
function M.vjp(f, ...)
  M.need_function("vjp", f)
  local leaves, structure = named_values(f, {...})
  for i, x in ipairs(leaves) do leaves[i] = arrays.array_of(x) end
  local out = {}
  local values, pull = ad.vjp(flat_function(f, structure, out), leaves)
  local function back(...)
    local cts = flatten_args(out.count == 1 and {...} or {{...}}, "cotangent ")
    for i, x in ipairs(values) do
      local ct = cts[i]
      if not ct or not core.same_shape(core.shape_of(ct), core.shape_of(x)) then
        fail("ValueError", "vjp: the result is %s, the cotangent %s",
             core.aval_text(core.aval_of(x)),
             ct and core.aval_text(core.aval_of(ct)) or "missing")
      end
      if core.is_literal(ct) then
        local a = core.aval_of(x)
        cts[i] = lax.full(a.shape, ct.value, a.dtype, a.weak)
      end
    end
    local grads = pull(cts)
    for i, g in ipairs(grads) do grads[i] = g or ad.zeros_like(leaves[i]) end
    return table.unpack(give_back({structure = structure, count = 1}, grads),
                        1, structure.count)
  end
  give_back(out, values)
  return tree.unflatten(out.structure, values), back
end

--- An argnums that the function has no argument for.
function M.refuse_argnum(name, n, count)
  fail("ValueError", "%s: argnums has %s, and the function got %d argument%s" ..
       "%s", name, tostring(n), count, count == 1 and "" or "s",
       count == 0 and "" or " (they count from 0)")
end

local function numbers_of(argnums)
  if type(argnums) == "number" then return {argnums}, true end
  return argnums or {0}, argnums == nil
end

--- f's value (a scalar) and its gradient.
function M.value_and_grad(f, ...)
  M.need_function("value_and_grad", f)
  local options = options_of("value_and_grad", ...)
  local argnums, is_single = numbers_of(options.argnums)
  return function(...)
    local args = table.pack(...)
    local chosen, out = {}, {}
    for i, n in ipairs(argnums) do
      if n < -args.n or n >= args.n then
        M.refuse_argnum("grad", n, args.n)
      end
      chosen[i] = args[n % args.n + 1]
    end
    local numbers = {}
    for i, n in ipairs(argnums) do numbers[i] = n % args.n end
    local leaves, structure, paths = named_values(f, chosen, numbers)
    for i, x in ipairs(leaves) do
      leaves[i] = arrays.array_of(x)
      if not ad.is_float(leaves[i]) then
        fail("TypeError", "grad requires real-valued inputs (a float type), " ..
             "and %s is %s. %s", paths[i],
             core.aval_text(core.aval_of(leaves[i])),
             core.is_literal(x) and "Write the number with a point, 3.0" or
             "Convert it, x:astype(\"f32\"), or choose others by argnums")
      end
    end
    local values, pull, aux = ad.vjp(function(list)
      local new = table.move(args, 1, args.n, 1, {})
      for i, x in ipairs(tree.unflatten(structure, list)) do
        new[argnums[i] % args.n + 1] = x
      end
      local results = table.pack(core.call(f, table.unpack(new, 1, args.n)))
      local more
      if options.has_aux then
        more = results[2]
        results = {results[1], n = 1}
      end
      return flatten_results("the function", function(s, n)
        out.structure, out.count = s, n
      end, table.unpack(results, 1, results.n)), more
    end, leaves)
    if #values ~= 1 or #core.shape_of(values[1]) > 0 then
      fail("TypeError", "Gradient only defined for scalar-output functions: " ..
           "this one gave %s. Sum or average it, or ask for jax.jacrev (all " ..
           "derivatives), jax.vjp, or jax.vmap(jax.grad(f)) (one for each row)",
           #values == 1 and core.aval_text(core.aval_of(values[1])) or
           ("a tree of %d arrays"):format(#values))
    end
    if not ad.is_float(values[1]) then
      fail("TypeError", "grad requires a real-valued result (a float type), " ..
           "and the function gave %s",
           core.aval_text(core.aval_of(values[1])))
    end
    local kind = core.aval_of(values[1])
    local grads = pull{core.literal(1, kind.dtype, kind.weak)}
    for i, g in ipairs(grads) do grads[i] = ad.as_cotangent(g, leaves[i]) end
    local back = {structure = structure, count = 1}
    grads = give_back(back, grads)
    if is_single then grads = grads[1] end
    if options.has_aux then
      return give_back(out, values), tree.map(ad.value_of, aux), grads
    end
    return give_back(out, values), grads
  end
end

--- The gradient of f, which gives a scalar.
function M.grad(f, ...)
  M.need_function("grad", f)
  local options = options_of("grad", ...)
  local both = M.value_and_grad(f, options)
  local has_aux = options.has_aux
  return function(...)
    if has_aux then
      local _, aux, grads = both(...)
      return grads, aux
    end
    local _, grads = both(...)
    return grads
  end
end

-- ---- Settings ----

--- The precision of matrix products of f32 that ask for none: for the time of
--- f(), whose results it gives, or from now on.
function M.default_matmul_precision(precision, f)
  local before = lax.set_matmul_precision(precision)
  if not f then return end
  return core.finally(function() lax.set_matmul_precision(before) end, f)
end

-- ---- Arrays and devices ----

--- The leaves of a tree as arrays, on the device in use or on another.
function M.device_put(x, device)
  return tree.map(function(leaf)
    if device ~= nil and not core.is_tracer(leaf) then
      return shards.put(arrays.as_value(leaf, "device_put's argument"), device)
    elseif use.is_array(leaf) and use.is_jax(leaf) then
      return leaf
    end
    return arrays.array_of(arrays.as_value(leaf, "device_put's argument"))
  end, x)
end

--- Waits until all arrays of the tree are computed; gives the tree. What went
--- wrong while they were computed is raised here.
function M.block_until_ready(x)
  for _, leaf in ipairs(tree.leaves(x)) do
    if use.is_array(leaf) then use.await(leaf) end
  end
  return x
end

--- Forgets compiled programs; the next calls trace and compile anew.
function M.clear_caches()
  exec.clear()
  for f in pairs(M.jitted) do
    f.cache, f.seen = {}, {}
    f.calls:forget()
  end
end

-- ---- jit ----

M.jitted = setmetatable({}, {__mode = "k"})

local Jitted = {}
function Jitted.__index(_, key)
  if type(key) ~= "string" then error(use.np_core.no_launch, 2) end
  return Jitted[key]
end
Jitted.__name = "jax.jit"

local function signature(self, args, numbers)
  local leaves, structure = named_values(self.f, args, numbers)
  local parts = {tree.text(structure)}
  for i, x in ipairs(leaves) do
    local a = core.aval_of(x)
    parts[i + 1] = core.aval_text(a) .. (a.weak and "*" or "")
  end
  return leaves, structure, table.concat(parts, " ")
end

-- A static argument is compared with those of earlier calls: by its value, and
-- tables by what is in them.
local function check_static(self, i, x)
  for _, leaf in ipairs(tree.leaves(x)) do
    local what = core.is_tracer(leaf) and "the traced value " ..
                 tostring(leaf) or type(leaf) == "userdata" and
                 use.is_array(leaf) and "an array"
    if what then
      fail("ValueError", "Non-hashable static arguments are used in a jit " ..
           "function: %s (static_argnums %d) is %s. A static argument is a " ..
           "Lua number, text, bool, function or table of them; an array is " ..
           "passed without static_argnums and traced",
           argument_name(self.f, i - 1), i - 1, what)
    end
  end
end

-- Takes the static arguments out: the rest, the statics by place, their key.
local function without_statics(self, args)
  local rest, numbers, statics = part_statics(args, self.is_static)
  local key = {}
  for i = 1, args.n do
    if self.is_static[i - 1] then
      check_static(self, i, args[i])
      key[#key + 1] = ("%s %s"):format(type(args[i]), program.key_of(args[i]))
    end
  end
  return rest, statics, table.concat(key, ";"), numbers
end

-- The program for such arguments, from the cache or new.
local function find(self, args)
  local rest, statics, static_key, numbers = without_statics(self, args)
  local leaves, structure, key = signature(self, rest, numbers)
  key = core.config .. static_key .. "|" .. key
  local entry = self.cache[key]
  if not entry then
    local out, avals = {}, {}
    for i, x in ipairs(leaves) do avals[i] = core.aval_of(x) end
    entry = {out = out, effects = {}}
    if self.name == function_names.NONE then
      self.name = function_names.of(self)
    end
    misses.note(self, {structure = structure, leaves = leaves,
                       numbers = numbers, statics = statics,
                       config = core.config})
    entry.program = mistakes.with_effects(entry.effects, program.trace,
      flat_function(self.f, structure, out, statics), avals)
    entry.program.name = self.name
    entry.opened, entry.consts = program.open(entry.program)
    self.cache[key] = entry
    table.insert(self.seen, key)
  end
  return entry, leaves
end

-- The nodes of a tree for `calls`: see l_jax_call.c. `values` gets its names.
local function add_nodes(nodes, values, structure, leaf)
  if structure == true then
    table.insert(nodes, leaf())
    return
  end
  table.insert(nodes, {kind = "table", count = structure.count,
                       names = #structure.names, ref = #values + 1})
  table.move(structure.names, 1, #structure.names, #values + 1, values)
  for _, child in ipairs(structure.children) do
    add_nodes(nodes, values, child, leaf)
  end
end

-- Has later calls with such arguments go to the executable at once.
local function remember(self, entry, args, leaves, call)
  local values, inputs, outputs, n = {call}, {}, {}, 0
  local is_donated
  local function leaf()
    n = n + 1
    local a = core.aval_of(leaves[n])
    return {kind = core.is_literal(leaves[n]) and "number" or "array",
            dtype = a.dtype, shape = a.shape, weak = a.weak,
            donated = is_donated}
  end
  for i = 1, args.n do
    if self.is_static[i - 1] then
      if type(args[i]) == "table" or args[i] == nil then return end
      table.insert(values, args[i])
      table.insert(inputs, {kind = "static", ref = #values})
    else
      is_donated = self.is_donated[i - 1]
      add_nodes(inputs, values, (select(2, tree.flatten(args[i]))), leaf)
    end
  end
  add_nodes(outputs, values, entry.out.structure,
            function() return {kind = "array"} end)
  self.calls:remember{args = args.n, inputs = inputs, outputs = outputs,
                      config = core.config, count = entry.out.count,
                      values = values}
end

-- Donated arguments give their memory away.
local function delete_donated(self, args)
  for i = 1, args.n do
    if self.is_donated[i - 1] then
      for _, x in ipairs(tree.leaves(args[i])) do
        if use.is_jax(x) and not core.is_tracer(x) then use.delete(x) end
      end
    end
  end
end

local function is_any_tracer(list)
  for _, x in ipairs(list) do
    if core.is_tracer(x) then return true end
  end
  return false
end

local function call_slowly(self, ...)
  if core.manual then return core.call(self.f, ...) end
  local args = table.pack(...)
  local entry, leaves = find(self, args)
  if core.is_tracing() or config.is_on_host or is_any_tracer(leaves) or
     is_any_tracer(entry.consts) then
    local results = core.bind(core.prims.jit,
                              {name = self.name, jaxpr = entry.opened},
                              ad.append(entry.consts, leaves))
    return give_back(entry.out, results)
  end
  if core.finds_nans then
    return give_back(entry.out, nans.run(entry.program, leaves))
  end
  local results, e = exec.run(entry.program, leaves)
  if e then remember(self, entry, args, leaves, e.call) end
  delete_donated(self, args)
  return give_back(entry.out, results)
end

Jitted.__call = use.jitted(call_slowly)

-- The program for one of a batch, where f is a vmap's.
local function jaxpr_of_one(f, args)
  local g, one = M.one_of_batch(f, {table.unpack(args, 1, args.n)})
  return g and tostring(M.make_jaxpr(g)(table.unpack(one)))
end

--- What it is for such arguments, from the jaxpr to the machine code.
function Jitted:lower(...)
  local args = table.pack(...)
  local entry, leaves = find(self, args)
  return lower.make{jitted = self, args = args, entry = entry, leaves = leaves,
                    of_one = function() return jaxpr_of_one(self.f, args) end}
end

--- Why each of its programs was traced: a list of texts.
function Jitted:cache_misses() return misses.list(self) end

--- The same, with what the function did besides, as one text.
function Jitted:why() return misses.text(self) end

--- f:why() of a function that jax.jit made.
function M.why(f)
  if getmetatable(f) ~= Jitted then
    fail("TypeError", "why takes a function that jax.jit made, not %s",
         core.kind_text(f))
  end
  return f:why()
end

function Jitted:__tostring()
  local n = #self.seen
  return ("%s, jitted; traced %s"):format(
    self.name == function_names.NONE and "a function" or self.name,
    n == 0 and "not yet" or n == 1 and "once" or n .. " times")
end

--- f, written down as a program once for each kind of arguments and compiled.
function M.jit(f, ...)
  M.need_function("jit", f)
  local options = options_of("jit", ...)
  local jitted = setmetatable({f = f, cache = {}, seen = {},
                       calls = use.calls(),
                       is_static = number_set(f, "static_argnums",
                                              options.static_argnums),
                       is_donated = number_set(f, "donate_argnums",
                                               options.donate_argnums),
                       name = options.name or function_names.NONE}, Jitted)
  M.jitted[jitted] = true
  return jitted
end

--- The same for the library's own functions, whose traces count for nobody.
function M.own_jit(f, options)
  local jitted = M.jit(f, options)
  misses.own[jitted] = true
  return jitted
end

--- A place of the learner's, in words.
M.place = mistakes.place

return M
