-- SPDX-License-Identifier: Apache-2.0
-- Functions that are really called: recursion, pointers to functions, virtual
-- ones, structures by value, memory of every kind inside them. Each kernel runs
-- optimised and built with -G, where every intrinsic is a function, too.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local function fibonacci(n)
  return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end

-- name, source of k(int *a, int n) for 32 threads, what a[t] must be
local cases = {
  {"recursion", [==[
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int *a, int n) { a[threadIdx.x] = fib(threadIdx.x % 16); }
]==], function(t) return fibonacci(t % 16) end},
  {"functions that call each other", [==[
__device__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__global__ void k(int *a, int n) { a[threadIdx.x] = even(threadIdx.x); }
]==], function(t) return 1 - t % 2 end},
  {"tables of pointers to functions", [==[
typedef int (*F)(int);
__device__ int more(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ F table[2] = {more, twice};
__constant__ F constants[2] = {twice, more};
__global__ void k(int *a, int n) {
  int t = threadIdx.x;
  a[t] = table[t & 1](t) + 1000 * constants[t & 1](t);
}]==], function(t)
    return t % 2 == 0 and t + 1 + 2000 * t or 2 * t + 1000 * (t + 1)
  end},
  {"virtual functions", [==[
struct Shape {
  __device__ virtual int area(int x) { return x; }
  __device__ virtual ~Shape() {}
};
struct Strip : Shape {
  int w;
  __device__ Strip(int w) : w(w) {}
  __device__ int area(int x) override { return x + w; }
};
struct Square : Shape {
  __device__ int area(int x) override { return x * x; }
};
__global__ void k(int *a, int n) {
  Shape *s;
  if (threadIdx.x & 1) s = new Strip(5);
  else s = new Square();
  a[threadIdx.x] = s->area(threadIdx.x);
  delete s;
}]==], function(t) return t % 2 == 1 and t + 5 or t * t end},
  {"pointers to members", [==[
struct C {
  int v;
  __device__ __noinline__ int g(int x) { return v + x; }
};
typedef int (C::*M)(int);
__global__ void k(int *a, int n) {
  C c{n};
  M m = &C::g;
  a[threadIdx.x] = (c.*m)(threadIdx.x);
}]==], function(t) return 32 + t end},
  {"dynamic shared memory in a function", [==[
extern __shared__ int box[];
__device__ __noinline__ void put(int i, int v) { box[i] = v; }
__device__ __noinline__ int get(int i) { return box[i]; }
__global__ void other(int *a) { __shared__ int s[77]; s[0] = 1; a[0] = s[0]; }
__global__ void k(int *a, int n) {
  put(threadIdx.x, threadIdx.x * 3);
  __syncthreads();
  a[threadIdx.x] = get(31 - threadIdx.x);
}]==], function(t) return 3 * (31 - t) end},
  {"static shared memory in a function", [==[
__device__ __noinline__ int turn(int v) {
  __shared__ int s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  int r = s[31 - threadIdx.x];
  __syncthreads();
  return r;
}
__global__ void k(int *a, int n) {
  __shared__ int u[64];
  u[threadIdx.x] = 7;
  a[threadIdx.x] = turn(threadIdx.x * 2) + u[threadIdx.x];
}]==], function(t) return 2 * (31 - t) + 7 end},
  {"variables that point at others", [==[
__device__ int g[4] = {1, 2, 3, 4};
__device__ int *middle = &g[2];
__device__ const char *names[3] = {"zero", "one", "two"};
struct P { int *p; const char *s; };
__device__ P pairs[2] = {{&g[1], "ab"}, {&g[3], "cd"}};
__global__ void k(int *a, int n) {
  int t = threadIdx.x;
  a[t] = *middle + names[t % 3][1] + *pairs[t & 1].p * 1000;
  if (pairs[t & 1].s[1] != (t & 1 ? 'd' : 'b')) a[t] = -1;
}]==], function(t)
    return 3 + ("enw"):byte(t % 3 + 1) + (t % 2 == 0 and 2 or 4) * 1000
  end},
  {"a tree on the heap, built and freed by recursion", [==[
struct N { N *l, *r; int v; };
__device__ N *build(int d, int v) {
  if (!d) return 0;
  N *n = (N *)malloc(sizeof(N));
  n->v = v;
  n->l = build(d - 1, 2 * v);
  n->r = build(d - 1, 2 * v + 1);
  return n;
}
__device__ int sum(N *n) {
  if (!n) return 0;
  int s = n->v + sum(n->l) + sum(n->r);
  free(n);
  return s;
}
__global__ void k(int *a, int n) { a[threadIdx.x] = sum(build(threadIdx.x % 5, 1)); }
]==], function(t)
    local last = 2 ^ (t % 5) - 1
    return math.tointeger(last * (last + 1) / 2)
  end},
  {"structures by value and many arguments", [==[
struct V { float x, y, z; double d; char c[5]; };
__device__ __noinline__ V mix(V a, V b, short s, char c, long long u, int v,
                              int w, float f, double g) {
  V r;
  r.x = a.x + b.x; r.y = a.y * b.y; r.z = s; r.d = a.d - b.d + g;
  for (int i = 0; i < 5; i++) r.c[i] = a.c[i] + c;
  r.z += (float)u + v * w + f;
  return r;
}
__global__ void k(int *a, int n) {
  V p = {1.f, 2.f, 3.f, 4.0, {1, 2, 3, 4, 5}};
  V q = {(float)threadIdx.x, 5.f, 6.f, 0.5, {0}};
  V r = mix(p, q, threadIdx.x, 2, 100, 3, 4, 0.5f, 0.25);
  a[threadIdx.x] = (int)(4 * (r.x + r.y + r.z + r.d)) + r.c[4];
}]==], function(t)
    return math.tointeger(4 * (1 + t + 10 + t + 112.5 + 3.75)) + 7
  end},
  {"a thread that leaves inside a function", [==[
__device__ __noinline__ void stop(int t) { if (t & 1) asm volatile("exit;"); }
__global__ void k(int *a, int n) { stop(threadIdx.x); a[threadIdx.x] = threadIdx.x; }
]==], function(t) return t % 2 == 0 and t or 0 end},
  {"a warp's sum inside a function", [==[
__device__ __noinline__ int sum(int v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__global__ void k(int *a, int n) { a[threadIdx.x] = sum(threadIdx.x); }
]==], function() return 496 end},
  {"ways out of a function that meet behind it", [==[
__device__ __noinline__ int f(int x) {
  if (x & 1) return x * 2;
  for (int i = 0; i < x; i++) if (i * i > x) return i;
  return -1;
}
__global__ void k(int *a, int n) {
  int t = threadIdx.x;
  int r = t % 3 == 0 ? f(t) : t % 3 == 1 ? f(t + 5) : 0;
  __syncwarp();
  a[t] = 1000 * __popc(__activemask()) + r;
}]==], function(t)
    local function f(x)
      if x % 2 == 1 then return 2 * x end
      for i = 0, x - 1 do if i * i > x then return i end end
      return -1
    end
    local r = t % 3 == 0 and f(t) or t % 3 == 1 and f(t + 5) or 0
    return 32000 + r
  end},
  {"a lambda and a template's variable", [==[
template <class F> __device__ __noinline__ int apply(F f, int x) { return f(x); }
template <int N> __device__ int scaled = N * 3;
__global__ void k(int *a, int n) {
  int q = n;
  a[threadIdx.x] = apply([=](int v) { return v * q; }, threadIdx.x) + scaled<4>;
}]==], function(t) return 32 * t + 12 end},
}

for _, c in ipairs(cases) do
  for _, option in ipairs { "optimised", "-G" } do
    test(c[1] .. ", " .. option, function()
      local m = cuda.module(c[2], {
        options = option == "-G" and { "-G" } or {},
      })
      local a = cuda.to_device(np.zeros(32, "i32"))
      m.k { grid = 1, block = 32, shared = 128 }(a, 32)
      cuda.synchronize()
      local h = a:copy_to_host()
      for t = 0, 31 do equal(h[t], c[3](t), "thread " .. t) end
    end)
  end
end

test("a function that nothing defines is named", function()
  raises("compile", "outside", function()
    cuda.module([==[
extern "C" __device__ int outside(int x);
__global__ void k(int *a) { a[0] = outside(3); }]==])
  end)
end)

test("a variable that nothing defines is named", function()
  raises("compile", "nothing defines it", function()
    cuda.module([==[
extern __device__ int missing;
__global__ void k(int *a) { a[0] = missing; }]==])
  end)
  local m = cuda.module([==[
extern __device__ int later;
__global__ void k(int *a) { a[0] = later; }
__device__ int later = 5;]==])
  local a = np.zeros(1, "i32")
  m.k[{1, 1}](a)
  equal(a[0], 5)
end)

tap.done()
