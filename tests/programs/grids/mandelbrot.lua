-- SPDX-License-Identifier: Apache-2.0
-- The Mandelbrot set in doubles: lanes leave the loop at different times.
local t = ...
local m = t:module[==[
struct cuComplex {
  double r, i;
  __device__ cuComplex(double a, double b) : r(a), i(b) {}
  __device__ double magnitude2() { return __dadd_rn(__dmul_rn(r, r), __dmul_rn(i, i)); }
  __device__ cuComplex operator*(const cuComplex &a) {
    return cuComplex(__dsub_rn(__dmul_rn(r, a.r), __dmul_rn(i, a.i)),
                     __dadd_rn(__dmul_rn(i, a.r), __dmul_rn(r, a.i)));
  }
  __device__ cuComplex operator+(const cuComplex &a) { return cuComplex(r + a.r, i + a.i); }
};
__global__ void mandelbrot(int *out, int w, int h, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  cuComplex c(x * 0.078125 - 2.0, y * 0.125 - 1.0), z(0, 0);
  int n = 0;
  while (n < limit && z.magnitude2() <= 4) {
    z = z * z + c;
    n++;
  }
  out[y * w + x] = n;
}]==]
local w, h, limit = 36, 17, 60
local out = np.zeros(w * h, "i32")
m.mandelbrot[{{3, 3}, {16, 8}}](out, w, h, limit)
t:same("iterations", out, t.fill(w * h, function(i)
  local cr, ci, r, j, n = i % w * 0.078125 - 2, i // w * 0.125 - 1, 0.0, 0.0, 0
  while n < limit and r * r + j * j <= 4 do
    r, j, n = r * r - j * j + cr, j * r + r * j + ci, n + 1
  end
  return n
end))
