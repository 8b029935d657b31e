-- SPDX-License-Identifier: Apache-2.0
-- Control flow as functions (jax.lax): loops and choices whose bodies are Lua
-- functions, traced once.
local use = ...
local core = use("core/core")
local program = use("core/program")
local tree = use("core/tree")
local ad = use("transforms/ad")
local lax = use("core/lax")
local args = use("core/args")
local arrays = use("core/arrays")
local types = use("core/types")

local function fail(name, text, ...) core.fail("argument", name, text, ...) end
local function value(x, where) return arrays.as_value(x, where) end

-- ---- Trees, of which nil is one without leaves ----

local function flatten(x, where)
  if x == nil then return {}, false end
  local leaves, paths, structure = tree.flatten_with_path(x, where)
  for i, leaf in ipairs(leaves) do leaves[i] = value(leaf, paths[i]) end
  return leaves, structure, paths
end

local function unflatten(structure, leaves)
  if structure == false then return nil end
  return tree.unflatten(structure, leaves)
end

local function text_of(structure)
  return structure and tree.text(structure) or "nil"
end

-- Results, as arrays where nothing is traced.
local function give_back(structure, leaves)
  if not core.is_tracing() then
    for i, x in ipairs(leaves) do leaves[i] = arrays.array_of(x) end
  end
  return unflatten(structure, leaves)
end

local function avals_of(values)
  local avals = {}
  for i, x in ipairs(values) do avals[i] = core.aval_of(x) end
  return avals
end

local function check_function(where, what, f)
  if not core.is_callable(f) then
    fail("TypeError", "%s: %s must be a function, not %s", where, what,
         f == nil and core.kind_text(f) or "a " .. type(f))
  end
end

-- As one that is known where it reads the same, and what it closed over.
local function opened(p)
  local open, consts = program.open(p)
  return program.shared(open), consts
end

-- ---- Carries ----

local function same_type(a, b)
  return a.dtype == b.dtype and core.same_shape(a.shape, b.shape)
end

local function as_type(x, dtype)
  if core.is_literal(x) then
    local is_float = dtype:find("^b?f") ~= nil
    return core.literal(is_float and x.value + 0.0 or x.value, dtype)
  end
  return lax.convert_element_type(x, dtype)
end

-- Where a first carry came from a Lua number, it takes the type that the body
-- gives it. True when one did.
local function promote(carry, avals, out)
  local changed = false
  for k, a in ipairs(avals) do
    local b = out[k]
    if b and a.weak and not same_type(a, b) and
       core.same_shape(a.shape, b.shape) and
       types.result_type{a, b} == b.dtype then
      carry[k] = as_type(carry[k], b.dtype)
      avals[k] = core.aval_of(carry[k])
      changed = true
    end
  end
  return changed
end

local function check_carry(where, avals, out, paths)
  for k, a in ipairs(avals) do
    local b = out[k]
    if not same_type(a, b) then
      fail("TypeError", "%s body function carry input and carry output must " ..
           "have equal types, but they differ: %s goes in as %s and comes " ..
           "out as %s, so the %s do not match. Revise the function so that " ..
           "all output types match the corresponding input types", where,
           paths[k], core.aval_text(a), core.aval_text(b),
           a.dtype ~= b.dtype and "types" or "shapes")
    elseif core.aval_text(a) ~= core.aval_text(b) then
      fail("TypeError", "%s body function carry input and carry output must " ..
           "have equal types, but they differ: %s goes in as %s and comes " ..
           "out as %s, so the manual axis types do not match. This might be " ..
           "fixed by applying jax.lax.pcast(x, \"%s\", {to = \"varying\"}) " ..
           "to the initial carry value", where, paths[k], core.aval_text(a),
           core.aval_text(b), next(b.varying or a.varying))
    end
  end
end

local function check_structure(where, a, b)
  if text_of(a) ~= text_of(b) then
    fail("TypeError", "%s body function carry input and carry output must " ..
         "have the same structure, but they differ: %s goes in and %s comes " ..
         "out (* is an array). Revise the function so that it gives the " ..
         "carry as it takes it", where, text_of(a), text_of(b))
  end
end

