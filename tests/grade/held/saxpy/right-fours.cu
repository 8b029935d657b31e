// right: float4 in strides of the grid, the last few one by one
__global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int i = first; i < n / 4; i += all) {
    float4 v = ((const float4 *)x)[i], w = ((float4 *)y)[i];
    w.x = fmaf(a, v.x, w.x), w.y = fmaf(a, v.y, w.y);
    w.z = fmaf(a, v.z, w.z), w.w = fmaf(a, v.w, w.w);
    ((float4 *)y)[i] = w;
  }
  for (int i = n / 4 * 4 + first; i < n; i += all) y[i] = fmaf(a, x[i], y[i]);
}
