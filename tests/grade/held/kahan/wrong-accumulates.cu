// wrong: lost is added up over all rounds, though it was given back in each already
// verdict: fail
// says: lost is added up over the rounds
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f, lost = 0.0f;
  for (int c = 0; c < columns; c++) {
    float more = x[r * columns + c] - lost;
    float next = sum + more;
    lost += (next - sum) - more;
    sum = next;
  }
  out[r] = sum;
}
