// expect: vector-add compile-error line 3 __device__
// The kernel's helper is the host's; main is no matter.
float sum(float a, float b) { return a + b; }

__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = sum(x[i], y[i]);
}

int main() {
  add<<<1, 1>>>(0, 0, 0, 0);
}
