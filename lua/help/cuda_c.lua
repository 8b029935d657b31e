-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for words of CUDA C: a text for each group of names. What a
-- kernel may contain is in CUDA's Programming Guide.
local help = {}

local function add(names, text)
  for name in names:gmatch("[^%s,]+") do help[name] = text end
end

-- ---- Declaring ----

add("__restrict__", [[
A promise behind a pointer parameter, float *__restrict__ x: what it points to
is reached through it alone, so that the compiler may keep values in registers.
Where the promise is broken, the result is undefined.]])
add("__launch_bounds__", [[
__global__ void __launch_bounds__(256) k(...): blocks have at most 256 threads,
so the compiler may give each thread more registers. A larger block fails to
start.]])
add("__forceinline__, __noinline__", [[
Before a __device__ function: always, or never, put into its caller.]])
add("const", [[
const float *x: the kernel does not write to it. A host array that is const is
copied to the device and not back.]])
add("volatile", [[
volatile int *p: each read and write of it is done in memory, as it stands, and
none is left out. It orders nothing between threads: see ?__threadfence.]])
add("unsigned, uint32_t, uint", [[
unsigned int: a whole number of 32 bits from 0 on. Below 0 it starts over at
4294967295, so that i - 1 of i = 0 is a huge index.]])
add("size_t", [[
An unsigned whole number of 64 bits, for sizes and indices of large arrays:
(size_t)row * width + column cannot overflow where int can.]])
add("half, __half, bfloat16, __nv_bfloat16", [[
Floating point of 16 bits: #include <cuda_fp16.h> for half, <cuda_bf16.h> for
__nv_bfloat16. Arrays of it are "f16" and "bf16": np.zeros(n, "f16").]])
add("dim3", [[
Three sizes in host code of C++. Here a launch takes tables:
k[{{4, 4}, {16, 16}}](...) has 4 x 4 blocks of 16 x 16 threads.]])
add("<<<, <<<>>>, <<<...>>>", [[
A launch as host code of C++ writes it. Here: k[{blocks, threads}](...).]])
add("extern", [[
extern __shared__ float s[]; is shared memory whose size the launch gives, in
bytes: k{grid = 4, block = 64, shared = 256}(...).]])
add("template", [[
template <int N> __global__ void k(...) { ... }: a kernel for each N. At the
prompt k"<4>" makes one of them.]])
add("if", [[
C: if (condition) { ... } else { ... }. Where threads of one warp part, both
ways are walked (?divergence). Lua: if condition then ... else ... end]])
add("for", [[
C: for (int i = 0; i < n; i++) { ... }. Lua: for i = 0, n - 1 do ... end, and
for i, v in ipairs(t) do ... end over a table.]])
add("while, do", [[
C: while (condition) { ... }. Lua: while condition do ... end]])

-- ---- A thread's place, and waiting ----

add("warpSize", [[
The threads of a warp, 32 on every GPU so far; known in a kernel.]])
add("__syncwarp", [[
__syncwarp(): a barrier for the threads of one warp, and what they wrote before
it can be read by the others after it. __syncwarp(mask) waits for the lanes in
mask alone.]])
add("__threadfence, __threadfence_block, __threadfence_system", [[
__threadfence(): what this thread wrote before it is seen before what it writes
after it, by every thread of the device that looks at both (_block: of the
block; _system: of host and other devices, too). It waits for nobody; a barrier
does.]])
add("__syncthreads_count, __syncthreads_and, __syncthreads_or", [[
A barrier that also counts: __syncthreads_count(p) is the number of the block's
threads whose p is not 0; _and and _or say whether all or any have it.]])

-- ---- Warps ----

add([[__shfl_down_sync, __shfl_up_sync, __shfl_xor_sync, __shfl_down, __shfl_up,
  __shfl_xor, __shfl]], [[
__shfl_down_sync(mask, v, d): the v of the lane d places higher, without memory;
_up: d lower; _xor: of lane ^ d; __shfl_sync(mask, v, lane): of that lane. mask
has a bit for each lane that takes part, 0xffffffff for all. The result is not
defined where the other lane takes no part.]])
add([[__ballot_sync, __any_sync, __all_sync, __activemask]], [[
__ballot_sync(mask, p): a bit for each lane of mask whose p is not 0, the same
in all lanes; __any_sync and __all_sync: whether any or all have it.
__activemask(): the lanes that run this line together just now.]])
add("__match_any_sync, __match_all_sync", [[
__match_any_sync(mask, v): the lanes of mask that have the same v.]])
add("__reduce_add_sync, __reduce_max_sync, __reduce_min_sync", [[
__reduce_add_sync(mask, v): the sum (largest, smallest) of a 32-bit whole number
over the lanes of mask, in one instruction, from capability 8.0 on.]])

