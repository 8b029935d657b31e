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

static void expect_argument(const char *args, const char *word,
                            enum complete_kind kind, const char *expected) {
  struct complete_matches m = {0};
  assert_int_equal(complete_argument(args, word, &m), kind);
  char *found = joined(&m);
  assert_string_equal(found, expected);
  free(found);
}

static void arguments(void **state) {
  (void)state;
  expect_argument("FILE", "a", COMPLETE_FILE, "");
  expect_argument("[EXERCISE]", "saxp", COMPLETE_DONE, "saxpy");
  expect_argument("[NAME|next]", "nex", COMPLETE_DONE, "next");
  expect_argument("[N]", "17", COMPLETE_DONE, "17");
  expect_argument("[review on|off]", "o", COMPLETE_DONE, "off on");
  expect_argument("[ID]", "v", COMPLETE_DONE, "virtual:0");
  expect_argument("[NAME]", "rese", COMPLETE_LUA, "reset");
  expect_argument("EXPRESSION", "x", COMPLETE_LUA, "");
  expect_argument("[LAUNCH]", "x", COMPLETE_LUA, "");
  expect_argument("F(ARGUMENTS)", "x", COMPLETE_LUA, "");
  expect_argument("QUESTION", "x", COMPLETE_DONE, "");
  expect_argument("", "x", COMPLETE_DONE, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_names),
      cmocka_unit_test(places),
      cmocka_unit_test(arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
