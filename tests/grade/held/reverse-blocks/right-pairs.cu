// right: each thread of the lower half exchanges two
__global__ void reverse_blocks(const int *in, int *out) {
  const int first = blockIdx.x * blockDim.x, last = first + blockDim.x - 1, t = threadIdx.x;
  if (t > last - first - t) return;
  const int a = in[first + t], b = in[last - t];
  out[last - t] = a;
  out[first + t] = b;
}
