// right: by a first place and a length that is halved
__global__ void count_below(const int *sorted, const int *wanted, int *out, int n, int keys) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < keys; i += gridDim.x * blockDim.x) {
    const int key = wanted[i], *first = sorted;
    for (int left = n; left > 0;) {
      int half = left >> 1;
      if (first[half] < key) first += half + 1, left -= half + 1;
      else left = half;
    }
    out[i] = first - sorted;
  }
}
