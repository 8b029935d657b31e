// SPDX-License-Identifier: Apache-2.0
// gpu/nvrtc/image/signature.h: kernels' parameters from sources and mangled names.
#include "gpu/nvrtc/image/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

// "const float * x:f32*c, int n:i32": what is known, in one line.
static const char *const type_names[] = {"bool", "i8",  "u8",  "i16",  "u16",
                                         "i32",  "u32", "i64", "u64",  "f16",
                                         "bf16", "f32", "f64", "void", "?"};

static char *describe(const struct nvrtc_param *p, int count) {
  struct str s = STR_INIT;
  for (int i = 0; i < count; i++) {
    str_addf(&s, "%s%s %s", i ? ", " : "", p[i].name ? p[i].name : "-",
             type_names[p[i].type]);
    if (p[i].vector_lanes != 1)
      str_addf(&s, "x%d", p[i].vector_lanes);
    for (int k = 0; k < p[i].pointer_levels; k++)
      str_add_char(&s, '*');
    if (p[i].is_const)
      str_add(&s, " const");
    assert_int_equal(p[i].is_pointer, p[i].pointer_levels > 0);
  }
  return str_take(&s);
}

// ---- Sources ----

static const struct {
  const char *source, *name, *params;
} sources[] = {
    {"__global__ void add(const float *x, float *out, int n) {}", "add",
     "x f32* const, out f32*, n i32"},
    {"__global__ void f() {}", "f", ""},
    {"__global__ void f(void) {}", "f", ""},
    {"void __global__ f(int a);", "f", "a i32"},
    {"extern \"C\" __global__ void f(double* __restrict__ p, unsigned n) {}",
     "f", "p f64*, n u32"},
    {"__global__ __launch_bounds__(256, 2) void f(float const * const x) {}",
     "f", "x f32* const"},
    {"__global__ void __launch_bounds__(N * (2 + 1)) f(long long a) {}", "f",
     "a i64"},
    {"__global__ void MY_BOUNDS(128) f(unsigned char c) {}", "f", "c u8"},
    {"__global__ void f(float4 *v, const int2 w) {}", "f", "v f32x4*, w i32x2"},
    {"__global__ void f(half *a, __nv_bfloat16 *b, __half2 c) {}", "f",
     "a f16*, b bf16*, c f16x2"},
    {"template <typename T, int N = 3> __global__ void f(T *x, int n) {}", "f",
     "x ?*, n i32"},
    {"__global__ void f(float x[], int y[16], float z[4][4]) {}", "f",
     "x f32*, y i32*, z ?*"},
    {"__global__ void f(int, float *, const char *) {}", "f",
     "- i32, - f32*, - i8* const"},
    {"__global__ void f(float **p, const float *const *q, const float **r) {}",
     "f", "p f32**, q f32** const, r f32**"},
    {"__global__ void f(std::uint64_t a, size_t b, ns::T c, S<int, 3> d) {}",
     "f", "a u64, b u64, c ?, d ?"},
    {"__global__ void f(struct point p, const struct point *q) {}", "f",
     "p ?, q ?* const"},
    {"__global__ void f(void (*call)(int), int n) {}", "f", "- ?, n i32"},
    {"__global__ void f(int a = g(1, 2), /* , int b */ float c // , int d\n"
     ") {}",
     "f", "a i32, c f32"},
    {"#define K __global__ void no(int a) {}\n"
     "const char *t = \"__global__ void no(int a)\";\n"
     "// __global__ void no(int a)\n"
     "char q = '\"'; const char *r = R\"x(__global__ void no()x\";\n"
     "__global__ void yes(bool b) {}",
     "yes", "b bool"},
    {"__global__ void f(const __grid_constant__ float4 v) {}", "f", "v f32x4"},
    {"[[nodiscard]] __global__ void f [[deprecated]] (short int s) {}", "f",
     "s i16"},
    {"__global__ void f(unsigned long long int *a, signed b) {}", "f",
     "a u64*, b i32"},
    {"__global__ void f(volatile int *flag) {}", "f", "flag i32*"},
    {"__global__ void f(float *&r) {}", "f", "- ?"},
};

static void reads_declarations(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    struct signatures s;
    signatures_scan(sources[i].source, &s);
    if (s.count != 1)
      print_error("in: %s\n", sources[i].source);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.list[0].name, sources[i].name);
    char *text = describe(s.list[0].params, s.list[0].param_count);
    assert_string_equal(text, sources[i].params);
    free(text);
    signatures_free(&s);
  }
}

