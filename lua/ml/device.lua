-- SPDX-License-Identifier: Apache-2.0
-- The loops over rows that lie on a device. A round of k-means is lesson 47's:
-- a thread labels a row; then the block adds its rows up on its desk (shared
-- memory), in several copies, of each of which a thread has one column to
-- itself, so that nobody waits and the order of additions is fixed.
local use = ...
local kernels, there = use("shared/kernels"), use("data").there
local np, cuda = use.np, use.cuda
local M = {}

local source = [==[
typedef long long i64;
#define ROW                                                                  \
  i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;                         \
  if (i >= n)                                                                 \
    return
#define TILE 256
#define DESK 4096

template <typename T>
__device__ T apart(const T *a, const T *b, int d) {
  T sum = 0;
  for (int j = 0; j < d; j++)
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// The nearest center, of equals the first: eight at a time, so that a row is
// read once for eight of them.
#define AT_ONCE 8
template <typename T>
__device__ int nearest(const T *row, const T *centers, int d, int k, T *least) {
  int label = 0;
  *least = (T)__int_as_float(0x7f800000); // infinity
  for (int c = 0; c < k; c += AT_ONCE) {
    T sum[AT_ONCE] = {0};
    for (int j = 0; j < d; j++) {
      T mine = row[j];
#pragma unroll
      for (int m = 0; m < AT_ONCE; m++) {
        T a = mine - centers[(i64)min(c + m, k - 1) * d + j];
        sum[m] += a * a;
      }
    }
#pragma unroll
    for (int m = 0; m < AT_ONCE; m++)
      if (sum[m] < *least) {
        *least = sum[m];
        label = min(c + m, k - 1);
      }
  }
  return label;
}

// Of each center d sums, then how many rows, their squared distances and how
// many labels changed: d + 3 columns, in `found` of each block.
template <typename T>
__global__ void kmeans_round(const T *x, const T *centers, int *labels,
                             double *found, int d, int k, int copies, i64 n) {
  __shared__ double desk[DESK];
  __shared__ int label[TILE], changed[TILE];
  __shared__ T least[TILE];
  int t = threadIdx.x, width = d + 3, size = k * width;
  double *own = found + (i64)blockIdx.x * size;
  double *cells = size <= DESK ? desk : own;
  for (int c = t; c < copies * size; c += TILE)
    cells[c] = 0;
  for (i64 from = blockIdx.x * (i64)TILE; from < n;
       from += gridDim.x * (i64)TILE) {
    __syncthreads();
    if (from + t < n) {
      label[t] = nearest(x + (from + t) * d, centers, d, k, &least[t]);
      changed[t] = label[t] != labels[from + t];
      labels[from + t] = label[t];
    }
    __syncthreads();
    int rows = n - from < TILE ? n - from : TILE;
    for (int at = t; at < copies * width; at += TILE) {
      int copy = at / width, j = at % width;
      double *mine = cells + copy * size + j;
      for (int r = copy; r < rows; r += 4 * copies) {
        double found[4]; // four rows are looked up, then added in their order
        for (int m = 0; m < 4; m++) {
          int q = min(r + m * copies, rows - 1);
          found[m] = j < d         ? (double)x[(from + q) * d + j]
                     : j == d      ? 1.0
                     : j == d + 1  ? (double)least[q]
                                   : changed[q];
        }
        for (int m = 0; m < 4 && r + m * copies < rows; m++)
          mine[label[r + m * copies] * width] += found[m];
      }
    }
  }
  __syncthreads();
  for (int c = t; c < size; c += TILE) {
    double sum = cells[c];
    for (int copy = 1; copy < copies; copy++)
      sum += cells[copy * size + c];
    own[c] = sum;
  }
}

// The blocks' sums, of each column by a warp: 32 sums of every 32nd, in their
// order, then those in a fixed tree.
__global__ void add_blocks(const double *found, double *out, int blocks,
                           i64 n) {
  i64 i = blockIdx.x * (i64)(blockDim.x / 32) + threadIdx.x / 32;
  if (i >= n)
    return;
  double sum = 0;
  for (int b = threadIdx.x % 32; b < blocks; b += 32)
    sum += found[b * n + i];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (threadIdx.x % 32 == 0)
    out[i] = sum;
}

template <typename T>
__global__ void closer(const T *x, const T *center, const double *nearest,
                       double *out, int d, i64 n) {
  ROW;
  out[i] = fmin(nearest[i], (double)apart(x + i * d, center, d));
}

// Each pair of a row of x and one of y.
template <typename T>
__global__ void distances(const T *x, const T *y, double *out, int d, i64 rows,
                          i64 n) {
  ROW;
  out[i] = sqrt((double)apart(x + i / rows * d, y + i % rows * d, d));
}

// The k rows of x nearest to row i of q, in order.
template <typename T>
__global__ void neighbors(const T *x, const T *q, double *distances,
                          i64 *places, int d, int k, i64 rows, int skips_own,
                          i64 n) {
  ROW;
  double *far = distances + i * k;
  i64 *place = places + i * k;
  int had = 0;
  for (i64 r = 0; r < rows; r++) {
    double a = (double)apart(q + i * d, x + r * d, d);
    if ((skips_own && r == i) || (had == k && !(a < far[k - 1])))
      continue;
    int at = had < k ? had++ : k - 1;
    for (; at > 0 && far[at - 1] > a; at--) {
      far[at] = far[at - 1];
      place[at] = place[at - 1];
    }
    far[at] = a;
    place[at] = r;
  }
  for (int m = 0; m < had; m++)
    far[m] = sqrt(far[m]);
}

// The sum of row i's distances to the rows of each label.
template <typename T>
__global__ void label_distances(const T *x, const int *labels, double *out,
                                int d, int k, i64 n) {
  ROW;
  for (int c = 0; c < k; c++)
    out[i * k + c] = 0;
  for (i64 r = 0; r < n; r++)
    out[i * k + labels[r]] += sqrt((double)apart(x + i * d, x + r * d, d));
}
]==]

local TILE, DESK, MOST_BLOCKS, MOST_FOUND = 256, 4096, 528, 1 << 23

-- ---- Kernels and launches ----

local floats = {"f64", "f32"}
local kernel = kernels.of(source, {
  kmeans_round = floats, closer = floats, distances = floats,
  neighbors = floats, label_distances = floats,
})
local run = kernels.run

local function make(shape, dtype) return cuda.device_array(shape, dtype) end

-- ---- k-means ----

function M.labels(x) return make(x.shape[1], "i32"):fill(-1) end

local function blocks_for(n, size)
  local most = math.min(MOST_BLOCKS, math.max(1, MOST_FOUND // size))
  return math.max(1, math.min(most, (n + TILE - 1) // TILE))
end

function M.round(x, centers, labels, sums_too)
  local n, d, k = x.shape[1], x.shape[2], centers.shape[1]
  local width = d + 3
  local size = k * width
  local blocks = blocks_for(n, size)
  local copies = math.max(1, math.min(DESK // size, TILE // width))
  local found, out = make(blocks * size, "f64"), make({k, width}, "f64")
  kernel("kmeans_round", x.dtype)[{blocks, TILE}](x, there(x, centers), labels,
    found, d, k, copies, n)
  run(size * 32, kernel("add_blocks"), found, out, blocks, size)
  out = out:copy_to_host()
  local function column(at) return out[(":, %d"):format(d + at)]:copy() end
  local sums = sums_too and out[(":, :%d"):format(d)]:copy() or nil
  return np.sum(column(1)), math.tointeger(np.sum(column(2))), column(0), sums
end

function M.infinities(x)
  return cuda.to_device(np.full(x.shape[1], np.inf, "f64"))
end

function M.closer(x, center, nearest)
  local n = x.shape[1]
  local out = make(n, "f64")
  run(n, kernel("closer", x.dtype), x, there(x, center), nearest, out,
    x.shape[2], n)
  return out, np.sum(out):copy_to_host():tolist()
end

-- ---- Distances ----

function M.distances(x, y)
  local n, rows = x.shape[1], y.shape[1]
  local out = make({n, rows}, "f64")
  run(n * rows, kernel("distances", x.dtype), x, there(x, y), out, x.shape[2],
    rows, n * rows)
  return out
end

function M.neighbors(x, q, k, skips_own)
  local n = q.shape[1]
  local far, places = make({n, k}, "f64"), make({n, k}, "i64")
  run(n, kernel("neighbors", x.dtype), x, q, far, places, x.shape[2], k,
    x.shape[1], skips_own and 1 or 0, n)
  return far, places
end

function M.label_distances(x, labels, k)
  local n = x.shape[1]
  local out = make({n, k}, "f64")
  run(n, kernel("label_distances", x.dtype), x, labels, out, x.shape[2], k, n)
  return out
end

--- Row i, on the host.
function M.row(x, i) return x[i]:copy_to_host():astype("f64") end

-- What is made for a moment comes from the pool.
for name, f in pairs(M) do
  M[name] = function(...) return use.pooled(f, ...) end
end

return M
