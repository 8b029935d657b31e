-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A network and its slopes",
  task = "loss_and_slopes(w1, b1, w2, b2, x, y): the mean squared error of"
    .. " tanh(x w1 + b1) w2 + b2, and its slopes by all four.",
  needs = {"rnn"},
  minutes = 20,
  entry = "loss_and_slopes",
  signature = {
    {"in", "f32[]", "w1"},
    {"in", "f32[]", "b1"},
    {"in", "f32[]", "w2"},
    {"in", "f32[]", "b2"},
    {"in", "f32[]", "x"},
    {"in", "f32[]", "y"},
    {"out", "f32", "loss"},
    {"out", "f32[]", "dw1"},
    {"out", "f32[]", "db1"},
    {"out", "f32[]", "dw2"},
    {"out", "f32[]", "db2"},
  },
  reference = function(args)
    local n, rows = #args.b1, #args.y
    local d = #args.x // rows
    local function tanh(v)
      local e = math.exp(-2 * math.abs(v))
      return (1 - e) / (1 + e) * (v < 0 and -1 or 1)
    end
    local loss, db2 = 0, 0
    for _, name in ipairs{"dw1", "db1", "dw2"} do
      for i = 0, #args[name] - 1 do args[name][i] = 0 end
    end
    for r = 0, rows - 1 do
      local hidden, said = {}, args.b2[0]
      for j = 0, n - 1 do
        local sum = args.b1[j]
        for i = 0, d - 1 do
          sum = sum + args.x[r * d + i] * args.w1[i * n + j]
        end
        hidden[j] = tanh(sum)
        said = said + hidden[j] * args.w2[j]
      end
      local off = said - args.y[r]
      loss = loss + off * off / rows
      local back = 2 * off / rows
      db2 = db2 + back
      for j = 0, n - 1 do
        args.dw2[j] = args.dw2[j] + back * hidden[j]
        local before = back * args.w2[j] * (1 - hidden[j] ^ 2)
        args.db1[j] = args.db1[j] + before
        for i = 0, d - 1 do
          args.dw1[i * n + j] = args.dw1[i * n + j] + before * args.x[r * d + i]
        end
      end
    end
    args.loss[0], args.db2[0] = loss, db2
  end,
  tolerance = {rel = 1e-4, abs = 2e-4,
    reason = "sums of at most 64 products of numbers below 20, each within 100"
      .. " times 2^-24 of itself, whose terms may cancel: 64 * 20 * 100 * 2^-24"
      .. " over the 64 rows that are averaged"},
  make = function(case, rng)
    local n, d, rows = case.n, case.d, case.rows
    return {
      w1 = rng:floats(d * n, -1, 1), b1 = rng:floats(n, -0.5, 0.5),
      w2 = rng:floats(n, -1, 1), b2 = rng:floats(1, -0.5, 0.5),
      x = rng:floats(rows * d, -1, 1), y = rng:floats(rows, -2, 2),
      dw1 = d * n, db1 = n, dw2 = n, db2 = 1,
    }, {w1 = {d, n}, x = {rows, d}, dw1 = {d, n}}
  end,
  cases = {
    {name = "4 rows of 2, 3 in between", d = 2, n = 3, rows = 4},
    {name = "one of each", d = 1, n = 1, rows = 1},
    {name = "as many rows as numbers", d = 4, n = 4, rows = 4},
    {name = "one row", d = 5, n = 2, rows = 1},
    {name = "one in between", d = 3, n = 1, rows = 17},
    {name = "larger", d = 6, n = 11, rows = 64, hidden = true},
  },
  hints = {
    "Write the loss as a function of one table, {w1 =, b1 =, w2 =, b2 =}: then"
      .. " one gradient has all four.",
    "jnp.matmul(x, w1) is (rows, n), to each row of which b1 is added;"
      .. " jnp.matmul(hidden, w2) is (rows).",
    "jax.value_and_grad(loss)(net) gives two results: the loss and a table of"
      .. " slopes, packed as net is.",
  },
  editorial = "One walk there and one back give the loss and all four slopes,"
    .. " however many weights there are; to measure each slope by a difference"
    .. " would take a walk for each weight. The walk there has rows * n * (d +"
    .. " 1) products, and the rows * n hidden numbers are kept for the way"
    .. " back. sgd-momentum goes downhill by such slopes.",
  mutants = {
    {
      name = "sum-for-mean",
      replace = {"jnp.mean((", "jnp.sum(("},
      explain = "The loss is the mean over the rows: a sum is `rows` times as"
        .. " large, and so are all slopes.",
    },
    {
      name = "no-bend",
      replace = {"jnp.tanh(jnp.matmul(x, net.w1) + net.b1)",
        "jnp.matmul(x, net.w1) + net.b1"},
      explain = "Without tanh between them two layers are no more than one.",
    },
    {
      name = "bend-both",
      replace = {"local said = jnp.matmul(hidden, net.w2) + net.b2",
        "local said = jnp.tanh(jnp.matmul(hidden, net.w2) + net.b2)"},
      explain = "Only the first layer goes through tanh: y may lie beyond 1.",
    },
    {
      name = "no-offset",
      replace = {"net.w2) + net.b2", "net.w2)"},
      explain = "b2 is not added, so nothing depends on it, and its slope is"
        .. " 0.",
    },
    {
      name = "half-squares",
      replace = {"jnp.mean((said - y) ^ 2)", "0.5 * jnp.mean((said - y) ^ 2)"},
      explain = "Some take half of the squares, since that makes the slopes"
        .. " look"
        .. " tidier. Here the squares are taken whole.",
    },
    {
      name = "offset-outside",
      replace = {"jnp.tanh(jnp.matmul(x, net.w1) + net.b1)",
        "jnp.tanh(jnp.matmul(x, net.w1)) + net.b1"},
      explain = "b1 is added to the sum, before tanh.",
    },
  },
}
