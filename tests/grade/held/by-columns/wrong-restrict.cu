// wrong: still a row for each thread: restrict, a factor in a register and unrolling change no address
// verdict: fail
// says: if threads side by side used addresses side by side
// says: if the bytes of each load, store and copy lay side by side
// says: Bytes that were asked for
__global__ void scale_rows(const float *__restrict__ m, const float *__restrict__ f,
                           float *__restrict__ out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float factor = f[row];
#pragma unroll 4
  for (int column = 0; column < columns; column++)
    out[row * columns + column] = m[row * columns + column] * factor;
}
