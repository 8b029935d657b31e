// layer_norm brings each row of x to a common size: out[c] = (x[c] - mean) /
// sqrt(variance + small) * gain[c] + bias[c], where mean and variance are those
// of the row. Block r does row r, which has n elements; it has 32 to 256
// threads, a power of two. all_sum(v) is there: all threads of the block call
// it, and each gets the sum of their v.
//   The kernel takes the shortcut for the variance, mean of the squares minus
// square of the mean. For rows far from 0 that is wrong. Mend it.
__device__ float all_sum(float v) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = v;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  float sum = part[0];
  __syncthreads();
  return sum;
}

__global__ void layer_norm(const float *x, const float *gain, const float *bias,
                           float *out, float small, int n) {
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  // BEGIN SOLUTION
  // Three walks over the row, of which the cache serves two. Next: keep the row
  // in shared memory, or walk once and correct, as on the lesson's page.
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < n; c += blockDim.x) sum += x[c];
  float mean = all_sum(sum) / n;
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    squares += (x[c] - mean) * (x[c] - mean);
  float by = rsqrtf(all_sum(squares) / n + small);
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    out[c] = (x[c] - mean) * by * gain[c] + bias[c];
  // END SOLUTION
  // STARTER: float sum = 0, squares = 0;
  // STARTER: for (int c = threadIdx.x; c < n; c += blockDim.x) {
  // STARTER:   sum += x[c];
  // STARTER:   squares += x[c] * x[c];
  // STARTER: }
  // STARTER: float mean = all_sum(sum) / n;
  // STARTER: float variance = all_sum(squares) / n - mean * mean;
  // STARTER: float by = rsqrtf(variance + small);
  // STARTER: for (int c = threadIdx.x; c < n; c += blockDim.x)
  // STARTER:   out[c] = (x[c] - mean) * by * gain[c] + bias[c];
}
