-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jnp.linalg and jnp.fft. Each line "Example: code -->
-- text" is run by tests/lua/test_jax_linalg.lua.
local help = {
["jnp.linalg"] = [[
jnp.linalg: solve, inv, det, slogdet, cholesky, qr, svd, svdvals, eigh, eigvalsh,
pinv, norm, lstsq, cond, matrix_rank, matrix_power, multi_dot, tensorsolve and
more, as ?np.linalg.solve and so on, for jax arrays, under jit, vmap and grad
(eig and eigvals: of known arrays alone, outside of these). LAPACK computes them on the host, also when the arrays are on a GPU (JAX
calls cuSOLVER there): the matrices are copied over and back. No error where a
matrix is singular or not positive definite, as in JAX: inf and nan.
Grad:    all; of qr and svd where q or u has no more columns than the matrix has
         rows and full_matrices is false
Example: jnp.linalg.det(jnp.array{{2., 1}, {1, 3}}) --> Array(5, f32)
Example: jax.grad(jnp.linalg.det)(jnp.array{{2., 1}, {1, 3}})[0] --> Array([3, -1], f32)]],
["jax.lax.linalg"] = [=[
jax.lax.linalg: cholesky(x), triangular_solve(a, b, left_side, lower,
transpose_a, conjugate_a, unit_diagonal), eigh(x, lower) -> v, w,
qr(x, pivoting, full_matrices), svd(x, full_matrices, compute_uv): what
jnp.linalg is made of.
Example: jax.lax.linalg.triangular_solve(jnp.array{{2.}}, jnp.array{{6.}}, true) --> Array([[3]], f32)]=],
["jnp.fft"] = [[
jnp.fft: fft, ifft, rfft, irfft, the same with 2 and n behind (fft2, fftn) for
several axes, hfft, ihfft, fftfreq, rfftfreq, fftshift, ifftshift, as ?np.fft.fft and so on, for jax arrays, under jit, vmap and grad.
Complex results are pairs, z.real and z.imag (?np.complex): branches of a tree,
so that functions take and return them. FFTW computes on the host.
Grad:    yes
Example: jnp.fft.fft(jnp.array{1., 2}).real --> Array([3, -1], f32)]],
}
help["jnp.complex"] = [[
jnp.complex(re [, im]): a pair of jax arrays that is a complex one: ?np.complex.
jnp.real, imag, conj, angle and abs take it.
Example: jnp.abs(jnp.complex(jnp.array{3.}, jnp.array{4.})) --> Array([5], f32)]]
return help
