-- SPDX-License-Identifier: Apache-2.0
-- Transformations made of others: jacobians, hessian, linearize, and what a
-- function's results will be.
local use = ...
local core = use("core/core")
local program = use("core/program")
local tree = use("core/tree")
local ad = use("transforms/ad")
local lax = use("core/lax")
local api = use("transforms/api")
local options_of = use("core/options")
local struct = use("core/struct")
local arrays = use("core/arrays")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Jacobians ----

-- The arguments `argnums` (default: the first) of f's, as a tree, and f as a
-- function of them alone.
local function chosen(f, argnums, args)
  local is_single = type(argnums) ~= "table"
  local numbers = is_single and {argnums or 0} or argnums
  local trees, places = {}, {}
  for i, n in ipairs(numbers) do
    if math.type(n) ~= "integer" or n < -args.n or n >= args.n then
      api.refuse_argnum("jacobian", n, args.n)
    end
    places[i] = n % args.n
    trees[i] = args[places[i] + 1]
  end
  local function of(...)
    local all = table.move(args, 1, args.n, 1, {})
    for i, x in ipairs{...} do all[places[i] + 1] = x end
    return core.call(f, table.unpack(all, 1, args.n))
  end
  local leaves, structure, paths = api.named_values(f, trees, places)
  for i, x in ipairs(leaves) do
    if not ad.is_float(x) then
      fail("TypeError", "a jacobian requires real-valued inputs (a float " ..
           "type), and %s is %s", paths[i], core.aval_text(core.aval_of(x)))
    end
    if core.is_literal(x) then
      leaves[i] = arrays.array_of(x)
    end
  end
  return of, leaves, structure, is_single
end

-- Row k: 1 at the k-th element of a value of this kind.
local function basis(aval)
  local n = core.size(aval.shape)
  local rows = lax.iota("i32", {n, n}, 0)
  local columns = lax.iota("i32", {n, n}, 1)
  local eye = lax.convert_element_type(lax.eq(rows, columns), aval.dtype,
                                       aval.weak)
  return lax.reshape(eye, {n, table.unpack(aval.shape)})
end