-- ---- scan ----

local function options_from(length, reverse, unroll)
  if type(length) == "table" then
    local o = length
    for name in pairs(o) do
      if name ~= "length" and name ~= "reverse" and name ~= "unroll" then
        fail("TypeError", "scan: there is no argument named %s, only " ..
             "length, reverse, unroll", tostring(name))
      end
    end
    return o.length, o.reverse, o.unroll
  end
  return length, reverse, unroll
end

local function check_length(where, xs, paths, length)
  local n, first = length, "length"
  if n ~= nil and (math.type(n) ~= "integer" or n < 0) then
    fail("ValueError", "%s: length must be an integer of at least 0, not %s",
         where, tostring(n))
  end
  for i, x in ipairs(xs) do
    local shape = core.shape_of(x)
    if core.is_literal(x) or #shape == 0 then
      fail("ValueError", "%s: %s has no axis to go along", where, paths[i])
    elseif n and shape[1] ~= n then
      fail("ValueError", "%s got values with different leading axis sizes: " ..
           "%s is %d, that of %s %d", where, first, n, paths[i], shape[1])
    end
    n, first = shape[1], n and first or paths[i]
  end
  if not n then
    fail("ValueError", "%s got no values to scan over and `length` not " ..
         "provided", where)
  end
  return n
end

