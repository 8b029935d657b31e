-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jax.lax's functions of arrays. Each line "Example: code
-- --> text" is run by tests/lua/test_jax_control.lua.
local help = {
["jax.lax.conv_general_dilated"] = [[
jax.lax.conv_general_dilated(lhs, rhs, window_strides, padding [, lhs_dilation]
[, rhs_dilation] [, dimension_numbers] [, feature_group_count]
[, batch_group_count]): images times a kernel in every window. padding is "SAME",
"SAME_LOWER", "VALID" or {low, high} for each axis of space. dimension_numbers:
the axes as letters, {"NCHW", "OIHW", "NCHW"} where none are given;
{"NHWC", "HWIO", "NHWC"} has the features last.
Shapes:  (batch, features, space ...), (out features, features / groups, ...)
Grad:    both: a convolution's derivatives are convolutions
Errors:  "2 input features of (1, 2, 4, 4); the kernel (3, 3, 2, 2) has 3"
Example: jax.lax.conv_general_dilated(jnp.ones{1, 4, 1}, jnp.ones{2, 1, 1}, {2}, "VALID", {dimension_numbers = {"NHC", "HIO", "NHC"}}):ravel() --> Array([2, 2], f32)]],
["jax.lax.conv"] = [[
jax.lax.conv(lhs, rhs, window_strides, padding): ?jax.lax.conv_general_dilated
with axes NCHW and OIHW. The layers of a network: conv, jax.nn.relu, and
?jax.lax.reduce_window for pooling.
Example: jax.lax.conv(jnp.ones{1, 1, 3, 3}, jnp.ones{1, 1, 2, 2}, {1, 1}, "VALID")[0][0] --> Array([[4, 4],]],
["jax.lax.conv_with_general_padding"] = [[
jax.lax.conv_with_general_padding(lhs, rhs, window_strides, padding,
lhs_dilation, rhs_dilation): ?jax.lax.conv_general_dilated with axes NCHW, OIHW.]],
["jax.lax.conv_transpose"] = [[
jax.lax.conv_transpose(lhs, rhs, strides, padding [, rhs_dilation]
[, dimension_numbers] [, transpose_kernel]): makes images larger by the strides.
Axes are NHWC and HWIO where none are given.
Example: jax.lax.conv_transpose(jnp.ones{1, 2, 1}, jnp.ones{2, 1, 1}, {2}, "VALID"):ravel() --> Array([1, 1, 1, 1], f32)]],
["jax.lax.conv_general_dilated_patches"] = [[
jax.lax.conv_general_dilated_patches(lhs, filter_shape, window_strides, padding
[, ...]): the elements of each window as its features.
Example: jax.lax.conv_general_dilated_patches(jnp.arange(3.):reshape(1, 1, 3), {2}, {1}, "VALID")[0] --> Array([[0, 1],]],
["jax.lax.conv_dimension_numbers"] = [[
jax.lax.conv_dimension_numbers(lhs_shape, rhs_shape, {"NHWC", "HWIO", "NHWC"}):
where the axes are, as numbers.]],
["jax.lax.padtype_to_pads"] = [[
jax.lax.padtype_to_pads(in_shape, window_shape, window_strides, padding): what
"SAME" or "VALID" adds to each axis.
Example: jax.lax.padtype_to_pads({5}, {2}, {2}, "SAME")[1][2] --> 1]],
["jax.lax.reduce_window"] = [[
jax.lax.reduce_window(x, init, f, window_dimensions [, window_strides]
[, padding = "VALID"] [, base_dilation] [, window_dilation]): each window of x
folded by f. lax.max from -jnp.inf is max pooling; lax.add from 0, divided by
the window's size, is average pooling.
Grad:    lax.add, lax.max, lax.min (to the first of equals); others by their own
Example: jax.lax.reduce_window(jnp.array{1., 3, 2, 5}, -jnp.inf, jax.lax.max, {2}, {2}) --> Array([3, 5], f32)]],
["jax.lax.reduce"] = [[
jax.lax.reduce(x, init, f, dimensions): these axes folded by any associative f.
Example: jax.lax.reduce(jnp.array{2., 3, 4}, 1.0, jax.lax.mul, {0}) --> Array(24, f32)]],
}

-- {arguments, what they give, an example's arguments, its result}
for name, row in pairs{
  batch_matmul = {"lhs, rhs", "products of matrices, counted by the axes in " ..
                  "front"},
  broadcast = {"x, sizes", "x with new axes of these sizes in front"},
  broadcast_to_rank = {"x, rank", "x with axes of size 1 in front"},
  broadcasted_iota = {"dtype, shape, dimension", "numbers that count along " ..
                      "one axis"},
  iota = {"dtype, size", "0 to size - 1", '"i32", 3', "Array([0, 1, 2], i32)"},
  collapse = {"x, start_dimension [, stop_dimension]",
              "these axes, without the last, as one"},
  split = {"x, sizes [, axis = 0]", "a table of parts of these sizes"},
  index_in_dim = {"x, index [, axis = 0] [, keepdims = true]", "one place of " ..
                  "an axis"},
  sort_key_val = {"keys, values [, dimension = -1]", "both, in the order of " ..
                  "the keys"},
  approx_max_k = {"x, k", "jax.lax.top_k, exact here"},
  approx_min_k = {"x, k", "the k smallest of the last axis, and their places"},
  fft = {"x, fft_type, fft_lengths", "\"FFT\", \"IFFT\", \"RFFT\" or " ..
         "\"IRFFT\" over the last axes"},
  optimization_barrier = {"x", "x itself"},
  reduce_precision = {"x, exponent_bits, mantissa_bits", "x rounded to such a " ..
                      "format: 8, 7 is bf16, 8, 10 TF32, 5, 10 f16",
                      "1.01, 8, 7", "Array(1.0078125, f32)"},
  reduce_xor = {"x, axes", "exclusive or of all bits"},
  betainc = {"a, b, x", "the regularised incomplete beta function",
             "2.0, 2.0, 0.0", "Array(0, f32)"},
  igamma = {"a, x", "the regularised incomplete gamma function"},
  igammac = {"a, x", "1 - igamma(a, x)"},
  igamma_grad_a = {"a, x", "the derivative of igamma with respect to a"},
  random_gamma_grad = {"a, x", "how a gamma number x moves with its shape a"},
  bessel_i0e = {"x", "the modified Bessel function of order 0 by e^|x|"},
  bessel_i1e = {"x", "the modified Bessel function of order 1 by e^|x|"},
  zeta = {"s, q", "Hurwitz' zeta function, the sum of (q + k)^-s"},
} do
  help["jax.lax." .. name] = ("jax.lax.%s(%s): %s.%s"):format(name, row[1],
    row[2], row[3] and ("\nExample: jax.lax.%s(%s) --> %s"):format(name, row[3],
                                                                  row[4]) or "")
end
return help
