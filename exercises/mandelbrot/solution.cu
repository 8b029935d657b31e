// Write the device function steps: how many rounds of z = z * z + c it takes,
// from z = 0, until |z| is above 2; `limit` if it never is. z and c are complex:
// (x + iy) squared is (x * x - y * y) + i (2 * x * y). The kernel calls it for
// each pixel.
// BEGIN SOLUTION
__device__ int steps(float cx, float cy, int limit) {
  float x = 0, y = 0;
  for (int k = 0; k < limit; k++) {
    if (x * x + y * y > 4) return k;
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return limit;
}
// END SOLUTION
// STARTER: __device__ int steps(float cx, float cy, int limit) {
// STARTER:   return 0;
// STARTER: }

// Pixel (column, row) stands for c = (left + column * size, top + row * size).
__global__ void mandelbrot(int *out, int width, int height, float left,
                           float top, float size, int limit) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height)
    out[row * width + column] =
        steps(left + column * size, top + row * size, limit);
}
