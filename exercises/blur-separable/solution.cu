// blur5 softens a picture: out[r][c] is the sum over a square of 5 x 5 cells with
// the weights w[dy] * w[dx], where w is 1, 4, 6, 4, 1, divided by 256. Beyond the
// edge the picture's nearest cell stands in. The kernel is right and asks global
// memory 25 times for each cell. Make it fetch a tile with its halo once, and go
// along the rows first, then along the columns. Blocks have 16 x 16 threads.
__device__ float weigh(float a, float b, float c, float d, float e) {
  return a + e + 4 * (b + d) + 6 * c;
}
__device__ float cell(const float *in, int r, int c, int rows, int columns) {
  return in[min(max(r, 0), rows - 1) * columns + min(max(c, 0), columns - 1)];
}
__global__ void blur5(const float *in, float *out, int rows, int columns) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  // BEGIN SOLUTION
  __shared__ float tile[20][20], half[20][16];
  int t = threadIdx.y * 16 + threadIdx.x;
  int top = blockIdx.y * 16 - 2, left = blockIdx.x * 16 - 2;
  for (int k = t; k < 400; k += 256)
    tile[k / 20][k % 20] = cell(in, top + k / 20, left + k % 20, rows, columns);
  __syncthreads();
  for (int k = t; k < 320; k += 256) {
    float *at = &tile[k / 16][k % 16];
    half[k / 16][k % 16] = weigh(at[0], at[1], at[2], at[3], at[4]);
  }
  __syncthreads();
  int x = threadIdx.x, y = threadIdx.y;
  float sum = weigh(half[y][x], half[y + 1][x], half[y + 2][x], half[y + 3][x],
                    half[y + 4][x]);
  if (r < rows && c < columns) out[r * columns + c] = sum / 256;
  // END SOLUTION
  // STARTER: if (r >= rows || c >= columns) return;
  // STARTER: float row[5];
  // STARTER: for (int k = 0; k < 5; k++)
  // STARTER:   row[k] = weigh(cell(in, r + k - 2, c - 2, rows, columns),
  // STARTER:                  cell(in, r + k - 2, c - 1, rows, columns),
  // STARTER:                  cell(in, r + k - 2, c, rows, columns),
  // STARTER:                  cell(in, r + k - 2, c + 1, rows, columns),
  // STARTER:                  cell(in, r + k - 2, c + 2, rows, columns));
  // STARTER: float sum = weigh(row[0], row[1], row[2], row[3], row[4]);
  // STARTER: out[r * columns + c] = sum / 256;
}
