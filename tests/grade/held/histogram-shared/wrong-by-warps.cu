// wrong: equal bytes of a warp are counted together, but each warp still goes to global memory for its bytes
// verdict: fail
// says: Let each thread put what it has into a __shared__ array
// says: global_reductions <= 32
// says: global_reductions <= 48
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned active = __activemask();
    int value = x[i];
    unsigned same = __match_any_sync(active, value);
    int leader = __ffs(same) - 1;
    if (threadIdx.x % 32 == leader) atomicAdd(&bins[value], __popc(same));
  }
}
