// right: warps in turn, the even ones of 64 neighbours for one warp and the odd ones for the next
__device__ unsigned change(unsigned v, bool odd) {
  if (odd) {
    for (int k = 0; k < 40; k++) v = (v ^ (v >> 7)) + 3u;
  } else {
    for (int k = 0; k < 40; k++) v = 5u * v + 1u;
  }
  return v;
}
__global__ void even_odd(unsigned *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = i / 32, lane = i % 32;
  const int warps = gridDim.x * blockDim.x / 32;
  for (int w = warp; w < (n + 63) / 64 * 2; w += warps) {
    const int at = w / 2 * 64 + 2 * lane + w % 2;
    if (at < n) a[at] = change(a[at], w % 2);
  }
}
