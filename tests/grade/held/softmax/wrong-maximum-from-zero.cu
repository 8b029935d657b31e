// wrong: the maximum begins with 0, which is greater than all elements of a negative row
// verdict: fail
// says: A maximum that begins with 0 is wrong for rows that are all negative
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, row = blockIdx.x * n;
  float largest = 0;
  for (int i = t; i < n; i += blockDim.x)
    if (x[row + i] > largest) largest = x[row + i];
  part[t] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  largest = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[row + i] - largest);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  sum = part[0];
  for (int i = t; i < n; i += blockDim.x)
    out[row + i] = expf(x[row + i] - largest) / sum;
}
