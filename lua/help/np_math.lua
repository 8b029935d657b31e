-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np's mathematical functions; see np.lua beside it.
local help = {
["np.round"] = [[
np.round(x [, decimals = 0]), np.around: so many digits behind the point (or
before it, where negative); halves to even. Whole numbers stay whole.
Example: np.round({2.5, 1.237}, 2) --> array([2.5, 1.24], f64)
Example: np.round({15, 24}, -1) --> array([20, 20], i64)]],
["np.clip"] = [[
np.clip(x, min, max): x, but nothing under `min` or over `max` (either may be
nil).
Example: np.clip(np.arange(4), 1, 2) --> array([1, 1, 2, 2], i64)]],
["np.divmod"] = [[
np.divmod(x, y): two results, x // y and x % y.
Example: select(2, np.divmod({7}, 4)) --> array([3], i64)]],
["np.frexp"] = [[
np.frexp(x): two results, m and e with x = m * 2 ^ e and m in [0.5, 1).
Example: select(2, np.frexp{8.0}) --> array([4], i32)]],
["np.modf"] = [[
np.modf(x): two results, what is behind the point and what is before it.
Example: select(2, np.modf{2.5}) --> array([2], f64)]],
["np.binary_repr"] = [[
np.binary_repr(num [, width]): the bits of a whole number as text: of a mask, or
of what __ballot_sync gave. Below 0 it has a minus; with `width`, two's complement.
Errors:  "binary_repr: 9 has 4 bits, more than the width 3"
Example: np.binary_repr(10, 8) --> 00001010
Example: np.binary_repr(-3, 8) --> 11111101]],
["np.nan_to_num"] = [[
np.nan_to_num(x [, nan = 0] [, posinf] [, neginf]): numbers in place of NaN and
infinities (for these the largest and smallest of the type).
Example: np.nan_to_num{np.nan, 2} --> array([0, 2], f64)]],
["np.isclose"] = [[
np.isclose(a, b [, rtol = 1e-5] [, atol = 1e-8] [, equal_nan]): for each
element, |a - b| <= atol + rtol |b|.
Example: np.isclose({1, 2}, {1, 3}) --> array([true, false], bool)]],
["np.allclose"] = [[
np.allclose(a, b [, rtol] [, atol] [, equal_nan]): np.isclose everywhere?
Example: np.allclose(0.1 + 0.2, 0.3) --> true]],
["np.testing.assert_allclose"] = [[
np.testing.assert_allclose(actual, desired [, rtol = 1e-7] [, atol = 0]): an
error that counts what differs and shows the first and the worst, unless
|actual - desired| <= atol + rtol |desired| everywhere. NaN equals NaN.]],
["np.testing.assert_array_equal"] = [[
np.testing.assert_array_equal(actual, desired), assert_equal: as
assert_allclose, exactly.]],
["np.testing.assert_array_almost_equal"] = [[
np.testing.assert_array_almost_equal(actual, desired [, decimal = 6]),
assert_almost_equal: as assert_allclose, for differences under 1.5 * 10 ^
-decimal.]],
["np.testing.assert_array_less"] = [[
np.testing.assert_array_less(x, y): an error unless x < y everywhere.]],
["np.finfo"] = [[
np.finfo(dtype): what a float type can hold: a table with eps, max, min, tiny,
smallest_subnormal, bits, nmant, nexp, maxexp, minexp, precision, resolution.
Example: np.finfo("f16").max --> 65504.0]],
["np.iinfo"] = [[
np.iinfo(dtype): what an integer type can hold: a table with min, max, bits.
Example: np.iinfo("u8").max --> 255]],
["np.promote_types"] = [[
np.promote_types(t, u): the type in which arrays of t and u meet, by JAX's
rules: a float takes every integer, f16 and bf16 give f32.
Example: np.promote_types("i32", "f32") --> f32
Example: np.promote_types("u8", "i8") --> i16]],
["np.result_type"] = [[
np.result_type(...): the type in which these arrays, dtypes and numbers meet. A
number gives way to arrays unless its kind does not fit.
Example: np.result_type("f16", 2.5) --> f16
Example: np.result_type("i32", 2.5) --> f64]],
["np.can_cast"] = [[
np.can_cast(from, to [, casting = "safe"]): may an array of `from` become `to`?
`casting` is no, equiv, safe (no value is lost), same_kind or unsafe.
Example: np.can_cast("i32", "f32") --> false]],
}

local function elementwise(arguments, rows)
  for _, row in ipairs(rows) do
    local name, what, example = table.unpack(row)
    help["np." .. name] = ("np.%s(%s [, out] [, where]): %s, for each element."
      .. "\nExample: np.%s")
      :format(name, arguments, what, example)
  end
end

