// The kernel parabola gives the right numbers and computes them in double, which
// takes more registers, and on most devices many times as long. Mend it:
// everything is to be computed in float.
__global__ void parabola(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  if (i < n) {
    float v = x[i];
    float square = v * v;
    float line = 0.5f + 0.25f * v;
    out[i] = line - 0.125f * square;
  }
  // END SOLUTION
  // STARTER: if (i < n) {
  // STARTER:   float v = x[i];
  // STARTER:   float square = v * v;
  // STARTER:   out[i] = 0.5 + 0.25 * v - 0.125 * square;
  // STARTER: }
}
