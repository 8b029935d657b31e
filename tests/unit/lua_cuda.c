// SPDX-License-Identifier: Apache-2.0
// What can go wrong around the cuda table: a killed server, endless kernels,
// Ctrl-C, mistakes of kernels and how they are told, sandboxes, garbage.
#include <lauxlib.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_replay.h"

// ---- The state under test ----

static lua_State *L;

static int kill_server(lua_State *l) {
  struct ldevice *d = lcuda_of(l)->current;
  kill(remote_pid(d->gpu), SIGKILL);
  return 0;
}

// replay([hang]): what a real GPU's fault would be told as, or a hang.
static int replay(lua_State *l) {
  struct err_info e = {.code = lua_toboolean(l, 1) ? ERR_TIMEOUT
                                                   : ERR_OUT_OF_BOUNDS};
  struct str note = STR_INIT;
  bool is_found = lcuda_push_replayed(l, lcuda_of(l)->current, &e, &note);
  lua_pushstring(l, note.data);
  str_free(&note);
  return is_found ? 2 : 1;
}

// copies(): runs the last launch on copies of what it used, as the debugger
// does on a real GPU's behalf; the first float that its last pointer then
// points to.
static void run_copies(lua_State *l, struct ldevice *v,
                       const struct launch_record *r, gpu_handle function) {
  struct gpu_launch launch = {
      .function = function, .param_bytes = r->param_bytes, .params = r->params};
  struct err_info e;
  gpu_ptr out = 0;
  float value = 0;
  memcpy(launch.grid, r->grid, sizeof launch.grid);
  memcpy(launch.block, r->block, sizeof launch.block);
  for (int i = 0; i < r->kernel->param_count; i++)
    if (r->kernel->plan[i].kind == ARG_POINTER)
      memcpy(&out, r->params + r->kernel->plan[i].offset, sizeof out);
  assert_int_equal(v->gpu->backend->launch(v->gpu, &launch, &e), ERR_OK);
  if (remote_wait(v->gpu, 0, &e))
    fail_msg("%s", e.text);
  assert_int_equal(
      v->gpu->backend->copy_out(v->gpu, &value, out, sizeof value, 0, &e),
      ERR_OK);
  assert_int_equal(remote_wait(v->gpu, 0, &e), ERR_OK);
  lua_pushnumber(l, value);
}

static int copies(lua_State *l) {
  struct ldevice *d = lcuda_of(l)->current;
  lcuda_with_copies(l, d, ldevice_last_record(d), run_copies);
  return 1;
}

static int is_unsettled(lua_State *l) {
  lua_pushboolean(l, bind_is_unsettled(l));
  return 1;
}

// interrupt_after(seconds): what Ctrl-C does, from a signal handler.
static void on_alarm(int signal) {
  (void)signal;
  bind_interrupt("Ctrl-C");
}

static int interrupt_after(lua_State *l) {
  double seconds = luaL_checknumber(l, 1);
  struct sigevent what = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct itimerspec when = {
      .it_value = {(time_t)seconds,
                   (long)(1e9 * (seconds - (double)(time_t)seconds))}};
  static timer_t timer;
  static bool is_made;
  if (!is_made)
    timer_create(CLOCK_MONOTONIC, &what, &timer);
  is_made = true;
  timer_settime(timer, 0, &when, NULL);
  return 0;
}

static const char kernels[] =
    "add = cuda.kernel[==[\n"
    "__global__ void add(const float *x, const float *y, float *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = x[i] + y[i];\n"
    "}]==]\n"
    "endless = cuda.kernel[==[\n"
    "__global__ void endless(volatile int *x) {\n"
    "  while (x[0] == 0) x[1] = x[1] + 1;\n"
    "}]==]\n"
    "function fails(kind, f, ...)\n"
    "  local ok, e = pcall(f, ...)\n"
    "  assert(not ok, 'no error was raised')\n"
    "  assert(type(e) == 'table', tostring(e))\n"
    "  assert(e.kind == kind, e.kind .. ': ' .. e.message)\n"
    "  return e\n"
    "end\n"
    "function has(e, text)\n"
    "  assert(e.message:find(text, 1, true), text .. ' is not in ' .. "
    "e.message)\n"
    "end\n";

