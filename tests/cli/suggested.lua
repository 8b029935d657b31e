-- SPDX-License-Identifier: Apache-2.0
-- What the program's C says to type or to run: each such text has a case here,
-- in which it is brought about, and what it says is done and does what it
-- promises (or it is listed with the reason why not here). A new text without a
-- case fails. The texts of lua/ are tests/lua/test_suggestions.lua's, those
-- about compile errors tests/lua/test_compile_words.lua's.
local tap = dofile("tests/lua/tap.lua")
local texts_of = dofile("tests/lua/texts.lua")
local test, equal = tap.test, tap.equal

local program = (os.getenv("BUILD") or "build") .. "/warpshop"
local home = os.getenv("PWD")
local scratch = io.popen("mktemp -d"):read("l")

local function shell(command)
  local f = assert(io.popen(("cd %s && export WARPSHOP_HOME=%s PATH=%s/%s:$PATH " ..
    "XDG_STATE_HOME=%s/state XDG_DATA_HOME=%s/data EDITOR=true; { %s\n} 2>&1"):format(
    scratch, home, home, os.getenv("BUILD") or "build", scratch, scratch, command)))
  local said = f:read("a")
  f:close()
  return (said:gsub("%s+", " "))
end

local function prompt(lines)
  local path = scratch .. "/typed"
  local f = assert(io.open(path, "w"))
  f:write(lines, "\n")
  f:close()
  return shell("warpshop --device virtual:0 repl < typed")
end

-- ---- Cases ----

local setup = [[
x = np.arange(64, "f32"); y = np.ones(64, "f32"); out = np.zeros(64, "f32"); n = 64
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = x[i] + y[i]; }
]]
local racing = [[
__global__ void r(float *out) {
  __shared__ float part[64];
  int i = threadIdx.x;
  part[i] = i;
  out[i] = part[(i + 1) % 64];
}
]]
local exercise = "warpshop exercise start vector-add mine.cu --force"

