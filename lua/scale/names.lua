-- SPDX-License-Identifier: Apache-2.0
-- Which of np's functions go element by element, and which combine chunks.
local M = {}

local function set(text)
  local out = {}
  for name in text:gmatch("%S+") do out[name] = true end
  return out
end

--- Each element of the result depends on the elements there alone.
M.elementwise = set[[
abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh
bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clip copysign cos cosh
deg2rad degrees divide equal erf exp exp2 expm1 fabs floor floor_divide fmax
fmin fmod greater greater_equal heaviside hypot invert isfinite isinf isnan
ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2
logical_and logical_not logical_or logical_xor maximum minimum mod multiply
negative nextafter not_equal positive power rad2deg radians reciprocal remainder
right_shift rint sigmoid sign signbit sin sinh sqrt square subtract tan tanh
true_divide trunc where]]

--- The same as methods: x:gt(y).
M.comparisons = {eq = "equal", ne = "not_equal", lt = "less", le = "less_equal",
                 gt = "greater", ge = "greater_equal"}

M.operators = {__add = "add", __sub = "subtract", __mul = "multiply",
               __div = "divide", __idiv = "floor_divide", __mod = "mod",
               __pow = "power", __band = "bitwise_and", __bor = "bitwise_or",
               __bxor = "bitwise_xor", __shl = "left_shift",
               __shr = "right_shift"}

--- What joins the results of chunks.
M.reductions = {sum = "add", prod = "multiply", max = "maximum",
                min = "minimum", any = "logical_or", all = "logical_and"}

return M
