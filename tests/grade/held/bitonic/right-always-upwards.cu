// right: the first step of each merge is mirrored, so all pairs go upwards
template <typename T> __device__ void order(T &low, T &high) {
  T a = low, b = high;
  low = a < b ? a : b;
  high = a < b ? b : a;
}

__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, half = blockDim.x / 2;
  int first = blockIdx.x * blockDim.x;
  desk[t] = first + t < n ? x[first + t] : 0x7fffffff;
  for (int size = 2; size <= blockDim.x; size *= 2) {
    __syncthreads();
    if (t < half) {
      int group = t / (size / 2) * size, place = t % (size / 2);
      order(desk[group + place], desk[group + size - 1 - place]);
    }
    for (int far = size / 4; far > 0; far /= 2) {
      __syncthreads();
      if (t < half) {
        int low = 2 * t - t % far;
        order(desk[low], desk[low + far]);
      }
    }
  }
  __syncthreads();
  if (first + t < n) x[first + t] = desk[t];
}
