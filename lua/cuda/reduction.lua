-- SPDX-License-Identifier: Apache-2.0
-- cuda.ReductionKernel: elements are mapped and folded, along some axes.
local use = ...
local cuda = use.cuda
local core, parts = use("core/core"), use("cuda/kernel_parts")
local c_types, fail = use("compile/emit").c_types, parts.fail

local M = {}

local Reduction = {}
Reduction.__index = Reduction

local THREADS = 256

-- ---- Text ----

-- Folding two values, and those of a block; the first thread has the result.
local function fold_text(self)
  return ([==[
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
]==]):format(self.name, self.reduce_expr, THREADS, THREADS // 2)
end

-- The outputs: their declarations, and the statements that end result `o`.
local function outputs_text(self, dtypes)
  local list, refs = {}, {}
  for k = #self.inputs + 1, #self.params do
    local p, c = self.params[k], c_types[dtypes[k]]
    table.insert(list, ("%s *%s_"):format(c, p.name))
    table.insert(refs, ("%s &%s = %s_[o];"):format(c, p.name, p.name))
  end
  return list, ([==[
      %s
      type_reduce a = mine;
#line 1 "%s"
%s;
%s]==]):format(table.concat(refs, " "), self.name, self.post_map_expr,
               parts.GENERATED)
end

-- Where the elements of each input lie, and the names that they get.
local function elements_text(self, dtypes, is_array_at, s)
  local strided, names, places = {}, {}, {}
  for k, p in ipairs(self.inputs) do
    if is_array_at[k] and not p.is_raw then
      table.insert(strided, {name = p.name, strides = parts.strides_of(
        s.shapes[k], s.shape)})
      table.insert(names, ("const %s &%s = %s_[%s_at];"):format(
        c_types[dtypes[k]], p.name, p.name, p.name))
      table.insert(places, ("    long long %s_at = 0;\n"):format(p.name))
    end
  end
  if #strided > 0 and #s.kept > 0 then
    table.insert(places, parts.coordinates("o", s.kept, s.shape, strided))
  end
  if #strided > 0 and #s.reduced > 0 then
    table.insert(places, parts.coordinates("j", s.reduced, s.shape, strided))
  end
  return table.concat(places), table.concat(names, " ")
end

-- The first kernel folds a piece of each result's elements; `ending` says what
-- becomes of it.
local function pieces_text(self, dtypes, is_array_at, s, into, ending)
  local list = parts.declarations(self.inputs, dtypes, is_array_at)
  table.move(into, 1, #into, #list + 1, list)
  local places, names = elements_text(self, dtypes, is_array_at, s)
  return ([==[
__global__ void %s(%s, long long outs, long long n, int pieces) {
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
]==]):format(parts.c_name(self.name), table.concat(list, ", "),
           parts.raw_declarations(self.inputs, dtypes, is_array_at),
           self.identity, places, names, self.name, self.map_expr, ending)
end

-- The second kernel, where results have several pieces, folds those.
local function last_text(self, out_list, ending)
  return ([==[
__global__ void %s_last(const type_reduce *partial, %s, long long outs,
                        int pieces) {
  for (long long o = blockIdx.x; o < outs; o += gridDim.x) {
    type_reduce mine = (type_reduce)(%s);
    for (int j = threadIdx.x; j < pieces; j += blockDim.x)
      mine = reduce_two(mine, partial[o * pieces + j]);
    if (reduce_block(mine)) {
%s    }
  }
}
extern "C" __device__ const int %s_partial_bytes = sizeof(type_reduce);
]==]):format(parts.c_name(self.name), table.concat(out_list, ", "),
           self.identity, ending, parts.c_name(self.name))
end

local function source_of(self, dtypes, is_array_at, of, s)
  local own = self.options.reduce_type
  local reduce_type = own and (c_types[own] or own) or
                      c_types[dtypes[#self.inputs + 1]]
  local out_list, ending = outputs_text(self, dtypes)
  local text = parts.prelude(self, dtypes, of) ..
               ("\ntypedef %s type_reduce;\n"):format(reduce_type) ..
               fold_text(self)
  if s.pieces == 1 then
    return text .. pieces_text(self, dtypes, is_array_at, s, out_list, ending)
  end
  return text .. pieces_text(self, dtypes, is_array_at, s,
                             {"type_reduce *partial"},
                             "      partial[b] = mine;\n") ..
         last_text(self, out_list, ending)
end

-- ---- Calls ----

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

-- How the elements are cut: the shape that is walked over, its axes that are
-- kept and reduced, the inputs' shapes in it; and the result's shape, and the
-- number of elements of each result.
local function cut(self, values, is_array_at, call)
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
  s.shape = parts.broadcast(all, names, self.name)
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
  return s, shape, n
end

-- What the kernels' text depends on.
local function key_of(self, dtypes, is_array_at, s)
  local key = {table.concat(s.reduced, ","), s.pieces == 1 and "1" or "n"}
  for k in ipairs(self.params) do
    key[k + 2] = dtypes[k] .. (s.shapes[k] and core.shape_text(s.shapes[k]) or
                               is_array_at[k] and "*" or "")
  end
  table.insert(key, core.shape_text(s.shape))
  return table.concat(key, ";")
end

-- Launches the module's kernel, or both.
local function launch(self, m, values, outputs, outs, n, pieces)
  local name = parts.c_name(self.name)
  local first, partial = {n = 0}, nil
  parts.push_params(first, self.inputs, values)
  if pieces == 1 then
    parts.push(first, table.unpack(outputs))
  else
    local bytes = m:get_global(name .. "_partial_bytes", "i32"):copy_to_host()
    partial = cuda.device_array(outs * pieces * bytes:tolist()[1], "u8")
    parts.push(first, partial:pointer())
  end
  parts.push(first, outs, n, pieces)
  parts.launch(m[name], outs * pieces, THREADS, first)
  if partial then
    local last = {n = 0}
    parts.push(last, partial:pointer())
    parts.push(last, table.unpack(outputs))
    parts.push(last, outs, pieces)
    parts.launch(m[name .. "_last"], outs, THREADS, last)
  end
end

function Reduction.__call(self, ...)
  local args = table.pack(...)
  local call = parts.take_settings(args, {axis = true, keepdims = true},
                                   self.name)
  local values, dtypes, is_array_at, of, to_host = parts.arguments(self, args)
  local s, shape, n = cut(self, values, is_array_at, call)
  local outs = core.size(shape)
  s.pieces = pieces_for(outs, n)
  local outputs, given = parts.outputs(self, args, values, dtypes, shape)
  local key = key_of(self, dtypes, is_array_at, s)
  local m = parts.cached(self, key, function()
    return cuda.module(source_of(self, dtypes, is_array_at, of, s),
                       {options = self.options.options, file = self.name})
  end)
  if outs > 0 then launch(self, m, values, outputs, outs, n, s.pieces) end
  return parts.give(outputs, given, to_host)
end

Reduction.__tostring = function(self)
  return ("ReductionKernel %s: %s -> %s"):format(self.name, self.in_text,
                                                 self.out_text)
end

--- As documented in help/cuda.lua.
function M.ReductionKernel(in_params, out_params, map_expr, reduce_expr,
                           post_map_expr, identity, name, options)
  name = name or "reduce_kernel"
  parts.check_texts("cuda.ReductionKernel", in_params, out_params, map_expr,
                    reduce_expr, post_map_expr, tostring(identity), name)
  local self = parts.new(Reduction, in_params, out_params, name, options, {
    preamble = true, reduce_type = true, options = true})
  parts.check_names(self.params, name, {"a", "b", "j", "o", "mine", "mapped"})
  self.map_expr, self.reduce_expr = map_expr, reduce_expr
  self.post_map_expr, self.identity = post_map_expr, tostring(identity)
  return self
end

return M
