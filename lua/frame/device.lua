-- SPDX-License-Identifier: Apache-2.0
-- Columns on a device: what C does of host arrays (use.take, factorize ...) by
-- kernels of our own, each of which dispatches on where its first column is.
-- Equal keys meet in a hash table (open addressing, one compare-and-swap a
-- probe); groups are added to by atomics; joins count, scan and fill.
local use = ...
local kernels = use("shared/kernels")
local np, cuda = use.np, use.cuda

local source = [==[
typedef unsigned long long u64;
typedef long long i64;
#define ROW                                                                  \
  i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;                         \
  if (i >= n)                                                                 \
    return
#define EMPTY 0xffffffffffffffffull
#define NONE 0x7fffffff

template <typename T, typename To>
__device__ void cast_row(const T *a, To *out, i64 n) {
  ROW;
  out[i] = (To)a[i];
}
template <typename T> __global__ void to_f64(const T *a, double *out, i64 n) {
  cast_row(a, out, n);
}
template <typename T> __global__ void to_i64(const T *a, i64 *out, i64 n) {
  cast_row(a, out, n);
}
template <typename T> __global__ void to_i32(const T *a, int *out, i64 n) {
  cast_row(a, out, n);
}

// ends[i]: how many of a mask's rows up to i are true.
__global__ void places(const bool *mask, const i64 *ends, i64 *out, i64 n) {
  ROW;
  if (mask[i])
    out[ends[i] - 1] = i;
}

// The rows at these places; -1: none.
template <typename T>
__global__ void take(const T *a, const i64 *rows, T *out, T none, i64 n) {
  ROW;
  out[i] = rows[i] < 0 ? none : a[rows[i]];
}

// `none`: what a missing code becomes.
__global__ void renumber(const int *codes, const int *to, int *out, int none,
                         i64 n) {
  ROW;
  out[i] = codes[i] < 0 ? none : to[codes[i]];
}

// The first row of each of `size` codes, and of missing ones behind them. An
// atomic on one address waits for the one before; most rows need none.
__global__ void first_rows(const int *codes, int *first, int size, i64 n) {
  ROW;
  int *at = &first[codes[i] < 0 ? size : codes[i]];
  if (*(volatile int *)at > (int)i)
    atomicMin(at, (int)i);
}

__global__ void sortable(const int *codes, const int *ranks, double *out,
                         i64 n) {
  ROW;
  out[i] = codes[i] < 0 ? __longlong_as_double(0x7ff8000000000000ll)
                        : ranks[codes[i]];
}

__global__ void invert(const i64 *order, int *rank, i64 n) {
  ROW;
  rank[order[i]] = (int)i;
}

// A value as a word: equal values have equal words.
__device__ u64 word_of(double v) {
  return __double_as_longlong(v == 0 ? 0.0 : v);
}
__device__ u64 word_of(float v) { return word_of((double)v); }
__device__ u64 word_of(i64 v) { return v; }
__device__ u64 word_of(int v) { return (i64)v; }
__device__ u64 word_of(bool v) { return v; }
__device__ bool is_missing(double v) { return v != v; }
__device__ bool is_missing(float v) { return v != v; }
__device__ bool is_missing(int code) { return code < 0; }
__device__ bool is_missing(i64 v) { return false; }
__device__ bool is_missing(bool v) { return false; }

template <typename T>
__global__ void words(const T *a, u64 *out, bool *missing, i64 n) {
  ROW;
  missing[i] = is_missing(a[i]);
  out[i] = word_of(a[i]);
}

__global__ void pairs(const int *a, const int *b, i64 count, u64 *out,
                      bool *missing, i64 n) {
  ROW;
  missing[i] = a[i] < 0 || b[i] < 0;
  out[i] = a[i] * count + b[i];
}

// Finds each row's slot, and the first row of each slot. Two slots behind the
// table's: of missing keys, and of the word that marks a free slot.
__global__ void insert(const u64 *words, const bool *missing, i64 *keys,
                       int *first, int *slots, i64 mask, int keep, i64 n) {
  ROW;
  u64 word = words[i], at = (word * 0x9e3779b97f4a7c15ull >> 20) & mask;
  if (missing[i]) {
    slots[i] = keep ? (int)mask + 1 : -1;
    if (!keep)
      return;
    at = mask + 1;
  } else if (word == EMPTY) {
    at = mask + 2;
  } else {
    for (;; at = (at + 1) & mask) {
      u64 old = *(volatile u64 *)&keys[at];
      if (old == EMPTY)
        old = atomicCAS((u64 *)&keys[at], EMPTY, word);
      if (old == EMPTY || old == word)
        break;
    }
  }
  slots[i] = (int)at;
  if (*(volatile int *)&first[at] > (int)i)
    atomicMin(&first[at], (int)i);
}

// A float's order as a whole number's, and back.
__device__ i64 ordered(i64 bits) {
  return bits ^ (bits >> 63 & 0x7fffffffffffffffll);
}

__device__ bool is_there(double v) { return v == v; }
__device__ bool is_there(i64 v) { return true; }
__device__ i64 key_of(double v) { return ordered(__double_as_longlong(v)); }
__device__ i64 key_of(i64 v) { return v; }

template <typename T>
__global__ void count(const T *a, const int *codes, u64 *out, i64 n) {
  ROW;
  if (codes[i] >= 0 && is_there(a[i]))
    atomicAdd(&out[codes[i]], 1ull);
}

__global__ void sum_floats(const double *a, const int *codes, double *out,
                           i64 n) {
  ROW;
  if (codes[i] >= 0 && is_there(a[i]))
    atomicAdd(&out[codes[i]], a[i]);
}

__global__ void sum_integers(const i64 *a, const int *codes, u64 *out, i64 n) {
  ROW;
  if (codes[i] >= 0)
    atomicAdd(&out[codes[i]], (u64)a[i]);
}

// Few groups are added up in the block's shared memory first, where nobody
// waits for other blocks.
#define FEW 1024
template <typename S, typename F>
__device__ void add_few(const int *codes, S *out, int groups, i64 n, F add) {
  __shared__ S part[FEW];
  for (int g = threadIdx.x; g < groups; g += blockDim.x)
    part[g] = 0;
  __syncthreads();
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * (i64)blockDim.x)
    if (codes[i] >= 0)
      add(&part[codes[i]], i);
  __syncthreads();
  for (int g = threadIdx.x; g < groups; g += blockDim.x)
    if (part[g] != 0)
      atomicAdd(&out[g], part[g]);
}

template <typename T>
__global__ void count_few(const T *a, const int *codes, u64 *out, int groups,
                          i64 n) {
  add_few(codes, out, groups, n, [=](u64 *to, i64 i) {
    if (is_there(a[i]))
      atomicAdd(to, 1ull);
  });
}

__global__ void sum_floats_few(const double *a, const int *codes, double *out,
                               int groups, i64 n) {
  add_few(codes, out, groups, n, [=](double *to, i64 i) {
    if (is_there(a[i]))
      atomicAdd(to, a[i]);
  });
}

__global__ void sum_integers_few(const i64 *a, const int *codes, u64 *out,
                                 int groups, i64 n) {
  add_few(codes, out, groups, n, [=](u64 *to, i64 i) {
    atomicAdd(to, (u64)a[i]);
  });
}

__global__ void sum_squares(const double *a, const int *codes,
                            const double *mean, double *out, i64 n) {
  ROW;
  if (codes[i] < 0 || !is_there(a[i]))
    return;
  double d = a[i] - mean[codes[i]];
  atomicAdd(&out[codes[i]], d * d);
}

__device__ void raise_to(i64 *at, i64 key, int is_max) {
  i64 now = *(volatile i64 *)at;
  if (is_max && key > now)
    atomicMax(at, key);
  else if (!is_max && key < now)
    atomicMin(at, key);
}

template <typename T>
__global__ void extreme(const T *a, const int *codes, i64 *out, int is_max,
                        i64 n) {
  ROW;
  if (codes[i] < 0 || !is_there(a[i]))
    return;
  raise_to(&out[codes[i]], key_of(a[i]), is_max);
}

// `none`: no value came.
__global__ void as_floats(const i64 *keys, double *out, i64 none, i64 n) {
  ROW;
  out[i] = __longlong_as_double(keys[i] == none ? 0x7ff8000000000000ll
                                                : ordered(keys[i]));
}

template <typename T>
__global__ void end_row(const T *a, const int *codes, i64 *out, int is_last,
                        i64 n) {
  ROW;
  if (codes[i] < 0 || !is_there(a[i]))
    return;
  raise_to(&out[codes[i]], i, is_last);
}

// values: of each group in order, from `start` on, `count` of them.
__global__ void middle(const double *values, const i64 *start,
                       const i64 *count, double *out, i64 n) {
  ROW;
  i64 c = count[i], at = start[i] + c / 2;
  out[i] = c == 0 ? __longlong_as_double(0x7ff8000000000000ll)
           : c % 2 ? values[at] : (values[at - 1] + values[at]) / 2;
}

// Left row i meets the rows of its code, which lie in `order`.
__global__ void fill(const int *codes, const i64 *at, const i64 *start,
                     const i64 *count, const i64 *order, i64 *left,
                     i64 *right, i64 n) {
  ROW;
  int c = codes[i];
  for (i64 k = at[i]; k < at[i + 1]; k++) {
    left[k] = i;
    right[k] = count[c] ? order[start[c] + k - at[i]] : -1;
  }
}
]==]