static void run(const char *code) {
  if (luaL_loadbuffer(L, code, strlen(code), "=test") != LUA_OK ||
      bind_pcall(L, 0, 0) != LUA_OK)
    fail_msg("%s", luaL_tolstring(L, -1, NULL));
}

static int open_with(const struct bind_options *options) {
  struct err_info e = {0};
  L = bind_new(options, &e);
  if (!L)
    fail_msg("%s", e.text);
  return 0;
}

static int open_state(void **state) {
  (void)state;
  open_with(&(struct bind_options){.device = "virtual:0"});
  lua_register(L, "kill_server", kill_server);
  lua_register(L, "replay", replay);
  lua_register(L, "copies", copies);
  lua_register(L, "interrupt_after", interrupt_after);
  lua_register(L, "settle", bind_settle);
  lua_register(L, "is_unsettled", is_unsettled);
  run(kernels);
  return 0;
}

static int close_state(void **state) {
  (void)state;
  bind_close(L);
  L = NULL;
  return 0;
}

// ---- Mistakes of kernels ----

static void out_of_bounds_is_told(void **state) {
  (void)state;
  run("local x = np.zeros(4096, 'f32')\n"
      "dx, dout = cuda.to_device(x), cuda.to_device(x)\n"
      "local big = cuda.to_device(np.zeros(5000, 'f32'))\n"
      "local e = fails('out-of-bounds', function()\n"
      "  add[{33, 128}](big, big, dout, 4224)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "has(e, 'add.cu:3  write out of bounds: out[4096], 4 bytes past the end "
      "of dout (float[4096])')\n"
      "has(e, 'if (i < n) out[i] = x[i] + y[i];')\n"
      "has(e, '^^^^^^ block (32,0,0) thread (0,0,0), and 127 more threads')\n"
      "has(e, 'n says 4224: the array has 4096. Pass #dout.')\n"
      "local d = e.diagnostics[1]\n"
      "assert(d.kind == 'out-of-bounds' and d.severity == 'error')\n"
      "assert(d.file == 'add.cu' and d.line == 3)\n"
      "assert(d.block[1] == 32 and d.thread[1] == 0)\n"
      "assert(d.array == 'out' and d.variable == 'dout')\n"
      "assert(d.space == 'global' and d.access == 'write')\n"
      "assert(d.offset == 16384 and d.count == 128)\n"
      "assert(d.code == 'oob-write' and d.message and d.explain)\n"
      "dout:copy_to_host()\n"); // the session goes on
}

static void host_arrays_are_named_too(void **state) {
  (void)state;
  run("local x, y = np.ones(100, 'f32'), np.ones(100, 'f32')\n"
      "local result = np.full(90, 7, 'f32')\n"
      "local e = fails('out-of-bounds', function()\n"
      "  add[{1, 128}](x, y, result, 100)\n"
      "end)\n"
      "has(e, 'out[90]')\n"
      "has(e, 'result (float[90])')\n"
      // Copy-back happens only after success.
      "for i = 0, 89 do assert(result[i] == 7) end\n"
      "add[{1, 128}](x, y, result, 90)\n"
      "assert(result[89] == 2)\n");
}

static void shared_memory_is_checked(void **state) {
  (void)state;
  run("local k = cuda.kernel[==[\n"
      "__global__ void k(int *out) {\n"
      "  __shared__ int part[32];\n"
      "  part[threadIdx.x] = 1;\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = part[threadIdx.x / 2];\n"
      "}]==]\n"
      "local out = np.zeros(64, 'i32')\n"
      "local e = fails('out-of-bounds', function() k[{1, 64}](out) end)\n"
      "assert(e.diagnostics[1].space == 'shared')\n"
      "assert(e.diagnostics[1].line == 3)\n");
}

static void use_after_free_is_told(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.zeros(64, 'f32'))\n"
      "local p = x:pointer():address()\n"
      "x:free()\n"
      "cuda.synchronize()\n"
      "local y = cuda.to_device(np.zeros(64, 'f32'))\n"
      "local ok, e = pcall(function()\n"
      "  add[{1, 64}](p, y, y, 64)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "assert(not ok)\n"
      "assert(e.kind == 'use-after-free', e.kind .. e.message)\n"
      "assert(e.diagnostics[1].access == 'read')\n");
}

