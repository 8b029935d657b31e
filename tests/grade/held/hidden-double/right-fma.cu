// right: Horner's way with fmaf
__global__ void parabola(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  const float v = __ldg(&x[i]);
  out[i] = fmaf(v, fmaf(-0.125f, v, 0.25f), 0.5f);
}
