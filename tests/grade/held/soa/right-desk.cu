// right: floats side by side both ways, turned in shared memory
__global__ void split(const float *pixels, float *planes, int n) {
  __shared__ float desk[4 * 1024];
  int first = blockIdx.x * blockDim.x, here = min((int)blockDim.x, n - first);
  for (int k = threadIdx.x; k < 4 * here; k += blockDim.x) desk[k] = pixels[4 * first + k];
  __syncthreads();
  int i = threadIdx.x;
  if (i < here)
    for (int k = 0; k < 4; k++) planes[k * n + first + i] = desk[4 * i + k];
}
