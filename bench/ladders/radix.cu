// SPDX-License-Identifier: Apache-2.0
// Radix sort of n keys of 32 bits, lowest digit first: three rungs from lesson
// 27's pass to one that reads and writes each key once. radix.lua runs them. No
// kernel changes the keys it reads, so a sort can be run again.

// ---- The data, and what is asked of a result ----

__device__ unsigned mixed(unsigned h) {
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}

// mask: which bits of a key vary.
extern "C" __global__ void fill(unsigned *keys, unsigned mask, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    keys[i] = mixed(i + 1) & mask;
}

// out[0]: how many keys are above the next one; out[1]: the same for the same
// keys in any order.
extern "C" __global__ void look(const unsigned *keys, unsigned long long *out,
                                int n) {
  unsigned long long wrong = 0, sum = 0;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    wrong += i + 1 < n && keys[i] > keys[i + 1];
    sum += mixed(keys[i]) + (1ull << 32) * mixed(keys[i] + 0x9e3779b9u);
  }
  atomicAdd(&out[0], wrong);
  atomicAdd(&out[1], sum);
}

// ---- Rung 1: lesson 27's pass, 4 bits, blocks of 128 ----

extern "C" __global__ void count4(const unsigned *keys, unsigned *counts, int n,
                                  int shift) {
  __shared__ unsigned own[16];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 16)
    own[t] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&own[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (t < 16)
    counts[t * gridDim.x + blockIdx.x] = own[t];
}

extern "C" __global__ void starts4(unsigned *counts, int m) {
  int lane = threadIdx.x;
  unsigned before = 0;
  for (int first = 0; first < m; first += 32) {
    int k = first + lane;
    unsigned own = k < m ? counts[k] : 0, sum = own;
    for (int far = 1; far < 32; far *= 2) {
      unsigned below = __shfl_up_sync(0xffffffff, sum, far);
      if (lane >= far)
        sum += below;
    }
    if (k < m)
      counts[k] = before + sum - own;
    before += __shfl_sync(0xffffffff, sum, 31);
  }
}

extern "C" __global__ void place4(const unsigned *keys, const unsigned *counts,
                                  unsigned *out, int n, int shift) {
  __shared__ unsigned digits[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (i < n)
    digits[t] = keys[i] >> shift & 15;
  __syncthreads();
  if (i >= n)
    return;
  unsigned digit = digits[t], rank = 0;
  for (int k = 0; k < t; k++)
    rank += digits[k] == digit;
  out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i];
}

// ---- Rungs 2 and 3: 8 bits, tiles that are brought into order ----

constexpr int DIGITS = 256, THREADS = 512, WARPS = THREADS / 32;
constexpr int ITEMS = 16, TILE = THREADS * ITEMS; // keys of a thread, a block

// The sum of the values of the threads before this one, for the first DIGITS
// threads of a block. All come here; `cells` is free again after a barrier.
__device__ unsigned sum_before(unsigned value, unsigned *cells) {
  int t = threadIdx.x, lane = t % 32;
  unsigned sum = value;
  for (int far = 1; far < 32; far *= 2) {
    unsigned below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far)
      sum += below;
  }
  if (t < DIGITS && lane == 31)
    cells[t / 32] = sum;
  __syncthreads();
  sum -= value;
#pragma unroll
  for (int k = 0; k < DIGITS / 32; k++)
    sum += k < t / 32 ? cells[k] : 0;
  return sum;
}

// The lanes whose digit is the same: each of its bits takes away who differs.
__device__ __forceinline__ unsigned same_digit(unsigned digit) {
  unsigned peers = 0xffffffff;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    int own = (int)(digit << (31 - bit)) >> 31; // 32 bits like this one
    peers &= ~(__ballot_sync(0xffffffff, own) ^ own);
  }
  return peers;
}

// A tile in work. Key k of a thread is k * 32 behind its first one, so that a
// warp reads side by side and the order of (k, lane) is that of the keys.
struct Tile {
  union {
    unsigned counts[WARPS][DIGITS]; // by warp and digit, then the sums before
    unsigned keys[TILE];            // in order
  };
  unsigned begins[DIGITS];  // of a digit, within the tile
  unsigned offsets[DIGITS]; // from a place within the tile to one in `out`
  unsigned cells[DIGITS / 32];
  int number;
};

