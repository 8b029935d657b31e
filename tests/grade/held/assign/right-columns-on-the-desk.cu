// right: the centres lie column by column on the desk, filled by one warp
__global__ void assign(const float *x, const float *centres, int *label, int n, int d, int k) {
  __shared__ float desk[1024];
  if (threadIdx.x < 32)
    for (int c = threadIdx.x; c < k * d; c += 32) desk[c % d * k + c / d] = centres[c];
  __syncthreads();
  const int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
    int nearest = 0;
    float best = 0;
    for (int j = 0; j < k; j++) {
      float sum = 0;
      for (int c = 0; c < d; c++) sum += (desk[c * k + j] - x[c * n + i]) * (desk[c * k + j] - x[c * n + i]);
      if (j == 0 || sum < best) best = sum, nearest = j;
    }
    label[i] = nearest;
  }
}
