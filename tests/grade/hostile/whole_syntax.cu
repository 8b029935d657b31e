// expect: vector-add compile-error line 6 not cudaMalloc
// What is said is said of the kernel.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + z[i];
}

int main() {
  float *x;
  cudaMalloc(&x, 4);
  add<<<1, 1>>>(x, x, x, 1);
}
