// n points have d coordinates each, stored column by column: coordinate c of
// point i is x[c * n + i]. k centres have theirs in rows: centres[j * d + c].
// label[i] is to be the number of the centre that is nearest to point i; of
// equals, the lowest. Bring the centres to the desk first; k * d is 1024 at
// most. There may be fewer threads than points.
__global__ void assign(const float *x, const float *centres, int *label, int n,
                       int d, int k) {
  __shared__ float desk[1024];
  // BEGIN SOLUTION
  for (int c = threadIdx.x; c < k * d; c += blockDim.x) desk[c] = centres[c];
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    // The root is not needed to compare. The point is fetched k times; for a d
    // that is known when the kernel is compiled it would stay in registers.
    float best = 3e38f;
    int nearest = 0;
    for (int j = 0; j < k; j++) {
      float distance = 0;
      for (int c = 0; c < d; c++) {
        float apart = x[c * n + i] - desk[j * d + c];
        distance += apart * apart;
      }
      if (distance < best) {
        best = distance;
        nearest = j;
      }
    }
    label[i] = nearest;
  }
  // END SOLUTION
}
