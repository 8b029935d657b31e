// wrong: the cells of the edge are not written at all
// verdict: fail
// says: Cells at the edge are never written
__global__ void heat(const float *in, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r > 0 && r < rows - 1 && c > 0 && c < columns - 1) {
    int i = r * columns + c;
    float mean =
        (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns]) / 4;
    out[i] = in[i] + (mean - in[i]) / 4;
  }
}
