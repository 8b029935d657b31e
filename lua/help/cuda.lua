-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for cuda. Labels: Types, Units, Errors, Source, Example;
-- tests/lua/test_cuda.lua runs each line "Example: code --> text" and checks
-- that no function of cuda is missing here.
return {
["cuda.kernel"] = [[
cuda.kernel(source [, settings]): compiles CUDA C that has one kernel.
k[{grid, block}](...) launches it; k{grid =, block =, shared =, stream =,
cooperative =}(...) says more. Grid and block are a number or up to three.
Fields:  name, signature, parameters, attributes (registers, shared, local,
         max_threads), source, file, ptx, sass, diagnostics, compile_ms,
         is_cached
Errors:  compile; "the source has 2 kernels (a, b)"
Source:  Numba's kernel[griddim, blockdim](...)
Example: cuda.kernel("__global__ void k(int *x) {}").name --> k]],
["cuda.module"] = [[
cuda.module(source [, {options = {...}, instantiate = {"mm<16>"},
cache = false, file = "mm.cu", kernels_only = true, ptxas = false}]): compiles a
source; its kernels are its fields, m.add or m["mm<16>"]. kernels_only leaves out what
is the host's in a whole program: main, launches. A compile for the virtual GPU asks
ptxas only where that could refuse the PTX (inline assembly, calls, much memory); without
ptxas it never does, and what only ptxas refuses passes.
m:get_global(name [, dtype]) is a module's variable as a device array. m.kernels lists
names.
Errors:  compile, with line and column in e.diagnostics
Source:  CuPy's RawModule
Example: #cuda.module("__global__ void a() {} __global__ void b() {}").kernels --> 2]],
["cuda.pinned_array"] = [[
cuda.pinned_array(shape [, dtype = "f64"]): a host array, not initialised, whose
memory is pinned: copies run at full speed from the first one on (those of any
host array do once it was copied much).
Source:  Numba's cuda.pinned_array
Example: cuda.pinned_array({2, 3}, "f32").size --> 6]],
["cuda.pinned_array_like"] = [[
cuda.pinned_array_like(a): as cuda.pinned_array, with a's shape and type.
Example: cuda.pinned_array_like(np.ones(2, "u8")).dtype --> u8]],
["cuda.mapped_array"] = [[
cuda.mapped_array(shape [, dtype = "f64"]): a host array, not initialised, that
kernels read and write where it lies: a launch copies nothing. A real GPU
reaches it over the bus, a hundred times slower than its own memory: for what is
touched once.
Source:  Numba's cuda.mapped_array; CUDA Programming Guide, "Mapped Memory"
Example: cuda.mapped_array(4, "f32").device --> host]],
["cuda.mapped_array_like"] = [[
cuda.mapped_array_like(a): as cuda.mapped_array, with a's shape and type.
Example: cuda.mapped_array_like(np.ones(2, "u8")).dtype --> u8]],
["cuda.managed_array"] = [[
cuda.managed_array(shape [, dtype = "f64"]): an array for host and device alike,
by Numba's name. Here it is a mapped array: its pages do not move to the device.
Source:  Numba's cuda.managed_array
Example: cuda.managed_array(4, "f32"):fill(2):sum() --> 8.0]],
["cuda.RawModule"] = [[
cuda.RawModule{code = text | path = file [, options = {...},
name_expressions = {"mm<16>"}, cache = false]}: a module from CUDA C, PTX, a
cubin or a fatbin (a device takes what it can run; the virtual GPU takes PTX).
m:get_function(name) is a kernel, as m[name] is; m:get_global(name) a variable.
m:save(path) writes .ptx, .cubin or .fatbin for the device in use.
Types:   PTX and cubins may not tell a parameter's type: there 2 is an integer
         and 2.0 a float
Errors:  "this image cannot be loaded: ..."; unsupported: no PTX in it
Source:  CuPy's RawModule; NVIDIA's nvFatbin makes the fatbins
Example: cuda.RawModule{code = "__global__ void k() {}"}:get_function("k").name --> k]],
["cuda.RawKernel"] = [[
cuda.RawKernel(code, name [, options]): one kernel of a source or an image.
Source:  CuPy's RawKernel; a grid comes first: k[{grid, block}](...)
Example: cuda.RawKernel("__global__ void k() {}", "k").name --> k]],
["cuda.device_count"] = [[
cuda.device_count(): how many GPUs there are: real ones, else virtual ones
(WARPSHOP_VIRTUAL_DEVICES says how many).
Source:  PyTorch's torch.cuda.device_count, CUDA's cudaGetDeviceCount
Example: cuda.device_count() == #cuda.gpus --> true]],
["cuda.comm"] = [[
cuda.comm(devices [, {transport = "nccl" or "host"}]): a group of devices, a rank
each, counted from 0: how many (the first of cuda.gpus; without it all) or a list,
{"virtual:0", "virtual:2"}.
One program drives all ranks: a collective takes a list with one array of each
rank, on its device, and gives a list with one for each.
  comm:all_reduce(list [, {op = "sum", out}])      every rank gets the whole
  comm:reduce(list [, {op, root = 0, out}])        the root gets it: one array
  comm:broadcast(x [, {root = 0, out}])            every rank gets the root's x
  comm:all_gather(list [, {out}])                  one behind the other, axis 0
  comm:reduce_scatter(list [, {op, out}])          rank r gets the r-th part
  comm[0]:send(x, 1), comm[1]:recv(out, 0)         in the order of the sends
op is "sum", "prod", "min", "max" or "avg". out: the arrays that results are stored
in; without it (recv: nil) there are new ones. Real GPUs of this machine speak by
NCCL, where it is there: their servers start anew for it, so make the group first.
All else goes by way of the host, in the order of the ranks: the same bits each time.
Fields:  comm.size, comm.devices, comm.transport ("host", or NCCL and its version)
Errors:  "rank 2 brings i32[4], rank 0 f32[4]"
Source:  NCCL's ncclCommInitAll, ncclAllReduce, ncclSend ...
Example: cuda.comm{"virtual:0", "virtual:1"}:all_reduce{np.ones(2):to("virtual:0"), np.ones(2):to("virtual:1")}[2]:copy_to_host() --> array([2, 2], f64)]],
["cuda.ElementwiseKernel"] = [[
cuda.ElementwiseKernel(in_params, out_params, operation, name = "kernel",
{preamble, loop_prep, after_loop, options} = {}): what happens to one element, in CUDA C; the
kernel around it is made for you. k(x, y) gives new arrays, k(x, y, out) writes
to out; k(..., {size = n, block_size = 128}). Shapes are broadcast.
Types:   "float32 x, T y, raw T z": a letter takes the arguments' type, a raw
         array is not indexed: z[i]; i is the index, _ind.size() the size
Errors:  compile, at the operation's line; shapes that do not broadcast
Source:  CuPy's ElementwiseKernel
Example: cuda.ElementwiseKernel("T x", "T y", "y = x * x")(np.arange(3, "f32")) --> array([0, 1, 4], f32)]],
["cuda.ReductionKernel"] = [[
cuda.ReductionKernel(in_params, out_params, map_expr, reduce_expr,
post_map_expr, identity, name = "reduce_kernel",
{preamble, reduce_type, options} = {}): reduces
map_expr's values by reduce_expr (of a and b); post_map_expr makes the outputs
from a. k(x, {axis = 0, keepdims = true}). The order is fixed: the same bits
each time.
Source:  CuPy's ReductionKernel
Example: cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")(np.array({3, 4}, "f32")) --> array(5, f32)]],
["cuda.vectorize"] = [[
cuda.vectorize(signatures, body [, {target = "cuda", name}]): a function of
arrays from one of numbers. The body is a Lua function that is traced: no `if`
on its arguments, np.where. Signatures: "f32(f32, f32)", or a table, the first
that fits. It broadcasts; with two arguments it has f:reduce(x [, axis]),
f:accumulate(x [, axis]) and f:outer(x, y). Results live where arguments do.
Targets: cuda (the device in use), cpu (one core), parallel (all cores)
Errors:  "has no signature for (f64); it has f32(f32)"
Source:  Numba's @vectorize
Example: cuda.vectorize("f32(f32)", function(x) return x * x end)(np.arange(3, "f32")) --> array([0, 1, 4], f32)]],
["cuda.guvectorize"] = [[
cuda.guvectorize(layout, body [, {target, types = "f32, f32", name}]): a
function of small arrays, over all further axes. "(m,n),(n)->(m)" names the axes
that the body sees; axes before them are broadcast.
Errors:  "n is 3 in argument 1 and 4 in argument 2"
A body with a parameter more for each result writes to these, as Numba's does,
and Numba's order of arguments is taken, too:
  cuda.guvectorize({"f32[:], f32, f32[:]"}, "(n),()->(n)", function(x, y, out)
    for i = 0, #x - 1 do out[i] = x[i] + y end
  end)
Source:  Numba's @guvectorize
Example: cuda.guvectorize("(n)->()", function(x) return x:sum() end)(np.ones({2, 3}, "f32")) --> array([3, 3], f32)]],
["cuda.fuse"] = [[
cuda.fuse(f): f's elementwise operations and reductions as few kernels, made
once for each kind of arguments. Results live where arguments do.
Source:  CuPy's fuse
Example: cuda.fuse(function(x, y) return x * y + 1 end)(np.arange(3, "f32"), 2) --> array([1, 3, 5], f32)]],
["cuda.struct"] = [[
cuda.struct(layout, ...): a structure by value, in C's layout (padding as C has
it). The layout names each member's type: "f32 f32 i32 f64".
Errors:  "the layout has 4 members, and 1 values follow"
Example: #cuda.struct("i8 f64", 1, 2.5) --> 16]],
["cuda.to_device"] = [[
cuda.to_device(a [, stream]): a copy of an array on the device. The copy is
queued; without a stream the host array may be changed at once, with one when the
stream has been waited for. After a reset of the GPU it is restored as
long as no kernel may have written to it and the host array is unchanged.
Errors:  "takes an array, not table"
Source:  Numba's cuda.to_device
Example: cuda.to_device(np.arange(3)):copy_to_host() --> array([0, 1, 2], i64)]],
["cuda.to_host"] = [[
cuda.to_host(a): a host array with the elements of a device array; a host array
is returned as it is.
Example: cuda.to_host(cuda.to_device(np.ones(2, "f32"))) --> array([1, 1], f32)]],
["cuda.device_array"] = [[
cuda.device_array(shape [, dtype = "f64"]): device memory that is not
initialised. Arrays made here have d:copy_to_host([out] [, stream]),
d:copy_from(a [, stream]), d:fill(value), d:copy(), d:astype(t), d:pointer() and
d:free(). On a stream a copy is queued, and the host does not wait for it.
Errors:  out-of-memory, with the sizes
Source:  Numba's cuda.device_array
Example: #cuda.device_array({5, 2}, "f32") --> 5]],
["cuda.device_array_like"] = [[
cuda.device_array_like(a): as cuda.device_array, with a's shape and type.
Example: cuda.device_array_like(np.ones(2, "u8")).dtype --> u8]],
["cuda.arrays"] = [[
cuda.arrays(): the device arrays that are alive, newest first: {name, shape,
dtype, bytes, device, state, array}. The state is "copied" (can be restored),
"written", "lost" or "freed".
Units:   bytes
Example: type(cuda.arrays()) --> table]],
["cuda.profile"] = [[
cuda.profile([function] [, {requests =, hardware =}]): counts what the launches of a
function do (without one, the last launch again, on copies of its arrays as they are
now), on the virtual GPU and the same on every machine; on a real GPU each launch is
also run on the virtual one, with the same inputs, and once more on the GPU itself,
which counts it in hardware where that can be. Its result prints as a table with a
sentence for each number that stands out. Fields: sectors_per_request,
branch_efficiency, shared_bank_conflicts, occupancy, registers and all others of
cuda.counters(), also by Nsight Compute's names; kernel, grid, block, launches, limiter,
is_complete; notes: {code, text, line}; lines: {file, line, counters}; kernels: the same
for each kernel and size of several. p:listing([columns]) is the source with its
counters, p:table([columns]) what print shows. p.hardware has what a real GPU counted
itself (cuda.counters("hardware"); passes, launches, cold_caches); it is nil where that
cannot be, and p.no_hardware says why. hardware = false leaves it out; with requests =
true each request to memory of the last launch is kept, too, for the pictures of :access.
Errors:  "there is no counter ..."
Source:  Nsight Compute's metrics
Example: cuda.profile(function() end).launches --> 0]],
["cuda.debug"] = [[
cuda.debug(function [, {break_at =, on_stop =}]): steps the function's launches on
the virtual GPU, in code built with -G; a real GPU's launch is stepped on copies of
its arrays, and then runs. break_at: a line, a function's name, {line =, func =, file =,
block =, thread =, condition = "i > 3"}, or a list of these; without it the launch
stops at its first line. on_stop(stop) answers with the next command ("step", "next",
"back", ...; nil goes on, "quit" gives the launch up and leaves its arrays as they
were). Returns how often it stopped.
Stops:   reason ("breakpoint", "watch", "finding", "step", "interrupted", "beginning",
"ended"), file, line, func, block, thread, warp, lanes, mask, depth, steps, text,
finding, locals (by name), eval("tile[2] + i"), command("warps")
Errors:  "... has no code at line 99 or behind"
Source:  the commands of :debug (:help debug)
Example: cuda.debug(function() end) --> 0]],
["cuda.counters"] = [[
cuda.counters(["hardware"]): all that cuda.profile counts: {name, nsight, unit, kind,
meaning}; with "hardware" what a real GPU counts itself: {name, nsight, unit, meaning,
counter}, where counter is the name of what the virtual GPU counts likewise. The kind is "exact" where hardware must count the same, "close" where
it may differ (PTX is counted here, SASS there), "own" where Nsight Compute has
no such metric.
Example: cuda.counters()[1].name --> launches]],
["cuda.synchronize"] = [[
cuda.synchronize(): waits until the device has done all that was queued. Raises
what a kernel did wrong.
Example: cuda.synchronize() --> nil]],
["cuda.stream"] = [[
cuda.stream(): a queue of its own: k{grid =, block =, stream = s}(...).
s:synchronize() waits for it, s:query() asks whether it is done, s:wait(e) lets
it wait for an event. Without a stream, work goes to the legacy default one.
Copies take a stream as their last argument. ?cuda.unordered tells of calls that
should wait for each other and do not. What stands between s:begin_capture() and g = s:end_capture() does not run; it
becomes a graph, to be launched as one, as often as you like:
  s:begin_capture()
  step{grid = 8, block = 128, stream = s}(x, n)
  y:copy_from(x, s)
  g = s:end_capture()
  g:launch(s)
Kernels, copies and fills (x:fill(0, s)) are its nodes. event:record(s) and
t:wait(event) take another stream in, and have to bring it back. Waiting, new
arrays, arrays of the host as arguments and work without a stream end a capture
with an error. s:is_capturing() asks. Arrays of a graph live as long as it does.
Graphs:  g:launch([stream]), g:upload([stream]), g:nodes() (kind, and kernel, grid,
         block or bytes), g:kernel_node_set_params(node, ...) gives a kernel other
         arguments; #g counts nodes
Source:  CUDA's stream capture; CuPy's Stream.begin_capture and Graph
Example: type(cuda.stream()) --> userdata]],
["cuda.calls"] = [[
cuda.calls(f): calls f and counts what it asked for: {launches, graph_launches, graphs, copies,
bytes_to_device, bytes_to_host, bytes_on_device, allocations, peak_bytes,
synchronizations, chain, compiles, traces}. chain is how many copies and launches
stand in the longest row in which each waits for the one before (virtual GPUs
only): with three streams it may be a third of them. peak_bytes is what arrays took of a device's
memory at most, beyond what they took before; what nothing refers to is not
counted. traces are those of jax.jit. The same on every machine; cuda.profile
counts what kernels do.
Units:   bytes
Example: cuda.calls(function() cuda.to_device(np.ones(4, "f32")) end).bytes_to_device --> 16]],
["cuda.unordered"] = [[
cuda.unordered(): pairs of calls, since this was last asked, that use one array,
one of them writing, and neither of which waits for the other: {message, file,
line, other_line}. Each is a warning, too, when it is found. Watched are streams
of a virtual GPU; what is found does not depend on when anything ran.
Source:  docs/cuda.md, "What waits for what"
Example: #cuda.unordered() --> 0]],
["cuda.array"] = [[
cuda.array(shape [, dtype = "f32"] [, {channels = 1, layered =, cubemap =,
surface =, gather =}]): a CUDA array, which textures and surfaces look at; its
last axis is the width, the first of a layered one counts layers.
cuda.array(a [, {...}]) copies a host or device array; with channels, a's last
axis holds them.
Methods: a:copy_from(x), a:copy_to(x), a:copy_to_host([out]), a:free()
Fields:  shape, dtype, channels, nbytes, layered, surface, device
Types:   u8, u16, u32, i8, i16, i32, f16, f32
Source:  CuPy's cupy.cuda.texture.CUDAarray
Example: cuda.array(np.arange(3, "f32")):copy_to_host() --> array([0, 1, 2], f32)]],
["cuda.texture"] = [[
cuda.texture(array [, {filter_mode = "point" or "linear", address_mode =
"clamp", "wrap", "mirror" or "border" (or one for each of x, y, z),
normalized = false, read_mode = "element" or "normalized_float",
srgb = false, border = 0, channels = 1}]): a texture object, which a kernel
takes as cudaTextureObject_t and reads with tex2D<float>(t, x, y). It looks at
a cuda.array, or at a device array (one axis: tex1Dfetch; two: rows of a
multiple of 32 bytes; on a real GPU made with cuda.set_guarded(false)).
wrap and mirror need normalized = true. channels is for device arrays.
Fields:  object (the number that kernels get), source; t:free()
Source:  CuPy's cupy.cuda.texture.TextureObject
Example: tostring(cuda.texture(cuda.array({2, 2}))):sub(1, 12) --> cuda.texture]],
["cuda.surface"] = [[
cuda.surface(array): a surface object over a cuda.array made with
surface = true, which a kernel takes as cudaSurfaceObject_t and uses with
surf2Dread<T>(s, x * sizeof(T), y) and surf2Dwrite(v, s, x * sizeof(T), y).
Source:  CuPy's cupy.cuda.texture.SurfaceObject
Example: cuda.surface(cuda.array({2, 2}, "u8", {surface = true})).source.nbytes --> 4]],
["cuda.event"] = [[
cuda.event(): a mark between queued work: e:record([stream]), e:query(),
e:synchronize(), e0:elapsed(e1).
Units:   elapsed in ms
Errors:  "this event was never recorded"
Example: type(cuda.event()) --> userdata]],
["cuda.select"] = [[
cuda.select(id [, {multiprocessors =, memory =, capability =, schedule_seed =}]): the device
that kernels and new device arrays use from now on: "cuda:0", "virtual:0", "virtual:1". Kernels
are compiled for it when next launched. A virtual GPU that has other settings
starts again with these (1 to 256 multiprocessors): device arrays come back
from their host copies, those that kernels wrote are lost. It keeps what is not
named. A capability ("7.5", "8.0", "8.6", "8.7", "8.9" or "9.0") is what kernels
are compiled for, and sets the limits of a block and of a multiprocessor
(WARPSHOP_CAPABILITY from the start). A schedule_seed shuffles the order of blocks and warps, the same way
every time, which shows code that depends on it (0: by number;
warpshop --schedule-seed N). WARPSHOP_MULTIPROCESSORS sets how many there are from the start,
WARPSHOP_VIRTUAL_DEVICES how many virtual GPUs (2).
Units:   memory in bytes
Errors:  "no device is called ..."]],
["cuda.memcpy_peer"] = [[
cuda.memcpy_peer(to, from): copies a device array to one of another device, of
the same shape and type. x:to("virtual:1") makes a new one there, x:to("host")
one on the host; x.device tells where x is.
Errors:  "takes two device arrays"
Source:  CUDA's cudaMemcpyPeer
Example: cuda.to_device(np.ones(2, "f32")):to("virtual:1").device --> virtual:1]],
["cuda.placement"] = [[
cuda.placement([device]): which block of the last launch ran on which multiprocessor of
the virtual GPU, and when: {kernel, clocks, multiprocessors,
blocks_per_multiprocessor, blocks = {{number, block = {x, y, z},
multiprocessor, start, stop}, ...}}; printed, a chart. The model is the same on
every machine: a multiprocessor issues one warp instruction a clock for the
blocks that it holds, and the next block goes to the one that is free first.
%smid, %nsmid and clock() agree with it.
Units:   clocks of a multiprocessor
Errors:  unsupported on a real GPU; "nothing was launched yet"]],
["cuda.device"] = [[
cuda.device(): the device in use: {id, name, arch, driver, total_memory,
free_memory, is_checked, compiled, attributes = {...}}. compiled: lines about
the virtual GPU's kernels where WARPSHOP_TIER is set. d:can_access_peer(id) tells
whether its kernels reach the other device's memory, d:enable_peer_access(id)
asks for that; x:to(id) and cuda.memcpy_peer copy in any case, and d:peer_path(id)
tells how: "direct", from one GPU's memory to the other's, or "host", and why.
Units:   bytes; attributes as the CUDA driver gives them
Example: cuda.device().attributes.warp_size --> 32]],
["cuda.devices"] = [[
cuda.devices(): a table of the devices of this machine. The virtual GPU is
always there.
Example: #cuda.devices() >= 1 --> true]],
["cuda.is_available"] = [[
cuda.is_available(): is there a GPU that opens? True on the virtual GPU, too,
with one line that says so.
Source:  Numba's cuda.is_available
Example: type(cuda.is_available()) --> boolean]],
["cuda.memory_stats"] = [[
cuda.memory_stats(): what arrays take of the device's memory now.
A table of bytes_in_use, peak_bytes_in_use, bytes_cached (of dead jax arrays,
kept for the next ones), num_allocs, num_reuses, and num_commands: everything
that was asked of the device so far, launches among it.
Units:   bytes
Example: cuda.memory_stats().bytes_in_use >= 0 --> true]],

["cuda.empty_cache"] = [[
cuda.empty_cache(): gives memory that is kept for jax's next arrays back.
The device does so itself when it has no other memory left.
Example: cuda.empty_cache() --> nil]],

["cuda.mem_info"] = [[
cuda.mem_info(): free and total memory of the device.
Units:   bytes
Example: select("#", cuda.mem_info()) --> 2]],
["cuda.set_checked"] = [[
cuda.set_checked(on): with false the virtual GPU looks for nothing but accesses
out of bounds, and is faster.
Example: cuda.set_checked(true) --> nil]],
["cuda.set_guarded"] = [[
cuda.set_guarded(on): with true (the default) a device array ends at a page that
is not there, so that a real GPU sees one element past the end. Arrays of jax, and
those that frame and ml make there, have none.
Example: cuda.set_guarded(true) --> nil]],
["cuda.set_deadline"] = [[
cuda.set_deadline(seconds): how long one wait for the device may take before it
is a timeout; 0: no limit.
Units:   s
Example: cuda.set_deadline(0) --> nil]],
["cuda.set_budget"] = [[
cuda.set_budget(n [, all]): instructions that one thread may take on the virtual
GPU before it is a timeout, and all warps of a launch together (slow ones count
more). 0: the device's own limits, 2^28 and 2^31. jax's kernels may take all.
Example: cuda.set_budget(0) --> nil]],
["cuda.last_launch"] = [[
cuda.last_launch(): what the last launch was: {number, kernel, grid, block,
bytes_in, bytes_out, used_host_arrays, constants, checked, notes}, and where it
took host arrays kernel_us, copy_in_us, copy_out_us, wait_us. Nil before the
first one.
Units:   bytes, us]],
["cuda.range"] = [[
cuda.range(name, [colour,] f, ...): calls f(...) between two NVTX marks, which
Nsight shows in that colour ("red", 0xAARRGGBB); returns what f returns.
Example: cuda.range("sum", function(a, b) return a + b end, 1, 2) --> 3]],
["cuda.gpus"] = [[
cuda.gpus: the GPUs, counted from 0: cuda.gpus[0], #cuda.gpus, pairs(cuda.gpus).
Virtual ones where there is no other.
Source:  Numba's cuda.gpus
Example: #cuda.gpus > 0 --> true]],
["cuda.detect"] = [[
cuda.detect(): prints the GPUs that were found; true where there is one.
Source:  Numba's cuda.detect]],
["cuda.asarray"] = [[
cuda.asarray(x [, dtype]): x on the device; a device array is given back as it
is where its type fits.
Source:  CuPy's cupy.asarray
Example: cuda.asarray{1, 2}:copy_to_host() --> array([1, 2], i64)]],
["cuda.asnumpy"] = [[
cuda.asnumpy(x): x on the host.
Source:  CuPy's cupy.asnumpy
Example: cuda.asnumpy(cuda.asarray{1, 2}) --> array([1, 2], i64)]],
["cuda.random"] = [[
cuda.random: np.random's functions, with their arrays on the device.
Source:  CuPy's cupy.random
Example: cuda.random.rand(3).device == cuda.device().id --> true]],
["cuda.fatbin"] = [[
cuda.fatbin(source, {"sm_80", "sm_90", "compute_90"} [, settings]): the bytes of
one image with the source compiled for each: machine code ("sm_") or PTX
("compute_"), from which a device takes what fits it best. Settings are those of
cuda.module, which also loads the image.
Errors:  "no architecture"; not-found where NVIDIA's nvFatbin library is not here
Source:  nvcc's -gencode]],
["cuda.time"] = [[
cuda.time(f [, {n = 1, r =, cold =, warmup = 2}]): calls f until the times of
the launches in it are steady, r times where r is given; n calls a run; cold
clears the L2 cache before each. Gives {kernel_us, mad_us, min_us, max_us,
copy_in_us, copy_out_us, wait_us, host_us, runs, noisy, bytes, gbs, peak_gbs,
kernel, device, compile_ms}; host_us is a whole call's time, compile_ms what
compiling took of that which is launched for the first time, peak_gbs what a
copy reaches here.
Units:   us (medians), GB/s
Example: cuda.time(function() end, {r = 3}).runs --> 3]],
["cuda.clock"] = [[
cuda.clock(): seconds of a clock that only goes forward.
Units:   s
Example: cuda.clock() <= cuda.clock() --> true]],
["cuda.version"] = [[
cuda.version(): {warpshop, nvrtc, driver}, as far as they are known.
Example: type(cuda.version().warpshop) --> string]],
}
