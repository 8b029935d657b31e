// right: float4 in and out where both sides allow it, else single floats
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  const int t = threadIdx.y * 32 + threadIdx.x, line = t / 8, quad = 4 * (t % 8);
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  if (rows % 4 || columns % 4) {
    for (int k = threadIdx.y; k < 32; k += 8)
      if (top + k < rows && left + threadIdx.x < columns)
        tile[k][threadIdx.x] = in[(top + k) * columns + left + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
      if (left + k < columns && top + threadIdx.x < rows)
        out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
    return;
  }
  if (top + line < rows && left + quad < columns) {
    float4 v = *(const float4 *)&in[(top + line) * columns + left + quad];
    tile[line][quad] = v.x, tile[line][quad + 1] = v.y;
    tile[line][quad + 2] = v.z, tile[line][quad + 3] = v.w;
  }
  __syncthreads();
  if (left + line < columns && top + quad < rows)
    *(float4 *)&out[(left + line) * rows + top + quad] =
        make_float4(tile[quad][line], tile[quad + 1][line], tile[quad + 2][line], tile[quad + 3][line]);
}
