// row_sums adds up each row of a matrix with 32 columns. A block has 32 threads
// and looks after 32 rows: it fetches them side by side into a tile, and then
// each thread adds up one row of the tile. It is right, and each load of the
// second loop takes 32 passes. Make it one.
__global__ void row_sums(const float *m, float *sums, int rows) {
  int t = threadIdx.x, first = blockIdx.x * 32;
  // BEGIN SOLUTION
  __shared__ float tile[32][33];
  for (int r = 0; r < 32 && first + r < rows; r++)
    tile[r][t] = m[(first + r) * 32 + t];
  __syncthreads();
  float sum = 0;
  if (first + t < rows)
    for (int k = 0; k < 32; k++) sum += tile[t][k];
  if (first + t < rows) sums[first + t] = sum;
  // END SOLUTION
  // STARTER: __shared__ float tile[32][32];
  // STARTER: for (int r = 0; r < 32 && first + r < rows; r++)
  // STARTER:   tile[r][t] = m[(first + r) * 32 + t];
  // STARTER: __syncthreads();
  // STARTER: float sum = 0;
  // STARTER: if (first + t < rows)
  // STARTER:   for (int k = 0; k < 32; k++) sum += tile[t][k];
  // STARTER: if (first + t < rows) sums[first + t] = sum;
}
