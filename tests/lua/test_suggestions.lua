-- SPDX-License-Identifier: Apache-2.0
-- What an error suggests runs, and mends. Every text in the sources that holds
-- a line of code has a case here (or is listed with the reason why it has
-- none): a new one without a case fails.
local tap = dofile("tests/lua/tap.lua")
local texts_of = dofile("tests/lua/texts.lua")
local test, equal = tap.test, tap.equal

-- ---- The texts in the sources ----

local marks = {"%%s:[%a_]+%(", "%f[%w]%a:[%a_]+%(", "%f[%w]j?np%.[%a_.]+%(",
  "%f[%w]cuda%.[%a_.]+%(", "%f[%w]jax%.[%a_.]+%(", "%[{"}

local function suggests(text)
  for _, mark in ipairs(marks) do
    if text:find(mark) and text:find(" ") then return true end
  end
  return false
end

-- ---- Cases ----

-- {a part of the text in the source, a line that fails, what its error
-- suggests, the line as it is written then}. "" stands for no line of its own.
local env, before = _G, {}
for name in pairs(_G) do before[name] = true end

local function fresh()
  for name in pairs(_G) do
    if not before[name] then _G[name] = nil end
  end
  env.x = np.arange(12, "f32")
  env.y = np.ones(12, "f32")
  env.d = np.arange(12, "f64")
  env.m = np.arange(12, "f32"):reshape(3, 4)
  env.dx = cuda.to_device(env.x)
  env.dm = cuda.to_device(env.m)
  env.twice = cuda.kernel[[__global__ void twice(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2; }]]
  env.show = cuda.kernel[[__global__ void show(const float *v, float *o) {
    o[threadIdx.x] = v[threadIdx.x]; }]]
  env.plane = cuda.kernel[[__global__ void plane(float *v, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) v[y * w + x] = 7; }]]
  env.move = cuda.kernel[[__global__ void move(uint4 *v) {
    v[threadIdx.x].x += 1; }]]
  env.zero = cuda.kernel[[struct two { float a, b; };
    __global__ void zero(two t, float *o) { o[0] = t.a + t.b; }]]
  env.key = jax.random.key(0)
  env.j = jnp.arange(6)
end

-- A shard_map on a mesh of one device, of y.
local function on_one(in_specs, out_specs, body)
  local text = 'jax.shard_map(function(y) return %s end, {mesh = ' ..
    'jax.make_mesh({1}, {"i"}), in_specs = %s, out_specs = %s})(' ..
    'jnp.arange(6, "f32"))'
  return text:format(body or "y", in_specs, out_specs)
end

