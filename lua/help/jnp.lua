-- SPDX-License-Identifier: Apache-2.0
-- What ?jnp.NAME shows: one line a function, made of the rows below,
--
--   form | what it gives | example --> its text
--
-- with the form's name in front. Everything else is as for np's function of the
-- name: arguments by position or in a last table, {axis = 0, keepdims = true}.
-- Examples are run by tests/lua/test_jnp.lua, which also checks that no function
-- of jnp is missing.
local rows = [==[
array(value [, dtype]) | a jax array of nested tables, numbers or arrays; numbers give f32, i32 and bool | jnp.array{1, 2.5} --> Array([1, 2.5], f32)
asarray(value [, dtype]) | the same as jnp.array, without a copy where it is one already | jnp.asarray(np.arange(2)) --> Array([0, 1], i32)
from_dlpack(x) | the memory of a device array of np's as a jax array; it is never copied: where it cannot be shared that is an error | jnp.from_dlpack(jnp.arange(2)) --> Array([0, 1], i32)
copy(x) | the same elements in new memory | jnp.copy(jnp.arange(2)) --> Array([0, 1], i32)
astype(x, dtype) | x of another element type | jnp.arange(2):astype("f16") --> Array([0, 1], f16)
zeros(shape [, dtype = "f32"]) | an array of zeros | jnp.zeros(2) --> Array([0, 0], f32)
ones(shape [, dtype = "f32"]) | an array of ones | jnp.ones({2}, "i8") --> Array([1, 1], i8)
empty(shape [, dtype = "f32"]) | an array of zeros: nothing is left undefined | jnp.empty(2) --> Array([0, 0], f32)
zeros_like(x [, dtype, shape]) | zeros of x's shape and type | jnp.zeros_like(jnp.arange(2)) --> Array([0, 0], i32)
ones_like(x [, dtype, shape]) | ones of x's shape and type | jnp.ones_like(jnp.arange(2)) --> Array([1, 1], i32)
empty_like(x [, dtype, shape]) | zeros of x's shape and type | jnp.empty_like(jnp.arange(2)).dtype --> i32
full(shape, value [, dtype]) | an array that holds `value` everywhere | jnp.full(2, 7) --> Array([7, 7], i32, weak_type=True)
full_like(x, value [, dtype, shape]) | `value` in x's shape and type | jnp.full_like(jnp.ones(2), 3) --> Array([3, 3], f32)
arange([start,] stop [, step] [, dtype]) | evenly spaced numbers, without `stop`; the size must not depend on a traced value | jnp.arange(2, 8, 2) --> Array([2, 4, 6], i32)
linspace(start, stop [, num = 50, endpoint = true, retstep, dtype, axis]) | `num` numbers, with `stop` | jnp.linspace(0, 1, 3) --> Array([0, 0.5, 1], f32)
logspace(start, stop [, num, endpoint, base = 10, dtype]) | powers of the base, evenly spaced exponents | jnp.logspace(0, 2, 3) --> Array([1, 10, 100], f32)
geomspace(start, stop [, num, endpoint, dtype]) | numbers at an even ratio | jnp.geomspace(1, 4, 2) --> Array([1, 4], f32)
eye(n [, M, k = 0, dtype]) | ones on diagonal k | jnp.eye(2):sum() --> Array(2, f32)
identity(n [, dtype]) | the unit matrix | jnp.identity(1) --> Array([[1]], f32)
tri(n [, M, k = 0, dtype]) | ones at and below diagonal k | jnp.tri(2):sum() --> Array(3, f32)
tril(x [, k = 0]) | x with zeros above diagonal k | jnp.tril(jnp.ones({2, 2})):sum() --> Array(3, f32)
triu(x [, k = 0]) | x with zeros below diagonal k | jnp.triu(jnp.ones({2, 2})):sum() --> Array(3, f32)
tril_indices(n [, k, m]) | the rows and the columns of the lower triangle | (jnp.tril_indices(2)) --> Array([0, 1, 1], i32)
triu_indices(n [, k, m]) | the rows and the columns of the upper triangle | (jnp.triu_indices(2)) --> Array([0, 0, 1], i32)
meshgrid(x, y, ... [, {indexing = "xy", sparse = false}]) | each vector spread over the axes of the others | (jnp.meshgrid(jnp.arange(2), jnp.arange(3))).shape[1] --> 3
indices(shape [, dtype, sparse]) | the index along each axis | jnp.indices({2, 2})[1] --> Array([[0, 1],
fromfunction(f, shape [, dtype]) | f of the index along each axis | jnp.fromfunction(function(i) return i * 2 end, 2) --> Array([0, 2], f32)
load(path) | the array of a .npy file |
save(path, x) | writes x as a .npy file |
abs(x) | the same as absolute | jnp.abs(-2) --> Array(2, i32, weak_type=True)
absolute(x) | |x| | jnp.absolute(jnp.array{-1.5}) --> Array([1.5], f32)
fabs(x) | |x| as a float | jnp.fabs(-2) --> Array(2, f32, weak_type=True)
negative(x) | -x | jnp.negative(2) --> Array(-2, i32, weak_type=True)
positive(x) | x | jnp.positive(2) --> Array(2, i32, weak_type=True)
sign(x) | -1, 0 or 1 | jnp.sign(-2.5) --> Array(-1, f32, weak_type=True)
signbit(x) | whether the sign is a minus, of zeros too | jnp.signbit(-0.0) --> Array(true, bool)
square(x) | x * x | jnp.square(3) --> Array(9, i32, weak_type=True)
sqrt(x) | the square root | jnp.sqrt(9) --> Array(3, f32, weak_type=True)
cbrt(x) | the cube root | jnp.cbrt(8) --> Array(2, f32, weak_type=True)
reciprocal(x) | 1 / x | jnp.reciprocal(4) --> Array(0.25, f32, weak_type=True)
exp(x) | e^x | jnp.exp(0) --> Array(1, f32, weak_type=True)
exp2(x) | 2^x | jnp.exp2(3) --> Array(8, f32, weak_type=True)
expm1(x) | e^x - 1, exact near 0 | jnp.expm1(0.0) --> Array(0, f32, weak_type=True)
log(x) | the natural logarithm | jnp.log(1) --> Array(0, f32, weak_type=True)
log2(x) | the logarithm to the base 2 | jnp.log2(8) --> Array(3, f32)
log10(x) | the logarithm to the base 10 | jnp.log10(1.0) --> Array(0, f32)
log1p(x) | log(1 + x), exact near 0 | jnp.log1p(0.0) --> Array(0, f32, weak_type=True)
logaddexp(x, y) | log(exp(x) + exp(y)) without overflow | jnp.logaddexp(1000.0, -1000.0) --> Array(1000, f32, weak_type=True)
logaddexp2(x, y) | the same to the base 2 | jnp.logaddexp2(1.0, 1.0) --> Array(2, f32)
sin(x) | sine | jnp.sin(0) --> Array(0, f32, weak_type=True)
cos(x) | cosine | jnp.cos(0) --> Array(1, f32, weak_type=True)
tan(x) | tangent | jnp.tan(0) --> Array(0, f32, weak_type=True)
arcsin(x) | inverse sine; also asin | jnp.arcsin(0) --> Array(0, f32, weak_type=True)
asin(x) | the same as arcsin |
arccos(x) | inverse cosine; also acos | jnp.arccos(1) --> Array(0, f32, weak_type=True)
acos(x) | the same as arccos |
arctan(x) | inverse tangent; also atan | jnp.arctan(0) --> Array(0, f32, weak_type=True)
atan(x) | the same as arctan |
arctan2(y, x) | the angle of the point (x, y); also atan2 | jnp.arctan2(0.0, 1.0) --> Array(0, f32, weak_type=True)
atan2(y, x) | the same as arctan2 |
sinh(x) | hyperbolic sine | jnp.sinh(0) --> Array(0, f32, weak_type=True)
cosh(x) | hyperbolic cosine | jnp.cosh(0) --> Array(1, f32, weak_type=True)
tanh(x) | hyperbolic tangent | jnp.tanh(0) --> Array(0, f32, weak_type=True)
arcsinh(x) | inverse hyperbolic sine; also asinh | jnp.arcsinh(0) --> Array(0, f32, weak_type=True)
asinh(x) | the same as arcsinh |
arccosh(x) | inverse hyperbolic cosine; also acosh | jnp.arccosh(1) --> Array(0, f32, weak_type=True)
acosh(x) | the same as arccosh |
arctanh(x) | inverse hyperbolic tangent; also atanh | jnp.arctanh(0) --> Array(0, f32, weak_type=True)
atanh(x) | the same as arctanh |
sinc(x) | sin(pi x) / (pi x), 1 at 0 | jnp.sinc(0.0) --> Array(1, f32, weak_type=True)
deg2rad(x) | degrees as radians; also radians | jnp.deg2rad(0) --> Array(0, f32, weak_type=True)
radians(x) | the same as deg2rad |
rad2deg(x) | radians as degrees; also degrees | jnp.rad2deg(0) --> Array(0, f32, weak_type=True)
degrees(x) | the same as rad2deg |
hypot(x, y) | sqrt(x^2 + y^2) without overflow | jnp.hypot(3, 4) --> Array(5, f32, weak_type=True)
erf(x) | the error function | jnp.erf(0) --> Array(0, f32, weak_type=True)
erfc(x) | 1 - erf(x), exact where that is small | jnp.erfc(0) --> Array(1, f32, weak_type=True)
erfinv(x) | the inverse of erf | jnp.erfinv(0.0) --> Array(0, f32, weak_type=True)
gamma(x) | the gamma function | jnp.gamma(1.0) --> Array(1, f32, weak_type=True)
lgamma(x) | log |gamma(x)|; also gammaln | jnp.lgamma(1.0) --> Array(0, f32, weak_type=True)
gammaln(x) | the same as lgamma |
digamma(x) | the derivative of lgamma; also psi |
psi(x) | the same as digamma |
i0(x) | the modified Bessel function of order 0 | jnp.i0(0.0) --> Array(1, f32, weak_type=True)
expit(x) | 1 / (1 + exp(-x)); also sigmoid | jnp.expit(0.0) --> Array(0.5, f32, weak_type=True)
sigmoid(x) | the same as expit |
logit(x) | the inverse of expit | jnp.logit(0.5) --> Array(0, f32)
xlogy(x, y) | x log(y), 0 where x is 0 | jnp.xlogy(0, 0) --> Array(0, f32, weak_type=True)
xlog1py(x, y) | x log(1 + y), 0 where x is 0 | jnp.xlog1py(0, -1) --> Array(0, f32, weak_type=True)
floor(x) | the next whole number below | jnp.floor(1.5) --> Array(1, f32, weak_type=True)
ceil(x) | the next whole number above | jnp.ceil(1.5) --> Array(2, f32, weak_type=True)
trunc(x) | the next whole number towards 0; also fix | jnp.trunc(-1.5) --> Array(-1, f32, weak_type=True)
fix(x) | the same as trunc |
rint(x) | the nearest whole number, halves to the even one | jnp.rint(2.5) --> Array(2, f32, weak_type=True)
round(x [, decimals = 0]) | rounded to so many decimals; also around | jnp.round(1.26, 1) --> Array(1.3, f32, weak_type=True)
around(x [, decimals]) | the same as round |
add(x, y) | x + y | jnp.add(1, 2) --> Array(3, i32, weak_type=True)
subtract(x, y) | x - y | jnp.subtract(1, 2) --> Array(-1, i32, weak_type=True)
multiply(x, y) | x * y | jnp.multiply(2, 3) --> Array(6, i32, weak_type=True)
divide(x, y) | x / y, a float; also true_divide | jnp.divide(1, 2) --> Array(0.5, f32, weak_type=True)
true_divide(x, y) | the same as divide |
floor_divide(x, y) | the quotient rounded down | jnp.floor_divide(-7, 2) --> Array(-4, i32, weak_type=True)
mod(x, y) | the remainder with y's sign; also remainder | jnp.mod(-7, 2) --> Array(1, i32, weak_type=True)
remainder(x, y) | the same as mod |
fmod(x, y) | the remainder with x's sign | jnp.fmod(-7, 2) --> Array(-1, i32, weak_type=True)
divmod(x, y) | floor_divide and mod | jnp.divmod(7, 2) --> Array(3, i32, weak_type=True)
power(x, y) | x^y; whole numbers to negative powers are an error; also pow | jnp.power(2, 10) --> Array(1024, i32, weak_type=True)
pow(x, y) | the same as power |
float_power(x, y) | x^y as a float | jnp.float_power(2, -1) --> Array(0.5, f32, weak_type=True)
maximum(x, y) | the larger of two; NaN wins | jnp.maximum(1, 2) --> Array(2, i32, weak_type=True)
minimum(x, y) | the smaller of two; NaN wins | jnp.minimum(1, 2) --> Array(1, i32, weak_type=True)
fmax(x, y) | the larger of two; NaN loses | jnp.fmax(jnp.nan, 2.0) --> Array(2, f32, weak_type=True)
fmin(x, y) | the smaller of two; NaN loses | jnp.fmin(jnp.nan, 2.0) --> Array(2, f32, weak_type=True)
heaviside(x, y) | 0 for x < 0, y at 0, 1 for x > 0 | jnp.heaviside(0.0, 0.5) --> Array(0.5, f32, weak_type=True)
copysign(x, y) | |x| with y's sign | jnp.copysign(2.0, -1.0) --> Array(-2, f32, weak_type=True)
nextafter(x, y) | the next number of x's type towards y | jnp.nextafter(0.0, 1.0) --> Array(1e-45, f32, weak_type=True)
ldexp(x, n) | x times 2^n | jnp.ldexp(0.5, 3) --> Array(4, f32)
frexp(x) | a fraction in [0.5, 1) and the power of 2 | jnp.frexp(8.0) --> Array(0.5, f32)
modf(x) | the fraction and the whole part | jnp.modf(1.5) --> Array(0.5, f32, weak_type=True)
gcd(x, y) | the greatest common divisor | jnp.gcd(12, 18) --> Array(6, i32, weak_type=True)
lcm(x, y) | the least common multiple | jnp.lcm(4, 6) --> Array(12, i32, weak_type=True)
bitwise_and(x, y) | bits of both | jnp.bitwise_and(6, 3) --> Array(2, i32, weak_type=True)
bitwise_or(x, y) | bits of one or both | jnp.bitwise_or(6, 3) --> Array(7, i32, weak_type=True)
bitwise_xor(x, y) | bits of one alone | jnp.bitwise_xor(6, 3) --> Array(5, i32, weak_type=True)
invert(x) | the other bits; also bitwise_not, bitwise_invert | jnp.invert(0) --> Array(-1, i32, weak_type=True)
bitwise_not(x) | the same as invert |
bitwise_invert(x) | the same as invert |
left_shift(x, n) | x shifted by n bits; also bitwise_left_shift | jnp.left_shift(1, 4) --> Array(16, i32, weak_type=True)
bitwise_left_shift(x, n) | the same as left_shift |
right_shift(x, n) | x shifted back; the sign stays; also bitwise_right_shift | jnp.right_shift(-8, 1) --> Array(-4, i32, weak_type=True)
bitwise_right_shift(x, n) | the same as right_shift |
bitwise_count(x) | how many bits of |x| are 1 | jnp.bitwise_count(7) --> Array(3, u8)
equal(x, y) | x == y; also x:eq(y) | jnp.equal(1, 1.0) --> Array(true, bool)
not_equal(x, y) | x ~= y; also x:ne(y) | jnp.not_equal(1, 2) --> Array(true, bool)
less(x, y) | x < y; also x:lt(y) | jnp.less(1, 2) --> Array(true, bool)
less_equal(x, y) | x <= y; also x:le(y) | jnp.less_equal(1, 2) --> Array(true, bool)
greater(x, y) | x > y; also x:gt(y) | jnp.greater(1, 2) --> Array(false, bool)
greater_equal(x, y) | x >= y; also x:ge(y) | jnp.greater_equal(1, 2) --> Array(false, bool)
eq(x, y) | the same as equal |
ne(x, y) | the same as not_equal |
lt(x, y) | the same as less |
le(x, y) | the same as less_equal |
gt(x, y) | the same as greater |
ge(x, y) | the same as greater_equal |
logical_and(x, y) | whether both are true (not 0) | jnp.logical_and(1, 0) --> Array(false, bool)
logical_or(x, y) | whether one is true | jnp.logical_or(1, 0) --> Array(true, bool)
logical_xor(x, y) | whether one alone is true | jnp.logical_xor(1, 1) --> Array(false, bool)
logical_not(x) | whether it is false | jnp.logical_not(0) --> Array(true, bool)
isfinite(x) | neither infinite nor NaN | jnp.isfinite(1.0) --> Array(true, bool)
isinf(x) | plus or minus infinity | jnp.isinf(jnp.inf) --> Array(true, bool)
isposinf(x) | plus infinity | jnp.isposinf(-jnp.inf) --> Array(false, bool)
isneginf(x) | minus infinity | jnp.isneginf(-jnp.inf) --> Array(true, bool)
isnan(x) | not a number | jnp.isnan(jnp.nan) --> Array(true, bool)
nan_to_num(x [, copy, nan = 0, posinf, neginf]) | NaN and infinities replaced | jnp.nan_to_num(jnp.nan) --> Array(0, f32)
isclose(a, b [, rtol = 1e-5, atol = 1e-8, equal_nan]) | |a - b| <= atol + rtol |b| | jnp.isclose(1.0, 1.000001) --> Array(true, bool)
allclose(a, b [, rtol, atol, equal_nan]) | whether all are close | jnp.allclose(1.0, 2.0) --> Array(false, bool)
array_equal(a, b [, equal_nan]) | whether shapes and elements are equal | jnp.array_equal(jnp.ones(2), jnp.ones(3)) --> Array(false, bool)
array_equiv(a, b) | whether they are equal when broadcast | jnp.array_equiv(jnp.ones(2), 1) --> Array(true, bool)
isin(x, values [, assume_unique, invert]) | which elements are among the values | jnp.isin(jnp.arange(3), jnp.array{1}) --> Array([false, true, false], bool)
where(condition, x, y) | x where the condition holds, else y | jnp.where(jnp.array{true, false}, 1, 2) --> Array([1, 2], i32, weak_type=True)
clip(x [, min, max]) | x kept between the two | jnp.clip(5, 0, 3) --> Array(3, i32, weak_type=True)
select(conditions, choices [, default = 0]) | the first choice whose condition holds | jnp.select({jnp.array{true, false}}, {5}) --> Array([5, 0], i32, weak_type=True)
piecewise(x, conditions, functions, ...) | the function whose condition holds, of x | jnp.piecewise(2.0, {jnp.array(true)}, {function(v) return v * v end}) --> Array(4, f32)
sum(x [, axis, dtype, keepdims, initial, where]) | the sum; bool and narrow integers are summed as i32 | jnp.sum(jnp.arange(4)) --> Array(6, i32)
prod(x [, axis, dtype, keepdims, initial, where]) | the product | jnp.prod(jnp.array{2, 3}) --> Array(6, i32)
max(x [, axis, keepdims, initial, where]) | the largest; also amax | jnp.max(jnp.arange(4)) --> Array(3, i32)
min(x [, axis, keepdims, initial, where]) | the smallest; also amin | jnp.min(jnp.arange(4)) --> Array(0, i32)
amax(x [, axis, keepdims, initial, where]) | the same as max |
amin(x [, axis, keepdims, initial, where]) | the same as min |
ptp(x [, axis, keepdims]) | the largest less the smallest | jnp.ptp(jnp.arange(4)) --> Array(3, i32)
argmax(x [, axis, keepdims]) | where the largest is, first; flat without an axis | jnp.argmax(jnp.array{1, 9, 3}) --> Array(1, i32)
argmin(x [, axis, keepdims]) | where the smallest is, first | jnp.argmin(jnp.array{1, 9, 3}) --> Array(0, i32)
all(x [, axis, keepdims, where]) | whether all are true | jnp.all(jnp.array{1, 0}) --> Array(false, bool)
any(x [, axis, keepdims, where]) | whether one is true | jnp.any(jnp.array{1, 0}) --> Array(true, bool)
count_nonzero(x [, axis, keepdims]) | how many are not 0 | jnp.count_nonzero(jnp.array{1, 0}) --> Array(1, i32)
mean(x [, axis, dtype, keepdims, where]) | the mean, a float | jnp.mean(jnp.arange(4)) --> Array(1.5, f32)
average(x [, axis, weights, returned, keepdims]) | the weighted mean | jnp.average(jnp.arange(4)) --> Array(1.5, f32)
var(x [, axis, dtype, ddof = 0, keepdims, where, mean, correction]) | the variance | jnp.var(jnp.array{1, 3}) --> Array(1, f32)
std(x [, axis, dtype, ddof = 0, keepdims, where, mean, correction]) | the standard deviation | jnp.std(jnp.array{1, 3}) --> Array(1, f32)
median(x [, axis, keepdims]) | the middle one of the sorted elements |
quantile(x, q [, axis, method = "linear", keepdims]) | the element at part q of the sorted ones; q is known when tracing |
percentile(x, q [, axis, method = "linear", keepdims]) | the same, q in percent |
logsumexp(x [, axis, b, keepdims, return_sign, where]) | log(sum(b exp(x))) without overflow | jnp.logsumexp(jnp.array{0, -jnp.inf}) --> Array(0, f32)
nansum(x, ...) | sum without NaNs | jnp.nansum(jnp.array{1, jnp.nan}) --> Array(1, f32)
nanprod(x, ...) | prod without NaNs | jnp.nanprod(jnp.array{2, jnp.nan}) --> Array(2, f32)
nanmean(x, ...) | mean without NaNs | jnp.nanmean(jnp.array{2, jnp.nan}) --> Array(2, f32)
nanvar(x, ...) | var without NaNs | jnp.nanvar(jnp.array{2, jnp.nan}) --> Array(0, f32)
nanstd(x, ...) | std without NaNs | jnp.nanstd(jnp.array{2, jnp.nan}) --> Array(0, f32)
nanmax(x, ...) | max without NaNs | jnp.nanmax(jnp.array{2, jnp.nan}) --> Array(2, f32)
nanmin(x, ...) | min without NaNs | jnp.nanmin(jnp.array{2, jnp.nan}) --> Array(2, f32)
nanargmax(x [, axis, keepdims]) | argmax without NaNs; -1 where there is nothing else | jnp.nanargmax(jnp.array{jnp.nan, 2}) --> Array(1, i32)
nanargmin(x [, axis, keepdims]) | argmin without NaNs; -1 where there is nothing else | jnp.nanargmin(jnp.array{jnp.nan, 2}) --> Array(1, i32)
nanmedian(x [, axis, keepdims]) | median without NaNs |
nanquantile(x, q [, axis, method, keepdims]) | quantile without NaNs |
nanpercentile(x, q [, axis, method, keepdims]) | percentile without NaNs |
cov(m [, y, rowvar = true, bias, ddof, fweights, aweights]) | covariances of the rows | jnp.cov(jnp.array{1, 3}) --> Array(2, f32)
corrcoef(x [, y, rowvar]) | correlations of the rows | jnp.corrcoef(jnp.array{{1, 2}, {2, 4}}).shape[1] --> 2
reshape(x, shape [, order = "C"]) | the elements in another shape; one size may be -1 | jnp.arange(4):reshape(2, -1).shape[2] --> 2
ravel(x [, order = "C"]) | the elements along one axis; also flatten | jnp.ravel(jnp.ones({2, 2})) --> Array([1, 1, 1, 1], f32)
flatten(x) | the same as ravel |
transpose(x [, axes]) | axes in another order, reversed without one; also x.T, permute_dims | jnp.ones({2, 3}):transpose().shape[1] --> 3
permute_dims(x, axes) | the same as transpose |
matrix_transpose(x) | the last two axes swapped | jnp.matrix_transpose(jnp.ones({1, 2, 3})).shape[2] --> 3
swapaxes(x, axis1, axis2) | two axes swapped | jnp.ones({2, 3}):swapaxes(0, 1).shape[1] --> 3
moveaxis(x, source, destination) | axes moved to other places | jnp.moveaxis(jnp.ones({2, 3, 4}), 0, -1).shape[3] --> 2
rollaxis(x, axis [, start = 0]) | an axis moved before another | jnp.rollaxis(jnp.ones({2, 3}), 1).shape[1] --> 3
squeeze(x [, axis]) | without axes of size 1 | jnp.squeeze(jnp.ones({1, 2})) --> Array([1, 1], f32)
expand_dims(x, axis) | with new axes of size 1 | jnp.expand_dims(jnp.ones(2), 0).shape[1] --> 1
broadcast_to(x, shape) | x repeated along new axes and those of size 1 | jnp.broadcast_to(7, 2) --> Array([7, 7], i32, weak_type=True)
broadcast_arrays(x, y, ...) | all in the shape that they broadcast to | (jnp.broadcast_arrays(1, jnp.ones(2))) --> Array([1, 1], i32, weak_type=True)
broadcast_shapes(s, t, ...) | the shape that these shapes broadcast to | #jnp.broadcast_shapes({2, 1}, {3}) --> 2
atleast_1d(x, ...) | with at least one axis | jnp.atleast_1d(7) --> Array([7], i32, weak_type=True)
atleast_2d(x, ...) | with at least two axes | jnp.atleast_2d(7) --> Array([[7]], i32, weak_type=True)
atleast_3d(x, ...) | with at least three axes | jnp.atleast_3d(7) --> Array([[[7]]], i32, weak_type=True)
flip(x [, axis]) | backwards, along all axes without one | jnp.flip(jnp.arange(3)) --> Array([2, 1, 0], i32)
fliplr(x) | backwards along axis 1 | jnp.fliplr(jnp.array{{1, 2}}) --> Array([[2, 1]], i32)
flipud(x) | backwards along axis 0 | jnp.flipud(jnp.arange(2)) --> Array([1, 0], i32)
rot90(x [, k = 1, axes = {0, 1}]) | k quarter turns | jnp.rot90(jnp.array{{1, 2}}).shape[1] --> 2
roll(x, shift [, axis]) | what falls off comes in at the other end | jnp.roll(jnp.arange(3), 1) --> Array([2, 0, 1], i32)
tile(x, reps) | x laid side by side | jnp.tile(jnp.arange(2), 2) --> Array([0, 1, 0, 1], i32)
repeat(x, repeats [, axis]) | each element several times; written jnp["repeat"] or repeat_, since Lua has the word | jnp.repeat_(jnp.arange(2), 2) --> Array([0, 0, 1, 1], i32)
repeat_(x, repeats [, axis]) | the same as repeat |
resize(x, shape) | x repeated or cut off to fill the shape | jnp.resize(jnp.arange(2), 3) --> Array([0, 1, 0], i32)
view(x, dtype) | the same bytes as another type | jnp.view(jnp.array({1.0}), "i32") --> Array([1065353216], i32)
concatenate(arrays [, axis = 0, dtype]) | arrays one after the other; also concat | jnp.concatenate{jnp.ones(1), jnp.zeros(1)} --> Array([1, 0], f32)
concat(arrays [, axis]) | the same as concatenate |
stack(arrays [, axis = 0, dtype]) | arrays along a new axis | jnp.stack{1, 2} --> Array([1, 2], i32, weak_type=True)
vstack(arrays) | rows below one another | jnp.vstack{jnp.ones(2), jnp.ones(2)}.shape[1] --> 2
hstack(arrays) | side by side | jnp.hstack{jnp.ones(1), jnp.zeros(1)} --> Array([1, 0], f32)
dstack(arrays) | along the third axis | jnp.dstack{jnp.ones(1), jnp.ones(1)}.shape[3] --> 2
column_stack(arrays) | vectors as columns | jnp.column_stack{jnp.ones(3), jnp.ones(3)}.shape[2] --> 2
append(x, values [, axis]) | values behind x; both flat without an axis | jnp.append(jnp.arange(2), 9) --> Array([0, 1, 9], i32)
block(tables of arrays) | joined as they are nested | jnp.block{jnp.ones(1), jnp.zeros(1)} --> Array([1, 0], f32)
split(x, indices_or_sections [, axis = 0]) | equal parts, or cut at these places, as several values | select("#", jnp.split(jnp.arange(4), 2)) --> 2
array_split(x, indices_or_sections [, axis = 0]) | the same; parts may differ in size | select("#", jnp.array_split(jnp.arange(5), 2)) --> 2
vsplit(x, sections or places) | split along axis 0 | select("#", jnp.vsplit(jnp.ones({2, 2}), 2)) --> 2
hsplit(x, sections or places) | split along axis 1, or 0 of a vector | select("#", jnp.hsplit(jnp.ones({2, 2}), 2)) --> 2
dsplit(x, sections or places) | split along axis 2 | select("#", jnp.dsplit(jnp.ones({1, 1, 2}), 2)) --> 2
unstack(x [, axis = 0]) | the arrays along one axis | jnp.unstack(jnp.arange(2)) --> Array(0, i32)
pad(x, widths [, mode = "constant", constant_values, stat_length, end_values, reflect_type]) | x with a border: constant, edge, reflect, symmetric, wrap, maximum, minimum, mean, median, linear_ramp | jnp.pad(jnp.ones(1), 1) --> Array([0, 1, 0], f32)
diag(x [, k = 0]) | the diagonal of a matrix, or the matrix of a diagonal | jnp.diag(jnp.eye(2)) --> Array([1, 1], f32)
diagflat(x [, k = 0]) | the matrix whose diagonal is x, flat | jnp.diagflat(jnp.ones(2)):sum() --> Array(2, f32)
diagonal(x [, offset = 0, axis1 = 0, axis2 = 1]) | the diagonal as the last axis | jnp.diagonal(jnp.eye(2)) --> Array([1, 1], f32)
trace(x [, offset, axis1, axis2, dtype]) | the sum of the diagonal | jnp.trace(jnp.eye(3)) --> Array(3, f32)
dot(x, y [, precision] [, preferred_element_type]) | over the last axis of x and the last but one of y | jnp.dot(jnp.ones(2), jnp.ones(2)) --> Array(2, f32)
matmul(x, y [, precision] [, preferred_element_type]) | products of matrices; axes before them are broadcast | jnp.matmul(jnp.eye(2), jnp.ones(2)) --> Array([1, 1], f32)
vdot(x, y [, precision] [, preferred_element_type]) | dot of both, flat | jnp.vdot(jnp.ones({2, 2}), jnp.ones(4)) --> Array(4, f32)
vecdot(x, y [, axis = -1]) | dot products along an axis | jnp.vecdot(jnp.ones({2, 3}), jnp.ones(3)) --> Array([3, 3], f32)
inner(x, y [, precision] [, preferred_element_type]) | over the last axes of both | jnp.inner(jnp.ones(2), jnp.ones(2)) --> Array(2, f32)
outer(x, y) | every product of two elements | jnp.outer(jnp.ones(2), jnp.ones(3)).shape[2] --> 3
tensordot(x, y [, axes = 2]) | over so many axes, or {axes of x, axes of y} | jnp.tensordot(jnp.ones({2, 2}), jnp.ones({2, 2})) --> Array(4, f32)
einsum(text, x, ...) | products summed over letters that are not in the result | jnp.einsum("i,i->", jnp.ones(3), jnp.ones(3)) --> Array(3, f32)
kron(x, y) | y in the place of each element of x, times it | jnp.kron(jnp.array{1, 2}, jnp.ones(2)) --> Array([1, 1, 2, 2], f32)
cross(x, y [, axisa, axisb, axisc, axis]) | the cross product of vectors of 2 or 3 elements | jnp.cross(jnp.array{1, 0, 0}, jnp.array{0, 1, 0}) --> Array([0, 0, 1], i32)
convolve(x, y [, mode = "full"]) | the convolution of two vectors: full, same or valid | jnp.convolve(jnp.array{1, 2}, jnp.array{1, 1}) --> Array([1, 3, 2], f32)
correlate(x, y [, mode = "valid"]) | the correlation of two vectors | jnp.correlate(jnp.array{1, 2}, jnp.array{1, 1}) --> Array([3], f32)
interp(x, xp, fp [, left, right, period]) | at x on the lines through the points; left and right may be "extrapolate" | jnp.interp(0.5, jnp.array{0, 1}, jnp.array{1, 3}) --> Array(2, f32)
polyval(p, x) | p[0] x^(n - 1) + ... + p[n - 1] | jnp.polyval(jnp.array{1, 0, 1}, 3) --> Array(10, i32)
polyadd(p, q) | the sum of polynomials | jnp.polyadd(jnp.array{1, 2}, jnp.array{1}) --> Array([1, 3], i32)
polysub(p, q) | the difference of polynomials | jnp.polysub(jnp.array{1, 2}, jnp.array{1}) --> Array([1, 1], i32)
polymul(p, q) | the product of polynomials | jnp.polymul(jnp.array{1, 1}, jnp.array{1, 1}) --> Array([1, 2, 1], f32)
polyder(p [, m = 1]) | the derivative of a polynomial | jnp.polyder(jnp.array{1, 2, 3}) --> Array([2, 2], f32)
polyint(p [, m = 1, k]) | the integral of a polynomial | jnp.polyint(jnp.array{2, 0}) --> Array([1, 0, 0], f32)
vander(x [, N, increasing]) | powers of x as columns | jnp.vander(jnp.array{2}, 3) --> Array([[4, 2, 1]], i32)
diff(x [, n = 1, axis = -1, prepend, append]) | each element less the one before | jnp.diff(jnp.array{1, 4, 9}) --> Array([3, 5], i32)
ediff1d(x [, to_end, to_begin]) | the same of x, flat | jnp.ediff1d(jnp.array{1, 4}) --> Array([3], i32)
gradient(x, spacing ... [, {axis =}]) | central differences, one-sided at the ends; a spacing is a step or the points | jnp.gradient(jnp.array{1.0, 2.0, 4.0}) --> Array([1, 1.5, 2], f32)
trapezoid(y [, x, dx = 1, axis = -1]) | the area below lines between the points | jnp.trapezoid(jnp.array{0, 2}) --> Array(1, f32)
vectorize(f) | f, written for numbers, of arrays | jnp.vectorize(function(a) return a + 1 end)(jnp.arange(2)) --> Array([1, 2], i32)
apply_along_axis(f, axis, x, ...) | f of each line along an axis | jnp.apply_along_axis(jnp.sum, 0, jnp.ones({2, 3})) --> Array([2, 2, 2], f32)
apply_over_axes(f, x, axes) | f(x, axis) for one axis after the other | jnp.apply_over_axes(jnp.sum, jnp.ones({2, 2}), 0).shape[1] --> 1
finfo(dtype) | eps, max, min, tiny and the like of a floating type | jnp.finfo("f32").bits --> 32
iinfo(dtype) | min, max and bits of an integer type | jnp.iinfo("i8").max --> 127
result_type(...) | the type in which arrays, numbers and types meet | jnp.result_type("i8", "f16") --> f16
promote_types(a, b) | the type in which two types meet | jnp.promote_types("u8", "i8") --> i16
can_cast(from, to [, casting]) | whether NumPy's rule allows the conversion | jnp.can_cast("i8", "i16") --> true
issubdtype(t, kind) | whether t is of a kind: "floating", "integer", "number", ... | jnp.issubdtype("f16", "floating") --> true
isscalar(x) | a number or an array without axes | jnp.isscalar(2) --> true
ndim(x) | how many axes | jnp.ndim(jnp.ones({2, 3})) --> 2
shape(x) | the sizes, a table | #jnp.shape(jnp.ones({2, 3})) --> 2
size(x [, axis]) | how many elements | jnp.size(jnp.ones({2, 3})) --> 6
item(x) | the Lua number of an array of one element | jnp.array{1.5}:item() --> 1.5
tolist(x) | nested Lua tables, which count from 1 | jnp.arange(2):tolist()[2] --> 1
union1d(ar1, ar2) | elements of either, sorted, once each; sets need known arrays | jnp.union1d(jnp.array{3, 1}, jnp.array{1, 2}) --> Array([1, 2, 3], i32)
intersect1d(ar1, ar2 [, assume_unique, return_indices]) | elements of both | jnp.intersect1d(jnp.array{3, 1}, jnp.array{1, 2}) --> Array([1], i32)
setdiff1d(ar1, ar2) | elements of the first alone | jnp.setdiff1d(jnp.array{3, 1}, jnp.array{1, 2}) --> Array([3], i32)
setxor1d(ar1, ar2) | elements of one of the two | jnp.setxor1d(jnp.array{3, 1}, jnp.array{1, 2}) --> Array([2, 3], i32)
unravel_index(indices, shape) | an array for each axis, from numbers of elements | jnp.unravel_index(jnp.array{5}, {2, 4}) --> Array([1], i32)
ravel_multi_index(multi_index, dims [, mode = "raise"]) | numbers of elements; mode is raise, clip or wrap | jnp.ravel_multi_index({jnp.array{1}, jnp.array{1}}, {2, 4}) --> Array([5], i32)
choose(a, choices [, mode = "raise"]) | from each place's array of that number | jnp.choose(jnp.array{0, 1}, {jnp.array{1, 2}, jnp.array{3, 4}}) --> Array([1, 4], i32)
argpartition(a, kth [, axis = -1]) | an order in which element kth is in its place | jnp.argpartition(jnp.array{3, 1, 2}, 0) --> Array([1, 2, 0], i32)
cummax(a [, axis]) | the largest so far | jnp.cummax(jnp.array{1, 3, 2}) --> Array([1, 3, 3], i32)
cummin(a [, axis]) | the smallest so far | jnp.cummin(jnp.array{3, 1, 2}) --> Array([3, 1, 1], i32)
polyfit(x, y, deg) | coefficients of least squares, the highest power first | jnp.polyfit(jnp.arange(3), jnp.arange(3), 0).shape[1] --> 1
roots(p) | the zeros of a polynomial, the highest power first; complex | jnp.sort(jnp.real(jnp.roots({1, -3, 2}))):tolist()[2] --> 2.0
sort(a [, axis = -1]) | sorted, NaN last | jnp.sort(jnp.array{3, 1, 2}) --> Array([1, 2, 3], i32)
argsort(a [, axis = -1]) | the order that sorts | jnp.argsort(jnp.array{3, 1, 2}) --> Array([1, 2, 0], i32)
lexsort(keys [, axis = -1]) | the order by several keys, the last one first | jnp.lexsort({jnp.array{2, 1}, jnp.array{0, 0}}) --> Array([1, 0], i32)
partition(a, kth [, axis = -1]) | element kth in its place, smaller ones before | jnp.partition(jnp.array{3, 1, 2}, 0)[0] --> Array(1, i32)
searchsorted(a, v [, side = "left"]) | where v goes in the sorted a | jnp.searchsorted(jnp.array{1, 3}, 2) --> Array(1, i32)
digitize(x, bins [, right]) | the number of each element's bin | jnp.digitize(jnp.array{2}, jnp.array{1, 3}) --> Array([1], i32)
argwhere(a [, size, fill_value]) | places that are not zero, a row each; inside jit with size | jnp.argwhere(jnp.array{0, 5}) --> Array([[1]], i32)
flatnonzero(a [, size, fill_value]) | likewise, of the flattened array | jnp.flatnonzero(jnp.array{0, 5}) --> Array([1], i32)
unique(ar [, return_index, return_inverse, return_counts, axis, equal_nan, size, fill_value]) | each element once, sorted; inside jit with size | jnp.unique(jnp.array{2, 1, 2}) --> Array([1, 2], i32)
bincount(x [, weights, minlength, length]) | how often each number is there | jnp.bincount(jnp.array{0, 2, 2}) --> Array([1, 0, 2], i32)
histogram(a [, bins = 10, range, weights, density]) | counts and edges of bins | jnp.histogram(jnp.array{1, 2, 2}, 2) --> Array([1, 2], f32)
histogram_bin_edges(a [, bins = 10, range]) | the edges alone | jnp.histogram_bin_edges(jnp.array{0, 1}, 1) --> Array([0, 1], f32)
cumsum(a [, axis, dtype]) | running sums | jnp.cumsum(jnp.array{1, 2, 3}) --> Array([1, 3, 6], i32)
cumprod(a [, axis, dtype]) | running products | jnp.cumprod(jnp.array{1, 2, 3}) --> Array([1, 2, 6], i32)
nancumsum(a [, axis, dtype]) | running sums, NaN as 0 | jnp.nancumsum(jnp.array{1, 0/0}) --> Array([1, 1], f32)
nancumprod(a [, axis, dtype]) | running products, NaN as 1 | jnp.nancumprod(jnp.array{2, 0/0}) --> Array([2, 2], f32)
compress(condition, a [, axis]) | the items where the condition holds | jnp.compress(jnp.array{true, false}, jnp.array{5, 6}) --> Array([5], i32)
extract(condition, arr) | likewise, of the flattened array | jnp.extract(jnp.array{true, false}, jnp.array{5, 6}) --> Array([5], i32)
take_along_axis(arr, indices, axis) | an element for each index along the axis | jnp.take_along_axis(jnp.array{5, 6}, jnp.array{1}, 0) --> Array([6], i32)
insert(arr, obj, values [, axis]) | with values in front of these places | jnp.insert(jnp.array{5, 7}, 1, 6) --> Array([5, 6, 7], i32)
delete(arr, obj [, axis]) | without these items | jnp.delete(jnp.array{5, 6, 7}, 1) --> Array([5, 7], i32)
real(z) | of complex pairs (the last axis is 2: see jnp.fft): the real parts |
imag(z) | the imaginary parts of complex pairs |
conj(z) | complex pairs with the imaginary parts negated |
conjugate(z) | the same as conj |
angle(z) | angles of complex pairs, in radians |
]==]

local help = {}
for form, text, example in rows:gmatch("([^\n]-) | ([^\n]-) |([^\n]*)\n") do
  local name = form:match("^[%w_]+")
  help["jnp." .. name] = "jnp." .. form .. ": " .. text ..
    (example:find("%S") and "\nExample:" .. example or "")
end
return help
