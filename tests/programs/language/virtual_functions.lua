-- SPDX-License-Identifier: Apache-2.0
-- Objects with virtual functions, made and deleted on the device.
local t = ...
local m = t:module[==[
struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int a;
  __device__ Square(int a) : a(a) {}
  __device__ int area() const override { return a * a; }
};
struct Box : Shape {
  int a, b;
  __device__ Box(int a, int b) : a(a), b(b) {}
  __device__ int area() const override { return a * b; }
};
__global__ void areas(int *out) {
  int i = threadIdx.x;
  Shape *s = i % 3 ? (Shape *)new Square(i) : new Box(i, 7);
  out[i] = s->area();
  delete s;
}]==]
local out = np.zeros(40, "i32")
m.areas[{1, 40}](out)
t:same("areas", out, t.fill(40, function(i) return i % 3 == 0 and 7 * i or i * i end))
