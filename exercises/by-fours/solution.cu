// axpy is right: y[i] = a * x[i] + y[i] for every i below n. It asks memory for
// one float a thread. Let it ask for four at once, with a quarter of the
// requests. n need not be a multiple of 4. The grid has at least n threads; x
// and y begin at multiples of 16 bytes.
__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  // The same bytes by a quarter of the instructions; three threads see to the
  // rest. Next: a quarter of the blocks would do, if the launch were yours.
  int fours = n / 4, last = 4 * fours + i;
  if (i < fours) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    float4 w = reinterpret_cast<float4 *>(y)[i];
    w.x += a * v.x;
    w.y += a * v.y;
    w.z += a * v.z;
    w.w += a * v.w;
    reinterpret_cast<float4 *>(y)[i] = w;
  }
  if (last < n) y[last] += a * x[last];
  // END SOLUTION
  // STARTER: if (i < n) y[i] = a * x[i] + y[i];
}
