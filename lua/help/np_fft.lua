-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np.fft and for complex numbers.
local help = {
["np.complex"] = [[
np.complex(re [, im]): a complex array. np's arrays are real: what NumPy gives as
a complex array is a pair of real ones, z.real and z.imag, with + - * /, -z,
z[...], z.shape, np.abs(z), np.angle(z), np.conj(z). np.fft and np.linalg.eig
give such pairs. Other functions of np refuse them: give them z.real and z.imag.
Errors:  "this array is complex, and a real one is needed"
Example: np.abs(np.complex({3, 0}, {4, 1})) --> array([5, 1], f64)
Example: (np.complex(1, 2) * np.complex(0, 1)).real --> -2.0]],
["np.real"] = [[
np.real(z): the real part; real arrays are theirs.
Example: np.real(np.complex({1}, {2})) --> array([1], f64)]],
["np.imag"] = [[
np.imag(z): the imaginary part; zeros for real arrays.
Example: np.imag{1, 2} --> array([0, 0], i64)]],
["np.conj"] = [[
np.conj(z): the complex conjugate.
Example: np.conj(np.complex({1}, {2})).imag --> array([-2], f64)]],
["np.conjugate"] = [[
np.conjugate(z): np.conj.
Example: np.conjugate(np.complex({1}, {2})).imag --> array([-2], f64)]],
["np.angle"] = [[
np.angle(z): the angle of each number, -pi to pi.
Example: np.angle(np.complex({1}, {0})) --> array([0], f64)]],
["np.iscomplexobj"] = [[
np.iscomplexobj(z): is it a complex pair?
Example: np.iscomplexobj(np.fft.fft{1, 2}) --> true]],
["np.fft.fft"] = [[
np.fft.fft(a [, n] [, axis = -1] [, norm = "backward"]): the discrete Fourier
transform along an axis, cut or filled with zeros to n. a: real, or a complex
pair (?np.complex). The result is such a pair. norm: "backward" divides the
inverse by n, "forward" this one, "ortho" both by sqrt(n).
Types:   f32 stays f32 (computed in f64, by FFTW), others give f64
Example: np.fft.fft({1, 2, 3, 4}).real --> array([10, -2, -2, -2], f64)
Example: np.fft.fft({1, 2, 3, 4}).imag --> array([0, 2, 0, -2], f64)]],
["np.fft.ifft"] = [[
np.fft.ifft(a [, n] [, axis] [, norm]): its inverse.
Example: np.fft.ifft(np.fft.fft{1, 2, 3, 4}).real --> array([1, 2, 3, 4], f64)]],
["np.fft.rfft"] = [[
np.fft.rfft(a [, n] [, axis] [, norm]): of real input; only the first
n // 2 + 1 results, of which the rest are the conjugates.
Example: np.fft.rfft({1, 2, 3, 4}).real --> array([10, -2, -2], f64)]],
["np.fft.irfft"] = [[
np.fft.irfft(a [, n = 2 * (m - 1)] [, axis] [, norm]): its inverse, an array of
n real numbers. Name n where it is odd.
Example: np.fft.irfft(np.fft.rfft{1, 2, 3}, 3) --> array([1, 2, 3], f64)]],
["np.fft.fft2"] = [[
np.fft.fft2(a [, s] [, axes = {-2, -1}] [, norm]): fft along two axes.
Example: np.fft.fft2({{1, 2}, {3, 4}}).real[0] --> array([10, -2], f64)]],
["np.fft.ifft2"] = [[
np.fft.ifft2(a [, s] [, axes = {-2, -1}] [, norm]): its inverse.
Example: np.fft.ifft2(np.fft.fft2{{1, 2}, {3, 4}}).real[0] --> array([1, 2], f64)]],
["np.fft.rfft2"] = [[
np.fft.rfft2(a [, s] [, axes = {-2, -1}] [, norm]): rfft along the last of two
axes, then fft along the other.
Example: np.fft.rfft2({{1, 2}, {3, 4}}).shape[2] --> 2]],
["np.fft.irfft2"] = [[
np.fft.irfft2(a [, s] [, axes = {-2, -1}] [, norm]): its inverse.
Example: np.fft.irfft2(np.fft.rfft2{{1, 2}, {3, 4}})[0] --> array([1, 2], f64)]],
["np.fft.fftn"] = [[
np.fft.fftn(a [, s] [, axes] [, norm]): fft along all axes, or these.
Example: np.fft.fftn({{1, 2}, {3, 4}}).real[0] --> array([10, -2], f64)]],
["np.fft.ifftn"] = [[
np.fft.ifftn(a [, s] [, axes] [, norm]): its inverse.
Example: np.fft.ifftn(np.fft.fftn{{1, 2}, {3, 4}}).real[0] --> array([1, 2], f64)]],
["np.fft.rfftn"] = [[
np.fft.rfftn(a [, s] [, axes] [, norm]): rfft along the last axis, fft along the
others.
Example: np.fft.rfftn({{1, 2}, {3, 4}}).ndim --> 2]],
["np.fft.irfftn"] = [[
np.fft.irfftn(a [, s] [, axes] [, norm]): its inverse.
Example: np.fft.irfftn(np.fft.rfftn{{1, 2}, {3, 4}})[0] --> array([1, 2], f64)]],
["np.fft.fftfreq"] = [[
np.fft.fftfreq(n [, d = 1]): the frequency of each result of fft, for samples d
apart: first those from 0 on, then the negative ones.
Example: np.fft.fftfreq(4) --> array([0, 0.25, -0.5, -0.25], f64)]],
["np.fft.rfftfreq"] = [[
np.fft.rfftfreq(n [, d = 1]): the same for rfft.
Example: np.fft.rfftfreq(4) --> array([0, 0.25, 0.5], f64)]],
["np.fft.fftshift"] = [[
np.fft.fftshift(x [, axes]): moves frequency 0 to the middle.
Example: np.fft.fftshift{0, 1, -2, -1} --> array([-2, -1, 0, 1], i64)]],
["np.fft.ifftshift"] = [[
np.fft.ifftshift(x [, axes]): moves it back.
Example: np.fft.ifftshift{-2, -1, 0, 1} --> array([0, 1, -2, -1], i64)]],
}
return help
