// right: by a desk of the block's size, with a padded row
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float desk[1024 + 32];
  const int tx = threadIdx.x, ty = threadIdx.y, w = blockDim.x, h = blockDim.y;
  const int c = blockIdx.x * w + tx, r = blockIdx.y * h + ty;
  if (r < rows && c < columns) desk[ty * (w + 1) + tx] = in[r * columns + c];
  __syncthreads();
  const int t = ty * w + tx, down = t / h, across = t % h;
  const int oc = blockIdx.y * h + across, orow = blockIdx.x * w + down;
  if (oc < rows && orow < columns) out[orow * rows + oc] = desk[across * (w + 1) + down];
}
