// wrong: the size of a block is written out: 256 cells and halves from 128 on, whatever blockDim.x is
// verdict: fail
// says: The block has 1024 threads and part has 256 elements
// only says: Nothing wrote this cell before
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 256)
    sum += x[row * columns + c] * y[row * columns + c];
  part[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[row] = part[0];
}
