// wrong: the maximum is not subtracted, so exp overflows
// verdict: fail
// says: The maximum is not taken off
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[i]);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[i] = expf(x[i]) / part[0];
}