-- {part of the text, how it comes about, what is said, what is done then, what
-- that says}. A line that begins with "$ " is the shell's.
local cases = {
  -- gpu
  {"Pass #%s.", setup .. "add[{1, 80}](x, y, out, 80)", "Pass #x.",
   setup .. 'add[{1, 80}](x, y, out, #x)\n"is " .. out[63]', "is 64.0"},
  {"%s is a double, and so is what it meets",
   "__global__ void k(float *v) { v[blockIdx.x * blockDim.x + threadIdx.x] *= 1.1; }\n" ..
   'v = np.ones(4096, "f32"); print(cuda.profile(function() k[{32, 128}](v) end))',
   "write 1.1f",
   "__global__ void k(float *v) { v[blockIdx.x * blockDim.x + threadIdx.x] *= 1.1f; }\n" ..
   'v = np.ones(4096, "f32"); print(cuda.profile(function() k[{32, 128}](v) end))',
   "!is a double"},
  {"in a block: use smaller blocks and a larger grid", setup .. "add[{1, {64, 64}}](x, y, out, n)",
   "use smaller blocks and a larger grid", setup .. "add[{2, 1024}](x, y, out, n)",
   "2 blocks x 1024 threads"},
  {"__launch_bounds__ set that): use smaller blocks",
   "__global__ void __launch_bounds__(64) k(int *v) { v[threadIdx.x] = 1; }\n" ..
   'v = np.zeros(128, "i32"); k[{1, 128}](v)', "use smaller blocks",
   "__global__ void __launch_bounds__(64) k(int *v) {\n" ..
   "  v[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n" ..
   'v = np.zeros(128, "i32"); k[{2, 64}](v)', "2 blocks x 64 threads"},
  {"possible: pass a pointer instead",
   "struct big { float v[1100]; };\n" ..
   "__global__ void k(big b, float *o) { o[0] = b.v[0]; }",
   "k", "__global__ void k(const float *b, float *o) { o[0] = b[0]; }\n" ..
   "k[{1, 1}](np.ones(1100, 'f32'), np.ones(1, 'f32'))", "1 block x 1 thread"},
  {"write to another array",
   "__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n" ..
   "  float a = v[(i + 32) % n];\n  v[i] = a; }\n" ..
   'v = np.arange(64, "f32"); k[{2, 32}](v, 64)', "write to another array",
   "__global__ void k(const float *v, float *w, int n) {\n" ..
   "  int i = blockIdx.x * blockDim.x + threadIdx.x; w[i] = v[(i + 32) % n]; }\n" ..
   'v = np.arange(64, "f32"); w = np.zeros(64, "f32"); k[{2, 32}](v, w, 64)\n"w " .. w[0]',
   "w 32.0"},
  {"is no %s object: pass what cuda.%s(...) gives",
   "__global__ void k(cudaTextureObject_t t, float *o) { o[0] = tex2D<float>(t, 0, 0); }\n" ..
   "o = np.zeros(1, 'f32'); k[{1, 1}](7, o)", "pass what cuda.texture(...) gives",
   "__global__ void k(cudaTextureObject_t t, float *o) { o[0] = tex2D<float>(t, 0, 0); }\n" ..
   "o = np.zeros(1, 'f32')\n" ..
   "k[{1, 1}](cuda.texture(cuda.array(np.ones({2, 2}, 'f32'))), o)\n'o ' .. o[0]", "o 1.0"},
  {"use tex1D with the element's number + 0.5f",
   "__global__ void k(cudaTextureObject_t t, float *o) { o[0] = tex1Dfetch<float>(t, 1); }\n" ..
   "o = np.zeros(1, 'f32')\n" ..
   "k[{1, 1}](cuda.texture(cuda.array(np.arange(4, 'f32'))), o)", "+ 0.5f",
   "__global__ void k(cudaTextureObject_t t, float *o) { o[0] = tex1D<float>(t, 1 + 0.5f); }\n" ..
   "o = np.zeros(1, 'f32')\n" ..
   "k[{1, 1}](cuda.texture(cuda.array(np.arange(4, 'f32'))), o)\n'o ' .. o[0]", "o 1.0"},
  {"a texture or surface reference", "cuda.module[[.version 7.0\n.target sm_70\n" ..
   ".address_size 64\n.global .texref t;]]", "pass a cudaTextureObject_t to the kernel",
   "__global__ void k(cudaTextureObject_t t) {}", "k: "},
  {"there is no device '%s'; `warpshop device` lists them",
   "cuda.select('virtual:99')", "virtual", "$ warpshop device", "virtual:0"},
  {"run `warpshop` instead", "$ warpshop-device --help", "run `warpshop` instead",
   "$ warpshop --version", "warpshop"},
  {" Use int %s = %s; once",
   "__global__ void k(volatile int *a, int n) {\n" ..
   "  for (int j = 0; j < n; j++) { a[j] = 7; }\n}\n" ..
   "a = np.zeros(50000, 'i32'); k[{500, 128}](a, 50000)",
   "Use int j = blockIdx.x * blockDim.x + threadIdx.x; once, and if (j < n) for the loop",
   "__global__ void k(volatile int *a, int n) {\n" ..
   "  int j = blockIdx.x * blockDim.x + threadIdx.x; if (j < n) { a[j] = 7; } }\n" ..
   "a = np.zeros(50000, 'i32'); k[{500, 128}](a, 50000)\n'a ' .. a[49999]", "a 7"},
  -- grade
  {"edit it, then: warpshop grade %s %s", "$ " .. exercise,
   "then: warpshop grade vector-add mine.cu",
   "$ warpshop --device virtual:0 grade vector-add mine.cu", "fail:"},
  {"warpshop exercise test [NAME...|COURSE]", "$ warpshop exercise test --nonsense",
   "exercise test [NAME...|COURSE]", "$ warpshop exercise test saxpy vector-add", "ok solution passes"},
  {"usage: warpshop lesson test [COURSE] [N...] [--jobs N] [--json]",
   "$ warpshop lesson test --jsn 2", "[COURSE] [N...] [--jobs N] [--json]",
   "$ warpshop lesson test 2 --jobs 2 --json", '"holds": true'},
  {"warpshop exercise list", "$ warpshop exercise nonsense", "warpshop exercise list",
   "$ warpshop exercise list", "vector-add"},
  {"warpshop grade EXERCISE FILE", "$ warpshop grade", "warpshop grade EXERCISE FILE",
   "$ warpshop grade --help", "Judges each file"},
  {"no exercise \"%.80s\": warpshop exercise list", ":exercise zzzzzzzzzz",
   "warpshop exercise list shows all", "$ warpshop exercise list", "vector-add"},
  {"no exercise \"%.80s\"; did you mean", ":check vectr-add", "did you mean vector-add?",
   setup .. ":check vector-add", "pass"},
  -- :name
  {"; did you mean :%s", ":nxet", "did you mean :next?", ":next", "!There is no command"},
  {"; did you mean ", ":s", "did you mean :", ":help", ":check"},
  {". :help lists the commands.", ":zzzzzz", ":help lists the commands", ":help", ":check"},
  {'Commands begin with ":" here', "%matplotlib", ":help lists them", ":help", ":check"},
  {"%s: what you defined is still here", ":lesson 1\n:leave", ":back shows page 1.1 again, :next goes on",
   ":lesson 1\n:leave\n:next\n:leave\n:back", "page 2 of"},
  {"Free play: the exercise is left", ":exercise saxpy\n:leave", ":exercise NAME opens one again",
   ":exercise saxpy\n:leave\n:exercise saxpy", "y[i] = a * x[i]"},
  {":leave goes to free play", ":leave it", ":leave lesson forgets", ":lesson 1\n:leave lesson",
   "Lesson 1 is forgotten"},
  {"Lesson %d is forgotten; :lesson %d", ":lesson 1\n:leave lesson", ":lesson 1 begins it anew",
   ":lesson 1", "page 1 of"},
  {"The settings: :set review on", ":set it", ":set review on", ":set review off\n:set review on",
   "review on"},
  {"%s %s (:set %s %s changes it): %s\\n", ":set", ":set review off changes", ":set review off\n:set review on",
   "review on"},
  {"The workbook needs a terminal", ":workbook", ":lesson lists the lessons, :exercise the exercises",
   ":lesson\n:exercise", "have passed"},
  {"No lesson is open", ":next", ":lesson lists them, :lesson 1 opens the first",
   ":lesson\n:lesson 1", "page 1 of"},
  {"(The next page is :next.)", "next", "The next page is :next.", ":lesson 1\n:next", "page 2 of"},
  {"usage: warpshop batch SCRIPT", "$ warpshop batch", "usage: warpshop batch SCRIPT",
   "$ echo 'print(1)' > b.lua; warpshop batch b.lua --dry-run", "#SBATCH --gres=gpu:1"},
  {"batch sends one script", "$ echo 'print(1)' > b.lua; warpshop batch b.lua other",
   "warpshop batch b.lua -- other", "$ warpshop batch b.lua --dry-run -- other", "run b.lua other"},
  {"is there, and not of warpshop batch", "$ echo 'print(1)' > own.lua; echo echo > own.sbatch; " ..
   "warpshop batch own.lua", "--dry-run shows the batch script without",
   "$ warpshop batch own.lua --dry-run; cat own.sbatch", "run own.lua echo"},
  {"there is no Slurm here (no sbatch)", "$ echo 'print(41 + 1)' > b.lua; PATH=${PATH%%:*} warpshop batch b.lua",
   "warpshop run b.lua runs the script at once", "$ warpshop run b.lua", "42"},
  {"is CUDA C, and a script is Lua", "$ echo '__global__ void own(int *v) { v[0] = 7; }' > own.cu; " ..
   "warpshop run own.cu", "at the prompt, :load own.cu",
   ":load own.cu\nv = np.zeros(1, 'i32'); own[{1, 1}](v)\n'v ' .. v[0]", "v 7"},
  {"No exercise is open", setup .. ":check", ":check vector-add", setup .. ":check vector-add",
   "pass"},
  {"Nothing was handed in for %s yet", ":attempts outer-sum", "yet: :check keeps each attempt.",
   ":exercise outer-sum\n__global__ void wrong() {}\n:check\n:attempts", "compile-error 0/10"},
  {":attempts compares two attempts", ":exercise outer-sum\n__global__ void wrong() {}\n:check\n" ..
   ":attempts 1 400", ":attempts outer-sum 1", ":attempts outer-sum 1 1", "are the same text"},
  {"Type the function, then :check.", ":exercise no-loops", "Type the function, then :check.",
   ":exercise no-loops\nfunction standardize(x) return x end\n:check", "fail"},
  {"Type it or :edit it, then :check.", ":exercise saxpy", "Type it or :edit it, then",
   ":exercise saxpy\n__global__ void saxpy(float a, const float *x, " ..
   "float *y, int n) {}\n:check", "fail"},
  {"There is no %s here yet: :edit begins it.", "!rm -f batch-script.sh\n:check batch-script",
   "There is no batch-script.sh here yet", ":exercise batch-script\n:edit", "does not say account"},
  {":edit it, then :check.", ":exercise batch-script", ":edit it, then :check",
   ":exercise batch-script\n:edit\n:check", "does not say account"},
  {"Type the kernel first, or :edit the starter", ":check vector-add", "Type the kernel first",
   setup .. ":check vector-add", "pass"},
  {":save takes the name of a .cu file", setup .. ":save x.txt", "such as mine.cu",
   setup .. ":save own_add.cu", "bytes are saved"},
  {":load takes a file that ends in .cu or .lua", ":load x.txt", ".cu or .lua",
   "!echo 'answer = 42' > x.lua\n:load x.lua\n'the ' .. answer", "the 42"},
  {"No kernel was typed yet: :edit NAME, or type one", ":ptx", "No kernel was typed yet",
   setup .. ":ptx", ".visible .entry"},
  {"There is no kernel", setup .. ":ptx ad", "(:who lists yours)", setup .. ":who", "add"},
  {"is a jitted function, whose code", "f = jax.jit(function(v) return v * 2 end)\n:ptx f",
   ":floors f(x), or f:lower(x):ptx()",
   "f = jax.jit(function(v) return v * 2 end); x = jnp.ones(3)\n:floors f(x)\n" ..
   "print(f:lower(x):ptx())", ".entry"},
  {":access %d draws a request", setup .. "add[{1, 64}](x, y, out, n)\n:access",
   ":access 2 draws a request of line 2", setup .. "add[{1, 64}](x, y, out, n)\n:access 2",
   "one of them: block (0,0,0) warp 0"},
  {":map %d draws the next", "__global__ void many(float *x) { for (int i = 0; i < 9; i++) {\n" ..
   "  x[threadIdx.x] += i;\n  __syncthreads(); } }\n" ..
   "x = np.zeros(32, 'f32')\n:map many[{1, 32}](x)", ":map 9 draws the next",
   "__global__ void many(float *x) { for (int i = 0; i < 9; i++) {\n" ..
   "  x[threadIdx.x] += i;\n  __syncthreads(); } }\n" ..
   "x = np.zeros(32, 'f32')\nmany[{1, 32}](x)\n:map 9", "9 of 18 · line 2 reads x"},
  {"There is no access %ld: they are 1 to", setup .. "add[{1, 64}](x, y, out, n)\n:map 7",
   "they are 1 to 3, and :map draws all", setup .. "add[{1, 64}](x, y, out, n)\n:map",
   "3 of 3 · line 2 writes out"},
  {"Nothing was launched yet: give a launch", ":map", "such as :map k[{grid, block}](x).",
   setup .. ":map add[{1, 64}](x, y, out, n)", "3 of 3"},
  {"Nothing was launched yet: give a launch", ":profile", "such as :counters k[{grid, block}](x).",
   setup .. ":counters add[{1, 64}](x, y, out, n)", "sectors"},
  {"Nothing was launched yet: give a launch", ":blocks", "such as :blocks k[{grid, block}](x).",
   setup .. ":blocks add[{1, 64}](x, y, out, n)", "1 block"},
  {"A lesson is opened by its number", ":lesson zork", ":lesson lists them, :lesson 1 opens the first",
   ":lesson\n:lesson 1", "Two computers"},
  {"A lesson is opened by its number", ":lesson 3x", ":lesson lists them", ":lesson", "What is in this machine"},
  {"there is no option %s; did you mean", "$ warpshop --languge de version", "did you mean --language?",
   "$ warpshop --language de version", "warpshop"},
  {"there is no option %s: warpshop help", "$ warpshop --zork", "warpshop help lists them",
   "$ warpshop help", "--language"},
  {"Nothing to show yet: give a line", ":timeline", "such as :timeline k[{grid, block}](x).",
   setup .. ":timeline add[{1, 64}](x, y, out, n)", "kernel add"},
  {"reaches no memory. :access lists", setup .. "add[{1, 64}](x, y, out, n)\n:access 1",
   ":access lists those that do", setup .. "add[{1, 64}](x, y, out, n)\n:access",
   "A thread at most: 2 global reads, 1 global write"},
  {"No kernel was launched: give a launch", setup .. ":access (6 * 7)",
   "give a launch, such as k[{grid, block}](...)", setup .. ":access add[{1, 64}](x, y, out, n)",
   "A thread at most: 2 global reads"},
  {"Lines are numbered from 1: :access", setup .. "add[{1, 64}](x, y, out, n)\n:access 0",
   "Lines are numbered from 1: :access lists", setup .. "add[{1, 64}](x, y, out, n)\n:access",
   "A thread at most"},
  {"There is no command %s here; did you mean", setup .. ":debug add[{1, 64}](x, y, out, n)\npritn n\nquit",
   "did you mean print?", setup .. ":debug add[{1, 64}](x, y, out, n)\nprint n\nquit", "n = 64"},
  {"usage: :debug EXPRESSION, such as", setup .. ":debug", ":debug add[{32, 128}]",
   'x = np.arange(4096, "f32"); y = np.ones(4096, "f32"); out = np.zeros(4096, "f32")\n' ..
   setup:match("\n(.*)") .. ":debug add[{32, 128}](x, y, out, 4096)\nquit", "add"},
  {"No race was found yet. A launch on the virtual GPU", ":race", ":race shows both",
   racing .. ":device virtual:0\nr[{1, 64}](np.zeros(64, \"f32\"))\n:race",
   "1. writes part[0]"},
  {"Write :debug before the launch: continue stops", racing .. 'r[{1, 64}](np.zeros(64, "f32"))\n:race',
   "continue stops at the race", racing .. ':debug r[{1, 64}](np.zeros(64, "f32"))\ncontinue\nprint i + 1\nquit',
   "i + 1 ="},
  {"which is not one launch of arrays and numbers", "!warpshop exercise start scan scan.cu --force; " ..
   "warpshop grade scan scan.cu --keep own.case\n:debug own.case", "warpshop grade own.case judges it",
   "!warpshop exercise start scan scan.cu --force; warpshop grade scan scan.cu --keep own.case\n" ..
   "!warpshop grade own.case", "1 of 1 cases not right"},
  {"A call is needed, which is not made: :floors f(x)", ":floors", ":floors f(x)",
   "f = jax.jit(function(v) return v * 2 end); x = jnp.ones(3)\n:floors f(x)", "!A call is needed"},
  {"A jitted function is needed: :why f", ":why", ":why f",
   "f = jax.jit(function(v) return v * 2 end); f(jnp.ones(3)); f(jnp.ones(4))\n:why f",
   "!A jitted function is needed"},
  {"usage: :time [-n N]", ":time", "-n N", setup .. ":time -n 1 -r 1 --cold add[{1, 64}](x, y, out, n)",
   "kernel"},
  {"Did you mean %s?", "?np.sume", "Did you mean np.sum?", "?np.sum", "the sum"},
  {"?np, ?cuda, ?jax, ?jnp, ?frame, ?h5, ?ml and ?scale list", "?zzqqzz",
   "?np, ?cuda, ?jax, ?jnp, ?frame, ?h5, ?ml and ?scale list what they hold",
   "?np\n?cuda\n?jax\n?jnp\n?frame\n?h5\n?ml\n?scale\n:help", ":check"},
  {"The ]] inside the CUDA text closed", "k = cuda.kernel([[ __global__ void k(int *s, int *x) {\n" ..
   "s[x[0]] = 1; } ]])", "[==[",
   "k = cuda.kernel([==[ __global__ void k(int *s, int *x) {\ns[x[0]] = 1; } ]==])\nk.name", '"k"'},
  {"== and ~= ask whether both are", "x = np.ones(3); y = np.ones(3)\nx == y", "x:eq(y) compares",
   "x = np.ones(3); y = np.ones(3)\nx:eq(y)\nnp.array_equal(x, y)", "true"},
  {"and in jax c:all() is one", "x = jnp.ones(3)\nif x:gt(3) then print('taken') end",
   "c:all():item()", "x = jnp.ones(3)\nc = x:gt(0)\nc:all():item()", "true"},
  {"true: c:any() and c:all()", "x = np.ones(3)\nif x:gt(3) then print('taken') end",
   "c:any() and c:all()", "x = np.ones(3)\nc = x:gt(3)\nc:any()\nc:all()", "false"},
  {"the host's code, left out", setup .. "int main() { return 0; }", "k[{blocks, threads}](x) launches",
   "__global__ void k(float *v) { v[threadIdx.x] = 7; }\n" ..
   "x = np.ones(4, 'f32'); blocks, threads = 1, 4\nk[{blocks, threads}](x)\n'x ' .. x[3]", "x 7.0"},
  {"Did you mean %s%c%s?", "math.sqr(2)", "Did you mean math.sqrt?", "math.sqrt(4)", "2.0"},
  {"No variable is called %s. Did you mean", "counter = 3\ncountr()", "Did you mean counter?",
   "counter = 3\ncounter", "3"},
  {"o variable is called %s (:who lists", "own = 3\nqqq()", ":who lists yours", "own = 3\n:who", "own"},
  {"%s is CUDA C's: it stands in a kernel", "threadIdx.x", "threadIdx is CUDA C's: it stands in a kernel, which begins with __global__",
   "__global__ void own(int *v) { v[threadIdx.x] = threadIdx.x; }\nx = np.zeros(4, 'i32')\nown[{1, 4}](x)\n'x ' .. x[3]", "x 3"},
  {"%s is CUDA C's: it stands in a kernel", "atomicAdd(x, 1)", "atomicAdd is CUDA C's: it stands in a kernel, which begins with __global__",
   "__global__ void own(int *v) { atomicAdd(v, 1); }\nx = np.zeros(1, 'i32')\nown[{1, 4}](x)\n'x ' .. x[0]", "x 4"},
  {"o variable is called %s (:who lists", "__index()", ":who lists yours", "own = 3\n:who", "own"},
  {"No kernel is called %s (:who lists", "__global__ void own(int *v) { v[0] = 1; }\ntop[{1, 1}](1)", ":who lists yours",
   "__global__ void own(int *v) { v[0] = 1; }\n:who", "own"},
  {"Type the function %s first", ":check no-loops", "Type the function standardize first",
   "function standardize(x) return x, x end\n:check no-loops", "fail"},
  -- warpshop NAME
  {"there is no lesson %d; there are", ":lesson 99", "(warpshop lesson list)",
   "$ warpshop lesson list", "1"},
  {"no device is called", "$ warpshop --device tpu:0 run -e 'print(1)'",
   "(warpshop device lists those here)", "$ warpshop device", "virtual:0"},
  {"there is no command \"%s\"; did you mean %s?", "$ warpshop gradee", "did you mean grade?",
   "$ warpshop grade --help", "EXERCISE FILE"},
  {"a question to your instructors (warpshop class join)",
   "$ warpshop class new room1 --group $(id -gn)", "is a room",
   "$ warpshop class join room1 && warpshop class leave", "You are in room1"},
  {"You are in no room, so nobody would hear it. Your instructor says which folder it is: " ..
     "warpshop class join DIR enters it.", ":ask hello", "class join DIR enters it",
   "$ warpshop class new room2 --group $(id -gn); warpshop class join room2; " ..
     "printf ':ask hello\\n' | warpshop repl; warpshop class leave", "Asked."},
  {"hand in what was judged last, to your instructors (warpshop class join)",
   "$ warpshop class new room4 --group $(id -gn)", "is a room",
   "$ warpshop class join room4 && warpshop class leave", "You are in room4"},
  -- repl/command
  {":plot takes arrays of one axis, and %s has the shape %s: %s[0]",
   "m = np.ones({3, 4})\n:plot m", "m[0] is its first row; :image m shows all of it",
   "m = np.ones({3, 4})\n:plot m[0]\n:image m", "m[0] over its index"},
  {":plot takes arrays of one axis, and %s has the shape %s: %s:reshape",
   "m = np.ones({3, 4, 5})\n:plot m", "m:reshape(-1) is one",
   "m = np.ones({3, 4, 5})\n:plot m:reshape(-1)", "m:reshape(-1) over its index"},
  {"as many of both; :plot --index draws each",
   "x = np.arange(4); y = np.ones(5)\n:plot x, y", ":plot --index draws each",
   "x = np.arange(4); y = np.ones(5)\n:plot --index x, y", "A x B y over their index"},
  {"usage: :plot", ":plot", "--over: whatever x holds",
   "x = np.array{1, 3, 2}; y = np.arange(3)\n:plot --over x, y", "y over x"},
  {":image takes arrays of two axes, and %s has the shape %s: :plot %s draws it",
   "x = np.arange(4)\n:image x", ":plot x draws it", "x = np.arange(4)\n:plot x", "x over its index"},
  {":image takes arrays of two axes, or height x width x 3 or 4",
   "m = np.ones({3, 4, 5})\n:image m", "m[0] is its first part",
   "m = np.ones({3, 4, 5})\n:image m[0]", "m[0], 4 rows x 5 columns"},
  {":image takes arrays of two axes, and %s has the shape %s; see %s.shape",
   "m = np.ones({3, 4, 5, 6})\n:image m", "see m.shape",
   "m = np.ones({3, 4, 5, 6})\nm.shape", "5"},
  {"usage: :image ARRAY", ":image", "of two axes", ":image np.ones({2, 2})", "all are 1"},
  {"No exercise is open: name one, such as :submit vector-add",
   "$ warpshop class join room4; printf ':submit\\n' | warpshop repl",
   "name one, such as :submit vector-add",
   "$ printf ':exercise vector-add\\n:check\\n:submit vector-add\\n' | " ..
     "warpshop --device virtual:0 repl", "Handed in: vector-add, number 1"},
  {"was judged yet: :check it first. A file is handed in by: warpshop class submit FILE",
   ":submit halo-exchange", ":check it first", "$ cp " .. home .. "/exercises/vector-add/" ..
     "solution.cu vector-add.cu; warpshop class submit vector-add.cu",
   "Handed in: vector-add, number 2"},
  {"It is countersigned when your instructors collect next",
   "$ warpshop class submit vector-add.cu", "countersigned when your instructors collect",
   "$ printf ':receipts\\n' | warpshop repl; warpshop class leave", "not collected yet"},
  {":ask takes your question, in one line",
   "$ warpshop class new room3 --group $(id -gn); warpshop class join room3; " ..
     "printf ':ask\\n' | warpshop repl", "takes your question",
   "$ printf ':ask why?\\n' | warpshop repl; warpshop class leave", "Asked."},
  {"--report takes FORM=FILE, and %s; warpshop grade --help lists the forms",
   "$ " .. exercise .. "; warpshop grade vector-add mine.cu --report junitt=x",
   "warpshop grade --help lists the forms", "$ warpshop grade --help", "prairielearn"},
  {"neither what warpshop grade --json printed nor its journal",
   "$ warpshop grade --again mine.cu mine.cu", "neither what warpshop grade --json printed",
   "$ warpshop --device virtual:0 grade vector-add mine.cu --json > v.json; " ..
     "warpshop grade --again v.json mine.cu", "The verdict is the same."},
  {"grade has no option", "$ warpshop grade vector-add --jsn x.cu", "did you mean --json?",
   "$ warpshop --device virtual:0 grade vector-add --json mine.cu", "\"verdict\""},
  {"there is no command", "$ warpshop nonsense", "warpshop help lists them",
   "$ warpshop help", "grade"},
  {"usage: warpshop %s %s", "$ warpshop lesson --help", "usage: warpshop lesson",
   "$ warpshop lesson list", "1"},
  {"usage: warpshop [OPTION]", "$ warpshop help", "--device cuda:0|virtual:0",
   "$ warpshop --device virtual:0 run -e 'print(6 * 7)'", "42"},
  {"there is no code %s; did you mean", "$ warpshop explain rcae", "did you mean race?",
   "$ warpshop explain race", "__syncthreads()"},
  {"there is no code %s: warpshop explain", "$ warpshop explain qqqqqqqq", "warpshop explain lists",
   "$ warpshop explain", "oob-write"},
  {"usage: warpshop explain", "$ warpshop explain a b", "usage: warpshop explain [CODE]",
   "$ warpshop explain race", "unordered use"},
  {"usage: warpshop device", "$ warpshop device --everything", "[--all]", "$ warpshop device --all",
   "Hopper"},
  {"usage: warpshop doctor", "$ warpshop doctor nonsense", "usage: warpshop doctor",
   "$ warpshop doctor", "NVRTC"},
  {"usage: warpshop repl", "$ warpshop repl nonsense", "usage: warpshop repl",
   "$ echo '6 * 7' | warpshop repl", "42"},
  {"is no lesson's number: warpshop lesson list", "$ warpshop learn warpshop one",
   "warpshop lesson list", "$ warpshop lesson list", "1"},
  {"usage: warpshop lesson show [COURSE] N", "$ warpshop lesson show", "with N from 1 to",
   "$ warpshop lesson show warpshop 1", "Enter"},
  {"is no course: it has no file named course (warpshop course new makes one)",
   "$ mkdir -p none; warpshop learn ./none", "warpshop course new makes one",
   "$ warpshop course new one; warpshop lesson list ./one", "A first lesson"},
  {"no course \"%.80s\"; ", "$ warpshop learn two", "a folder is named with a slash: ./two",
   "$ warpshop course new two; warpshop lesson list ./two", "A first lesson"},
  {"a lesson is made in a course's folder", "$ warpshop lesson new more",
   "warpshop course new DIR makes one",
   "$ warpshop course new three; cd three; warpshop lesson new more; warpshop lesson list .",
   "2 More"},
  {"made the course %s", "$ warpshop course new four", "warpshop learn ./four",
   "$ warpshop learn ./four", "A first lesson"},
  {"made lessons/%s", "$ cd four; warpshop lesson new five",
   "warpshop lesson test . 2", "$ cd four; warpshop lesson test . 2", " 0 failed"},
  {"made %s%s; change it, then", "$ cd four; warpshop exercise new six",
   "warpshop exercise test ./exercises/six",
   "$ cd four; warpshop exercise test ./exercises/six", "ok solution passes"},
  {"usage: warpshop course new DIR", "$ warpshop course new", "course new DIR",
   "$ warpshop course new eight", "its first lesson"},
  {"usage: warpshop course publish COURSE INTO", "$ warpshop course publish", "COURSE INTO",
   "$ warpshop course new twelve; warpshop course publish ./twelve learners", "made learners: 0 exercises"},
  {"usage: warpshop lesson new NAME", "$ warpshop lesson new", "lesson new NAME",
   "$ cd eight; warpshop lesson new nine", "lessons/02-nine.md"},
  {"usage: warpshop course list | new DIR", "$ warpshop course nonsense", "new DIR",
   "$ warpshop course new seven; warpshop course test seven", " 0 failed"},
  {"there are: lesson list", "$ warpshop lesson nonsense", "list [COURSE] | show",
   "$ warpshop lesson list; warpshop lesson show 2", "1"},
  {"usage: warpshop run", "$ warpshop run", "FILE|-e CODE|-", "$ warpshop run -e 'print(6 * 7)'", "42"},
}