// The real GPU is played by the virtual one: what is left after its fault is
// the record of the launch and the arrays' host copies.
static void a_fault_is_replayed(void **state) {
  (void)state;
  run("local x = np.full(4096, 2, 'f32')\n"
      "local dx, dy = cuda.to_device(x), cuda.to_device(x)\n"
      "local dout = cuda.device_array_like(dy)\n"
      "add[{32, 128}](dx, dy, dout, 4096)\n"
      "cuda.synchronize()\n"
      "pcall(function() add[{33, 128}](dx, dy, dout, 4224)\n"
      "  cuda.synchronize() end)\n"
      "local e, note = replay()\n"
      "has(e, 'add.cu:3')\n"
      "has(e, 'out of bounds')\n"
      "assert(e.message:find('of d%w+ %(float%[4096%]%)'), e.message)\n"
      "has(e, 'thread (0,0,0), and 127 more threads')\n"
      "assert(e.diagnostics[1].block[1] == 32)\n"
      "assert(note:find('again') and note:find('dout'), note)\n"
      "add[{32, 128}](dx, dy, dout, 4096)\n"
      "cuda.synchronize()\n"
      "note = replay()\n"
      "assert(type(note) == 'string' and note:find('no mistake'), note)\n"
      "assert(dout:copy_to_host()[4095] == 4)\n");
}

// The first of the launches that nobody has waited for is to blame, and the
// memory is what it was before them.
static void all_that_was_queued_is_replayed(void **state) {
  (void)state;
  run("local index = cuda.kernel[==[\n"
      "__global__ void index(int *at, int by) { at[threadIdx.x] *= by; }]==]\n"
      "local use = cuda.kernel[==[\n"
      "__global__ void use(const int *at, float *out) {\n"
      "  out[at[threadIdx.x]] = 1;\n"
      "}]==]\n"
      "local at = cuda.device_array(32, 'i32'):fill(3)\n"
      "local out = cuda.device_array(32, 'f32'):fill(0)\n"
      "pcall(function()\n"
      "  index[{1, 32}](at, 2)\n"
      "  use[{1, 32}](at, out)\n" // 6: right
      "  index[{1, 32}](at, 7)\n"
      "  use[{1, 32}](at, out)\n" // 42: wrong
      "  index[{1, 32}](at, 0)\n"
      "  use[{1, 32}](at, out)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "local e, note = replay()\n"
      "has(e, 'use.cu:2')\n"
      "has(e, 'out[42]')\n"
      "assert(note == 'Found by running the launch again on the virtual GPU.',"
      " note)\n");
}

// Arrays are gone before their launches are done: the pool has their memory, or
// gave it to a smaller array, or nobody knows it any more.
static void what_is_gone_is_replayed(void **state) {
  (void)state;
  run("cuda.set_checked(false)\n"
      "local function replays(text)\n"
      "  local note, more = replay()\n"
      "  assert(not more, more and note.message)\n"
      "  has({message = note}, text)\n"
      "  return note\n"
      "end\n"
      "local add = jax.jit(function(x) return x + 1 end)\n"
      "local one, ones = jnp.ones(1), jnp.ones(100)\n"
      "add(one) add(ones)\n"
      "collectgarbage() collectgarbage() cuda.synchronize()\n"
      "add(ones)\n" // 400 bytes of a block of 512
      "collectgarbage() collectgarbage()\n"
      "has({message = replays('made no mistake')},\n"
      "  'What arrays that are gone held')\n"
      "cuda.synchronize()\n"
      "add(ones)\n"
      "collectgarbage() collectgarbage()\n"
      "local less = add(one)\n" // 4 bytes, where the 400 were
      "replays('made no mistake')\n"
      "cuda.synchronize()\n"
      "local kernel = cuda.kernel[==[\n"
      "__global__ void make(float *out) { out[threadIdx.x] = 1; }]==]\n"
      "kernel[{1, 64}](cuda.device_array(64, 'f32'))\n"
      "cuda.synchronize()\n"
      "collectgarbage() collectgarbage() cuda.synchronize()\n"
      "replays('could not be run again')\n");
}

