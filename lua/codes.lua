-- SPDX-License-Identifier: Apache-2.0
-- A page for each code of a mistake (gpu/finding/finding_text.def), of a
-- verdict (grade/verdict/verdict.def) and of a judge's diagnostic
-- (docs/verdict.md): what it means, and what mends it. ?CODE and `warpshop
-- explain CODE` show them. The first line says it shortly.
-- tests/lua/test_codes.lua checks that no code is without a page, and runs each
-- "Example:" (lines behind "> " are Lua): it must give that code.
return {
["oob-write"] = [=[
write out of bounds
A thread wrote to a place that no array has: before its first element, behind
its last, or in no array at all. On a real GPU this changes some other array,
or ends the launch.
Most often a launch has more threads than there are elements: let only those
write that have one, if (i < n). Else look at the index that the message names.
Example:
  __global__ void k(float *x) { x[threadIdx.x] = 1; }
  > x = np.zeros(20, "f32"); k[{1, 32}](x)
Mended:
  __global__ void k(float *x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] = 1;
  }
  > x = np.zeros(20, "f32"); k[{1, 32}](x, #x)]=],
["oob-read"] = [=[
read out of bounds
A thread read a place that no array has. On a real GPU it gets some number of
another array's, and the result is wrong now and then.
Look at the index: a guard i < n that is missing or one too many (i <= n), a
neighbour x[i + 1] of the last element, rows and columns exchanged.
Example:
  __global__ void k(const float *x, float *y) {
    y[threadIdx.x] = x[threadIdx.x + 1];
  }
  > x, y = np.ones(32, "f32"), np.zeros(32, "f32"); k[{1, 32}](x, y)]=],
["oob-atomic"] = [=[
atomic out of bounds
An atomic function changed a place that no array has.
In a histogram: the bin is computed from the data, and a value too large or
negative has none. Test it before it becomes an index.
Example:
  __global__ void k(const int *v, int *bins) {
    atomicAdd(&bins[v[threadIdx.x]], 1);
  }
  > v, bins = np.arange(32, "i32"), np.zeros(8, "i32"); k[{1, 32}](v, bins)]=],
["oob"] = [=[
access out of bounds
An access to a place that no array has, which is neither a plain read nor a
plain write. What ?oob-read and ?oob-write say holds for it, too.]=],
["recursion"] = [=[
recursion too deep
A function called itself until the thread's memory was used up. Does the call
that should end it ever come? A loop needs no memory for each round.]=],
["shuffle"] = [=[
shuffle from a lane that takes no part
A lane that the call's mask does not name, or that has left, has no value to
give: what comes is undefined. Let all lanes reach the call, with a value such
as 0 for those that have none, or use only what lanes inside the mask gave.]=],
["order"] = [=[
nothing orders two calls
Two calls use one array, one of them writes it, and neither waits for the other:
they run on two streams, or one on a stream and the other on the host. Which
comes first is luck, and so is the result, even where it is right today.
Put both on one stream; or record an event behind the first and let the other
stream wait for it; or let the host wait between them. The message has both
lines.
Example:
  __global__ void k(float *x) { x[threadIdx.x] += 1; }
  > x = cuda.to_device(np.ones(32, "f32"))
  > k{grid = 1, block = 32, stream = cuda.stream()}(x)
  > k{grid = 1, block = 32, stream = cuda.stream()}(x)
Mended:
  __global__ void k(float *x) { x[threadIdx.x] += 1; }
  > x = cuda.to_device(np.ones(32, "f32"))
  > s, t, e = cuda.stream(), cuda.stream(), cuda.event()
  > k{grid = 1, block = 32, stream = s}(x); e:record(s); t:wait(e)
  > k{grid = 1, block = 32, stream = t}(x)]=],
["use-after-free"] = [=[
access to freed memory
The memory was given back before: by the host, or by free() in the kernel.
Free behind the last use; the message says where it was freed.
Example:
  __global__ void k(int *x) {
    int *p = (int *)malloc(4);
    *p = 1; free(p);
    *x = *p;
  }
  > x = np.zeros(1, "i32"); k[{1, 1}](x)]=],
["misaligned"] = [=[
misaligned access
A wide access needs an address that is a multiple of its size: 8 bytes for a
float2, 16 for a float4. An array begins at such an address, its element 1 does
not.
Example:
  __global__ void k(float *x) { *(float4 *)(x + 1) = make_float4(1, 2, 3, 4); }
  > x = np.zeros(8, "f32"); k[{1, 1}](x)]=],
["uninitialised"] = [=[
uninitialised value
A value was used that nothing gave: a variable without a first value, shared
memory or a device array that was not written before.
Give the variable its value where it is declared (float sum = 0;), let each cell
be written before it is read, or begin with np.zeros instead of an empty array.
Example:
  __global__ void k(float *x) {
    __shared__ float s[32];
    if (s[threadIdx.x] > 0) x[threadIdx.x] = 1;
  }
  > x = np.zeros(32, "f32"); k[{1, 32}](x)]=],
["race"] = [=[
unordered use of one cell
Two threads use the same cell, one of them writes, and nothing says which comes
first: the result is luck.
In shared memory a __syncthreads() between the write and the read orders them,
and between two rounds of a loop another. Where many threads add to one cell,
atomicAdd does. Where each should have a cell of its own, look at the index.
Example:
  __global__ void k(int *sum) { *sum += threadIdx.x; }
  > sum = np.zeros(1, "i32"); k[{1, 32}](sum)
Mended:
  __global__ void k(int *sum) { atomicAdd(sum, threadIdx.x); }
  > sum = np.zeros(1, "i32"); k[{1, 32}](sum)]=],
["barrier"] = [=[
barrier that not every thread reaches
__syncthreads() waits for all threads of the block. Where some go another way,
the others wait for them at the wrong place, or for ever.
Take the barrier out of the if: let all threads pass it, and put only the work
under the condition.
Example:
  __global__ void k(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) { __syncthreads(); x[threadIdx.x] = s[threadIdx.x]; }
    else { __syncthreads(); x[threadIdx.x] = 0; }
  }
  > x = np.zeros(64, "i32"); k[{1, 64}](x)]=],
["mask"] = [=[
mask that does not fit the threads
The first argument of a _sync function names the lanes that take part. All of
those must come to the call, and no others.
Where only some threads come, compute the mask before the branch:
unsigned m = __ballot_sync(0xffffffff, condition).
Example:
  __global__ void k(int *x) {
    if (threadIdx.x < 16)
      x[threadIdx.x] = __shfl_down_sync(0xffff0000, threadIdx.x, 1);
  }
  > x = np.zeros(32, "i32"); k[{1, 32}](x)]=],
["deadlock"] = [=[
waiting for each other
Every thread that is left waits for something that only one of those that wait
could do.
Two blocks must not wait for each other: they may run one after the other. A
lock must be given back by the thread that holds it, also within one warp.
Example:
  __global__ void k(volatile int *flag) {
    if (threadIdx.x == 0) while (*flag == 0) { }
  }
  > flag = np.zeros(1, "i32"); k[{1, 1}](flag)]=],
["timeout"] = [=[
too much work, or a loop that never ends
As a mistake: a thread, or all together, used up their budget and still ran; or
a loop was proven never to end, which the message then says. As a verdict: the
same, in a submission; what comes behind it was not run. How busy the machine is
plays no part.
Look at the loop's condition: does it ever become false? Does every thread do
the work of all?
Example:
  __global__ void k(unsigned *x) {
    for (unsigned i = 1; i != 0; i += 2) x[0] = x[0] * 3 + i;
  }
  > cuda.set_budget(1000000, 100000000)
  > x = np.zeros(1, "u32"); k[{1, 1}](x)]=],
["assert"] = [=[
assertion failed
The kernel's own assert(condition) stopped it: the condition was false.
Example:
  #include <assert.h>
  __global__ void k(int n) { assert(n > 0); }
  > k[{1, 1}](0)]=],
["trap"] = [=[
the kernel ended the launch
__trap(), or a check inside of a library, ended the whole launch.
Example:
  __global__ void k() { __trap(); }
  > k[{1, 1}]()]=],
["input-written"] = [=[
write to an input
A kernel that is judged wrote to an array that is an input, even if it put the
same value back. Who calls it still needs that array: read it, and write to
another.
A mistake of submissions only: warpshop grade says it.]=],
["division"] = [=[
integer division by zero
a / b or a % b of whole numbers with b = 0 gives some number on a GPU, and stops
nothing. Let only those threads divide whose divisor is not 0.
Example:
  __global__ void k(int *x, int n) { x[threadIdx.x] = 7 / n; }
  > x = np.zeros(1, "i32"); k[{1, 1}](x, 0)]=],
["sleep"] = [=[
sleep of more than a millisecond
__nanosleep() takes nanoseconds, and the longest that a GPU sleeps is a
millisecond: of a longer time it sleeps only that. It may also wake earlier, or
after up to twice the time. To give way to others while something is waited for,
sleep for a short time in the loop that looks for it; for a time of its own,
look at clock64() or the register %globaltimer in a loop.
Example:
  __global__ void k(int *x) { __nanosleep(2000000000); x[threadIdx.x] = 1; }
  > x = np.zeros(32, "i32"); k[{1, 32}](x)
Mended:
  __global__ void k(int *x) { __nanosleep(1000); x[threadIdx.x] = 1; }
  > x = np.zeros(32, "i32"); k[{1, 32}](x)]=],
["leak"] = [=[
memory that was not freed
What a kernel takes with malloc() it must give back with free(): each launch
takes more, until there is none.
Example:
  __global__ void k(int *x) { int *p = (int *)malloc(4); *p = 1; *x = *p; }
  > x = np.zeros(1, "i32"); k[{1, 1}](x)]=],
["launch"] = [=[
launch not possible
The device cannot start a kernel with this grid and block: at most 1024 threads
are in a block, and its registers and shared memory must be there for all.
Example:
  __global__ void k() { }
  > k[{1, 2048}]()]=],
["out-of-memory"] = [=[
out of memory
The kernel, or an array for it, asks for more memory than the device has. Local
arrays of a thread count for each thread that can run.]=],
["bad-ptx"] = [=[
not loadable
The compiler passed this on, and the device refuses it: PTX that breaks a rule,
mostly in asm() or in a file that came compiled.]=],
["unsupported"] = [=[
not supported
The device cannot run this instruction, even where no thread comes to it. The
virtual GPU runs CUDA C up to capability 9.0 without clusters and tensor maps;
docs/mistakes.md has the list.
Example:
  __global__ void k(int *x) {
    unsigned r;
    asm volatile("mov.u32 %0, %%pm0;" : "=r"(r));
    *x = r;
  }
  > x = np.zeros(1, "i32"); k[{1, 1}](x)]=],
["texture-stale"] = [=[
texture read of what this launch writes
A texture's reads need not see what the same launch wrote, not even behind a
barrier. Write to another array, or make two launches of it.]=],
["read-only-stale"] = [=[
read-only load of what this launch writes
__ldg() and const __restrict__ promise that nothing of this launch writes there:
such a load need not see it. Leave them out, or write to another array.
Example:
  __global__ void k(int *x) {
    x[threadIdx.x] = 1;
    __syncthreads();
    x[64 + threadIdx.x] = __ldg(&x[63 - threadIdx.x]);
  }
  > x = np.zeros(128, "i32"); k[{1, 64}](x)]=],
["texture-outside"] = [=[
read outside of the texture
A whole coordinate outside of a texture gives zeros, silently on a real GPU. Let
only those threads read that have an element.]=],
["texture-uninitialised"] = [=[
uninitialised texture element
Nothing wrote this element before it was read: copy data to the array first.]=],
["texture-freed"] = [=[
use of a texture that is gone
The texture, or the array that it reads, was freed before the kernel ran. Keep
both in variables until the kernel has ended.]=],
["texture-misfit"] = [=[
wrong texture
The function called must fit the texture: as many dimensions (tex1D, tex2D,
tex3D), layered or not, and the type of its elements.]=],
["surface-write"] = [=[
write outside of the surface
The cell is not the surface's. A surface's x counts bytes:
x * sizeof(element).]=],
["surface-read"] = [=[
access outside of the surface
The cell is not the surface's. A surface's x counts bytes:
x * sizeof(element).]=],
["surface-misaligned"] = [=[
misaligned surface access
A surface's x counts bytes, so that it is a multiple of the element's size:
x * sizeof(element).]=],
["surface-uninitialised"] = [=[
uninitialised surface element
Nothing wrote this element before it was read: copy data to the array first, or
write it in the kernel.]=],
["surface-freed"] = [=[
use of a surface that is gone
The surface, or its array, was freed before the kernel ran.]=],
["surface-misfit"] = [=[
wrong surface
The function called must fit the surface: as many dimensions, layered or
not.]=],

-- Verdicts
["pass"] = [=[
verdict: every case is right
All cases gave the wanted values, and no mistake was seen.]=],
["fail"] = [=[
verdict: wrong, or not allowed
A value is wrong or was never written, an input was written to, or the checked
device saw a mistake, even where the result is right by luck. The first
diagnostic says which.]=],
["crash"] = [=[
verdict: the kernel stopped itself
An assert or a trap of its own ended it, or it ended the process that runs it
where the exercise's own solution does not.]=],
["compile-error"] = [=[
verdict: it does not compile
The compiler refused it, or gave up at its limits; or the kernel that the
exercise names is missing, or takes other parameters. The diagnostic has the
line.]=],
["not-run"] = [=[
it was not run
A case: one before it took all the work that is allowed. A batch script: there
is no Slurm here, and it was only read.]=],
["too-noisy"] = [=[
rank: the times vary too much
Who else works on the GPU, or its clock, changes them more than the kernels
differ. It is the machine's fault and costs no points: rank it again when the
GPU is alone. Or so few launches fit into the GPU's time for it that they say
too little.]=],
["ranked"] = [=[
rank: timed beside the solution
Both were launched in turns on one GPU, each time on new inputs, until their
ratio was sure to half a hundredth: 2 is twice as fast as the solution.]=],
["suspect"] = [=[
rank: a time that is kept and not ranked
It is shorter than what the kernel must move or compute takes this GPU, or a
launch that was timed did not give the right results. Somebody should look.]=],
["skipped"] = [=[
verdict: this machine lacks what the exercise needs
It asks for a GPU, a capability or an amount of memory (`warpshop exercise list`
says so beforehand). Nothing was judged, and it costs no points.]=],
["error"] = [=[
verdict: the machine or the judge could not do it
Ours or the machine's, never the submission's, and it costs no points:
`warpshop doctor` says what is missing.]=],

-- The judge's diagnostics
["compile"] = [=[
the compiler refused the source
The message has the line, and a sentence below it where the cause is sure.]=],
["compiler-gave-up"] = [=[
the compiler ran into its limits
It may use 10 s of processor time and 1 GiB of memory: a template that
instantiates itself without end, or a source far too long.]=],
["not-a-source"] = [=[
this file is no source text
It holds bytes that no text has: a compiled file, an archive, an image?]=],
["time-of-compile"] = [=[
the source uses __DATE__, __TIME__ or __TIMESTAMP__
They change from one compile to the next, and a verdict may not.]=],
["signature"] = [=[
the kernel takes other parameters than the exercise says
Its name, its parameters' types and their order must be those of the exercise;
`warpshop exercise list` and the task show them.]=],
["wrong-result"] = [=[
values are wrong, or were never written
The diagnostic names the first such element, what is there and what is
wanted.]=],
["devices-disagree"] = [=[
right on one device and wrong on another
Most often it relies on an order of threads that nothing promises.]=],
["depends-on-order"] = [=[
right only if the threads come in a certain order
Nothing promises which thread comes first, nor at an atomic. A place or a ticket
that an atomic brings back may decide who does something, and not what the
result is: count those before you by their numbers instead. A volatile or
relaxed read and the write after it are two steps, and what others write in
between is lost: an atomic does both in one. Nor need the lanes of a warp run in
step: where a lane reads what another has written, __syncwarp() belongs between
the two, also with volatile.]=],
["directive-late"] = [=[
a #SBATCH line below the first command
Slurm reads #SBATCH lines up to the first command (module load is one) and says
nothing of those below: they are remarks of the shell. Move it up.]=],
["directive-spelt"] = [=[
a line that only looks like a #SBATCH line
It must begin with #SBATCH, in capitals, with nothing before it and no blank in
it. Anything else that begins with # is a remark, and nobody complains.]=],
["directive-missing"] = [=[
the batch script does not ask for something that it must
The message names the options of sbatch that ask for it.]=],
["directive-differs"] = [=[
the batch script asks for something else
The message has what the line means to Slurm. A time with one colon is minutes
and seconds, a plain number is minutes; memory is in megabytes unless it says
G.]=],
["directive-unknown"] = [=[
sbatch has no such option
It refuses the whole script. `man sbatch` lists them.]=],
["directive-value"] = [=[
sbatch takes no such value
It refuses the whole script. Times are 90, 1:30:00 or 1-12:00:00, sizes 512M or
4G, GPUs gpu:2 or gpu:a100:2.]=],
["command-missing"] = [=[
a command that the batch script should run is not in it
It is looked for word by word, also behind srun and other words of its line.]=],
["command-late"] = [=[
a command comes after the one that needs it
Such as module load behind the program: a script runs from top to bottom.]=],
["script-empty"] = [=[
the batch script is empty
sbatch refuses it.]=],
["no-interpreter"] = [=[
the batch script does not begin with #!
Its first line names the program that reads it, such as #!/bin/bash. sbatch
refuses it without.]=],
["dos-lines"] = [=[
the batch script's lines end as on Windows
sbatch refuses it. An editor can save it with Unix line ends, and dos2unix
changes a file.]=],
["sbatch-refuses"] = [=[
Slurm refuses the batch script
In its own words; it takes the exercise's solution.]=],
["job-failed"] = [=[
the job ended with an error
Slurm ran the script, and its last command did not end with status 0. The last
line that it printed is in the message.]=],
["job-output"] = [=[
the job does not print what it should
Slurm ran the script to its end; what it printed is below the verdict.]=],
["hardware"] = [=[
an exercise that the devices here are not enough for
It asks for a real GPU, a compute capability or an amount of memory that the
judging devices do not have. Nothing was judged, and it costs no points.]=],
["requirement"] = [=[
right, but not done as the exercise requires
The exercise asks for a way, such as shared memory, a barrier or as many threads
as elements, and the threads that made the result went another. Only what is
executed, and leads to a stored result, counts.]=],
["launches"] = [=[
an exercise's launches that could not go on, or did not end
Where an exercise launches several kernels, what they write may decide what is
launched next, and when all is done. The exercise's own solution brings it to an
end; the values that this submission wrote did not.]=],
["goal"] = [=[
right, but above the exercise's goal
A counted figure, such as how many memory transactions a request needs, is worse
than the exercise allows, in the case where it is worst.]=],
["key-reuse"] = [=[
one random key used twice
Random numbers of JAX are functions of their key: two draws from one key are
made of the same bits, whatever their names and shapes, and so depend on each
other. Split the key and use each part once: keys = jax.random.split(key), then
keys[0] and keys[1]. jax.config.update("jax_debug_key_reuse", true) makes it an
error at the prompt. A note; it fails nothing.]=],
["cost"] = [=[
more work than one submission may ask for
What a launch costs the engine is counted: instructions, and with them what is
printed, reported, allocated and watched. The sum is the same on every machine,
and the message says what most of it went to. A kernel that prints from every
thread, or in which every thread does all of the work, is where to look.]=],
["public-case"] = [=[
other inputs on which the same code fails
Only hidden cases failed, and their inputs stay hidden. So the judge has drawn
inputs anew, from seeds that everybody has and with sizes between those of the
cases that you see, until the code failed, and has made them small: first the
size, then the values. It need not be what is wrong in the hidden case.]=],
["judge-error"] = [=[
the judge could not do its work
Ours, or the machine's. It costs no points.]=],
}