// Brings a tile's keys into order in `s.keys`. The thread of each digit calls
// `publish(total)` as soon as it knows how many the tile has. Behind the end,
// keys are the largest there are: they come last.
template <typename Publish>
__device__ __forceinline__ unsigned
order_tile(Tile &s, const unsigned *in, int n, int shift, Publish publish) {
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int first = s.number * TILE + warp * 32 * ITEMS + lane;
  unsigned key[ITEMS], place[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    key[k] = first + k * 32 < n ? in[first + k * 32] : 0xffffffff;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    unsigned digit = key[k] >> shift & 255, peers = same_digit(digit);
    unsigned below = __popc(peers & ((1u << lane) - 1));
    unsigned before = s.counts[warp][digit];
    __syncwarp();
    if (below == 0)
      s.counts[warp][digit] = before + __popc(peers);
    __syncwarp();
    place[k] = before + below;
  }
  __syncthreads();
  unsigned total = 0;
  if (t < DIGITS) {
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      unsigned own = s.counts[w][t];
      s.counts[w][t] = total;
      total += own;
    }
    publish(total);
  }
  unsigned begin = sum_before(total, s.cells);
  if (t < DIGITS)
    s.begins[t] = begin;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    unsigned digit = key[k] >> shift & 255;
    place[k] += s.counts[warp][digit] + s.begins[digit];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    s.keys[place[k]] = key[k];
  return total;
}

// Writes a tile out: keys of one digit go side by side. All but the last tile
// are full, and need no guard between their loads.
template <bool IS_FULL>
__device__ __forceinline__ void write_keys(const Tile &s, unsigned *out,
                                           int count, int shift) {
  constexpr int BATCH = 8; // loads on their way; more do not fit in registers
#pragma unroll 1
  for (int from = 0; from < TILE; from += BATCH * THREADS) {
    unsigned key[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      int at = from + k * THREADS + threadIdx.x;
      key[k] = IS_FULL || at < count ? s.keys[at] : 0;
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      int at = from + k * THREADS + threadIdx.x;
      if (IS_FULL || at < count)
        out[s.offsets[key[k] >> shift & 255] + at] = key[k];
    }
  }
}

__device__ __forceinline__ void write_tile(const Tile &s, unsigned *out, int n,
                                           int shift) {
  int count = min(TILE, n - s.number * TILE);
  if (count == TILE)
    write_keys<true>(s, out, count, shift);
  else
    write_keys<false>(s, out, count, shift);
}

__device__ void begin_tile(Tile &s, unsigned *ticket) {
  int t = threadIdx.x;
#pragma unroll
  for (int k = 0; k < WARPS * DIGITS / THREADS; k++)
    s.counts[k * THREADS / DIGITS + t / DIGITS][t % DIGITS] = 0;
  if (t == 0)
    s.number = ticket ? atomicAdd(ticket, 1) : blockIdx.x;
  __syncthreads();
}

// ---- Rung 2: three launches a pass ----

// counts[d * tiles + b]: how often tile b has digit d.
extern "C" __global__ void __launch_bounds__(THREADS)
    count8(const unsigned *in, unsigned *counts, int n, int shift) {
  __shared__ unsigned own[DIGITS];
  int t = threadIdx.x;
  if (t < DIGITS)
    own[t] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    int i = blockIdx.x * TILE + k * THREADS + t;
    if (i < n)
      atomicAdd(&own[in[i] >> shift & 255], 1);
  }
  __syncthreads();
  if (t < DIGITS)
    counts[t * gridDim.x + blockIdx.x] = own[t];
}

