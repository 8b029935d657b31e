// SPDX-License-Identifier: Apache-2.0
// gpu/nvrtc through its real worker: code, kernels, headers, options,
// diagnostics, the worker's life.
#include "nvrtc_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/str.h"
#include "gpu/nvrtc/words/nvrtc_log.h"
#include "gpu/nvrtc/words/nvrtc_suggest.h"

// ---- Code and kernels ----

static void makes_cubin(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile(add_source, ERR_OK);
  assert_false(p->is_ptx);
  assert_memory_equal(p->code, "\177ELF", 4);
  assert_string_equal(p->arch, "sm_80");
  assert_false(p->is_cached);
  assert_int_equal(strlen(p->key), 64);
  assert_int_equal(p->kernel_count, 1);
  const struct nvrtc_kernel *k = &p->kernels[0];
  assert_string_equal(k->mangled, "_Z3addPKfS0_Pfi");
  assert_in_range(k->registers, 4, 64);
  assert_int_equal(k->param_count, 4);
  assert_string_equal(k->params[0].name, "x");
  assert_string_equal(k->params[0].declared, "const float *");
  assert_true(k->params[0].is_const);
  assert_false(k->params[2].is_const);
  assert_int_equal(k->params[2].type, NVRTC_F32);
  assert_int_equal(k->params[3].type, NVRTC_I32);
  assert_int_equal(k->params[3].bytes, 4);
  nvrtc_program_free(p);
}

static void makes_ptx(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile_as((struct nvrtc_request){.source = add_source,
                                        .arch = "compute_80",
                                        .want_ptx = true,
                                        .no_cache = true},
                 ERR_OK);
  assert_true(p->is_ptx);
  assert_int_equal(strlen(p->code), p->code_bytes);
  assert_non_null(strstr(p->code, ".target sm_80"));
  assert_non_null(strstr(p->code, ".entry _Z3addPKfS0_Pfi"));
  assert_non_null(strstr(p->code, ".loc"));      // -lineinfo
  assert_int_equal(p->kernels[0].registers, -1); // a real GPU's
  nvrtc_program_free(p);
}