elementwise("x", {
  {"rint", "the nearest whole number, halves to even",
    "rint{2.5} --> array([2], f64)"},
  {"fix", "x without its fraction", "fix{-1.7} --> array([-1], f64)"},
  {"positive", "x itself", "positive{1} --> array([1], i64)"},
  {"fabs", "x without its sign, a float", "fabs{-2} --> array([2], f64)"},
  {"signbit", "is its sign bit set", "signbit{-0.0} --> array([true], bool)"},
  {"isposinf", "is it +infinity",
    "isposinf{1 / 0} --> array([true], bool)"},
  {"isneginf", "is it -infinity",
    "isneginf{1 / 0} --> array([false], bool)"},
  {"arcsinh", "inverse hyperbolic sine", "arcsinh{0} --> array([0], f64)"},
  {"arccosh", "inverse hyperbolic cosine", "arccosh{1} --> array([0], f64)"},
  {"arctanh", "inverse hyperbolic tangent", "arctanh{0} --> array([0], f64)"},
  {"deg2rad", "degrees in radians", "deg2rad{0} --> array([0], f64)"},
  {"rad2deg", "radians in degrees", "rad2deg{np.pi} --> array([180], f64)"},
  {"sinc", "sin(pi x) / (pi x), 1 at 0", "sinc{0} --> array([1], f64)"},
  {"erf", "the error function", "erf{0} --> array([0], f64)"},
  {"erfc", "1 - erf(x), exact where erf is near 1",
    "erfc{0} --> array([1], f64)"},
  {"erfinv", "the inverse of erf", "erfinv{1} --> array([inf], f64)"},
  {"gamma", "the gamma function", "gamma{5} --> array([24], f64)"},
  {"lgamma", "the logarithm of |gamma(x)|", "lgamma{1} --> array([0], f64)"},
  {"digamma", "the derivative of lgamma",
    "digamma{1} --> array([-0.57721566], f64)"},
  {"i0", "the modified Bessel function of order 0",
    "i0{0} --> array([1], f64)"},
  {"expit", "1 / (1 + exp(-x)), the logistic sigmoid",
    "expit{0} --> array([0.5], f64)"},
  {"logit", "log(x / (1 - x)), the inverse of expit",
    "logit{0.5} --> array([0], f64)"},
  {"bitwise_count", "how many bits of |x| are 1",
    "bitwise_count{7} --> array([3], u8)"},
})
elementwise("x, y", {
  {"fmax", "the larger one; NaN loses", "fmax({np.nan}, 2) --> array([2], f64)"},
  {"fmin", "the smaller one; NaN loses",
    "fmin({np.nan}, 2) --> array([2], f64)"},
  {"fmod", "the rest of x / y, with x's sign",
    "fmod({-3}, 2) --> array([-1], i64)"},
  {"gcd", "the greatest common divisor", "gcd({12}, 18) --> array([6], i64)"},
  {"lcm", "the least common multiple", "lcm({4}, 6) --> array([12], i64)"},
  {"copysign", "x with the sign of y",
    "copysign({2.0}, -1) --> array([-2], f64)"},
  {"nextafter", "the next number from x towards y",
    'nextafter(np.zeros(1, "f32"), 1) --> array([1e-45], f32)'},
  {"ldexp", "x * 2 ^ y", "ldexp({3.0}, 2) --> array([12], f64)"},
  {"heaviside", "0 under 0, 1 above it, y at 0",
    "heaviside({-1.0, 0, 2}, 0.5) --> array([0, 0.5, 1], f64)"},
  {"logaddexp", "log(exp(x) + exp(y)) without overflow",
    "logaddexp({1000.0}, -1000) --> array([1000], f64)"},
  {"logaddexp2", "log2(2 ^ x + 2 ^ y) without overflow",
    "logaddexp2({3.0}, 3) --> array([4], f64)"},
  {"xlogy", "x * log(y), 0 where x is 0",
    "xlogy({0.0}, 0) --> array([0], f64)"},
  {"xlog1py", "x * log1p(y), 0 where x is 0",
    "xlog1py({0.0}, -1) --> array([0], f64)"},
  {"float_power", "x to the power y in f64",
    "float_power({2}, -1) --> array([0.5], f64)"},
})

for name, of in pairs{
  around = "round", asinh = "arcsinh", acosh = "arccosh", atanh = "arctanh",
  radians = "deg2rad", degrees = "rad2deg", gammaln = "lgamma",
  sigmoid = "expit", psi = "digamma",
} do
  help["np." .. name] = ("np.%s is np.%s.\n"):format(name, of)
    .. help["np." .. of]
end
for name, of in pairs{
  bitwise_left_shift = "left_shift", bitwise_right_shift = "right_shift",
  bitwise_invert = "invert",
} do
  help["np." .. name] = ("np.%s is np.%s."):format(name, of)
end

help["np.testing.assert_equal"] = help["np.testing.assert_array_equal"]
help["np.testing.assert_almost_equal"] =
  help["np.testing.assert_array_almost_equal"]

return help
