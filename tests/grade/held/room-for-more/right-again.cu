// right: without a desk, the numbers are counted anew for each kind
__global__ void most_often(const int *x, int *out, int each) {
  const int all = gridDim.x * 256, first = blockIdx.x * 256 + threadIdx.x;
  int most = 0, best = -1;
  for (int v = 0; v < 32; v++) {
    int c = 0;
    for (int k = 0; k < each; k++) c += x[k * all + first] == v;
    if (c > best) best = c, most = v;
  }
  out[first] = most;
}
