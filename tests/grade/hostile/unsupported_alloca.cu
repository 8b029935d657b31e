// expect: vector-add fail unsupported line 6
// The stack by hand, likewise.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (n < 0) asm volatile("{ .reg .u64 a; alloca.u64 a, 64, 8; }");
}
