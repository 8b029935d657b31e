-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for products of arrays, convolution and polynomials.
return {
["np.matmul"] = [[
np.matmul(a, b): product of matrices and vectors; axes in front of the last two
count stacks of matrices and are broadcast.
Shapes:  (..., m, k), (..., k, n) -> (..., m, n); (k), (k) -> a number
Types:   all; sums of f16 and bf16 are kept in f32, integers wrap
Errors:  "inner sizes differ: 3 of (2, 3) and 2 of (2, 3)"
Example: np.matmul({1, 2}, {3, 4}) --> 11
Example: np.matmul(np.ones({5, 2, 3}), np.ones({3, 4})).ndim --> 3]],
["np.dot"] = [[
np.dot(a, b), a:dot(b): as matmul up to two axes; the product with a number;
else sums over the last axis of a and the last but one of b.
Example: np.dot({1, 2}, {3, 4}) --> 11]],
["np.vdot"] = [[
np.vdot(a, b): the sum of products of all elements, in order.
Example: np.vdot({{1, 2}}, {3, 4}) --> 11]],
["np.inner"] = [[
np.inner(a, b): sums over the last axes of both.
Shapes:  (..., k), (..., k) -> all other axes
Example: np.inner({1, 2}, {3, 4}) --> 11]],
["np.outer"] = [[
np.outer(a, b): each element of a times each of b; both are flattened.
Shapes:  (m), (n) -> (m, n)
Example: np.outer({1, 2}, {3, 4})[1] --> array([6, 8], i64)]],
["np.tensordot"] = [[
np.tensordot(a, b [, axes = 2]): sums over the last `axes` of a and the first
of b, or over {axes of a, axes of b}.
Errors:  "the axes {1} of (2, 3) and {0} of (2, 2) differ"
Example: np.tensordot({{1, 2}}, {{3, 4}}) --> 11
Example: np.tensordot({1, 2}, {3, 4}, 0)[1] --> array([6, 8], i64)]],
["np.einsum"] = [[
np.einsum(subscripts, a, b, ...): sums of products, each axis named by a
letter. Letters missing from the result are summed over; a letter twice in one
array takes its diagonal; "..." stands for axes that broadcast. Without "->"
the letters that occur once are the result, in alphabetical order. Pairs are
contracted in the order that costs least, by np.matmul.
Errors:  "`j` is 3 long in one array and 2 in another"
Example: np.einsum("ij,jk->ik", {{1, 2}}, {{3}, {4}})[0] --> array([11], i64)
Example: np.einsum("ii", np.eye(3)) --> 3.0]],
["np.kron"] = [[
np.kron(a, b): each element of a replaced by its product with b.
Example: np.kron({1, 10}, {1, 2}) --> array([1, 2, 10, 20], i64)]],
["np.cross"] = [[
np.cross(a, b [, axisa] [, axisb] [, axisc] [, axis = -1]): vector products of
vectors with 3 items.
Example: np.cross({1, 0, 0}, {0, 1, 0}) --> array([0, 0, 1], i64)]],
["np.convolve"] = [[
np.convolve(a, v [, mode = "full"]): the sums of products with v reversed. "full"
has n + m - 1 of them, "same" as many as the longer array, "valid" those where
the arrays overlap entirely.
Example: np.convolve({1, 2, 3}, {1, 1}) --> array([1, 3, 5, 3], i64)]],
["np.correlate"] = [[
np.correlate(a, v [, mode = "valid"]): the same with v as it is.
Example: np.correlate({1, 2, 3}, {0, 1}) --> array([2, 3], i64)]],
["np.polyval"] = [[
np.polyval(p, x): the polynomial whose coefficients are p, the highest power
first.
Example: np.polyval({1, 0, 2}, 3) --> 11]],
}
