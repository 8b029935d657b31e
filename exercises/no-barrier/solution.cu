// Each block of smooth is to average every element with its two neighbours in
// the block; the block's first and last element are averaged with one. It gives
// the right numbers on most days. Mend it for all of them.
__global__ void smooth(const float *x, float *out) {
  __shared__ float desk[256];
  int t = threadIdx.x, last = blockDim.x - 1;
  int i = blockIdx.x * blockDim.x + t;
  // BEGIN SOLUTION
  desk[t] = x[i];
  __syncthreads();
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }
  out[i] = sum / count;
  // END SOLUTION
  // STARTER: desk[t] = x[i];
  // STARTER: float sum = desk[t];
  // STARTER: int count = 1;
  // STARTER: if (t > 0) { sum += desk[t - 1]; count++; }
  // STARTER: if (t < last) { sum += desk[t + 1]; count++; }
  // STARTER: out[i] = sum / count;
}
