// Write the kernel blur: out[r][c] is the mean of the square of cells that is
// `radius` cells wide on each side of (r, c), 2 * radius + 1 in all. Where the
// square sticks out of the picture, the picture's nearest cell stands in for what
// is missing: row -1 reads row 0, row `rows` reads row rows - 1.
__global__ void blur(const float *in, float *out, int rows, int columns,
                     int radius) {
  // BEGIN SOLUTION
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  float sum = 0;
  for (int dy = -radius; dy <= radius; dy++) {
    int y = min(max(r + dy, 0), rows - 1);
    for (int dx = -radius; dx <= radius; dx++) {
      int x = min(max(c + dx, 0), columns - 1);
      sum += in[y * columns + x];
    }
  }
  int side = 2 * radius + 1;
  out[r * columns + c] = sum / (side * side);
  // END SOLUTION
  // STARTER: int c = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int r = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: if (r < rows && c < columns)
  // STARTER:   out[r * columns + c] = in[r * columns + c];
}
