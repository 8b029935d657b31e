// right: another order of the stores, and the number by a multiply-add
__global__ void positions(int *thread, int *block, int *number) {
  const int t = threadIdx.x, b = blockIdx.x, i = __umul24(b, blockDim.x) + t;
  number[i] = i;
  block[i] = b;
  thread[i] = t;
}