// PTX is made without ptxas only where that would have nothing to say: what it refuses
// and what it warns of stays, whatever is wanted.
static void hears_ptxas(void **state) {
  (void)state;
  NEED_NVRTC();
  static const struct {
    const char *source;
    enum err want;
    const char *says; // or NULL: nothing
  } rows[] = {
      {"__global__ void k(float *x) { asm(\"no.such %0;\" :: \"f\"(*x)); }",
       ERR_COMPILE, "Unknown modifier"},
      {"extern __device__ float f(float);\n"
       "__global__ void k(float *x) { *x = f(*x); }",
       ERR_COMPILE, "Unresolved extern function"},
      {"__global__ void k(float *x) {\n  __shared__ float t[12500];\n"
       "  t[threadIdx.x] = *x;\n  *x = t[7];\n}\n",
       ERR_COMPILE, "too much shared memory"},
      {"__constant__ float c[20000];\n"
       "__global__ void k(float *x) { *x = c[threadIdx.x]; }",
       ERR_COMPILE, "too much global constant data"},
      {"struct s { float f[1100]; };\n"
       "__global__ void k(struct s s, float *x) { *x = s.f[threadIdx.x]; }",
       ERR_OK, NULL},
      {"__device__ __noinline__ int f(int n) {\n"
       "  return n < 2 ? n : f(n - 1) + f(n - 2);\n}\n"
       "__global__ void k(int *x) { *x = f(*x); }",
       ERR_OK, NULL},
      {"__global__ void __launch_bounds__(1024, 32) k(float *x) { *x = 1; }",
       ERR_OK, ".minnctapersm will be ignored"},
      {"__global__ void k(float *x) { float t[64];\n"
       "  for (int i = 0; i < 64; i++) t[i] = x[i];\n"
       "  *x = t[(int)x[64]]; }",
       ERR_OK, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct nvrtc_request r = {.source = rows[i].source, .no_cache = true};
    struct nvrtc_program *as[2];
    for (int want_ptx = 0; want_ptx < 2; want_ptx++) {
      r.want_ptx = want_ptx;
      r.arch = want_ptx ? "compute_80" : "sm_80";
      as[want_ptx] = compile_as(r, rows[i].want);
    }
    assert_int_equal(as[1]->diagnostic_count, as[0]->diagnostic_count);
    for (int d = 0; d < as[0]->diagnostic_count; d++)
      assert_string_equal(as[1]->diagnostics[d].text,
                          as[0]->diagnostics[d].text);
    if (rows[i].says)
      assert_non_null(strstr(as[1]->diagnostics[0].text, rows[i].says));
    nvrtc_program_free(as[0]);
    nvrtc_program_free(as[1]);
  }
}

// Without ptxas: the same PTX, no registers, and nothing that only ptxas refuses.
static void leaves_ptxas_out(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char wide[] = "__global__ void k(float *x) {\n"
                             "  __shared__ float t[20000];\n"
                             "  t[threadIdx.x] = *x;\n  *x = t[7];\n}\n";
  struct nvrtc_request r = {.source = add_source,
                            .arch = "compute_80",
                            .want_ptx = true,
                            .no_cache = true};
  struct nvrtc_program *with = compile_as(r, ERR_OK);
  r.no_ptxas = true;
  struct nvrtc_program *p = compile_as(r, ERR_OK);
  assert_string_equal(p->code, with->code);
  assert_int_equal(p->kernels[0].registers, -1);
  nvrtc_program_free(with);
  nvrtc_program_free(p);
  r.source = wide;
  nvrtc_program_free(compile_as(r, ERR_OK));
  r.no_ptxas = false;
  nvrtc_program_free(compile_as(r, ERR_COMPILE));
  // A GPU's machine code is always ptxas's.
  r = (struct nvrtc_request){.source = add_source,
                             .arch = "sm_80",
                             .no_cache = true,
                             .no_ptxas = true};
  p = compile_as(r, ERR_OK);
  assert_false(p->is_ptx);
  nvrtc_program_free(p);
}

// Nor for the debugger is ptxas needed, or what a plain source does not name.
static void debug_code_is_as_whole(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char *const debug[] = {"-G"};
  char *whole_source = xasprintf("%s// std\n", add_source);
  struct nvrtc_request r = {.source = whole_source,
                            .arch = "compute_80",
                            .want_ptx = true,
                            .options = debug,
                            .option_count = 1,
                            .no_cache = true};
  struct nvrtc_program *whole = compile_as(r, ERR_OK);
  r.source = add_source;
  r.no_ptxas = true;
  struct nvrtc_program *p = compile_as(r, ERR_OK);
  assert_string_equal(p->code, whole->code);
  assert_int_equal(p->kernels[0].registers, -1);
  r.source = "__global__ void k(float *x) { *x = (float)cudaSuccess; }";
  nvrtc_program_free(compile_as(r, ERR_OK));
  nvrtc_program_free(whole);
  nvrtc_program_free(p);
  free(whole_source);
}

// A plain source is compiled without what it does not name. What it says, and what a
// whole compile can, stays the same.
static void is_as_whole(void **state) {
  (void)state;
  NEED_NVRTC();
  static const struct {
    const char *body;
    enum err want;
  } rows[] = {
      {"*x = tex2D<float>(t, 1, 2);", ERR_OK},
      {"*x = (float)cudaSuccess;", ERR_OK},
      {"*x = sizeof(std::initializer_list<int>);", ERR_OK},
      {"*x = texture_is_not_known;", ERR_COMPILE},
      {"uint3 u = threadIdx; printf(\"%u\", u.x); free(malloc(8));", ERR_OK},
      {"assert(*x > 0); __trap(); *x = warpSize + clock64();", ERR_OK},
      {"*x = max(1, 2) + rsqrtf(*x) + __ldg(x) + atomicAdd(x, 1);", ERR_OK},
      {"size_t n = 4; *x = n;", ERR_OK},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text =
        xasprintf("__global__ void k(float *x, unsigned long long t) {\n"
                  "  %s\n}\n",
                  rows[i].body);
    nvrtc_program_free(compile(text, rows[i].want));
    free(text);
  }
}

// The code of a program's kernels, without what only says where it came from.
static char *kernels_of(const struct nvrtc_program *p) {
  struct str out = STR_INIT;
  const char *at = strstr(p->code, ".visible .entry");
  assert_non_null(at);
  while (*at && !str_starts(at, "\t.file")) {
    size_t n = strcspn(at, "\n") + 1;
    if (!str_starts(at, "\t.loc") && !str_starts(at, "$L__tmp"))
      str_add_bytes(&out, at, n);
    at += n;
  }
  return str_take(&out);
}

// Cooperative groups without libcu++ give the same kernels; who names a part of it gets
// it, as does who reads it ("cuda/" is in its headers' names).
static void groups_are_as_whole(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char head[] =
      "#include <cooperative_groups.h>\n#include "
      "<cooperative_groups/reduce.h>\n"
      "#include <cooperative_groups/scan.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__global__ void k(int *x) {\n  auto b = cg::this_thread_block();\n"
      "  auto w = cg::tiled_partition<32>(b);\n";
  static const struct {
    const char *body;
    bool is_light;
  } rows[] = {
      {"x[b.thread_rank()] = 1; b.sync(); *x = x[5];", true},
      {"x[w.thread_rank()] = cg::reduce(w, *x, cg::plus<int>());", true},
      {"x[w.thread_rank()] = cg::exclusive_scan(w, *x, cg::greater<int>());",
       true},
      {"cg::this_grid().sync(); auto c = cg::coalesced_threads();"
       " x[c.size()] = c.any(*x) + w.shfl_xor(*x, 1);",
       true},
      {"x[0] = sizeof(cuda::std::tuple<int>);", false},
      {"*x = decltype(b)::thread_scope;", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = xasprintf("%s  %s\n}\n", head, rows[i].body);
    char *whole = xasprintf("%s// cuda/\n", text);
    struct nvrtc_request r = {.source = text,
                              .arch = "compute_90",
                              .want_ptx = true,
                              .no_ptxas = true,
                              .no_cache = true};
    struct nvrtc_program *light = compile_as(r, ERR_OK);
    r.source = whole;
    struct nvrtc_program *all = compile_as(r, ERR_OK);
    char *ours = kernels_of(light), *want = kernels_of(all);
    assert_string_equal(ours, want);
    assert_int_equal(!strstr(light->code, "cuda3std"), rows[i].is_light);
    assert_non_null(strstr(all->code, "cuda3std"));
    nvrtc_program_free(light);
    nvrtc_program_free(all);
    free(ours), free(want), free(text), free(whole);
  }
}

// A device that is newer than the compiler gets PTX, which its driver can
// translate; one that is too old, an answer.
static void knows_its_architectures(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile_as(
      (struct nvrtc_request){
          .source = add_source, .arch = "sm_999", .no_cache = true},
      ERR_OK);
  assert_true(p->is_ptx);
  assert_string_not_equal(p->arch, "sm_999");
  nvrtc_program_free(p);
  assert_null(compile_as((struct nvrtc_request){.source = add_source,
                                                .arch = "sm_20",
                                                .no_cache = true},
                         ERR_UNSUPPORTED));
  assert_non_null(strstr(last.text, "sm_20"));
  // What only one architecture has is there for its own name, with an a.
  static const char fence[] = "__global__ void k() { asm volatile("
                              "\"wgmma.fence.sync.aligned;\"); }";
  p = compile_as((struct nvrtc_request){.source = fence,
                                        .file = "fence.cu",
                                        .arch = "sm_90a",
                                        .no_cache = true},
                 ERR_OK);
  assert_string_equal(p->arch, "sm_90a");
  nvrtc_program_free(p);
  nvrtc_program_free(compile_as((struct nvrtc_request){.source = fence,
                                                       .file = "fence.cu",
                                                       .arch = "sm_90",
                                                       .no_cache = true},
                                ERR_COMPILE));
  static const char *const wrong[] = {"", "sm_", "80", "sm_80x", "sm_-1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_null(compile_as((struct nvrtc_request){.source = add_source,
                                                  .arch = wrong[i],
                                                  .no_cache = true},
                           ERR_ARGUMENT));
}

