// right: a tile of 18 x 18 cells in shared memory, with its edge
__constant__ float weights[9];

__global__ void filter(const float *in, float *out, int width, int height) {
  __shared__ float tile[18][18];
  int left = blockIdx.x * 16 - 1, top = blockIdx.y * 16 - 1;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
    int x = left + k % 18, y = top + k / 18;
    tile[k / 18][k % 18] = x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c)
      sum += weights[3 * r + c] * tile[threadIdx.y + r][threadIdx.x + c];
  out[y * width + x] = sum;
}
