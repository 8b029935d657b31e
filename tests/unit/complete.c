// SPDX-License-Identifier: Apache-2.0
// repl/prompt/complete.h: what Tab finds in CUDA C and behind a command.
#include "repl/prompt/complete.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

// The matches in one line, sorted, and freed.
static char *joined(struct complete_matches *m) {
  struct str out = STR_INIT;
  char **list = complete_finish(m);
  for (int i = 1; list && list[i]; i++) {
    str_addf(&out, "%s%s", i > 1 ? " " : "", list[i]);
    free(list[i]);
  }
  if (list)
    free(list[0]);
  free(list);
  return str_take(&out);
}

// The word that ends at "|" begins at the last of " (;".
static void expect_cuda(const char *text, const char *expected) {
  char copy[300];
  struct complete_matches m = {0};
  size_t end = strcspn(text, "|"), start = end;
  strcpy(copy, text);
  memmove(copy + end, copy + end + 1, strlen(copy + end));
  while (start > 0 && !strchr(" (;\n", copy[start - 1]))
    start--;
  complete_cuda(copy, start, end, &m);
  char *found = joined(&m);
  assert_string_equal(found, expected);
  free(found);
}

static void cuda_names(void **state) {
  (void)state;
  expect_cuda("__global__ void k() { threadI|", "threadIdx");
  expect_cuda("__syncth|",
              "__syncthreads __syncthreads_and __syncthreads_count "
              "__syncthreads_or");
  expect_cuda("double|", "double double2 double3 double4");
  expect_cuda("void k(float *speed) { spe|", "speed");
  expect_cuda("{ late| }\nfloat latest;", "latest"); // below it, too
  expect_cuda("// zebra\n zeb|", "");                // words of a comment
  expect_cuda("{ threadIdx.|", "threadIdx.x threadIdx.y threadIdx.z");
  expect_cuda("{ threadIdx.w|", "");
  expect_cuda("{ v.|", "v.w v.x v.y v.z");
  expect_cuda("p.left = q.right; r.l|", "r.left");
}

static void numbers_stand_in_their_order(void **state) {
  (void)state;
  static const char *const words[] = {"10", "next", "2", "9b", "9", "1"};
  struct complete_matches m = {0};
  for (int i = 0; i < 6; i++)
    complete_add(&m, strdup(words[i]));
  char *found = joined(&m);
  assert_string_equal(found, "1 2 9 9b 10 next");
  free(found);
}

static void places(void **state) {
  static const struct {
    const char *text;
    bool is_cuda;
  } cases[] = {{"x = 1", false},
               {"__global__ void k() {\n  ", true},
               {"__global__ void k() { }\n", false},
               {"__global__ void k()\n", true},
               {"f(function()\n", false},
               {"x = 1\nstruct a {\n", true}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(complete_is_cuda(cases[i].text, strlen(cases[i].text)),
                     cases[i].is_cuda);
}

static void expect_argument_at(const char *args, int place, const char *word,
                               enum complete_kind kind, const char *expected) {
  struct complete_matches m = {0};
  assert_int_equal(complete_argument(args, place, word, &m), kind);
  char *found = joined(&m);
  assert_string_equal(found, expected);
  free(found);
}

static void expect_argument(const char *args, const char *word,
                            enum complete_kind kind, const char *expected) {
  expect_argument_at(args, 0, word, kind, expected);
}

static void arguments(void **state) {
  (void)state;
  expect_argument("FILE", "a", COMPLETE_FILE, "");
  expect_argument("[EXERCISE]", "saxp", COMPLETE_DONE, "saxpy");
  expect_argument("[NAME|next]", "nex", COMPLETE_DONE, "next");
  expect_argument("[N]", "17", COMPLETE_DONE, "17");
  expect_argument("[review on|off]", "", COMPLETE_DONE, "review");
  expect_argument_at("[review on|off]", 1, "o", COMPLETE_DONE, "off on");
  expect_argument("[EXERCISE] [N M]", "saxp", COMPLETE_DONE, "saxpy");
  expect_argument_at("[EXERCISE] [N M]", 1, "saxp", COMPLETE_DONE, "");
  expect_argument("[ID]", "v", COMPLETE_DONE, "virtual:0");
  expect_argument("[NAME]", "rese", COMPLETE_LUA, "reset");
  expect_argument("EXPRESSION", "x", COMPLETE_LUA, "");
  expect_argument("[LAUNCH]", "x", COMPLETE_LUA, "");
  expect_argument("F(ARGUMENTS)", "x", COMPLETE_LUA, "");
  expect_argument("QUESTION", "x", COMPLETE_DONE, "");
  expect_argument("", "x", COMPLETE_DONE, "");
}

static void expect_declaration(const char *text, const char *name,
                               const char *expected) {
  struct str out = STR_INIT;
  const char *end = text + strlen(text);
  complete_declaration(text, name, (size_t)(end - text), &out);
  assert_string_equal(out.data, expected);
  str_free(&out);
}

static void declarations(void **state) {
  const char *kernel =
      "__device__ float square(float v,\n    int n) {\n"
      "  return v * v; }\n"
      "__global__ void k(const float *__restrict__ x, int count) {\n"
      "  __shared__ float tile[32][33];\n"
      "  float4 vec = make(1); x[i] = count * vec.x;\n"
      "  for (int i = 0; i < count; i++) late(tile);\n";
  (void)state;
  expect_declaration(kernel, "square",
                     "__device__ float square(float v, int n)");
  expect_declaration(kernel, "v", "float v");
  expect_declaration(kernel, "x", "const float *__restrict__ x");
  expect_declaration(kernel, "count", "int count");
  expect_declaration(kernel, "tile", "__shared__ float tile[32][33]");
  expect_declaration(kernel, "vec", "float4 vec");
  expect_declaration(kernel, "i", "int i"); // not x[i], which stands before
  expect_declaration(kernel, "late", "");
  expect_declaration("__global__ void k() { f(a * b); return c; }", "b", "");
  expect_declaration("__global__ void k() { f(a * b); return c; }", "c", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_names),
      cmocka_unit_test(numbers_stand_in_their_order),
      cmocka_unit_test(places),
      cmocka_unit_test(arguments),
      cmocka_unit_test(declarations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
