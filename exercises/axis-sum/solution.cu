// Write the kernel axis_sum: out[c] is the sum of column c of x, which has
// `rows` rows of `columns` floats. Blocks have 32 x 8 threads; block b does the
// columns from 32 * b on. Its 8 warps share the rows among them.
__global__ void axis_sum(const float *x, float *out, int rows, int columns) {
  __shared__ float part[8][32];
  int lane = threadIdx.x, warp = threadIdx.y;
  int c = blockIdx.x * 32 + lane;
  // BEGIN SOLUTION
  float sum = 0;
  if (c < columns)
    for (int r = warp; r < rows; r += 8) sum += x[r * columns + c];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && c < columns) {
    for (int k = 1; k < 8; k++) sum += part[k][lane];
    out[c] = sum;
  }
  // END SOLUTION
  // STARTER: // 1. add up rows warp, warp + 8, warp + 16 ... of column c
  // STARTER: // 2. put the sum into part[warp][lane]
  // STARTER: // 3. one warp adds up the eight sums of each column
}