static void instantiates_templates(void **state) {
  (void)state;
  NEED_NVRTC();
  const char *const names[] = {"mm<float, 16>", "ns::scale<double>"};
  struct nvrtc_program *p = compile_as(
      (struct nvrtc_request){
          .source = "template <class T, int N> __global__ void mm(const T *a,\n"
                    "  T *b, int count) { b[count] = a[N]; }\n"
                    "namespace ns {\n"
                    "template <class T> __global__ void scale(T *v, T by) {\n"
                    "  *v *= by; }\n"
                    "__global__ void plain(unsigned *p) { *p = 1; }\n"
                    "}\n"
                    "template __global__ void mm<int, 2>(const int *, int *,\n"
                    "  int);\n",
          .instantiate = names,
          .instantiate_count = 2,
          .no_cache = true},
      ERR_OK);
  assert_int_equal(p->kernel_count, 4);
  int seen = 0;
  for (int i = 0; i < p->kernel_count; i++) {
    const struct nvrtc_kernel *k = &p->kernels[i];
    if (!strcmp(k->name, "mm<float, 16>")) {
      seen |= 1;
      assert_string_equal(k->params[0].declared, "const float *");
      assert_string_equal(k->params[2].name, "count");
    } else if (!strcmp(k->name, "ns::scale<double>")) {
      seen |= 2;
      assert_string_equal(k->params[1].name, "by");
      assert_int_equal(k->params[1].type, NVRTC_F64);
      assert_int_equal(k->params[1].bytes, 8);
    } else if (!strcmp(k->name, "ns::plain")) {
      seen |= 4;
      assert_int_equal(k->params[0].type, NVRTC_U32);
    } else if (!strcmp(k->name, "mm<int, 2>")) {
      seen |= 8;
      assert_int_equal(k->params[0].type, NVRTC_I32);
    }
  }
  assert_int_equal(seen, 15);
  nvrtc_program_free(p);
}

