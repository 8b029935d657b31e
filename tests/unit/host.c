// SPDX-License-Identifier: Apache-2.0
// gpu/nvrtc/host.h: what of a source is the host's; the compiler is played here.
#include "gpu/nvrtc/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// Complains of these lines, each an error; 0 ends them.
static bool complain(struct host *h, const int *lines) {
  struct nvrtc_diagnostic list[8] = {0};
  struct nvrtc_program failed = {.diagnostics = list};
  for (int i = 0; lines[i]; i++)
    list[failed.diagnostic_count++] =
        (struct nvrtc_diagnostic){.severity = NVRTC_ERROR, .line = lines[i]};
  return host_learn(h, &failed);
}

#define ERRORS(...) ((const int[]){__VA_ARGS__ 0})

static void expect_text(const struct host *h, const char *wanted) {
  char *text = host_text(h);
  assert_string_equal(text, wanted);
  free(text);
}

// What is left of `source` after the first look.
static void expect_left(const char *source, const char *wanted) {
  struct host *h = host_new(source);
  assert_non_null(h);
  complain(h, ERRORS());
  char *text = host_text(h), *to = text;
  assert_int_equal(strlen(text), strlen(source));
  for (const char *p = text; *p; p++) { // without blanks at the ends of lines
    size_t blanks = strspn(p, " ");
    if (blanks && (p[blanks] == '\n' || !p[blanks]))
      p += blanks;
    if (!*p)
      break;
    *to++ = *p;
  }
  *to = 0;
  assert_string_equal(text, wanted);
  free(text);
  host_free(h);
}

static void hosts_goes(void **state) {
  (void)state;
  expect_left("int main() { k<<<1, 2>>>(\"}\"); }", "");
  expect_left("int a, b[3] = {1};", "");
  expect_left("template <class T, int N = 3> void f(T t) { }", "");
  expect_left("__host__ int f() { return 1; } //",
              "                               //");
  expect_left("extern \"C\" void f() { }", "");
  expect_left("std::map<int, float> m; int f()\n{ }", "\n");
}

static void kept(const char *source) {
  expect_left(source, source);
}

static void rest_stays(void **state) {
  (void)state;
  kept("__global__ void k(int *x) { f(\"}\"); }");
  kept("__host__ __device__ int f(int a = 3) { return a; }");
  kept("#define KERNEL __global__ void\nKERNEL k() { }");
  kept("#define A __device__\n#define B A inline\nB int f() { return 1; }");
  kept("extern \"C\" {\n__global__ void k() {}\n}");
  kept("namespace a {\n__device__ int v = 3;\n}");
  kept("const int n = 3; constexpr float f = 2; enum { A = 1 };");
  kept("struct S { int a; __device__ int f() { return a; } };");
  kept("struct __align__(8) S { int a; } s;");
  kept("using namespace std; typedef int T; using U = int;");
  kept("float3 operator+(float3 a, float3 b) { return a; }");
  kept("template <int N> __global__ void k() {}\n"
       "template __global__ void k<3>();");
  kept("__constant__ float c[3] = {1, 2, 3}; extern __shared__ float s[];");
  kept("void f(int);");
}

// Directives inside of what goes are still there, with their lines.
static void directives_stay(void **state) {
  (void)state;
  expect_left("int main() {\n#ifdef A // \"\n  f();\n#else\n  g();\n#endif\n}",
              "\n#ifdef A // \"\n\n#else\n\n#endif\n");
}

static void compiler_decides(void **state) {
  (void)state;
  const char *source = "int total;\n"
                       "int f() { return total; }\n"
                       "struct T { T() { f(); } };\n"
                       "__global__ void k(int n) { f(); }\n"
                       "int main() { }\n";
  struct host *h = host_new(source);
  assert_true(complain(h, ERRORS(1, 2, 3, 5, )));
  // The struct goes as it does not compile, f comes back as k has it.
  assert_true(complain(h, ERRORS(3, )));
  assert_true(complain(h, ERRORS(4, )));
  expect_text(h, "          \n"
                 "int f() { return total; }\n"
                 "                          \n"
                 "__global__ void k(int n) { f(); }\n"
                 "              \n");
  // What then is wrong is for the compiler to say.
  assert_false(complain(h, ERRORS(4, )));
  host_free(h);
}

// A compiler that says which line of `*text` is the first to speak of a word.
struct compiler {
  char **text;
  const char *refused;
  int runs;
};

static enum err refuse_word(void *context, struct nvrtc_program **out,
                            struct err_info *e) {
  struct compiler *c = context;
  const char *at = strstr(*c->text, c->refused);
  c->runs++;
  *out = xcalloc(1, sizeof **out);
  if (!at)
    return ERR_OK;
  struct nvrtc_diagnostic *d = xcalloc(1, sizeof *d);
  *d = (struct nvrtc_diagnostic){.severity = NVRTC_ERROR, .line = 1};
  for (const char *p = *c->text; p < at; p++)
    d->line += *p == '\n';
  (*out)->diagnostics = d;
  (*out)->diagnostic_count = 1;
  return err_set(e, ERR_COMPILE, "refused");
}

static void expect_compiles(const char *source, const char *refused,
                            enum err wanted, int runs, const char *left) {
  char *text = xstrdup(source);
  struct compiler c = {&text, refused, 0};
  struct nvrtc_program *p;
  struct err_info e;
  assert_int_equal(host_compile(&text, refuse_word, &c, &p, &e), wanted);
  assert_int_equal(c.runs, runs);
  assert_string_equal(text, left);
  nvrtc_program_free(p);
  free(text);
}

static void compiles_what_is_left(void **state) {
  (void)state;
  const char *source = "struct T { cout t; };\n"
                       "__global__ void k(int n) { n = good; }\n"
                       "int main() { }\n";
  expect_compiles(source, "never", ERR_OK, 1, source);
  expect_compiles(source, "main", ERR_OK, 2,
                  "struct T { cout t; };\n"
                  "__global__ void k(int n) { n = good; }\n"
                  "              \n");
  expect_compiles(source, "cout", ERR_OK, 3,
                  "                     \n"
                  "__global__ void k(int n) { n = good; }\n"
                  "              \n");
  // What is wrong with a kernel stays wrong, and ends.
  expect_compiles(source, "good", ERR_COMPILE, 2,
                  "struct T { cout t; };\n"
                  "__global__ void k(int n) { n = good; }\n"
                  "              \n");
}

static void not_understood(void **state) {
  (void)state;
  assert_null(host_new("int main() { {"));
  assert_null(host_new("int main() { } }"));
  assert_null(host_new("#ifdef A\nint f() {\n#else\nint g() {\n#endif\n}"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_goes),
      cmocka_unit_test(rest_stays),
      cmocka_unit_test(directives_stay),
      cmocka_unit_test(compiler_decides),
      cmocka_unit_test(not_understood),
      cmocka_unit_test(compiles_what_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
