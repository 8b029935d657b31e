// expect: vector-add fail texture-misfit
// A number that is no texture.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (i == 0) out[0] = tex2D<float>((cudaTextureObject_t)12345, 1.0f, 2.0f);
}
