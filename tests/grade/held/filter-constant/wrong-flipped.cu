// wrong: the weights are taken from the last to the first, so the filter is turned around
// verdict: fail
// says: The weights are taken from the last to the first
__constant__ float weights[9];

__global__ void filter(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int xx = x - i, yy = y - j;
      if (xx >= 0 && xx < width && yy >= 0 && yy < height)
        sum += weights[(j + 1) * 3 + i + 1] * in[yy * width + xx];
    }
  out[y * width + x] = sum;
}
