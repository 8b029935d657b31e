// SPDX-License-Identifier: Apache-2.0
// c = a b for square matrices of n x n, row by row: one kernel for each rung of
// the ladder that lessons 26 and 29 climb. matrix.lua runs and times them. n is
// a multiple of a block's tile; nothing here guards a ragged end.
#include <cuda_fp16.h>
#include <mma.h>

// ---- The data ----

// Numbers from -1 to 1 with 11 bits, which half holds exactly.
__device__ float number(unsigned i, unsigned seed) {
  unsigned h = i * 2654435761u + seed;
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  return (int((h ^ h >> 16) & 2047) - 1024) / 1024.0f;
}

extern "C" __global__ void fill(float *x, __half *h, __half *turned, int n,
                                unsigned seed) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)n * n;
       i += stride) {
    float v = number(i, seed);
    x[i] = v;
    h[i] = __float2half(v);
    turned[i % n * n + i / n] = h[i];
  }
}

// out[0]: the largest distance of x from want; out[1]: the largest of want.
// Both as bits, whose order is that of numbers without a sign; NaN is highest.
extern "C" __global__ void apart(const float *x, const float *want,
                                 unsigned *out, int n) {
  unsigned far = 0, high = 0;
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)n * n;
       i += stride) {
    far = max(far, __float_as_uint(fabsf(x[i] - want[i])));
    high = max(high, __float_as_uint(fabsf(want[i])));
  }
  far = __reduce_max_sync(0xffffffff, far);
  high = __reduce_max_sync(0xffffffff, high);
  if (threadIdx.x % 32 == 0) {
    atomicMax(&out[0], far);
    atomicMax(&out[1], high);
  }
}

// ---- Rung 1: a thread an element ----

extern "C" __global__ void naive(const float *a, const float *b, float *c,
                                 int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
  c[(size_t)row * n + col] = sum;
}

// ---- Rung 2: tiles in shared memory ----

