-- SPDX-License-Identifier: Apache-2.0
-- Local variables, built with -G, whose debug information says where each lies.
return {
{"local array overrun into the next", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float first[4], second[4];
  int last = BAD ? 4 : 3;
  for (int j = 0; j < 4; j++) second[j] = first[j] = x[j];
  for (int j = 0; j <= last; j++) first[j] += 1; // !
  out[threadIdx.x] = first[0] + second[0];
}]==], options = {"-G"}, text = {"first[4], 4 bytes past the end of first (local, 16 bytes)"}},
{"local array read below its start", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float before[4], own[4];
  for (int j = 0; j < 4; j++) before[j] = own[j] = x[j];
  float sum = before[0];
  for (int j = 3; j >= (BAD ? -1 : 0); j--) sum += own[j]; // !
  out[threadIdx.x] = sum;
}]==], options = {"-G"}, text = {"own[-1], 4 bytes before the start of own"}},
{"local array left through a pointer", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float first[4], second[4] = {0, 0, 0, 0};
  float *end = first + (BAD ? 5 : 4);
  for (float *p = first; p != end; p++) *p = x[0]; // !
  out[threadIdx.x] = end[-2] + second[1];
}]==], options = {"-G"}, text = {"past the end of first"}},
{"local structure overrun", "out-of-bounds", {1, 32}, "x out n", [==[
struct tile { float cells[6]; int used; };
__global__ void k(const float *x, float *out, int n) {
  tile a = {{0}, 0}, b = {{0}, 0};
  int at = BAD ? 7 : 5;
  a.cells[at] = x[0]; // !
  out[threadIdx.x] = a.cells[0] + b.cells[0];
}]==], options = {"-G"}, text = {"past the end of a"}},
{"rows of a local matrix", "out-of-bounds", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  float m[3][4], other[4] = {1, 1, 1, 1};
  for (int r = 0; r < 3 + BAD; r++)
    for (int c = 0; c < 4; c++) m[r][c] = x[c]; // !
  out[threadIdx.x] = m[2][3] + other[0];
}]==], options = {"-G"}, text = {"past the end of m"}},
{"pointer to a variable of a block that has ended", "use-after-free", {1, 32}, "x out n", [==[
__global__ void k(const float *x, float *out, int n) {
  const float *p;
  float kept[4];
  for (int j = 0; j < 4; j++) kept[j] = x[j];
  {
    float inner[4];
    for (int j = 0; j < 4; j++) inner[j] = kept[j];
    p = BAD ? inner : p;
    out[threadIdx.x] = inner[threadIdx.x % 4];
  }
  if (BAD) out[threadIdx.x] = p[1]; // !
}]==], options = {"-G"}, text = {"inner[1], the block that it is declared in has ended"},
  never = "n - 1"},
{"local array of a function that takes structures", "out-of-bounds", {1, 32}, "x out n", [==[
struct tile { float cells[6]; int used; };
__device__ __noinline__ tile turned(tile from, double by, int last) {
  tile to = from;
  for (int j = 0; j <= last; j++) to.cells[j] = from.cells[0] + by; // !
  return to;
}
__global__ void k(const float *x, float *out, int n) {
  tile a = {{x[0], x[1]}, 2};
  out[threadIdx.x] = turned(a, 1.0, BAD ? 7 : 5).cells[5];
}]==], options = {"-G"}, text = {"past the end of to (local, 28 bytes)"}},
{"right uses of several local variables", "out-of-bounds", {1, 32}, "x out n", [==[
struct pair { float a, b; };
__device__ float total(const float *p, int n) {
  float sum = 0;
  for (int j = 0; j < n; j++) sum += p[j];
  return sum;
}
__global__ void k(const float *x, float *out, int n) {
  float a[8] = {0}, b[8];
  pair both = {1, 2};
  float *either = n > 3 ? a : b;
  for (int j = 0; j < 8; j++) { float t[2] = {x[j], 1}; a[j] = t[0]; b[j] = t[1]; }
  for (int j = 0; j < 8; j++) either[j] += 1;
  unsigned char *bytes = (unsigned char *)a;
  bytes[31] = 0;
  float *last = &b[7];
  for (int j = 0; j < 8; j++) last[-j] = j;
  ptrdiff_t apart = last - b;
  pair copy[2] = {both, both};
  copy[apart % 2].b = a[apart] + total(a, 8) + total(&copy[0].a, 2);
  int at = BAD ? 8 : 7;
  b[at] = copy[1].b; // !
  out[threadIdx.x] = b[7] + copy[0].a;
}]==], options = {"-G"}},
}