local cases = {
  -- copies, and arrays shared with jnp
  {'the last argument of a copy is a stream, %s is not:'
    .. ' s = cuda.stream() makes',
   'cuda.to_device(x, 5)', 's = cuda.stream()',
   's = cuda.stream(); z = cuda.to_device(x, s); s:synchronize();'
   .. ' assert(z:copy_to_host()[3] == 3)'},
  {'no memory in common: jax.device_put(x) copies it', 'jnp.from_dlpack(x)',
   'jax.device_put(x)', 'z = jax.device_put(x); assert(z[3]:item() == 3)'},
  {'%s would have to be copied to %s: jnp.asarray(x) does so',
   'jnp.from_dlpack(cuda.to_device(d))', 'jnp.asarray(x)',
   'z = jnp.asarray(cuda.to_device(d)); assert(z[3]:item() == 3)'},
  {'random.%s: the key was used before',
   'jax.config.update("jax_debug_key_reuse", true); a = jax.random.normal(key);'
   .. ' b = jax.random.normal(key)', 'keys = jax.random.split(key)',
   'key = jax.random.key(1); keys = jax.random.split(key);'
   .. ' a = jax.random.normal(keys[0]);'
   .. ' b = jax.random.normal(keys[1]);'
   .. ' jax.config.update("jax_debug_key_reuse", false)'},
  -- lua/bind: launches
  {'%s; pass %s:astype("%s")', 'show[{1, 12}](d, y)', 'd:astype("f32")',
   'show[{1, 12}](d:astype("f32"), y); assert(y[11] == 11)'},
  {'keep what astype makes: %s', 'twice[{1, 32}](d, 12)', 'd = d:astype("f32")',
   'd = d:astype("f32"); twice[{1, 32}](d, 12); assert(d[11] == 22)'},
  {'pass the same bytes: %s:view("%s")', 'move[{1, 3}](x)', 'x:view("u32")',
   'move[{1, 3}](x:view("u32")); assert(x:view("u32")[0] == 1)'},
  {'needs an array, not a table: np.array(t, "%s")',
   't = {1, 2}; show[{1, 2}](t, y)', 'np.array(t, "f32")',
   'show[{1, 2}](np.array(t, "f32"), y); assert(y[1] == 2)'},
  {'a device pointer (d:pointer())', 'twice[{1, 32}](true, 12)', ':pointer()',
   'twice[{1, 32}](dx:pointer(), 12)'},
  {'declare it const, or use a copy: %s',
   'r = np.broadcast_to(np.ones(1, "f32"), 12); twice[{1, 32}](r, 12)',
   'r = r:copy()', 'r = r:copy(); twice[{1, 32}](r, 12); assert(r[3] == 2)'},
  {'sees plain memory: pass %s:copy()',
   'v = dm[{":", 0}]; show[{1, 3}](v, dx)', 'v:copy()',
   'show[{1, 3}](v:copy(), dx); assert(dx:copy_to_host()[2] == 8)'},
  {'sees plain memory: use a copy: %s',
   'v = dm[{":", 0}]; twice[{1, 32}](v, 3)', 'v = v:copy()',
   'v = v:copy(); twice[{1, 32}](v, 3); assert(v:copy_to_host()[2] == 16)'},
  {'cuda.struct("f32 f32 i32", 1, 2, 3) makes', 'zero[{1, 1}](3, y)',
   'cuda.struct("f32 f32 i32", 1, 2, 3)',
   'zero[{1, 1}](cuda.struct("f32 f32", 1, 2), y); assert(y[0] == 3)'},
  {'the stream stands before the bytes of shared memory',
   's = cuda.stream(); twice[{1, 32, 0, s}](x, 12)',
   'k[{blocks, threads, stream, bytes}]',
   's, k, blocks, threads, bytes = cuda.stream(), twice, 1, 32, 64; ' ..
   'k[{blocks, threads, s, bytes}](x, 12); ' ..
   'k{grid = blocks, block = threads, stream = s}(x, 12); assert(x[11] == 44)'},
  {'the third of {blocks, threads, stream, bytes}',
   'twice[{1, 32, 128}](x, 12)',
   'k{grid = blocks, block = threads, shared = bytes}',
   'k, blocks, threads, bytes = twice, 1, 32, 128; ' ..
   'k{grid = blocks, block = threads, shared = bytes}(x, 12)'},
  {'[{%lld, 128}]', 'twice(x, 12)', 'twice[{1, 128}](x, 12)',
   'twice[{1, 128}](x, 12); assert(x[11] == 22)'},
  {'[{1, %lld}]', 'show(x, y)', 'show[{1, 12}](x, y)',
   'show[{1, 12}](x, y); assert(y[11] == 11)'},
  {'[{{%lld, %lld}, {16, 16}}]', 'plane(m, 3, 4)',
   'plane[{{1, 1}, {16, 16}}](m, 3, 4)',
   'plane[{{1, 1}, {16, 16}}](m, 3, 4); assert(m[2][3] == 7)'},
  {'k[{blocks, threads}](...)', 'twice[{3}](x, 12)', 'k[{blocks, threads}]',
   'blocks, threads = 1, 32; twice[{blocks, threads}](x, 12)'},
  {"is called with the kernel's arguments", 'return twice[{1, 32}][x]',
   'k[{grid, block}](x)', 'twice[{1, 32}](x, 12)'},
  {'this is a function of Lua, no kernel: f(x) calls it',
   'return print[{1, 32}]', 'f(x) calls it',
   'f = function(v) return v end; return f(x)'},
  -- lua/bind: places
  {'the array of shape %s lives on %s; %s:copy_to_host()',
   'np.linalg.det(dm["0:3, 0:3"])', ':copy_to_host()',
   'np.linalg.det(dm["0:3, 0:3"]:copy_to_host())'},
  {' - %s:copy_to_host() shows it', 'error(tostring(dx))',
   'dx:copy_to_host()', 'assert(tostring(dx:copy_to_host()):find("array"))'},
  {'works on device arrays, and this one is on the host', 'x:copy_to_host()',
   'cuda.to_device(x)', 'cuda.to_device(x):copy_to_host()'},
  {'cuda.to_device takes an array, not %s', 't = {1}; cuda.to_device(t)',
   'np.array(t, "f32")', 'cuda.to_device(np.array(t, "f32"))'},
  {'is not read alone', 'return dm["0, 1"]', 'dm:copy_to_host()',
   'assert(dm:copy_to_host()["0, 1"] == 1)'},
  {'reads it, %s["%lld:%lld"] stays there', 'return dx[3]',
   'dx:copy_to_host()[3] reads it, dx["3:4"]',
   'assert(dx:copy_to_host()[3] == 3); assert(dx["3:4"].shape[1] == 1)'},
  {'%s:copy_to_host()[%lld] reads it', 'return dx[-1]',
   'dx:copy_to_host()[-1]', 'assert(dx:copy_to_host()[-1] == 11)'},
  -- lua/bind: np
  {'write x:lt(y) or np.less(x, y)', 'return x < y', 'x:lt(y)',
   'assert(not x:lt(y)[5]); np.less(x, y)'},
  {'write x:le(y) or np.less_equal(x, y)', 'return x <= y', 'x:le(y)',
   'assert(x:le(y)[1]); np.less_equal(x, y)'},
  {'(x:copy() can be written)',
   'r = np.broadcast_to(np.ones(1), 3); r[0] = 2', 'x:copy()',
   'r = r:copy(); r[0] = 2'},
  {'(x:item() gives its number)', 'return np.array(3)[0]', 'x:item()',
   'assert(np.array(3):item() == 3)'},
  {'or ipairs(x:tolist())', 'for _, v in ipairs(x) do end',
   'for i = 0, #x - 1 do local row = x[i]',
   'for i = 0, #x - 1 do local row = x[i] end; ' ..
   'for _, v in ipairs(x:tolist()) do end'},
  {'an array is not a function: an index stands in brackets', 'return x(1)',
   'x:sum()', 'return x[1] + x:sum()'},
  {'nonzero: the array has no axes; np.ravel(x)', 'np.nonzero(np.array(3))',
   'np.ravel(x)', 'np.nonzero(np.ravel(np.array(3)))'},
  {'are no whole numbers: x:astype("i64")', 'np.bincount(x)',
   'x:astype("i64")', 'np.bincount(x:astype("i64"))'},
  {'the arrays stand in a table, np.concatenate({x, y})',
   'np.concatenate(x, y)', 'np.concatenate({x, y})', 'np.concatenate({x, y})'},
  {'distinct rows are np.unique(x, {axis = 0})', 'm:unique({axis = 0})',
   'np.unique(x, {axis = 0})', 'np.unique(m, {axis = 0})'},
  {'the first argument is no generator', 'np.random.default_rng().random(3)',
   'rng = np.random.default_rng(seed)',
   'seed, n = 1, 3; rng = np.random.default_rng(seed); rng:random(n)'},
  {'there are two bools, not %lld', 'np.arange(5, "bool")',
   'np.arange(n):ne(0)',
   'local n = 5; assert(np.sum(np.arange(n):ne(0)) == 4)'},
  {'power: integers to negative integer powers', 'np.power(np.arange(3), -1)',
   'x:astype("f64")', 'np.power(np.arange(1, 3):astype("f64"), -1)'},
  {'or a comparison such as x:gt(0)', 'np.sum(x, {where = y})',
   'mask:astype("bool")',
   'mask = y; np.sum(x, {where = mask:astype("bool")}); ' ..
   'np.sum(x, {where = x:gt(0)})'},
  {'; use logical_xor or logical_not', 'return np.negative(x:gt(0))',
   'x:astype("i32")', 'return np.negative(x:gt(0):astype("i32"))'},
  {'; it works on integers: x:astype("i32")', 'np.bitwise_and(x, y)',
   'x:astype("i32")', 'np.bitwise_and(x:astype("i32"), y:astype("i32"))'},
  {'made by np.complex(re, im), not by a table',
   'return np.fft.fft(x) + {real = x}', 'np.complex(re, im)',
   're, im = x, y; return np.fft.fft(x) + np.complex(re, im)'},
  {'take z.real, z.imag or np.abs(z)', 'z = np.fft.fft(x); np.array(z)',
   'z.real', 'np.array(z.real); np.array(z.imag); np.abs(z)'},
  {'arrays of type %s are not supported: x:astype("f32")',
   'np.linalg.inv(np.eye(2, {dtype = "f16"}))', 'x:astype("f32")',
   'np.linalg.inv(np.eye(2, {dtype = "f16"}):astype("f32"))'},
  {'cannot be written; np.array(x) can', 'np.copyto(3, 4)',
   'np.array(x)', 'x = 3; np.copyto(np.array(x), 4)'},
  -- jax
  {'No JVP defined',
   'jax.jvp(jax.custom_jvp(function(v) return v end), {1.0}, {1.0})',
   'f:defjvp(function(primals, tangents)',
   'f = jax.custom_jvp(function(v) return v end); ' ..
   'f:defjvp(function(p, t) return p[1], t[1] end); jax.jvp(f, {1.0}, {1.0})'},
  {'jax.config is changed by jax.config.update', 'jax.config.jax_x = true',
   'jax.config.update("jax_x", value)',
   'jax.config.update("jax_enable_x64", false)'},
  {'debug.print takes a text first', 'jax.debug.print(x)',
   'jax.debug.print("x = {}", x)', 'jax.debug.print("x = {}", x)'},
  {'the arrays stand in a table: jnp.concatenate({x, y})',
   'jnp.concatenate(x, y)', 'jnp.concatenate({x, y})',
   'jnp.concatenate({x, y})'},
  {'Integers cannot be raised to negative powers', 'return j ^ -1',
   'x:astype("f32")', 'return j:astype("f32") ^ -1'},
  {'a single key has no elements', 'return key[0]',
   'jax.random.split(key)', 'return jax.random.split(key)[0]'},
  {'random.%s: the first argument is a key',
   'jax.random.uniform(3)', 'jax.random.key(seed)',
   'seed = 3; jax.random.uniform(jax.random.key(seed))'},
  {'%s lives on the host and %s on %s: cuda.to_device(%s)', 'np.add(y, dx)',
   'cuda.to_device(y) copies the one over, dx:copy_to_host()',
   'np.add(cuda.to_device(y), dx); np.add(y, dx:copy_to_host())'},
  -- lua/bind: devices, modules, textures, files
  {'no device is called "%s"', 'cuda.select("gpu7")', 'cuda.devices()',
   'assert(#cuda.devices() > 0); cuda.select(cuda.device().id)'},
  {'. A template needs its instantiation',
   's = "template <int N> __global__ void f(int *o) { o[0] = N; }"; ' ..
   'return cuda.module(s).f', 'cuda.module(source, {instantiate = {"f<',
   's = "template <int N> __global__ void f(int *o) { o[0] = N; }"; ' ..
   'source = s; k = cuda.module(source, {instantiate = {"f<3>"}})["f<3>"]; ' ..
   'o = np.zeros(1, "i32"); k[{1, 1}](o); assert(o[0] == 3)'},
  {'gives them as m.name',
   'cuda.kernel("__global__ void a() {} __global__ void b() {}")',
   'm = cuda.module(source)',
   'source = "__global__ void a() {} __global__ void b() {}"; ' ..
   'm = cuda.module(source); m.a[{1, 1}]()'},
  {'there is no counter "%s"',
   'return cuda.profile(function() twice[{1, 32}](x, 12) end).nothing',
   'cuda.counters()', 'assert(#cuda.counters() > 0)'},
  {'what is copied is a view with gaps, which no copy follows',
   's, z = cuda.stream(), cuda.device_array(3, "f32"); s:begin_capture(); ' ..
   'z:copy_from(m[":, 0"], s)', 'x:copy()',
   'local c = m[":, 0"]:copy(); s:begin_capture(); z:copy_from(c, s); ' ..
   's:end_capture():launch(); cuda.synchronize()'},
  {'s:wait(e) on the captured stream', 's, e = cuda.stream(), cuda.event(); ' ..
   'e:record(); s:begin_capture(); s:wait(e)',
   'wait before the capture begins',
   's:wait(e); s:begin_capture(); s:end_capture():launch()'},
  {'s:end_capture(): nothing is being captured', 'cuda.stream():end_capture()',
   's:begin_capture()',
   's = cuda.stream(); s:begin_capture(); s:end_capture()'},
  {'kernel_node_set_params: node %d is no kernel',
   's = cuda.stream(); s:begin_capture(); dx:fill(1, s); ' ..
   'g = s:end_capture(); g:kernel_node_set_params(1, 2)', 'nodes()',
   'assert(g:nodes()[1].kind == "memset")'},
  {'kernel_node_set_params: %s is on the host',
   's = cuda.stream(); s:begin_capture(); ' ..
   'twice{grid = 1, block = 32, stream = s}(dx, 12); g = s:end_capture(); ' ..
   'g:kernel_node_set_params(1, x, 12)', 'cuda.to_device(x)',
   'g:kernel_node_set_params(1, cuda.to_device(x), 12); g:launch(); ' ..
   'cuda.synchronize()'},
  {'%.80s is on the host, and the launch would copy it',
   's = cuda.stream(); s:begin_capture(); ' ..
   'twice{grid = 1, block = 32, stream = s}(x, 12)', 'd = cuda.to_device(x)',
   'd = cuda.to_device(x); s:begin_capture(); ' ..
   'twice{grid = 1, block = 32, stream = s}(d, 12); ' ..
   's:end_capture():launch(); cuda.synchronize()'},
  {'this event was never recorded', 'cuda.event():synchronize()',
   'e:record()', 'e = cuda.event(); e:record(); e:synchronize()'},
  {'textures hold u8', 'cuda.array(d)', 'x:astype("f32")',
   'cuda.array(d:astype("f32"))'},
  {'must be contiguous: x:copy() packs it',
   'a = cuda.array(np.ones({4, 3}, "f32")); a:copy_from(dm.T)', 'x:copy()',
   'a = cuda.array(np.ones({4, 3}, "f32")); a:copy_from(dm.T:copy())'},
  {'cuda.texture(cuda.array(x)) copies it', 'cuda.texture(x)',
   'cuda.texture(cuda.array(x))', 'cuda.texture(cuda.array(x))'},
  {'.npy files have no bf16',
   'b = x:astype("bf16"); np.save(os.tmpname(), b)', 'x:astype("f32")',
   'f = os.tmpname(); np.save(f, x:astype("bf16"):astype("f32")); ' ..
   'os.remove(f)'},
  {'argument %d lives on the host, argument %d on %s',
   'f = cuda.ElementwiseKernel("f32 a, f32 b", "f32 c", "c = a + b", "f"); ' ..
   'f(y, dx)', 'cuda.to_device(x)', 'f(cuda.to_device(y), dx)'},
  {'%s: %s is %s, and an array of %s is given',
   'f = cuda.ElementwiseKernel("f32 a", "f32 c", "c = a", "f"); f(d)',
   'x:astype("f32")', 'f(d:astype("f32"))'},
  {'%s: argument %d lives on %s, argument %d on %s: cuda.to',
   'f = cuda.vectorize("f32(f32, f32)", function(a, b) return a + b end); ' ..
   'f(y, dx)',
   'cuda.to_device(x)', 'f(cuda.to_device(y), dx)'},
  -- jax
  {'and does not take jax arrays or traced values', 'np.array_repr(j)',
   'np.asarray(x)', 'np.array_repr(np.asarray(j))'},
  {'jvp: %s are a table, one for each',
   'jax.jvp(function(a) return a end, 1.0, 1.0)', 'jax.jvp(f, {x}, {t})',
   'f = function(a) return a end; x, t = 1.0, 1.0; jax.jvp(f, {x}, {t})'},
  {'Convert it, x:astype("f32"), or choose others',
   'jax.grad(function(a) return jnp.sum(a * 1.0) end)(j)', 'x:astype("f32")',
   'jax.grad(function(a) return jnp.sum(a * 1.0) end)(j:astype("f32"))'},
  {'Gradient only defined for scalar-output functions',
   'jax.grad(function(a) return a * 2 end)(jnp.ones(3))',
   'jax.vmap(jax.grad(f))',
   'f = function(a) return a * 2 end; jax.vmap(jax.grad(f))(jnp.ones(3)); ' ..
   'jax.jacrev(f)(jnp.ones(3))'},
  {'cond_fun must return a boolean scalar',
   'jax.lax.while_loop(function(i) return i end, ' ..
   'function(i) return i + 1 end, 0)', 'jnp.less(x, 3)',
   'jax.lax.while_loop(function(i) return jnp.less(i, 3) end, ' ..
   'function(i) return i + 1 end, 0)'},
  {'No VJP defined', 'jax.grad(jax.custom_vjp(function(v) return v end))(1.0)',
   'f:defvjp(fwd, bwd)',
   'f = jax.custom_vjp(function(v) return v end); ' ..
   'fwd = function(v) return v, v end; bwd = function(r, g) return g end; ' ..
   'f:defvjp(fwd, bwd); jax.grad(f)(1.0)'},
  {'x[...] = value: the value lives on the host', 'dx["0:12"] = y',
   'cuda.to_device(value)', 'value = y; dx["0:12"] = cuda.to_device(value)'},
  {'Array slice indices must have static',
   'jax.jit(function(a, i) return a[i .. ":3"] end)(j, 1)',
   'jax.lax.dynamic_slice(x, {i}, {size})',
   'jax.jit(function(x, i) ' ..
   'return jax.lax.dynamic_slice(x, {i}, {2}) end)(j, 1)'},
  {'array boolean indices must be concrete',
   'jax.jit(function(a) return a[a:gt(2)] end)(j)', 'jnp.where(mask, a, b)',
   'jax.jit(function(a) return jnp.where(a:gt(2), a, 0) end)(j); ' ..
   'jax.jit(function(a) return jnp.nonzero(a:gt(2), {size = 2}) end)(j)'},
  {'it takes arrays and numbers, not a table: jnp.array(t)',
   't = {1, 2}; jnp.sin(t)', 'jnp.array(t)',
   't = {1, 2}; jnp.sin(jnp.array(t))'},
  {'; == compares whole arrays', 'return x[x == 3]', 'x:eq(3)',
   'assert(x[x:eq(3)][0] == 3)'},
  {'how many results there are depends on the values',
   'jax.jit(function(a) return jnp.nonzero(a) end)(j)',
   'jnp.where(condition, a, b)',
   'jax.jit(function(a) return jnp.nonzero(a, {size = 3}) end)(j)'},
  {'where must be None or a boolean array', 'jnp.sum(j, {where = j})',
   'x:gt(0)', 'jnp.sum(j, {where = j:gt(0)})'},
  {'keys are not numbers', 'return key + 1', 'jax.random.bits(key)',
   'jax.random.bits(key); jax.random.key_data(key)'},
  {'a condition (if, while, and, or, not)',
   'jax.jit(function(a) if a:gt(1) then return a end return -a end)(1.0)',
   'jnp.where(c, a, b)',
   'jax.jit(function(a) return jnp.where(a:gt(1), a, -a) end)(1.0)'},
  {'== and ~= on the traced value',
   'jax.jit(function(a) return a == 1 end)(1.0)', 'jnp.equal(x, y)',
   'jax.jit(function(a) return jnp.equal(a, 1) end)(1.0); ' ..
   'jax.jit(function(a) return a:eq(1) end)(1.0)'},
  {'a `for` loop to the traced value',
   'jax.jit(function(n) local s = 0; for i = 1, n do s = s + i end; ' ..
   'return s end)(3)', 'jax.lax.fori_loop(first, last, f, x)',
   'jax.jit(function(n) return jax.lax.fori_loop(0, n, ' ..
   'function(i, s) return s + i end, 0) end)(3)'},
  {'ipairs and pairs do not go through the traced value',
   'jax.jit(function(a) for _, v in ipairs(a) do end; return a end)(j)',
   'for i = 0, #x - 1 do local row = x[i]',
   'jax.jit(function(x) for i = 0, #x - 1 do local row = x[i] end; ' ..
   'return x end)(j)'},
  {'a Lua table is indexed by the traced value',
   'jax.jit(function(i) local t = {1.0, 2.0}; return t[i] end)(1)',
   'jnp.stack(t)[i]',
   'jax.jit(function(i) local t = {1.0, 2.0}; return jnp.stack(t)[i] end)(1)'},
  {'ConcretizationTypeError: a number of the format',
   'jax.jit(function(a) string.format("%d", a); return a end)(1)',
   'jax.debug.print("{}", x)',
   'jax.jit(function(x) jax.debug.print("{}", x); return x end)(1)'},
  {'%s is an array, not a function: an index',
   'jax.jit(function(x) return x(1) end)(j)', 'x:sum()',
   'jax.jit(function(x) return x[1] + x:sum() end)(j)'},
  {'has no derivative here with respect to its parameter',
   'jax.jvp(function(a) return jax.lax.betainc(a, 1.0, 0.5) end, {2.0}, {1.0})',
   'jax.lax.stop_gradient(parameter)',
   'jax.jvp(function(a) return jax.lax.betainc(jax.lax.stop_gradient(a), ' ..
   '1.0, 0.5) end, {2.0}, {1.0})'},
  {'sigmoid takes floats, not %s', 'jax.nn.sigmoid(jnp.arange(3))',
   'x:astype("f32")',
   'local x = jnp.arange(3); jax.nn.sigmoid(x:astype("f32"))'},
  {"Lua's < and > on a traced value",
   'jax.jit(function(x, y) return x < y end)(1, 2)', 'jnp.less(x, y)',
   'jax.jit(function(x, y) return jnp.less(x, y) end)(1, 2); ' ..
   'jax.jit(function(x, y) return x:lt(y) end)(1, 2)'},
  {'shard_map needs a mesh: {mesh', 'jax.shard_map(print, {})',
   'jax.make_mesh({', 'jax.make_mesh({1}, {"i"})'},
  {'%s has %s where a PartitionSpec is to be', on_one('"i"', 'jax.P("i")'),
   'jax.P(...)', on_one('jax.P("i")', 'jax.P("i")')},
  {'shard_map needs %s: a PartitionSpec such as', on_one('nil', 'jax.P("i")'),
   'jax.P("i")', on_one('jax.P("i")', 'jax.P("i")')},
  {'For rank 0 outputs that differ between devices',
   on_one('jax.P("i")', 'jax.P("i")', 'jnp.sum(y)'), '(jnp.reshape(y, {1}))',
   on_one('jax.P("i")', 'jax.P("i")', 'jnp.reshape(jnp.sum(y), {1})')},
  {"require replication which can't be statically inferred",
   on_one('jax.P("i")', 'jax.P()'), '(jax.lax.psum(y, "i"))',
   on_one('jax.P("i")', 'jax.P()', 'jax.lax.psum(y, "i")') .. '; ' ..
   on_one('jax.P("i")', 'jax.P(), check_vma = false')},
  {'Mesh: device %d is %s; jax.devices() has', 'jax.sharding.Mesh({1}, {"i"})',
   'jax.devices()', 'jax.sharding.Mesh({jax.devices()[1]}, {"i"})'},
  {'Mesh takes lists of devices, such as', 'jax.sharding.Mesh(1, {"i"})',
   'jax.devices()', 'jax.sharding.Mesh(jax.devices(), {"i"})'},
  {'jax.make_mesh(sizes, names, {%s = ...})', 'jax.make_mesh({1}, {"i"}, 1)',
   'jax.make_mesh(sizes, names, {axis_types = ...})',
   'jax.make_mesh({1}, {"i"}, {axis_types = {"Auto"}})'},
  {'jax.sharding.Mesh(devices, names, {%s = ...})',
   'jax.sharding.Mesh(jax.devices(), {"i"}, 1)',
   'jax.sharding.Mesh(devices, names, {axis_types = ...})',
   'jax.sharding.Mesh(jax.devices(), {"i"}, {axis_types = {"Auto"}})'},
  {'%s: devices is a list of devices, such as',
   'jax.make_mesh({1}, {"i"}, {devices = 1})', 'jax.devices()',
   'jax.make_mesh({1}, {"i"}, {devices = jax.devices()})'},
  {'NamedSharding takes a mesh first', 'jax.sharding.NamedSharding(1)',
   'jax.make_mesh({8}, {"i"})',
   'jax.sharding.NamedSharding(jax.make_mesh({1}, {"i"}), jax.P("i"))'},
  {'NamedSharding takes a PartitionSpec behind the mesh',
   'jax.sharding.NamedSharding(jax.make_mesh({1}, {"i"}), "i")', 'jax.P("i")',
   'jax.sharding.NamedSharding(jax.make_mesh({1}, {"i"}), jax.P("i"))'},
  {'SingleDeviceSharding takes a device',
   'jax.sharding.SingleDeviceSharding(0)', 'jax.devices()[1]',
   'jax.sharding.SingleDeviceSharding(jax.devices()[1])'},
  {'so the manual axis types do not match', on_one('jax.P("i")', 'jax.P("i")',
   'jax.lax.fori_loop(0, 2, function(i, c) return c + y end, jnp.zeros(6))'),
   'jax.lax.pcast(x, "i", {to = "varying"})', on_one('jax.P("i")', 'jax.P("i")',
   'jax.lax.fori_loop(0, 2, function(i, c) return c + y end, ' ..
   'jax.lax.pcast(jnp.zeros(6), "i", {to = "varying"}))')},
}

