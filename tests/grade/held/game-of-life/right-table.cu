// right: a table of the eight steps, strides, a switch
__device__ const int steps[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

template <typename Int>
__device__ inline Int around(Int i, Int n) {
  return i < 0 ? i + n : i >= n ? i - n : i;
}

__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < rows; y += gridDim.y * blockDim.y) {
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < columns; x += gridDim.x * blockDim.x) {
      int living = 0;
#pragma unroll
      for (int k = 0; k < 8; ++k)
        living += now[around(y + steps[k][0], rows) * columns + around(x + steps[k][1], columns)] != 0;
      int result;
      switch (living) {
      case 2: result = now[y * columns + x]; break;
      case 3: result = 1; break;
      default: result = 0;
      }
      next[y * columns + x] = result;
    }
  }
}
