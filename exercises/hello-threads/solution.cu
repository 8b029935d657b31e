// Write the kernel hello: each thread writes its own number into its own cell.
// There is one block, with one thread for each cell of out.
__global__ void hello(int *out) {
  // BEGIN SOLUTION
  out[threadIdx.x] = threadIdx.x;
  // END SOLUTION
  // STARTER: // Which cell is mine, and what belongs into it?
}
