// wrong: the stores keep the guard of the loads, whose row and column have changed places
// verdict: fail
// only says: The indices of tones go from 0 to
// only says: Nothing wrote this cell before it was read
// only says: both write the same value
__constant__ float limits[7];

__device__ int tone_of(float x) {
  int tone = 0;
  while (tone < 7 && limits[tone] <= x) tone++;
  return tone;
}

__global__ void poster(const float *in, int *tones, int *tally, int rows, int columns) {
  __shared__ int turned[32][33], count[8];
  const int id = threadIdx.y * 32 + threadIdx.x;
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  if (id < 8) count[id] = 0;
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    int r = top + y, c = left + threadIdx.x;
    if (r < rows && c < columns) {
      int tone = tone_of(in[r * columns + c]);
      turned[threadIdx.x][y] = tone;
      atomicAdd(&count[tone], 1);
    }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    int c = left + y, r = top + threadIdx.x;
    if (top + y < rows && left + threadIdx.x < columns) tones[c * rows + r] = turned[y][threadIdx.x];
  }
  if (id < 8) atomicAdd(&tally[id], count[id]);
}