static void a_hang_is_replayed(void **state) {
  (void)state;
  run("local x = cuda.device_array(2, 'i32'):fill(0)\n"
      "pcall(function() endless[{1, 1}](x) cuda.synchronize() end)\n"
      "local e, note = replay(true)\n"
      "assert(e.kind == 'timeout', e.kind)\n"
      "assert(e.diagnostics[1].line == 2, e.message)\n"
      "assert(note:find('Found by running'), note)\n"
      "local wait = cuda.kernel[==[\n"
      "__global__ void wait(int *x) {\n"
      "  if (threadIdx.x == 0) while (atomicAdd(x, 0) == 0) {}\n"
      "  __syncthreads();\n"
      "}]==]\n"
      "x:fill(0)\n"
      "pcall(function() wait[{1, 64}](x) cuda.synchronize() end)\n"
      "e, note = replay(true)\n"
      "assert(e.kind == 'deadlock' or e.kind == 'timeout', e.kind)\n"
      "assert(e.diagnostics[1].line == 2, e.message)\n"
      "x:fill(1)\n"
      "wait[{1, 64}](x)\n"
      "e, note = replay(true)\n"
      "assert(not note, note and e.message)\n"
      "note=e\n"
      "assert(note:find('came to an end and made no mistake'), note)\n");
}

static void a_timeout_names_the_loop(void **state) {
  (void)state;
  run("local gang = cuda.kernel[==[\n"
      "__global__ void gang(float *x) {\n"
      "  float a = 0;\n"
      "  for (long long i = 0; i < (1LL << 60); i++) {\n"
      "    a = a * x[i & 7]\n"
      "        + 1.f;\n"
      "  }\n"
      "  x[threadIdx.x] = a;\n"
      "}]==]\n"
      "local one = cuda.kernel[==[\n"
      "__global__ void one(volatile int *x) {\n"
      "  if (threadIdx.x == 0)\n"
      "    while (x[0] == 0) {\n"
      "      x[1] = x[1] + 1;\n"
      "    }\n"
      "  __syncthreads();\n"
      "}]==]\n"
      "cuda.set_budget(0, 1 << 22)\n" // the device's own takes long to use up
      "local e = fails('timeout', function()\n"
      "  gang[{1, 128}](np.ones(128, 'f32')) end)\n"
      "assert(e.diagnostics[1].line == 3, e.message)\n"
      "has(e, 'the threads of this block together')\n"
      "cuda.set_budget(1 << 22)\n"
      "e = fails('timeout', function() one[{1, 64}](np.zeros(2, 'i32')) end)\n"
      "assert(e.diagnostics[1].line == 3, e.message)\n"
      "assert(e.diagnostics[1].thread[1] == 0, e.message)\n"
      "has(e, 'one.cu:6  meanwhile these threads wait at a barrier')\n"
      "assert(e.diagnostics[2].line == 6 and "
      "e.diagnostics[2].severity == 'note')\n");
}

static const char variables[] =
    "m = cuda.module[==[\n"
    "__constant__ int limit;\n"
    "__device__ int next = 5;\n"
    "extern \"C\" __global__ void put(int *out) {\n"
    "  for (int i = 0; i < limit; i++) out[i] = i;\n"
    "}\n"
    "extern \"C\" __global__ void add(int *out) {\n"
    "  out[next] = 1;\n"
    "  next += 4;\n"
    "}\n"
    "struct Row { int n; int *at; };\n"
    "extern \"C\" __global__ void rows(Row r, int **more) {\n"
    "  r.at[r.n] = more[1][0];\n"
    "}]==]\n";

