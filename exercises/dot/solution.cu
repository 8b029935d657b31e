// Write the kernel dot: out[r] is the sum of x[r][c] * y[r][c] over all columns
// c. x and y have a row of `columns` floats for each block of the grid; block r
// does row r. Blocks have a multiple of 32 threads, up to 1024; a row may be
// longer or shorter.
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  // BEGIN SOLUTION
  __shared__ float part[32];
  int t = threadIdx.x, row = blockIdx.x * columns;
  float sum = 0;
  for (int c = t; c < columns; c += blockDim.x)
    sum += x[row + c] * y[row + c];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }
  // END SOLUTION
}
