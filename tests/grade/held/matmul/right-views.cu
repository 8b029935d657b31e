// right: a template for matrices, the products added from the last to the first
template <typename T> struct View {
  T *first;
  int width;
  __device__ T &operator()(int row, int column) const {
    return first[row * width + column];
  }
};

template <typename T> __device__ View<T> view(T *first, int width) {
  return View<T>{first, width};
}

__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  auto A = view(a, k);
  auto B = view(b, n);
  auto C = view(c, n);
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m;
       row += gridDim.y * blockDim.y)
    for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < n;
         column += gridDim.x * blockDim.x) {
      float sum = 0;
      int i = k;
      while (i-- > 0) sum += A(row, i) * B(i, column);
      C(row, column) = sum;
    }
}
