// expect: vector-add fail unsupported line 8
// A register that no driver gives a kernel, where no thread comes to it.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (n < 0) {
    unsigned v;
    asm("mov.u32 %0, %%envreg3;" : "=r"(v));
    out[0] = v;
  }
}
