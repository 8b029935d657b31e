// Write the kernel heat, one step of time: out is what in becomes when each cell
// of a plate takes a quarter of the difference between its four neighbours' mean
// and itself. Cells at the edge of the plate are held at their temperature: out
// has there what in has. in and out have `rows` rows of `columns` floats.
__global__ void heat(const float *in, float *out, int rows, int columns) {
  // BEGIN SOLUTION
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int i = r * columns + c;
  float here = in[i];
  if (r == 0 || r == rows - 1 || c == 0 || c == columns - 1) {
    out[i] = here;
    return;
  }
  float mean = (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns]) / 4;
  out[i] = here + (mean - here) / 4;
  // END SOLUTION
  // STARTER: int c = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int r = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: if (r < rows && c < columns) out[r * columns + c] = 0;
}
