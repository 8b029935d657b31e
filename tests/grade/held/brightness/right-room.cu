// right: limits the step, not the sum: by no more than there is room for
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= (unsigned)width) return;
  if (y >= (unsigned)height) return;
  const unsigned at = y * pitch + x;
  const unsigned char old = picture[at];
  int step = by;
  if (step > 255 - old) {
    step = 255 - old;
  } else if (step < -(int)old) {
    step = -(int)old;
  }
  if (step != 0) picture[at] = old + step;
}
