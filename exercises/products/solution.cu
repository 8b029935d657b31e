// The sums that a line through many points is made of. n rows have d numbers
// each, stored column by column: number c of row i is x[c * n + i]. The sum over
// all rows of number a times number b is to go to sums[a * d + b], for each pair
// of columns. The grid has a block for each pair, d * d of them; a block has 128
// threads. Its threads go through the rows together, and add up what they have
// in shared memory.
__global__ void products(const float *x, float *sums, int n, int d) {
  __shared__ float part[128];
  // BEGIN SOLUTION
  int t = threadIdx.x, a = blockIdx.x / d, b = blockIdx.x % d;
  float sum = 0;
  for (int i = t; i < n; i += 128) sum += x[a * n + i] * x[b * n + i];
  part[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
  // END SOLUTION
  // STARTER: part[threadIdx.x] = 0;
}
