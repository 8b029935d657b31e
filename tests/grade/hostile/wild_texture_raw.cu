// expect: vector-add fail texture-misfit
// The same past the compiler.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (i == 0)
    asm volatile("{ .reg .f32 a, b, c, d; tex.2d.v4.f32.f32 {a, b, c, d}, "
                 "[%0, {0f00000000, 0f00000000}]; }" ::"l"(1ull << 63));
}
