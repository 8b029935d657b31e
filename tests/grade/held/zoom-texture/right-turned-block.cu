// right: within a block the threads are dealt out the other way round; the place as one fma
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  unsigned x = blockIdx.x * 16u + threadIdx.y;
  unsigned y = blockIdx.y * 16u + threadIdx.x;
  if (x >= (unsigned)width || y >= (unsigned)height) return;
  float2 place = make_float2(fmaf(0.25f, x, 0.125f), fmaf(0.25f, y, 0.125f));
  out[(size_t)y * width + x] = tex2D<float>(picture, place.x, place.y);
}
