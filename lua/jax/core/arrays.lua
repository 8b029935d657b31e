-- SPDX-License-Identifier: Apache-2.0
-- The values of programs: what a learner gives as what `bind` takes, numbers as
-- arrays, and arrays where and as programs want them.
local use = ...
local core = use("core/core")
local config = use("core/config")
local np, cuda = use.np, use.cuda
local M = {}

-- ---- Arrays ----

--- An array as a jax array: of JAX's default width, on the default device, not
--- to be changed.
function M.device_put(x, weak)
  local t = config.width(x.dtype)
  if t == x.dtype then t = nil end
  local is_host = x.device == "host"
  if config.is_on_host then
    if not is_host then x = x:copy_to_host() end
    return use.mark(t and x:astype(t) or x:copy(), weak)
  end
  if not is_host and not t then return use.mark(x, weak) end
  if not is_host then x = x:copy_to_host() end
  return use.mark(use.to_device(t and x:astype(t) or x), weak)
end

-- A literal of np. Those of u64 are the 64 bits of a Lua integer.
local function array_of_literal(x)
  local t = x.aval.dtype
  if t == "u64" then return np.asarray(x.value, "i64"):astype(t) end
  return np.asarray(x.value, t)
end

--- A literal as an array; another value as it is.
function M.array_of(x)
  if not core.is_literal(x) then return x end
  return M.device_put(array_of_literal(x), x.aval.weak)
end

--- A literal or an array as an array of np on the host.
function M.on_host(x)
  if core.is_literal(x) then return array_of_literal(x) end
  x = use.unmark(x)
  return x.device == "host" and x or x:copy_to_host()
end

--- A learner's number, array or tracer, called `where`, as a value that `bind`
--- takes; `why` another is refused, where it is not for what jit takes.
function M.as_value(x, where, why)
  local t = type(x)
  if t == "number" then
    return core.literal(x, math.type(x) == "integer" and config.int() or
                           config.float(), true)
  elseif t == "boolean" then
    return core.literal(x, "bool")
  elseif core.is_tracer(x) or core.is_literal(x) then
    return x
  elseif t == "table" and x.aval then
    return x -- jax.ShapeDtypeStruct
  elseif t == "userdata" and use.is_array(x) then
    return use.is_jax(x) and x or M.device_put(x)
  end
  core.fail("argument", "TypeError", "%s is a %s: %s", where, t, why or
            "arrays, numbers and tables of them can be traced; others go in " ..
            "by static_argnums (jit), or as a variable of the function around")
end

--- f(...)'s results, where the device `id` is the one in use meanwhile.
function M.on_device(id, f, ...)
  local before = cuda.device().id
  if before == id then return f(...) end
  cuda.select(id)
  return core.finally(function() cuda.select(before) end, f, ...)
end

--- The device that all arrays of `list` lie on, where it is not the one in use:
--- what is computed of them is computed there.
function M.other_device(list)
  local id
  for _, x in ipairs(list) do
    if not core.is_literal(x) then
      if id and x.device ~= id then return nil end
      id = x.device
    end
  end
  return id and id ~= "host" and id ~= cuda.device().id and id or nil
end

-- ---- Packing ----

-- Element i of the packed array lies at a sum of strides (in elements).
local SOURCE = [==[
struct Layout { long long count, rank, shape[8], strides[8]; };
template <class T>
__global__ void pack(const T *from, T *to, Layout a) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.count) return;
  long long rest = i, at = 0;
  for (int d = a.rank - 1; d >= 0; d--) {
    at += rest % a.shape[d] * a.strides[d];
    rest /= a.shape[d];
  }
  to[i] = from[at];
}
]==]
local words = {[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned",
               [8] = "unsigned long long"}
local module

--- A contiguous copy of a device array on its device.
function M.packed(x)
  local shape, strides, bytes = x.shape, x.strides, x.itemsize
  local out = cuda.device_array(shape, x.dtype)
  if x.size == 0 then return out end
  if #shape > 8 then return cuda.to_device(x:copy_to_host()) end
  local fields = {x.size, #shape}
  for d = 1, 8 do
    fields[2 + d] = shape[d] or 1
    fields[10 + d] = (strides[d] or 0) // bytes
  end
  local names = {}
  for _, n in pairs{1, 2, 4, 8} do
    names[#names + 1] = "pack<" .. words[n] .. ">"
  end
  module = module or cuda.module(SOURCE, {instantiate = names})
  local layout = cuda.struct(("i64 "):rep(18), table.unpack(fields))
  module["pack<" .. words[bytes] .. ">"][{(x.size + 255) // 256, 256}](
    x:pointer(), out:pointer(), layout)
  return out
end

--- An array as programs take it: on the device in use and packed.
function M.ready(x)
  if x.device == "host" then
    return M.device_put(use.unmark(x), use.is_weak(x))
  end
  if use.is_plain(x) then return x end
  local weak = use.is_weak(x)
  if x.device ~= cuda.device().id then
    return use.mark(x:to(cuda.device().id), weak)
  end
  return use.mark(M.packed(use.unmark(x)), weak)
end

return M
