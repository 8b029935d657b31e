-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A network with a memory",
  task = "rnn(w, u, b, h0, xs): h becomes tanh(w h + u x + b) for each row x of"
    .. " xs; give all the h.",
  minutes = 15,
  entry = "rnn",
  signature = {
    {"in", "f32[]", "w"},
    {"in", "f32[]", "u"},
    {"in", "f32[]", "b"},
    {"in", "f32[]", "h0"},
    {"in", "f32[]", "xs"},
    {"out", "f32[]", "states"},
  },
  reference = function(args)
    local n = #args.b
    local d, steps = #args.u // n, #args.states // n
    local h = {}
    for i = 0, n - 1 do h[i] = args.h0[i] end
    for t = 0, steps - 1 do
      local new = {}
      for i = 0, n - 1 do
        local sum = args.b[i]
        for j = 0, n - 1 do sum = sum + args.w[i * n + j] * h[j] end
        for j = 0, d - 1 do
          sum = sum + args.u[i * d + j] * args.xs[t * d + j]
        end
        local e = math.exp(-2 * math.abs(sum))
        new[i] = (1 - e) / (1 + e) * (sum < 0 and -1 or 1)
        args.states[t * n + i] = new[i]
      end
      h = new
    end
  end,
  tolerance = {abs = 5e-5,
    reason = "a row of w sums to at most 3/4 in size, and tanh makes no"
      .. " difference larger, so that a step adds its own error to at most 3/4"
      .. " of the one before: 4 times that of one step, 27 products and sums,"
      .. " each within 2^-24 of a number below 7, and a tanh's"},
  make = function(case, rng)
    local n, d, steps = case.n, case.d, case.steps
    local own = 0.75 / n
    return {
      w = rng:floats(n * n, -own, own), u = rng:floats(n * d, -1, 1),
      b = rng:floats(n, -0.5, 0.5), h0 = rng:floats(n, -1, 1),
      xs = rng:floats(steps * d, -1, 1), states = steps * n,
    }, {w = {n, n}, u = {n, d}, xs = {steps, d}, states = {steps, n}}
  end,
  cases = {
    {name = "3 numbers to remember, 5 rows of 2", n = 3, d = 2, steps = 5},
    {name = "one of each", n = 1, d = 1, steps = 1},
    {name = "as many rows as numbers", n = 4, d = 4, steps = 4},
    {name = "one row", n = 6, d = 3, steps = 1},
    {name = "rows of one number", n = 2, d = 1, steps = 33},
    {name = "a long text", n = 8, d = 5, steps = 400, hidden = true},
  },
  hints = {
    "jax.lax.scan goes along the rows of xs. What rides along is h, and it is"
      .. " also what is to be written down.",
    "The body gets h and one row x, and returns the next h twice. jnp.dot(w, h)"
      .. " is the product of matrix and vector.",
    "jax.lax.scan(body, h0, xs) gives the last carry and, second, all that was"
      .. " written down.",
  },
  editorial = "A row costs n * n + n * d products, and the rows come one after"
    .. " the other: a chain as long as xs. The body is traced once for all of"
    .. " them. u x needs no h: one product of matrices could make it for all"
    .. " rows before the loop, which leaves w h alone in the chain.",
  mutants = {
    {
      name = "old-state",
      replace = {"return new, new", "return new, h"},
      explain = "What is written down at each step is the h before the row, so"
        .. " that h0 comes first and the last h is missing.",
    },
    {
      name = "no-memory",
      replace = {"return new, new", "return h, new"},
      explain = "What rides along never changes: each row meets h0, as if"
        .. " nothing had been read before.",
    },
    {
      name = "no-bend",
      replace = {"jnp.tanh(jnp.dot(w, h) + jnp.dot(u, x) + b)",
        "jnp.dot(w, h) + jnp.dot(u, x) + b"},
      explain = "The sum has to go through tanh, which keeps what is remembered"
        .. " between -1 and 1.",
    },
    {
      name = "transposed",
      replace = {"jnp.dot(w, h)", "jnp.dot(h, w)"},
      explain = "dot(h, w) multiplies by the columns of w. w h takes its rows:"
        .. " dot(w, h).",
    },
    {
      name = "from-zero",
      replace = {"end, h0, xs)", "end, jnp.zeros(#h0), xs)"},
      explain = "It begins with h0, not with zeros.",
    },
    {
      name = "backward",
      replace = {"h0, xs)", "h0, xs, {reverse = true})"},
      explain = "It reads from the last row to the first. The first row comes"
        .. " first.",
    },
  },
}