static void reads_what_is_broken(void **state) {
  (void)state;
  static const char *const broken[] = {
      "__global__",
      "__global__ void",
      "__global__ void f(",
      "__global__ void f(((",
      "__global__ ; {",
      "\"__global__ void f(",
      "/* __global__",
      "R\"(",
      "__global__ void f(<",
      "__global__ void f(int a,,b) {}",
      "'",
      "#define \\",
      "__global__ void f(a[",
      "__global__ [",
      "__global__ void f(T<) {}",
      "__global__ void f(int ***************p) {}",
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct signatures s;
    signatures_scan(broken[i], &s);
    assert_true(s.count <= 1);
    signatures_free(&s);
  }
}

// Every prefix of a source is a source that somebody is typing.
static void reads_prefixes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    for (size_t n = 0; n <= strlen(sources[i].source); n++) {
      char *part = strndup(sources[i].source, n);
      struct signatures s;
      signatures_scan(part, &s);
      signatures_free(&s);
      free(part);
    }
}

static void keeps_written_types(void **state) {
  (void)state;
  struct signatures s;
  signatures_scan("__global__ void f(float const*x, float *const *p, "
                  "unsigned  int n, const int2 v) {}",
                  &s);
  assert_string_equal(s.list[0].params[0].declared, "const float *");
  assert_string_equal(s.list[0].params[1].declared, "float * const *");
  assert_string_equal(s.list[0].params[2].declared, "unsigned int");
  assert_string_equal(s.list[0].params[3].declared, "int2");
  signatures_free(&s);
}

// ---- Mangled names: made with a C++ compiler, read back with c++filt ----

static const struct {
  const char *mangled, *name, *params; // params NULL: not understood
} mangled[] = {
    {"_Z3addPKfS0_Pfi", "add", "- f32* const, - f32* const, - f32*, - i32"},
    {"_Z1fv", "f", ""},
    {"_ZL1fPi", "f", "- i32*"},
    {"_ZN2ns3addEPKfS1_", "ns::add", "- f32* const, - f32* const"},
    {"_Z2mmILi16EEvPfi", "mm<16>", "- f32*, - i32"},
    {"_Z2mmIfEvPT_S1_", "mm<float>", "- f32*, - f32*"},
    {"_Z2mmIfLi3EEvPT_PKS0_", "mm<float, 3>", "- f32*, - f32* const"},
    {"_ZN2ns2mmIdEEvPT_S2_", "ns::mm<double>", "- f64*, - f64*"},
    {"_Z2mmILb1ELin4EEvy", "mm<true, -4>", "- u64"},
    {"_Z1fP6float46__half", "f", "- f32x4*, - f16"},
    {"_Z1fP6float4S0_", "f", "- f32x4*, - f32x4*"},
    {"_Z1fP13__nv_bfloat16", "f", "- bf16*"},
    {"_Z1f4Vec3PS_PKS_", "f", "- ?, - ?*, - ?* const"},
    {"_Z1fN2ns1AEPS0_", "f", "- ?, - ?*"},
    {"_Z1f3VecIfLi3EEPS0_i", "f", "- ?, - ?*, - i32"},
    {"_Z1fPPfPKS_PPKf", "f", "- f32**, - f32** const, - f32**"},
    {"_Z1fRf", "f", "- ?"},
    {"_Z1fPVi", "f", "- i32*"},
    {"_Z1fPFviE", "f", NULL},
    {"_Z1fDpT_", "f", NULL},
    {"_Z1f", "f", ""},
    {"add", NULL, NULL},
    {"_Z", NULL, NULL},
    {"_Z99f", NULL, NULL},
    {"_Z1fS5_", "f", NULL},
    {"_Z1fT_", "f", NULL},
    {"_ZN", NULL, NULL},
    {"_Z1fIL", NULL, NULL},
};

static void reads_mangled_names(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mangled / sizeof *mangled; i++) {
    struct nvrtc_param *params;
    char *name;
    int count = signature_demangle(mangled[i].mangled, &params, &name);
    if (mangled[i].params) {
      assert_true(count >= 0);
      assert_string_equal(name, mangled[i].name);
      char *text = describe(params, count);
      assert_string_equal(text, mangled[i].params);
      free(text);
    } else {
      assert_int_equal(count, -1);
      assert_null(params);
    }
    signature_params_free(params, count);
    free(name);
  }
}

// Cut or bent names end in an answer, never in a crash.
static void survives_bent_names(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mangled / sizeof *mangled; i++)
    for (size_t at = 0; at < strlen(mangled[i].mangled); at++)
      for (const char *c = "PKSTINELJ_09azZ"; *c; c++) {
        char *bent = strdup(mangled[i].mangled), *name;
        struct nvrtc_param *params;
        bent[at] = *c;
        int count = signature_demangle(bent, &params, &name);
        signature_params_free(params, count);
        free(name);
        free(bent);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_declarations),
      cmocka_unit_test(reads_what_is_broken),
      cmocka_unit_test(reads_prefixes),
      cmocka_unit_test(keeps_written_types),
      cmocka_unit_test(reads_mangled_names),
      cmocka_unit_test(survives_bent_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
