// SPDX-License-Identifier: Apache-2.0
// repl/eval/eval.c: a call of what was typed, the values that it prints and keeps, and
// what is said of its launches.
#include "repl/eval/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "base/mem.h"
#include "repl/eval/draft.h"

static struct shop s;
static char said[2000];

static int set_up(void **state) {
  (void)state;
  s.screen.columns = 200;
  s.mode.is_prompt = true;
  return shop_open_lua(&s);
}

static int tear_down(void **state) {
  (void)state;
  lua_close(s.L);
  return 0;
}

// Runs the Lua text; `said` is what came out of both streams.
static bool run(const char *text) {
  FILE *file = tmpfile();
  int out = dup(1), err = dup(2);
  fflush(stdout);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
  int top = lua_gettop(s.L);
  bool fine = eval_lua(&s, text, NULL);
  fflush(stdout);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  rewind(file);
  said[fread(said, 1, sizeof said - 1, file)] = '\0';
  fclose(file);
  assert_int_equal(lua_gettop(s.L), top);
  return fine;
}

static void says(const char *text, const char *wanted) {
  bool fine = run(text);
  if (!fine || strcmp(said, wanted))
    fail_msg("%s: %d, \"%s\"", text, fine, said);
}

static void prints_each_value(void **state) {
  (void)state;
  says("1, 'two', nil, 4", "1\n\"two\"\nnil\n4\n");
  says("nil", "");
  says("x = 3", "");
  says("do return end", "");
}

// What gives no value leaves the last one.
static void keeps_the_last_value(void **state) {
  (void)state;
  says("40 + 2", "42\n");
  says("y = 'nothing is given'", "");
  says("_", "42\n");
  says("nil", "");
  says("_", "42\n");
}

static void hands_a_script_its_words(void **state) {
  (void)state;
  char *words[] = {(char *)"a", (char *)"b", NULL};
  s.script_argv = words;
  s.script_argc = 2;
  says("select('#', ...), ...", "2\n\"a\"\n\"b\"\n");
  s.script_argc = 0;
  says("select('#', ...)", "0\n");
}

static void goes_on_after_an_error(void **state) {
  (void)state;
  assert_false(run("error('no further')"));
  assert_non_null(strstr(said, "no further"));
  says("1", "1\n");
}

// The ]] of an index inside [[ ]] closed the text.
static void explains_brackets(void **state) {
  (void)state;
  assert_false(run("k = [[__global__ void k(int *x) { s[x[1]] = 2; }]]"));
  assert_non_null(strstr(said, "Write [==[ ... ]==] around it"));
  assert_false(run("k = [[__global__ ]] = 2"));
  assert_null(strstr(said, "]==]"));
  assert_false(run("k = [[]] __"));
  assert_null(strstr(said, "]==]"));
}

// A launch as cuda.last_launch() tells of it: the prompt says what was copied.
#define LAUNCH(number, more)                                                   \
  "cuda.last_launch = function() return {number = " #number                    \
  ", grid = {2, 1, 1}, block = {32, 2, 1}, bytes_in = 64, bytes_out = 2048, "  \
  "used_host_arrays = true" more "} end"
#define COPIED                                                                 \
  "2 blocks x (32 x 2) threads · copied 64 bytes in, 2 KB out (host arrays"

static void tells_of_launches(void **state) {
  (void)state;
  says(LAUNCH(1, ", kernel_us = 12.34"), COPIED ") · kernel 12.3 us\n");
  says("z = 1", ""); // it was told
  says(LAUNCH(2, ", kernel_us = 10000"), COPIED ") · kernel 10000 us\n");
  says(LAUNCH(3, ""), COPIED ")\n");
  says(LAUNCH(4, ", kernel_us = 0"), COPIED ") · kernel 0.0 us\n");
  says(LAUNCH(6, ", constants = 'x'"),
       "2 launches; the last: " COPIED "; x\n  is const)\n");
  says(LAUNCH(7, ", constants = 'x, y and z'"),
       COPIED "; x, y and z are const)\n");
  assert_false(run("error(cuda.last_launch().number)"));
  assert_null(strstr(said, "copied"));
}

// Under its name, whatever that is.
static void keeps_drafts(void **state) {
  (void)state;
  static const char *const names[] = {"twice", "../a b/größer"};
  char folder[] = "/tmp/warpshop-drafts-XXXXXX";
  struct err_info e;
  assert_non_null(mkdtemp(folder));
  setenv("XDG_STATE_HOME", folder, 1);
  for (int i = 0; i < 2; i++)
    assert_int_equal(draft_keep(DRAFT_KERNEL, names[i], names[i], &e), ERR_OK);
  for (int i = 0; i < 2; i++) {
    char *text = draft_read(DRAFT_KERNEL, names[i]);
    assert_string_equal(text, names[i]);
    free(text);
    assert_null(draft_read(DRAFT_EXERCISE, names[i]));
  }
  char *path =
      xasprintf("%s/warpshop/drafts/kernels/%s.cu", folder, "___a_b_gr____er");
  assert_int_equal(access(path, F_OK), 0);
  free(path);
  char *remove = xasprintf("rm -r %s", folder);
  assert_int_equal(system(remove), 0);
  free(remove);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_each_value),
      cmocka_unit_test(keeps_the_last_value),
      cmocka_unit_test(hands_a_script_its_words),
      cmocka_unit_test(goes_on_after_an_error),
      cmocka_unit_test(explains_brackets),
      cmocka_unit_test(tells_of_launches),
      cmocka_unit_test(keeps_drafts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
