// A picture becomes a poster of 8 tones that lies on its side. The tone of a pixel
// is how many of the 7 numbers in limits are not above it; limits lies in constant
// memory, and the host fills it. tones[c * rows + r] is the tone of
// in[r * columns + c], and tally[t] grows by the number of pixels of tone t.
// Blocks have 32 x 8 threads and look after 32 x 32 pixels each. It is right: make
// it fast: stores side by side, no bank conflict, and at most 8 visits of a block to
// tally.
__constant__ float limits[7];

__global__ void poster(const float *in, int *tones, int *tally, int rows,
                       int columns) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  // BEGIN SOLUTION
  __shared__ int tile[32][33];
  __shared__ int own[8];
  if (threadIdx.y == 0 && threadIdx.x < 8) own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns) {
      float x = in[(row + k) * columns + column];
      int tone = 0;
      for (int j = 0; j < 7; j++) tone += limits[j] <= x;
      tile[threadIdx.y + k][threadIdx.x] = tone;
      atomicAdd(&own[tone], 1);
    }
  __syncthreads();
  int across = blockIdx.y * 32 + threadIdx.x;
  int down = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (down + k < columns && across < rows)
      tones[(down + k) * rows + across] = tile[threadIdx.x][threadIdx.y + k];
  if (threadIdx.y == 0 && threadIdx.x < 8)
    atomicAdd(&tally[threadIdx.x], own[threadIdx.x]);
  // END SOLUTION
  // STARTER: for (int k = 0; k < 32; k += 8)
  // STARTER:   if (row + k < rows && column < columns) {
  // STARTER:     float x = in[(row + k) * columns + column];
  // STARTER:     int tone = 0;
  // STARTER:     for (int j = 0; j < 7; j++) tone += limits[j] <= x;
  // STARTER:     tones[column * rows + row + k] = tone;
  // STARTER:     atomicAdd(&tally[tone], 1);
  // STARTER:   }
}
