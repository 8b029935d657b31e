// right: float4 in strides of the grid
__global__ void add_all(float *x, float y, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float4 *four = (float4 *)x;
  for (int i = first; i < n / 4; i += all) {
    float4 v = four[i];
    v.x += y, v.y += y, v.z += y, v.w += y;
    four[i] = v;
  }
  for (int i = n / 4 * 4 + first; i < n; i += all) x[i] += y;
}
