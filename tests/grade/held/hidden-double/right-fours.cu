// right: four neighbours a thread as float4, by the thread's number in the grid; what is left one by one
__global__ void parabola(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, whole = n / 4;
  auto f = [](float v) { return fmaf(fmaf(-0.125f, v, 0.25f), v, 0.5f); };
  if (i < whole) {
    const float4 v = reinterpret_cast<const float4 *>(x)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
  }
  if (i < n - 4 * whole) out[4 * whole + i] = f(x[4 * whole + i]);
}
