// expect: vector-add pass
// Right, and half a second of work in the largest case.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i;
  for (int k = 0; k < 4000; k++) v = v * 1664525 + (v >> 3);
  if (n < 0) out[0] = v;
  if (i < n) out[i] = x[i] + y[i];
}