-- Texts without a case, and why.
local elsewhere = {
  -- an error of ours, or of a machine that lacks something: nothing to type here
  "an error of warpshop itself", "CUDA's compiler, is not on this machine",
  "`warpshop doctor` lists where it was looked for", "see `ulimit -v`",
  "the program warpshop-device is not beside", "the program warpshop-learner is not beside", "cannot start the device server",
  "costs no points; warpshop doctor says", "`make learn` fetches it",
  "were not found: neither beside the program", -- WARPSHOP_HOME, below
  "nobody speaks to it: `warpshop --device slurm:", -- tests/cli/node
  "memory of virtual:%d, which this GPU cannot reach", -- tests/lua/test_devices.lua
  "warpshop top", "The keys of warpshop top", "; warpshop help top shows its options", -- tests/cli/top, tests/pty/top.sh
  ":rerun takes a number", "So many are not kept: :history", -- tests/pty/edit.sh, entries_run_again
  ":transcript ", ":transcript takes the name of a .md file", -- tests/pty/edit.sh
  "%s is an exercise. :exercise %s opens it", -- tests/cli/run
  -- typed on a terminal: tests/pty
  "The rest of the page ran unseen", "Its exercise: :exercise %s", -- tests/pty/flow.sh, stop_reading
  ":help lists everything", ":hint %s helps with the exercise",
  "Those were all %d hints", ":check %s judges it", "is still open: Ctrl-C gives up, :edit opens it",
  "Ctrl-D leaves, :help says more", "This key does nothing here; :help says more", "Enter alone passes; :leave leaves the page", -- tests/pty/keys.sh, flow.sh
  "(given up; :edit opens", "This page asks for %s", "That was the last page of the last",
  "warpshop class marks shows", ":receipts lists them", -- need an instructor: tests/class
  "hangs in its driver and cannot be ended", -- tests/class/turnstile
  -- tests/pty/flow.sh
  "That was the whole course",
  -- tests/pty/watch.sh
  "warpshop watch", "warpshop exercise solution ", "does without events and looks 5 times", "Those were all %d hints",
  "usage: warpshop exercism", -- tests/grade/formats
  -- tests/grade/publish
  "a number of hidden cases alone stands here", "PTX tells the types of a kernel",
  -- for authors: tests/grade/run
  "reference: %s was replaced",
  -- likewise: tests/lesson/courses, tests/unit/lesson.c, tests/unit/grade_exercise.c
  "%s is launched as %s[{blocks, threads}](...)", -- tests/unit/grade_launch.c
  "%s has no hints: :check names the lines that cost most", -- of a capstone
  "=; launch %d, %s[{", -- the place of a finding
  "a drawing says in words what it shows", -- tests/lesson/run
  "begins no comment that warpshop knows", "This course shows a solution to those",
  -- of the workbook, which a terminal alone has: tests/pty/workbook.sh
  "the prompt, where :check judges, too", "There is no workbook here: %s. :lesson lists",
  "exercise %s: :check judges, :edit opens it", "e opens it here; :check judges it at the prompt",
  "warpshop learn %s: %s", -- of each course of WARPSHOP_COURSES: tests/pty/lesson.sh
  -- of a verdict: tests/grade/explained
  ": use the CUDA C that the lesson teaches",
  "Write to the __shared__ array",
  "step its launches: lines, variables", -- a line of :help
  "The keys of :map",
  "jax.lower(%.*s%s", -- a piece of code
  "usage: %s", "usage: warpshop exercise %s", "Judges each file as an answer", "warpshop: %s\\nusage",
  "warpshop kernels", "warpshop practice: no secret", "=:plot", "=:image", "=:load ", "=:save ", "=:leave ", "local id = ...",
  '\\n"', "$><=;|&{}()[]",
}

