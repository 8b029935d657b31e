// right: the reading goes backwards
__global__ void reverse_blocks(const int *__restrict__ in, int *__restrict__ out) {
  const unsigned b = blockIdx.x * blockDim.x;
  out[b + threadIdx.x] = __ldg(in + (b + blockDim.x - 1u - threadIdx.x));
}
