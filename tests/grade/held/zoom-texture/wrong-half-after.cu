// wrong: the half is added after the division, where it is a half of a cell of the picture
// verdict: fail
// says: the half is added before the division
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float u = x / 4.0f + 0.5f;
    float v = y / 4.0f + 0.5f;
    out[y * width + x] = tex2D<float>(picture, u, v);
  }
}
