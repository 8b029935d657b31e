-- SPDX-License-Identifier: Apache-2.0
-- Rounding to fewer bits: reduce_precision, by operations on the bits.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local program = use("core/program")
local family = use("prims/elementwise")
local exec = use("compile/exec")
local args = use("core/args")

-- {word, bits of the exponent, bits of the fraction}
local layout = {f16 = {"u16", 5, 10}, bf16 = {"u16", 8, 7},
                f32 = {"u32", 8, 23}, f64 = {"u64", 11, 52}}

local function rounded(x, exponent_bits, mantissa_bits)
  local t = core.dtype_of(x)
  local word, exponent, fraction = table.unpack(layout[t])
  local function number(n) return core.literal(n, word) end
  local bits = lax.bitcast_convert_type(x, word)
  local gone = fraction - mantissa_bits
  if gone > 0 then -- half of what goes, and ties to even
    local odd = lax["and"](lax.shift_right_logical(bits, number(gone)),
                           number(1))
    bits = lax["and"](lax.add(lax.add(bits, number((1 << gone - 1) - 1)), odd),
                      number(~((1 << gone) - 1) & (t == "f64" and -1 or
                               (1 << exponent + fraction + 1) - 1)))
  end
  local y = lax.bitcast_convert_type(bits, t)
  local where = use.jnp.where
  if exponent_bits < exponent then
    local bias = (1 << exponent_bits - 1) - 1
    local size = lax.abs(y)
    local most = (2 - 2.0^-math.min(mantissa_bits, fraction)) * 2.0^bias
    local zero = lax.mul(lax.sign(y), 0.0)
    y = where(lax.lt(size, lax.full_like(size, 2.0^(1 - bias))), zero, y)
    y = where(lax.gt(size, lax.full_like(size, most)),
              lax.mul(lax.sign(y), math.huge), y)
  end
  return where(lax.is_finite(x), y, x)
end

local function expanded(p, avals)
  return program.trace(function(inputs)
    return {rounded(inputs[1], p.exponent_bits, p.mantissa_bits)}
  end, avals)
end

-- Tangents and cotangents are rounded as well.
local function again(p, t)
  return {t and core.bind1("reduce_precision", p, t)}
end

core.define{
  name = "reduce_precision",
  eval = function(p, x)
    return exec.eval_by_rules(expanded(p, {core.aval_of(x)}), {x})[1]
  end,
  shape = family.shape_rule("reduce_precision", "f"),
  batch = batch.elementwise("reduce_precision"),
  diff = {
    jvp = function(p, _, t) return again(p, t[1]) end,
    vjp = function(p, cts) return again(p, cts[1]) end,
  },
  emit = {expand = expanded},
}

--- reduce_precision(x, exponent_bits, mantissa_bits): x rounded to the nearest
--- number of such a format, 8 and 7 for bf16, 8 and 10 for TF32.
function lax.reduce_precision(x, exponent_bits, mantissa_bits)
  x = args.array(x, "lax.reduce_precision")
  local t = core.dtype_of(x)
  if not layout[t] then
    core.fail("argument", "TypeError", "reduce_precision: it rounds floats, " ..
              "not %s", t)
  end
  for i, n in ipairs{exponent_bits or false, mantissa_bits or false} do
    if math.type(n) ~= "integer" or n < 2 - i then
      core.fail("argument", "ValueError", "reduce_precision: %s is a whole " ..
                "number from %d on, not %s", i == 1 and "exponent_bits" or
                "mantissa_bits", 2 - i, tostring(n or nil))
    end
  end
  return core.bind1("reduce_precision", {exponent_bits = exponent_bits,
                                         mantissa_bits = mantissa_bits}, x)
end