// What the source does not tell for sure is left open.
static void claims_nothing_wrong(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile(
      "typedef float real; struct pair { int a, b; };\n"
      "#define WIDE double\n"
      "#define KERNEL(n) __global__ void n(float *hidden) { *hidden = 1; }\n"
      "extern \"C\" __global__ void c(real *v, WIDE w, pair q, int n) {\n"
      "  v[n] = w + q.a; }\n"
      "__global__ void d(real *v, WIDE w, pair q, const pair *r) {\n"
      "  *v = w + q.b + r->a; }\n"
      "KERNEL(made)\n"
      "#if 0\n"
      "extern \"C\" __global__ void twice(float *a, int b) {}\n"
      "#else\n"
      "extern \"C\" __global__ void twice(float *other, float b) {\n"
      "  *other = b; }\n"
      "#endif\n",
      ERR_OK);
  assert_int_equal(p->kernel_count, 4);
  const struct nvrtc_kernel *c = &p->kernels[0], *d = &p->kernels[1];
  assert_string_equal(c->name, "c");
  assert_int_equal(c->params[0].type, NVRTC_OPAQUE);
  assert_int_equal(c->params[1].type, NVRTC_OPAQUE);
  assert_int_equal(c->params[1].bytes, 8);
  assert_int_equal(c->params[3].type, NVRTC_I32);
  assert_string_equal(d->name, "d");
  assert_int_equal(d->params[0].type, NVRTC_F32);
  assert_int_equal(d->params[1].type, NVRTC_F64);
  assert_int_equal(d->params[2].type, NVRTC_OPAQUE);
  assert_int_equal(d->params[2].bytes, 8);
  for (int i = 2; i < 4; i++) {
    const struct nvrtc_kernel *k = &p->kernels[i];
    assert_null(k->params[0].name);
    if (!strcmp(k->name, "twice")) {
      assert_int_equal(k->params[0].type, NVRTC_F32);
      assert_int_equal(k->params[1].type, NVRTC_OPAQUE);
      assert_string_equal(k->params[1].name, "b");
    }
  }
  nvrtc_program_free(p);
}

