-- SPDX-License-Identifier: Apache-2.0
-- What np computes in one pass has the bits of the same operations one by one:
-- of each type, of sizes around a block's, with NaN, infinities and zeros of
-- both signs, and of arrays with gaps.
local tap = dofile("tests/lua/tap.lua")
local test = tap.test

local SIZES = {0, 1, 15, 16, 17, 1023, 1024, 1025, 2048, 4099}
local bits_of = {f16 = "u16", f32 = "u32", f64 = "u64"}

-- NaN may have any bits.
local function same_bits(a, b, what)
  a, b = np.asarray(a), np.asarray(b)
  assert(a.dtype == b.dtype, what .. ": " .. a.dtype .. " and " .. b.dtype)
  assert(np.shape(a)[1] == np.shape(b)[1], what .. ": sizes differ")
  local as = bits_of[a.dtype]
  local is_equal = np.equal(a, b)
  if as then
    is_equal = np.logical_or(np.equal(a:copy():view(as), b:copy():view(as)),
      np.logical_and(np.isnan(a), np.isnan(b)))
  end
  assert(np.all(is_equal), what .. ": bits differ")
end

-- Fractions, large numbers, and what is special.
local function values(n, t, seed)
  local x = np.sin(np.arange(n, "f64") * 7919 + seed)
  if t:find("f", 1, true) then
    x = np.where(np.equal(np.arange(n) % 5, 0), x * 1e30, x):astype(t)
    for i, v in ipairs{np.nan, np.inf, -np.inf, 0.0, -0.0} do
      if i * 3 < n then x[i * 3], x[n - i] = v, v end
    end
    return x
  end
  return (t:find("u", 1, true) and np.abs(x * 100) or x * 100):astype(t)
end

local function each(types, f)
  for _, t in ipairs(types) do
    for _, n in ipairs(SIZES) do
      local two = values(2 * n, t, 1)
      f(values(n, t, 0), t .. " of " .. n)
      f(two[{"::2"}], t .. " with gaps, of " .. n)
      if n > 0 then f(two[{"::-1"}], t .. " backwards, of " .. 2 * n) end
    end
  end
end

test("clip", function()
  each({"f32", "f64"}, function(x, what)
    for _, b in ipairs{{-0.5, 0.25}, {0.0, -0.0}, {1, -1}, {np.nan, 1},
                       {-np.inf, np.inf}} do
      same_bits(np.clip(x, b[1], b[2]),
        np.minimum(np.maximum(x, b[1]), b[2]), "clip " .. what)
    end
  end)
  each({"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"},
    function(x, what)
      same_bits(np.clip(x, 3, 40), np.minimum(np.maximum(x, 3), 40),
        "clip " .. what)
    end)
end)

test("var and std", function()
  local options = {axis = 0, keepdims = true}
  each({"f32", "f64"}, function(x, what)
    if x.size == 0 then return end
    local mean = np.mean(x, options)
    local var = np.mean(np.square(np.subtract(x, mean)), options)
    same_bits(np.var(x, options), var, "var " .. what)
    same_bits(np.std(x, options), np.sqrt(var), "std " .. what)
  end)
end)

test("complex products", function()
  each({"f32", "f64"}, function(x, what)
    local y = np.flip(x):copy()
    local z = np.complex(x, y) * np.complex(y, x)
    same_bits(z.real, np.subtract(np.multiply(x, y), np.multiply(y, x)),
      "real " .. what)
    same_bits(z.imag, np.add(np.multiply(x, x), np.multiply(y, y)),
      "imag " .. what)
  end)
end)

test("lines of two numbers, and their products", function()
  for _, n in ipairs{2, 3, 511, 512, 513, 5000} do
    local step = (2.5 - -0.3) / (n - 1)
    local want = np.add(np.multiply(np.arange(n, "f64"), step), -0.3)
    want[n - 1] = 2.5
    same_bits(np.linspace(-0.3, 2.5, n), want, "linspace of " .. n)
    for _, t in ipairs{"f32", "f64", "i32", "i64"} do
      local x = values(n, t, 0)
      if t:find("f") then x = np.nan_to_num(x, {posinf = 1, neginf = 1}) end
      local by = np.matmul(x:reshape(1, n), x:reshape(n, 1))
      same_bits(np.asarray(np.dot(x, x)):astype(t), by:reshape{},
        "dot of " .. t .. ", " .. n)
    end
  end
end)

test("one element for all", function()
  for _, t in ipairs{"bool", "u8", "f16", "i32", "f64"} do
    for _, n in ipairs{1, 7, 8, 9, 4095, 4096, 10001} do
      local x = np.array({3, 0, 1}, t)
      local r = np.repeat_(x, n)
      assert(r.size == 3 * n)
      for k = 0, 2 do
        local part = r[("%d:%d"):format(k * n, (k + 1) * n)]
        assert(np.all(np.equal(part, x[k])), t .. " " .. n)
      end
    end
  end
end)

tap.done()
