// wrong: the first and the last column are not held, their neighbours are taken from the rows beside
// verdict: fail
// says: The first and the last column are edges, too
__global__ void heat(const float *in, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int i = r * columns + c;
  if (r == 0 || r == rows - 1) {
    out[i] = in[i];
    return;
  }
  float mean = 0.25f * (in[i - 1] + in[i + 1] + in[i - columns] +
                        in[i + columns]);
  out[i] = in[i] + 0.25f * (mean - in[i]);
}