static void tells_resources(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void f(float *x, int n) {\n"
              "  __shared__ float part[256];\n"
              "  float mine[64];\n"
              "  for (int i = 0; i < 64; i++) mine[(i * n) & 63] = x[i];\n"
              "  part[threadIdx.x] = mine[n & 63];\n"
              "  __syncthreads();\n"
              "  x[n] = part[n];\n"
              "}\n",
              ERR_OK);
  assert_int_equal(p->kernels[0].shared_bytes, 1024);
  assert_in_range(p->kernels[0].local_bytes, 256, 512);
  nvrtc_program_free(p);
}

// ---- Headers ----

static void includes_what_kernels_use(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char *const together[] = {
      "cuda_runtime.h", "cuda.h",
      "stdio.h",        "cstdio",
      "assert.h",       "cassert",
      "math.h",         "cmath",
      "cstdint",        "stdint.h",
      "stdlib.h",       "cstdlib",
      "string.h",       "cstring",
      "cstddef",        "stddef.h",
      "limits.h",       "climits",
      "float.h",        "cfloat",
      "stdbool.h",      "inttypes.h",
      "algorithm",      "utility",
      "iostream",       "vector",
      "time.h",         "device_launch_parameters.h",
      "cuda_fp16.h",    "cuda_bf16.h",
      "mma.h",          "math_constants.h",
  };
  struct str s = STR_INIT;
  for (size_t i = 0; i < sizeof together / sizeof *together; i++)
    str_addf(&s, "#include <%s>\n", together[i]);
  str_add(&s,
          "__device__ const float inf = INFINITY;\n"
          "__global__ void f(float *o, std::uint8_t *b, int64_t n) {\n"
          "  assert(o != NULL); printf(\"%d\\n\", INT_MAX);\n"
          "  o[0] = std::sqrt(o[1]) + std::max(1, 2) + M_PI + FLT_MAX + inf;\n"
          "  o[1] = __half2float(__float2half(NAN)) + strlen(\"ab\");\n"
          "  std::swap(o[0], o[1]); b[n] = UINT8_MAX;\n"
          "}\n");
  struct nvrtc_program *p = compile(s.data, ERR_OK);
  assert_int_equal(p->diagnostic_count, 0);
  assert_int_equal(p->kernels[0].params[1].type, NVRTC_U8);
  assert_int_equal(p->kernels[0].params[2].type, NVRTC_I64);
  nvrtc_program_free(p);
  str_free(&s);
}

static void includes_the_large_ones(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile(
      "#include <cstdint>\n#include <cmath>\n#include <climits>\n"
      "#include <cooperative_groups.h>\n#include <curand_kernel.h>\n"
      "#include <cub/block/block_reduce.cuh>\n#include <cuda/std/limits>\n"
      "#include <limits>\n"
      "__global__ void f(float *o, std::int64_t n) {\n"
      "  curandState s; curand_init(n, 0, 0, &s);\n"
      "  using Reduce = cub::BlockReduce<float, 128>;\n"
      "  __shared__ typename Reduce::TempStorage storage;\n"
      "  float sum = Reduce(storage).Sum(curand_uniform(&s));\n"
      "  cooperative_groups::this_thread_block().sync();\n"
      "  *o = sum + std::numeric_limits<float>::max() + INT_MAX;\n"
      "}\n",
      ERR_OK);
  assert_int_equal(p->diagnostic_count, 0);
  nvrtc_program_free(p);
}

static void needs_no_header(void **state) {
  (void)state;
  NEED_NVRTC();
  nvrtc_program_free(compile("__global__ void f(int n) {\n"
                             "  assert(n > 0); printf(\"%d\\n\", n); }\n",
                             ERR_OK));
}