local function take(line)
  local command = line:match("^%$ (.*)")
  return command and shell(command) or prompt(line)
end

for _, case in ipairs(cases) do
  local part, wrong, said, right, does = table.unpack(case)
  test(part, function()
    local answer = take(wrong)
    if not answer:find(said, 1, true) then error(("%q is not in %s"):format(said, answer)) end
    if not right then return end
    answer = take(right)
    local absent = does:match("^!(.*)")
    if (answer:find(absent or does, 1, true) ~= nil) == (absent ~= nil) then
      error(("%q: %s"):format(does, answer))
    end
  end)
end

-- ---- Nothing is left out ----

local marks = {"%f[%w]warpshop [a-z]", "`", "^:%l%l", "[ (]:%l%l", "[%a%%]%[{", "[:;,] use ",
  "%f[%w]Use ", "[:;,] pass ", "%f[%w]Pass ", "[:;,] write ", "%f[%w]Write ",
  "%l:[%l_]+%(", "[Dd]id you mean", "usage: "}

local function suggests(text)
  for _, mark in ipairs(marks) do
    if text:find(" ", 1, true) and text:find(mark) then return true end
  end
end

local function has_case(text)
  for _, case in ipairs(cases) do
    if text:find(case[1], 1, true) then return true end
  end
  for _, part in ipairs(elsewhere) do
    if "=" .. text == part or text:find(part, 1, true) then return true end
  end
