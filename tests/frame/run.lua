-- SPDX-License-Identifier: Apache-2.0
-- Runs random programs beside what pandas gave (make.py wrote them), as TAP.
-- Usage: warpshop run tests/frame/run.lua [device] FILE...; exactly equal but
-- for float results, which may differ by 1e-12 of what they were made of.
local tap = dofile("tests/lua/tap.lua")
local NA, np = frame.NA, np

local function load_column(c)
  local kind, values = c[2], c[3]
  local n = #values
  if kind == "i64" or kind == "bool" then
    return np.array(values, kind):reshape(n)
  elseif kind == "f64" then
    return np.array(values, "f64"):reshape(n)
  end
  local list = {n = n}
  for i, v in ipairs(values) do list[i] = v ~= v and NA or v end
  -- Of a list without values the type is not known.
  return kind == "str" and frame.Series(list):astype("str")
    or frame.Series(list)
end

local function load_frame(columns)
  local list = {}
  for i, c in ipairs(columns) do list[i] = {c[1], load_column(c)} end
  return frame.DataFrame(list)
end

-- ---- Comparing ----

local scale -- of the numbers that a program starts from

local function same(a, b)
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  if type(a) ~= type(b) then return false end
  if math.type(a) == "float" or math.type(b) == "float" then
    if a == b then return true end
    return math.abs(a - b) <= 1e-12 * math.max(math.abs(a), math.abs(b), scale)
  end
  return a == b
end

local function check(got, want, what)
  if #got ~= #want then
    error(("%s: %d values, pandas has %d"):format(what, #got, #want), 0)
  end
  for i = 1, #want do
    if not same(got[i], want[i]) then
      error(("%s, row %d: %s, pandas has %s"):format(what, i - 1,
        tostring(got[i]), tostring(want[i])), 0)
    end
  end
end

local function labels_of(x)
  local list = x.index
  if type(list) ~= "table" then return {list:tolist()} end
  if type(list[1]) ~= "table" and type(list[1]) ~= "userdata" then
    return {list}
  end
  local out = {}
  for i, level in ipairs(list) do
    out[i] = type(level) == "table" and level or level:tolist()
  end
  return out
end

local function check_labels(x, want)
  local got = labels_of(x)
  if #want == 1 and #want[1] == 0 then return end
  for i, level in ipairs(want) do check(got[i] or {}, level, "labels " .. i) end
end

local function check_result(got, want)
  if type(want) ~= "table" then
    return check({got}, {want}, "the value")
  end
  if want.series then
    local c = want.columns[1]
    if #c[3] > 0 and got.dtype ~= c[2] then
      error(("type %s, pandas has %s"):format(got.dtype, c[2]), 0)
    end
    check(got:tolist(), c[3], "series")
    return check_labels(got, want.labels)
  end
  local names = {}
  for i, c in ipairs(want.columns) do names[i] = c[1] end
  check(got.columns, names, "columns")
  for _, c in ipairs(want.columns) do
    local s = got:column(c[1])
    if #c[3] > 0 and s.dtype ~= c[2] then
      error(("column %s: type %s, pandas has %s"):format(c[1], s.dtype, c[2]),
        0)
    end
    check(s:tolist(), c[3], "column " .. c[1])
  end
  check_labels(got, want.labels)
end

local function largest(frames)
  local most = 0
  for _, columns in ipairs(frames) do
    for _, c in ipairs(columns) do
      for _, v in ipairs(c[3]) do
        if type(v) == "number" and v == v then
          most = math.max(most, math.abs(v))
        end
      end
    end
  end
  return most
end

local files = {...}
local on_device = files[1] == "device"
if on_device then table.remove(files, 1) end

for _, path in ipairs(files) do
  for _, p in ipairs(dofile(path)) do
    tap.test(("%d: %s"):format(p.seed, p.lua), function()
      local env = {frame = frame}
      for i, f in ipairs(p.frames) do
        local df = load_frame(f)
        env["d" .. i] = on_device and df:to_device() or df
      end
      scale = largest(p.frames)
      -- Squares, of var and products.
      local is_square = p.lua:find(":var") or p.lua:find(" [*] ")
      if is_square then scale = scale * scale end
      local got = assert(load("return " .. p.lua, "=program", "t", env))()
      check_result(got, p.want)
    end)
  end
end
tap.done()
