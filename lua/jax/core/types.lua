-- SPDX-License-Identifier: Apache-2.0
-- Which type a result has: JAX's lattice (docs.jax.dev, "Type promotion
-- semantics"). `i*` and `f*` are the types of Lua numbers, which give way.
local use = ...
local config = use("core/config")
local M = {}

local above = {
  bool = {"i*"}, ["i*"] = {"u8", "i8"}, u8 = {"u16", "i16"},
  u16 = {"u32", "i32"}, u32 = {"u64", "i64"}, u64 = {"f*"}, i8 = {"i16"},
  i16 = {"i32"}, i32 = {"i64"}, i64 = {"f*"}, ["f*"] = {"bf16", "f16"},
  bf16 = {"f32"}, f16 = {"f32"}, f32 = {"f64"}, f64 = {},
}

-- All that a type can become.
local reach = {}
local function reach_of(t)
  if not reach[t] then
    reach[t] = {[t] = true}
    for _, up in ipairs(above[t]) do
      for more in pairs(reach_of(up)) do reach[t][more] = true end
    end
  end
  return reach[t]
end

local function join(a, b)
  if a == b then return a end
  local both, best = {}, nil
  for t in pairs(reach_of(a)) do
    if reach_of(b)[t] then both[#both + 1] = t end
  end
  -- The least of them reaches all others.
  for _, t in ipairs(both) do
    local is_least = true
    for _, other in ipairs(both) do
      is_least = is_least and reach_of(t)[other] or false
    end
    if is_least then best = t end
  end
  return best
end

local function node_of(aval)
  if not aval.weak then return aval.dtype end
  return aval.dtype:find("^b?f") and "f*" or aval.dtype ~= "bool" and "i*" or
         "bool"
end

--- The type that values of these abstract values meet in, and whether it is
--- weak.
function M.result_type(avals)
  local t
  for i = 1, #avals do
    local node = node_of(avals[i])
    t = t and join(t, node) or node
  end
  if t == "i*" then return config.int(), true end
  if t == "f*" then
    -- 64-bit integers with a Lua number, or only Lua numbers.
    return config.float(), true
  end
  return t, false
end

local by_numpy = {
  bool_ = "bool", float16 = "f16", bfloat16 = "bf16", float32 = "f32",
  float64 = "f64", int8 = "i8", int16 = "i16", int32 = "i32", int64 = "i64",
  uint8 = "u8", uint16 = "u16", uint32 = "u32", uint64 = "u64",
}

--- The short name of a type by any of its names; nil where there is none.
function M.named(name)
  if name == "int" then return config.int() end
  if name == "float" then return config.float() end
  if name == "uint" then return config.x64 and "u64" or "u32" end
  local t = by_numpy[name] or name
  return type(t) == "string" and above[t] and not t:find("*", 1, true) and t
         or nil
end

--- The same, of the width that is made: f64 is f32 unless jax_enable_x64.
function M.canonical(name)
  local t = M.named(name)
  return t and config.width(t)
end

--- The floating type in which means and quotients are computed.
function M.inexact(t)
  if M.is_float(t) then return t end
  if config.numpy then return "f64" end
  return t:find("64") and config.float() or "f32"
end

local narrow = {bool = "f16", i8 = "f16", u8 = "f16", i16 = "f32", u16 = "f32"}

--- That of functions such as sqrt: NumPy gives narrow integers narrow ones.
function M.elementwise(t)
  if M.is_float(t) then return t end
  return config.numpy and narrow[t] or M.inexact(t)
end

function M.is_float(t) return t:find("^b?f") ~= nil end
function M.is_integer(t) return t:find("^[iu]%d") ~= nil end

return M
