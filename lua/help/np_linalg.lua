-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np.linalg. Matrices are the last two axes; axes in front
-- count them. LAPACK computes in f64; f32 stays f32, other types give f64.
local help = {
["np.linalg.solve"] = [[
np.linalg.solve(a, b): x with a x = b. b with one axis is a vector, else the
last two axes are a matrix.
Shapes:  (..., n, n), (..., n, k) -> (..., n, k)
Grad:    both arguments (jnp.linalg)
Errors:  "LinAlgError: the matrix of shape (2, 2) is singular (pivot 1 is 0)"
Example: np.linalg.solve({{2, 0}, {0, 4}}, {1, 1}) --> array([0.5, 0.25], f64)]],
["np.linalg.inv"] = [[
np.linalg.inv(a): the inverse. To solve a system, solve is faster and more
exact.
Errors:  "LinAlgError: matrix 1 of the stack of shape (3, 2, 2) is singular"
Example: np.linalg.inv{{2, 0}, {0, 4}}[0] --> array([0.5, 0], f64)]],
["np.linalg.det"] = [[
np.linalg.det(a): the determinant.
Example: np.linalg.det{{2, 0}, {0, 4}} --> 8.0]],
["np.linalg.slogdet"] = [[
np.linalg.slogdet(a): the determinant's sign, and the logarithm of its absolute
value, which does not overflow.
Example: np.linalg.slogdet{{-1, 0}, {0, 1}} --> -1.0]],
["np.linalg.cholesky"] = [[
np.linalg.cholesky(a [, upper = false]): the lower triangle L with L L' = a, or
the upper one. Only that triangle of a is read.
Errors:  "LinAlgError: the matrix of shape (2, 2) is not positive definite"
Example: np.linalg.cholesky{{4, 0}, {0, 9}}[1] --> array([0, 3], f64)]],
["np.linalg.qr"] = [[
np.linalg.qr(a [, mode = "reduced"]): q with orthonormal columns and the upper
triangle r, a = q r. "complete": q is square; "r": r alone; "raw": LAPACK's h and
tau.
Example: np.linalg.qr({{0, 1}, {-1, 0}}, "r")[0] --> array([-1, 0], f64)]],
["np.linalg.svd"] = [[
np.linalg.svd(a [, full_matrices = true] [, compute_uv = true]): u, s, vh with
a = u diag(s) vh; s descends. Without compute_uv s alone.
Errors:  "LinAlgError: ... no singular values that converge (it holds a NaN)"
Example: np.linalg.svd({{0, 2}, {3, 0}}, true, false) --> array([3, 2], f64)]],
["np.linalg.svdvals"] = [[
np.linalg.svdvals(x): the singular values, in descending order.
Example: np.linalg.svdvals{{0, 2}, {3, 0}} --> array([3, 2], f64)]],
["np.linalg.eigh"] = [[
np.linalg.eigh(a [, UPLO = "L"]): eigenvalues of a symmetric matrix in ascending
order, and its eigenvectors as columns. Only that triangle of a is read.
Example: np.linalg.eigh{{2, 0}, {0, 1}} --> array([1, 2], f64)]],
["np.linalg.eigvalsh"] = [[
np.linalg.eigvalsh(a [, UPLO = "L"]): the eigenvalues of a symmetric matrix.
Example: np.linalg.eigvalsh{{2, 0}, {0, 1}} --> array([1, 2], f64)]],
["np.linalg.eig"] = [[
np.linalg.eig(a): eigenvalues and, as columns, eigenvectors of any square
matrix; complex pairs (?np.complex) where an eigenvalue is not real.
Example: np.linalg.eig{{2, 0}, {0, 1}} --> array([2, 1], f64)]],
["np.linalg.eigvals"] = [[
np.linalg.eigvals(a): the eigenvalues; complex where one is not real.
Example: np.linalg.eigvals({{0, 1}, {-1, 0}}).imag --> array([1, -1], f64)]],
["np.linalg.lstsq"] = [[
np.linalg.lstsq(a, b [, rcond]): x that makes |b - a x| least, the squared
residuals (empty unless a has full rank and more rows than columns), the rank,
and the singular values. Singular values below rcond times the largest count
as 0.
Example: np.linalg.lstsq({{1}, {1}}, {1, 3})[0] --> 2.0]],
["np.linalg.pinv"] = [[
np.linalg.pinv(a [, rcond = 1e-15]): the pseudo-inverse, from the singular
values over rcond times the largest.
Example: np.linalg.pinv({{2, 0}, {0, 0}})[0] --> array([0.5, 0], f64)]],
["np.linalg.matrix_rank"] = [[
np.linalg.matrix_rank(A [, tol]): how many singular values are over tol (the
largest times the size times the precision).
Example: np.linalg.matrix_rank{{1, 2}, {2, 4}} --> 1]],
["np.linalg.norm"] = [[
np.linalg.norm(x [, ord] [, axis] [, keepdims]): of a vector (one axis): the
2-norm, or ord a number, np.inf, -np.inf; of a matrix (two axes): "fro", "nuc",
inf, -inf, 1, -1, 2, -2. Without ord and axis, of all elements.
Example: np.linalg.norm{3, 4} --> 5.0
Example: np.linalg.norm({{3, 4}, {0, 0}}, 1) --> 4.0]],
["np.linalg.cond"] = [[
np.linalg.cond(x [, p]): the condition number, in the 2-norm or the norm p.
Example: np.linalg.cond{{4, 0}, {0, 2}} --> 2.0]],
["np.linalg.matrix_power"] = [[
np.linalg.matrix_power(a, n): a times itself n times; of the inverse where n is
negative.
Example: np.linalg.matrix_power({{1, 1}, {0, 1}}, 5)[0] --> array([1, 5], i64)]],
["np.linalg.multi_dot"] = [[
np.linalg.multi_dot{a, b, ...}: the product of all, in the order that costs
least.
Example: np.linalg.multi_dot{{1, 2}, np.eye(2), {3, 4}} --> 11.0]],
}
help["np.roots"] = [[
np.roots(p): the zeros of the polynomial with the coefficients p, the highest power
first, as eigenvalues of its companion matrix; complex where one of them is.
Errors:  "roots: the coefficients are an array with one axis, and p has 2"
Example: np.sort(np.round(np.roots{1, -3, 2}, 9)) --> array([1, 2], f64)
Example: np.sort(np.roots{1, 0, 4}.imag) --> array([-2, 2], f64)]]
help["np.polyfit"] = [[
np.polyfit(x, y, deg [, rcond] [, full] [, w]): the coefficients, the highest
power first, of the polynomial that is nearest in the sense of least squares; w
weighs the points. `full` gives residuals, rank, singular values and rcond as
well.
Example: np.round(np.polyfit({0, 1, 2}, {1, 3, 5}, 1), 9) --> array([2, 1], f64)]]
return help
