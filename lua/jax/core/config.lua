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
    use("core/lax").set_matmul_precision(value)
  end,
  jax_explain_cache_misses = function(value)
    check_flag("jax_explain_cache_misses", value)
    use("explain/misses").explains = value
  end,
  jax_log_compiles = function(value)
    check_flag("jax_log_compiles", value)
    use("explain/misses").logs = value
  end,
  jax_debug_nans = function(value)
    check_flag("jax_debug_nans", value)
    use("explain/nans").set(value)
  end,
  jax_vectorize_small = function(value)
    check_flag("jax_vectorize_small", value)
    use("compile/emit").vectorizes_small = value
    core.set_config("vectorize_small", value)
  end,
  jax_platforms = function(value)
    if value ~= "cpu" and value ~= "cuda" then
      core.fail("argument", "ValueError", "jax.config.update: jax_platforms " ..
                "is \"cpu\" or \"cuda\", not %s", tostring(value))
    end
    use("compile/exec").is_on_host = value == "cpu"
    core.set_config("host", value == "cpu")
  end,
}

-- 64-bit types, where programs are computed, and whether integers become what
-- they do in NumPy.
local function set_all(x64, is_on_host, is_numpy)
  M.x64, use("compile/exec").is_on_host, M.numpy = x64, is_on_host, is_numpy
  core.set_config("x64", x64)
  core.set_config("host", is_on_host)
  core.set_config("numpy", is_numpy)
end

local function with_all(f, x64, is_on_host, is_numpy)
  local old, was_on_host, was_numpy = M.x64, use("compile/exec").is_on_host, M.numpy
  set_all(x64, is_on_host, is_numpy)
  return core.finally(function() set_all(old, was_on_host, was_numpy) end, f)
end

--- f's results, with 64-bit types and, where `on_host` is true, computed on the
--- host; afterwards all is as before.
function M.wide(f, on_host)
  return with_all(f, true, use("compile/exec").is_on_host or on_host or false, M.numpy)
end

--- f's results, with 64-bit types and what integers become in NumPy; likewise.
function M.as_numpy(f)
  return with_all(f, true, use("compile/exec").is_on_host, true)
end

local getters = {
  jax_default_matmul_precision = function()
    return use("core/lax").matmul_precision()
  end,
  jax_explain_cache_misses = function() return use("explain/misses").explains end,
  jax_log_compiles = function() return use("explain/misses").logs end,
  jax_debug_nans = function() return core.finds_nans end,
  jax_enable_x64 = function() return M.x64 end,
  jax_vectorize_small = function() return use("compile/emit").vectorizes_small end,
  jax_platforms = function()
    return use("compile/exec").is_on_host and "cpu" or "cuda"
  end,
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
