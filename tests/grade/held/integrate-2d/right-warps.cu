// right: shuffles within warps, and four numbers on the desk
__global__ void integrate(const double *middle, double *sums, int n) {
  __shared__ double part[4];
  const int t = threadIdx.x, column = blockIdx.x * 128 + t;
  double sum = 0;
  if (column < n) {
    const double x = middle[column];
    for (int row = 0; row < n; row++) sum += sin(x + __ldg(middle + row));
  }
  for (int far = 16; far; far /= 2) sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = (part[0] + part[1] + part[2] + part[3]) / n / n;
}
