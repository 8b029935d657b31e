// wrong: a row begins at blockIdx.x * columns, not at blockIdx.x * blockDim.x
// verdict: fail
// says: A row has `columns` elements, not blockDim.x
// only says: the index begin + c is 128
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float part[1024];
  int t = threadIdx.x;
  int begin = blockIdx.x * blockDim.x;
  float sum = 0;
  for (int c = t; c < columns; c += blockDim.x) sum += x[begin + c] * y[begin + c];
  part[t] = sum;
  __syncthreads();
  for (int far = 512; far > 0; far /= 2) {
    if (t < far && t + far < blockDim.x) part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