end

-- Tables with tests of their own: the compiler's words, and below.
local tables = {"/words/", "unknown%.def", "wrong_name%.def", "python%.def", "glossary%.def",
  "vgpu/debug", "debug_command%.def"}

test("every text that suggests something has a case", function()
  local missing, count = {}, 0
  for path in io.popen("find gpu grade repl base -name '*.c' -o -name '*.def'"):lines() do
    local own = false
    for _, name in ipairs(tables) do own = own or path:find(name) ~= nil end
    for _, text in ipairs(own and {} or texts_of(path)) do
      if suggests(text) then
        count = count + 1
        if not has_case(text) then missing[#missing + 1] = path .. ": " .. text end
      end
    end
  end
  equal(count > 80, true, "texts are found")
  equal(#missing == 0, true, "these texts suggest something: add a case for each in " ..
    "tests/cli/suggested.lua, or a row in `elsewhere` there that says why not:\n" ..
    table.concat(missing, "\n") .. "\n")
end)

-- ---- Tables of habits ----

test("what a method of another language becomes runs", function()
  local count = 0
  for line in io.lines("repl/eval/wrong_name.def") do
    local name = line:match('^METHOD%("(%w+)"')
    if name and name ~= "log" then
      local wrong = ('t = {3, 1, 2}; other = {4}; value = 5\nt.%s(1)'):format(name)
      if ("split strip replace startswith endswith"):find(name, 1, true) then
        wrong = ('t = "a text"\nt:%s(1)'):format(name)
      end
      local answer = prompt(wrong)
      local code = answer:match("of this kind: (.*) $")
      if code then
        local said = prompt(wrong:match("^[^\n]*") .. "\n" .. code)
        equal(said:find("rror", 1, true) or said:find("attempt", 1, true), nil, code .. said)
        count = count + 1
      elseif not ("insert remove sort len size length values"):find(name, 1, true) then
        error(name .. ": " .. answer)
      end
    end
  end
  equal(count > 12, true)
end)

-- With something in place of the groups and of the dots.
local function compiles(code)
  for _, group in ipairs{"a", "f()", '"+"', "+", "a, b"} do
    local filled = code:gsub("\\1", "a"):gsub("\\%d", group)
    for _, rest in ipairs{"", "1"} do
      local whole = filled:gsub("%.%.%.", rest)
      if load(whole) or load("return " .. whole) then return true end
    end
  end
end

test("the examples for Python and C are Lua", function()
  for line in io.lines("repl/eval/python.def") do
    local answer = line:match('^PYTHON%(".*", ("[^\n]*")%)$')
    local text = answer and load("return " .. answer)() or ""
    for code in text:gmatch("\n  ([^\n]*)") do
      if not code:find("^!") and not code:find("^__global__") and not compiles(code) then
        error(code)
      end
    end
  end
end)

-- np.sum, cuda.select, x:astype: names in the answers are there.
test("the names in answers exist", function()
  for _, path in ipairs{"repl/eval/wrong_name.def", "lua/bind/state/bind_names.def"} do
    for line in io.lines(path) do
      local answer = line:match('^%u+%("[^"]*", *(.*)%)$') or ""
      for name in answer:gmatch("%f[%w.][jnmc]%a+%.[%w_.]+") do
        local value = _G
        for part in name:gmatch("[%w_]+") do
          value = value and value[part]
        end
        if name:find("^j?np%.") or name:find("^jax%.") or name:find("^cuda%.") then
          if value == nil then error(line) end
        end
      end
    end
  end
end)

os.execute("rm -rf " .. scratch)
return tap.done()