// A block of DIGITS threads for each digit: its counts become the sums of those
// before, totals[d] the sum of all.
extern "C" __global__ void __launch_bounds__(DIGITS)
    starts8(unsigned *counts, unsigned *totals, int tiles) {
  __shared__ unsigned cells[DIGITS / 32], all;
  int t = threadIdx.x;
  unsigned *own = counts + (size_t)blockIdx.x * tiles, before = 0;
  for (int first = 0; first < tiles; first += DIGITS) {
    unsigned value = first + t < tiles ? own[first + t] : 0;
    unsigned sum = sum_before(value, cells);
    if (t == DIGITS - 1)
      all = sum + value;
    if (first + t < tiles)
      own[first + t] = before + sum;
    __syncthreads();
    before += all;
    __syncthreads();
  }
  if (t == 0)
    totals[blockIdx.x] = before;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    place8(const unsigned *in, const unsigned *counts, const unsigned *totals,
           unsigned *out, int n, int shift) {
  __shared__ Tile s;
  int t = threadIdx.x;
  begin_tile(s, nullptr);
  order_tile(s, in, n, shift, [](unsigned) {});
  __syncthreads();
  unsigned start = sum_before(t < DIGITS ? totals[t] : 0, s.cells);
  if (t < DIGITS)
    s.offsets[t] = start + counts[t * gridDim.x + blockIdx.x] - s.begins[t];
  __syncthreads();
  write_tile(s, out, n, shift);
}

// ---- Rung 3: one launch a pass ----

// A tile's state of a digit: in its upper two bits whether its own count stands
// below, or that of all tiles up to it.
constexpr unsigned OWN = 1u << 30, ALL = 2u << 30, COUNT = OWN - 1;

__device__ __forceinline__ unsigned ask(const unsigned *state) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(state)
               : "memory");
  return value;
}
__device__ __forceinline__ void tell(unsigned *state, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(state), "r"(value)
               : "memory");
}

// How often the digits of all four passes are in the keys: they are the same in
// any order. Makes the states of `states` tiles and digits ready as well.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_all(const unsigned *in, unsigned *counts, unsigned *states,
              unsigned *tickets, int n, int state_count) {
  __shared__ unsigned own[4][DIGITS];
  int t = threadIdx.x, stride = gridDim.x * THREADS;
  int i = blockIdx.x * THREADS + t;
  for (int k = t; k < 4 * DIGITS; k += THREADS)
    own[k / DIGITS][k % DIGITS] = 0;
  for (int k = i; k < state_count; k += stride)
    states[k] = 0;
  if (i < 4)
    tickets[i] = 0;
  __syncthreads();
  auto add = [&](unsigned key) {
#pragma unroll
    for (int pass = 0; pass < 4; pass++)
      atomicAdd(&own[pass][key >> 8 * pass & 255], 1);
  };
  for (int k = i; k < n / 4; k += stride) {
    uint4 four = ((const uint4 *)in)[k];
    add(four.x);
    add(four.y);
    add(four.z);
    add(four.w);
  }
  if (i < n % 4)
    add(in[n - 1 - i]);
  __syncthreads();
  for (int k = t; k < 4 * DIGITS; k += THREADS)
    if (own[k / DIGITS][k % DIGITS])
      atomicAdd(&counts[k], own[k / DIGITS][k % DIGITS]);
}

// A block for each pass: where its digits begin. Leaves counts at 0 for the
// next sort.
extern "C" __global__ void __launch_bounds__(DIGITS)
    starts_all(unsigned *counts, unsigned *starts) {
  __shared__ unsigned cells[DIGITS / 32];
  int k = blockIdx.x * DIGITS + threadIdx.x;
  starts[k] = sum_before(counts[k], cells);
  counts[k] = 0;
}

// How many keys of this thread's digit are in the tiles before. Four of them
// are asked at a time, from the nearest on: one that knows all before it ends
// the walk, one that knows nothing yet is asked again.
__device__ unsigned look_back(const unsigned *states, int number) {
  unsigned before = 0;
  int at = number - 1;
  while (at >= 0) {
    unsigned state[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
      state[k] = at >= k ? ask(&states[(size_t)(at - k) * DIGITS]) : 0;
    int next = at;
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (next == at - k && state[k]) {
        before += state[k] & COUNT;
        next = state[k] & ALL ? -1 : next - 1;
      }
    at = next;
  }
  return before;
}

// Tiles are numbered in the order in which they begin, so that those before a
// tile are at work or done, and waiting for them ends.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sweep(const unsigned *in, unsigned *out, const unsigned *starts,
          unsigned *states, unsigned *ticket, int n, int shift) {
  __shared__ Tile s;
  int t = threadIdx.x;
  begin_tile(s, ticket);
  unsigned *state = &states[(size_t)s.number * DIGITS + t];
  unsigned total = order_tile(s, in, n, shift, [&](unsigned count) {
    tell(state, (s.number ? OWN : ALL) | count);
  });
  if (t < DIGITS) {
    unsigned before = look_back(&states[t], s.number);
    if (s.number)
      tell(state, ALL | (before + total));
    s.offsets[t] = starts[t] + before - s.begins[t];
  }
  __syncthreads();
  write_tile(s, out, n, shift);
}
