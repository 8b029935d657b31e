// right: turned around on a desk
__global__ void reverse_blocks(const int *in, int *out) {
  __shared__ int desk[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[blockDim.x - 1 - t] = in[i];
  __syncthreads();
  out[i] = desk[t];
}
