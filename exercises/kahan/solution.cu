// Write the kernel row_sums: out[r] is the sum of row r of x, one thread for
// each row, added by Kahan's way: keep in `lost` what the last addition got too
// much, and take it from the next number. Use floats only.
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  // BEGIN SOLUTION
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0, lost = 0;
  for (int k = 0; k < columns; k++) {
    float more = x[row * columns + k] - lost;
    float next = sum + more;
    lost = (next - sum) - more;
    sum = next;
  }
  out[row] = sum;
  // END SOLUTION
  // STARTER: // next = sum + more: what of more has arrived, what was lost?
}
