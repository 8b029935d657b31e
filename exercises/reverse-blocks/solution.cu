// Write the kernel reverse_blocks: turns each block's elements around. The
// element that thread 0 reads goes to where the block's last thread read. Every
// block is full.
__global__ void reverse_blocks(const int *in, int *out) {
  // BEGIN SOLUTION
  int first = blockIdx.x * blockDim.x;
  int last = first + blockDim.x - 1;
  out[last - threadIdx.x] = in[first + threadIdx.x];
  // END SOLUTION
  // STARTER: int i = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: out[i] = in[i];
}
