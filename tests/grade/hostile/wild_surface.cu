// expect: vector-add fail surface-misfit
// A number that is no surface.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (i == 0) surf2Dwrite(1.0f, (cudaSurfaceObject_t)77777, 0, 0);
}
