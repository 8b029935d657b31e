// SPDX-License-Identifier: Apache-2.0
// grade/learner: a run whose process gets the library compiled, and one that reads it.
#include "grade/learner/learner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tree.h"

#include "tests/unit/scratch.h"

static const char text[] =
    "function total()\n"
    "  return np.std(np.arange(2)) + jnp.max(jnp.ones(3))"
    ":item()\nend\n";

// What total() gives, or -1, and what was said.
static double total_with(const struct str *library, struct err_info *e) {
  struct learner_value out = {.name = "total", .dtype = DTYPE_F64};
  struct learner_answer a;
  struct learner_request q = {
      .text = text,
      .file = "total.lua",
      .entry = "total",
      .budget = 1000000,
      .result_count = 1,
      .results = &out,
      .library = library,
  };
  enum err err = learner_run(&q, &a, e);
  if (err)
    return -1;
  if (a.end != LEARNER_DONE)
    err_set(e, ERR_ARGUMENT, "%s", a.text);
  double x = a.end == LEARNER_DONE ? a.results[0].number : -1;
  learner_answer_free(&a);
  return x;
}

// A home whose lua/np/stats.lua raises when it runs.
static void make_home(void) {
  static const char *const needed[] = {"lua", "kernels"};
  static const char raises[] = "error('it was read')";
  struct err_info e;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    char *from = file_own(needed[i]);
    char *to = xasprintf("%s/%s", folder, needed[i]);
    assert_non_null(from);
    assert_int_equal(tree_copy(from, to, &e), ERR_OK);
    free(from);
    free(to);
  }
  char *path = xasprintf("%s/lua/np/stats.lua", folder);
  assert_int_equal(file_write(path, raises, sizeof raises - 1, 0600, &e), 0);
  free(path);
}

static void the_library_is_not_read_again(void **state) {
  (void)state;
  struct err_info e = {0};
  struct str library = STR_INIT;
  learner_write_library(&library);
  assert_true(library.len > 0);
  make_home();
  char *before =
      getenv("WARPSHOP_HOME") ? xstrdup(getenv("WARPSHOP_HOME")) : NULL;
  setenv("WARPSHOP_HOME", folder, 1);
  assert_true(total_with(NULL, &e) == -1);
  assert_non_null(strstr(e.text, "it was read"));
  assert_true(total_with(&library, &e) == 1.5);
  if (before)
    setenv("WARPSHOP_HOME", before, 1);
  else
    unsetenv("WARPSHOP_HOME");
  free(before);
  str_free(&library);
}

// Of another build, or cut off: what is no code is not run.
static void a_library_that_is_none(void **state) {
  (void)state;
  struct err_info e = {0};
  struct str library = STR_INIT;
  learner_write_library(&library);
  for (size_t i = 0; i + 4 < library.len; i++)
    if (!memcmp(library.data + i, "\x1bLua", 4))
      library.data[i + 4]++; // the version
  assert_true(total_with(&library, &e) == 1.5);
  library.len = 100;
  assert_true(total_with(&library, &e) == 1.5);
  str_free(&library);
  assert_true(total_with(&library, &e) == 1.5);
}

// What a run of total() counts, which ends by itself.
static double counted(const struct learner_request *q) {
  struct learner_answer a;
  struct err_info e = {0};
  if (learner_run(q, &a, &e) || a.end != LEARNER_DONE)
    fail_msg("%s: %s%s", q->text, e.text, a.text);
  double work = (double)a.work;
  learner_answer_free(&a);
  return work;
}

// What it counts for a list of 1000 elements to which that is done 100 times.
static double work_of(const char *what) {
  char *list =
      xasprintf("function total()\n"
                "  local list = table.pack(('.'):rep(1000):byte(1, -1))\n"
                "  for i = 1, 100 do %s end\n"
                "end\n",
                what);
  double work = counted(&(struct learner_request){
      .text = list, .file = "total.lua", .entry = "total", .budget = 1 << 30});
  free(list);
  return work;
}

// What stands behind a place in a list is moved, and that costs as much.
static void places_in_a_list(void **state) {
  enum { MOVED = 100 * 900 };
  (void)state;
  double put = work_of("table.insert(list, 0)");
  double taken = work_of("table.remove(list)");
  assert_true(put < MOVED && taken < MOVED);
  assert_true(work_of("table.insert(list, 1, 0)") > put + MOVED);
  assert_true(work_of("table.remove(list, 1)") > taken + MOVED);
}

// A launch is a line of Lua, and wakes the device's process each time.
static void messages_to_the_device(void **state) {
  (void)state;
  static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry idle() {\nret;\n}\n";
  struct nvrtc_program *kernels;
  struct err_info e;
  double work[2];
  assert_int_equal(
      nvrtc_load_image(ptx, sizeof ptx - 1, "sm_80", true, &kernels, &e),
      ERR_OK);
  for (int k = 0; k < 2; k++)
    work[k] = counted(&(struct learner_request){
        .text = k ? "function total() for i = 1, 110 do idle[{1, 1}]() end end"
                  : "function total() for i = 1, 10 do idle[{1, 1}]() end end",
        .file = "total.lua",
        .entry = "total",
        .budget = 1 << 30,
        .kernels = kernels,
        .kernels_text = "",
        .kernels_file = "idle.ptx"});
  nvrtc_program_free(kernels);
  assert_true(work[1] - work[0] >= 100 * 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_is_not_read_again),
      cmocka_unit_test(a_library_that_is_none),
      cmocka_unit_test(places_in_a_list),
      cmocka_unit_test(messages_to_the_device),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
