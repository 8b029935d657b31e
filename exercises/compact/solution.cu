// Compact: out gets the elements of x that are above zero, in their order and
// without gaps, and count[0] how many they are. What is behind them in out stays.
// Four kinds of launches do it, of which two are here already: a scan as in the
// exercise before, which gives keep[] its places: places[i] is the sum of all
// keep before i.
//
// mark: keep[i] is 1 where x[i] is above zero, and else 0.
// move: each element that is kept goes to its place in out. The thread of the
// last element knows how many are kept, and stores that in count[0].

__global__ void scan_parts(const int *x, int *out, int *totals, int n) {
  __shared__ int sums[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int own = i < n ? x[i] : 0, sum = own;
  for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (t % 32 >= far) sum += below;
  }
  if (t % 32 == 31) sums[t / 32] = sum;
  __syncthreads();
  for (int warp = 0; warp < t / 32; warp++) sum += sums[warp];
  if (i < n) out[i] = sum - own;
  if (t == 255) totals[blockIdx.x] = sum;
}

__global__ void add_before(int *out, const int *before, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] += before[blockIdx.x];
}

__global__ void mark(const int *x, int *keep, int n) {
  // BEGIN SOLUTION
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) keep[i] = x[i] > 0;
}

__global__ void move(const int *x, const int *keep, const int *places,
                     int *out, int *count, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  if (keep[i]) out[places[i]] = x[i];
  if (i == n - 1) count[0] = places[i] + keep[i];
  // END SOLUTION
  // STARTER: // Blocks have 256 threads.
// STARTER: }
// STARTER:
// STARTER: __global__ void move(const int *x, const int *keep, const int *places,
// STARTER:                      int *out, int *count, int n) {
}
