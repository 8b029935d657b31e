-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A rule for many",
  task = "matvec_rule(many, m, m_axis, v, v_axis): matrix times vector for"
    .. " many,"
    .. " along the axes that are said; -1 is the same for all.",
  needs = {"sgd-momentum"},
  minutes = 20,
  entry = "matvec_rule",
  signature = {
    {"value", "i32", "many"},
    {"in", "f64[]", "m"},
    {"value", "i32", "m_axis"},
    {"in", "f64[]", "v"},
    {"value", "i32", "v_axis"},
    {"out", "f64[]", "products"},
  },
  reference = function(args)
    local many, m_axis = args.many, args.m_axis
    local r = #args.products // many
    local c = #args.m // (m_axis < 0 and r or r * many)
    for b = 0, many - 1 do
      for i = 0, r - 1 do
        local sum = 0
        for j = 0, c - 1 do
          local at = i * c + j
          if m_axis == 0 then at = (b * r + i) * c + j end
          if m_axis == 1 then at = (i * many + b) * c + j end
          if m_axis == 2 then at = (i * c + j) * many + b end
          local from = j
          if args.v_axis == 0 then from = b * c + j end
          if args.v_axis == 1 then from = j * many + b end
          sum = sum + args.m[at] * args.v[from]
        end
        args.products[b * r + i] = sum
      end
    end
  end,
  tolerance = {ulp = 0,
    reason = "the numbers are multiples of 1/8 within 4, so that products and"
      .. " sums of 40 of them are exact"},
  make = function(case, rng)
    local many, r, c = case.many, case.r, case.c
    local m, v = {r, c}, {c}
    if case.m_axis >= 0 then table.insert(m, case.m_axis + 1, many) end
    if case.v_axis >= 0 then table.insert(v, case.v_axis + 1, many) end
    local function size(shape)
      local n = 1
      for _, d in ipairs(shape) do n = n * d end
      return n
    end
    return {
      many = many, m_axis = case.m_axis, v_axis = case.v_axis,
      m = rng:steps(size(m), -4, 4, 1 / 8),
      v = rng:steps(size(v), -4, 4, 1 / 8), products = many * r,
    }, {m = m, v = v, products = {many, r}}
  end,
  cases = {
    {name = "4 matrices, one vector", many = 4, r = 2, c = 3, m_axis = 0,
      v_axis = -1},
    {name = "one matrix, 4 vectors", many = 4, r = 2, c = 3, m_axis = -1,
      v_axis = 0},
    {name = "4 of each", many = 4, r = 2, c = 3, m_axis = 0, v_axis = 0},
    {name = "vectors as columns", many = 5, r = 2, c = 3, m_axis = -1,
      v_axis = 1},
    {name = "3 of 3 as columns", many = 3, r = 3, c = 3, m_axis = -1,
      v_axis = 1},
    {name = "matrices along axis 1", many = 4, r = 4, c = 2, m_axis = 1,
      v_axis = -1},
    {name = "matrices along axis 2, vectors as columns", many = 6, r = 3, c = 5,
      m_axis = 2, v_axis = 1},
    {name = "all sizes alike", many = 3, r = 3, c = 3, m_axis = 1, v_axis = 0},
    {name = "one of each", many = 1, r = 1, c = 1, m_axis = 0, v_axis = 0},
    {name = "many", many = 300, r = 2, c = 2, m_axis = 0, v_axis = 0},
    {name = "more", many = 41, r = 7, c = 40, m_axis = 2, v_axis = 0,
      hidden = true},
  },
  hints = {
    "Bring the many to the front first: np.moveaxis(m, m_axis, 0), and v.T"
      .. " where"
      .. " the vectors are columns. Then there are three cases left.",
    "One matrix and many vectors, rows of v: each row of the result is that row"
      .. " times the transpose, np.matmul(v, m.T).",
    "Many matrices and one vector: np.matmul(m, v) multiplies each of them.",
    "Many of both: (many, r, c) times (many, 1, c), and a sum over the last"
      .. " axis. np.expand_dims(v, 1) puts the 1 in.",
  },
  editorial = "No loop, and no axis is stretched for what is the same for all."
    .. " Where both are mapped, the products stand as an array of many * r * c"
    .. " numbers before they are summed. With each vector as a matrix of one"
    .. " column np.matmul needs no such array. primitive shows from where in a"
    .. " jax such a rule is called.",
  mutants = {
    {
      name = "axis-forgotten",
      replace = {"m = np.moveaxis(m, m_axis, 0)", "m = np.asarray(m)"},
      explain = "The matrices are taken along axis 0, wherever they lie: m_axis"
        .. " says where.",
    },
    {
      name = "columns-forgotten",
      replace = {"if v_axis == 1 then v = v.T end", ""},
      explain = "With v_axis = 1 each column of v is a vector, and rows were"
        .. " taken.",
    },
    {
      name = "not-transposed",
      replace = {"np.matmul(v, m.T)", "np.matmul(v, m)"},
      explain = "A row of v times m goes along the columns of m. Matrix times"
        .. " vector goes along its rows: the transpose.",
    },
    {
      name = "stretched-wrongly",
      replace = {"np.expand_dims(v, 1)", "np.expand_dims(v, 2)"},
      explain = "Each row of the matrix was multiplied by one element of the"
        .. " vector. The vector runs along the rows: its axis is the last one.",
    },
    {
      name = "every-with-every",
      replace = {"return np.sum(m * np.expand_dims(v, 1), {axis = 2})",
        "return np.matmul(m, v[0])"},
      explain = "All matrices meet the first vector. Each is to meet its own.",
    },
    {
      name = "first-axis-last",
      replace = {"np.moveaxis(m, m_axis, 0)", "np.moveaxis(m, m_axis, -1)"},
      explain = "The many were moved to the end: bring them to the front.",
    },
  },
}
