// SPDX-License-Identifier: Apache-2.0
// gpu/finding/finding.h: names, sentences and the mark, without a device.
#include "gpu/finding/finding.h"
#include "gpu/finding/finding_local.h"
#include "gpu/finding/finding_shared.h"
#include "gpu/finding/finding_use.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
    "__global__ void add(const float *x, float *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = x[i];\n"
    "}\n";
static const struct finding_number numbers[] = {{"n", 4224}};
static const struct finding_scene scene = {
    .source = source,
    .file = "add.cu",
    .array = "out",
    .declared = "float *__restrict__",
    .variable = "dout",
    .elem_bytes = 4,
    .threads = 4224,
    .grid = {33, 1, 1},
    .block = {128, 1, 1},
    .number_count = 1,
    .numbers = numbers,
};
static const struct gpu_finding past = {
    .kind = ERR_OUT_OF_BOUNDS,
    .space = GPU_SPACE_GLOBAL,
    .at = {.line = 3, .column = 3, .access = GPU_WRITE, .block = {32, 0, 0}},
    .base = 1 << 20,
    .base_bytes = 16384,
    .offset = 16384,
    .bytes = 4,
    .count = 128,
    .file = "/tmp/add.cu",
};

// A verdict's reader has no budget to set.
static void budget_is_the_prompts(void **state) {
  (void)state;
  const struct gpu_finding f = {.kind = ERR_TIMEOUT, .severity = GPU_ERROR};
  struct finding_subject s;
  struct str out = STR_INIT;
  finding_subject(&f, &scene, &s);
  finding_add_explanation(&out, &s);
  assert_non_null(strstr(out.data, "Is there less to do"));
  assert_null(strstr(out.data, "set_budget"));
  assert_null(strstr(finding_advice(&f), "set_budget"));
  finding_add_report(&out, &s);
  assert_non_null(strstr(out.data, "cuda.set_budget(n, all)"));
  str_free(&out);
}

static void a_report_is_whole(void **state) {
  (void)state;
  struct finding_subject s;
  struct str out = STR_INIT;
  finding_subject(&past, &scene, &s);
  assert_int_equal(s.column, 14);
  assert_int_equal(s.index, 4096);
  assert_string_equal(s.type, "float");
  finding_add_report(&out, &s);
  assert_string_equal(
      out.data,
      "add.cu:3  write out of bounds: out[4096], 4 bytes past the end of dout "
      "(float[4096])\n"
      "  3 |   if (i < n) out[i] = x[i];\n"
      "    |              ^^^^^^ block (32,0,0) thread (0,0,0), and 127 more "
      "threads\n"
      "  The guard compares with n, and n says 4224: the array has 4096. Pass "
      "#dout.");
  assert_string_equal(finding_code(&past), "oob-write");
  str_free(&out);
}

static void expect_sentence(const struct gpu_finding *f, const char *wanted) {
  struct finding_subject s;
  struct str out = STR_INIT;
  finding_subject(f, &scene, &s);
  finding_add_sentence(&out, &s);
  assert_string_equal(out.data, wanted);
  str_free(&out);
}

static void sentences(void **state) {
  (void)state;
  struct gpu_finding f = past;
  f.offset = -2; // rounds down to the element
  expect_sentence(&f, "write out of bounds: out[-1], 2 bytes before the start "
                      "of dout (float[4096])");
  f = (struct gpu_finding){.kind = ERR_OUT_OF_BOUNDS,
                           .space = GPU_SPACE_LOCAL,
                           .text = "the call stack overflows"};
  expect_sentence(&f, "too deep a recursion: the call stack overflows");
  f.space = GPU_SPACE_NONE;
  expect_sentence(&f, "access out of bounds: the call stack overflows");
  f = (struct gpu_finding){.kind = ERR_OUT_OF_BOUNDS,
                           .space = GPU_SPACE_GLOBAL,
                           .at.access = GPU_READ,
                           .text = "a null pointer"};
  expect_sentence(&f, "read out of bounds: address 0 is a null pointer");
  f = (struct gpu_finding){.kind = ERR_UNINITIALISED,
                           .space = GPU_SPACE_SHARED,
                           .base = 64,
                           .offset = 12,
                           .bytes = 4,
                           .variable = "_ZZ1kPfE4part"};
  expect_sentence(&f, "uninitialised value: part[3]");
}

