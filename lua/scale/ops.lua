-- SPDX-License-Identifier: Apache-2.0
-- What tasks do: each name a function of values, run where the task is.
local use = ...
local np = use.np
local functions, pack = use("functions"), use("pack")
local M = {}

-- A view as an array of its own, wherever it is.
local function own(x) return x.device == "host" and np.array(x) or x:copy() end

--- A value that was there before.
function M.value(x) return x end

local function reversed(list)
  local out = {}
  for _, n in ipairs(list) do table.insert(out, 1, n) end
  return out
end

--- A box of the array in a .npy file (use.npy_header), which may have its
--- first axis fastest.
function M.npy(file, begin, count)
  if not file.is_fortran then
    return use.read_part(file.path, file.offset, file.dtype, file.shape, begin,
      count, file.is_swapped)
  end
  return np.array(use.read_part(file.path, file.offset, file.dtype,
    reversed(file.shape), reversed(begin), reversed(count), file.is_swapped).T)
end

--- A box of a data set in a file of HDF5, which is open meanwhile alone.
function M.hdf5(path, name, begin, count)
  local file = use.h5_open(path, "r", "from_hdf5: " .. path)
  local step = {}
  for axis = 1, #begin do step[axis] = 1 end
  local ok, x = pcall(file.read, file, name, begin, count, step)
  file:close()
  if not ok then error(x, 0) end
  return x
end

--- np[name](...), of arguments some of which may be nil.
function M.np(name, args)
  return np[name](table.unpack(args, 1, args.n or #args))
end

--- A learner's function.
function M.call(text, args)
  return functions.unpack(text)(table.unpack(args, 1, args.n or #args))
end

local function shape_text(shape)
  return "(" .. table.concat(shape, ", ") .. ")"
end

--- A learner's function of a chunk, which must give an array of this shape and
--- type.
function M.block(text, args, shape, dtype)
  local x = M.call(text, args)
  if type(x) == "number" or type(x) == "boolean" then x = np.asarray(x) end
  local is_right = use.is_array(x) and x.ndim == #shape
  for axis, n in ipairs(shape) do
    is_right = is_right and x.shape[axis] == n
  end
  if not is_right then
    use.raise("argument", ("map_blocks: the function gives %s for a chunk, and"
      .. " an array of shape %s is wanted (chunks = {...} says which others"
      .. " there are)"):format(use.is_array(x) and "one of shape "
        .. shape_text(x.shape) or use.value_text(x), shape_text(shape)))
  end
  return x:astype(dtype)
end

function M.cast(x, dtype) return x:astype(dtype) end
function M.transpose(x, axes) return own(np.transpose(x, axes)) end
function M.index(x, key)
  local part = x[key]
  return use.is_array(part) and own(part) or np.asarray(part, x.dtype)
end

--- np[name] along axes that stay, each of one element.
function M.reduce(name, x, axes, dtype)
  for _, axis in ipairs(axes) do
    x = np[name](x, {axis = axis, keepdims = true, dtype = dtype})
  end
  return x
end

--- One by one, in this order: a result does not depend on who was faster.
function M.fold(name, list)
  local out = list[1]
  for i = 2, #list do out = np[name](out, list[i]) end
  return out
end

--- Without these axes, each of one element.
function M.squeeze(x, axes) return own(np.squeeze(x, axes)) end

--- An array put together: pieces are {at = index of the result, x, from =
--- index}.
function M.assemble(shape, dtype, pieces)
  local device = pieces[1][1].device
  local out = np.zeros(shape, dtype)
  for _, piece in ipairs(pieces) do
    out[piece.at] = pack.on_host(piece[1])[piece.from]
  end
  return device == "host" and out or out:to(device)
end

-- ---- Frames ----

--- A piece of a file of CSV.
function M.csv(...) return use("csv").read(...) end

--- Some row groups of a file of Parquet.
function M.parquet(...) return use("parquet").read(...) end

--- x:name(...) of a frame or a series, the first of the arguments.
function M.named(name, args)
  return args[1][name](table.unpack(args, 1, args.n or #args))
end

local operators = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
  idiv = function(a, b) return a // b end,
  mod = function(a, b) return a % b end,
  pow = function(a, b) return a ^ b end, band = function(a, b) return a & b end,
  bor = function(a, b) return a | b end, unm = function(a) return -a end,
  bnot = function(a) return ~a end,
}

function M.operate(name, args) return operators[name](args[1], args[2]) end

function M.assign(name, args) return args[1]:assign{[name] = args[2]} end

function M.rows(x) return #x end

-- A series' number out of those of its parts.
function M.numbers_of(name, s)
  local n = s:count()
  local x
  if name == "mean" then
    x = s:sum()
  elseif name ~= "count" and n > 0 then
    x = s[name](s)
  end
  return {n = n, x = x}
end

local join = {sum = function(a, b) return a + b end, min = math.min,
              max = math.max}
join.mean = join.sum

function M.numbers_join(name, list)
  local n, x = 0, nil
  for _, one in ipairs(list) do
    n = n + one.n
    if one.x ~= nil then x = x == nil and one.x or join[name](x, one.x) end
  end
  return {n = n, x = x}
end

function M.numbers_end(name, one)
  if name == "count" then return one.n end
  if name == "mean" then return one.n > 0 and one.x / one.n or 0 / 0 end
  if one.x == nil then return name == "sum" and 0 or 0 / 0 end
  return one.x
end

-- Groups of one part: keys as columns, and a column for each of `partial`, a
-- list of {column, aggregation, name}.
local function grouped(keys, partial, df)
  local what = {}
  for _, p in ipairs(partial) do what[p[3]] = {p[1], p[2]} end
  return df:groupby(keys, {as_index = false}):agg(what)
end

function M.group_part(keys, partial, df)
  if #partial == 0 then return df:groupby(keys):size() end
  return grouped(keys, partial, df)
end

local again = {sum = "sum", count = "sum", min = "min", max = "max"}

--- Groups of several parts as groups of all of them.
function M.group_join(keys, partial, list)
  local once_more = {}
  for i, p in ipairs(partial) do
    once_more[i] = {p[3], again[p[2]], p[3] .. "\0"}
  end
  local all = grouped(keys, once_more,
    use.frame.concat(list, {ignore_index = true}))
  local names = {}
  for _, p in ipairs(partial) do names[p[3] .. "\0"] = p[3] end
  return all:rename(names)
end

--- The result: its rows labelled by the keys, a column for each of `wanted`.
function M.group_end(keys, wanted, gives_series, all)
  local list = {}
  for i, key in ipairs(keys) do list[i] = {key, all:column(key)} end
  for _, w in ipairs(wanted) do
    local value
    if w[2] == "mean" then
      value = all:column(w[1] .. "\0sum") / all:column(w[1] .. "\0count")
    else
      value = all:column(w[1] .. "\0" .. w[2])
    end
    list[#list + 1] = {w[3], value}
  end
  local df = use.frame.DataFrame(list):set_index(keys)
  return gives_series and df:column(wanted[1][3]) or df
end

return M
