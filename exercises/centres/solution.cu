// After a round of labels each centre goes to the middle of its points. For
// that, add up the points: sums[j * d + c] is to be the sum of coordinate c of
// all points with label j, and count[j] their number. Coordinate c of point i
// is x[c * n + i]. sums and count come in as zeros. Let each block gather in
// shared memory first, so that few atomics go to global memory; k * d is 1024
// at most.
__global__ void centres(const float *x, const int *label, float *sums,
                        int *count, int n, int d, int k) {
  __shared__ float part[1024];
  __shared__ int members[1024];
  // BEGIN SOLUTION
  for (int c = threadIdx.x; c < k * d; c += blockDim.x) part[c] = 0;
  for (int j = threadIdx.x; j < k; j += blockDim.x) members[j] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int j = label[i];
    for (int c = 0; c < d; c++) atomicAdd(&part[j * d + c], x[c * n + i]);
    atomicAdd(&members[j], 1);
  }
  __syncthreads();
  // Once for each block and cell. Where most points share one label, lanes wait
  // for each other at the desk; sums in registers for a few k would help there.
  for (int c = threadIdx.x; c < k * d; c += blockDim.x)
    atomicAdd(&sums[c], part[c]);
  for (int j = threadIdx.x; j < k; j += blockDim.x)
    atomicAdd(&count[j], members[j]);
  // END SOLUTION
}
