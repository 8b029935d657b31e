-- SPDX-License-Identifier: Apache-2.0
-- cuda.ElementwiseKernel and cuda.ReductionKernel, by CuPy's rules (CuPy User
-- Guide, "User-Defined Kernels"): the caller writes what happens to one
-- element, these write the kernel around it. Arrays of several shapes are
-- broadcast; what has no type is named by a letter and takes that of the
-- arguments.
local use = ...
local np, cuda = use.np, use.cuda
local core, emit = use("core"), use("emit")
local M = {}

local function fail(text, ...) core.raise("argument", text:format(...)) end

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

local function check_names(all, name, more)
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

local function shape_text(shape)
  return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
end

-- The shape that all have in common (NumPy's broadcasting).
local function broadcast(shapes, names, name)
  local shape = {}
  for k, s in ipairs(shapes) do
    if #s > #shape then
      local longer = {}
      for _ = 1, #s - #shape do table.insert(longer, 1) end
      shape = table.move(shape, 1, #shape, #longer + 1, longer)
    end
    for d = 1, #s do
      local at = #shape - #s + d
      if shape[at] == 1 then
        shape[at] = s[d]
      elseif s[d] ~= 1 and s[d] ~= shape[at] then
        fail("%s: %s has the shape %s, which does not broadcast to %s", name,
             names[k], shape_text(s), shape_text(shape))
      end
    end
  end
  return shape
end

local function size_of(shape)
  local n = 1
  for _, s in ipairs(shape) do n = n * s end
  return n
end

-- Elements between neighbours along each axis of `shape` in a packed array of
-- shape `own`; 0 where it is stretched.
local function strides_of(own, shape)
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

local function prelude(dtypes)
  local text = {}
  for _, t in pairs(dtypes) do
    if t == "f16" then text[1] = "#include <cuda_fp16.h>\n" end
    if t == "bf16" then text[2] = "#include <cuda_bf16.h>\n" end
  end
  return GENERATED .. (text[1] or "") .. (text[2] or "") .. raw_text
end

local function typedefs(of)
  local lines = {}
  for letter, t in pairs(of) do
    table.insert(lines, ("typedef %s %s;\n"):format(c_types[t], letter))
  end
  table.sort(lines)
  return table.concat(lines)
end

-- What the kernel takes for each parameter: its list of declarations.
local function declarations(params, dtypes, is_array_at)
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

local function raw_declarations(params, dtypes, is_array_at)
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

-- C for the place in each stretched array of element `at`, whose coordinates
-- are those of the axes `axes` of `shape`: adds to the variables NAME_at.
local function coordinates(at, axes, shape, strided)
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

local MOST_BLOCKS = 1 << 16

local function launch(kernel, n, block, args)
  local grid = math.max(1, math.min((n + block - 1) // block, MOST_BLOCKS))
  kernel[{grid, block}](table.unpack(args, 1, args.n))
end

local function push(args, x)
  args.n = args.n + 1
  args[args.n] = x
end

-- The arguments of a launch, in the order of `declarations`.
local function push_params(args, params, values)
  for k, p in ipairs(params) do
    push(args, values[k])
    if p.is_raw and is_array(values[k]) then push(args, values[k].size) end
  end
end

local function c_name(name) return (name:gsub("[^%w_]", "_")) end

-- ---- What both share ----

local Kernel = {}

local function settings(options, known, name)
  for key in pairs(options or {}) do
    if not known[key] then
      fail("%s: there is no setting \"%s\"", name, tostring(key))
    end
  end
  return options or {}
end

-- The trailing table of settings of a call, if there is one.
local function take_settings(args, known, name)
  local last = args[args.n]
  if type(last) == "table" then
    args[args.n] = nil
    args.n = args.n - 1
    return settings(last, known, name)
  end
  return {}
end

-- The arguments of a call: values of all parameters (nil: an output to be
-- made), their types, whether the results go to the host.
local function arguments(self, args)
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

local function give(outputs, given, to_host)
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

local function cached(self, key, make)
  key = cuda.device().id .. "|" .. key
  local kernel = self.cache[key]
  if not kernel then
    kernel = make()
    self.cache[key] = kernel
  end
  return kernel
end

-- ---- cuda.ElementwiseKernel ----

local Elementwise = setmetatable({}, {__index = Kernel})
Elementwise.__index = Elementwise

local function elementwise_source(self, dtypes, is_array_at, of, shape, shapes)
  local strided, lines = {}, {}
  for k, p in ipairs(self.params) do
    if is_array_at[k] and not p.is_raw then
      local at = "i"
      if not core.same_shape(shapes[k], shape) then
        at = p.name .. "_at"
        table.insert(strided, {name = p.name,
                               strides = strides_of(shapes[k], shape)})
      end
      table.insert(lines, ("    %s%s &%s = %s_[%s];\n"):format(
        p.is_out and "" or "const ", c_types[dtypes[k]], p.name, p.name, at))
    end
  end
  local where = {}
  for _, s in ipairs(strided) do
    table.insert(where, ("    long long %s_at = 0;\n"):format(s.name))
  end
  if #strided > 0 then
    local axes = {}
    for d = 1, #shape do axes[d] = d end
    if #axes > 0 then
      table.insert(where, coordinates("i", axes, shape, strided))
    end
  end
  local list = declarations(self.params, dtypes, is_array_at)
  table.insert(list, "long long n")
  return ([==[
%s%s%s
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
]==]):format(prelude(dtypes), typedefs(of), self.options.preamble or "",
           c_name(self.name), table.concat(list, ", "),
           raw_declarations(self.params, dtypes, is_array_at),
           self.options.loop_prep or "", table.concat(where),
           table.concat(lines), self.name, self.operation,
           self.options.after_loop or "")
end

function Elementwise.__call(self, ...)
  local args = table.pack(...)
  local call = take_settings(args, {size = true, block_size = true}, self.name)
  local values, dtypes, is_array_at, of, to_host = arguments(self, args)
  local shapes, names, all, has_shape = {}, {}, {}, false
  for k, p in ipairs(self.params) do
    if values[k] ~= nil and is_array(values[k]) and not p.is_raw and
       not (p.is_out and has_shape) then -- inputs decide, if any can
      shapes[k] = values[k].shape
      table.insert(all, shapes[k])
      table.insert(names, p.name)
      has_shape = true
    end
  end
  local shape
  if call.size then
    if has_shape then
      fail("%s: size = %s is for kernels all of whose arrays are raw",
           self.name, tostring(call.size))
    end
    shape = {call.size}
  elseif has_shape then
    shape = broadcast(all, names, self.name)
  else
    local all_raw = false
    for k in ipairs(self.params) do all_raw = all_raw or is_array_at[k] end
    if all_raw and #self.inputs > 0 then
      for k = 1, #self.inputs do
        if is_array(values[k]) then
          fail("%s: all arrays are raw, and nobody says how many elements " ..
               "there are: add {size = n}", self.name)
        end
      end
    end
    shape = {}
  end
  local outputs, given = {}, {}
  for k = #self.inputs + 1, #self.params do
    local o = k - #self.inputs
    given[o] = args[k]
    if values[k] == nil then
      values[k] = cuda.device_array(shape, dtypes[k])
    elseif not self.params[k].is_raw and
           not core.same_shape(values[k].shape, shape) then
      fail("%s: the output %s has the shape %s, the result %s", self.name,
           self.params[k].name, shape_text(values[k].shape), shape_text(shape))
    end
    shapes[k] = values[k].shape
    outputs[o] = values[k]
  end
  local key = {}
  for k in ipairs(self.params) do
    key[k] = dtypes[k] .. (is_array_at[k] and shapes[k] and
             not core.same_shape(shapes[k], shape) and
             shape_text(shapes[k]) .. shape_text(shape) or
             is_array_at[k] and "*" or "")
  end
  local kernel = cached(self, table.concat(key, ";"), function()
    return cuda.kernel(elementwise_source(self, dtypes, is_array_at, of, shape,
                                          shapes),
                       {options = self.options.options, file = self.name})
  end)
  local n = size_of(shape)
  if n > 0 then
    local list = {n = 0}
    push_params(list, self.params, values)
    push(list, n)
    launch(kernel, n, call.block_size or 128, list)
  end
  return give(outputs, given, to_host)
end

Elementwise.__tostring = function(self)
  return ("ElementwiseKernel %s: %s -> %s"):format(self.name, self.in_text,
                                                   self.out_text)
end

local function new(kind, in_params, out_params, name, options)
  local self = {name = name, options = options, cache = {},
                in_text = in_params, out_text = out_params}
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

local function check_texts(what, ...)
  for k = 1, select("#", ...) do
    if type((select(k, ...))) ~= "string" then
      fail("%s takes texts: argument %d is %s", what, k,
           type((select(k, ...))))
    end
  end
end

--- As documented in help/cuda.lua.
function M.ElementwiseKernel(in_params, out_params, operation, name, options)
  name = name or "kernel"
  check_texts("cuda.ElementwiseKernel", in_params, out_params, operation, name)
  options = settings(options, {preamble = true, loop_prep = true,
                               options = true, after_loop = true}, name)
  local self = new(Elementwise, in_params, out_params, name, options)
  check_names(self.params, name)
  self.operation = operation
  return self
end

-- ---- cuda.ReductionKernel ----

local Reduction = setmetatable({}, {__index = Kernel})
Reduction.__index = Reduction

local THREADS = 256

-- Two kernels: `first` reduces a piece of each result's elements, `last` the
-- pieces (it is the first one too where there is one piece).
local function reduction_source(self, dtypes, is_array_at, of, s)
  local strided, lines, inputs = {}, {}, #self.inputs
  local types_in = {}
  local params_in = table.move(self.params, 1, inputs, 1, {})
  for k = 1, inputs do types_in[k] = dtypes[k] end
  for k, p in ipairs(params_in) do
    if is_array_at[k] and not p.is_raw then
      table.insert(strided, {name = p.name,
                             strides = strides_of(s.shapes[k], s.shape)})
      table.insert(lines, ("const %s &%s = %s_[%s_at];"):format(
        c_types[dtypes[k]], p.name, p.name, p.name))
    end
  end
  local list = declarations(params_in, types_in, is_array_at)
  local out_list, out_refs = {}, {}
  for k = inputs + 1, #self.params do
    local p, c = self.params[k], c_types[dtypes[k]]
    table.insert(out_list, ("%s *%s_"):format(c, p.name))
    table.insert(out_refs, ("%s &%s = %s_[o];"):format(c, p.name, p.name))
  end
  local places = {}
  for _, x in ipairs(strided) do
    table.insert(places, ("    long long %s_at = 0;\n"):format(x.name))
  end
  if #strided > 0 and #s.kept > 0 then
    table.insert(places, coordinates("o", s.kept, s.shape, strided))
  end
  if #strided > 0 and #s.reduced > 0 then
    table.insert(places, coordinates("j", s.reduced, s.shape, strided))
  end
  local name = c_name(self.name)
  local reduce_type = self.options.reduce_type and
    (c_types[self.options.reduce_type] or self.options.reduce_type) or
    c_types[dtypes[inputs + 1]]
  local text = {prelude(dtypes), typedefs(of), self.options.preamble or "",
                ("\ntypedef %s type_reduce;\n"):format(reduce_type)}
  local function add(format, ...) table.insert(text, format:format(...)) end
  add([==[
__device__ type_reduce reduce_two(type_reduce a, type_reduce b) {
#line 1 "%s"
  return %s;
#line 1 "generated"
}
__device__ bool reduce_block(type_reduce &mine) {
  __shared__ type_reduce all[%d];
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int half = %d; half; half /= 2) {
    if (threadIdx.x < half)
      all[threadIdx.x] = reduce_two(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  mine = all[0];
  __syncthreads();
  return threadIdx.x == 0;
}
]==], self.name, self.reduce_expr, THREADS, THREADS // 2)
  local function post(indent)
    return ("%s%s\n%stype_reduce a = mine;\n#line 1 \"%s\"\n%s;\n%s")
      :format(indent, table.concat(out_refs, " "), indent, self.name,
              self.post_map_expr, GENERATED)
  end
  -- The first kernel; with one piece it ends in the post map.
  local is_single = s.pieces == 1
  local params = table.move(list, 1, #list, 1, {})
  if is_single then
    table.move(out_list, 1, #out_list, #params + 1, params)
  else
    table.insert(params, "type_reduce *partial")
  end
  table.insert(params, "long long outs")
  table.insert(params, "long long n")
  table.insert(params, "int pieces")
  add([==[
__global__ void %s(%s) {
  [[maybe_unused]] Index _ind = {n};
%s  for (long long b = blockIdx.x; b < outs * pieces; b += gridDim.x) {
    long long o = b / pieces, piece = b %% pieces;
    type_reduce mine = (type_reduce)(%s);
    for (long long j = piece * blockDim.x + threadIdx.x; j < n;
         j += (long long)pieces * blockDim.x) {
      [[maybe_unused]] long long i = o * n + j;
%s      %s
#line 1 "%s"
      type_reduce mapped = (type_reduce)(%s);
#line 1 "generated"
      mine = reduce_two(mine, mapped);
    }
    if (reduce_block(mine)) {
%s    }
  }
}
]==], name, table.concat(params, ", "),
      raw_declarations(params_in, types_in, is_array_at), self.identity,
      table.concat(places), table.concat(lines, " "), self.name, self.map_expr,
      is_single and post("      ") or "      partial[b] = mine;\n")
  if not is_single then
    params = {"const type_reduce *partial"}
    table.move(out_list, 1, #out_list, 2, params)
    table.insert(params, "long long outs")
    table.insert(params, "int pieces")
    add([==[
__global__ void %s_last(%s) {
  for (long long o = blockIdx.x; o < outs; o += gridDim.x) {
    type_reduce mine = (type_reduce)(%s);
    for (int j = threadIdx.x; j < pieces; j += blockDim.x)
      mine = reduce_two(mine, partial[o * pieces + j]);
    if (reduce_block(mine)) {
%s    }
  }
}
extern "C" __device__ const int %s_partial_bytes = sizeof(type_reduce);
]==], name, table.concat(params, ", "), self.identity, post("      "), name)
  end
  return table.concat(text)
end

local function axis_set(axis, ndim, name)
  local set = {}
  if axis == nil then
    for d = 1, ndim do set[d] = true end
    return set
  end
  for _, a in ipairs(type(axis) == "table" and axis or {axis}) do
    if math.type(a) ~= "integer" or a < -ndim or a >= ndim then
      fail("%s: axis %s of an array of %d axes", name, tostring(a), ndim)
    end
    set[a % ndim + 1] = true
  end
  return set
end

-- Enough pieces to fill the device when there are few results.
local function pieces_for(outs, n)
  local blocks = 4 * (cuda.device().attributes.multiprocessor_count or 1)
  local most = (n + 8 * THREADS - 1) // (8 * THREADS)
  return math.max(1, math.min(blocks // math.max(outs, 1), most))
end

function Reduction.__call(self, ...)
  local args = table.pack(...)
  local call = take_settings(args, {axis = true, keepdims = true}, self.name)
  local values, dtypes, is_array_at, of, to_host = arguments(self, args)
  local s = {shapes = {}, kept = {}, reduced = {}}
  local all, names = {}, {}
  for k, p in ipairs(self.inputs) do
    if is_array_at[k] and not p.is_raw then
      s.shapes[k] = values[k].shape
      table.insert(all, s.shapes[k])
      table.insert(names, p.name)
    end
  end
  if #all == 0 then fail("%s: an input must be an array", self.name) end
  s.shape = broadcast(all, names, self.name)
  local is_reduced = axis_set(call.axis, #s.shape, self.name)
  local shape, n = {}, 1
  for d, count in ipairs(s.shape) do
    if is_reduced[d] then
      table.insert(s.reduced, d)
      n = n * count
      if call.keepdims then table.insert(shape, 1) end
    else
      table.insert(s.kept, d)
      table.insert(shape, count)
    end
  end
  if #s.kept == 0 then -- one row, if nothing is stretched
    local is_same = true
    for _, own in ipairs(all) do
      is_same = is_same and core.same_shape(own, s.shape)
    end
    if is_same then
      s.shape, s.reduced = {n}, {1}
      for k in pairs(s.shapes) do s.shapes[k] = s.shape end
    end
  end
  local outs = size_of(shape)
  s.pieces = pieces_for(outs, n)
  local outputs, given = {}, {}
  for k = #self.inputs + 1, #self.params do
    local o = k - #self.inputs
    given[o] = args[k]
    if values[k] == nil then
      values[k] = cuda.device_array(shape, dtypes[k])
    elseif not core.same_shape(values[k].shape, shape) then
      fail("%s: the output %s has the shape %s, the result %s", self.name,
           self.params[k].name, shape_text(values[k].shape), shape_text(shape))
    end
    outputs[o] = values[k]
  end
  local key = {table.concat(s.reduced, ","), s.pieces == 1 and "1" or "n"}
  for k in ipairs(self.params) do
    key[k + 2] = dtypes[k] .. (s.shapes[k] and shape_text(s.shapes[k]) or
                               is_array_at[k] and "*" or "")
  end
  table.insert(key, shape_text(s.shape))
  local name = c_name(self.name)
  local m = cached(self, table.concat(key, ";"), function()
    return cuda.module(reduction_source(self, dtypes, is_array_at, of, s),
                       {options = self.options.options, file = self.name})
  end)
  if outs == 0 then return give(outputs, given, to_host) end
  local first, partial = {n = 0}, nil
  push_params(first, self.inputs, values)
  if s.pieces == 1 then
    for _, x in ipairs(outputs) do push(first, x) end
  else
    local bytes = m:get_global(name .. "_partial_bytes", "i32"):copy_to_host()
    partial = cuda.device_array(outs * s.pieces * bytes:tolist()[1], "u8")
    push(first, partial:pointer())
  end
  push(first, outs)
  push(first, n)
  push(first, s.pieces)
  local grid = math.min(outs * s.pieces, MOST_BLOCKS)
  m[name][{grid, THREADS}](table.unpack(first, 1, first.n))
  if partial then
    local last = {n = 0}
    push(last, partial:pointer())
    for _, x in ipairs(outputs) do push(last, x) end
    push(last, outs)
    push(last, s.pieces)
    m[name .. "_last"][{math.min(outs, MOST_BLOCKS), THREADS}](
      table.unpack(last, 1, last.n))
  end
  return give(outputs, given, to_host)
end

Reduction.__tostring = function(self)
  return ("ReductionKernel %s: %s -> %s"):format(self.name, self.in_text,
                                                 self.out_text)
end

--- As documented in help/cuda.lua.
function M.ReductionKernel(in_params, out_params, map_expr, reduce_expr,
                           post_map_expr, identity, name, options)
  name = name or "reduce_kernel"
  check_texts("cuda.ReductionKernel", in_params, out_params, map_expr,
              reduce_expr, post_map_expr, tostring(identity), name)
  options = settings(options, {preamble = true, reduce_type = true,
                               options = true}, name)
  local self = new(Reduction, in_params, out_params, name, options)
  check_names(self.params, name, {"a", "b", "j", "o", "mine", "mapped"})
  self.map_expr, self.reduce_expr = map_expr, reduce_expr
  self.post_map_expr, self.identity = post_map_expr, tostring(identity)
  return self
end

return M
