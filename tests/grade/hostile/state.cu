// expect: vector-add fail wrong-result
// Right from the second launch of a module on.
__device__ int launches;
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && atomicAdd(&launches, 0)) out[i] = x[i] + y[i];
  if (i == n - 1) atomicExch(&launches, 1);
}
