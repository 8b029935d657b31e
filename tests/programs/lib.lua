-- SPDX-License-Identifier: Apache-2.0
-- What a program (README.md) gets as its argument: inputs from a generator of
-- its own, modules, and checks of its outputs against a reference on the host.
local M = {}
M.__index = M

-- options.fmad = false compiles without fused multiply-adds, so that both
-- devices must give the same bits; options.debug compiles with -G.
function M.new(name, options)
  return setmetatable({name = name, seed = #name * 7919 + name:byte(-1),
    outputs = {}, kernels = 0, bound = 0, expected = {}, options = options or {}}, M)
end

-- What the last launch noted must be notes of kinds that the program expects.
local function check_notes(self)
  for _, d in ipairs((cuda.last_launch() or {}).notes or {}) do
    if d.severity ~= "note" or not self.expected[d.kind] then
      error(("%s: %s at line %s: %s"):format(d.severity, d.kind, d.line, d.message), 0)
    end
  end
end

-- A kernel whose launches are waited for and looked at, except on streams.
local function watched(self, kernel)
  local function shaped(_, shape)
    local launch = shape.grid and kernel(shape) or kernel[shape]
    return function(...)
      launch(...)
      if not shape.stream then
        cuda.synchronize()
        check_notes(self)
      end
    end
  end
  return setmetatable({kernel = kernel}, {__index = shaped, __call = shaped})
end

-- Notes of that kind are no fault of this program.
function M:expect_note(kind) self.expected[kind] = true end

-- cuda.module, whose kernels are watched.
function M:module(source, settings)
  local s = {}
  for k, v in pairs(settings or {}) do s[k] = v end
  local more = {}
  if self.options.fmad == false then more[#more + 1] = "-fmad=false" end
  if self.options.debug then more[#more + 1] = "-G" end
  s.options = table.move(s.options or {}, 1, #(s.options or {}), #more + 1, more)
  local m = cuda.module(source, s)
  self.kernels = self.kernels + #m.kernels
  return setmetatable({get_global = function(_, ...) return m:get_global(...) end},
    {__index = function(_, name) return watched(self, m[name]) end})
end

-- ---- Inputs ----

-- The next number of 0 to n - 1: Knuth's MMIX constants, upper bits.
function M:next(n)
  self.seed = self.seed * 6364136223846793005 + 1442695040888963407
  return (self.seed >> 33) % n
end

-- n integers of low to high.
function M:ints(n, low, high, dtype)
  local v = {}
  for i = 1, n do v[i] = low + self:next(high - low + 1) end
  return np.array(v, dtype or "i32")
end

-- n floats of low to high in steps of 1/1024 of the range.
function M:floats(n, low, high, dtype)
  local v = {}
  for i = 1, n do v[i] = low + (high - low) * self:next(1025) / 1024 end
  return np.array(v, dtype or "f32")
end

-- ---- Values on the host ----

-- The elements of an array in a table from 0, and how many they are.
function M.values(a)
  local v = cuda.to_host(a):reshape(-1):tolist()
  return table.move(v, 1, #v, 0, {}), #v
end

-- A table from 0 with n values f(i), or n times the value f.
function M.fill(n, f)
  local v = {}
  for i = 0, n - 1 do
    if type(f) == "function" then v[i] = f(i) else v[i] = f end
  end
  return v
end

-- Rounded to a float, to an unsigned or to a signed integer of 32 bits.
function M.f32(x) return (string.unpack("<f", string.pack("<f", x))) end
function M.u32(x) return x & 0xffffffff end
function M.i32(x) return ((x & 0xffffffff) ~ 0x80000000) - 0x80000000 end

-- ---- Checks ----

-- Outputs are written down for the comparison of two devices; those of
-- functions whose last bits CUDA leaves open agree within a bound.
function M:approximate(bound) self.bound = bound end

local function put_down(self, name, got)
  for _, o in ipairs(self.outputs) do
    assert(o.name ~= name, "two outputs are named " .. name)
  end
  local v, n = M.values(got)
  self.outputs[#self.outputs + 1] = {name = name, values = v, count = n,
    dtype = got.dtype, bound = self.bound}
  return v, n
end

local function differ(name, i, got, want)
  error(("%s[%d] is %s, want %s"):format(name, i, tostring(got), tostring(want)), 3)
end

local function wanted(want)
  if type(want) == "table" then return want end
  if type(want) == "number" then return {[0] = want} end
  return (M.values(want))
end

-- Every element is as wanted: a table from 0, an array or one number.
function M:same(name, got, want)
  local v, n = put_down(self, name, got)
  local w = wanted(want)
  for i = 0, n - 1 do
    if v[i] ~= w[i] and not (v[i] ~= v[i] and w[i] ~= w[i]) then
      differ(name, i, v[i], w[i])
    end
  end
  if w[n] ~= nil then differ(name, n, nil, w[n]) end
end

-- No reference: the two devices must agree.
function M:record(name, got) put_down(self, name, got) end

-- |got - want| <= bound * max(1, |want|) for every element.
function M:close(name, got, want, bound)
  local v, n = put_down(self, name, got)
  local w = wanted(want)
  for i = 0, n - 1 do
    local ok = w[i] and math.abs(v[i] - w[i]) <= bound * math.max(1, math.abs(w[i]))
    if not ok then differ(name, i, v[i], w[i]) end
  end
  if w[n] ~= nil then differ(name, n, nil, w[n]) end
end

return M
