// Write the kernel zoom: out is the picture, four times as wide and as high. The
// center of cell (x, y) of out lies at ((x + 0.5) / 4, (y + 0.5) / 4) in the
// picture, whose own cells have their centers at 0.5, 1.5 and so on. The texture
// mixes the four cells around that place and repeats the edge: one tex2D<float>
// does it. Blocks have 16 x 16 threads, one for each cell of out; width and
// height are those of out.
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  // BEGIN SOLUTION
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] =
        tex2D<float>(picture, (x + 0.5f) / 4, (y + 0.5f) / 4);
  // END SOLUTION
}
