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
np.unique(a [, return_index] [, return_inverse] [, return_counts] [, axis]): the
sorted distinct elements, or what lies along an axis; further results as asked
for: where each occurs first, to which one each element belongs, how often each
occurs.
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
["np.count_nonzero"] = [[
np.count_nonzero(a [, axis] [, keepdims]): how many elements are not 0.
Example: np.count_nonzero{0, 5, 6} --> 2]],
["np.ptp"] = [[
np.ptp(a [, axis] [, keepdims]): the largest element minus the smallest.
Example: np.ptp{1, 7, 3} --> 6]],
["np.average"] = [[
np.average(a [, axis] [, weights] [, returned] [, keepdims]): the mean, each
element counted by its weight. With `returned` the sum of the weights as well.
Example: np.average({1, 2}, {weights = {3, 1}}) --> 1.25]],
["np.median"] = [[
np.median(a [, axis] [, keepdims]): the middle element of the sorted ones, or
the mean of the middle two; NaN where there is one.
Example: np.median{7, 1, 3} --> 3.0]],
["np.quantile"] = [[
np.quantile(a, q [, axis] [, method = "linear"] [, keepdims]): what a part q
(from 0 to 1, or several) of the elements is not above. Methods: linear, lower,
higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased,
interpolated_inverted_cdf.
Example: np.quantile({1, 2, 3, 4}, 0.25) --> 1.75]],
["np.percentile"] = [[
np.percentile(a, q [, axis] [, method] [, keepdims]): np.quantile, with q from
0 to 100.
Example: np.percentile({1, 2, 3}, 50) --> 2.0]],
["np.logsumexp"] = [[
np.logsumexp(a [, axis] [, b] [, keepdims]): log(sum(b * exp(a))) without
overflow.
Example: np.logsumexp{1000, -1000} --> 1000.0]],
["np.diff"] = [[
np.diff(a [, n = 1] [, axis = -1] [, prepend] [, append]): each element minus
the one before it, n times.
Example: np.diff{1, 4, 9} --> array([3, 5], i64)]],
["np.ediff1d"] = [[
np.ediff1d(a [, to_end] [, to_begin]): np.diff of all elements in order, with
others before and behind.
Example: np.ediff1d({1, 4}, 9) --> array([3, 9], i64)]],
["np.trapezoid"] = [[
np.trapezoid(y [, x] [, dx = 1] [, axis = -1]): the area under y by trapezoids.
Example: np.trapezoid{1, 2, 3} --> 4.0]],
["np.gradient"] = [[
np.gradient(f [, spacing = 1] [, axis] [, edge_order = 1]): slopes by central
differences, a result for each axis. `spacing` is a number or the points.
Example: np.gradient{1, 2, 4} --> array([1, 1.5, 2], f64)]],
["np.cov"] = [[
np.cov(m [, y] [, rowvar = true] [, bias] [, ddof] [, fweights] [, aweights]):
covariances of the rows; weights are counts and importances of the columns.
Example: np.cov{1, 2, 3} --> 1.0]],
["np.corrcoef"] = [[
np.corrcoef(x [, y] [, rowvar = true]): correlations of the rows, -1 to 1.
Example: np.corrcoef({1, 2, 3}, {3, 2, 1})["0, 1"] --> -1.0]],
["np.intersect1d"] = [[
np.intersect1d(a, b [, assume_unique] [, return_indices]): the sorted elements
that are in both; with return_indices also where.
Example: np.intersect1d({1, 2, 3}, {3, 2, 5}) --> array([2, 3], i64)]],
["np.union1d"] = [[
np.union1d(a, b): the sorted elements that are in either.
Example: np.union1d({2, 1}, {2, 5}) --> array([1, 2, 5], i64)]],
["np.setdiff1d"] = [[
np.setdiff1d(a, b [, assume_unique]): the sorted elements of a that are not in b.
Example: np.setdiff1d({1, 2, 3}, {2}) --> array([1, 3], i64)]],
["np.setxor1d"] = [[
np.setxor1d(a, b): the sorted elements that are in one of both.
Example: np.setxor1d({1, 2}, {2, 5}) --> array([1, 5], i64)]],
["np.histogram"] = [[
np.histogram(a [, bins = 10] [, range] [, density] [, weights]): two results,
how many elements are in each bin, and the edges. `bins` is a number or the
edges; the last bin holds its right edge too.
Errors:  "the range [nan, nan] is not finite"
Example: np.histogram({1, 2, 1}, {0, 2, 3}) --> array([2, 1], i64)]],
["np.histogram_bin_edges"] = [[
np.histogram_bin_edges(a [, bins = 10] [, range]): the edges alone.
Example: np.histogram_bin_edges({0, 4}, 2) --> array([0, 2, 4], f64)]],
["np.digitize"] = [[
np.digitize(x, bins [, right]): which bin each element is in: i with
bins[i - 1] <= x < bins[i] (right: bins[i - 1] < x <= bins[i]).
Example: np.digitize({0.5, 3}, {0, 1, 2}) --> array([1, 3], i64)]],
["np.interp"] = [[
np.interp(x, xp, fp [, left] [, right] [, period]): the values at x of the
straight lines between the points (xp, fp), where xp ascends or there is a period.
Example: np.interp(1.5, {1, 2}, {10, 20}) --> 15.0]],
["np.choose"] = [[
np.choose(a, choices [, mode = "raise"]): for each element the one in the array
choices[a] (the first is 0).
Example: np.choose({1, 0}, {{1, 2}, {3, 4}}) --> array([3, 2], i64)]],
["np.select"] = [[
np.select(condlist, choicelist [, default = 0]): for each element the first
choice whose condition holds.
Example: np.select({{true, false}}, {{1, 2}}, 9) --> array([1, 9], i64)]],
["np.compress"] = [[
np.compress(condition, a [, axis]): the parts of `a` where the condition holds.
Example: np.compress({true, false}, {5, 6}) --> array([5], i64)]],
["np.extract"] = [[
np.extract(condition, a): the elements where the condition holds.
Example: np.extract({true, false}, {5, 6}) --> array([5], i64)]],
["np.place"] = [[
np.place(a, mask, vals): writes the values, one after the other and again from
the first, where the mask holds.]],
["np.putmask"] = [[
np.putmask(a, mask, values): writes into `a` where the mask holds, each position
its own value.]],
["np.copyto"] = [[
np.copyto(dst, src [, casting] [, where]): writes `src` into `dst`, where a mask
holds.]],
}

for _, r in ipairs{
  {"sum", "6.0"}, {"prod", "8.0"}, {"min", "2.0"}, {"max", "4.0"},
  {"mean", "3.0"}, {"var", "1.0"}, {"std", "1.0"}, {"argmin", "1"},
  {"argmax", "2"}, {"median", "3.0"},
} do
  local options = (r[1] == "var" or r[1] == "std") and
    "[, axis] [, dtype] [, ddof] [, keepdims]" or "[, axis] [, keepdims]"
  help["np.nan" .. r[1]] = ("np.nan%s(a %s): np.%s of the elements that are "
    .. "not NaN.\nExample: np.nan%s{np.nan, 2, 4} --> %s")
    :format(r[1], options, r[1], r[1], r[2])
end
for _, name in ipairs{"quantile", "percentile"} do
  help["np.nan" .. name] = ("np.nan%s(a, q [, axis] [, method] [, keepdims]): "
    .. "np.%s of the elements that are not NaN."):format(name, name)
end
for _, name in ipairs{"cumsum", "cumprod"} do
  help["np.nan" .. name] = ("np.nan%s(a [, axis]): np.%s, as if NaN changed "
    .. "nothing."):format(name, name)
end

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