static void a_line_of_another_file_is_not_ours(void **state) {
  (void)state;
  struct gpu_finding f = past;
  struct finding_subject s;
  strcpy(f.file, "header.h");
  finding_subject(&f, &scene, &s);
  assert_int_equal(s.column, 3);
}

static void names(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"table", "table"},
      {"_ZZ9block_sumPKfPfiE4part", "part"},
      {"_ZZ1kvE4part_0", "part"},
      {"_ZZ1kvE6a4part", "a4part"},
      {"_ZZ2mmILi8EEvPKfS1_E4tile", "tile"},
      {"_ZN2ns5tableE", "table"},
      {"_ZZ9block_sumPKfPfiE4pa", ""}, // cut short
      {"_Z", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[64];
    finding_demangle(rows[i][0], out, sizeof out);
    assert_string_equal(out, rows[i][1]);
  }
}

// The subject of an access to element `index` of `array` in the one line.
static void expect_use(const char *text, const char *array, int access,
                       int64_t index, const char *wanted) {
  struct finding_number n[] = {{"n", 7}};
  struct gpu_finding f = {.at = {.access = access, .thread = {3}}};
  struct finding_subject s = {.finding = &f,
                              .scene = {.source = text,
                                        .block = {32, 1, 1},
                                        .numbers = n,
                                        .number_count = 1},
                              .elem_bytes = 4,
                              .index = index};
  const char *line = strrchr(text, '\n');
  int at = -1;
  line = line ? line + 1 : text;
  snprintf(s.array, sizeof s.array, "%s", array);
  int length = finding_find_use(&s, line, (int)strlen(line), &at);
  assert_int_equal(length, strlen(wanted));
  if (length)
    assert_memory_equal(line + at, wanted, (size_t)length);
}

// What a register held has no name without -G, but one in the source.
static void numbers_without_a_value(void **state) {
  struct gpu_finding f = {.kind = ERR_UNINITIALISED,
                          .space = GPU_SPACE_REGISTER,
                          .at = {.line = 3},
                          .file = "k.cu",
                          .text = "and decides a branch"};
  struct finding_scene own = {.file = "k.cu",
                              .source = "__global__ void k(float *x, int n) {\n"
                                        "  float sum, other;\n"
                                        "  for (; n; n--) sum += *x;\n"
                                        "  *x = sum + other;\n}\n"};
  const char *const names[] = {[3] = "sum", [4] = ""};
  (void)state;
  for (f.at.line = 3; f.at.line <= 4; f.at.line++) {
    struct finding_subject s;
    finding_subject(&f, &own, &s);
    assert_string_equal(s.array, names[f.at.line]);
  }
}

static void uses(void **state) {
  static const char sum[] = "int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
                            "o[i] = x[i] + x[i + 1] * x[i + 32 * n] + x[j];";
  static const char both[] = "int t = threadIdx.x;\n"
                             "  s[t] += s[t + k[0]] == ps[1];";
  static const char *const changed[] = {
      "int k = 1; ++k;\no[0] = x[k] + x[2];",
      "int k = 1; --k;\no[0] = x[k] + x[2];",
      "int k = 1; set(&k);\no[0] = x[k] + x[2];",
      "int k = 1; k <<= 1;\no[0] = x[k] + x[2];",
      "int k = 1; k += 8;\no[0] = x[k] + x[2];",
  };
  (void)state;
  expect_use(sum, "x", GPU_READ, 3, "x[i]");
  expect_use(sum, "x", GPU_READ, 4, "x[i + 1]");
  expect_use(sum, "x", GPU_READ, 227, "x[i + 32 * n]");
  expect_use(sum, "x", GPU_READ, 99, "x[j]"); // no other can be
  expect_use("o[0] = x[j] + x[k];", "x", GPU_READ, 9, "");
  expect_use("o[0] = x[j] + x[j];", "x", GPU_READ, 9, "x[j]");
  expect_use("o[i] = 1; o[i + n] = o[0];", "o", GPU_WRITE, 7, "");
  expect_use("int i = 0; i++;\no[i] = 1; o[n] = o[0];", "o", GPU_WRITE, 7,
             "o[n]");
  expect_use("o[n] = o[n + 1];", "o", GPU_READ, 8, "o[n + 1]");
  expect_use("a[0][n] = a[0][1];", "a", GPU_READ, 8, "a[0][1]");
  expect_use("float a[4][8];\nx = a[0][0] + a[1][n] * a[n - 5][1];", "a",
             GPU_READ, 17, "a[n - 5][1]");
  expect_use("float a[4][m];\nx = a[0][0] + a[1][n] * a[n - 5][1];", "a",
             GPU_READ, 17, "");
  // Indices of 32 bits that have wrapped around.
  expect_use("o[0] = x[2] + x[0xffffffff];", "x", GPU_READ, -1,
             "x[0xffffffff]");
  // A variable that is changed, or whose address is taken, has no one value;
  // nor has a size that the launch did not tell.
  for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
    expect_use(changed[i], "x", GPU_READ, 9, "x[k]");
  expect_use("o[0] = x[2] + x[gridDim.x];", "x", GPU_READ, 9, "x[gridDim.x]");
  expect_use(both, "s", GPU_WRITE, 3, "s[t]");
  expect_use(both, "s", GPU_READ, 3, "s[t]"); // += reads, too
  expect_use(both, "s", GPU_READ, 5, "s[t + k[0]]");
  expect_use(both, "p", GPU_READ, 5, "");
  expect_use("o[1] = x[0x7 - 4] + x[(n << 1) / 2 % 4 | 4];", "x", GPU_READ, 7,
             "x[(n << 1) / 2 % 4 | 4]");
}