-- Texts without a line to run, or that other tests run.
local elsewhere = {
  "HDF5 has no bf16", -- test_h5, where libhdf5 is
  "local t, kept, y = ...", -- not shown: how methods are told apart
  "cuda.range(name, f) needs a function",
  "cuda.memcpy_peer(to, from) takes two device arrays",
  "[{%lld, 128}]", -- parts of one line
  -- two devices: tests/lua/test_devices.lua
  '%s lives on %s, and this runs on %s: cuda.select("%s")',
  'takes a device such as "virtual:1"',
  'this is a method of a device: cuda.device():can_access_peer',
  "kernels on %s cannot reach the memory of %s",
  -- several devices: tests/jax/devices.lua
  "WARPSHOP_VIRTUAL_DEVICES=%d in the environment makes as many virtual ones",
  'cuda.comm: device %d is %s; there are names such as "virtual:1"',
  "the array of rank %d (%s) is on %s, and rank %d is %s",
  "bool is no number, and NCCL has none",
  "device_put takes a device behind the arrays, jax.devices()[2]",
  "device_put takes jax.sharding.NamedSharding(mesh, jax.P(...))",
  "pmap(f, {devices = {cpu, cpu}}), with cpu = jax.devices()[1]",
  -- a node of a cluster: tests/cli/node
  'asks for another node',
  -- a real GPU alone
  "bytes of parameters: a launch on a real GPU is counted up to",
  -- printed by a command, not raised: tests/cli/run
  "No kernel was launched: give a launch",
  "jax.lower(f, ...):%s()",
  "no launch to count%s", -- the first test below
  "print runs while a function is traced", -- a warning
  "is not available, and will be truncated", -- a warning
  -- each function of np.linalg and np.fft is jnp's, too; np's of arrays on the
  -- device are asked by lua/jax/jnp/device.lua first
  "%s.%s does not take jax arrays: np.asarray(x)",
  "cuda.to_device(%s) or %s:copy_to_host() brings them together",
}

