// right: four weights a thread by float4
__global__ void springs(float *x, float *v, const float *k, int n, int steps, float h) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = t; i < n / 4; i += all) {
    float4 p = ((float4 *)x)[i], u = ((float4 *)v)[i], w = ((const float4 *)k)[i];
    for (int s = 0; s < steps; s++) {
      u.x -= h * w.x * p.x, u.y -= h * w.y * p.y, u.z -= h * w.z * p.z, u.w -= h * w.w * p.w;
      p.x += h * u.x, p.y += h * u.y, p.z += h * u.z, p.w += h * u.w;
    }
    ((float4 *)x)[i] = p, ((float4 *)v)[i] = u;
  }
  for (int i = n / 4 * 4 + t; i < n; i += all) {
    float p = x[i], u = v[i], w = k[i];
    for (int s = 0; s < steps; s++) u -= h * w * p, p += h * u;
    x[i] = p, v[i] = u;
  }
}
