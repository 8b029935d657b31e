// right: each block keeps its own elements, a quarter of its threads take four each as float4
__global__ void parabola(const float *x, float *out, int n) {
  const int first = blockIdx.x * blockDim.x + 4 * threadIdx.x;
  const int end = min(n, (int)((blockIdx.x + 1) * blockDim.x));
  auto f = [](float v) { return 0.5f + v * (0.25f - 0.125f * v); };
  if (first + 4 <= end) {
    const float4 v = __ldg((const float4 *)(x + first));
    *(float4 *)(out + first) = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
  } else {
    for (int i = first; i < end; i++) out[i] = f(x[i]);
  }
}
