// right: a warp takes its 32 rows one by one, its lanes side by side
__global__ void scale_rows(const float *x, float *out, int rows, int columns) {
  const int width = min(32, (int)blockDim.x), lane = threadIdx.x % width;
  const unsigned mask = width == 32 ? ~0u : (1u << width) - 1;
  const int top = blockIdx.x * blockDim.x + threadIdx.x - lane;
  for (int row = top; row < min(top + width, rows); row++) {
    float most = 0;
    for (int k = lane; k < columns; k += width) most = fmaxf(most, fabsf(x[row * columns + k]));
    for (int far = width / 2; far; far >>= 1) most = fmaxf(most, __shfl_xor_sync(mask, most, far));
    for (int k = lane; k < columns; k += width) out[row * columns + k] = most > 0 ? x[row * columns + k] / most : 0.0f;
  }
}
