// Write the kernel positions: each thread writes down where it is. Cell i of
// the three arrays belongs to the thread with the running number i.
__global__ void positions(int *thread, int *block, int *number) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  thread[i] = threadIdx.x;
  block[i] = blockIdx.x;
  number[i] = i;
  // END SOLUTION
  // STARTER: // My running number: whole blocks before mine, then my own place.
}