local function run(line)
  return pcall(assert(load(line, "=line")))
end

test("nothing was launched yet", function()
  local fine, e = pcall(cuda.profile)
  equal(fine, false)
  equal(tostring(e):find("cuda.profile(function() k[{grid, block}](...) end)",
    1, true) ~= nil, true)
  local k, grid, block = cuda.kernel("__global__ void k() {}"), 1, 32
  cuda.profile(function() k[{grid, block}]() end)
end)

for _, case in ipairs(cases) do
  local wrong, suggested, mended = table.unpack(case, 2, 4)
  test(wrong, function()
    fresh()
    local fine, e = run(wrong)
    equal(fine, false, "fails")
    local found = tostring(e):find(suggested, 1, true)
    if not found then error(("%q is not in %s"):format(suggested, e)) end
    if mended then assert(run(mended)) end
  end)
end

-- ---- Nothing is left out ----

local function has_case(text)
  for _, case in ipairs(cases) do
    if text:find(case[1], 1, true) then return true end
  end
  for _, part in ipairs(elsewhere) do
    if text:find(part, 1, true) then return true end
  end
  return false
end

test("every text that suggests a line has a case", function()
  local missing, count = {}, 0
  for _, pattern in ipairs{"lua/bind/*/*.c", "lua/*.lua", "lua/np/*.lua",
      "lua/array/*.lua", "lua/cuda/*.lua", "lua/jax/*.lua",
      "lua/jax/*/*.lua"} do
    for path in io.popen("ls " .. pattern):lines() do
      for _, text in ipairs(texts_of(path)) do
        if suggests(text) then
          count = count + 1
          if not has_case(text) then missing[#missing + 1] = text end
        end
      end
    end
  end
  equal(count > 80, true, "texts are found")
  equal(table.concat(missing, "\n"), "")
end)

return tap.done()
