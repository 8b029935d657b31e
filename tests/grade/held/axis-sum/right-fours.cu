// right: float4 loads, eight lanes a row and 32 rows at a time, and a desk of 32 rows with a pad
__global__ void axis_sum(const float *x, float *out, int rows, int columns) {
  __shared__ float desk[32][33];
  const int t = threadIdx.y * 32 + threadIdx.x;
  const int quad = t % 8, group = t / 8, first = blockIdx.x * 32;
  float sum[4] = {0, 0, 0, 0};
  for (int r = group; r < rows; r += 32) {
    const float *p = x + r * columns + first + 4 * quad;
    if (columns % 4 == 0 && first + 4 * quad < columns) {
      float4 v = *(const float4 *)p;
      sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
    } else {
      for (int k = 0; k < 4; k++)
        if (first + 4 * quad + k < columns) sum[k] += p[k];
    }
  }
  for (int k = 0; k < 4; k++) desk[group][4 * quad + k] = sum[k];
  __syncthreads();
  if (t < 32 && first + t < columns) {
    float all = 0;
    for (int g = 0; g < 32; g++) all += desk[g][t];
    out[first + t] = all;
  }
}
