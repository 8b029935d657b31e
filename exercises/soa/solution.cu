// pixels holds n pixels, one after the other, each of four floats: red, green,
// blue, alpha. planes is to hold all reds, then all greens, all blues, all
// alphas, n of each. It is right, and of the bytes that it moves it uses less
// than half. Make it fast.
__global__ void split(const float *pixels, float *planes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  if (i >= n) return;
  float4 p = reinterpret_cast<const float4 *>(pixels)[i];
  planes[i] = p.x;
  planes[n + i] = p.y;
  planes[2 * n + i] = p.z;
  planes[3 * n + i] = p.w;
  // END SOLUTION
  // STARTER: if (i >= n) return;
  // STARTER: planes[i] = pixels[4 * i];
  // STARTER: planes[n + i] = pixels[4 * i + 1];
  // STARTER: planes[2 * n + i] = pixels[4 * i + 2];
  // STARTER: planes[3 * n + i] = pixels[4 * i + 3];
}
