-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np's functions that are made of others, which jnp has as
-- well (lua/array/common.lua). A row: form | text | example with np. Those in `own`
-- have another text for jnp.
local rows = [==[
hanning(M) | a window of M numbers that rises and falls as 1 - cos | np.hanning(3) --> array([0, 1, 0], f64)
hamming(M) | likewise, with 0.08 at its ends | np.hamming(3)[1] --> 1.0
blackman(M) | a window of three cosines | np.blackman(3).shape[1] --> 3
bartlett(M) | a triangular window | np.bartlett(3) --> array([0, 1, 0], f64)
kaiser(M, beta) | a window whose shape beta sets | np.kaiser(3, 14.0)[1] --> 1.0
diag_indices(n [, ndim = 2]) | arrays of places of a diagonal | np.diag_indices(2) --> array([0, 1], i64)
diag_indices_from(arr) | the same, for an array | np.diag_indices_from(np.eye(2)) --> array([0, 1], i64)
tril_indices_from(arr [, k]) | places of an array's lower triangle | np.tril_indices_from(np.eye(2)) --> array([0, 1, 1], i64)
triu_indices_from(arr [, k]) | places of an array's upper triangle | np.triu_indices_from(np.eye(2)) --> array([0, 0, 1], i64)
mask_indices(n, mask_func [, k]) | the places that np.tril or its like leaves | np.mask_indices(2, np.triu) --> array([0, 0, 1], i64)
ix_(...) | a table of arrays that meet in a grid, x[{a[1], a[2]}] | np.ix_({0, 1}, {2})[1].shape[1] --> 2
concat(arrays [, axis]) | np.concatenate | np.concat{{1}, {2}} --> array([1, 2], i64)
permute_dims(a, axes) | np.transpose | np.permute_dims(np.ones{2, 3}).shape[1] --> 3
amax(a [, axis]) | np.max | np.amax{1, 3} --> 3
amin(a [, axis]) | np.min | np.amin{1, 3} --> 1
matrix_transpose(x) | with the last two axes exchanged | np.matrix_transpose{{1, 2}} --> array([[1],
unstack(x [, axis = 0]) | the items along an axis, as several results | np.unstack{{1, 2}, {3, 4}} --> array([1, 2], i64)
rollaxis(a, axis [, start = 0]) | an axis put in front of another | np.rollaxis(np.ones{2, 3}, 1).shape[1] --> 3
vecdot(x1, x2 [, axis = -1]) | products along an axis, added up | np.vecdot({1, 2}, {3, 4}) --> 11
matvec(x1, x2) | matrices times vectors | np.matvec({{1, 2}}, {3, 4}) --> array([11], i64)
vecmat(x1, x2) | vectors times matrices | np.vecmat({3, 4}, {{1}, {2}}) --> array([11], i64)
cumulative_sum(x [, axis] [, dtype] [, include_initial]) | running sums, from 0 where `include_initial` | np.cumulative_sum({1, 2}, {include_initial = true}) --> array([0, 1, 3], i64)
cumulative_prod(x [, axis] [, dtype] [, include_initial]) | running products | np.cumulative_prod{2, 3} --> array([2, 6], i64)
apply_over_axes(func, a, axes) | func(a, axis) for each axis in turn; the number of axes stays | np.apply_over_axes(np.sum, np.ones{2, 2}, {0, 1}) --> array([[4]], f64)
unwrap(p [, discont] [, axis] [, period]) | angles without jumps of a period | np.unwrap{0, 6.28, 0}[0] --> 0.0
spacing(x) | the distance to the next number | np.spacing(np.ones(1, "f32")) --> array([1.1920929e-07], f32)
block(arrays) | nested tables of arrays, put together | np.block{{np.ones(1), np.zeros(1)}} --> array([[1, 0]], f64)
piecewise(x, condlist, funclist, ...) | for each element the function whose condition holds | np.piecewise({1., -1}, {np.less({1., -1}, 0)}, {0, 5}) --> array([5, 0], f64)
fromfunction(f, shape [, dtype]) | f of arrays of the places along each axis | np.fromfunction(np.add, {2, 2})[1] --> array([1, 2], f64)
array_equiv(a1, a2) | whether all are equal, after broadcasting | np.array_equiv({1, 1}, 1) --> true
dtype(name) | a type's short name | np.dtype("float32") --> f32
isdtype(dtype, kind) | whether a type is of a kind: bool, signed integer, unsigned integer, integral, real floating, numeric, or a type | np.isdtype("i8", "integral") --> true
isrealobj(x) | whether x is no complex pair | np.isrealobj{1} --> true
iscomplexobj(x) | whether x is a complex pair | np.iscomplexobj(np.complex(1, 2)) --> true
isreal(x) | where the imaginary part is 0 | np.isreal{1} --> array([true], bool)
iscomplex(x) | where the imaginary part is not 0 | np.iscomplex{1} --> array([false], bool)
isscalar(x) | whether x is a number of Lua's | np.isscalar(2) --> true
shape(a) | the sizes of the axes | np.shape{{1, 2}}[2] --> 2
ndim(a) | the number of axes | np.ndim{{1, 2}} --> 2
size(a [, axis]) | the number of elements | np.size{{1, 2}} --> 2
polyadd(a1, a2) | the sum of polynomials; the highest power comes first | np.polyadd({1, 2}, {3}) --> array([1, 5], i64)
polysub(a1, a2) | their difference | np.polysub({1, 2}, {3}) --> array([1, -1], i64)
polymul(a1, a2) | their product | np.polymul({1, 1}, {1, -1}) --> array([1, 0, -1], i64)
polydiv(u, v) | quotient and remainder | np.polydiv({1., 5, 6}, {1., 2}) --> array([1, 3], f64)
polyder(p [, m = 1]) | the derivative | np.polyder{1, 2, 3} --> array([2, 2], i64)
polyint(p [, m = 1] [, k]) | the integral | np.polyint{2., 2} --> array([1, 2, 0], f64)
poly(seq_of_zeros) | the polynomial that has these zeros | np.poly{1., 2} --> array([1, -3, 2], f64)
unique_values(x) | each element once, sorted | np.unique_values{2, 1, 2} --> array([1, 2], i64)
unique_counts(x) | and how often each is there | np.unique_counts{2, 1, 2} --> array([1, 2], i64)
unique_inverse(x) | and the number of each of x's elements among them | np.unique_inverse{2, 1, 2} --> array([1, 2], i64)
unique_all(x) | values, first places, numbers and counts | np.unique_all{2, 1, 2} --> array([1, 2], i64)
trim_zeros(filt [, trim = "fb"]) | without zeros in front and behind | np.trim_zeros{0, 1, 0} --> array([1], i64)
histogram2d(x, y [, bins = 10] [, range] [, weights] [, density]) | counts in squares, and both edges | np.histogram2d({0.1, 0.9}, {0.1, 0.9}, 2) --> array([[1, 0],
histogramdd(sample [, bins = 10] [, range] [, weights] [, density]) | counts in boxes, and a table of edges; a row of `sample` is a point | np.histogramdd(np.array{{0.1}, {0.9}}, 2) --> array([1, 1], f64)
lexsort(keys [, axis = -1]) | the order by several keys, the last one first | np.lexsort{{2, 1}, {0, 0}} --> array([1, 0], i64)
packbits(a [, axis] [, bitorder]) | eight elements to a byte | np.packbits{1, 0, 1} --> array([160], u8)
unpackbits(a [, axis] [, count] [, bitorder]) | the bits of bytes | np.unpackbits(np.array({3}, "u8")) --> array([0, 0, 0, 0, 0, 0, 1, 1], u8)
linalg.matmul(x1, x2) | ?np.matmul | np.linalg.matmul({{2.}}, {{3.}}) --> array([[6]], f64)
linalg.outer(x1, x2) | ?np.outer | np.linalg.outer({1, 2}, {3}).shape[1] --> 2
linalg.tensordot(x1, x2 [, axes]) | ?np.tensordot | np.linalg.tensordot({1, 2}, {3, 4}, 1) --> 11
linalg.vecdot(x1, x2 [, axis]) | ?np.vecdot | np.linalg.vecdot({1, 2}, {3, 4}) --> 11
linalg.matrix_transpose(x) | ?np.matrix_transpose | np.linalg.matrix_transpose{{1, 2}}.shape[1] --> 2
linalg.cross(x1, x2 [, axis]) | ?np.cross | np.linalg.cross({1, 0, 0}, {0, 1, 0}) --> array([0, 0, 1], i64)
linalg.diagonal(x [, offset]) | diagonals of the last two axes | np.linalg.diagonal{{1, 2}, {3, 4}} --> array([1, 4], i64)
linalg.trace(x [, offset]) | their sums | np.linalg.trace{{1, 2}, {3, 4}} --> 5
linalg.tensorinv(a [, ind = 2]) | the inverse with respect to tensordot | np.linalg.tensorinv(np.eye(2), 1)[0] --> array([1, 0], f64)
linalg.tensorsolve(a, b [, axes]) | x with tensordot(a, x) = b | np.linalg.tensorsolve(np.eye(2), {3., 4}) --> array([3, 4], f64)
linalg.matrix_norm(x [, ord = "fro"] [, keepdims]) | ?np.linalg.norm of the last two axes | np.linalg.matrix_norm{{3., 4}} --> 5.0
linalg.vector_norm(x [, axis] [, ord = 2] [, keepdims]) | ?np.linalg.norm of all elements, or along axes | np.linalg.vector_norm{3., 4} --> 5.0
fft.hfft(a [, n] [, axis] [, norm]) | the transform of a signal that is its own conjugate in reverse | np.fft.hfft{1., 0} --> array([1, 1], f64)
fft.ihfft(a [, n] [, axis] [, norm]) | its inverse | np.fft.ihfft({1., 1}).real --> array([1, 0], f64)
]==]

local own = {}
local methods = [[
np.add.reduce(a [, axis = 0]), .accumulate(a [, axis = 0]), .outer(a, b),
.at(a, indices, b): methods of every function of two numbers: folded along an
axis, each step of that, for all pairs, and in place, where an index may be
there several times.
Example: np.subtract.reduce{9, 2, 3} --> 4
Example: np.multiply.outer({1, 2}, {3, 4})[1] --> array([6, 8], i64)]]
for name in ([[concat permute_dims amax amin matrix_transpose unstack rollaxis
  vecdot apply_over_axes block piecewise fromfunction array_equiv isscalar shape
  ndim size polyadd polysub polymul polyder polyint lexsort]]):gmatch("%S+") do
  own[name] = true
end

local help = {}
for form, text, example in rows:gmatch("([^\n]-) | ([^\n]-) |([^\n]*)\n") do
  local name = form:match("^[%w_.]+")
  help["np." .. name] = "np." .. form .. ": " .. text .. "\nExample:" .. example
  if not own[name] then
    help["jnp." .. name] = "jnp." .. form .. ": " .. text ..
                           ". Types are jnp's: ?np." .. name
  end
end
help["np.ufunc"] = methods
for name, text in pairs{
  put_along_axis = "arr, indices, values, axis",
  put = "a, ind, v", place = "arr, mask, vals", fill_diagonal = "a, val",
} do
  help["jnp." .. name] = ("jnp.%s(%s, {inplace = false}): a new array, as " ..
    "?np.%s would change the old one."):format(name, text, name)
end
return help
