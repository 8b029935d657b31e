-- SPDX-License-Identifier: Apache-2.0
-- Compares programs that numpy_programs.py drew with what NumPy and JAX made
-- of them (README.md): warpshop run tests/jax/numpy_programs.lua FILE...
-- Counts by class and prints each difference that numpy_differences.lua does
-- not know; the exit status is 1 where there is one.
local json = dofile("tests/jax/json.lua")
local lib = dofile("tests/jax/lib.lua")
local known = dofile("tests/jax/numpy_differences.lua")
jax.config.update("jax_default_matmul_precision", "highest")

local counts, reasons, examples = {}, {}, {}

local function count(class) counts[class] = (counts[class] or 0) + 1 end

local function note(class, row, text)
  local reason = known(class, row, text)
  if reason then
    count("known")
    reasons[reason] = (reasons[reason] or 0) + 1
    return
  end
  count(class)
  examples[#examples + 1] =
    ("%s %s %s: %s"):format(row.id, class, row.lua, text)
  local names = lib.sorted_names(row.args)
  for _, name in ipairs(names) do
    local a = row.args[name]
    local data = {}
    for i, v in ipairs(a.data) do data[i] = tostring(v) end
    examples[#examples + 1] = ("    %s = %s[%s] %s"):format(
      name, a.dtype, table.concat(a.shape, ","), table.concat(data, " "))
  end
end

-- Whether a value is one that the program may give where `want` was computed.
local function is_close(a, b, off)
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  if a == b then return true end
  if a - a ~= 0 or b - b ~= 0 then return false end
  return math.abs(a - b) <= off
end

local function number_of(v)
  if v == true then return 1 elseif v == false then return 0 end
  return v
end

local function check_elements(got, want, off)
  local a, b = lib.flat(got), lib.flat(want)
  for k = 1, #b do
    local x, y = number_of(a[k]), number_of(b[k])
    if not is_close(x, y, off and off[k] or 0) then
      error(("element %d of %s[%s]: got %.9g, want %.9g"):format(
        k - 1, want.dtype, table.concat(want.shape, ","), x, y), 0)
    end
  end
end

local function shape_of(x)
  return type(x) == "userdata" and table.concat(x.shape, ",") or ""
end

-- The class of the difference and a text, or nothing.
local function compare_leaf(got, want, off, weak)
  if shape_of(got) ~= shape_of(want) then
    return "wrong",
           ("shape (%s), want (%s)"):format(shape_of(got), shape_of(want))
  end
  if off ~= "unstable" then
    local ok, e = pcall(check_elements, got, want, off ~= json.null and off)
    if not ok then return "wrong", e end
  end
  local ok, e = pcall(lib.check_type, got, want)
  if not ok then return "dtype", e end
  if weak ~= nil and type(got) == "userdata" and got.weak_type ~= weak then
    return "weak", ("weak_type %s, want %s"):format(tostring(got.weak_type),
                                                   tostring(weak))
  end
end

local function compare(row, results)
  if #results ~= #row.want then
    return "wrong", ("%d results, want %d"):format(#results, #row.want)
  end
  for i, packed in ipairs(row.want) do
    local class, text = compare_leaf(results[i], lib.array(packed), row.off[i],
                                     row.weak and row.weak[i])
    if class then return class, text end
  end
end

local explains = {argument = true, unsupported = true}

local function check(row)
  local names, args = lib.sorted_names(row.args), {}
  local is_plain = row.family == "np" or row.family == "rng"
  for i, name in ipairs(names) do
    local a = lib.array(row.args[name])
    args[i] = is_plain and a or jnp.array(a)
  end
  local ok, results = pcall(function()
    return lib.compile(row.lua, names)(table.unpack(args))
  end)
  if ok then
    if row.raises then return "missing-error", row.raises end
    return compare(row, results)
  end
  local said = type(results) == "table" and results.message or tostring(results)
  if type(results) ~= "table" or not explains[results.kind] then
    return "crash", said
  elseif not row.raises then
    return "needless-error", said
  end
end

-- The leaves of host arrays are read before the next program starts.
local function run(path)
  for text in io.lines(path) do
    local row = json.parse(text)
    if row.made_by then
      jax.config.update("jax_enable_x64", row.x64 == true)
    elseif row.lua then
      local class, said = check(row)
      count("programs")
      count("family " .. row.family)
      if row.raises then count("errors wanted") end
      if class then note(class, row, said) end
    end
  end
end

for _, path in ipairs{...} do run(path) end
for _, line in ipairs(examples) do print(line) end
for _, reason in ipairs(lib.sorted_names(reasons)) do
  print(("known, %d: %s"):format(reasons[reason], reason))
end
for _, class in ipairs(lib.sorted_names(counts)) do
  print(("%-16s %d"):format(class, counts[class]))
end
os.exit(#examples == 0 and 0 or 1)
