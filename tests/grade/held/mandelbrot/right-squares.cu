// right: the squares are kept from round to round
__device__ int steps(float cx, float cy, int limit) {
  float x = 0, y = 0, xx = 0, yy = 0;
  int k = 0;
  for (; k < limit && xx + yy <= 4.0f; k++) {
    y = (x + x) * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
  }
  return k;
}

__global__ void mandelbrot(int *out, int width, int height, float left, float top, float size, int limit) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) out[row * width + column] = steps(left + column * size, top + row * size, limit);
}
