// right: one coordinate after the other
__global__ void centres(const float *x, const int *label, float *sums, int *count, int n, int d, int k) {
  __shared__ float part[1024];
  __shared__ int members[1024];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x + t, all = gridDim.x * blockDim.x;
  for (int c = t; c < 1024; c += blockDim.x) part[c] = 0.0f, members[c] = 0;
  __syncthreads();
  for (int c = 0; c < d; c++)
    for (int i = first; i < n; i += all) atomicAdd(part + label[i] * d + c, x[c * n + i]);
  for (int i = first; i < n; i += all) atomicAdd(members + label[i], 1);
  __syncthreads();
  for (int c = t; c < k * d; c += blockDim.x)
    if (part[c] != 0) atomicAdd(sums + c, part[c]);
  for (int j = t; j < k; j += blockDim.x)
    if (members[j]) atomicAdd(count + j, members[j]);
}