static void variables_are_replayed(void **state) {
  (void)state;
  char code[4000];
  snprintf(code, sizeof code, "%s%s", variables,
           "local out = cuda.device_array(8, 'i32')\n"
           "m:get_global('limit', 'i32'):copy_from(np.array({9}, 'i32'))\n"
           "collectgarbage()\n"
           "pcall(function() m.put[{1, 1}](out) cuda.synchronize() end)\n"
           "local e, note = replay()\n"
           "has(e, 'out[8]')\n"
           "assert(not note:find('variables'), note)\n"
           "m:get_global('limit', 'i32'):fill(8)\n"
           "m.put[{1, 1}](out)\n"
           "assert(replay():find('no mistake'))\n"
           "pcall(function() m.add[{1, 1}](out) m.add[{1, 1}](out)\n"
           "  cuda.synchronize() end)\n"
           "e, note = replay()\n"
           "has(e, 'out[9]')\n"
           "m.put[{1, 1}](out)\n"
           "cuda.synchronize()\n"
           "m.put[{1, 1}](out)\n"
           "note = replay()\n"
           "assert(note:find('earlier launches made of them'), note)\n");
  run(code);
}

static void inner_pointers_are_replayed(void **state) {
  (void)state;
  char code[4000];
  snprintf(code, sizeof code, "%s%s", variables,
           "local at = cuda.device_array(8, 'i32'):fill(0)\n"
           "local list = cuda.to_device(np.array({at:pointer():address(),\n"
           "  at:pointer():address()}, 'i64'))\n"
           "local row = cuda.struct('i32 i64', 8, at:pointer():address())\n"
           "pcall(function() m.rows[{1, 1}](row, list)\n"
           "  cuda.synchronize() end)\n"
           "has(replay(), '4 bytes past the end of at (')\n");
  run(code);
}

static const char textures[] =
    "local m = cuda.module[==[\n"
    "extern \"C\" __global__ void fill(cudaSurfaceObject_t s, int n) {\n"
    "  if (threadIdx.x < n) surf1Dwrite(1.5f, s, threadIdx.x * 4);\n"
    "}\n"
    "extern \"C\" __global__ void half(cudaTextureObject_t t, float *out) {\n"
    "  out[0] = tex1D<float>(t, 2.f) / 2;\n"
    "}]==]\n"
    "local a = cuda.array(np.array({5, 6, 8}, 'f32'), {surface = true})\n";

static void textures_are_replayed(void **state) {
  (void)state;
  char code[2000];
  snprintf(code, sizeof code, "%s%s", textures,
           "local s = cuda.surface(a)\n"
           "pcall(function() m.fill[{1, 8}](s, 4) cuda.synchronize() end)\n"
           "local e, note = replay()\n"
           "has(e, 'write outside of the surface: s, x is byte 12')\n"
           "assert(e.diagnostics[1].line == 2)\n"
           "assert(note:find('What a CUDA array held was not known'), note)\n"
           "a:free()\n"
           "pcall(function() m.fill[{1, 8}](s, 3) cuda.synchronize() end)\n"
           "has(replay(), 'array was freed')\n");
  run(code);
}

// Zeros stand for it: the kernel takes what it reads for an index.
static void what_an_array_held_is_not_known(void **state) {
  (void)state;
  mallopt(M_PERTURB, 0x81); // memory that is asked for holds other bytes
  run("local x = np.zeros(3, 'f32')\n"
      "local a = cuda.array(x)\n"
      "local pick = cuda.kernel('__global__ void pick(cudaTextureObject_t t, "
      "int *o) { o[(int)tex1D<float>(t, 1.f)] = 1; }')\n"
      "local out = cuda.device_array(4, 'i32'):fill(0)\n"
      "local t = cuda.texture(a)\n"
      "x[1] = 2\n"
      "pick[{1, 1}](t, out)\n"
      "cuda.synchronize()\n"
      "local note, more = replay()\n"
      "assert(not more, more and note.message)\n"
      "has({message = note}, 'What a CUDA array held was not known')\n");
  mallopt(M_PERTURB, 0);
}

