-- SPDX-License-Identifier: Apache-2.0
-- Right kernels with local variables of many kinds, built with -G: in none of
-- them may anything be found. Name, source of k(int *a, int n) for 32 threads,
-- what a[t] must be when n is 4.
return {
{"structures by value, and as a result", [==[
struct V { float x, y; int c[9]; char t[5]; };
__device__ __noinline__ V both(V a, V b, int n) {
  V r = a;
  for (int i = 0; i < 9; i++) r.c[i] = a.c[i] + b.c[i] * n;
  for (int i = 0; i < 5; i++) r.t[i] = b.t[i];
  return r;
}
__global__ void k(int *a, int n) {
  V p = {1, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9}, "abc"}, q = p;
  V r = both(p, both(q, p, 1), n);
  a[threadIdx.x] = r.c[8] + r.t[2] + both(p, q, n).c[threadIdx.x % 9];
}]==], function(t) return 9 + 18 * 4 + 99 + (t % 9 + 1) * 5 end},
{"results of inlined functions", [==[
struct M { int a[3][3]; };
struct Big { M first; int rest[4]; };
__device__ __forceinline__ M made(int s) {
  M r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r.a[i][j] = s + i * 3 + j;
  return r;
}
__device__ __forceinline__ int trace(M m) {
  int s = 0;
  for (int i = 0; i < 3; i++) s += m.a[i][i];
  return s;
}
__global__ void k(int *a, int n) {
  Big b = {made(n), {1, 2, 3, 4}};
  const int *whole = &b.first.a[0][0];
  int s = 0;
  for (int i = 0; i < 13; i++) s += whole[i];
  a[threadIdx.x] = s + trace(b.first) + trace(made(1)) + made(2).a[threadIdx.x % 3][2];
}]==], function(t) return 72 + 10 + 24 + 15 + 2 + t % 3 * 3 + 2 end},
{"pointers one past the end, walked backwards", [==[
__global__ void k(int *a, int n) {
  int first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};
  int s = 0;
  for (int *p = first + 4; p-- != first;) s = s * 10 + *p;
  for (int *p = second + n; p != second;) s += *--p;
  int *end = first + 4;
  a[threadIdx.x] = s + end[-n] + end[-1];
}]==], function() return 4321 + 26 + 5 end},
{"a pointer to one of several", [==[
struct H { int *p; int n; };
__global__ void k(int *a, int n) {
  int x[4] = {1, 2, 3, 4}, y[6] = {5, 6, 7, 8, 9, 10}, z[3] = {0};
  H h = {y, 6};
  int *table[3] = {x, y, z};
  int *p = threadIdx.x & 1 ? x : h.p;
  int *q = n > 100 ? z : table[1];
  for (int i = 0; i < 4; i++) p[i] += 1;
  for (int i = 0; i < 6; i++) q[i] *= 2;
  a[threadIdx.x] = x[3] + y[5] + y[0] + table[threadIdx.x % 3][2] * 0;
}]==], function(t) return t % 2 == 1 and 5 + 20 + 10 or 4 + 20 + 12 end},
{"pointers handed to functions and back", [==[
__device__ __noinline__ int *most(int *p, int *q, int n) { return p[n] > q[n] ? p : q; }
__device__ __forceinline__ int *least(int *p, int *q) { return *p < *q ? p : q; }
__device__ __noinline__ void fill(int *p, int n, int v) {
  for (int i = 0; i < n; i++) p[i] = v + i;
}
__global__ void k(int *a, int n) {
  int x[5], y[7];
  fill(x, 5, 10); fill(y, 7, threadIdx.x);
  int *m = most(x, y, 4), *l = least(x, y);
  m = n == 4 ? m : x;
  l = n == 4 ? l : y;
  for (int i = 0; i < 5; i++) m[i] += l[i] * 0 + 1;
  a[threadIdx.x] = x[4] + y[4];
}]==], function(t) return 14 + t + 4 + 1 end},
{"references", [==[
struct P { int v[5]; };
__device__ __noinline__ int &cell(P &p, int i) { return p.v[i]; }
__device__ __forceinline__ P make(int n) { return {{n, n, n, n, n}}; }
__global__ void k(int *a, int n) {
  P p = {{0}}, q = {{9, 9, 9, 9, 9}};
  P &r = n > 3 ? p : q;
  const P &kept = make(n);
  int (&whole)[5] = q.v;
  for (int i = 0; i < 5; i++) cell(r, i) = i + kept.v[i];
  for (int &v : whole) v += kept.v[4];
  a[threadIdx.x] = p.v[threadIdx.x % 5] + q.v[4] + make(2).v[threadIdx.x % 5];
}]==], function(t) return t % 5 + 4 + 13 + 2 end},
{"unions, named and not", [==[
union U { float f; int i[4]; unsigned char b[16]; long long l[2]; };
__global__ void k(int *a, int n) {
  U u;
  union { int small[2]; int large[9]; };
  for (int i = 0; i < 16; i++) u.b[i] = i;
  for (int i = 0; i < 9; i++) large[i] = i;
  struct { union { char c[3]; int w[3]; }; int after; } s = {{{1, 2, 3}}, 5};
  for (int i = 0; i < 3; i++) s.w[i] = i;
  u.l[1] = n;
  a[threadIdx.x] = u.i[2] + small[1] + large[threadIdx.x % 9] + s.w[2] + s.after;
}]==], function(t) return 4 + 1 + t % 9 + 2 + 5 end},
{"structured bindings and loops over ranges", [==[
struct P { int v[4]; int w[6]; };
__device__ __noinline__ P make(int n) { return {{n, 1, 2, 3}, {4, 5, 6, 7, 8, n}}; }
__global__ void k(int *a, int n) {
  P p = make(n);
  auto [v, w] = p;
  auto &[x, y] = p;
  int pair[2] = {n, 2};
  auto [one, two] = pair;
  int s = 0;
  for (int i = 0; i < 4; i++) s += v[i] + x[i];
  for (int i = 0; i < 6; i++) s += w[i] + y[i];
  for (int c : make(n).w) s += c;
  a[threadIdx.x] = s + one + two;
}]==], function() return 2 * (10 + 34) + 34 + 6 end},
{"lambdas", [==[
__global__ void k(int *a, int n) {
  int x[6] = {1, 2, 3, 4, 5, 6}, y[3] = {0, 0, 0};
  auto sum = [&](int from, int to) {
    int own[6], s = 0;
    for (int i = from; i < to; i++) own[i] = x[i] + y[i % 3];
    for (int i = from; i < to; i++) s += own[i];
    return s;
  };
  auto copy = [x](int i) { return x[i]; };
  auto change = [&y](int i) mutable { y[i] += i; };
  for (int i = 0; i < 3; i++) change(i);
  a[threadIdx.x] = sum(0, 6) + copy(5) + sum(n, 6);
}]==], function() return 21 + 6 + 6 + 11 + 1 + 2 end},
{"blocks one after another, and inside one another", [==[
__global__ void k(int *a, int n) {
  int s = 0;
  { int x[4]; for (int i = 0; i < 4; i++) x[i] = i; s += x[3]; }
  { int y[9]; for (int i = 0; i < 9; i++) y[i] = i; s += y[8]; }
  for (int r = 0; r < n; r++) {
    int t[6];
    for (int i = 0; i < 6; i++) {
      int u[2] = {i, r};
      t[i] = u[0] * u[1];
    }
    if (r & 1) { int v[3] = {1, 2, 3}; s += v[r % 3]; continue; }
    else { int w[5] = {5, 4, 3, 2, 1}; s += w[r]; }
    s += t[5];
  }
  a[threadIdx.x] = s;
}]==], function() return 3 + 8 + 5 + 2 + 3 + 10 + 1 end},
{"arrays in the head of a loop, an if and a switch", [==[
__global__ void k(int *a, int n) {
  int s = 0;
  for (struct { int i, t[4]; } c = {0, {0}}; c.i < n + c.t[0];
       c.t[c.i % 4] += 0, s += c.t[c.i % 4], c.i++)
    c.t[c.i] = c.i;
  if (struct { int v[3]; } q = {{n, 1, 2}}; q.v[n % 3]) s += q.v[0];
  else s -= q.v[2];
  switch (int w[3] = {1, 2, 3}; w[n % 3]) {
  case 1: s += w[2];
  case 2: { int z[2] = {7, n}; s += z[w[0]]; break; }
  default: s = 0;
  }
  a[threadIdx.x] = s;
}]==], function() return 6 + 4 + 4 end},
{"char buffers and text", [==[
__device__ __noinline__ int digits(char *to, int v) {
  char own[12];
  int n = 0, m = 0;
  do own[n++] = '0' + v % 10; while (v /= 10);
  while (n) to[m++] = own[--n];
  to[m] = 0;
  return m;
}
__global__ void k(int *a, int n) {
  char text[16], word[] = "warp", other[3] = {'x', 'y', 0};
  int at = 0;
  for (const char *p = word; *p; p++) text[at++] = *p;
  at += digits(text + at, threadIdx.x);
  for (char *p = other; (text[at] = *p) != 0; p++) at++;
  int s = 0;
  for (char *p = text; *p; ++p) s += *p;
  a[threadIdx.x] = s;
}]==], function(t)
    local s = 0
    for c in ("warp" .. t .. "xy"):gmatch(".") do s = s + c:byte() end
    return s
  end},
{"memcpy and memset between variables", [==[
struct S { short h[7]; char c; };
__global__ void k(int *a, int n) {
  S s = {{1, 2, 3, 4, 5, 6, 7}, 8}, t, many[3];
  unsigned char raw[sizeof(S)], wide[3 * sizeof(S)];
  memcpy(raw, &s, sizeof s);
  memcpy(&t, raw, n * 4);
  for (int i = 0; i < 3; i++) memcpy(&many[i], &t, sizeof t);
  memcpy(wide, many, sizeof many);
  memset(&s, 0, sizeof s);
  for (size_t i = 0; i < sizeof wide; i++) wide[i] += 1;
  many[1] = s;
  a[threadIdx.x] = wide[46] + many[2].c + many[1].h[3] + t.h[6];
}]==], function() return 9 + 8 + 0 + 7 end},
{"arrays of structures", [==[
struct N { int key; N *next; int load[2]; };
__global__ void k(int *a, int n) {
  N nodes[5], *head = nullptr;
  for (int i = 0; i < 5; i++) {
    nodes[i] = {i, head, {i, i * 2}};
    head = &nodes[i];
  }
  int s = 0;
  for (N *p = head; p; p = p->next) s = s * 3 + p->load[p->key & 1];
  N *last = nodes + 5;
  for (N *p = nodes; p < last; ++p) s += p->key + (int)(last - p);
  a[threadIdx.x] = s;
}]==], function() return ((((4 * 3 + 6) * 3 + 2) * 3) + 2) * 3 + 10 + 15 end},
{"templates", [==[
template <class T, int N> struct Row {
  T v[N];
  __device__ T &operator[](int i) { return v[i]; }
  template <int M> __device__ Row<T, N + M> join(const Row<T, M> &o) const {
    Row<T, N + M> r;
    for (int i = 0; i < N; i++) r.v[i] = v[i];
    for (int i = 0; i < M; i++) r.v[N + i] = o.v[i];
    return r;
  }
};
template <class T> __device__ void exchange(T &a, T &b) { T c = a; a = b; b = c; }
__global__ void k(int *a, int n) {
  Row<int, 3> x = {{1, 2, 3}}, z = {{7, 8, 9}};
  Row<int, 5> y = {{4, 5, 6, 7, 8}};
  exchange(x, z);
  auto w = x.join(y).join(z);
  int s = 0;
  for (int i = 0; i < 11; i++) s = s + w[i] * i;
  a[threadIdx.x] = s + x.join(z)[threadIdx.x % 6];
}]==], function(t)
    local w, s = {7, 8, 9, 4, 5, 6, 7, 8, 1, 2, 3}, 0
    for i, v in ipairs(w) do s = s + v * (i - 1) end
    return s + ({7, 8, 9, 1, 2, 3})[t % 6 + 1]
  end},
{"recursion with arrays", [==[
__device__ __noinline__ int down(int *above, int depth) {
  int own[5];
  for (int i = 0; i < 5; i++) own[i] = above[i] + depth;
  int *p = depth & 1 ? own : above;
  for (int i = 0; i < 5; i++) p[i] += 1;
  return depth ? down(own, depth - 1) + own[4] : own[0];
}
__global__ void k(int *a, int n) {
  int top[5] = {1, 2, 3, 4, 5};
  a[threadIdx.x] = down(top, n) > 0;
}]==], function() return 1 end},
{"classes with bases and virtual functions", [==[
struct Base { int id[3]; __device__ virtual int sum() { return id[0] + id[2]; } };
struct More : Base {
  int extra[5];
  __device__ int sum() override { int s = 0; for (int e : extra) s += e; return s + Base::sum(); }
};
struct Two : Base, More { };
__global__ void k(int *a, int n) {
  Base b; More m;
  for (int i = 0; i < 3; i++) b.id[i] = m.id[i] = i;
  for (int i = 0; i < 5; i++) m.extra[i] = i;
  Base *p = threadIdx.x & 1 ? &b : (Base *)&m;
  Base cut = m;
  a[threadIdx.x] = p->sum() + cut.sum();
}]==], function(t) return (t % 2 == 1 and 2 or 12) + 2 end},
{"small arrays and single values by address", [==[
struct Ptr { int *p; };
__device__ __noinline__ void bump(int *v) { ++*v; }
__device__ __forceinline__ int first(Ptr p) { return p.p[3]; }
__device__ __forceinline__ Ptr to(int *p) { return {p}; }
__global__ void k(int *a, int n) {
  int x = n, pair[2] = {1, 2}, one[1] = {3}, four[4] = {4, 5, 6, 7};
  int *only[1] = {four};
  Ptr p = {four}, q = to(pair);
  char c = 1, *pc = &c;
  bump(&x); bump(pair + 1); bump(one);
  *pc += 2;
  a[threadIdx.x] = x + q.p[1] + one[0] + first(p) + first({only[0]}) + c;
}]==], function() return 5 + 3 + 4 + 7 + 7 + 3 end},
{"distances, and addresses as numbers", [==[
__global__ void k(int *a, int n) {
  int x[8], y[8], z[5];
  for (int i = 0; i < 8; i++) { x[i] = i; y[i] = 10 + i; }
  char raw[80];
  int *at = (int *)(((size_t)raw + 15) & ~(size_t)15);
  for (int i = 0; i < 16; i++) at[i] = i;
  size_t apart = (size_t)y - (size_t)x;
  int *p = (int *)((size_t)x + apart); // y
  for (int i = 0; i < 5; i++) z[i] = p[i + 3];
  int *q = x + (&x[6] - &x[2]);
  a[threadIdx.x] = z[4] + *q + at[15] + y[((size_t)x >> 4) & 7] * 0;
}]==], function() return 17 + 4 + 15 end},
{"pointers through shuffles and halves", [==[
__global__ void k(int *a, int n) {
  int x[4] = {1, 2, 3, 4}, y[9] = {1, 1, 1, 1, 1, 1, 1, 1, 9};
  unsigned long long bits = (unsigned long long)y;
  bits = __shfl_sync(~0u, bits, threadIdx.x);
  union { int *p; unsigned half[2]; } u = {y};
  int *back = (int *)((unsigned long long)u.half[1] << 32 | u.half[0]);
  int *p = n > 100 ? x : (int *)bits;
  int *q = n > 100 ? x : (int *)__double_as_longlong(__longlong_as_double((long long)y));
  a[threadIdx.x] = p[8] + q[8] + back[8];
}]==], function() return 27 end},
{"large, aligned and empty variables side by side", [==[
struct E { };
struct alignas(64) A { int v[5]; };
__global__ void k(int *a, int n) {
  E e, f[3];
  char odd[13], last[1] = {1};
  A al[2] = {{{1, 2, 3, 4, 5}}, {{6, 7, 8, 9, 10}}};
  double d[3] = {1, 2, 3};
  float4 q[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  float3 r[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  for (int i = 0; i < 13; i++) odd[i] = i;
  float *pq = &q[0].x, *pr = &r[0].x, s = 0;
  for (int i = 0; i < 8; i++) s += pq[i];
  for (int i = 0; i < 9; i++) s += pr[i];
  int *pa = (int *)al;
  a[threadIdx.x] = (int)(s + d[n % 3]) + odd[12] + pa[20] + last[0] + sizeof e + sizeof f;
}]==], function() return 36 + 45 + 2 + 12 + 10 + 1 + 1 + 3 end},
{"matrices and pointers to their rows", [==[
__device__ __noinline__ int sum(const int (*rows)[5], int n) {
  int s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) s += rows[i][j];
  return s;
}
__global__ void k(int *a, int n) {
  int m[4][5], t[5][4], cube[2][3][4] = {{{0}}};
  for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) t[j][i] = m[i][j] = i * 5 + j;
  int *flat = m[0], (*row)[5] = m + 1, *all = &cube[0][0][0];
  for (int i = 0; i < 24; i++) all[i] = i;
  a[threadIdx.x] = flat[19] + row[-1][4] + row[2][0] + sum(m + 2, 2) + t[4][3] + cube[1][2][3];
}]==], function() return 19 + 4 + 15 + 145 + 19 + 23 end},
{"wide accesses of local memory", [==[
__global__ void k(int *a, int n) {
  int x[4] = {0, 0, 0, 0}; int4 w[2];
  alignas(16) int y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int4 *p = (int4 *)y;
  for (int i = 0; i < 2; i++) w[i] = p[i];
  p[1] = w[0];
  volatile int v[3] = {1, 2, 3};
  v[n % 3] = v[2];
  long long *l = (long long *)&w[0];
  a[threadIdx.x] = y[7] + w[1].w + v[1] + x[n % 4] + (int)(l[3] >> 32);
}]==], function() return 4 + 8 + 3 + 8 end},
{"local, shared and global by one pointer", [==[
__shared__ int s[4];
__device__ int g[4] = {5, 6, 7, 8};
__constant__ int c[6] = {1, 2, 3, 4, 5, 6};
__global__ void k(int *a, int n) {
  int x[2] = {1, 2}, z[3] = {3, 4, 5};
  if (threadIdx.x < 4) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int *p = x;
  if (threadIdx.x % 4 == 1) p = s;
  if (threadIdx.x % 4 == 2) p = g;
  if (threadIdx.x % 4 == 3) p = c;
  const int *q = n > 3 ? (const int *)a : z;
  a[threadIdx.x] = p[threadIdx.x % 4 ? 3 : 1] + q[threadIdx.x] * 0;
}]==], function(t) return ({2, 3, 8, 4})[t % 4 + 1] end},
{"functions with many arguments and their own arrays", [==[
struct Q { int v[6]; };
__device__ __noinline__ int mix(Q q, char c, long long l, short s, Q *r, double d, Q &w) {
  int own[10], two[3] = {c, s, (int)l};
  for (int i = 0; i < 10; i++) own[i] = i < 6 ? q.v[i] : r->v[i - 6];
  for (int i = 0; i < 3; i++) w.v[i] = two[i];
  Q copy = w, *which = d > 0 ? &copy : r;
  for (int i = 0; i < 6; i++) which->v[i] += own[i + 4];
  return own[9] + copy.v[5] + q.v[threadIdx.x % 6];
}
__global__ void k(int *a, int n) {
  Q x = {{1, 2, 3, 4, 5, 6}}, y = {{6, 5, 4, 3, 2, 1}}, z = {{0}};
  int s = mix(x, 1, 2, 3, &y, 4.0, z);
  a[threadIdx.x] = s + z.v[2] + mix(z, 1, 2, 3, &x, -1.0, y) * 0;
}]==], function(t) return 3 + 3 + t % 6 + 1 + 2 end},
{"generators, counters and tables that stay", [==[
struct Heap {
  int size, cells[8];
  __device__ void push(int v) {
    int at = size++;
    while (at > 0 && cells[(at - 1) / 2] > v) { cells[at] = cells[(at - 1) / 2]; at = (at - 1) / 2; }
    cells[at] = v;
  }
  __device__ int pop() {
    int top = cells[0], v = cells[--size], at = 0;
    for (int c; (c = 2 * at + 1) < size; at = c) {
      if (c + 1 < size && cells[c + 1] < cells[c]) c++;
      if (cells[c] >= v) break;
      cells[at] = cells[c];
    }
    cells[at] = v;
    return top;
  }
};
__global__ void k(int *a, int n) {
  static const int primes[5] = {2, 3, 5, 7, 11};
  int stack[8], depth = 0, s = 0;
  Heap h = {0};
  for (int i = 0; i < 8; i++) h.push((i * 5 + threadIdx.x) % 8);
  while (h.size) stack[depth++] = h.pop();
  while (depth) s = s * 2 + stack[--depth];
  a[threadIdx.x] = s + primes[n];
}]==], function() return 7 * 128 + 6 * 64 + 5 * 32 + 4 * 16 + 3 * 8 + 2 * 4 + 2 + 11 end},
}
