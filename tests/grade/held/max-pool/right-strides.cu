// right: from minus infinity, in strides of the grid
__global__ void pool(const float *__restrict__ x, float *__restrict__ out, int rows, int columns, int w, int step) {
  const int high = (rows + step - 1) / step, wide = (columns + step - 1) / step;
  for (int r = threadIdx.y + blockIdx.y * blockDim.y; r < high; r += gridDim.y * blockDim.y)
    for (int c = threadIdx.x + blockIdx.x * blockDim.x; c < wide; c += gridDim.x * blockDim.x) {
      float most = -INFINITY;
      for (int k = 0; k < w * w; k++) {
        const int row = r * step + k / w, column = c * step + k % w;
        if (row < rows && column < columns) most = max(most, __ldg(x + row * columns + column));
      }
      out[r * wide + c] = most;
    }
}
