// wrong: a row is taken to have `rows` cells instead of `columns`
// verdict: fail
// only says: and the index
// only says: Two threads use the same cell with no order between them
__global__ void heat(const float *in, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int i = r * rows + c;
  if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1) {
    out[i] = in[i];
  } else {
    float mean = (in[i - 1] + in[i + 1] + in[i - rows] + in[i + rows]) / 4;
    out[i] = in[i] + (mean - in[i]) / 4;
  }
}
