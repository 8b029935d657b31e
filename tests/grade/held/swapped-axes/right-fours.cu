// right: float4 along rows that have a multiple of four columns
__global__ void add_rows(float *m, const float *v, int rows, int columns) {
  const int r = threadIdx.y + blockIdx.y * blockDim.y, c = threadIdx.x + blockIdx.x * blockDim.x;
  if (r >= rows) return;
  if (columns % 4) {
    if (c < columns) m[r * columns + c] += v[c];
    return;
  }
  if (4 * c >= columns) return;
  float4 *row = (float4 *)(m + r * columns);
  float4 a = row[c], b = ((const float4 *)v)[c];
  a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
  row[c] = a;
}
