-- SPDX-License-Identifier: Apache-2.0
-- Functions of linalg and fft that are made of others, for np and for jnp:
-- core.common_linalg(xp), once xp.linalg and xp.fft are there.
local np, fail, _, core = ...

-- A function of xp's linalg or fft; np's gives jax arrays to jnp's.
local function add(xp, part, name, names, f)
  if xp == np then
    core.define_in_part(xp[part], part, name, names, f)
  else
    core.define(xp[part], name, names, f, part .. ".")
  end
end

-- ---- Products ----

-- The order of a chain of products that needs the fewest multiplications:
-- best[i][j] for matrices i to j (Cormen et al., "Matrix-chain
-- multiplication").
local function chain(sizes)
  local n, best = #sizes - 1, {}
  for i = 1, n do best[i] = {[i] = {cost = 0}} end
  for length = 2, n do
    for i = 1, n - length + 1 do
      local j = i + length - 1
      for k = i, j - 1 do
        local cost = best[i][k].cost + best[k + 1][j].cost +
                     sizes[i] * sizes[k + 1] * sizes[j + 1]
        if not best[i][j] or cost < best[i][j].cost then
          best[i][j] = {cost = cost, cut = k}
        end
      end
    end
  end
  return best
end

local function multi_dot(xp, list)
  if #list < 2 then fail("linalg.multi_dot: it takes two arrays or more") end
  local is_row, is_column = list[1].ndim == 1, list[#list].ndim == 1
  if is_row then list[1] = xp.expand_dims(list[1], 0) end
  if is_column then list[#list] = xp.expand_dims(list[#list], 1) end
  local sizes = {list[1].shape[1]}
  for i, a in ipairs(list) do
    if a.ndim ~= 2 then
      fail(("linalg.multi_dot: array %d has %d axes, not two"):format(i - 1,
                                                                      a.ndim))
    end
    sizes[i + 1] = a.shape[2]
  end
  local best = chain(sizes)
  local function multiplied(i, j)
    if i == j then return list[i] end
    local k = best[i][j].cut
    return xp.matmul(multiplied(i, k), multiplied(k + 1, j))
  end
  local r = multiplied(1, #list)
  if is_row and is_column then return r["0, 0"] end
  return is_row and r[0] or is_column and r[":, 0"] or r
end

local function matrix_power(xp, a, n)
  a = xp.asarray(a)
  local shape = a.shape
  if math.type(n) ~= "integer" then
    fail("linalg.matrix_power: the exponent is a whole number")
  elseif a.ndim < 2 or shape[#shape] ~= shape[#shape - 1] then
    fail("linalg.matrix_power: the matrices of an array of shape " ..
         core.shape_text(shape) .. " are not square")
  end
  if n < 0 then a, n = xp.linalg.inv(a), -n end
  if n == 0 then
    local eye = xp.eye(shape[#shape], {dtype = a.dtype})
    return xp.copy(xp.broadcast_to(eye, shape))
  elseif n == 1 then
    return xp.copy(a)
  end
  local r
  while n > 0 do
    if n % 2 == 1 then r = r and xp.matmul(r, a) or a end
    n = n // 2
    if n > 0 then a = xp.matmul(a, a) end
  end
  return r
end

local function tensors(xp, define)
  define("tensorinv", {"a", "ind"}, function(a, ind)
    a, ind = xp.asarray(a), ind or 2
    local shape = a.shape
    local back = table.move(shape, ind + 1, #shape, 1, {})
    local n = core.size(back)
    if n * n ~= a.size then
      fail("linalg.tensorinv: the first " .. ind .. " axes of " ..
           core.shape_text(shape) .. " are not as large as the others")
    end
    table.move(shape, 1, ind, #back + 1, back)
    return xp.reshape(xp.linalg.inv(xp.reshape(a, {n, n})), back)
  end)
  define("tensorsolve", {"a", "b", "axes"}, function(a, b, axes)
    a, b = xp.asarray(a), xp.asarray(b)
    if axes then
      local last = {}
      for i = 1, #axes do last[i] = a.ndim - #axes + i - 1 end
      a = xp.moveaxis(a, axes, last)
    end
    local inner = table.move(a.shape, b.ndim + 1, a.ndim, 1, {})
    local n = core.size(inner)
    if n * b.size ~= a.size or n ~= b.size then
      fail("linalg.tensorsolve: shapes " .. core.shape_text(a.shape) ..
           " and " .. core.shape_text(b.shape) .. " make no square system")
    end
    return xp.reshape(xp.linalg.solve(xp.reshape(a, {n, n}), xp.ravel(b)),
                      inner)
  end)
end

-- ---- Norms ----

local function norms(xp, define)
  define("matrix_norm", {"x", "ord", "keepdims"}, function(x, ord, keepdims)
    return xp.linalg.norm(x, ord or "fro", {-2, -1}, keepdims or false)
  end)
  define("vector_norm", {"x", "axis", "ord", "keepdims"},
         function(x, axis, ord, keepdims)
    x = xp.asarray(x)
    if type(axis) == "number" then
      return xp.linalg.norm(x, ord or 2, axis, keepdims or false)
    end
    local gone, front, wide = {}, {}, x.shape
    for i = 1, axis and #axis or x.ndim do
      local d = axis and axis[i] % x.ndim or i - 1
      gone[i], front[i], wide[d + 1] = d, i - 1, 1
    end
    local moved = xp.moveaxis(x, gone, front)
    local rest = table.move(moved.shape, #gone + 1, x.ndim, 2, {-1})
    local r = xp.linalg.norm(xp.reshape(moved, rest), ord or 2, 0)
    return keepdims and xp.reshape(r, wide) or r
  end)
end

-- ---- fft ----

local swapped = {backward = "forward", forward = "backward", ortho = "ortho"}

local function transforms(xp)
  local fft = xp.fft
  local function define(name, names, f)
    if rawget(fft, name) == nil then add(xp, "fft", name, names, f) end
  end
  local function conj(z)
    if type(z) == "table" and z.imag ~= nil then return z:conj() end
    return z
  end
  define("hfft", {"a", "n", "axis", "norm"}, function(a, n, axis, norm)
    return fft.irfft(conj(a), n, axis or -1, swapped[norm or "backward"])
  end)
  define("ihfft", {"a", "n", "axis", "norm"}, function(a, n, axis, norm)
    return conj(fft.rfft(a, n, axis or -1, swapped[norm or "backward"]))
  end)
end

--- Puts what xp.linalg and xp.fft lack there.
function core.common_linalg(xp)
  local linalg = xp.linalg
  local function define(name, names, f)
    if rawget(linalg, name) ~= nil then return end
    if not names then
      linalg[name] = f
    else
      add(xp, "linalg", name, names, f)
    end
  end
  for _, name in ipairs{"matmul", "outer", "tensordot", "vecdot",
                        "matrix_transpose"} do
    define(name, nil, function(...) return xp[name](...) end)
  end
  define("cross", {"x1", "x2", "axis"}, function(x, y, axis)
    return xp.cross(x, y, {axis = axis or -1})
  end)
  define("diagonal", {"x", "offset"}, function(x, offset)
    return xp.diagonal(x, offset or 0, -2, -1)
  end)
  define("trace", {"x", "offset"}, function(x, offset)
    return xp.trace(x, offset or 0, -2, -1)
  end)
  define("multi_dot", {"arrays"}, function(arrays)
    return multi_dot(xp, core.list(xp, "linalg.multi_dot", arrays))
  end)
  define("matrix_power", {"a", "n"}, function(a, n)
    return matrix_power(xp, a, n)
  end)
  tensors(xp, define)
  norms(xp, define)
  transforms(xp)
end
core.common_linalg(np)
