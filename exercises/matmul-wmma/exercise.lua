-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A warp multiplies",
  task = "c = a b for square matrices of half, on tensor cores: a warp makes a"
    .. " tile of 16 x 16.",
  needs = {"matmul-tiled"},
  minutes = 25,
  kernel = "product",
  signature = {
    {"in", "const __half *", "a"},
    {"in", "const __half *", "b"},
    {"out", "float *", "c"},
    {"value", "int", "n"},
  },
  reference = "matmul_wmma",
  tolerance = {
    ulp = 0,
    reason = "the inputs are whole numbers within 16, which half holds; their"
      .. " products and sums stay below 2^23, and the sums are kept in float",
  },
  budget = 60000,
  make = function(case, rng)
    local n = case.n
    return {
      a = rng:steps(n * n, -16, 16, 1), b = rng:steps(n * n, -16, 16, 1),
      c = n * n, n = n,
    }, {{n // 16, n // 16}, 32}
  end,
  cases = {
    {name = "n=32", n = 32},
    {name = "n=16: one tile", n = 16},
    {name = "n=48", n = 48},
    {name = "large", n = 80, hidden = true},
  },
  requires = {"tensor"},
  hints = {
    "You need three fragments: one of a, one of b, and the accumulator, which"
      .. " is there already.",
    "For first = 0, 16, 32 ... load the tile of a at (row, first) and the tile"
      .. " of b at (first, column). A tile's address is that of its first"
      .. " element.",
    "The last argument of load_matrix_sync is how many elements lie between one"
      .. " row's beginning and the next one's: n.",
    "wmma::mma_sync(fc, fa, fb, fc); computes fc = fa fb + fc.",
  },
  editorial = "A warp makes 256 results in n / 16 rounds: two tiles of 512"
    .. " bytes loaded, one mma_sync of 4096 products, added in float. No"
    .. " shared memory, so each tile of a and of b is fetched by n / 16"
    .. " blocks. Next: some warps a block that share tiles in shared memory,"
    .. " and several accumulators a warp, so that a fragment is used more than"
    .. " once.",
  mutants = {
    {
      name = "b-column-major",
      replace = {"wmma::matrix_b, 16, 16, 16, half, wmma::row_major",
        "wmma::matrix_b, 16, 16, 16, half, wmma::col_major"},
      explain = "The tiles of b are taken as stored column after column, so"
        .. " that each is transposed.",
    },
    {
      name = "stride-of-16",
      replace = {"load_matrix_sync(fa, a + row * n + first, n)",
        "load_matrix_sync(fa, a + row * n + first, 16)"},
      explain = "The rows of a tile lie n elements apart in a, not 16.",
    },
    {
      name = "no-accumulation",
      replace = {"mma_sync(fc, fa, fb, fc);",
        "fill_fragment(fc, 0.0f);\n    wmma::mma_sync(fc, fa, fb, fc);"},
      explain = "Only the last pair of tiles counts: one sum goes on through"
        .. " all of them.",
    },
    {
      name = "same-tile",
      replace = {"b + first * n + column", "b + row * n + column"},
      explain = "The tile of b does not move down with the loop.",
    },
    {
      name = "a-down",
      replace = {"a + row * n + first", "a + first * n + row"},
      explain = "The tiles of a go down its columns: they run along its row,"
        .. " from (row, 0) to the right.",
    },
    {
      name = "by-hand",
      breaks = "tensor",
      replace = {"  wmma::store_matrix_sync(c + row * n + column, fc, n,"
        .. " wmma::mem_row_major);", [[
  for (int k = threadIdx.x; k < 256; k += 32) {
    float sum = 0;
    for (int i = 0; i < n; i++)
      sum += __half2float(a[(row + k / 16) * n + i]) *
             __half2float(b[i * n + column + k % 16]);
    c[(row + k / 16) * n + column + k % 16] = sum;
  }]]},
      explain = "The tensor cores multiply, and then each thread does it once"
        .. " more by hand: what is stored is not theirs.",
    },
  },
}
