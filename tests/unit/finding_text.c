// SPDX-License-Identifier: Apache-2.0
// gpu/finding_text.h: names, sentences and the mark, without a device.
#include "gpu/finding_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
    "__global__ void add(const float *x, float *out, int n) {\n"
    "  int i = threadIdx.x;\n"
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

static void uses(void **state) {
  (void)state;
  static const char line[] = "  s[t] += s[t + k[0]] == ps[1];";
  int n = (int)strlen(line), at = -1;
  assert_int_equal(finding_find_use(line, n, "s", true, &at), 4);
  assert_int_equal(at, 2);
  assert_int_equal(finding_find_use(line, n, "s", false, &at), 11);
  assert_int_equal(at, 10);
  assert_int_equal(finding_find_use(line, n, "p", false, &at), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_is_whole),
      cmocka_unit_test(sentences),
      cmocka_unit_test(a_line_of_another_file_is_not_ours),
      cmocka_unit_test(names),
      cmocka_unit_test(uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