// As with nvcc, and what a source says of its own comes after.
static void needs_no_header_for_constants(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char *const offered[] = {
      "INFINITY",  "-INFINITY", "NAN",       "HUGE_VALF", "M_PI",
      "M_SQRT2",   "CHAR_BIT",  "SCHAR_MAX", "UCHAR_MAX", "SHRT_MIN",
      "USHRT_MAX", "INT_MIN",   "INT_MAX",   "UINT_MAX",  "LONG_MAX",
      "ULONG_MAX", "LLONG_MIN", "ULLONG_MAX"};
  for (size_t i = 0; i < sizeof offered / sizeof *offered; i++) {
    char *text = xasprintf(
        "__global__ void f(double *x) { x[0] = (double)%s; }\n", offered[i]);
    nvrtc_program_free(compile(text, ERR_OK));
    free(text);
  }
  static const char own[] =
      "#define INFINITY 1e30f\n#define MY_INT_MAX 7\n"
      "__global__ void f(float *x) { x[0] = INFINITY + MY_INT_MAX; }\n";
  struct nvrtc_program *p = compile_as(
      (struct nvrtc_request){
          .source = own, .arch = "compute_80", .want_ptx = true},
      ERR_OK);
  assert_int_equal(p->diagnostic_count, 0);
  assert_non_null(strstr(p->code, "1900671690")); // the bits of 1e30
  nvrtc_program_free(p);
}

// ---- Options ----

static void takes_listed_options(void **state) {
  (void)state;
  NEED_NVRTC();
  const char *const good[] = {"-DN=3",       "-DFLAG",      "-use_fast_math",
                              "-fmad=false", "--std=c++20", "-maxrregcount=32"};
  struct nvrtc_request r = {.source = "#ifndef FLAG\n#error no flag\n#endif\n"
                                      "__global__ void f(int *x) { *x = N; }\n",
                            .options = good,
                            .option_count = 6,
                            .no_cache = true};
  nvrtc_program_free(compile_as(r, ERR_OK));
  const char *const debug[] = {"-G", "-DN=1", "-DFLAG"};
  r.options = debug;
  r.option_count = 3;
  nvrtc_program_free(compile_as(r, ERR_OK));
}

static void refuses_other_options(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char *const bad[] = {"-I/etc",
                                    "--include-path=/etc",
                                    "-include=/etc/passwd",
                                    "-pch",
                                    "--create-pch=/tmp/x",
                                    "-time=/tmp/x",
                                    "-lto",
                                    "-arch=sm_90",
                                    "",
                                    "-D",
                                    "-D1",
                                    "-U",
                                    "-DA B",
                                    "-fmad=maybe",
                                    "-maxrregcount=",
                                    "-std=c++98",
                                    "-G -I/etc",
                                    "-fdevice-time-trace=/tmp/x",
                                    "-default-stream=legacy",
                                    "--pch-dir=/tmp"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(compile_as((struct nvrtc_request){.source = add_source,
                                                  .options = &bad[i],
                                                  .option_count = 1,
                                                  .no_cache = true},
                           ERR_ARGUMENT));
    assert_non_null(strstr(last.text, bad[i]));
    assert_non_null(strstr(last.text, "-use_fast_math"));
  }
}

// ---- Diagnostics ----

static void points_at_mistakes(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void add(const float *x, float *out, int n) {\n"
              "  int i = blokIdx.x * blockDim.x + threadIdx.x;\n"
              "\tif (i < n) out[i] = x[i] + 1\n"
              "}\n",
              ERR_COMPILE);
  assert_null(p->code);
  assert_int_equal(p->diagnostic_count, 2);
  const struct nvrtc_diagnostic *d = &p->diagnostics[0];
  assert_string_equal(d->file, "add.cu");
  assert_int_equal(d->line, 2);
  assert_int_equal(d->column, 11);
  assert_string_equal(d->text, "identifier \"blokIdx\" is undefined");
  assert_string_equal(d->hint, "did you mean blockIdx?");
  assert_int_equal(last.line, 2);
  assert_int_equal(last.col, 11);
  assert_string_equal(last.file, "add.cu");
  char *text = nvrtc_format(d, 1);
  assert_string_equal(
      text, "add.cu:2:11  error: identifier \"blokIdx\" is undefined\n"
            "  2 |   int i = blokIdx.x * blockDim.x + threadIdx.x;\n"
            "    |           ^ did you mean blockIdx?\n");
  free(text);
  // The ; is missing at the end of line 3, not before the } that comes next.
  assert_int_equal(p->diagnostics[1].line, 3);
  assert_int_equal(p->diagnostics[1].column, 30);
  nvrtc_program_free(p);
}

