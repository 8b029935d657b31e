// wrong: x / 4 divides integers, so all four cells of a pixel get the same value
// verdict: fail
// says: The place is always the center of a cell of the picture
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(picture, x / 4 + 0.5f, y / 4 + 0.5f);
}
