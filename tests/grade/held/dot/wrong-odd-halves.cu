// wrong: halving blockDim.x loses the middle cell where the number is odd: 96, 48 ... 3, 1
// verdict: fail
// says: Half of an odd number leaves one cell over
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float part[1024];
  int t = threadIdx.x, row = blockIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += blockDim.x)
    sum += x[row * columns + c] * y[row * columns + c];
  part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[row] = part[0];
}
