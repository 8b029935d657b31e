// right: each thread takes an even element and the odd one behind it, one after the other
__global__ void even_odd(unsigned *a, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  unsigned v = a[i];
#pragma unroll
  for (int k = 0; k < 40; k++) v = v * 5 + 1;
  a[i] = v;
  if (i + 1 >= n) return;
  v = a[i + 1];
#pragma unroll
  for (int k = 0; k < 40; k++) v = (v ^ v >> 7) + 3;
  a[i + 1] = v;
}
