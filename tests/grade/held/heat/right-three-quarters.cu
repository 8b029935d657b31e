// right: the formula multiplied out, a select at the edge, a loop over the plate
__global__ void heat(const float *__restrict__ in, float *__restrict__ out,
                     int rows, int columns) {
  unsigned w = columns, h = rows;
  unsigned stepx = gridDim.x * blockDim.x, stepy = gridDim.y * blockDim.y;
  for (unsigned r = blockIdx.y * blockDim.y + threadIdx.y; r < h; r += stepy)
    for (unsigned c = blockIdx.x * blockDim.x + threadIdx.x; c < w;
         c += stepx) {
      const float *p = in + (size_t)r * w + c;
      bool inside = r - 1 < h - 2 && c - 1 < w - 2 && h > 2 && w > 2;
      float result = __ldg(p);
      if (inside)
        result = 0.75f * result +
                 0.0625f * ((p[-1] + p[1]) +
                            (p[-(ptrdiff_t)w] + p[(ptrdiff_t)w]));
      out[(size_t)r * w + c] = result;
    }
}