-- ---- Memory ----

add([[atomicSub, atomicMax, atomicMin, atomicExch, atomicInc, atomicDec,
  atomicAnd, atomicOr, atomicXor]], [[
atomicMax(&x[i], v) and its kin: read, change and write of one cell that nothing
can come between; the old value is the result. atomicExch puts v there. The
first argument is an address.]])
add("atomicCAS", [[
atomicCAS(&x[i], expected, v): puts v there where the cell holds `expected`, and
gives what it held. Any other atomic can be made of it in a loop.]])
add("__ldg, __ldcs, __ldca, __ldcg", [[
__ldg(&x[i]): reads through the cache of read-only data. A const pointer with
__restrict__ gets the same from the compiler.]])
add("malloc, free", [[
In a kernel: memory from the device's heap, slow, and seldom what is wanted.
Arrays come from the host as parameters.]])
add("new, delete", [[
In a kernel: memory from the device's heap, as malloc. Arrays come from the host
as parameters.]])
add("memcpy, memset", [[
memcpy(to, from, bytes) and memset(p, byte, bytes) run in each thread that calls
them. The host copies with cuda.to_device(x) and dx:copy_to_host().]])

-- ---- Arithmetic ----

add([[expf, logf, sinf, cosf, tanf, tanhf, sqrtf, rsqrtf, powf, fabsf, floorf,
  ceilf, roundf, erff, atan2f, hypotf, fmodf, log2f, exp2f]], [[
One of C's functions of a float (the names without f take double): sqrtf(x),
expf(x), powf(x, y) ... They stand alone in a kernel, without an #include.]])
add("fmaf, fma, __fmaf_rn, __fmul_rn, __fadd_rn, __fdividef", [[
fmaf(a, b, c): a * b + c, rounded once, one instruction. The compiler makes it
of a * b + c by itself. __fmul_rn and __fadd_rn are never joined to one;
__fdividef(a, b) divides fast and less exactly.]])
add("__expf, __logf, __sinf, __cosf, __powf", [[
Fast and less exact ones of expf, logf, sinf, cosf and powf.]])
add("fmaxf, fminf", [[
The larger and the smaller of two floats; max and min do it for all types.]])
add("__popc, __clz, __ffs, __brev", [[
Bits of an int: __popc(x) counts the ones, __clz(x) the zeros before the first,
__ffs(x) is the place of the lowest one, from 1; __brev(x) turns them round.]])

-- ---- Saying something ----

add("printf", [[
A kernel prints with printf("%d\n", i): %d for an int, %f for a float, %lld for
64 bits. Each thread that comes to it prints a line; the lines show when the
launch has ended. In Lua: print(x)]])
add("clock, clock64", [[
clock64(): a counter of the multiprocessor's cycles. On the virtual GPU it says
nothing about a real one's time. :time measures a launch.]])
add("__trap, __nanosleep", [[
__trap() ends the launch with an error; __nanosleep(ns) waits about so long, a
millisecond at most.]])

-- ---- What there is around it ----

add([[cudaGetLastError, cudaMemset, cudaLaunchKernel, cudaStreamCreate,
  cudaEventCreate, cudaMallocManaged, cudaSetDevice, cudaGetDeviceProperties,
  cudaMallocHost, cudaMemcpyAsync, cudaStreamSynchronize, cudaError_t]], [[
This is of the CUDA runtime, for hosts in C++. The host here is Lua:
cuda.to_device(x), cuda.stream(), cuda.event(), cuda.managed_array(n),
cuda.select(name), cuda.device(). An error of a launch is raised by itself.]])
add("cublas, cudnn, cufft, curand, cusparse, cusolver", [[
NVIDIA's libraries for hosts are not called from here. np.matmul, np.fft,
np.random and np.linalg do what their names say, on device arrays, too.]])
add("thrust, cub, cutlass", [[
A library of C++ templates; it is not installed with warpshop. np's functions of
device arrays sort, sum and scan: np.sort(dx), np.sum(dx), np.cumsum(dx).]])
add("cooperative_groups, cg", [[
#include <cooperative_groups.h>: groups of threads as objects, such as
cooperative_groups::this_thread_block(). A grid that waits for all its blocks is
launched so: k{grid = 4, block = 64, cooperative = true}(...).]])
add("wmma", [[
Matrix products of a whole warp on tensor cores, in nvcuda::wmma: #include
<mma.h>. The virtual GPU runs them, too.]])
return help
