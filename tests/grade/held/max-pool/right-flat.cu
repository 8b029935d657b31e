// right: results counted through, by the thread's number in the grid
__global__ void pool(const float *x, float *out, int rows, int columns, int w, int step) {
  const int high = (rows + step - 1) / step, wide = (columns + step - 1) / step;
  const int threads = blockDim.x * blockDim.y;
  const int me = (blockIdx.y * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;
  if (me >= high * wide) return;
  const int top = me / wide * step, left = me % wide * step;
  float most = x[top * columns + left];
  for (int r = top; r < top + w && r < rows; r++)
    for (int c = left; c < left + w && c < columns; c++)
      if (x[r * columns + c] > most) most = x[r * columns + c];
  out[me] = most;
}
