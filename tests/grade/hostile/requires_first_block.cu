// expect: vector-add fail min_threads = 64: it is not so, in a hidden case
// The first block does all of it; the others have nothing to do.
__global__ void add(const float *x, const float *y, float *out, int n) {
  if (blockIdx.x) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = x[i] + y[i];
}
