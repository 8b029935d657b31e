// right: each lane's 0 or 1 added up by one instruction
__global__ void count_if(const float *__restrict__ x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = __reduce_add_sync(~0u, i < n ? x[i] > limit : 0);
  if ((threadIdx.x & 31) == 0 && i < n) counts[i / 32] = sum;
}
