-- SPDX-License-Identifier: Apache-2.0
-- What cuda.ElementwiseKernel and cuda.ReductionKernel share: they follow
-- CuPy's rules (CuPy User Guide, "User-Defined Kernels"). The caller writes
-- what happens to one element, these write the kernel around it. Arrays of
-- several shapes are broadcast; what has no type is named by a letter and takes
-- that of the arguments.
local use = ...
local np, cuda = use.np, use.cuda
local core, emit = use("core/core"), use("compile/emit")
local M = {}

local function fail(text, ...) core.raise("argument", text:format(...)) end
M.fail = fail

-- ---- Parameters ----

local c_types = emit.c_types

-- "float32 x, raw T y" as {{name, dtype | letter, is_raw}}.
local function parse(text, what, name)
  local params = {}
  for part in text:gmatch("[^,]+") do
    local words = {}
    for word in part:gmatch("%S+") do table.insert(words, word) end
    local is_raw = words[1] == "raw"
    if is_raw then table.remove(words, 1) end
    if #words ~= 2 or not words[2]:find("^[%a_][%w_]*$") then
      fail("%s: \"%s\" in %s is no parameter: write \"float32 x\", \"T x\" or "
           .. "\"raw T x\"", name, part, what)
    end
    local param = {name = words[2], is_raw = is_raw}
    local ok, t = pcall(function() return np.zeros(0, words[1]).dtype end)
    if ok then
      param.dtype = t
    elseif words[1]:find("^%a$") then
      param.letter = words[1]
    else
      fail("%s: \"%s\" in %s is no type: there are NumPy's names (float32, " ..
           "f32) and letters, which take the arguments' types", name, words[1],
           what)
    end
    table.insert(params, param)
  end
  return params
end

--- Refuses names that two parameters share, or that the kernel needs (`more`).
function M.check_names(all, name, more)
  local seen = {i = "the index", n = "the size"}
  for _, word in ipairs(more or {}) do seen[word] = "the kernel's own" end
  for _, p in ipairs(all) do
    if seen[p.name] then
      fail("%s: the name %s is taken (%s)", name, p.name, seen[p.name])
    end
    seen[p.name] = "another parameter"
  end
end

-- ---- Arguments ----

local function is_array(x) return type(x) == "userdata" and use.is_array(x) end

local function packed(x)
  return use.is_plain(x) and x or cuda.to_device(x:copy_to_host())
end

-- The arguments on the device: {array or number}, and whether host arrays are
-- among them, whose kernel gives host arrays.
local function bring(args, count, name)
  local on_host, on_device
  for k = 1, count do
    if is_array(args[k]) then
      if args[k].device == "host" then on_host = k else on_device = k end
    elseif type(args[k]) ~= "number" and type(args[k]) ~= "boolean" then
      fail("%s: argument %d is a %s; arrays and numbers can be given", name, k,
           args[k] == nil and "nil (a variable with a slip in its name?)" or
           type(args[k]))
    end
  end
  if on_host and on_device then
    fail("%s: argument %d lives on the host, argument %d on %s: " ..
         "cuda.to_device(x) or x:copy_to_host() brings them together", name,
         on_host, on_device, args[on_device].device)
  end
  local values = {}
  for k = 1, count do
    local x = args[k]
    if is_array(x) then x = on_host and cuda.to_device(x) or packed(x) end
    values[k] = x
  end
  return values, on_host ~= nil
end

-- Each letter's type: that of an array, else of a number.
local function bind_letters(params, values, name)
  local of = {}
  for pass = 1, 2 do
    for k, p in ipairs(params) do
      local x = values[k]
      if p.letter and x ~= nil and is_array(x) == (pass == 1) then
        local t = pass == 1 and x.dtype or
                  type(x) == "boolean" and "bool" or
                  math.type(x) == "integer" and "i64" or "f64"
        if of[p.letter] and pass == 1 and of[p.letter] ~= t then
          fail("%s: the type %s is %s in one argument and %s in %s", name,
               p.letter, of[p.letter], t, p.name)
        end
        of[p.letter] = of[p.letter] or t
      end
    end
  end
  return of
end

local function dtype_of(p, of, name)
  local t = p.dtype or of[p.letter]
  if not t then
    fail("%s: no argument says what the type %s of %s is", name, p.letter,
         p.name)
  end
  return t
end

-- ---- Shapes ----