static void textures_are_copied(void **state) {
  (void)state;
  char code[2000];
  snprintf(code, sizeof code, "%s%s", textures,
           "local out = cuda.device_array(1, 'f32')\n"
           "m.half[{1, 1}](cuda.texture(a), out)\n"
           "assert(out:copy_to_host()[0] == 4)\n"
           "local t = cuda.texture(a, {filter_mode = 'linear'})\n"
           "m.half[{1, 1}](t, out)\n"
           "out:fill(0)\n"
           "assert(copies() == 3.5)\n"
           "assert(out:copy_to_host()[0] == 0)\n"
           "a:copy_from(np.array({10, 20, 30}, 'f32'))\n"
           "m.half[{1, 1}](t, out)\n"
           "assert(copies() == 12.5)\n"
           "local d = cuda.to_device(np.array({1, 2, 3}, 'f32'))\n"
           "local k = cuda.kernel('__global__ void k(cudaTextureObject_t t, "
           "float *o) { o[0] = tex1Dfetch<float>(t, 2); }')\n"
           "local linear = cuda.texture(d)\n"
           "k[{1, 1}](linear, out)\n"
           "assert(copies() == 3)\n");
  run(code);
}

// ---- Endless kernels and Ctrl-C ----

static void a_budget_ends_a_kernel(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.zeros(2, 'i32'))\n"
      "cuda.set_budget(100000)\n"
      "local e = fails('timeout', function()\n"
      "  endless[{1, 1}](x)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "cuda.set_budget(0)\n"
      "cuda.to_device(np.zeros(1))\n");
}

static void a_deadline_ends_a_kernel(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.zeros(2, 'i32'))\n"
      "cuda.set_budget(1 << 60)\n"
      "cuda.set_deadline(0.3)\n"
      "local e = fails('timeout', function()\n"
      "  endless[{1, 1}](x)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "cuda.set_deadline(0)\n"
      "cuda.set_budget(0)\n"
      "local y = np.ones(8, 'f32')\n"
      "add[{1, 8}](y, y, y, 8)\n"
      "assert(y[7] == 2)\n");
}

static void interrupt_ends_a_kernel(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.zeros(2, 'i32'))\n"
      "cuda.set_budget(1 << 60)\n"
      "fails('cancelled', function()\n"
      "  interrupt_after(0.2)\n"
      "  endless[{1, 1}](x)\n"
      "  cuda.synchronize()\n"
      "end)\n"
      "cuda.set_budget(0)\n"
      "local y = np.ones(8, 'f32')\n"
      "add[{1, 8}](y, y, y, 8)\n"
      "assert(y[7] == 2)\n");
  assert_false(bind_is_interrupted());
}

static void interrupt_ends_lua(void **state) {
  (void)state;
  run("local function endless() interrupt_after(0.1) while true do end end\n"
      "fails('cancelled', endless)\n"
      "fails('cancelled', coroutine.wrap(endless))\n"
      "local co = coroutine.create(endless)\n"
      "local ok, e = coroutine.resume(co)\n"
      "assert(not ok and e.kind == 'cancelled')\n"
      "local sum = 0\n"
      "for i = 1, 100000 do sum = sum + i end\n");
  assert_false(bind_is_interrupted());
}

// ---- A killed server ----

static void arrays_come_back(void **state) {
  (void)state;
  run("local x = np.arange(1000, 'f32')\n"
      "kept = cuda.to_device(x)\n"
      "part = cuda.to_device(x['100:200'])\n"
      "written = cuda.to_device(x)\n"
      "stale = cuda.to_device(np.arange(1000, 'f32'))\n"
      "changed = np.ones(10, 'f32')\n"
      "copied = cuda.to_device(changed)\n"
      "changed[0] = 3\n"
      "add[{8, 128}](kept, kept, written, 1000)\n"
      "cuda.synchronize()\n"
      "local p = kept:pointer()\n"
      "kill_server()\n"
      "local e = fails('device-lost', cuda.synchronize)\n"
      "has(e, 'kept')\n"
      "has(e, 'restored from')\n"
      "has(e, 'written')\n"
      "has(e, 'lost')\n"
      "assert(kept:copy_to_host()[999] == 999)\n"
      "assert(part:copy_to_host()[0] == 100)\n"
      "assert(stale:copy_to_host()[5] == 5)\n"
      "has(fails('device-lost', function() written:copy_to_host() end),\n"
      "  'written')\n"
      "has(fails('device-lost', function() copied:copy_to_host() end),\n"
      "  'copied')\n"
      "has(fails('device-lost', function()\n"
      "  add[{1, 1}](p, p, stale, 1) end), 'pointer')\n"
      "add[{8, 128}](kept, stale, stale, 1000)\n"
      "assert(stale:copy_to_host()[10] == 20)\n");
}

