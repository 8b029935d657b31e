-- SPDX-License-Identifier: Apache-2.0
-- The typed mistakes: their sources, and what is told of them (README.md).
local M = {}

local files = {"typed_bounds", "typed_races", "typed_others", "typed_held"}
local short = {
  ["$K"] = "__global__ void k(const float *x, float *out, int n) {",
  ["$C"] = "__global__ void k(const int *idx, int *count, int n) {",
  ["$I"] = "int i = blockIdx.x * blockDim.x + threadIdx.x;",
}

function M.entries()
  local all = {}
  for _, file in ipairs(files) do
    for _, entry in ipairs(dofile("tests/mistakes/" .. file .. ".lua")) do
      entry.file = file
      all[#all + 1] = entry
    end
  end
  return all
end

-- The lines of one of the two kernels, which is called `name`.
local function lines_of(entry, name, is_bad)
  local lines = {}
  for line in (entry[5] .. "\n"):gmatch("(.-)\n") do
    local first = line:sub(1, 1)
    line = (first == "+" or first == "-") and " " .. line:sub(2) or line
    line = line:gsub("%$%a", short):gsub("(__global__ void )k%(", "%1" .. name .. "(")
    if first ~= (is_bad and "+" or "-") then lines[#lines + 1] = line end
  end
  return lines
end

-- One source of all these kernels: number i is `wrong<i>` and `right<i>`. The
-- marks {a} of each are its lines' numbers in that source.
function M.source(entries)
  local all, marks = {}, {}
  local function add(lines, mark)
    for _, line in ipairs(lines) do
      local name = line:match("//@(%a)$")
      all[#all + 1] = line:gsub("%s*//@%a$", "")
      if name and mark then mark[name] = #all end
    end
  end
  for i, entry in ipairs(entries) do
    if entry.include then add{"#include <" .. entry.include .. ">"} end
    if entry.head then add{(entry.head:gsub("\n", " "))} end
    marks[i] = {}
    add(lines_of(entry, "wrong" .. i, true), marks[i])
    add(lines_of(entry, "right" .. i, false))
  end
  return table.concat(all, "\n"), marks
end

-- All of the entry's texts, with the lines' numbers.
function M.texts(texts, marks)
  local out = {}
  for i, text in ipairs(type(texts) == "string" and {texts} or texts or {}) do
    out[i] = text:gsub("{(%a)}", function(name) return tostring(marks[name]) end)
  end
  return out
end

return M