// A log says "At end of source" for what is missing there.
static void points_behind_the_end(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void f(int *a) {\n  a[0] = 1;\n\n", ERR_COMPILE);
  const struct nvrtc_diagnostic *d = &p->diagnostics[0];
  assert_string_equal(d->text, "expected a \"}\"");
  assert_string_equal(d->file, "add.cu");
  assert_string_equal(d->source, "  a[0] = 1;");
  assert_int_equal(d->line, 2);
  assert_int_equal(d->column, 12);
  nvrtc_program_free(p);
}

// The unknown name first: the other errors in its line come from it.
static void leads_with_the_cause(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void f(half *a) { a[0] = a[1]; }\n", ERR_COMPILE);
  const struct nvrtc_diagnostic *d = &p->diagnostics[0];
  assert_string_equal(d->text, "identifier \"half\" is undefined");
  assert_string_equal(d->hint, "#include <cuda_fp16.h>");
  nvrtc_program_free(p);
}

static void names_instantiations(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile(
      "template <class T> __device__ T inner(T x) { return x.foo; }\n"
      "template <class T> __device__ T outer(T x) { return inner(x); }\n"
      "__global__ void f(float *x) { *x = outer(*x); }\n",
      ERR_COMPILE);
  assert_int_equal(p->diagnostic_count, 3);
  assert_int_equal(p->diagnostics[0].line, 1);
  assert_int_equal(p->diagnostics[1].severity, NVRTC_NOTE);
  assert_int_equal(p->diagnostics[1].line, 2);
  assert_int_equal(p->diagnostics[2].line, 3);
  assert_non_null(strstr(p->diagnostics[2].text, "outer"));
  nvrtc_program_free(p);
}

static void reports_warnings_with_code(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void f(int *x) { int unused; *x = 1; }\n", ERR_OK);
  assert_int_equal(p->diagnostic_count, 1);
  assert_int_equal(p->diagnostics[0].severity, NVRTC_WARNING);
  assert_int_equal(p->diagnostics[0].column, 33);
  nvrtc_program_free(p);
}

static void reports_assembler_errors(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p =
      compile("__global__ void f(float *x) { __shared__ float s[100000];\n"
              "  s[threadIdx.x] = 1; __syncthreads(); *x = s[3]; }\n",
              ERR_COMPILE);
  assert_non_null(strstr(p->diagnostics[0].text, "shared"));
  nvrtc_program_free(p);
}

static void explains_host_code(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile("int main() { return 0; }\n", ERR_COMPILE);
  assert_non_null(strstr(p->diagnostics[0].text, "host code"));
  assert_non_null(strstr(p->diagnostics[0].hint, "what main does"));
  nvrtc_program_free(p);
  p = compile("float f(float a) { return a; }\n", ERR_COMPILE);
  assert_non_null(strstr(p->diagnostics[0].hint, "__device__"));
  nvrtc_program_free(p);
}

static void suggests_near_names(void **state) {
  (void)state;
  static const struct {
    const char *word, *source, *wanted;
  } cases[] = {
      {"treadIdx", "", "threadIdx"},
      {"threadidx", "", "threadIdx"},
      {"syncthreads", "", "__syncthreads"},
      {"atomicadd", "", "atomicAdd"},
      {"squarey", "int squared;", "squared"},
      {"pritnf", "", "printf"},
      {"zebra", "", NULL},
      {"q", "int p;", NULL},
      {"total_sum", "float totl_sum; float other;", "totl_sum"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *got = nvrtc_suggest(cases[i].word, cases[i].source);
    if (cases[i].wanted) {
      assert_non_null(got);
      assert_string_equal(got, cases[i].wanted);
    } else {
      assert_null(got);
    }
    free(got);
  }
}

// Logs of any bytes, also cut in the middle, are read without harm.
static void reads_any_log(void **state) {
  (void)state;
  static const char log[] =
      "add.cu(1): error: text \"a\"\n"
      "          more of it\n  source\n    ^\n"
      "          detected during:\n"
      "            instantiation of \"f\" at line 2\n\n"
      "ptxas error   : thing\nx(: error\n(3): note #1-D: n\n"
      "a(b)c(7): warning #2: w\n  s\n ^\n\n\xff\xfe(9): error: e\n";
  char bytes[sizeof log];
  for (size_t n = 0; n < sizeof log; n++)
    for (int bend = 0; bend < 4; bend++) {
      struct nvrtc_diagnostic *d;
      memcpy(bytes, log, sizeof log);
      bytes[(n * 7 + (size_t)bend * 13) % sizeof log] = "\n(^\033"[bend];
      int count = nvrtc_log_parse(bytes, n, "add.cu", "line\n", &d);
      char *text = nvrtc_format(d, count);
      assert_null(strchr(text, '\033'));
      free(text);
      nvrtc_diagnostics_free(d, count);
    }
}

// ---- The worker's life ----

static int worker_pid(void) {
  // The brackets keep the shell, another child of ours, from being found.
  FILE *f = popen("pgrep -P $PPID -f 'warpshop-[d]evice --compile'", "r");
  int pid = 0;
  if (f && fscanf(f, "%d", &pid) != 1)
    pid = 0;
  if (f)
    pclose(f);
  return pid;
}

static void starts_another_worker(void **state) {
  (void)state;
  NEED_NVRTC();
  next_compile_works();
  int pid = worker_pid();
  assert_true(pid > 0);
  kill(pid, SIGKILL);
  siginfo_t info; // wait until it is dead, and leave its reaping to others
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  next_compile_works();
  assert_int_not_equal(worker_pid(), pid);
}

static void says_what_is_missing(void **state) {
  (void)state;
  struct nvrtc *n;
  struct nvrtc_program *p;
  struct err_info e;
  struct nvrtc_options o = {.program = "/nonexistent/warpshop-device",
                            .cache_folder = cache_folder};
  NEED_NVRTC();
  assert_int_equal(nvrtc_open(&o, &n, &e), ERR_OK);
  struct nvrtc_request r = {
      .source = add_source, .file = "a.cu", .arch = "sm_80", .no_cache = true};
  assert_int_equal(nvrtc_compile(n, &r, &p, &e), ERR_NOT_FOUND);
  assert_null(p);
  assert_non_null(strstr(e.text, "/nonexistent/warpshop-device"));
  nvrtc_close(n);
}

static void disassembles_or_says_why(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile(add_source, ERR_OK);
  char *text;
  enum err err = nvrtc_disassemble(p->code, p->code_bytes, &text, &last);
  if (err == ERR_OK)
    assert_non_null(strstr(text, "EXIT"));
  else
    assert_non_null(strstr(last.text, "nvdisasm"));
  free(text);
  nvrtc_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(makes_cubin),
      cmocka_unit_test(makes_ptx),
      cmocka_unit_test(hears_ptxas),
      cmocka_unit_test(leaves_ptxas_out),
      cmocka_unit_test(debug_code_is_as_whole),
      cmocka_unit_test(is_as_whole),
      cmocka_unit_test(groups_are_as_whole),
      cmocka_unit_test(knows_its_architectures),
      cmocka_unit_test(instantiates_templates),
      cmocka_unit_test(claims_nothing_wrong),
      cmocka_unit_test(tells_resources),
      cmocka_unit_test(includes_what_kernels_use),
      cmocka_unit_test(includes_the_large_ones),
      cmocka_unit_test(needs_no_header),
      cmocka_unit_test(needs_no_header_for_constants),
      cmocka_unit_test(takes_listed_options),
      cmocka_unit_test(refuses_other_options),
      cmocka_unit_test(points_at_mistakes),
      cmocka_unit_test(points_behind_the_end),
      cmocka_unit_test(leads_with_the_cause),
      cmocka_unit_test(names_instantiations),
      cmocka_unit_test(reports_warnings_with_code),
      cmocka_unit_test(reports_assembler_errors),
      cmocka_unit_test(explains_host_code),
      cmocka_unit_test(suggests_near_names),
      cmocka_unit_test(reads_any_log),
      cmocka_unit_test(starts_another_worker),
      cmocka_unit_test(says_what_is_missing),
      cmocka_unit_test(disassembles_or_says_why),
  };
  return cmocka_run_group_tests(tests, open_compiler, remove_cache);
}
