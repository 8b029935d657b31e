-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jax.random. Each line "Example: code --> text" is run by
-- tests/lua/test_jax_random.lua, which also checks that no function is missing.
local help = {
["jax.random.key"] = [[
jax.random.key(seed): a key, from which all random numbers are computed. The
same key gives the same numbers: split it where new ones are wanted.
Types:   seed an integer, of which the low 32 bits count
Example: jax.random.key(0).dtype --> key<fry>]],
["jax.random.PRNGKey"] = [[
jax.random.PRNGKey(seed): a key as a plain u32 array of two words, JAX's older
form. All functions take it, and give such keys back.
Example: jax.random.PRNGKey(7) --> Array([0, 7], u32)]],
["jax.random.key_data"] = [[
jax.random.key_data(key): the two words of a key, or of each of an array of keys.
Example: jax.random.key_data(jax.random.key(7)) --> Array([0, 7], u32)]],
["jax.random.wrap_key_data"] = [[
jax.random.wrap_key_data(words): the key that has these two words.
Types:   u32[..., 2]
Example: jax.random.wrap_key_data(jax.random.PRNGKey(7)).ndim --> 0]],
["jax.random.split"] = [[
jax.random.split(key [, num = 2]): an array of new keys (num: how many, or a
shape). keys[0] is the first; local a, b = jax.random.split(key):unpack()
Errors:  "random.split accepts a single key, but was given a key array"
Source:  jax_threefry_partitionable: key i is threefry2x32(key, i)
Example: #jax.random.split(jax.random.key(0), 5) --> 5]],
["jax.random.fold_in"] = [[
jax.random.fold_in(key, n): a new key from a key and an integer, such as the
number of a step or of a worker.
Example: jax.random.fold_in(jax.random.PRNGKey(0), 7) --> Array([2716826189, 292468403], u32)]],
["jax.random.bits"] = [[
jax.random.bits(key [, shape = {}] [, dtype = "u32"]): random bits.
Types:   u8, u16, u32
Example: jax.random.bits(jax.random.key(0), {3}, "u8") --> Array([167, 146, 40], u8)]],
["jax.random.uniform"] = [[
jax.random.uniform(key [, shape = {}] [, dtype = "f32"] [, minval = 0]
[, maxval = 1]): numbers in [minval, maxval), all equally likely. Arguments can
be named: {shape = {4}, minval = -1}.
Types:   f16, bf16, f32
Grad:    minval, maxval
Example: jax.random.uniform(jax.random.key(0), {3}) --> Array([0.947667, 0.9785799, 0.33229148], f32)]],
["jax.random.normal"] = [[
jax.random.normal(key [, shape = {}] [, dtype = "f32"]): normal numbers, mean 0,
deviation 1: sqrt(2) * erf_inv of uniform ones.
Example: jax.random.normal(jax.random.key(0), {2}).shape[1] --> 2]],
["jax.random.exponential"] = [[
jax.random.exponential(key [, shape] [, dtype]): -log(1 - u) of uniform u: mean 1.
Example: jax.random.exponential(jax.random.key(0), {2}).dtype --> f32]],
["jax.random.gumbel"] = [[
jax.random.gumbel(key [, shape] [, dtype]): -log(-log(u)) of uniform u; the
argmax of logits plus such numbers is a draw from their softmax.
Example: jax.random.gumbel(jax.random.key(0), {2}).dtype --> f32]],
["jax.random.laplace"] = [[
jax.random.laplace(key [, shape] [, dtype]): density exp(-|x|) / 2.
Example: jax.random.laplace(jax.random.key(0), {2}).dtype --> f32]],
["jax.random.logistic"] = [[
jax.random.logistic(key [, shape] [, dtype]): log(u) - log(1 - u) of uniform u.
Example: jax.random.logistic(jax.random.key(0), {2}).dtype --> f32]],
["jax.random.cauchy"] = [[
jax.random.cauchy(key [, shape] [, dtype]): density 1 / (pi (1 + x^2)); it has no
mean.
Example: jax.random.cauchy(jax.random.key(0), {2}).dtype --> f32]],
["jax.random.bernoulli"] = [[
jax.random.bernoulli(key [, p = 0.5] [, shape]): true with probability p; the
shape is p's where none is given.
Example: jax.random.bernoulli(jax.random.key(0), 1.0, {2}) --> Array([true, true], bool)]],
["jax.random.rademacher"] = [[
jax.random.rademacher(key [, shape] [, dtype = "i32"]): -1 or 1.
Example: jax.random.rademacher(jax.random.key(0), {4}).dtype --> i32]],
["jax.random.randint"] = [[
jax.random.randint(key, shape, minval, maxval [, dtype = "i32"]): integers from
minval up to, and without, maxval.
Types:   i8 to i32, u8 to u32; bounds are cut to what the type holds
Example: jax.random.randint(jax.random.key(0), {5}, 0, 10) --> Array([9, 0, 2, 3, 1], i32)]],
["jax.random.truncated_normal"] = [[
jax.random.truncated_normal(key, lower, upper [, shape] [, dtype]): normal numbers
between two bounds. The shape is the bounds' where none is given.
Grad:    lower, upper
Example: jax.random.truncated_normal(jax.random.key(3), -1.0, 2.0, {2}).dtype --> f32]],
["jax.random.categorical"] = [[
jax.random.categorical(key, logits [, axis = -1] [, shape]): numbers of categories
along an axis, drawn with probabilities softmax(logits).
Shapes:  logits without the axis; `shape` may have more axes in front
Example: jax.random.categorical(jax.random.key(3), jnp.array({0.1, 2, 0.3}), {shape = {6}}) --> Array([1, 0, 1, 1, 2, 1], i32)]],
["jax.random.gamma"] = [[
jax.random.gamma(key, a [, shape] [, dtype]): gamma numbers of shape a, scale 1,
by rejection.
Grad:    a: each number moves as those of equal probability do
Source:  Marsaglia and Tsang 2000
Example: jax.random.gamma(jax.random.key(3), 2.0, {2}).dtype --> f32]],
["jax.random.loggamma"] = [[
jax.random.loggamma(key, a [, shape] [, dtype]): logarithms of gamma numbers, exact
where these would be 0.
Example: jax.random.loggamma(jax.random.key(3), 0.01, {2}).dtype --> f32]],
["jax.random.beta"] = [[
jax.random.beta(key, a, b [, shape] [, dtype]): numbers in (0, 1) with a density
like x^(a-1) (1-x)^(b-1).
Example: jax.random.beta(jax.random.key(3), 2.0, 3.0, {2}).dtype --> f32]],
["jax.random.chisquare"] = [[
jax.random.chisquare(key, df [, shape] [, dtype]): sums of df squared normal
numbers.
Example: jax.random.chisquare(jax.random.key(3), 3.0, {2}).dtype --> f32]],
["jax.random.t"] = [[
jax.random.t(key, df [, shape] [, dtype]): Student's t with df degrees of freedom.
Example: jax.random.t(jax.random.key(3), 3.0, {2}).dtype --> f32]],
["jax.random.pareto"] = [[
jax.random.pareto(key, b [, shape] [, dtype]): at least 1, with a tail like x^-b.
Example: jax.random.pareto(jax.random.key(3), 2.0, {2}).dtype --> f32]],
["jax.random.poisson"] = [[
jax.random.poisson(key, lam [, shape] [, dtype = "i32"]): how many events there
are, of which lam are expected. Below lam = 10 by Knuth's way, else by Hormann's.
Example: jax.random.poisson(jax.random.key(3), 3.0, {6}) --> Array([0, 4, 2, 4, 7, 1], i32)]],
["jax.random.permutation"] = [[
jax.random.permutation(key, x [, axis = 0] [, independent = false]): x, or 0 to
x - 1 where it is a number, in a random order along an axis; `independent` orders
each row alone.
Example: jax.random.permutation(jax.random.key(0), 5):sum() --> Array(10, i32)]],
["jax.random.choice"] = [[
jax.random.choice(key, a [, shape = {}] [, replace = true] [, p] [, axis = 0]):
elements of a, or of 0 to a - 1, with equal probabilities or p.
Errors:  "Cannot take a larger sample (size 4) than population (size 3) when
         'replace=False'"
Example: jax.random.choice(jax.random.key(0), 5, {2}).dtype --> i32]],
}
-- Those that are made of others: {arguments, what they are}.
for name, row in pairs{
  ball = {"d [, p = 2] [, shape] [, dtype]",
          "vectors inside of the ball of the p-norm, in d dimensions"},
  binomial = {"n, p [, shape] [, dtype]",
              "how many of n tries succeed, with probability p each"},
  dirichlet = {"alpha [, shape] [, dtype]",
               "probabilities that add up to 1, along the last axis"},
  double_sided_maxwell = {"loc, scale [, shape] [, dtype]",
                          "Maxwell numbers with a random sign"},
  f = {"dfnum, dfden [, shape] [, dtype]",
       "quotients of chi-squared numbers by their degrees of freedom"},
  generalized_normal = {"p [, shape] [, dtype]", "a density like exp(-|x|^p)"},
  geometric = {"p [, shape] [, dtype = \"i32\"]",
               "how often one tries until it succeeds"},
  lognormal = {"[sigma = 1] [, shape] [, dtype]", "exp of normal numbers"},
  maxwell = {"[shape] [, dtype]", "lengths of normal vectors in space"},
  multinomial = {"n, p [, shape] [, dtype]",
                 "how many of n tries have each outcome, whose probabilities " ..
                 "p's last axis holds; a shape is the result's"},
  multivariate_normal = {
    "mean, cov [, shape] [, dtype] [, method = \"cholesky\"]",
    "normal vectors; method is cholesky, eigh or svd"},
  orthogonal = {"n [, shape] [, dtype] [, m = n]",
                "n x m matrices with orthogonal columns, all equally likely"},
  rayleigh = {"scale [, shape] [, dtype]", "lengths of normal vectors in a plane"},
  triangular = {"left, mode, right [, shape] [, dtype]",
                "a density that rises to `mode` and falls"},
  wald = {"mean [, shape] [, dtype]", "inverse Gaussian numbers"},
  weibull_min = {"scale, concentration [, shape] [, dtype]",
                 "times until the first of many parts fails"},
  clone = {"", "a key that gives the same numbers"},
  key_impl = {"", "the name of the generator, \"fry\" (Threefry)"},
} do
  help["jax.random." .. name] = ("jax.random.%s(key%s): %s."):format(
    name, row[1] == "" and "" or ", " .. row[1], row[2]):gsub("key, %[",
    "key [, ")
end
return help
