-- SPDX-License-Identifier: Apache-2.0
-- cuda.ElementwiseKernel: one thread for each element of the result.
local use = ...
local cuda, is_array = use.cuda, use.is_array
local core, parts = use("core/core"), use("cuda/kernel_parts")
local c_types, fail = use("compile/emit").c_types, parts.fail

local M = {}

local Elementwise = {}
Elementwise.__index = Elementwise

local function source_of(self, dtypes, is_array_at, of, shape, shapes)
  local strided, lines = {}, {}
  for k, p in ipairs(self.params) do
    if is_array_at[k] and not p.is_raw then
      local at = "i"
      if not core.same_shape(shapes[k], shape) then
        at = p.name .. "_at"
        table.insert(strided, {name = p.name,
                               strides = parts.strides_of(shapes[k], shape)})
      end
      table.insert(lines, ("    %s%s &%s = %s_[%s];\n"):format(
        p.is_out and "" or "const ", c_types[dtypes[k]], p.name, p.name, at))
    end
  end
  local where = {}
  for _, s in ipairs(strided) do
    table.insert(where, ("    long long %s_at = 0;\n"):format(s.name))
  end
  if #strided > 0 and #shape > 0 then
    local axes = {}
    for d = 1, #shape do axes[d] = d end
    table.insert(where, parts.coordinates("i", axes, shape, strided))
  end
  local list = parts.declarations(self.params, dtypes, is_array_at)
  table.insert(list, "long long n")
  return ([==[
%s
__global__ void %s(%s) {
  [[maybe_unused]] Index _ind = {n};
%s  %s;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x) {
%s%s#line 1 "%s"
%s;
#line 1 "generated"
  }
  %s;
}
]==]):format(parts.prelude(self, dtypes, of), parts.c_name(self.name),
           table.concat(list, ", "),
           parts.raw_declarations(self.params, dtypes, is_array_at),
           self.options.loop_prep or "", table.concat(where),
           table.concat(lines), self.name, self.operation,
           self.options.after_loop or "")
end

-- The shape of the result: that of all inputs; else an output's, or `size`.
-- Gives the shapes of the parameters that are walked over, too.
local function result_shape(self, values, size)
  local shapes, names, all = {}, {}, {}
  for k, p in ipairs(self.params) do
    if values[k] ~= nil and is_array(values[k]) and not p.is_raw and
       not (p.is_out and #all > 0) then
      shapes[k] = values[k].shape
      table.insert(all, shapes[k])
      table.insert(names, p.name)
    end
  end
  if size and #all > 0 then
    fail("%s: size = %s is for kernels all of whose arrays are raw", self.name,
         tostring(size))
  elseif size then
    return {size}, shapes
  elseif #all > 0 then
    return parts.broadcast(all, names, self.name), shapes
  end
  for k = 1, #self.inputs do
    if is_array(values[k]) then
      fail("%s: all arrays are raw, and nobody says how many elements there " ..
           "are: add {size = n}", self.name)
    end
  end
  return {}, shapes
end

-- What the kernel's text depends on.
local function key_of(self, dtypes, is_array_at, shape, shapes)
  local key = {}
  for k in ipairs(self.params) do
    local is_stretched = is_array_at[k] and shapes[k] and
                         not core.same_shape(shapes[k], shape)
    key[k] = dtypes[k] ..
             (is_stretched and core.shapes_text{shapes[k], shape} or
              is_array_at[k] and "*" or "")
  end
  return table.concat(key, ";")
end

function Elementwise.__call(self, ...)
  local args = table.pack(...)
  local call = parts.take_settings(args, {size = true, block_size = true},
                                   self.name)
  local values, dtypes, is_array_at, of, to_host = parts.arguments(self, args)
  local shape, shapes = result_shape(self, values, call.size)
  local outputs, given = parts.outputs(self, args, values, dtypes, shape, true)
  for k = #self.inputs + 1, #self.params do shapes[k] = values[k].shape end
  local key = key_of(self, dtypes, is_array_at, shape, shapes)
  local kernel = parts.cached(self, key, function()
    return cuda.kernel(source_of(self, dtypes, is_array_at, of, shape, shapes),
                       {options = self.options.options, file = self.name})
  end)
  local n = core.size(shape)
  if n > 0 then
    local list, block = {n = 0}, call.block_size or 128
    parts.push_params(list, self.params, values)
    parts.push(list, n)
    parts.launch(kernel, (n + block - 1) // block, block, list)
  end
  return parts.give(outputs, given, to_host)
end

Elementwise.__tostring = function(self)
  return ("ElementwiseKernel %s: %s -> %s"):format(self.name, self.in_text,
                                                   self.out_text)
end

--- As documented in help/cuda.lua.
function M.ElementwiseKernel(in_params, out_params, operation, name, options)
  name = name or "kernel"
  parts.check_texts("cuda.ElementwiseKernel", in_params, out_params, operation,
                    name)
  local self = parts.new(Elementwise, in_params, out_params, name, options, {
    preamble = true, loop_prep = true, options = true, after_loop = true})
  parts.check_names(self.params, name)
  self.operation = operation
  return self
end

return M
