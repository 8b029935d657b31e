-- SPDX-License-Identifier: Apache-2.0
-- Files of Parquet in pieces: row groups, which frame.read_parquet reads by
-- themselves.
local use = ...
local mistakes = use("shared/mistakes")
local frame = use.frame
local fail = mistakes.fail
local M = {}

local BLOCK = 32 << 20

-- Labels without a name, which are those of one file.
local function without_labels(df)
  return df:reset_index{drop = true}
end

--- The frame of one piece.
function M.read(path, groups, columns)
  return without_labels(frame.read_parquet(path,
    {columns = columns, row_groups = groups}))
end

-- How many row groups and bytes a part may have.
local function most(o)
  local split, block = o.split_row_groups, o.blocksize
  if block ~= nil and (math.type(block) ~= "integer" or block < 1) then
    fail("read_parquet: blocksize is a number of bytes, not %s",
      tostring(block))
  elseif split == nil then
    return math.maxinteger, block or BLOCK
  elseif block ~= nil then
    fail("read_parquet: split_row_groups or blocksize says how large a part"
      .. " is, not both")
  elseif type(split) == "boolean" then
    return split and 1 or math.maxinteger, math.maxinteger
  elseif math.type(split) ~= "integer" or split < 1 then
    fail("read_parquet: split_row_groups is true, false, or how many row"
      .. " groups a part has, not %s", tostring(split))
  end
  return split, math.maxinteger
end

--- Pieces of files, {path, groups, bytes}; an empty frame of their columns;
--- which columns are wanted, or nil.
function M.pieces(path, options)
  local o = mistakes.options("read_parquet", options,
    {"columns", "split_row_groups", "blocksize"})
  local most_groups, most_bytes = most(o)
  local told, meta = frame.read_parquet_metadata(path, {columns = o.columns},
    "read_parquet")
  local paths = type(path) == "table" and path or {path}
  local file, group, bytes = told.file:tolist(), told.row_group:tolist(),
    told.bytes:tolist()
  local out, last = {}, nil
  for i = 1, #told do
    local name = paths[file[i] + 1]
    if not last or last.path ~= name or #last.groups >= most_groups
      or last.bytes + bytes[i] > most_bytes then
      last = {path = name, groups = {}, bytes = 0}
      out[#out + 1] = last
    end
    last.groups[#last.groups + 1] = group[i]
    last.bytes = last.bytes + bytes[i]
  end
  if not last then out[1] = {path = paths[1], groups = {}, bytes = 0} end
  return out, without_labels(meta), o.columns
end

return M
