// right: columns of the square first, strides of the grid, clamped with ternaries
template <typename T> __device__ T within(T v, T most) { return v < 0 ? 0 : v > most ? most : v; }
__global__ void blur(const float *__restrict__ in, float *__restrict__ out, int rows, int columns, int radius) {
  const float side = 2 * radius + 1;
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += gridDim.x * blockDim.x) {
      float sum = 0;
      for (int x = c - radius; x <= c + radius; x++)
        for (int y = r - radius; y <= r + radius; y++)
          sum += __ldg(&in[within(y, rows - 1) * columns + within(x, columns - 1)]);
      out[r * columns + c] = sum / (side * side);
    }
}
