// wrong: tex2D wants x before y; here the row comes first
// verdict: fail
// says: tex2D takes the place across first
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  float u = (col + 0.5f) / 4;
  float v = (row + 0.5f) / 4;
  out[row * width + col] = tex2D<float>(picture, v, u);
}
