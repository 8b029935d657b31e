// right: a row a warp, its factor loaded by one lane and handed round by a shuffle
__global__ void scale_rows(const float *m, const float *f, float *out, int rows, int columns) {
  const int lane = threadIdx.x & 31;
  const int warps = gridDim.x * blockDim.x / 32;
  for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows; r += warps) {
    float s = lane == 0 ? f[r] : 0;
    s = __shfl_sync(0xffffffffu, s, 0);
    for (int c = lane; c < columns; c += 32) out[r * columns + c] = s * m[r * columns + c];
  }
}