--- The shape that all have in common; `names` are the parameters'.
function M.broadcast(shapes, names, name)
  local shape, k, before = core.broadcast_shapes(shapes)
  return shape or
         fail("%s: %s has the shape %s, which does not broadcast to %s", name,
              names[k], core.shape_text(shapes[k]), core.shape_text(before))
end

--- Elements between neighbours along each axis of `shape` in a packed array of
--- shape `own`; 0 where it is stretched.
function M.strides_of(own, shape)
  local strides, step = {}, 1
  for d = #shape, 1, -1 do
    local s = own[#own - #shape + d] or 1
    strides[d] = s == 1 and 0 or step
    step = step * s
  end
  return strides
end

-- ---- Text ----

local raw_text = [[
template <typename T> struct RawArray {
  T *data; long long count;
  __device__ T &operator[](long long i) const { return data[i]; }
  __device__ long long size() const { return count; }
};
struct Index {
  long long count;
  __device__ long long size() const { return count; }
};
]]

-- Lines that are not the caller's have no place in messages.
local GENERATED = '#line 1 "generated"\n'
M.GENERATED = GENERATED

local function typedefs(of)
  local lines = {}
  for letter, t in pairs(of) do
    table.insert(lines, ("typedef %s %s;\n"):format(c_types[t], letter))
  end
  table.sort(lines)
  return table.concat(lines)
end

--- What stands before the kernel: headers, types by their letters, the caller's
--- own preamble.
function M.prelude(self, dtypes, of)
  local text = {}
  for _, t in pairs(dtypes) do
    if t == "f16" then text[1] = "#include <cuda_fp16.h>\n" end
    if t == "bf16" then text[2] = "#include <cuda_bf16.h>\n" end
  end
  return GENERATED .. (text[1] or "") .. (text[2] or "") .. raw_text ..
         typedefs(of) .. (self.options.preamble or "")
end

--- What the kernel takes for each parameter: its list of declarations.
function M.declarations(params, dtypes, is_array_at)
  local list = {}
  for k, p in ipairs(params) do
    local c = c_types[dtypes[k]]
    if is_array_at[k] then
      local const = p.is_out and "" or "const "
      table.insert(list, ("%s%s *%s_"):format(const, c, p.name))
      if p.is_raw then
        table.insert(list, ("long long %s_count"):format(p.name))
      end
    else
      table.insert(list, ("%s %s"):format(c, p.name))
    end
  end
  return list
end

--- The raw arrays under their parameters' names.
function M.raw_declarations(params, dtypes, is_array_at)
  local lines = {}
  for k, p in ipairs(params) do
    if p.is_raw and is_array_at[k] then
      table.insert(lines, ("  RawArray<%s%s> %s = {%s_, %s_count};\n")
        :format(p.is_out and "" or "const ", c_types[dtypes[k]], p.name, p.name,
                p.name))
    end
  end
  return table.concat(lines)
end

--- C for the place in each stretched array of element `at`, whose coordinates
--- are those of the axes `axes` of `shape`: adds to the variables NAME_at.
function M.coordinates(at, axes, shape, strided)
  local lines = {("    long long rest_%s = %s;\n"):format(at, at)}
  for n = #axes, 1, -1 do
    local d = axes[n]
    local is_last = n == 1
    table.insert(lines, ("    { [[maybe_unused]] long long c = %s;\n"):format(
      is_last and "rest_" .. at or
      ("rest_%s %% %dLL; rest_%s /= %dLL"):format(at, shape[d], at, shape[d])))
    for _, s in ipairs(strided) do
      if s.strides[d] ~= 0 then
        table.insert(lines, ("      %s_at += c * %dLL;\n"):format(s.name,
                                                                  s.strides[d]))
      end
    end
    table.insert(lines, "    }\n")
  end
  return table.concat(lines)
end

--- The name as one of C.
function M.c_name(name) return (name:gsub("[^%w_]", "_")) end

-- ---- Launching ----

--- Launches with these arguments, a list with its length in `n`; the kernel's
--- blocks stride over what is more than the grid.
function M.launch(kernel, blocks, block, args)
  local grid = math.max(1, math.min(blocks, 1 << 16))
  kernel[{grid, block}](table.unpack(args, 1, args.n))
end

--- Appends to such a list.
function M.push(args, ...)
  for k = 1, select("#", ...) do
    args.n = args.n + 1
    args[args.n] = (select(k, ...))
  end
end

--- The arguments of a launch, in the order of `declarations`.
function M.push_params(args, params, values)
  for k, p in ipairs(params) do
    M.push(args, values[k])
    if p.is_raw and is_array(values[k]) then M.push(args, values[k].size) end
  end
end

-- ---- Calls ----

local function settings(options, known, name)
  for key in pairs(options or {}) do
    if not known[key] then
      fail("%s: there is no setting \"%s\"", name, tostring(key))
    end
  end
  return options or {}
end

--- The trailing table of settings of a call, if there is one.
function M.take_settings(args, known, name)
  local last = args[args.n]
  if type(last) == "table" then
    args[args.n] = nil
    args.n = args.n - 1
    return settings(last, known, name)
  end
  return {}
end

--- The arguments of a call: values of all parameters (nil: an output to be
--- made), their types, which are arrays, the letters' types, whether the
--- results go to the host.
function M.arguments(self, args)
  local n_in, n_all = #self.inputs, #self.params
  if args.n ~= n_in and args.n ~= n_all then
    fail("%s takes %d arguments, or %d with the outputs, not %d", self.name,
         n_in, n_all, args.n)
  end
  local values, to_host = bring(args, args.n, self.name)
  for k = n_in + 1, args.n do
    if not is_array(values[k]) then
      fail("%s: argument %d (%s) is an output, and needs an array", self.name,
           k, self.params[k].name)
    end
  end
  local of = bind_letters(self.params, values, self.name)
  local dtypes, is_array_at = {}, {}
  for k, p in ipairs(self.params) do
    dtypes[k] = dtype_of(p, of, self.name)
    is_array_at[k] = k > n_in or is_array(values[k])
    if is_array(values[k]) and values[k].dtype ~= dtypes[k] then
      fail("%s: %s is %s, and an array of %s is given: x:astype(\"%s\")",
           self.name, p.name, dtypes[k], values[k].dtype, dtypes[k])
    end
    if p.is_raw and not is_array_at[k] then
      fail("%s: %s is raw, and needs an array", self.name, p.name)
    end
  end
  return values, dtypes, is_array_at, of, to_host
end

--- Makes the outputs that were not given; the others must have this shape,
--- unless they are raw and `raw_fits`. Gives all outputs, and those given.
function M.outputs(self, args, values, dtypes, shape, raw_fits)
  local outputs, given = {}, {}
  for k = #self.inputs + 1, #self.params do
    local o, p = k - #self.inputs, self.params[k]
    given[o] = args[k]
    if values[k] == nil then
      values[k] = cuda.device_array(shape, dtypes[k])
    elseif not (raw_fits and p.is_raw) and
           not core.same_shape(values[k].shape, shape) then
      fail("%s: the output %s has the shape %s, the result %s", self.name,
           p.name, core.shape_text(values[k].shape), core.shape_text(shape))
    end
    outputs[o] = values[k]
  end
  return outputs, given
end

--- What the call returns: outputs that were given, else made.
function M.give(outputs, given, to_host)
  for k, x in ipairs(outputs) do
    if given[k] then
      if to_host then x:copy_to_host(given[k]) end
      outputs[k] = given[k]
    elseif to_host then
      outputs[k] = x:copy_to_host()
    end
  end
  return table.unpack(outputs)
end

--- What `make` gives for this device and key, made once.
function M.cached(self, key, make)
  key = cuda.device().id .. "|" .. key
  local kernel = self.cache[key]
  if not kernel then
    kernel = make()
    self.cache[key] = kernel
  end
  return kernel
end

-- ---- Making ----

--- A kernel of this kind, its parameters read; `known`: its settings.
function M.new(kind, in_params, out_params, name, options, known)
  local self = {name = name, in_text = in_params, out_text = out_params,
                options = settings(options, known, name), cache = {}}
  self.inputs = parse(in_params, "the inputs", name)
  local outputs = parse(out_params, "the outputs", name)
  if #outputs == 0 then fail("%s has no output", name) end
  self.params = table.move(self.inputs, 1, #self.inputs, 1, {})
  for _, p in ipairs(outputs) do
    p.is_out = true
    table.insert(self.params, p)
  end
  return setmetatable(self, kind)
end

function M.check_texts(what, ...)
  for k = 1, select("#", ...) do
    if type((select(k, ...))) ~= "string" then
      fail("%s takes texts: argument %d is %s", what, k,
           type((select(k, ...))))
    end
  end
end

return M
