// wrong: the four neighbours' sum stands where their mean should
// verdict: fail
// says: This takes the sum of the four neighbours for their mean
__global__ void heat(const float *in, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  float me = in[r * columns + c];
  if (r > 0 && r < rows - 1 && c > 0 && c < columns - 1) {
    float up = in[(r - 1) * columns + c], down = in[(r + 1) * columns + c];
    float left = in[r * columns + c - 1], right = in[r * columns + c + 1];
    me = me + (up + down + left + right - me) / 4;
  }
  out[r * columns + c] = me;
}
