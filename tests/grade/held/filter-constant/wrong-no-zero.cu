// wrong: the sum is never set to 0 before it is added to
// verdict: fail
// says: sum was never given a value
__constant__ float weights[9];

__global__ void filter(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) {
      int r = y + dy - 1;
      int c = x + dx - 1;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += in[r * width + c] * weights[dy * 3 + dx];
    }
  out[y * width + x] = sum;
}
