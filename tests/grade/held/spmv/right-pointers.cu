// right: pointers to the row's beginning and end
__global__ void spmv(const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value,
                     const float *__restrict__ x, float *__restrict__ y, int rows) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
    float sum = 0;
    const float *end = value + start[r + 1];
    const int *c = column + start[r];
    for (const float *v = value + start[r]; v < end; v++, c++) sum = fmaf(*v, __ldg(x + *c), sum);
    y[r] = sum;
  }
}
