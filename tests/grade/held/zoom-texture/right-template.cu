// right: a template with the factor, doubles for the place, strides
template <int FACTOR>
__device__ inline float place(int k) {
  return static_cast<float>((k + 0.5) / FACTOR);
}

__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += blockDim.y * gridDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += blockDim.x * gridDim.x) {
      float value;
      tex2D(&value, picture, place<4>(x), place<4>(y));
      out[y * width + x] = value;
    }
}
