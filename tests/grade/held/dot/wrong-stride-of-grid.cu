// wrong: the step is the whole grid's, but a row has one block only: most columns are left out
// verdict: fail
// says: the stride is its own width, blockDim.x
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float part[1024];
  int t = threadIdx.x;
  const float *a = x + blockIdx.x * columns, *b = y + blockIdx.x * columns;
  float sum = 0;
  for (int c = t; c < columns; c += blockDim.x * gridDim.x) sum += a[c] * b[c];
  part[t] = sum;
  __syncthreads();
  for (int far = 512; far > 0; far /= 2) {
    if (t < far && t + far < blockDim.x) part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
