// right: one float4 a thread by a pointer, the rest by the grid's first threads
__global__ void axpy(float a, const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = 4 * i;
  if (at + 3 < n) {
    const float4 v = __ldg((const float4 *)(x + at));
    float4 *to = (float4 *)(y + at);
    *to = make_float4(fmaf(a, v.x, to->x), fmaf(a, v.y, to->y), fmaf(a, v.z, to->z), fmaf(a, v.w, to->w));
  } else {
    for (; at < n; at++) y[at] = fmaf(a, x[at], y[at]);
  }
}
