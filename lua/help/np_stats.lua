-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np's reductions, sorting and searching; see np.lua
-- beside it. Arguments may be named: np.sum(a, {axis = 0, keepdims = true}).
local help = {
["np.mean"] = [[
np.mean(a [, axis] [, dtype] [, out] [, keepdims] [, where]): the mean; f64 for
integers.
Example: np.mean{1, 2, 6} --> 3.0
Example: np.mean({{1, 2}, {3, 4}}, {axis = 0}) --> array([2, 3], f64)]],
["np.var"] = [[
np.var(a [, axis] [, dtype] [, out] [, ddof = 0] [, keepdims]): the sum of the
squared distances from the mean over n - ddof.
Example: np.var{1, 3} --> 1.0
Example: np.var({1, 3}, {ddof = 1}) --> 2.0]],
["np.std"] = [[
np.std(a [, axis] [, dtype] [, out] [, ddof = 0] [, keepdims]): square root of
np.var.
Example: np.std{1, 3} --> 1.0]],
["np.sort"] = [[
np.sort(a [, axis = -1]): a sorted copy; NaN comes last. Equal elements keep
their order.
Example: np.sort{3, 1, 2} --> array([1, 2, 3], i64)]],
["np.argsort"] = [[
np.argsort(a [, axis = -1]): the positions that sort `a`; equal elements keep
their order.
Example: np.argsort{30, 10, 20} --> array([1, 2, 0], i64)]],
["np.partition"] = [[
np.partition(a, kth [, axis = -1]): a copy where element kth stands as in the
sorted array, smaller ones before it and larger ones behind it.
Example: np.partition({3, 1, 2}, 1)[1] --> 2]],
["np.argpartition"] = [[
np.argpartition(a, kth [, axis = -1]): the positions that partition `a`.
Example: np.argpartition({30, 10, 20}, 0)[0] --> 1]],
["np.searchsorted"] = [[
np.searchsorted(a, v [, side = "left"] [, sorter]): where to put v into the
sorted `a`: before equal elements, or behind them ("right").
Example: np.searchsorted({1, 2, 2, 3}, 2) --> 1
Example: np.searchsorted({1, 2, 2, 3}, {0, 2}, "right") --> array([0, 3], i64)]],
["np.unique"] = [[
np.unique(a [, return_index] [, return_inverse] [, return_counts]): the sorted
distinct elements; further results as asked for: where each occurs first, to
which one each element belongs, how often each occurs.
Example: np.unique{3, 1, 3} --> array([1, 3], i64)
Example: select(2, np.unique({3, 1, 3}, {return_counts = true}))[1] --> 2]],
["np.isin"] = [[
np.isin(a, test [, assume_unique] [, invert]): for each element of `a`, is it
one of `test`?
Example: np.isin({1, 2, 3}, {3, 1}) --> array([true, false, true], bool)]],
["np.nonzero"] = [[
np.nonzero(a), np.where(a): the positions of what is not 0, one array for each
axis, as so many results.
Example: np.nonzero{0, 5, 6} --> array([1, 2], i64)]],
["np.argwhere"] = [[
np.argwhere(a): the positions of what is not 0, a row for each.
Example: np.argwhere{{0, 5}, {6, 0}}:tolist()[2][1] --> 1]],
["np.flatnonzero"] = [[
np.flatnonzero(a): the positions of what is not 0, counted over all axes.
Example: np.flatnonzero{{0, 5}, {6, 0}} --> array([1, 2], i64)]],
["np.bincount"] = [[
np.bincount(x [, weights] [, minlength]): how often each whole number from 0 on
occurs in x, or the sum of its weights.
Example: np.bincount{1, 3, 1} --> array([0, 2, 0, 1], i64)]],
["np.take"] = [[
np.take(a, indices [, axis] [, out] [, mode = "raise"]): elements by position
along an axis (without one, of all in order). Positions outside raise an error,
or "wrap", or "clip".
Example: np.take({10, 20, 30}, {2, 0}) --> array([30, 10], i64)]],
["np.take_along_axis"] = [[
np.take_along_axis(a, indices [, axis = -1]): for each line of `a` the elements
at the positions of the same line of `indices`.
Example: np.take_along_axis({{3, 1}}, {{1, 0}}, 1)["0, 0"] --> 1]],
["np.put_along_axis"] = [[
np.put_along_axis(a, indices, values, axis): the reverse: writes into `a`.]],
["np.put"] = [[
np.put(a, ind, v [, mode = "raise"]): writes the values v, repeated as needed,
at positions of `a` counted over all axes.]],
}

local reductions = {
  {"sum", "the sum (pairwise for floats; integers in 64 bits)", "6"},
  {"prod", "the product", "6"},
  {"min", "the smallest element; NaN wins", "1"},
  {"max", "the largest element; NaN wins", "3"},
  {"argmin", "the position of the smallest element", "0"},
  {"argmax", "the position of the largest element", "2"},
  {"any", "is any element not 0", "true"},
  {"all", "is no element 0", "true"},
}
local behind = {
  sum = "[, axis] [, dtype] [, out] [, keepdims] [, initial] [, where]",
  min = "[, axis] [, out] [, keepdims] [, initial] [, where]",
  argmin = "[, axis] [, out] [, keepdims]",
  any = "[, axis] [, out] [, keepdims] [, where]",
}
behind.prod, behind.max, behind.argmax, behind.all =
  behind.sum, behind.min, behind.argmin, behind.any
for _, r in ipairs(reductions) do
  help["np." .. r[1]] = ("np.%s(a %s): %s. `axis` is a number or a list; "
    .. "without it, of all elements. keepdims may follow the axis.\n"
    .. "Example: np.%s{1, 2, 3} --> %s"):format(r[1], behind[r[1]], r[2], r[1],
      r[3])
end

for _, r in ipairs{
  {"cumsum", "sums", "1, 3, 6"}, {"cumprod", "products", "1, 2, 6"},
  {"cummin", "minima", "1, 1, 1"}, {"cummax", "maxima", "1, 2, 3"},
} do
  help["np." .. r[1]] = ("np.%s(a [, axis] [, dtype] [, out]): running %s; "
    .. "without an axis, of all elements in order.\n"
    .. "Example: np.%s{1, 2, 3} --> array([%s], i64)"):format(r[1], r[2], r[1],
      r[3])
end

return help
