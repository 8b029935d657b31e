// expect: vector-add fail unsupported line 8
// A performance counter, likewise.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (n < 0) {
    unsigned v;
    asm volatile("mov.u32 %0, %%pm0;" : "=r"(v));
    out[0] = v;
  }
}
