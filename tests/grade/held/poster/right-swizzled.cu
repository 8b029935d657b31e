// right: a swizzled tile without padding, tones by halving, and a tally by votes
__constant__ float limits[7];

__global__ void poster(const float *in, int *tones, int *tally, int rows, int columns) {
  __shared__ int tile[32][32];
  __shared__ int votes[8][8];
  const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
  int mine = 0;
  for (int r = ty; r < 32; r += 8) {
    const bool is_in = top + r < rows && left + tx < columns;
    const float v = is_in ? __ldg(in + (size_t)(top + r) * columns + left + tx) : 0.0f;
    int tone = 0;
#pragma unroll
    for (int j = 0; j < 7; j++) tone += v >= limits[j] ? 1 : 0;
    tile[r][tx ^ r] = tone;
    for (int t = 0; t < 8; t++) {
      const int count = __popc(__ballot_sync(0xffffffffu, is_in && tone == t));
      if (tx == t) mine += count;
    }
  }
  if (tx < 8) votes[ty][tx] = mine;
  __syncthreads();
  for (int r = ty; r < 32; r += 8)
    if (left + r < columns && top + tx < rows) tones[(size_t)(left + r) * rows + top + tx] = tile[tx][r ^ tx];
  if (ty > 0 || tx >= 8) return;
  int all = 0;
  for (int w = 0; w < 8; w++) all += votes[w][tx];
  if (all > 0) atomicAdd(tally + tx, all);
}
