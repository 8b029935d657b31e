// SPDX-License-Identifier: Apache-2.0
// base/open.h: links of other users, steps out of a folder, several names.
#include "base/open.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/unit/scratch.h"

enum { EVE = 4242, ALICE = 4243 };

static char *in_folder(const char *name) {
  return xasprintf("%s/%s", folder, name);
}

static void put(const char *name, const char *text) {
  char *path = in_folder(name);
  assert_int_equal(file_replace(path, text, strlen(text), NULL), ERR_OK);
  free(path);
}

static void put_folder(const char *name) {
  char *path = in_folder(name);
  assert_int_equal(mkdir(path, 0755), 0);
  free(path);
}

static void put_link(const char *target, const char *name) {
  char *path = in_folder(name);
  assert_int_equal(symlink(target, path), 0);
  free(path);
}

static void give(const char *name, uid_t owner) {
  char *path = in_folder(name);
  assert_int_equal(lchown(path, owner, (gid_t)-1), 0);
  free(path);
}

// The open file holds `text`; NULL: there is none, and `e` says `words`.
static void expect(enum err err, int fd, const struct err_info *e,
                   const char *text, const char *words) {
  char got[64] = "";
  if (!text) {
    assert_int_equal(err, ERR_IO);
    assert_int_equal(fd, -1);
    if (!strstr(e->text, words))
      fail_msg("\"%s\" is not in: %s", words, e->text);
    return;
  }
  if (err)
    fail_msg("%s", e->text);
  assert_true(read(fd, got, sizeof got - 1) >= 0);
  assert_string_equal(got, text);
  close(fd);
}

static void expect_named(const char *name, const char *text,
                         const char *words) {
  struct err_info e = {0};
  int fd;
  char *path = *name == '/' ? xstrdup(name) : in_folder(name);
  enum err err = open_named(path, &fd, &e);
  expect(err, fd, &e, text, words);
  free(path);
}

static void expect_beneath(const char *path, const char *text,
                           const char *words) {
  struct err_info e = {0};
  int fd, at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  enum err err = open_beneath(at, path, &fd, &e);
  expect(err, fd, &e, text, words);
  err = open_beneath_by_steps(at, path, &fd, &e);
  expect(err, fd, &e, text, words);
  close(at);
}

static int fill(void **state) {
  if (set_up(state))
    return -1;
  put_folder("alice");
  put_folder("alice/deep");
  put_folder("bob");
  put("alice/a.cu", "alice's");
  put("alice/deep/d.cu", "deep");
  put("bob/b.cu", "bob's");
  put_link("a.cu", "alice/latest.cu");
  put_link("alice", "eve");
  put_link("/etc", "etc");
  put_link("loop", "loop");
  return 0;
}

static void own_links_are_followed(void **state) {
  (void)state;
  expect_named("alice/a.cu", "alice's", NULL);
  expect_named("alice/latest.cu", "alice's", NULL);
  expect_named("eve/latest.cu", "alice's", NULL);
  expect_named("eve/deep/../../bob/b.cu", "bob's", NULL);
  expect_named("alice/none.cu", NULL, "No such file");
  expect_named("loop", NULL, "too many links");
  expect_named("/dev/null", NULL, "a device, not a regular file");
  int fd;
  struct err_info e;
  assert_int_equal(open_named("", &fd, &e), ERR_IO);
  char *here = getcwd(NULL, 0);
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(open_named("eve/a.cu", &fd, &e), ERR_OK);
  expect(ERR_OK, fd, &e, "alice's", NULL);
  assert_int_equal(chdir(here), 0);
  free(here);
}

static void others_links_are_not(void **state) {
  (void)state;
  if (geteuid()) {
    skip(); // only root gives files away
    return;
  }
  give("eve", EVE);
  give("etc", EVE);
  give("alice/latest.cu", EVE);
  expect_named("eve/a.cu", NULL, "another user's link leads from there to al");
  expect_named("etc/passwd", NULL, "to /etc");
  expect_named("alice/latest.cu", NULL, "to a.cu");
  put_link("etc/passwd", "own"); // a link of ours to what leads through Eve's
  expect_named("own", NULL, "to /etc");
  expect_named("alice/a.cu", "alice's", NULL);
}

static void beneath_a_folder(void **state) {
  (void)state;
  expect_beneath("alice/a.cu", "alice's", NULL);
  expect_beneath("alice//./deep/d.cu", "deep", NULL);
  expect_beneath("alice/latest.cu", NULL, "a link");
  expect_beneath("eve/a.cu", NULL, "");
  expect_beneath("eve/deep/d.cu", NULL, "");
  expect_beneath("etc/passwd", NULL, "");
  expect_beneath("alice/../bob/b.cu", NULL, "no file below");
  expect_beneath("../x", NULL, "no file below");
  expect_beneath("/etc/passwd", NULL, "no file below");
  expect_beneath("", NULL, "no file below");
  expect_beneath("alice/", NULL, "no file below");
  expect_beneath("alice/none.cu", NULL, "No such file");
  expect_beneath("alice/a.cu/x", NULL, "is a folder");
}

static void several_names(void **state) {
  (void)state;
  char *from = in_folder("bob/b.cu"), *to = in_folder("alice/of-bob.cu");
  assert_int_equal(link(from, to), 0);
  expect_beneath("alice/of-bob.cu", "bob's", NULL); // all are one user's
  if (!geteuid()) {
    give("alice", ALICE);
    give("alice/a.cu", EVE);
    expect_beneath("alice/of-bob.cu", NULL, "has 2 names");
    expect_beneath("alice/a.cu", "alice's", NULL); // it has one
    expect_beneath("bob/b.cu", "bob's", NULL);
  }
  unlink(to);
  free(from);
  free(to);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_links_are_followed),
      cmocka_unit_test(beneath_a_folder),
      cmocka_unit_test(several_names),
      cmocka_unit_test(others_links_are_not),
  };
  return cmocka_run_group_tests(tests, fill, tear_down);
}
