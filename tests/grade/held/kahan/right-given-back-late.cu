// right: Neumaier's way: the lost digits are added up beside the sum, whichever of the two was smaller, and given back at the end
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float sum = 0.0f, correction = 0.0f;
    for (int c = 0; c < columns; ++c) {
      float v = x[r * columns + c];
      float t = sum + v;
      if (fabsf(sum) >= fabsf(v))
        correction += (sum - t) + v;
      else
        correction += (v - t) + sum;
      sum = t;
    }
    out[r] = sum + correction;
  }
}
