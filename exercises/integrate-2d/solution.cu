// Write the kernel integrate: the volume under sin(x + y) for x and y from 0 to
// 1. The square is cut into n x n small ones of width h = 1 / n, and each adds the
// value at its middle times h * h. middle[i] is the middle of column i, and also
// that of row i. One thread looks after one column: one x, all n y. The threads of
// a block add up their columns in shared memory, and sums[b] is block b's part.
// Blocks have 128 threads. The host adds the parts.
__global__ void integrate(const double *middle, double *sums, int n) {
  __shared__ double part[128];
  // BEGIN SOLUTION
  int t = threadIdx.x, column = blockIdx.x * blockDim.x + t;
  double h = 1.0 / n, sum = 0;
  if (column < n)
    for (int row = 0; row < n; row++) sum += sin(middle[column] + middle[row]);
  part[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0] * h * h;
  // END SOLUTION
  // STARTER: // 1. each thread: the sum of its column
  // STARTER: // 2. into part; then add in a tree
  // STARTER: // 3. one thread writes the block's sum, times h * h
}