static void sizes(void **state) {
  static const struct {
    const char *text;
    int bytes;
  } rows[] = {{"__shared__ float2 a[4];", 8},
              {"extern __shared__ int a[];", 4},
              {"{ __shared__ __align__(16) float a[4];", 4},
              {"; if (x) a[1] = 2;", 0},
              {"; else a[1] = 2;", 0},
              {"; for (int i = 0; i < 2; i++) a[1] = 2;", 0},
              {"unsigned char b, a[2][2] = {0};", 1},
              {"unsigned long long a[4];", 0},
              {"S a[4];", 0},
              {"const float *a[4];", 8},
              {"char a[9]; void k() { double a[1]; x = a[2]; }", 8},
              {"x = a[1];", 0}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(
        finding_element_bytes(rows[i].text, strchr(rows[i].text, 0), "a"),
        rows[i].bytes);
}

static void expect_local(const char *text, const char *wanted) {
  const char *line = strrchr(text, '\n') + 1;
  char name[16];
  finding_find_local(text, line, (int)strlen(line), name, sizeof name);
  assert_string_equal(name, wanted);
}

static void local_arrays(void **state) {
  (void)state;
  expect_local("float a[16];\nout[i] = a[j];", "a");
  expect_local("int b, a[4][4] = {0};\nout[i] = a[j][1] + a[0][0];", "a");
  expect_local("float a[16]; int b[2];\nout[i] = a[j] + b[j];", "");
  expect_local("__shared__ float a[16];\nout[i] = a[j];", "");
  expect_local("if (x < 3) y = a[1];\nout[i] = a[j];", "");
  expect_local("void f(int *a) { return a[1]; }\nout[i] = a[j];", "");
}

// Of an array that was taken apart, and of indices that wrapped around.
static void elements(void **state) {
  (void)state;
  static const char text[] = "if (f[1] > m[1][0]) u.w = u.z;";
  struct finding_scene c = {.source = text, .file = "k.cu"};
  static const char *const rows[][2] = {
      {"_ZZ1kPfE1f_$_1", "f[1]"},
      {"_ZZ1kPfE1m_$_1_$_0", "m[1][0]"},
      {"_ZZ1kPfE1u_$_1", "u"},
      {"_ZZ1kPfE1f_$_", "f"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct gpu_finding f = {.kind = ERR_UNINITIALISED,
                            .space = GPU_SPACE_SHARED,
                            .at.line = 1,
                            .base = 64,
                            .bytes = 4,
                            .file = "k.cu"};
    struct finding_subject s;
    struct str out = STR_INIT;
    snprintf(f.variable, sizeof f.variable, "%s", rows[i][0]);
    finding_subject(&f, &c, &s);
    finding_add_sentence(&out, &s);
    assert_string_equal(strstr(out.data, ": ") + 2, rows[i][1]);
    str_free(&out);
  }
  struct gpu_finding f = past;
  f.offset = ((int64_t)1 << 34) - 4;
  expect_sentence(&f, "write out of bounds: out[-1], 4 bytes before the start "
                      "of dout (float[4096])");
}

// The warning of a warp that parted, where line `line` let threads go.
static bool is_moot(const char *text, int line, enum gpu_severity severity,
                    const char *said) {
  struct finding_scene c = {.source = text, .file = "k.cu"};
  struct gpu_finding f = {.kind = ERR_BARRIER,
                          .severity = severity,
                          .at.line = 9,
                          .other.line = line,
                          .file = "k.cu"};
  struct finding_subject s;
  snprintf(f.text, sizeof f.text, "%s", said);
  finding_subject(&f, &c, &s);
  return finding_is_moot(&s);
}

static void moot(void **state) {
  static const char left[] = "threads of this warp have left the kernel";
  static const struct {
    const char *text;
    int line;
    bool is_moot;
  } rows[] = {
      {"if (i >= n) return;\n__syncthreads();", 1, true},
      {"if (i >= n)\n  return;\n__syncthreads();", 1, true},
      {"if (i >= n) {\n  return;\n}\n__syncthreads();", 1, true},
      {"if (i >= n)\r\n\r\n{ return; }\r\n__syncthreads();", 1, true},
      {"if (i < n) {\n  __syncthreads();\n}", 1, false},
      {"if (i < n) {\n  x = 1;\n  return;\n}", 1, false}, // which of them left?
      {"if (i < returned) {\n  no_return();\n  a;\n}", 1, false},
      {"int returns;\nif (i < n)\n  __syncthreads();", 2, false},
      {"if (i >= n) return;\n__syncthreads();", 7, false}, // no such line
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(is_moot(rows[i].text, rows[i].line, GPU_WARNING, left),
                     rows[i].is_moot);
  // Another finding of a barrier, and an error, are said.
  assert_false(is_moot(rows[0].text, 1, GPU_WARNING, "lanes wait apart"));
  assert_false(is_moot(rows[0].text, 1, GPU_ERROR, left));
}

// Read by one reader for the debugger and for what an access held.
static void shared_variables(void **state) {
  static const struct {
    const char *source, *declared, *type_of_part;
  } rows[] = {
      {"__shared__ float part[8];", "declare part float[8]\n", "float"},
      {"__shared__ alignas(16) unsigned int part[4][N + 1];\n#define N 7\n",
       "declare part unsigned int[4][8]\n", "unsigned int"},
      {"__shared__ int other, part;", "declare other int\ndeclare part int\n",
       "int"},
      {"// __shared__ double part;\n__shared__ /* of */ float part;",
       "declare part float\n", "float"},
      {"f(\"__shared__ double part;\"); __shared__ float part;",
       "declare part float\n", "float"},
      {"__shared__ float part\303\251, part;",
       "declare part\303\251 float\ndeclare part float\n", "float"},
      {"x__shared__ float part; \303\251__shared__ int part;", NULL, NULL},
      {"__shared__ double *part;", NULL, NULL}, // what it holds is an address
      {"__shared__ float part; } k() { __shared__ int part;",
       "declare part float\ndeclare part int\n", NULL},
      {"__shared__ float part; } k() { __shared__ tile<4> part;",
       "declare part float\n", NULL},
      {"__shared__ float part; } k() { __shared__ float part;",
       "declare part float\ndeclare part float\n", "float"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct str declared = STR_INIT, type = STR_INIT;
    finding_find_shared(rows[i].source, &declared);
    finding_shared_type(rows[i].source, "part", &type);
    assert_string_equal(declared.len ? declared.data : "",
                        rows[i].declared ? rows[i].declared : "");
    assert_string_equal(type.len ? type.data : "",
                        rows[i].type_of_part ? rows[i].type_of_part : "");
    str_free(&declared);
    str_free(&type);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_is_whole),
      cmocka_unit_test(budget_is_the_prompts),
      cmocka_unit_test(sentences),
      cmocka_unit_test(a_line_of_another_file_is_not_ours),
      cmocka_unit_test(names),
      cmocka_unit_test(local_arrays),
      cmocka_unit_test(moot),
      cmocka_unit_test(shared_variables),
      cmocka_unit_test(sizes),
      cmocka_unit_test(elements),
      cmocka_unit_test(numbers_without_a_value),
      cmocka_unit_test(uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
