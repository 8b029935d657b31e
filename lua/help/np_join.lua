-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for joining, splitting, padding, axes, grids: np/join.lua
-- and np/shape.lua. The last argument of these functions may be a table of
-- named ones: np.flip(a, {axis = 0}).
return {
["np.concatenate"] = [[
np.concatenate({a, b, ...} [, axis = 0, dtype]): arrays one behind the other.
Errors:  "shapes (2,) and (1, 2) differ elsewhere than along axis 0"
Example: np.concatenate{{1}, {2, 3}} --> array([1, 2, 3], i64)]],
["np.stack"] = [[
np.stack({a, b, ...} [, axis = 0]): arrays of one shape along a new axis.
Example: np.stack{{1, 2}, {3, 4}}.ndim --> 2]],
["np.vstack"] = [[
np.vstack{a, b, ...}: arrays on top of each other, as rows.
Example: np.vstack{{1, 2}, {3, 4}}.ndim --> 2]],
["np.hstack"] = [[
np.hstack{a, b, ...}: arrays side by side.
Example: np.hstack{{1, 2}, {3}} --> array([1, 2, 3], i64)]],
["np.dstack"] = [[
np.dstack{a, b, ...}: arrays along the third axis, which is made where missing.
Example: np.dstack{{1, 2}, {3, 4}}.shape[3] --> 2]],
["np.column_stack"] = [[
np.column_stack{a, b, ...}: arrays with one axis as columns of a matrix.
Example: np.column_stack{{1, 2}, {3, 4}}[0] --> array([1, 3], i64)]],
["np.append"] = [[
np.append(arr, values [, axis]): values behind those of arr; without an axis
both are flattened.
Example: np.append({1, 2}, 3) --> array([1, 2, 3], i64)]],
["np.atleast_1d"] = [[
np.atleast_1d(a, ...): each argument as an array with an axis.
Example: np.atleast_1d(3) --> array([3], i64)]],
["np.atleast_2d"] = [[
np.atleast_2d(a, ...): each as an array with at least two axes, the new in
front.
Example: np.atleast_2d{1, 2}.shape[1] --> 1]],
["np.atleast_3d"] = [[
np.atleast_3d(a, ...): each as an array with at least three axes: (n,) becomes
(1, n, 1), (m, n) becomes (m, n, 1).
Example: np.atleast_3d{1, 2}.shape[2] --> 2]],
["np.split"] = [[
np.split(ary, indices_or_sections [, axis = 0]): a table of views: that many
equal parts, or cut in front of these indexes.
Errors:  "5 items along axis 0 do not make 2 equal parts"
Example: np.split({1, 2, 3, 4}, 2)[2] --> array([3, 4], i64)
Example: np.split({1, 2, 3, 4}, {1})[2] --> array([2, 3, 4], i64)]],
["np.array_split"] = [[
np.array_split(ary, sections [, axis = 0]): as split; the first parts are one
longer where the count does not divide.
Example: np.array_split({1, 2, 3}, 2)[1] --> array([1, 2], i64)]],
["np.hsplit"] = [[
np.hsplit(ary, indices_or_sections): split along axis 1 (0 where it is the
only one).
Example: #np.hsplit(np.eye(2), 2) --> 2]],
["np.vsplit"] = [[
np.vsplit(ary, indices_or_sections): split along axis 0, of a matrix or more.
Example: #np.vsplit(np.eye(2), 2) --> 2]],
["np.dsplit"] = [[
np.dsplit(ary, indices_or_sections): split along axis 2.
Example: #np.dsplit(np.zeros({1, 1, 4}), 2) --> 2]],
["np.repeat"] = [[
np.repeat_(a, repeats [, axis]), a:repeat_(repeats): each item that often, or
as often as an array of counts says; flattened without an axis. `repeat` is a
word of Lua's: np["repeat"] is the same function.
Example: np.repeat_({1, 2}, 2) --> array([1, 1, 2, 2], i64)
Example: np.repeat_({1, 2}, {0, 3}) --> array([2, 2, 2], i64)]],
["np.repeat_"] = [[
np.repeat_(a, repeats [, axis]): see np.repeat, whose name is a word of Lua's.
Example: np.repeat_({1, 2}, 2) --> array([1, 1, 2, 2], i64)]],
["np.tile"] = [[
np.tile(A, reps): A that often one behind the other, along each axis where
reps is a table.
Example: np.tile({1, 2}, 2) --> array([1, 2, 1, 2], i64)]],
["np.resize"] = [[
np.resize(a, new_shape): a new array of this shape, filled with a's elements
again and again.
Example: np.resize({1, 2}, 5) --> array([1, 2, 1, 2, 1], i64)]],
["np.roll"] = [[
np.roll(a, shift [, axis]): items moved on by `shift`; those that leave the
end come in at the start.
Example: np.roll({1, 2, 3}, 1) --> array([3, 1, 2], i64)]],
["np.flip"] = [[
np.flip(m [, axis]): a view with the order along these axes (all) reversed.
Example: np.flip{1, 2, 3} --> array([3, 2, 1], i64)]],
["np.flipud"] = [[
np.flipud(m): a view with the rows from bottom to top.
Example: np.flipud{{1}, {2}}[0] --> array([2], i64)]],
["np.fliplr"] = [[
np.fliplr(m): a view with the columns from right to left.
Example: np.fliplr{{1, 2}}[0] --> array([2, 1], i64)]],
["np.rot90"] = [[
np.rot90(m [, k = 1] [, axes = {0, 1}]): turned by k quarters, against the
clock.
Example: np.rot90{{1, 2}, {3, 4}}[0] --> array([2, 4], i64)]],
["np.delete"] = [[
np.delete(arr, obj [, axis]): without these items: an index, a table of them, a
mask, or the text of a slice.
Errors:  "index 3 is out of bounds for an axis of size 3"
Example: np.delete({5, 6, 7}, 1) --> array([5, 7], i64)
Example: np.delete({5, 6, 7}, "::2") --> array([6], i64)]],
["np.insert"] = [[
np.insert(arr, obj, values [, axis]): with values in front of these indexes.
Example: np.insert({5, 6, 7}, 1, 9) --> array([5, 9, 6, 7], i64)]],
["np.pad"] = [[
np.pad(array, pad_width [, mode = "constant"] [, constant_values = 0]
[, stat_length] [, end_values = 0] [, reflect_type = "even"]): longer at both
ends. pad_width: a number, {before, after}, or a pair for each axis.
Modes: constant, edge, reflect (without the edge itself), symmetric (with it),
wrap, maximum, minimum, mean, median (of stat_length items), linear_ramp (to
end_values), empty.
Example: np.pad({1, 2, 3}, {2, 1}) --> array([0, 0, 1, 2, 3, 0], i64)
Example: np.pad({1, 2, 3}, 2, "reflect") --> array([3, 2, 1, 2, 3, 2, 1], i64)]],
["np.swapaxes"] = [[
np.swapaxes(a, axis1, axis2): a view with these two axes exchanged.
Example: np.swapaxes(np.zeros({2, 3}), 0, 1).shape[1] --> 3]],
["np.moveaxis"] = [[
np.moveaxis(a, source, destination): a view with axes (or tables of them)
moved; the others keep their order.
Example: np.moveaxis(np.zeros({2, 3, 4}), 0, -1).shape[3] --> 2]],
["np.squeeze"] = [[
np.squeeze(a [, axis]): a view without the axes of size 1.
Example: np.zeros({1, 3, 1}):squeeze().ndim --> 1]],
["np.expand_dims"] = [[
np.expand_dims(a, axis): a view with a new axis of size 1 (or several).
Example: np.expand_dims(np.zeros(3), 0).ndim --> 2]],
["np.broadcast_shapes"] = [[
np.broadcast_shapes(shape, ...): the shape that arrays of these shapes meet in.
Example: np.broadcast_shapes({2, 1}, {3})[2] --> 3]],
["np.broadcast_arrays"] = [[
np.broadcast_arrays(a, b, ...): each stretched to their common shape; views
that cannot be written.
Example: select(1, np.broadcast_arrays(7, {1, 2})) --> array([7, 7], i64)]],
["np.diagonal"] = [[
np.diagonal(a [, offset = 0] [, axis1 = 0] [, axis2 = 1]): a view of the
diagonal, as the last axis.
Example: np.diagonal{{1, 2}, {3, 4}} --> array([1, 4], i64)]],
["np.trace"] = [[
np.trace(a [, offset] [, axis1] [, axis2] [, dtype]): the sum along the diagonal.
Example: np.trace{{1, 2}, {3, 4}} --> 5]],
["np.diag"] = [[
np.diag(v [, k = 0]): of a matrix its diagonal k; of a vector the matrix with
that diagonal.
Example: np.diag(np.diag{1, 2}) --> array([1, 2], i64)]],
["np.diagflat"] = [[
np.diagflat(v [, k = 0]): the matrix with v, flattened, on diagonal k.
Example: np.diagflat({{1, 2}}):sum() --> 3]],
["np.fill_diagonal"] = [[
np.fill_diagonal(a, val): sets the diagonal of the matrix a.
Example: (function() local a = np.zeros({2, 2}); np.fill_diagonal(a, 3); return a[1] end)() --> array([0, 3], f64)]],
["np.eye"] = [[
np.eye(N [, M] [, k = 0] [, dtype = "f64"]): ones on diagonal k, zeros
elsewhere.
Example: np.eye(2):sum() --> 2.0
Example: np.eye(2, 3, 1)[0] --> array([0, 1, 0], f64)]],
["np.identity"] = [[
np.identity(n [, dtype = "f64"]): the square matrix with ones on its diagonal.
Example: np.identity(2)[0] --> array([1, 0], f64)]],
["np.tri"] = [[
np.tri(N [, M] [, k = 0] [, dtype = "f64"]): ones on and below diagonal k.
Example: np.tri(2, 3)[1] --> array([1, 1, 0], f64)]],
["np.tril"] = [[
np.tril(m [, k = 0]): m with zeros above diagonal k of its last two axes.
Example: np.tril{{1, 2}, {3, 4}}[0] --> array([1, 0], i64)]],
["np.triu"] = [[
np.triu(m [, k = 0]): m with zeros below diagonal k of its last two axes.
Example: np.triu{{1, 2}, {3, 4}}[1] --> array([0, 4], i64)]],
["np.tril_indices"] = [[
np.tril_indices(n [, k = 0] [, m]): rows and columns of the elements on and
below diagonal k of an n x m matrix.
Example: np.tril_indices(2) --> array([0, 1, 1], i64)]],
["np.triu_indices"] = [[
np.triu_indices(n [, k = 0] [, m]): the same on and above the diagonal.
Example: np.triu_indices(2) --> array([0, 0, 1], i64)]],
["np.indices"] = [[
np.indices(dimensions [, dtype = "i64"]): for each axis the array of that shape
which holds the index along it; all stacked.
Example: np.indices({1, 3})["1, 0"] --> array([0, 1, 2], i64)]],
["np.meshgrid"] = [[
np.meshgrid(x, y, ... [, {indexing = "xy", sparse = false}]): the coordinates
of a grid, one array for each. "xy": x runs along axis 1; "ij": along axis 0.
Example: np.meshgrid({1, 2}, {3, 4})[1] --> array([1, 2], i64)]],
["np.unravel_index"] = [[
np.unravel_index(indices, shape): for each axis the index that a number in
row-major order stands for.
Example: select(2, np.unravel_index(5, {2, 3})) --> 2]],
["np.ravel_multi_index"] = [[
np.ravel_multi_index({i, j, ...}, dims [, mode = "raise"]): the number of an
element in row-major order. Other modes: "wrap", "clip".
Example: np.ravel_multi_index({1, 2}, {2, 3}) --> 5]],
["np.linspace"] = [[
np.linspace(start, stop [, num = 50] [, endpoint = true] [, retstep] [, dtype]
[, axis = 0]): `num` evenly spaced numbers, with `stop` unless endpoint is
false; retstep gives the step as well. start and stop may be arrays.
Example: np.linspace(0, 1, 3) --> array([0, 0.5, 1], f64)]],
["np.logspace"] = [[
np.logspace(start, stop [, num = 50] [, endpoint] [, base = 10] [, dtype]
[, axis]): base to the power of evenly spaced numbers.
Example: np.logspace(0, 2, 3) --> array([1, 10, 100], f64)]],
["np.geomspace"] = [[
np.geomspace(start, stop [, num = 50] [, endpoint] [, dtype] [, axis]): numbers
each of which is the same multiple of the one before.
Errors:  "the sequence cannot contain 0"
Example: np.geomspace(1, 4, 3) --> array([1, 2, 4], f64)]],
["np.vander"] = [[
np.vander(x [, N] [, increasing]): the matrix whose columns are powers of x,
the highest first.
Example: np.vander({2}, 3)[0] --> array([4, 2, 1], i64)]],
["np.apply_along_axis"] = [[
np.apply_along_axis(f, axis, arr): f(line) for each line along the axis; what
it gives takes the axis' place.
Example: np.apply_along_axis(np.max, 1, {{1, 2}, {4, 3}}) --> array([2, 4], i64)]],
["np.vectorize"] = [[
np.vectorize(f [, otype]): a function of arrays from one of numbers. f is
called in Lua for each element: convenient, not fast.
Example: np.vectorize(function(x) return x > 1 and 1 or 0 end){1, 2} --> array([0, 1], i64)]],
}