static void a_launch_survives_an_idle_death(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.ones(64, 'f32'))\n"
      "local out = np.zeros(64, 'f32')\n"
      "add[{1, 64}](x, x, out, 64)\n"
      "for i = 1, 3 do\n"
      "  kill_server()\n"
      "  local ok, e = pcall(function() add[{1, 64}](x, x, out, 64) end)\n"
      "  assert(ok or e.kind == 'device-lost', tostring(e))\n"
      "  add[{1, 64}](x, x, out, 64)\n"
      "  assert(out[63] == 2)\n"
      "  out[63] = 0\n"
      "end\n");
}

// Looks that do not wait come to an end, too: the first asks, the next has the answer.
// (A second wait begins when all that ended with the first one is told.)
static void an_end_is_known_at_the_next_look(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.ones(1048576, 'f32'))\n"
      "add[{4096, 256}](x, x, x, 1048576)\n"
      "assert(is_unsettled())\n"
      "settle(0)\n"
      "cuda.synchronize() cuda.synchronize()\n"
      "settle(0)\n"
      "assert(not is_unsettled())\n"
      "add[{1, 64}](x, x, x, 64)\n"
      "assert(is_unsettled())\n");
}

static void a_new_server_has_nothing_to_settle(void **state) {
  (void)state;
  run("local x = cuda.to_device(np.ones(64, 'f32'))\n"
      "add[{1, 64}](x, x, x, 64)\n"
      "settle(math.huge)\n"
      "kill_server()\n"
      "fails('device-lost', cuda.synchronize)\n"
      "assert(not is_unsettled())\n"
      "local y = cuda.to_device(np.ones(64, 'f32'))\n"
      "add[{1, 64}](y, y, y, 64)\n" // as many as the other had
      "assert(is_unsettled())\n");
}

static void streams_and_events_come_back(void **state) {
  (void)state;
  run("local s, e0 = cuda.stream(), cuda.event()\n"
      "local x = np.ones(64, 'f32')\n"
      "e0:record(s)\n"
      "kill_server()\n"
      "pcall(cuda.synchronize)\n"
      "fails('device-lost', function() e0:query() end)\n"
      "add{grid = 1, block = 64, stream = s}(x, x, x, 64)\n"
      "e0:record(s)\n"
      "e0:synchronize()\n"
      "assert(x[0] == 2)\n");
}

// It has opened for nobody yet, so nobody need hear of it.
static void a_server_killed_before_it_opens(void **state) {
  (void)state;
  open_with(&(struct bind_options){.device = "virtual:0"});
  lua_register(L, "kill_server", kill_server);
  run("kill_server()\n"
      "assert(cuda.device().id == 'virtual:0')\n"
      "assert(cuda.to_device(np.arange(3)):copy_to_host()[2] == 2)\n");
  bind_close(L);
}

// ---- Garbage ----

static void dropped_arrays_wait_for_queued_work(void **state) {
  (void)state;
  run("local out = cuda.to_device(np.zeros(4096, 'f32'))\n"
      "for i = 1, 300 do\n"
      "  local x = cuda.to_device(np.full(4096, i, 'f32'))\n"
      "  add[{32, 128}](x, x, out, 4096)\n"
      "  x = nil\n"
      "  if i % 10 == 0 then collectgarbage() end\n"
      "end\n"
      "assert(out:copy_to_host()[4095] == 600)\n");
}

static void kernels_outlive_their_modules(void **state) {
  (void)state;
  run("for i = 1, 20 do\n"
      "  local k = cuda.module(('__global__ void k(int *x) { x[0] = %d; }')\n"
      "    :format(i)).k\n"
      "  collectgarbage()\n"
      "  local x = np.zeros(1, 'i32')\n"
      "  k[{1, 1}](x)\n"
      "  assert(x[0] == i)\n"
      "end\n"
      "collectgarbage()\n");
}

