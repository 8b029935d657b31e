// SPDX-License-Identifier: Apache-2.0
// base/tree: a folder copied whole, what is not copied, and taken away.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/tree.h"

static char folder[] = "/tmp/warpshop-tree-XXXXXX";

static char *path(const char *name) {
  return xasprintf("%s/%s", folder, name);
}

static void put(const char *name, const char *text, unsigned mode) {
  char *p = path(name);
  assert_int_equal(file_write(p, text, strlen(text), mode, NULL), ERR_OK);
  free(p);
}

static int make(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  char *sub = path("a"), *deep = path("a/b"), *link = path("a/link");
  mkdir(sub, 0755);
  mkdir(deep, 0750);
  put("a/run", "#!", 0755);
  put("a/b/text", "words", 0644);
  put("a/.hidden", "no", 0644);
  int failed = symlink("b/text", link);
  free(sub);
  free(deep);
  free(link);
  return failed;
}

static int clean(void **state) {
  (void)state;
  tree_remove(folder);
  return access(folder, F_OK) ? 0 : -1;
}

static void expect(const char *name, const char *want, unsigned mode) {
  char *p = path(name), *text = NULL;
  size_t bytes;
  struct stat info;
  assert_int_equal(file_read(p, 100, &text, &bytes, NULL), ERR_OK);
  assert_string_equal(text, want);
  assert_int_equal(lstat(p, &info), 0);
  assert_true(S_ISREG(info.st_mode));
  assert_int_equal(info.st_mode & 0777, mode);
  free(text);
  free(p);
}

static void a_folder_is_copied(void **state) {
  (void)state;
  struct err_info e;
  char *from = path("a"), *to = path("c"), *hidden = path("c/.hidden");
  umask(022);
  assert_int_equal(tree_copy(from, to, &e), ERR_OK);
  expect("c/run", "#!", 0755);
  expect("c/b/text", "words", 0644);
  expect("c/link", "words", 0644);
  assert_int_not_equal(access(hidden, F_OK), 0);
  assert_int_equal(tree_copy(from, to, &e), ERR_IO); // it is there
  expect("c/run", "#!", 0755);
  free(from);
  free(to);
  free(hidden);
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  struct err_info e;
  char *from = path("d"), *to = path("e"), *loop = path("d/loop");
  char *pipe = path("pipe"), *copy = path("pipe2"), *none = path("none");
  mkdir(from, 0755);
  assert_int_equal(symlink(folder, loop), 0);
  assert_int_equal(tree_copy(from, to, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "d/loop is neither a file nor a folder"));
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(tree_copy(pipe, copy, &e), ERR_ARGUMENT);
  assert_int_equal(tree_copy(none, copy, &e), ERR_IO);
  // A link is removed, and not what it leads to.
  tree_remove(from);
  assert_int_equal(access(folder, F_OK), 0);
  assert_int_not_equal(access(from, F_OK), 0);
  char *all[] = {from, to, loop, pipe, copy, none};
  for (int i = 0; i < 6; i++)
    free(all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_folder_is_copied),
      cmocka_unit_test(what_is_no_file_is_refused),
  };
  return cmocka_run_group_tests(tests, make, clean);
}
