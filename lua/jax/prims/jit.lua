-- SPDX-License-Identifier: Apache-2.0
-- A program as one operation: what `jit` leaves in the program around it.
--
--   jit {name, jaxpr}: the program's constants are its first inputs
local use = ...
local core = use("core/core")
local program = use("core/program")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")

local function bind(name, p, args)
  return core.bind(core.prims.jit, {name = name, jaxpr = p}, args)
end

core.define{
  name = "jit", is_call = true, -- its program may stand in its place
  -- Inside a trace that computes, the program runs as a whole.
  eval = function(p, ...)
    return core.outside(program.eval, p.jaxpr, {...})
  end,
  shape = function(p) return program.out_avals(p.jaxpr) end,
  batch = function(p, size, values, dims)
    local new = batch.of_program(p.jaxpr, size, dims)
    local opened, consts = program.open(new.program)
    return bind(p.name, opened, ad.append(consts, values)), new.dims
  end,
  diff = {
    gives_outputs = true,
    jvp = function(p, values, tangents)
      local has, args = {}, table.move(values, 1, #values, 1, {})
      for i, t in ipairs(tangents) do
        has[i] = t and true
        if t then args[#args + 1] = t end
      end
      local new = ad.jvp_program(p.jaxpr, has)
      local opened, consts = program.open(new.program)
      local all = bind(p.name, opened, ad.append(consts, args))
      local n, out_tangents = #p.jaxpr.outputs, {}
      for i = 1, n do out_tangents[i] = false end
      for k, i in ipairs(new.of) do out_tangents[i] = all[n + k] end
      return out_tangents, table.move(all, 1, n, 1, {})
    end,
    forward = function(p, values)
      local pair = ad.vjp_programs(p.jaxpr)
      local opened, consts = program.open(pair.forward)
      local all = bind(p.name, opened, ad.append(consts, values))
      local n = #p.jaxpr.outputs
      return table.move(all, 1, n, 1, {}),
             table.move(all, n + 1, #all, 1, {})
    end,
    vjp = function(p, cts, values, outputs, saved)
      local pair = ad.vjp_programs(p.jaxpr)
      local args = table.move(saved, 1, #saved, 1, {})
      for _, i in ipairs(pair.outs) do
        args[#args + 1] = cts[i] or ad.zeros_like(outputs[i])
      end
      local grads, back = bind(p.name, pair.backward, args), {}
      for i = 1, #values do back[i] = false end
      for k, i in ipairs(pair.ins) do back[i] = grads[k] end
      return back
    end,
  },
  emit = {program = true},
  print = function(p, show)
    return {{"name", p.name}, {"jaxpr", show(p.jaxpr)}}
  end,
}
lax.jit = bind
