// right: cells counted through in strides of the grid, and changed set by atomicOr
__global__ void begin(const int *land, int *label, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) label[i] = land[i] ? i : 1000000;
}

__global__ void spread(const int *__restrict__ from, int *__restrict__ to, int *changed, int rows, int columns) {
  const int threads = blockDim.x * blockDim.y;
  const int me = (blockIdx.y * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = me; i < rows * columns; i += threads * gridDim.x * gridDim.y) {
    const int own = from[i], r = i / columns, c = i % columns;
    int least = own;
    if (own != 1000000) {
      least = min(least, c ? from[i - 1] : own);
      least = min(least, c + 1 < columns ? from[i + 1] : own);
      least = min(least, r ? from[i - columns] : own);
      least = min(least, r + 1 < rows ? from[i + columns] : own);
    }
    to[i] = least;
    if (least != own) atomicOr(changed, 1);
  }
}
