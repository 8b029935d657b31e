-- SPDX-License-Identifier: Apache-2.0
-- jax.config: what a script may set, and the widths that follow from it.
local use = ...
local core = use("core/core")
local M = {}

local function environment(name) return os and os.getenv and os.getenv(name) end

local function is_true(text)
  return text == "1" or text == "true" or text == "True"
end

--- 64-bit types are made only where this is set; else 32-bit ones are.
M.x64 = is_true(environment("JAX_ENABLE_X64"))

local narrow = {f64 = "f32", i64 = "i32", u64 = "u32"}

--- The type that an array of type t gets.
function M.width(t)
  return not M.x64 and narrow[t] or t
end

--- The types of Lua's numbers.
function M.int() return M.x64 and "i64" or "i32" end
function M.float() return M.x64 and "f64" or "f32" end

--- Are programs computed on the host?
M.is_on_host = environment("JAX_PLATFORMS") == "cpu"

--- Are words wide for small arrays, too? jax_vectorize_small.
M.vectorizes_small = false

--- What is said of a function that is traced: why (jax_explain_cache_misses),
--- and that (jax_log_compiles).
M.explains_misses, M.logs_compiles = false, false

-- ---- The precision of products ----

-- The default is JAX's: TF32 for products of f32 by the library of a GPU of
-- capability 8.0 and up, f32 elsewhere. np's functions ask for f32.
local DEFAULT = "default"
local precisions = {default = DEFAULT, float32 = "float32",
                    highest = "float32", F32_F32_F32 = "float32",
                    tensorfloat32 = "tensorfloat32", high = "tensorfloat32",
                    bfloat16 = DEFAULT, bfloat16_3x = "tensorfloat32",
                    fastest = DEFAULT, TF32_TF32_F32 = "tensorfloat32"}
local default_precision = DEFAULT
local default_name -- as it was asked for

local function checked_precision(precision)
  local known = precisions[precision]
  if not known then
    local names = {}
    for name in pairs(precisions) do names[#names + 1] = name end
    table.sort(names)
    core.fail("argument", "ValueError", "there is no matmul precision %s: " ..
              "there are %s", tostring(precision), table.concat(names, ", "))
  end
  return known
end

--- The precision of products that ask for none, or nil for "default"; gives
--- the one before. It is part of what jit's programs are found by.
function M.set_matmul_precision(precision)
  local before = default_name
  default_precision = checked_precision(precision or "default")
  default_name = precision
  core.set_config("tensorfloat32", default_precision == "tensorfloat32")
  core.set_config("float32", default_precision == "float32")
  return before
end

--- As it was asked for; nil: JAX's default.
function M.matmul_precision() return default_name end

local exactness = {[DEFAULT] = 1, tensorfloat32 = 2, float32 = 3}

--- What a product that asks for `precision` is computed in; of a pair, one for
--- each side, in the more exact one, as XLA does.
function M.product_precision(precision)
  if type(precision) == "table" and #precision == 2 then
    local left, right = M.product_precision(precision[1]),
                        M.product_precision(precision[2])
    return exactness[left] > exactness[right] and left or right
  end
  return precision and checked_precision(precision) or
         M.numpy and "float32" or default_precision
end

-- ---- jax.config ----

local function check_flag(name, value)
  if type(value) ~= "boolean" then
    core.fail("argument", "ValueError", "jax.config.update: %s is true or " ..
              "false, not %s", name, tostring(value))
  end
end

local settings = {
  jax_enable_x64 = function(value)
    check_flag("jax_enable_x64", value)
    M.x64 = value
    core.set_config("x64", value)
  end,
  jax_default_matmul_precision = function(value)
    M.set_matmul_precision(value)
  end,
  jax_explain_cache_misses = function(value)
    check_flag("jax_explain_cache_misses", value)
    M.explains_misses = value
  end,
  jax_log_compiles = function(value)
    check_flag("jax_log_compiles", value)
    M.logs_compiles = value
  end,
  jax_debug_nans = function(value)
    check_flag("jax_debug_nans", value)
    core.find_nans(value)
  end,
  jax_debug_key_reuse = function(value)
    check_flag("jax_debug_key_reuse", value)
    M.finds_reuse = value and {} -- a new table each time it is set
  end,
  jax_vectorize_small = function(value)
    check_flag("jax_vectorize_small", value)
    M.vectorizes_small = value
    core.set_config("vectorize_small", value)
  end,
  jax_platforms = function(value)
    if value ~= "cpu" and value ~= "cuda" then
      core.fail("argument", "ValueError", "jax.config.update: jax_platforms " ..
                "is \"cpu\" or \"cuda\", not %s", tostring(value))
    end
    M.is_on_host = value == "cpu"
    core.set_config("host", value == "cpu")
  end,
}

-- 64-bit types, where programs are computed, and whether integers become what
-- they do in NumPy.
local function set_all(x64, is_on_host, is_numpy)
  M.x64, M.is_on_host, M.numpy = x64, is_on_host, is_numpy
  core.set_config("x64", x64)
  core.set_config("host", is_on_host)
  core.set_config("numpy", is_numpy)
end

local function with_all(f, x64, is_on_host, is_numpy)
  local old, was_on_host, was_numpy = M.x64, M.is_on_host, M.numpy
  set_all(x64, is_on_host, is_numpy)
  return core.finally(function() set_all(old, was_on_host, was_numpy) end, f)
end

--- f's results, with 64-bit types and, where `on_host` is true, computed on the
--- host; afterwards all is as before.
function M.wide(f, on_host)
  return with_all(f, true, M.is_on_host or on_host or false, M.numpy)
end

--- f's results, with 64-bit types and what integers become in NumPy; likewise.
function M.as_numpy(f)
  return with_all(f, true, M.is_on_host, true)
end

local getters = {
  jax_default_matmul_precision = function() return M.matmul_precision() end,
  jax_explain_cache_misses = function() return M.explains_misses end,
  jax_log_compiles = function() return M.logs_compiles end,
  jax_debug_nans = function() return core.finds_nans end,
  jax_debug_key_reuse = function() return M.finds_reuse and true or false end,
  jax_enable_x64 = function() return M.x64 end,
  jax_vectorize_small = function() return M.vectorizes_small end,
  jax_platforms = function() return M.is_on_host and "cpu" or "cuda" end,
}

--- jax.config: `jax.config.update(name, value)`, `jax.config.jax_enable_x64`.
M.public = setmetatable({
  update = function(name, value)
    if not settings[name] then
      local names = {}
      for known in pairs(settings) do names[#names + 1] = known end
      table.sort(names)
      core.fail("argument", "AttributeError",
                "jax.config.update: there is no " ..
                "option %s; there are %s", tostring(name),
                table.concat(names, ", "))
    end
    settings[name](value)
  end,
}, {
  __index = function(_, name)
    return getters[name] and getters[name]()
  end,
  __tostring = function()
    local lines = {}
    for name, get in pairs(getters) do
      lines[#lines + 1] = name .. " = " .. tostring(get())
    end
    table.sort(lines)
    return table.concat(lines, "\n")
  end,
  __newindex = function(_, name)
    core.fail("argument", "AttributeError", "jax.config is changed by " ..
              "jax.config.update(%q, value)", tostring(name))
  end,
})

return M