extern "C" __global__ void tiled(const float *a, const float *b, float *c,
                                 int n) {
  constexpr int TILE = 32;
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  for (int from = 0; from < n; from += TILE) {
    left[y][x] = a[(size_t)row * n + from + x];
    right[y][x] = b[(size_t)(from + y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[(size_t)row * n + col] = sum;
}

// ---- Rung 3: 8 x 8 results a thread, in registers ----

// A thread's results are four squares of 4 x 4, half a tile apart, so that
// neighbours read side by side. While a tile is multiplied, the next one is on
// its way to registers.
extern "C" __global__ void __launch_bounds__(256)
    registers(const float *a, const float *b, float *c, int n) {
  constexpr int TILE = 128, DEEP = 16, HALF = TILE / 2;
  __shared__ float left[DEEP][TILE + 4]; // a's tile, turned
  __shared__ float right[DEEP][TILE];
  int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
  // What t carries: of a four neighbours of rows t / 4 and 64 further, of b
  // those of rows t / 32 and 8 further.
  const float *from_a = a + (size_t)(blockIdx.y * TILE + t / 4) * n + t % 4 * 4;
  const float *from_b =
      b + (size_t)(t / 32) * n + blockIdx.x * TILE + t % 32 * 4;
  float4 next_a[2], next_b[2];
  auto fetch = [&](int from) {
    for (int k = 0; k < 2; k++) {
      next_a[k] = *(const float4 *)(from_a + (size_t)k * HALF * n + from);
      next_b[k] = *(const float4 *)(from_b + (size_t)(from + k * 8) * n);
    }
  };
  float sum[8][8] = {};
  fetch(0);
  for (int from = 0; from < n; from += DEEP) {
    for (int k = 0; k < 2; k++) {
      int at = t % 4 * 4, row = t / 4 + k * HALF;
      left[at][row] = next_a[k].x;
      left[at + 1][row] = next_a[k].y;
      left[at + 2][row] = next_a[k].z;
      left[at + 3][row] = next_a[k].w;
      *(float4 *)&right[t / 32 + k * 8][t % 32 * 4] = next_b[k];
    }
    __syncthreads();
    if (from + DEEP < n)
      fetch(from + DEEP);
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      float u[8], v[8];
      *(float4 *)&u[0] = *(const float4 *)&left[k][y];
      *(float4 *)&u[4] = *(const float4 *)&left[k][y + HALF];
      *(float4 *)&v[0] = *(const float4 *)&right[k][x];
      *(float4 *)&v[4] = *(const float4 *)&right[k][x + HALF];
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sum[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) {
    size_t row = blockIdx.y * TILE + y + i % 4 + i / 4 * HALF;
    float *to = c + row * n + blockIdx.x * TILE + x;
    *(float4 *)to = *(const float4 *)&sum[i][0];
    *(float4 *)(to + HALF) = *(const float4 *)&sum[i][4];
  }
}

// ---- Rung 4: tensor cores, straight from global memory ----

extern "C" __global__ void tensor(const __half *a, const __half *b, float *c,
                                  int n) {
  using namespace nvcuda::wmma;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  int col = blockIdx.x * 16;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(left, a + (size_t)row * n + k, n);
    load_matrix_sync(right, b + (size_t)k * n + col, n);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c + (size_t)row * n + col, sum, n, mem_row_major);
}

// ---- What the last rungs share ----

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// Sends for 16 bytes (lesson 29).
__device__ __forceinline__ void send(unsigned to, const __half *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
}
__device__ __forceinline__ void bundle() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most NEWEST bundles of this thread are on their way.
template <int NEWEST> __device__ __forceinline__ void wait_prior() {
  asm volatile("cp.async.wait_group %0;" ::"n"(NEWEST) : "memory");
}

// The block's tile: column by column within bands of BAND rows of tiles, so
// that blocks that run at the same time read the same parts of a and b.
template <int ROWS, int COLS>
__device__ void my_tile(int n, size_t *row, size_t *col) {
  constexpr int BAND = 16;
  int down = n / ROWS, across = n / COLS, first = blockIdx.x / (BAND * across);
  int rows = min(BAND, down - first * BAND);
  int inside = blockIdx.x - first * BAND * across;
  *row = (size_t)(first * BAND + inside % rows) * ROWS;
  *col = (size_t)(inside / rows) * COLS;
}

// A tile of ROWS x COLS half lies in shared memory row by row, in chunks of 16
// bytes. A chunk's place within its 128 bytes depends on the row, so that eight
// rows' chunks of one column are in eight different groups of banks: a swizzle.
template <int COLS> __device__ __forceinline__ int place(int row, int chunk) {
  static_assert(COLS == 32 || COLS % 64 == 0, "a row is 64 bytes or n x 128");
  int other = COLS == 32 ? row >> 1 & 3 : row & 7;
  return row * COLS * 2 + (chunk ^ other) * 16;
}

// THREADS threads send for a tile. Each carries the same chunk of rows that are
// a multiple of 8 apart.
template <int ROWS, int COLS, int THREADS>
__device__ __forceinline__ void send_tile(unsigned to, const __half *from,
                                          int n, int t) {
  constexpr int CHUNKS = COLS / 8, STEP = THREADS / CHUNKS;
  static_assert(STEP % 8 == 0 && ROWS % STEP == 0, "rows fit the threads");
  int row = t / CHUNKS, chunk = t % CHUNKS;
  to += place<COLS>(row, chunk);
  from += (size_t)row * n + chunk * 8;
#pragma unroll
  for (int k = 0; k < ROWS / STEP; k++)
    send(to + k * STEP * COLS * 2, from + (size_t)k * STEP * n);
}

// ---- Rung 5 and on: mma.sync from swizzled stages ----

// Four matrices of 8 x 8 half, one row's address from each lane.
__device__ __forceinline__ void load4(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
               "[%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void load4_turned(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, "
               "%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4],
                                         unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A block makes ROWS x COLS results, each of its warps WARP_ROWS x WARP_COLS.
// STAGES tiles of DEEP are in shared memory: one is worked on, the others are
// on their way. A warp has its next fragments in registers before it multiplies.
template <int ROWS, int COLS, int DEEP, int STAGES, int WARP_ROWS,
          int WARP_COLS>
__global__ void __launch_bounds__(ROWS / WARP_ROWS * (COLS / WARP_COLS) * 32)
    stages(const __half *__restrict__ a, const __half *__restrict__ b,
           float *__restrict__ c, int n) {
  constexpr int THREADS = ROWS / WARP_ROWS * (COLS / WARP_COLS) * 32;
  constexpr int LEFT = ROWS * DEEP * 2, STAGE = LEFT + DEEP * COLS * 2;
  constexpr int M = WARP_ROWS / 16, N = WARP_COLS / 16, STEPS = DEEP / 16;
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned base = shared_address(memory);
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int warp_row = warp % (ROWS / WARP_ROWS) * WARP_ROWS;
  int warp_col = warp / (ROWS / WARP_ROWS) * WARP_COLS;
  size_t row, col;
  my_tile<ROWS, COLS>(n, &row, &col);
  const __half *from_a = a + row * n, *from_b = b + col;
  int tiles = n / DEEP;

  auto order = [&](int tile) {
    if (tile < tiles) {
      unsigned to = base + tile % STAGES * STAGE;
      send_tile<ROWS, DEEP, THREADS>(to, from_a + tile * DEEP, n, t);
      send_tile<DEEP, COLS, THREADS>(to + LEFT,
                                     from_b + (size_t)tile * DEEP * n, n, t);
    }
    bundle();
  };
  unsigned left[2][M][4], right[2][N][4];
  auto load = [&](int to, unsigned stage, int step) {
#pragma unroll
    for (int i = 0; i < M; i++)
      load4(left[to][i], stage + place<DEEP>(warp_row + i * 16 + lane % 16,
                                             step * 2 + lane / 16));
#pragma unroll
    for (int j = 0; j < N; j++)
      load4_turned(right[to][j],
                   stage + LEFT +
                       place<COLS>(step * 16 + lane % 16,
                                   warp_col / 8 + j * 2 + lane / 16));
  };

  float sum[M][N * 2][4] = {};
  for (int tile = 0; tile < STAGES - 1; tile++)
    order(tile);
  wait_prior<STAGES - 2>();
  __syncthreads();
  load(0, base, 0);
  for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
      if (step == STEPS - 1) { // the next tile has come, and all have met
        wait_prior<STAGES - 2>();
        __syncthreads();
      }
      // Behind the last tile this loads what nobody uses: no branch is dearer.
      int next = (tile + (step + 1) / STEPS) % STAGES;
      load((step + 1) % 2, base + next * STAGE, (step + 1) % STEPS);
      // Nobody reads the stage of the tile before any more.
      if (step == 0)
        order(tile + STAGES - 1);
#pragma unroll
      for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N * 2; j++)
          multiply(sum[i][j], left[step % 2][i],
                   right[step % 2][j / 2][j % 2 * 2],
                   right[step % 2][j / 2][j % 2 * 2 + 1]);
    }
  }
  float *to =
      c + (row + warp_row + lane / 4) * n + col + warp_col + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N * 2; j++) {
      float *at = to + (size_t)i * 16 * n + j * 8;
      *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
      *(float2 *)(at + (size_t)8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}

// ---- The last rung: wgmma, on capability 9.0 alone ----

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// How wgmma finds an operand in shared memory whose rows of 128 bytes are
// swizzled as in `place`. far: bytes between pieces of 64 columns where those
// lie along the row; else unused. 1024: between groups of 8 rows.
__device__ __forceinline__ unsigned long long operand(unsigned at,
                                                      unsigned far) {
  return (unsigned long long)(at >> 4 & 0x3fff) |
         (unsigned long long)(far >> 4) << 16 |
         (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

// d += a b, 64 x 256 by a warpgroup, 16 deep. IS_ACROSS: b's rows lie along the
// columns of the result, as in memory; else b is turned.
#  define EIGHT(i)                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),                \
        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

template <bool IS_ACROSS>
__device__ __forceinline__ void
multiply_group(float (&d)[128], unsigned long long a, unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, "
      "%94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
      "%108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
      "%124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, %130;\n}\n"
      : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
        EIGHT(48), EIGHT(56), EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88),
        EIGHT(96), EIGHT(104), EIGHT(112), EIGHT(120)
      : "l"(a), "l"(b), "n"(IS_ACROSS ? 1 : 0));
}

// 128 x 256 results a block: two warpgroups with 64 rows each. In round `tile`
// the stage of tile - 2 is filled again: its products are done everywhere, as
// each warpgroup has waited for them before the barrier. So two tiles are on
// their way while one is worked on and one's products end.
template <bool IS_ACROSS>
__global__ void __launch_bounds__(256, 1)
    groups(const __half *__restrict__ a, const __half *__restrict__ b,
           float *__restrict__ c, int n) {
  constexpr int ROWS = 128, COLS = 256, DEEP = 64, STAGES = 4;
  constexpr int LEFT = ROWS * DEEP * 2, STAGE = LEFT + DEEP * COLS * 2;
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned base = (shared_address(memory) + 1023) / 1024 * 1024;
  int t = threadIdx.x, group = t / 128, lane = t % 32;
  size_t row, col;
  my_tile<ROWS, COLS>(n, &row, &col);
  const __half *from_a = a + row * n;
  const __half *from_b = IS_ACROSS ? b + col : b + col * n;
  int tiles = n / DEEP;

  auto order = [&](int tile) {
    if (tile < tiles) {
      unsigned to = base + tile % STAGES * STAGE;
      send_tile<ROWS, DEEP, 256>(to, from_a + tile * DEEP, n, t);
      if (IS_ACROSS) { // four pieces of 64 columns
#  pragma unroll
        for (int k = 0; k < COLS / 64; k++)
          send_tile<DEEP, 64, 256>(to + LEFT + k * DEEP * 128,
                                   from_b + (size_t)tile * DEEP * n + k * 64, n,
                                   t);
      } else {
        send_tile<COLS, DEEP, 256>(to + LEFT, from_b + tile * DEEP, n, t);
      }
    }
    bundle();
  };

  float sum[128] = {};
  for (int tile = 0; tile < STAGES - 2; tile++)
    order(tile);
  for (int tile = 0; tile < tiles; tile++) {
    wait_prior<STAGES - 3>();
    // What threads wrote, wgmma reads by another way: it has to be told.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned at = base + tile % STAGES * STAGE;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#  pragma unroll
    for (int step = 0; step < DEEP / 16; step++)
      multiply_group<IS_ACROSS>(
          sum, operand(at + group * 64 * 128 + step * 32, 16),
          IS_ACROSS ? operand(at + LEFT + step * 16 * 128, DEEP * 128)
                    : operand(at + LEFT + step * 32, 16));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    order(tile + STAGES - 2);
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float *to = c + (row + t / 32 * 16 + lane / 4) * n + col + lane % 4 * 2;
#  pragma unroll
  for (int j = 0; j < 32; j++) {
    *(float2 *)(to + j * 8) = make_float2(sum[4 * j], sum[4 * j + 1]);
    *(float2 *)(to + (size_t)8 * n + j * 8) =
        make_float2(sum[4 * j + 2], sum[4 * j + 3]);
  }
}
#endif