local all, numbers = {"f64", "f32", "i64", "i32", "bool"}, {"f64", "i64"}
local to = {f64 = {"f32", "i64", "i32", "bool"}, i64 = {"i32", "bool"},
            i32 = {"i64"}}
local kernel = kernels.of(source, {take = all, words = all, count = numbers,
                                   count_few = numbers, extreme = numbers,
                                   end_row = numbers,
                                   to_f64 = to.f64, to_i64 = to.i64,
                                   to_i32 = to.i32})
local run = kernels.run

local function make(n, dtype) return cuda.device_array(n, dtype) end
local function full(n, value, dtype) return make(n, dtype):fill(value) end

local function is_device(x)
  return use.is_array(x) and x.device ~= "host"
end

-- ---- Rows ----

local device = {}

-- What the host does in place of those of `device` that C has not.
function use.cast(a, dtype) return a:astype(dtype) end
function use.places(mask) return np.nonzero(mask) end

local function has(list, name)
  for _, one in ipairs(list or {}) do
    if one == name then return true end
  end
  return false
end

-- a itself where it has that type.
function device.cast(a, dtype)
  if a.dtype == dtype then return a end
  if not has(to[dtype], a.dtype) or a.device ~= cuda.device().id then
    return a:astype(dtype)
  end
  local out = make(#a, dtype)
  run(#a, kernel("to_" .. dtype, a.dtype), a, out, #a)
  return out
end
local cast = device.cast

-- Element i, which comes to the host.
local function element(a, i)
  return a[("%d:%d"):format(i, i + 1)]:copy_to_host()[0]
end

-- The rows for which a mask is true: their number alone comes to the host.
function device.places(mask)
  local n = #mask
  if n == 0 then return make(0, "i64") end
  local ends = np.cumsum(cast(mask, "i64"))
  local out = make(element(ends, n - 1), "i64")
  run(n, kernel("places"), mask, ends, out, n)
  return out
end

local no_value = {f64 = np.nan, f32 = np.nan, i64 = 0, i32 = -1, bool = 0}

-- Types that no kernel is made for are taken as wider ones, and back.
local function with_type(a)
  if kernels.types[a.dtype] then return a end
  return a:astype(a.dtype:find("^f") and "f32" or "i64")
end

function device.take(a, rows)
  if not is_device(rows) then rows = cuda.to_device(rows) end
  local wide, n = with_type(a), #rows
  local out = make(n, wide.dtype)
  run(n, kernel("take", wide.dtype), wide, cast(rows, "i64"), out,
    no_value[wide.dtype], n)
  return wide.dtype == a.dtype and out or out:astype(a.dtype)
end

function device.renumber(codes, ranks, none)
  if not is_device(ranks) then ranks = cuda.to_device(ranks) end
  local out = make(#codes, "i32")
  run(#codes, kernel("renumber"), codes, ranks, out, none or -1, #codes)
  return out
end

function device.sortable(codes, ranks)
  local out = make(#codes, "f64")
  run(#codes, kernel("sortable"), codes, cuda.to_device(ranks), out, #codes)
  return out
end

function device.invert(order)
  local out = make(#order, "i32")
  run(#order, kernel("invert"), cast(order, "i64"), out, #order)
  return out
end

-- ---- Groups ----

local function power_above(n)
  local size = 64
  while size < n do size = size * 2 end
  return size
end

local function find(words, missing, keep)
  local n = #words
  local size = power_above(2 * n)
  local keys = full(size, -1, "i64") -- EMPTY
  local first, slots = full(size + 2, 0x7fffffff, "i32"), make(n, "i32")
  run(n, kernel("insert"), words, missing, keys, first, slots, size - 1,
    keep and 1 or 0, n)
  local used = device.places(np.less(first, 0x7fffffff))
  local firsts = device.take(first, used)
  local order = cast(np.argsort(firsts), "i64")
  local rank = full(size + 2, -1, "i32")
  local rows = device.take(used, order)
  run(#rows, kernel("invert"), rows, rank, #rows)
  return device.renumber(slots, rank), #used,
    cast(device.take(firsts, order), "i64")
end

-- The same of codes below `size`, without a table of keys: which of them there
-- are is found on the host, which has their order where `ranks` are given.
local function find_codes(codes, keep, size, ranks)
  local first = full(size + 1, 0x7fffffff, "i32")
  run(#codes, kernel("first_rows"), codes, first, size, #codes)
  first = first:copy_to_host()
  if not keep then first[size] = 0x7fffffff end
  local used = np.nonzero(np.less(first, 0x7fffffff))
  used = used[np.argsort((ranks or first)[used])]
  local rank = np.full(size + 1, -1, "i32")
  rank[used] = np.arange(#used, "i32")
  return device.renumber(codes, rank, rank[size]), #used,
    cuda.to_device(first[used]:astype("i64"))
end

local MOST_CODES = 1 << 16

--- `size`: where they are codes, how many there can be.
function device.factorize(a, keep, size)
  if size and size <= MOST_CODES then return find_codes(a, keep, size) end
  local wide, n = with_type(a), #a
  local words, missing = make(n, "u64"), make(n, "bool")
  run(n, kernel("words", wide.dtype), wide, words, missing, n)
  return find(words, missing, keep)
end

--- The same of codes of texts, in the texts' order; nil where that is found in
--- another way. Missing ones are in no group.
function use.sorted_codes() return nil end

function device.sorted_codes(codes, texts)
  if #texts > MOST_CODES then return nil end
  return find_codes(codes, false, #texts, texts:ranks())
end

function device.combine(a, b, count)
  local n = #a
  local words, missing = make(n, "u64"), make(n, "bool")
  run(n, kernel("pairs"), a, b, count, words, missing, n)
  return find(words, missing, false)
end

-- ---- Aggregations ----

local aggregate = {}
local FEW, THREADS, MOST_BLOCKS = 1024, 256, 528

-- Adds to each group what the kernel of that name makes of its rows.
local function add_up(name, dtype, a, codes, groups, out)
  local n = #codes
  if groups > FEW then
    run(n, kernel(name, dtype), a, codes, out, n)
  elseif n > 0 then
    local blocks = math.min(MOST_BLOCKS, (n + THREADS - 1) // THREADS)
    kernel(name .. "_few", dtype)[{blocks, THREADS}](a, codes, out, groups, n)
  end
  return out
end

function aggregate.count(a, codes, groups)
  return add_up("count", a.dtype, a, codes, groups, full(groups, 0, "i64"))
end

function aggregate.size(_, codes, groups)
  return aggregate.count(full(#codes, 0, "i64"), codes, groups)
end

function aggregate.sum(a, codes, groups)
  local name = a.dtype == "f64" and "sum_floats" or "sum_integers"
  return add_up(name, nil, a, codes, groups, full(groups, 0, a.dtype))
end

function aggregate.mean(a, codes, groups)
  local sum = aggregate.sum(cast(a, "f64"), codes, groups)
  return sum / cast(aggregate.count(a, codes, groups), "f64")
end

function aggregate.var(a, codes, groups, ddof)
  a = cast(a, "f64")
  local mean, out = aggregate.mean(a, codes, groups), full(groups, 0, "f64")
  run(#a, kernel("sum_squares"), a, codes, mean, out, #a)
  local n = cast(aggregate.count(a, codes, groups), "f64") - (ddof or 1)
  return np.where(np.greater(n, 0), out / n, np.nan)
end

function aggregate.std(...) return np.sqrt(aggregate.var(...)) end

local function extreme(is_max)
  return function(a, codes, groups)
    local start = is_max and math.mininteger or math.maxinteger
    local keys = full(groups, start, "i64")
    run(#a, kernel("extreme", a.dtype), a, codes, keys, is_max and 1 or 0, #a)
    if a.dtype == "i64" then return keys end
    local out = make(groups, "f64")
    run(groups, kernel("as_floats"), keys, out, start, groups)
    return out
  end
end
aggregate.min, aggregate.max = extreme(false), extreme(true)

local function end_row(is_last)
  return function(a, codes, groups)
    local out = full(groups, is_last and -1 or math.maxinteger, "i64")
    run(#a, kernel("end_row", a.dtype), a, codes, out, is_last and 1 or 0, #a)
    return cast(np.where(np.equal(out, math.maxinteger), -1, out), "i64")
  end
end
aggregate.first, aggregate.last = end_row(false), end_row(true)

-- Where each begins: the sums of those before it.
local function starts(counts)
  return cast(np.cumsum(counts) - counts, "i64")
end

function aggregate.median(a, codes, groups)
  a = cast(a, "f64")
  local order = cast(np.argsort(a), "i64")
  order = device.take(order, np.argsort(device.take(codes, order)))
  local size = aggregate.size(a, codes, groups)
  local outside = #a - np.sum(size:copy_to_host())
  local out = make(groups, "f64")
  run(groups, kernel("middle"), device.take(a, order), starts(size) + outside,
    aggregate.count(a, codes, groups), out, groups)
  return out
end

function device.aggregate(name, a, codes, groups, ddof)
  return aggregate[name](a, codes, groups, ddof)
end

-- ---- Joins ----

-- Left rows with the right rows of their codes, in the order of the left.
local function left_join(l, r, codes, keeps)
  local count = aggregate.size(nil, r, codes)
  local order = cast(np.argsort(r), "i64")
  local each = device.take(count, cast(l, "i64"))
  if keeps then each = np.maximum(each, 1) end
  local at = cast(np.concatenate{full(1, 0, "i64"), np.cumsum(each)}, "i64")
  local n = element(at, #l)
  local left, right = make(n, "i64"), make(n, "i64")
  run(#l, kernel("fill"), l, at, starts(count), count, order, left, right, #l)
  return left, right
end

function device.join(l, r, codes, how, order)
  if how ~= "outer" then return left_join(l, r, codes, how == "left") end
  local left, right = left_join(l, r, codes, true)
  local there = device.take(aggregate.size(nil, l, codes), cast(r, "i64"))
  local alone = device.places(np.equal(there, 0))
  local of = np.concatenate{device.take(l, left), device.take(r, alone)}
  left = np.concatenate{left, full(#alone, -1, "i64")}
  right = np.concatenate{right, alone}
  local rank = device.invert(cast(order, "i64"))
  local by = np.argsort(device.renumber(of, rank))
  return device.take(left, by), device.take(right, by)
end

-- ---- Which one ----

-- What is made there comes from the pool: a groupby makes twenty arrays.

for name, f in pairs(device) do
  local of_host, at = use[name], name == "aggregate" and 2 or 1
  use[name] = function(...)
    if is_device((select(at, ...))) then return use.pooled(f, ...) end
    return of_host(...)
  end
end

return true