local function bind_scan(body, consts, carry, xs, options)
  return core.bind(core.prims.scan,
                   {jaxpr = body, length = options.length,
                    reverse = options.reverse, unroll = options.unroll,
                    num_consts = #consts, num_carry = #carry},
                   ad.append(ad.append(consts, carry), xs))
end

-- The body as a program of the carry and one step of xs; f(carry, xs) of lists
-- gives the structures of what it returned.
local function trace_body(where, f, carry, carry_structure, carry_paths, steps)
  local out = {}
  local n = #carry
  for _ = 1, 3 do
    local avals = avals_of(carry)
    local p = program.trace(function(all)
      local leaves
      leaves, out.carry, out.ys = f(table.move(all, 1, n, 1, {}),
                                    table.move(all, n + 1, #all, 1, {}))
      return leaves
    end, ad.append(avals, steps))
    check_structure(where, carry_structure, out.carry)
    local got = program.out_avals(p)
    if not promote(carry, avals, got) then
      check_carry(where, avals, got, carry_paths)
      return p, out
    end
  end
end

local function count_unroll(unroll)
  if unroll == true then return 1 end
  return unroll or 1
end

--- A loop with a carry over the first axis of xs.
function lax.scan(f, init, xs, length, reverse, unroll)
  check_function("scan", "f", f)
  length, reverse, unroll = options_from(length, reverse, unroll)
  local carry, structure, paths = flatten(init, "the carry")
  local list, xs_structure, xs_paths = flatten(xs, "xs")
  length = check_length("scan", list, xs_paths, length)
  local steps = {}
  for i, x in ipairs(list) do
    local a = core.aval_of(x)
    steps[i] = core.aval_like(a, table.move(a.shape, 2, #a.shape, 1, {}))
  end
  local p, out = trace_body("scan", function(own, x)
    local results = table.pack(core.call(f, unflatten(structure, own),
                                         unflatten(xs_structure, x)))
    if results.n == 0 or results.n > 2 then
      fail("TypeError", "scan body output must be a pair (return carry, y), " ..
           "got %d results", results.n)
    end
    local new, new_structure = flatten(results[1], "the carry")
    local y, y_structure = flatten(results[2], "y")
    return ad.append(new, y), new_structure, y_structure
  end, carry, structure, paths, steps)
  local body, consts = opened(p)
  local all = bind_scan(body, consts, carry, list,
                        {length = length, reverse = reverse or false,
                         unroll = count_unroll(unroll)})
  local ys = table.move(all, #carry + 1, #all, 1, {})
  return give_back(structure, table.move(all, 1, #carry, 1, {})),
         give_back(out.ys, ys)
end

--- f of each item along the first axis of xs, one after the other.
function lax.map(f, xs)
  check_function("map", "f", f)
  local _, ys = lax.scan(function(_, x) return nil, f(x) end, nil, xs)
  return ys
end

-- ---- Loops ----

-- cond(carry) and body(carry) of lists.
local function run_while(where, cond, body, carry, structure, paths)
  local p = trace_body(where, body, carry, structure, paths, {})
  local test = program.trace(cond, avals_of(carry))
  local result = test.outputs[1].aval
  if #test.outputs ~= 1 or result.dtype ~= "bool" or #result.shape > 0 then
    fail("TypeError", "cond_fun must return a boolean scalar, but got %s: " ..
         "comparisons such as jnp.less(x, 3) give one, jnp.any(...) makes " ..
         "one of many", #test.outputs == 1 and core.aval_text(result) or
         #test.outputs .. " results")
  end
  local test_p, test_consts = opened(test)
  local body_p, body_consts = opened(p)
  return core.bind(core.prims["while"],
                   {cond_jaxpr = test_p, body_jaxpr = body_p,
                    cond_nconsts = #test_consts, body_nconsts = #body_consts},
                   ad.append(ad.append(test_consts, body_consts), carry))
end

--- Repeats body_fun for as long as cond_fun holds.
function lax.while_loop(cond_fun, body_fun, init)
  check_function("while_loop", "cond_fun", cond_fun)
  check_function("while_loop", "body_fun", body_fun)
  local carry, structure, paths = flatten(init, "the carry")
  local all = run_while("while_loop", function(own)
    return (flatten(core.call(cond_fun, unflatten(structure, own)),
                    "the predicate"))
  end, function(own)
    local new, new_structure = flatten(
      core.call(body_fun, unflatten(structure, own)), "the carry")
    return new, new_structure
  end, carry, structure, paths)
  return give_back(structure, all)
end

local function bound(name, x)
  x = value(x, name)
  local a = core.aval_of(x)
  if not types.is_integer(a.dtype) or #a.shape > 0 then
    fail("TypeError", "fori_loop: %s must be an integer, not %s", name,
         core.aval_text(a))
  end
  return x
end

--- body_fun(i, carry) for i from lower up to, and without, upper.
function lax.fori_loop(lower, upper, body_fun, init)
  check_function("fori_loop", "body_fun", body_fun)
  local low, high = bound("lower", lower), bound("upper", upper)
  local carry, structure, paths = flatten(init, "the carry")
  local function step(i, own)
    return flatten(core.call(body_fun, i, unflatten(structure, own)),
                   "the carry")
  end
  if core.is_literal(low) and core.is_literal(high) then
    -- Known before: a scan, which can be differentiated backward.
    local all_paths = ad.append({"the number"}, paths or {})
    local values = ad.append({low}, carry)
    local p = trace_body("fori_loop", function(own)
      local leaves, new = step(own[1], table.move(own, 2, #own, 1, {}))
      check_structure("fori_loop", structure, new)
      return ad.append({lax.add(own[1], 1)}, leaves), true
    end, values, true, all_paths, {})
    local body, consts = opened(p)
    local all = bind_scan(body, consts, values, {},
                          {length = math.max(0, high.value - low.value),
                           reverse = false, unroll = 1})
    return give_back(structure, table.move(all, 2, #all, 1, {}))
  end
  local dtype = types.result_type{core.aval_of(low), core.aval_of(high)}
  local values = ad.append({as_type(low, dtype), as_type(high, dtype)}, carry)
  local all = run_while("fori_loop", function(own)
    return {lax.lt(own[1], own[2])}
  end, function(own)
    local leaves, new = step(own[1], table.move(own, 3, #own, 1, {}))
    check_structure("fori_loop", structure, new)
    return ad.append({lax.add(own[1], 1), own[2]}, leaves), true
  end, values, true, ad.append({"the number", "upper"}, paths or {}))
  return give_back(structure, table.move(all, 3, #all, 1, {}))
end

-- ---- Choices ----

-- The programs of all branches for such operands; their results must agree.
local function trace_branches(where, names, branches, operands)
  local leaves, structures, counts = {}, {}, {}
  for i = 1, operands.n do
    local list, structure = flatten(operands[i], "operand")
    structures[i], counts[i] = structure, #list
    leaves = ad.append(leaves, list)
  end
  local avals, programs, out, count = avals_of(leaves), {}, nil, nil
  for n, f in ipairs(branches) do
    local structure, results_count
    programs[n] = program.trace(function(all)
      local values, at = {}, 1
      for i = 1, operands.n do
        values[i] = unflatten(structures[i],
                              table.move(all, at, at + counts[i] - 1, 1, {}))
        at = at + counts[i]
      end
      local results = table.pack(core.call(f, table.unpack(values, 1,
                                                           operands.n)))
      local list
      results_count = results.n
      list, structure = flatten(results.n > 1 and {table.unpack(results)} or
                                results[1], names[n] .. "'s result")
      return list
    end, avals)
    if n == 1 then
      out, count = structure, results_count
    elseif text_of(structure) ~= text_of(out) then
      fail("TypeError", "%s branch outputs must have the same structure, " ..
           "but they differ: %s gives %s, %s gives %s (* is an array). " ..
           "Revise them so that they give the same", where, names[1],
           text_of(out), names[n], text_of(structure))
    end
  end
  for n, p in ipairs(programs) do
    for k, a in ipairs(program.out_avals(p)) do
      local b = programs[1].outputs[k].aval
      if not same_type(a, b) then
        fail("TypeError", "%s branches must have equal output types but " ..
             "they differ: result %d of %s is %s, of %s %s, so the %s do " ..
             "not match. Revise them so that all output types match", where, k,
             names[1], core.aval_text(b), names[n], core.aval_text(a),
             a.dtype ~= b.dtype and "types" or "shapes")
      end
    end
  end
  return programs, leaves, out, count
end

local function choose(where, index, names, branches, operands)
  local programs, leaves, structure, count = trace_branches(where, names,
                                                            branches, operands)
  local consts
  programs, consts = lax.open_branches(programs)
  for n, p in ipairs(programs) do programs[n] = program.shared(p) end
  local all = core.bind(core.prims.cond, {branches = programs},
                        ad.append({index}, ad.append(consts, leaves)))
  local results = give_back(structure, all)
  if count > 1 then return table.unpack(results, 1, count) end
  return results
end

--- true_fun(...) where pred holds, else false_fun(...).
function lax.cond(pred, true_fun, false_fun, ...)
  check_function("cond", "true_fun", true_fun)
  check_function("cond", "false_fun", false_fun)
  local x = value(pred, "pred")
  local a = core.aval_of(x)
  if #a.shape > 0 then
    fail("TypeError", "cond: pred must be a scalar, got %s: jnp.where " ..
         "chooses for each element", core.aval_text(a))
  end
  if core.is_literal(x) then
    local holds = x.value ~= false and x.value ~= 0
    x = core.literal(holds and 1 or 0, "i32")
  else
    if a.dtype ~= "bool" then x = lax.ne(x, 0) end
    x = lax.convert_element_type(x, "i32")
  end
  return choose("cond", x, {"false_fun", "true_fun"}, {false_fun, true_fun},
                table.pack(...))
end

--- branches[index + 1](...): index counts from 0 and is cut to what there is.
function lax.switch(index, branches, ...)
  if type(branches) ~= "table" or #branches == 0 then
    fail("ValueError", "switch: Empty branch sequence")
  end
  local names = {}
  for n, f in ipairs(branches) do
    names[n] = "branch " .. n - 1
    check_function("switch", names[n], f)
  end
  local x = value(index, "index")
  local a = core.aval_of(x)
  if not types.is_integer(a.dtype) or #a.shape > 0 then
    fail("TypeError", "switch: index must be an integer scalar, got %s",
         core.aval_text(a))
  end
  if #branches == 1 then return branches[1](...) end
  if core.is_literal(x) then
    x = core.literal(math.max(0, math.min(x.value, #branches - 1)), "i32")
  else
    x = lax.convert_element_type(x, "i32")
    x = lax.min(lax.max(x, 0), #branches - 1)
  end
  return choose("switch", x, names, branches, table.pack(...))
end

--- on_true where pred holds, else on_false: all three of one shape, or pred a
--- scalar.
function lax.select(pred, on_true, on_false)
  local which, yes, no = value(pred, "pred"), value(on_true, "on_true"),
                         value(on_false, "on_false")
  if core.is_literal(yes) and not core.is_literal(no) then
    yes = lax.full(core.shape_of(no), yes.value, core.dtype_of(no))
  elseif core.is_literal(no) and not core.is_literal(yes) then
    no = lax.full(core.shape_of(yes), no.value, core.dtype_of(yes))
  end
  return lax.select_n(which, no, yes)
end

--- x, to which no derivative goes.
function lax.stop_gradient(x)
  return tree.map(function(leaf)
    local v = value(leaf, "an argument")
    if core.is_literal(v) then return leaf end
    return core.bind1("stop_gradient", {}, v)
  end, x)
end

-- ---- associative_scan ----

-- Elements of axis 0 from, to, by of all leaves.
local function sliced(leaves, from, to, by, axis)
  local out = {}
  for i, x in ipairs(leaves) do
    local n = core.shape_of(x)[axis + 1]
    out[i] = lax.slice_in_dim(x, from, to or n, by, axis)
  end
  return out
end

-- a[0], b[0], a[1], b[1], ...
local function interleaved(a, b, axis)
  local shape = core.shape_of(a)
  local na, nb = shape[axis + 1], core.shape_of(b)[axis + 1]
  local config = {}
  local function padded(x, low, high)
    for d = 1, #shape do config[d] = {0, 0, 0} end
    config[axis + 1] = {low, high, 1}
    return lax.pad(x, lax.like(0, x), table.move(config, 1, #shape, 1, {}))
  end
  local is_bool = core.dtype_of(a) == "bool"
  local p = padded(a, 0, na == nb and 1 or 0)
  local q = padded(b, 1, na == nb and 0 or 1)
  return is_bool and lax["or"](p, q) or lax.add(p, q)
end

--- All partial results of an associative fn, in a number of steps that grows
--- with the logarithm of the length.
function lax.associative_scan(fn, elems, ...)
  check_function("associative_scan", "fn", fn)
  local o = args.named("associative_scan", {"reverse", "axis"}, ...)
  local reverse, axis = o.reverse, o.axis
  local leaves, structure, paths = flatten(elems, "elems")
  axis = axis or 0
  if #leaves == 0 then fail("ValueError", "associative_scan: no arrays") end
  local n
  for i, x in ipairs(leaves) do
    local shape = core.shape_of(x)
    if axis < -#shape or axis >= #shape then
      fail("ValueError", "associative_scan: axis %d of %s, which is %s", axis,
           paths[i], core.aval_text(core.aval_of(x)))
    end
    axis = axis % #shape
    if n and shape[axis + 1] ~= n then
      fail("ValueError", "associative_scan: the sizes along axis %d differ: " ..
           "%d and, of %s, %d", axis, n, paths[i], shape[axis + 1])
    end
    n = shape[axis + 1]
  end
  local function combine(a, b)
    return (flatten(fn(unflatten(structure, a), unflatten(structure, b)),
                    "fn's result"))
  end
  local function scan(list)
    local size = core.shape_of(list[1])[axis + 1]
    if size < 2 then return list end
    -- Sums of neighbours, scanned, are every second result.
    local odd = scan(combine(sliced(list, 0, size // 2 * 2, 2, axis),
                             sliced(list, 1, nil, 2, axis)))
    local even
    if size == 2 then
      even = sliced(list, 0, 1, 1, axis)
    else
      local last = (size - 1) // 2
      even = combine(sliced(odd, 0, last, 1, axis),
                     sliced(list, 2, nil, 2, axis))
      local first = sliced(list, 0, 1, 1, axis)
      for i, x in ipairs(even) do
        even[i] = lax.concatenate({first[i], x}, axis)
      end
    end
    local out = {}
    for i in ipairs(list) do out[i] = interleaved(even[i], odd[i], axis) end
    return out
  end
  if reverse then
    for i, x in ipairs(leaves) do leaves[i] = lax.rev(x, {axis}) end
  end
  local out = scan(leaves)
  if reverse then
    for i, x in ipairs(out) do out[i] = lax.rev(x, {axis}) end
  end
  return give_back(structure, out)
end
