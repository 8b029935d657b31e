// Write the kernel brighten: every pixel of a grey picture becomes brighter by
// `by` (which may be negative), and stays within 0 and 255. A row of the picture
// takes `pitch` bytes, of which the first `width` are pixels.
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  // BEGIN SOLUTION
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int value = picture[y * pitch + x] + by;
    if (value < 0) value = 0;
    if (value > 255) value = 255;
    picture[y * pitch + x] = value;
  }
  // END SOLUTION
  // STARTER: int x = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int y = blockIdx.y * blockDim.y + threadIdx.y;
}
