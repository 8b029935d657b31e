// wrong: only the flat index is checked, so a row's end is a neighbour of the next row's beginning
// verdict: fail
// says: the neighbour is taken from the row above or below
__constant__ float weights[9];

__global__ void filter(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float sum = 0;
    for (int k = 0; k < 9; k++) {
      int at = (y + k / 3 - 1) * width + x + k % 3 - 1;
      if (at >= 0 && at < width * height) sum += weights[k] * in[at];
    }
    out[y * width + x] = sum;
  }
}
