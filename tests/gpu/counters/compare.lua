-- SPDX-License-Identifier: Apache-2.0
-- Our counters beside Nsight Compute's: what differs, by how much, and why.
-- Usage: warpshop run compare.lua OURS.tsv NCU.csv CUBIN [TABLE.tsv]
-- Ends with an error when something differs for a reason that is not known.
local reasons = dofile("tests/gpu/counters/reasons.lua")
local sass = dofile("tests/gpu/counters/sass.lua")
local M = {}

-- ---- Reading ----

-- One line of CSV as a list; quotes inside quotes are doubled.
function M.csv_line(line)
  local cells, at = {}, 1
  repeat
    local cell
    if line:sub(at, at) == '"' then
      local stop = at + 1
      while true do
        stop = line:find('"', stop, true) or #line + 1
        if line:sub(stop + 1, stop + 1) ~= '"' then break end
        stop = stop + 2
      end
      cell = line:sub(at + 1, stop - 1):gsub('""', '"')
      at = stop + 1
    else
      local stop = line:find(",", at, true) or #line + 1
      cell = line:sub(at, stop - 1)
      at = stop
    end
    cells[#cells + 1] = cell
    local more = line:sub(at, at) == ","
    at = at + 1
  until not more
  return cells
end

-- "1,024.50" is a number, "n/a" is none.
function M.number(text)
  local plain = (text or ""):gsub("[,%s]", "")
  return tonumber(plain)
end

local function put(into, kernel, metric, value)
  if not kernel or not metric or not value then return end
  kernel = kernel:match("^[%w_]+") or kernel
  into[kernel] = into[kernel] or {}
  into[kernel][metric] = value
end

-- A metric a row, or (--page raw) a kernel a row, with units in the first.
local function take_row(into, head, cells)
  local kernel = cells[head["Kernel Name"]]
  if head["Metric Name"] then
    put(into, kernel, cells[head["Metric Name"]],
      M.number(cells[head["Metric Value"]]))
    return
  end
  for name, at in pairs(head) do
    if name:find("__", 1, true) then
      put(into, kernel, name, M.number(cells[at]))
    end
  end
end

--- What `ncu --csv` wrote, one run or several: t[kernel][metric] = value.
function M.parse_ncu(text)
  local into, head = {}, nil
  for line in text:gmatch("[^\r\n]+") do
    if line:match('^"ID"') then
      head = {}
      for at, name in ipairs(M.csv_line(line)) do head[name] = at end
    elseif head and line:match('^"%d+"') then
      take_row(into, head, M.csv_line(line))
    end
  end
  return into
end

--- What the driver wrote: kernel, metric and value between tabs. The second
--- result lists the kernels in their order.
function M.parse_ours(text)
  local into, order = {}, {}
  for line in text:gmatch("[^\n]+") do
    local kernel, metric, value = line:match("^(%S+)\t(%S+)\t(%S+)$")
    if kernel and not into[kernel] then order[#order + 1] = kernel end
    put(into, kernel, metric, tonumber(value))
  end
  return into, order
end

-- ---- Comparing ----

-- Nsight Compute rounds what is no whole number to hundredths.
function M.is_equal(a, b)
  if a == b then return true end
  local is_whole = a == math.floor(a) and b == math.floor(b)
  return not is_whole and math.abs(a - b) <= 0.0051 + 1e-6 * math.abs(a)
end

--- Rows {kernel, metric, kind, ours, theirs, is_equal, why}, and what ncu did
--- not give. `kinds` says which metrics are "exact" and which "close",
--- `kernels` what the SASS consists of.
function M.compare(ours, order, theirs, kinds, kernels)
  local rows, absent = {}, {}
  for _, kernel in ipairs(order) do
    for _, c in ipairs(kinds) do
      local a = ours[kernel][c.nsight]
      local b = theirs[kernel] and theirs[kernel][c.nsight]
      if a and b then
        local equal = M.is_equal(a, b)
        rows[#rows + 1] = {
          kernel = kernel, metric = c.nsight, kind = c.kind, ours = a,
          theirs = b, is_equal = equal,
          why = not equal and reasons.explain(kernel, c.nsight, kernels,
            ours[kernel], theirs[kernel]) or nil,
        }
      elseif a then
        absent[c.nsight] = (absent[c.nsight] or 0) + 1
      end
    end
  end
  return rows, absent
end

-- ---- Printing ----

local function ratio(r)
  return r.theirs ~= 0 and r.ours / r.theirs or math.huge
end

local function short(n)
  return n == math.floor(n) and ("%d"):format(n) or ("%.2f"):format(n)
end

-- A row for each metric: how many kernels agree, of how many others the reason
-- is known, and how far they are off.
local function summarise(rows, kinds, print_line)
  local by = {}
  for _, r in ipairs(rows) do
    local s = by[r.metric] or
      {count = 0, equal = 0, known = 0, least = math.huge, most = 0}
    by[r.metric] = s
    s.count = s.count + 1
    if r.is_equal then
      s.equal = s.equal + 1
    else
      s.least = math.min(s.least, ratio(r))
      s.most = math.max(s.most, ratio(r))
      s.known = s.known + (r.why and 1 or 0)
    end
  end
  print_line(("%-5s  %-62s %5s  %5s  %-13s"):format("kind", "metric", "equal",
    "known", "ours/ncu"))
  for _, c in ipairs(kinds) do
    local s = by[c.nsight]
    if s then
      local range = s.equal == s.count and "" or
        ("%.2f..%.2f"):format(s.least, s.most)
      local other = s.count - s.equal
      print_line(("%-5s  %-62s %2d/%2d  %5s  %-13s%s"):format(c.kind,
        c.nsight:sub(1, 62), s.equal, s.count, other > 0 and s.known or "",
        range, s.known < other and "UNEXPLAINED" or ""))
    end
  end
end

-- All that differ; returns how many of them have no reason.
local function list_differences(rows, print_line)
  local unexplained = 0
  for _, r in ipairs(rows) do
    if not r.is_equal then
      if not r.why then unexplained = unexplained + 1 end
      print_line(("%-18s %-58s %10s %10s  %s"):format(r.kernel,
        r.metric:sub(1, 58), short(r.ours), short(r.theirs),
        r.why or "UNEXPLAINED"))
    end
  end
  return unexplained
end

--- Prints the report; returns how many differences have no reason.
function M.report(rows, absent, kinds, print_line)
  print_line = print_line or print
  summarise(rows, kinds, print_line)
  local names = {}
  for name in pairs(absent) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    print_line(("not given by ncu for %d kernels: %s"):format(absent[name],
      name))
  end
  print_line("")
  local unexplained = list_differences(rows, print_line)
  local equal = 0
  for _, r in ipairs(rows) do equal = equal + (r.is_equal and 1 or 0) end
  print_line(("%d values compared: %d equal, %d differ for a reason that was "
    .. "checked, %d without a reason"):format(#rows, equal,
    #rows - equal - unexplained, unexplained))
  return unexplained
end

--- The counters that Nsight Compute has.
function M.kinds(counters)
  local list = {}
  for _, c in ipairs(counters) do
    if c.nsight ~= "" then list[#list + 1] = c end
  end
  return list
end

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read("a")
  f:close()
  return text
end

local function write_table(path, rows)
  local f = assert(io.open(path, "w"))
  f:write("kernel\tmetric\tkind\tours\tncu\twhy\n")
  for _, r in ipairs(rows) do
    f:write(table.concat({r.kernel, r.metric, r.kind, short(r.ours),
      short(r.theirs), r.is_equal and "" or r.why or "UNEXPLAINED"}, "\t"),
      "\n")
  end
  f:close()
end

local ours_path, ncu_path, cubin_path, table_path = ...
if not ours_path then return M end
local kinds = M.kinds(cuda.counters())
local ours, order = M.parse_ours(read(ours_path))
local theirs = M.parse_ncu(read(ncu_path))
local kernels = sass.read(read(cubin_path))
local rows, absent = M.compare(ours, order, theirs, kinds, kernels)
if table_path then write_table(table_path, rows) end
if M.report(rows, absent, kinds) > 0 or #rows == 0 then
  error("counters differ for reasons that are not known", 0)
end
