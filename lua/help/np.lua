-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np. Labels: Shapes, Types, Errors, Example; each line
-- "Example: code --> text" is run by tests/lua/test_np.lua, which also checks
-- that no function of np is missing here.
local help = {
["np.array"] = [[
np.array(value [, dtype]): a new array from nested tables, a number or an array.
Types:   whole numbers give i64, others f64, true and false bool
Errors:  "rows differ: axis 1 has 2 items in one row and 1 in another"
Example: np.array{{1, 2}, {3, 4}}[1] --> array([3, 4], i64)
Example: np.array({1, 2}, "f32").dtype --> f32]],
["np.asarray"] = [[
np.asarray(value [, dtype]): the array itself where it fits already, else a
new one as np.array makes it.
Example: np.asarray(3).ndim --> 0]],
["np.zeros"] = [[
np.zeros(shape [, dtype = "f64"]): an array of zeros. Memory is on the host.
Example: np.zeros(3, "f32") --> array([0, 0, 0], f32)]],
["np.ones"] = [[
np.ones(shape [, dtype = "f64"]): an array of ones.
Example: np.ones({2}, "i8") --> array([1, 1], i8)]],
["np.full"] = [[
np.full(shape, value [, dtype]): an array that holds `value` everywhere.
Example: np.full(2, 7) --> array([7, 7], i64)]],
["np.empty"] = [[
np.empty(shape [, dtype = "f64"]): an array whose contents are undefined.
Example: np.empty({2, 3}).size --> 6]],
["np.zeros_like"] = [[
np.zeros_like(a [, dtype, shape]): zeros of a's shape and type.
Example: np.zeros_like(np.arange(2)) --> array([0, 0], i64)]],
["np.ones_like"] = [[
np.ones_like(a [, dtype]): ones of a's shape and type.
Example: np.ones_like(np.arange(2)) --> array([1, 1], i64)]],
["np.empty_like"] = [[
np.empty_like(a [, dtype]): undefined contents of a's shape and type.
Example: np.empty_like(np.arange(2)).dtype --> i64]],
["np.full_like"] = [[
np.full_like(a, value [, dtype, shape]): `value` in a's shape and type.
Example: np.full_like(np.arange(2), 5) --> array([5, 5], i64)]],
["np.arange"] = [[
np.arange([start,] stop [, step] [, dtype]): evenly spaced numbers, without
`stop`. Whole numbers give i64, others f64.
Errors:  "the step is 0"
Example: np.arange(2, 8, 2) --> array([2, 4, 6], i64)
Example: np.arange(3, "f32") --> array([0, 1, 2], f32)]],
["np.copy"] = [[
np.copy(a), a:copy(): the same elements in memory of their own.
Example: np.copy(np.arange(2)) --> array([0, 1], i64)]],
["np.astype"] = [[
a:astype(dtype): a copy with another element type. A float becomes an integer
by dropping its fraction; outside the type's range, the nearest; NaN, 0.
Example: np.array{1.9, -1.9}:astype("i32") --> array([1, -1], i32)]],
["np.view"] = [[
a:view(dtype): the same bytes as elements of another type, without a copy. With
a type of another size the last axis becomes longer or shorter.
Errors:  "view: elements of 4 bytes cannot be seen as i64: the last axis must be
         contiguous and a multiple of 8 bytes long"
Example: np.array({1}, "f32"):view("u32") --> array([1065353216], u32)
Example: np.array({1}, "u16"):view("u8") --> array([1, 0], u8)]],
["np.tolist"] = [[
a:tolist(): nested Lua tables (which count from 1), or a number.
Example: #np.zeros({4, 2}):tolist() --> 4]],
["np.item"] = [[
a:item(): the only element of `a` as a number.
Example: np.array{{42}}:item() --> 42]],
["np.fill"] = [[
a:fill(value): sets every element; returns a.
Example: np.zeros(2):fill(3) --> array([3, 3], f64)]],
["np.reshape"] = [[
np.reshape(a, shape [, order]), a:reshape(3, -1): the same elements in another shape; a
view where that is possible. One size may be -1: what is left.
Errors:  "an array of shape (3,) has 3 elements and cannot have shape (4,)"
Example: np.arange(6):reshape(2, -1).shape[2] --> 3]],
["np.ravel"] = [[
np.ravel(a [, order = "C"]): all elements along one axis, a view where that is
possible; with "F" the first axis runs fastest.
Example: np.ravel{{1, 2}, {3, 4}} --> array([1, 2, 3, 4], i64)]],
["np.flatten"] = [[
a:flatten(): as ravel, always a copy.
Example: np.eye(2):flatten() --> array([1, 0, 0, 1], f64)]],
["np.transpose"] = [[
np.transpose(a [, axes]), a.T: a view with its axes reversed, or in the order
that `axes` says.
Example: np.zeros({2, 3}).T.shape[1] --> 3]],
["np.broadcast_to"] = [[
np.broadcast_to(a, shape): a view that repeats `a`; it cannot be written.
Example: np.broadcast_to(np.arange(2), {3, 2}):sum() --> 3]],
["np.where"] = [[
np.where(condition, x, y): x where the condition holds, else y. Both are
evaluated. np.where(condition) is np.nonzero(condition).
Example: np.where({true, false}, 1, 0) --> array([1, 0], i64)]],
["np.array_equal"] = [[
np.array_equal(a, b): same shape and same elements? (Lua's == compares
identity.)
Example: np.array_equal({1, 2}, {1, 2}) --> true]],
["np.set_printoptions"] = [=[
np.set_printoptions{precision = 8, threshold = 1000, edgeitems = 3, linewidth =
75, suppress = false, nanstr = "nan", infstr = "inf", floatmode = "maxprec"}: how
arrays are printed from now on: digits behind the point; above how many elements
only the edges are shown, and how many there; the longest line; whether small
numbers go without an exponent. floatmode is maxprec, unique (all digits that
tell a number apart) or fixed (always so many digits).
Example: np.array2string({0.123456}, {precision = 2}) --> [0.12]]=],
["np.get_printoptions"] = [[
np.get_printoptions(): a table with the options of np.set_printoptions.
Example: np.get_printoptions().precision --> 8]],
["np.printoptions"] = [[
local _ <close> = np.printoptions{precision = 3}: np.set_printoptions until the
end of the block.]],
["np.array2string"] = [=[
np.array2string(a [, {precision =, threshold =, edgeitems =, max_line_width =,
suppress_small =, separator = " ", prefix = ""}]), np.array_str(a): the text of
an array without its type.
Example: np.array2string{1, 2} --> [1 2]]=],
["np.array_str"] = [[
np.array_str(a): np.array2string(a).]],
["np.array_repr"] = [[
np.array_repr(a): tostring(a): the text of an array with its type.]],
}

-- ---- Elementwise ----

local function elementwise(name, what, example, other)
  local text = ("np.%s(x [, out] [, where]): %s, for each element.")
    :format(name, what)
  if other then
    text = ("np.%s(x, y [, out] [, where]): %s, for each element; x and y "
      .. "broadcast."):format(name, what)
  end
  help["np." .. name] = text .. "\nExample: " .. example
end

local one = {
  {"negative", "-x", "np.negative{1} --> array([-1], i64)"},
  {"absolute", "x without its sign", "np.absolute{-2} --> array([2], i64)"},
  {"sign", "-1, 0 or 1", "np.sign{-2.5} --> array([-1], f64)"},
  {"square", "x * x", "np.square{3} --> array([9], i64)"},
  {"reciprocal", "1 / x", "np.reciprocal{4.0} --> array([0.25], f64)"},
  {"floor", "the whole number below", "np.floor{1.7} --> array([1], f64)"},
  {"ceil", "the whole number above", "np.ceil{1.2} --> array([2], f64)"},
  {"trunc", "x without its fraction", "np.trunc{-1.7} --> array([-1], f64)"},
  {"sqrt", "square root", "np.sqrt{16} --> array([4], f64)"},
  {"cbrt", "cube root", "np.cbrt{27} --> array([3], f64)"},
  {"exp", "e to the power x", "np.exp{0} --> array([1], f64)"},
  {"exp2", "2 to the power x", "np.exp2{3} --> array([8], f64)"},
  {"expm1", "exp(x) - 1, exact near 0", "np.expm1{0} --> array([0], f64)"},
  {"log", "natural logarithm", "np.log{1} --> array([0], f64)"},
  {"log2", "logarithm to base 2", "np.log2{8} --> array([3], f64)"},
  {"log10", "logarithm to base 10", "np.log10{100} --> array([2], f64)"},
  {"log1p", "log(1 + x), exact near 0", "np.log1p{0} --> array([0], f64)"},
  {"sin", "sine of radians", "np.sin{0} --> array([0], f64)"},
  {"cos", "cosine of radians", "np.cos{0} --> array([1], f64)"},
  {"tan", "tangent of radians", "np.tan{0} --> array([0], f64)"},
  {"arcsin", "inverse sine", "np.arcsin{0} --> array([0], f64)"},
  {"arccos", "inverse cosine", "np.arccos{1} --> array([0], f64)"},
  {"arctan", "inverse tangent", "np.arctan{0} --> array([0], f64)"},
  {"sinh", "hyperbolic sine", "np.sinh{0} --> array([0], f64)"},
  {"cosh", "hyperbolic cosine", "np.cosh{0} --> array([1], f64)"},
  {"tanh", "hyperbolic tangent", "np.tanh{0} --> array([0], f64)"},
  {"invert", "every bit flipped (Lua: ~x)",
    "np.invert{0} --> array([-1], i64)"},
  {"isnan", "is it NaN", "np.isnan{0 / 0} --> array([true], bool)"},
  {"isinf", "is it infinite", "np.isinf{1 / 0} --> array([true], bool)"},
  {"isfinite", "is it neither NaN nor infinite",
    "np.isfinite{1} --> array([true], bool)"},
  {"logical_not", "is it 0", "np.logical_not{0} --> array([true], bool)"},
}
for _, e in ipairs(one) do elementwise(e[1], e[2], e[3]) end

local two = {
  {"add", "x + y", "np.add({1}, 2) --> array([3], i64)"},
  {"subtract", "x - y", "np.subtract({1}, 2) --> array([-1], i64)"},
  {"multiply", "x * y", "np.multiply({3}, 2) --> array([6], i64)"},
  {"divide", "x / y, f64 for integers",
    "np.divide({3}, 2) --> array([1.5], f64)"},
  {"floor_divide", "x // y, rounded down",
    "np.floor_divide({-3}, 2) --> array([-2], i64)"},
  {"mod", "the rest of x // y, with y's sign",
    "np.mod({-3}, 2) --> array([1], i64)"},
  {"power", "x to the power y (Lua: x ^ y)",
    "np.power({3}, 2) --> array([9], i64)"},
  {"maximum", "the larger one; NaN wins",
    "np.maximum({3}, 2) --> array([3], i64)"},
  {"minimum", "the smaller one; NaN wins",
    "np.minimum({3}, 2) --> array([2], i64)"},
  {"arctan2", "the angle of the point (y, x)",
    "np.arctan2({0}, 1) --> array([0], f64)"},
  {"hypot", "sqrt(x * x + y * y)", "np.hypot({3}, 4) --> array([5], f64)"},
  {"bitwise_and", "bits set in both (Lua: x & y)",
    "np.bitwise_and({6}, 3) --> array([2], i64)"},
  {"bitwise_or", "bits set in either (Lua: x | y)",
    "np.bitwise_or({6}, 3) --> array([7], i64)"},
  {"bitwise_xor", "bits set in one (Lua: x ~ y)",
    "np.bitwise_xor({6}, 3) --> array([5], i64)"},
  {"left_shift", "x times 2 to the y (Lua: x << y)",
    "np.left_shift({1}, 3) --> array([8], i64)"},
  {"right_shift", "x by 2 to the y, rounded down (Lua: x >> y)",
    "np.right_shift({8}, 2) --> array([2], i64)"},
  {"equal", "are they equal, x:eq(y)",
    "np.equal({1}, 1) --> array([true], bool)"},
  {"not_equal", "do they differ, x:ne(y)",
    "np.not_equal({1}, 1) --> array([false], bool)"},
  {"less", "is x smaller, x:lt(y)", "np.less({1}, 2) --> array([true], bool)"},
  {"less_equal", "is x not larger, x:le(y)",
    "np.less_equal({1}, 1) --> array([true], bool)"},
  {"greater", "is x larger, x:gt(y)",
    "np.greater({1}, 2) --> array([false], bool)"},
  {"greater_equal", "is x not smaller, x:ge(y)",
    "np.greater_equal({1}, 1) --> array([true], bool)"},
  {"logical_and", "are both not 0",
    "np.logical_and({1}, 2) --> array([true], bool)"},
  {"logical_or", "is one not 0",
    "np.logical_or({0}, 2) --> array([true], bool)"},
  {"logical_xor", "is exactly one not 0",
    "np.logical_xor({1}, 2) --> array([false], bool)"},
}
for _, e in ipairs(two) do elementwise(e[1], e[2], e[3], true) end

local aliases = {
  abs = "absolute", true_divide = "divide", remainder = "mod", pow = "power",
  bitwise_not = "invert", eq = "equal", ne = "not_equal",
  lt = "less", le = "less_equal", gt = "greater", ge = "greater_equal",
  asin = "arcsin", acos = "arccos", atan = "arctan", atan2 = "arctan2",
}
for name, of in pairs(aliases) do
  help["np." .. name] = ("np.%s is np.%s.\n"):format(name, of)
    .. help["np." .. of]
end

return help
