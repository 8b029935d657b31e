-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The nearest rows",
  task = "Each thread finds the k rows of a table that are nearest to its"
    .. " question, the nearest first.",
  needs = {"assign"},
  minutes = 25,
  kernel = "nearest_rows",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "questions"},
    {"out", "int *", "near"},
    {"value", "int", "n"},
    {"value", "int", "m"},
    {"value", "int", "d"},
    {"value", "int", "k"},
  },
  reference = "nearest_rows",
  tolerance = {ulp = 0, reason = "numbers of rows; coordinates are multiples of"
    .. " 1/8 within 8, so that no distance is rounded"},
  budget = 1000000,
  make = function(case, rng)
    local n, m, d = case.n, case.m, case.d
    local low, step = case.low or -8, case.step or 1 / 8
    return {
      x = rng:steps(n * d, low, 8, step),
      questions = rng:steps(m * d, -8, 8, step), near = m * case.k,
      n = n, m = m, d = d, k = case.k,
    }, {blocks_for(m, case.block or 64), case.block or 64}
  end,
  cases = {
    {name = "the 3 nearest of 40", n = 40, m = 96, d = 2, k = 3},
    {name = "one row, one question", n = 1, m = 1, d = 3, k = 1},
    {name = "the nearest alone", n = 50, m = 64, d = 4, k = 1},
    {name = "all rows, in order", n = 8, m = 33, d = 2, k = 8},
    {name = "many are equally far", n = 30, m = 40, d = 2, k = 5, step = 4},
    {name = "12 numbers a row", n = 60, m = 70, d = 12, k = 4, block = 32},
    {name = "large", n = 150, m = 130, d = 3, k = 6, block = 96,
      hidden = true},
  },
  requires = {},
  goal = {{"active_lanes >= 8", cases = {"the 3 nearest of 40"}}},
  hints = {
    "best has the k least distances so far, row whose they are. At first all"
      .. " are huge.",
    "A row that is no nearer than the last of them is passed over.",
    "Else it comes in at the end and moves up while the one before it is"
      .. " farther away, as a card is put into a hand of cards.",
    "Of equals the lower row stays in front if the new one passes only those"
      .. " that are strictly farther.",
  },
  editorial = "n * d loads of the table and one comparison a row; the lists of"
    .. " k change seldom once good rows are in them. All lanes read the same"
    .. " row at the same time, one sector for 32 lanes; a tile of rows in"
    .. " shared memory would spare most of these. Trees help in few dimensions:"
    .. " with twelve all rows are looked at anyway.",
  mutants = {
    {
      name = "last-of-equals",
      replace = {"if (distance >= best[k - 1]) continue;",
        "if (distance > best[k - 1]) continue;"},
      explain = "A row that is as far as the last of the best took its place."
        .. " Of equals the lower row comes first, and it was there before.",
    },
    {
      name = "equals-passed",
      replace = {"distance < best[j - 1]", "distance <= best[j - 1]"},
      explain = "The new row moved past others that are equally far. Of equals"
        .. " the lower one comes first: pass only those that are farther.",
    },
    {
      name = "farthest",
      replace = {"for (int j = 0; j < k; j++) near[q * k + j] = row[j];",
        "for (int j = 0; j < k; j++) near[q * k + j] = row[k - 1 - j];"},
      explain = "The farthest of the k stands first. The nearest is asked for"
        .. " first.",
    },
    {
      name = "first-number",
      replace = {"int c = 0; c < d; c++", "int c = 0; c < 1; c++"},
      explain = "Only the first number of each row is compared.",
    },
    {
      name = "rows-not-moved",
      replace = {"      row[j] = row[j - 1];\n", ""},
      explain = "The distances moved down, and the rows that they belong to did"
        .. " not.",
    },
    {
      name = "row-by-row",
      replace = {"x[c * n + i]", "x[i * d + c]"},
      explain = "x lies column by column: number c of row i is at c * n + i.",
    },
    {
      name = "not-squared",
      replace = {"apart * apart", "apart"},
      explain = "Differences that are not squared cancel each other.",
    },
    {
      name = "place-of-one",
      replace = {"near[q * k + j] = row[j]", "near[q + j] = row[j]"},
      explain = "Each question has k places: the first one is q * k.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  if (q >= m) return;
  for (int i = 0; i < n; i++) {
    float distance = 0;
    for (int c = 0; c < d; c++) {
      float apart = x[c * n + i] - questions[c * m + q];
      distance += apart * apart;
    }
    if (distance >= best[k - 1]) continue;
    // It moves up past all that are farther away than it.
    int j = k - 1;
    for (; j > 0 && distance < best[j - 1]; j--) {
      best[j] = best[j - 1];
      row[j] = row[j - 1];
    }
    best[j] = distance;
    row[j] = i;
  }
  for (int j = 0; j < k; j++) near[q * k + j] = row[j];]], [[
  if (threadIdx.x > 0) return;
  for (int last = min(q + (int)blockDim.x, m); q < last; q++) {
    for (int j = 0; j < 8; j++) best[j] = 3e38f;
    for (int i = 0; i < n; i++) {
      float distance = 0;
      for (int c = 0; c < d; c++) {
        float apart = x[c * n + i] - questions[c * m + q];
        distance += apart * apart;
      }
      if (distance >= best[k - 1]) continue;
      int j = k - 1;
      for (; j > 0 && distance < best[j - 1]; j--) {
        best[j] = best[j - 1];
        row[j] = row[j - 1];
      }
      best[j] = distance;
      row[j] = i;
    }
    for (int j = 0; j < k; j++) near[q * k + j] = row[j];
  }]]},
      explain = "The first thread of each block answers all of its questions.",
    },
  },
}