local function joined(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- For each result a tree of the arguments: blocks[out][in].
local function tree_of_blocks(blocks, out, structure, is_single)
  local trees = {}
  for i, row in ipairs(blocks) do
    local t = tree.unflatten(structure, row)
    trees[i] = is_single and t[1] or t
  end
  return tree.unflatten(out.structure, trees)
end

--- All derivatives, forward: one pass for each element of the argument.
function M.jacfwd(f, ...)
  api.need_function("jacfwd", f)
  local argnums = options_of("jacfwd", ...).argnums
  return function(...)
    local of, leaves, structure, is_single = chosen(f, argnums, table.pack(...))
    local out, blocks = {}, {}
    local flat = api.flat_function(of, structure, out)
    for j, x in ipairs(leaves) do
      local aval = core.aval_of(x)
      local columns = api.vmap(function(t)
        local tangents = {}
        for i = 1, #leaves do tangents[i] = i == j and t or false end
        local values, derivatives = ad.jvp(flat, leaves, tangents)
        for i, v in ipairs(values) do
          derivatives[i] = derivatives[i] or ad.zeros_like(v)
        end
        return derivatives
      end, {out_axes = -1})(basis(aval))
      for i, block in ipairs(columns) do
        local shape = core.shape_of(block)
        blocks[i] = blocks[i] or {}
        blocks[i][j] = lax.reshape(block, joined(
          table.move(shape, 1, #shape - 1, 1, {}), aval.shape))
      end
    end
    return tree_of_blocks(blocks, out, structure, is_single)
  end
end

--- All derivatives, backward: one pass for each element of the result.
function M.jacrev(f, ...)
  api.need_function("jacrev", f)
  local argnums = options_of("jacrev", ...).argnums
  return function(...)
    local of, leaves, structure, is_single = chosen(f, argnums, table.pack(...))
    local out, blocks = {}, {}
    local values, pull = ad.vjp(api.flat_function(of, structure, out), leaves)
    for i, y in ipairs(values) do
      local aval = core.aval_of(y)
      if not ad.is_float(y) then
        fail("TypeError", "jacrev requires real-valued results (a float " ..
             "type), and the function gave %s", core.aval_text(aval))
      end
      local rows = api.vmap(function(ct)
        local cts = {}
        for k = 1, #values do cts[k] = k == i and ct or false end
        local back = pull(cts)
        for k, x in ipairs(leaves) do back[k] = back[k] or ad.zeros_like(x) end
        return back
      end)(basis(aval))
      blocks[i] = {}
      for j, block in ipairs(rows) do
        blocks[i][j] = lax.reshape(block, joined(aval.shape,
                                                 core.shape_of(leaves[j])))
      end
    end
    return tree_of_blocks(blocks, out, structure, is_single)
  end
end

--- The second derivatives of a scalar function.
function M.hessian(f, ...)
  api.need_function("hessian", f)
  local options = options_of("hessian", ...)
  return M.jacfwd(M.jacrev(f, options), options)
end

-- ---- linearize ----

--- f's value, and its derivative at this point: a linear function of tangents.
function M.linearize(f, ...)
  api.need_function("linearize", f)
  local leaves, structure = api.named_values(f, {...})
  local out, avals, is_late = {}, {}, {}
  for i, x in ipairs(leaves) do
    if core.is_literal(x) then leaves[i] = arrays.array_of(x) end
    avals[i] = core.aval_of(leaves[i])
  end
  local p, consts = program.open(program.trace(
    api.flat_function(f, structure, out), avals))
  local has, n = {}, #consts
  for i = 1, #leaves do has[n + i] = true end
  local both = ad.jvp_program(p, has)
  local whole, more = program.open(both.program)
  n = #more + #p.inputs
  for i = n + 1, #whole.inputs do is_late[i] = true end
  local cut = program.split(whole, is_late)
  for _, atom in ipairs(whole.outputs) do cut.carry(atom) end
  local early = ad.append(more, ad.append(consts, leaves))
  local known = program.eval({
    inputs = table.move(whole.inputs, 1, n, 1, {}), consts = {},
    eqns = cut.first, outputs = cut.carried}, early)
  local count = #p.outputs
  local second = {
    inputs = ad.append(cut.carried, table.move(whole.inputs, n + 1,
                                               #whole.inputs, 1, {})),
    consts = {}, eqns = cut.second, outputs = whole.outputs}
  local function derivative(...)
    local tangents, given = api.values_of({...}, "tangent ")
    if tree.text(given) ~= tree.text(structure) then
      fail("TypeError", "linearize: the tangents have another structure " ..
                        "than the arguments")
    end
    for i, t in ipairs(tangents) do
      if core.is_literal(t) then
        tangents[i] = lax.full(avals[i].shape, t.value, avals[i].dtype,
                               avals[i].weak)
      elseif not core.same_shape(core.shape_of(t), avals[i].shape) then
        fail("ValueError", "linearize: tangent %d is %s, the argument %s", i,
             core.aval_text(core.aval_of(t)), core.aval_text(avals[i]))
      end
    end
    local all = program.eval(second, ad.append(known, tangents))
    local list = {}
    for i, x in ipairs(p.outputs) do list[i] = ad.zeros_like(x) end
    for k, i in ipairs(both.of) do list[i] = all[count + k] end
    return api.give_back(out, list)
  end
  local carried, plain = {}, nil
  for i, var in ipairs(cut.carried) do carried[var] = known[i] end
  local values = {}
  for i = 1, count do
    local atom = whole.outputs[i]
    values[i] = core.is_literal(atom) and atom or carried[atom]
    if not values[i] then -- computed together with its tangent, in a loop
      plain = plain or program.eval(p, ad.append(consts, leaves))
      values[i] = plain[i]
    end
  end
  api.give_back(out, values)
  return tree.unflatten(out.structure, values), derivative
end

-- ---- eval_shape ----

--- What f would give for such arguments, without computing it.
function M.eval_shape(f, ...)
  api.need_function("eval_shape", f)
  local leaves, structure = api.named_values(f, {...})
  local avals, out = {}, {}
  for i, x in ipairs(leaves) do avals[i] = core.aval_of(x) end
  local p = program.trace(api.flat_function(f, structure, out), avals)
  local results = {}
  for i, atom in ipairs(p.outputs) do
    results[i] = struct.of(atom.aval)
  end
  return api.give_back(out, results)
end

return M