// ---- Sandboxes ----

static void a_sandbox_has_no_way_out(void **state) {
  (void)state;
  open_with(&(struct bind_options){
      .device = "virtual:0", .sandboxed = true, .memory_cap_bytes = 16 << 20});
  run("assert(not os and not io and not package and not require)\n"
      "assert(not debug and not dofile and not loadfile)\n"
      "assert(not string.dump)\n"
      "for name, library in pairs{frame = frame, h5 = h5, ml = ml, scale = "
      "scale} do\n"
      "  local ok, e = pcall(function() return library.DataFrame end)\n"
      "  assert(not ok and tostring(e):find(name .. ' is not there'))\n"
      "  assert(next(library) == nil)\n"
      "end\n"
      "assert(load('return 3')() == 3)\n"
      "assert(load('\\27Lua') == nil)\n"
      "assert(load('return x', 'c', 't', {x = 4})() == 4)\n"
      "local ok, e = pcall(string.rep, 'x', 1 << 30)\n"
      "assert(not ok and tostring(e):find('memory'))\n"
      "local x = np.ones(8, 'f32')\n"
      "local k = cuda.kernel('__global__ void k(float *x) { x[0] = 5; }')\n"
      "k[{1, 1}](x)\n"
      "assert(x[0] == 5)\n");
  bind_close(L);
}

static void print_text(void *context, const char *text, size_t bytes) {
  strncat(context, text, bytes);
}

static void prints_go_to_the_hook(void **state) {
  (void)state;
  char text[200] = "";
  open_with(&(struct bind_options){
      .device = "virtual:0", .print = print_text, .context = text});
  run("print('lua', 1)\n"
      "local k = cuda.kernel[==[#include <cstdio>\n"
      "__global__ void k() { printf(\"device %d\\n\", 2); }]==]\n"
      "k[{1, 1}]()\n"
      "cuda.synchronize()\n");
  assert_string_equal(text, "lua\t1\ndevice 2\n");
  bind_close(L);
}

static void wrong_devices_are_errors(void **state) {
  (void)state;
  struct err_info e = {0};
  assert_null(bind_new(&(struct bind_options){.device = "gpu0"}, &e));
  assert_non_null(strstr(e.text, "gpu0"));
}

#define STATE_TEST(f)                                                          \
  cmocka_unit_test_setup_teardown(f, open_state, close_state)

int main(void) {
  signal(SIGALRM, on_alarm);
  const struct CMUnitTest tests[] = {
      STATE_TEST(out_of_bounds_is_told),
      STATE_TEST(host_arrays_are_named_too),
      STATE_TEST(shared_memory_is_checked),
      STATE_TEST(use_after_free_is_told),
      STATE_TEST(a_fault_is_replayed),
      STATE_TEST(all_that_was_queued_is_replayed),
      STATE_TEST(what_is_gone_is_replayed),
      STATE_TEST(a_hang_is_replayed),
      STATE_TEST(a_timeout_names_the_loop),
      STATE_TEST(variables_are_replayed),
      STATE_TEST(inner_pointers_are_replayed),
      STATE_TEST(textures_are_replayed),
      STATE_TEST(what_an_array_held_is_not_known),
      STATE_TEST(textures_are_copied),
      STATE_TEST(a_budget_ends_a_kernel),
      STATE_TEST(a_deadline_ends_a_kernel),
      STATE_TEST(interrupt_ends_a_kernel),
      STATE_TEST(interrupt_ends_lua),
      STATE_TEST(arrays_come_back),
      STATE_TEST(a_launch_survives_an_idle_death),
      STATE_TEST(an_end_is_known_at_the_next_look),
      STATE_TEST(a_new_server_has_nothing_to_settle),
      STATE_TEST(streams_and_events_come_back),
      STATE_TEST(dropped_arrays_wait_for_queued_work),
      STATE_TEST(kernels_outlive_their_modules),
      cmocka_unit_test(a_server_killed_before_it_opens),
      cmocka_unit_test(a_sandbox_has_no_way_out),
      cmocka_unit_test(prints_go_to_the_hook),
      cmocka_unit_test(wrong_devices_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
