// right: centres from the last to the first, a tie taken by the later look
__global__ void assign(const float *__restrict__ x, const float *__restrict__ centres, int *label, int n, int d, int k) {
  __shared__ float desk[1024];
  for (int c = threadIdx.x; c < k * d; c += blockDim.x) desk[c] = __ldg(centres + c);
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float best = INFINITY;
    int nearest = -1;
    for (int j = k - 1; j >= 0; j--) {
      float apart = 0;
      for (int c = 0; c < d; c++) {
        const float by = __ldg(x + c * n + i) - desk[j * d + c];
        apart = fmaf(by, by, apart);
      }
      if (apart <= best) best = apart, nearest = j;
    }
    label[i] = nearest;
  }
}
