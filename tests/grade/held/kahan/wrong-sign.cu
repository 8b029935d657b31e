// wrong: what was lost has the wrong sign, so it is lost twice
// verdict: fail
// says: the lost part is added
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0, lost = 0;
  for (int c = 0; c < columns; c++) {
    float more = x[r * columns + c] - lost;
    float next = sum + more;
    lost = more - (next - sum);
    sum = next;
  }
  out[r] = sum;
}
