// right: the block's elements on a desk
__global__ void places(const int *x, int *place, int n) {
  __shared__ int desk[1024];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x, length = min((int)blockDim.x, n - first);
  if (t < length) desk[t] = x[first + t];
  __syncthreads();
  if (t >= length) return;
  int below = 0;
  for (int k = 0; k < length; k++) below += desk[k] < desk[t];
  place[first + t] = below;
}
