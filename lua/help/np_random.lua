-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for np.random; see np.lua beside it.
local help = {
["np.random.default_rng"] = [[
np.random.default_rng([seed = 0]): a generator of random numbers: NumPy's own,
PCG64 seeded by SeedSequence. Whole numbers, orders and uniform numbers are
NumPy's to the bit for the same seed; normal numbers and others that go through
exp and log to about 13 digits. Methods: random, integers, choice, permutation,
shuffle, uniform, normal, standard_normal, exponential, gamma, beta, poisson ...
(?np.random.normal and so on describe them).
Example: np.random.default_rng(42):integers(0, 10, 3) --> array([0, 7, 6], i64)]],
["np.random.RandomState"] = [[
np.random.RandomState([seed = 0]): NumPy's older generator, MT19937, with the
methods of np.random.default_rng and rand, randn, randint, random_sample; the
numbers are those of NumPy's RandomState, exact as there. Seeds are below 2^32.
Example: np.random.RandomState(0):rand(2) --> array([0.5488135, 0.71518937], f64)]],
["np.random.seed"] = [[
np.random.seed(value): starts the RandomState anew that functions without a
generator share: np.random.rand, randn, randint and so on. Until it is called
they draw as after np.random.seed(0), the same in each run.]],
["np.random.random"] = [[
rng:random([size] [, dtype = "f64"]), np.random.random: uniform numbers from 0
to below 1.
Example: np.random.default_rng(1):random(3).size --> 3]],
["np.random.rand"] = [[
np.random.rand(3, 4): np.random.random with the sizes as arguments.]],
["np.random.randn"] = [[
np.random.randn(3, 4): np.random.standard_normal with the sizes as arguments.]],
["np.random.integers"] = [[
rng:integers([low = 0,] high [, size] [, dtype = "i64"] [, endpoint]),
np.random.integers, np.random.randint: whole numbers from `low` to below `high`
(to `high` with endpoint).
Errors:  "no integer lies in [5, 5)"
Example: np.random.default_rng(42):integers(1, 6, {size = 2}) --> array([1, 4], i64)]],
["np.random.choice"] = [[
rng:choice(a [, size] [, replace = true] [, p] [, axis = 0] [, shuffle = true]),
np.random.choice: elements of `a` (of 0 .. a-1, if it is a number); different
ones without `replace`; each with its probability in `p`.
Errors:  "the probabilities add up to 0.9, not 1"
Example: np.random.default_rng(1):choice(5, {size = 5, replace = false}):sum() --> 10]],
["np.random.permutation"] = [[
rng:permutation(x [, axis = 0]), np.random.permutation: a copy of `x` in a random
order, or the numbers 0 .. x-1.
Example: np.random.default_rng(1):permutation(4):sum() --> 6]],
["np.random.shuffle"] = [[
rng:shuffle(x [, axis = 0]), np.random.shuffle: brings an array or a Lua table
itself into a random order.]],
}

for _, row in ipairs{
  {"uniform", "[low = 0] [, high = 1]", "uniform numbers"},
  {"normal", "[loc = 0] [, scale = 1]", "numbers of the bell curve (ziggurat "
    .. "method)"},
  {"standard_normal", "", "normal numbers around 0 with deviation 1"},
  {"lognormal", "[mean = 0] [, sigma = 1]", "exp of normal numbers"},
  {"exponential", "[scale = 1]", "waiting times with this mean"},
  {"standard_exponential", "", "waiting times with mean 1"},
  {"gamma", "shape [, scale = 1]", "numbers of the gamma distribution"},
  {"standard_gamma", "shape", "gamma numbers of scale 1"},
  {"beta", "a, b", "numbers of the beta distribution, 0 to 1"},
  {"chisquare", "df", "sums of `df` squared normal numbers"},
  {"standard_t", "df", "numbers of Student's distribution"},
  {"standard_cauchy", "", "quotients of normal numbers"},
  {"laplace", "[loc = 0] [, scale = 1]", "numbers of the double exponential "
    .. "distribution"},
  {"logistic", "[loc = 0] [, scale = 1]", "numbers of the logistic "
    .. "distribution"},
  {"gumbel", "[loc = 0] [, scale = 1]", "numbers of the Gumbel distribution"},
  {"rayleigh", "[scale = 1]", "distances of points normal in both directions"},
  {"weibull", "a", "numbers of the Weibull distribution"},
  {"pareto", "a", "numbers of the Pareto (Lomax) distribution"},
  {"power", "a", "numbers from 0 to 1 with density a x ^ (a - 1)"},
  {"triangular", "left, mode, right", "numbers whose density is a triangle"},
  {"f", "dfnum, dfden", "quotients of chi-squared numbers", "[, size]"},
  {"wald", "mean, scale", "inverse Gaussian numbers", "[, size]"},
  {"negative_binomial", "n, p", "failures before the n-th success",
   "[, size]"},
  {"dirichlet", "alpha", "probabilities that add up to 1", "[, size]"},
  {"multivariate_normal", "mean, cov", "normal vectors; behind the size "
    .. "comes the method, svd, eigh or cholesky", "[, size] [, method]"},
  {"poisson", "[lam = 1]", "counts of events with this mean"},
  {"binomial", "n, p", "successes of n trials with this probability"},
  {"geometric", "p", "trials up to the first success of probability p"},
} do
  local name, parameters, what, options = table.unpack(row, 1, 4)
  local before = parameters == "" and "" or parameters .. " "
  help["np.random." .. name] = ("rng:%s(%s%s), np.random.%s: %s; "
    .. "one number without a size."):format(name, before,
                                            options or "[, size] [, dtype]",
                                            name, what)
end
help["np.random.randint"] = help["np.random.integers"]
help["np.random.random_sample"] = help["np.random.random"]

return help
