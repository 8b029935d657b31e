// wrong: the stride of the loop is one block, so blocks do each other's elements again
// verdict: fail
// says: The loop goes on by blockDim.x, one block's threads
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int stride = blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = a * x[i] + y[i];
  }
}
