// SPDX-License-Identifier: Apache-2.0
// base/file.h: reads, replacement, folders, XDG rules.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/unit/interrupt.h"
#include "tests/unit/scratch.h"

static char *in_folder(const char *name) {
  return xasprintf("%s/%s", folder, name);
}

static void write_then_read(void **state) {
  (void)state;
  char *path = in_folder("a"), *data;
  size_t bytes;
  struct err_info e;
  char big[50000];
  memset(big, 'x', sizeof big);
  assert_int_equal(file_replace(path, big, sizeof big, &e), ERR_OK);
  assert_int_equal(file_replace(path, "ab\0c", 4, &e), ERR_OK);
  assert_int_equal(file_read(path, 4, &data, &bytes, &e), ERR_OK);
  assert_int_equal(bytes, 4);
  assert_memory_equal(data, "ab\0c", 5);
  free(data);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_int_equal(file_replace(path, big, sizeof big, &e), ERR_OK);
  assert_int_equal(file_read(path, 1 << 20, &data, &bytes, &e), ERR_OK);
  assert_int_equal(bytes, sizeof big);
  assert_memory_equal(data, big, bytes);
  free(data);
  assert_int_equal(file_read(path, 49999, &data, &bytes, &e), ERR_ARGUMENT);
  assert_null(data);
  assert_non_null(strstr(e.text, path));
  unlink(path);
  free(path);
}

static void read_without_memory(void **state) {
  (void)state;
  char *path = in_folder("large"), big[50000] = {0}, *data;
  size_t bytes;
  struct err_info e;
  assert_int_equal(file_replace(path, big, sizeof big, &e), ERR_OK);
  mem_fail_after(1);
  assert_int_equal(file_read(path, 1 << 20, &data, &bytes, &e), ERR_NOMEM);
  assert_null(data);
  assert_non_null(strstr(e.text, path));
  assert_int_equal(file_read(path, 1 << 20, &data, &bytes, &e), ERR_OK);
  free(data);
  unlink(path);
  free(path);
}

static void read_refuses(void **state) {
  (void)state;
  char *data, *fifo = in_folder("fifo");
  size_t bytes;
  struct err_info e;
  assert_int_equal(file_read("/nowhere/x", 9, &data, &bytes, &e), ERR_IO);
  assert_non_null(strstr(e.text, "/nowhere/x"));
  assert_int_equal(file_read(folder, 1 << 20, &data, &bytes, &e), ERR_IO);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  assert_int_equal(file_read(fifo, 1 << 20, &data, &bytes, &e), ERR_IO);
  unlink(fifo);
  free(fifo);
  // Files under /proc state a size of 0.
  assert_int_equal(file_read("/proc/self/stat", 1 << 16, &data, &bytes, &e),
                   ERR_OK);
  assert_true(bytes > 10);
  free(data);
}

static void replace_leaves_nothing_behind(void **state) {
  (void)state;
  char *inside = in_folder("missing/x"), *target = in_folder("taken");
  struct err_info e;
  assert_int_equal(file_replace(inside, "x", 1, &e), ERR_IO);
  // The rename fails onto a folder; the temporary file must go.
  assert_int_equal(mkdir(target, 0700), 0);
  assert_int_equal(file_replace(target, "x", 1, &e), ERR_IO);
  assert_int_equal(rmdir(target), 0);
  assert_int_equal(rmdir(folder), 0); // it is empty
  assert_int_equal(mkdir(folder, 0700), 0);
  free(inside);
  free(target);
}

static int count_files(void) {
  int count = 0;
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *de; (de = readdir(d));)
    count += strcmp(de->d_name, ".") && strcmp(de->d_name, "..");
  closedir(d);
  return count;
}

static bool has_unnamed_files(void) {
  int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

enum { MEGABYTE = 1 << 20 };

// Replaces `path` for ever, and tells each time that it begins.
static _Noreturn void keep_replacing(const char *path, int tell) {
  char *data = xmalloc(MEGABYTE);
  struct err_info e;
  for (char letter = 'a';; letter = letter == 'z' ? 'a' : letter + 1) {
    memset(data, letter, MEGABYTE);
    if (write(tell, "", 1) != 1 || file_replace(path, data, MEGABYTE, &e))
      _exit(1);
  }
}

static void replace_until_killed(const char *path, int times) {
  int told[2], status;
  char byte;
  assert_int_equal(pipe(told), 0);
  pid_t child = fork();
  if (!child)
    keep_replacing(path, told[1]);
  for (int i = 0; i < times; i++)
    assert_int_equal(read(told[0], &byte, 1), 1);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  close(told[0]);
  close(told[1]);
}

// At most a whole file that waits to take the place, as soon as another does.
static void kills_leave_no_piece(void **state) {
  (void)state;
  char *path = in_folder("a"), *waiting = in_folder(".a.new"), *data;
  size_t bytes;
  struct err_info e;
  if (!has_unnamed_files())
    skip();
  for (int round = 0; round < 20; round++) {
    replace_until_killed(path, 2 + round % 3);
    assert_int_equal(file_read(path, MEGABYTE, &data, &bytes, &e), ERR_OK);
    assert_int_equal(bytes, MEGABYTE);
    assert_int_equal(data[0], data[MEGABYTE - 1]);
    free(data);
    assert_int_equal(count_files(), access(waiting, F_OK) ? 1 : 2);
  }
  assert_int_equal(file_write(waiting, "of one killed", 13, 0600, &e), ERR_OK);
  assert_int_equal(file_replace(path, "new", 3, &e), ERR_OK);
  assert_int_equal(count_files(), 1);
  assert_int_equal(file_read(path, 9, &data, &bytes, &e), ERR_OK);
  assert_string_equal(data, "new");
  free(data);
  unlink(path);
  free(waiting);
  free(path);
}

// A path that a user names may be a device, a FIFO or a link: it stays one.
static void write_keeps_what_is_no_file(void **state) {
  (void)state;
  char *path = in_folder("out"), *target = in_folder("target"), *data;
  size_t bytes;
  struct err_info e;
  struct stat st;
  assert_int_equal(file_write(path, "long", 4, 0640, &e), ERR_OK);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  assert_int_equal(rename(path, target), 0);
  assert_int_equal(symlink("target", path), 0);
  assert_int_equal(file_write(path, "new", 3, 0600, &e), ERR_OK);
  assert_int_equal(lstat(path, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  assert_int_equal(file_read(target, 9, &data, &bytes, &e), ERR_OK);
  assert_string_equal(data, "new");
  free(data);
  unlink(path);
  unlink(target);
  assert_int_equal(mkfifo(path, 0600), 0);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  char got[3];
  assert_int_equal(file_write(path, "abc", 3, 0600, &e), ERR_OK);
  assert_int_equal(read(fd, got, 3), 3);
  assert_memory_equal(got, "abc", 3);
  assert_int_equal(lstat(path, &st), 0);
  assert_true(S_ISFIFO(st.st_mode));
  close(fd);
  unlink(path);
  assert_int_equal(file_write(folder, "x", 1, 0600, &e), ERR_IO);
  free(path);
  free(target);
}

// A device like /dev/null, where the user may make one.
static void write_keeps_a_device(void **state) {
  (void)state;
  char *path = in_folder("null");
  struct err_info e;
  struct stat st;
  if (mknod(path, S_IFCHR | 0666, makedev(1, 3))) {
    free(path);
    skip();
    return;
  }
  enum err err = file_write(path, "x", 1, 0600, &e);
  assert_int_equal(lstat(path, &st), 0);
  assert_true(S_ISCHR(st.st_mode));
  // A file system without devices makes one and does not open it.
  assert_true(err == ERR_OK || strstr(e.text, "Permission denied"));
  unlink(path);
  free(path);
}

// Into a pipe that nobody empties until signals have come: the first of them when
// a part is written, the others when nothing more is.
static void write_all_through_signals(void **state) {
  (void)state;
  enum { BYTES = 300000 };
  int ends[2];
  static char sent[BYTES], got[BYTES];
  for (int i = 0; i < BYTES; i++)
    sent[i] = (char)(i * 7 + i / 251);
  assert_int_equal(pipe(ends), 0);
  expect_interrupts();
  pid_t pid = fork();
  if (!pid) {
    close(ends[1]);
    interrupt_parent(3);
    FILE *f = fdopen(ends[0], "r");
    size_t n = fread(got, 1, BYTES, f);
    _exit(n != BYTES || memcmp(got, sent, BYTES) || getc(f) != EOF);
  }
  close(ends[0]);
  assert_true(file_write_all(ends[1], sent, BYTES));
  close(ends[1]);
  assert_int_equal(process_wait(pid), 0);
  assert_int_equal(atomic_load(interrupts), 3);
}

static void write_all_says_what_failed(void **state) {
  (void)state;
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  assert_true(full >= 0);
  assert_true(file_write_all(full, NULL, 0));
  assert_false(file_write_all(full, "x", 1));
  assert_int_equal(errno, ENOSPC);
  close(full);
}

static void read_streams(void **state) {
  (void)state;
  int ends[2];
  char *data;
  size_t bytes;
  struct err_info e;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "hello", 5), 5);
  close(ends[1]);
  assert_int_equal(file_read_open(ends[0], "p", 9, &data, &bytes, &e), ERR_IO);
  assert_int_equal(file_read_stream(ends[0], "p", 9, &data, &bytes, &e),
                   ERR_OK);
  assert_string_equal(data, "hello");
  free(data);
  close(ends[0]);
}

static void folders(void **state) {
  (void)state;
  char *deep = in_folder("b/c//d/"), *file = in_folder("f"),
       *below = in_folder("f/g");
  struct err_info e;
  struct stat st;
  assert_int_equal(file_make_folder(deep, &e), ERR_OK);
  assert_int_equal(file_make_folder(deep, &e), ERR_OK);
  assert_int_equal(stat(deep, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(file_make_folder("/", &e), ERR_OK);
  assert_int_equal(file_replace(file, "", 0, &e), ERR_OK);
  assert_int_equal(file_make_folder(below, &e), ERR_IO);
  free(deep);
  free(file);
  free(below);
}

static void expect_xdg(enum xdg which, const char *wanted) {
  char *path = file_xdg(which);
  if (wanted)
    assert_string_equal(path, wanted);
  else
    assert_null(path);
  free(path);
}

static void xdg_rules(void **state) {
  (void)state;
  setenv("HOME", "/home/a", 1);
  setenv("XDG_CACHE_HOME", "/c", 1);
  expect_xdg(XDG_CACHE, "/c/warpshop");
  setenv("XDG_CACHE_HOME", "relative", 1);
  expect_xdg(XDG_CACHE, "/home/a/.cache/warpshop");
  setenv("XDG_CACHE_HOME", "", 1);
  expect_xdg(XDG_CACHE, "/home/a/.cache/warpshop");
  unsetenv("XDG_STATE_HOME");
  expect_xdg(XDG_STATE, "/home/a/.local/state/warpshop");
  unsetenv("XDG_DATA_HOME");
  expect_xdg(XDG_DATA, "/home/a/.local/share/warpshop");
  unsetenv("XDG_RUNTIME_DIR");
  setenv("TMPDIR", "/t", 1);
  char *runtime = xasprintf("/t/warpshop-%u", (unsigned)getuid());
  expect_xdg(XDG_RUNTIME, runtime);
  free(runtime);
  unsetenv("HOME");
  expect_xdg(XDG_DATA, NULL);
}

static void own_files(void **state) {
  (void)state;
  // This program lies in build/tests/unit of the tree it was built in.
  unsetenv("WARPSHOP_HOME");
  char *path = file_own("base/err.def");
  assert_non_null(path);
  assert_int_equal(access(path, R_OK), 0);
  free(path);
  assert_null(file_own("no/such/file"));
  setenv("WARPSHOP_HOME", folder, 1);
  assert_null(file_own("base/err.def"));
  unsetenv("WARPSHOP_HOME");
}

// A library of ours in another program's process.
static void files_of_another_program(void **state) {
  (void)state;
  char *module = in_folder("module.so"), *share = in_folder("share"),
       *own = in_folder("share/warpshop/one");
  struct err_info e;
  assert_int_equal(file_make_folder(share, &e), ERR_OK);
  free(share);
  share = in_folder("share/warpshop");
  assert_int_equal(file_make_folder(share, &e), ERR_OK);
  assert_int_equal(file_replace(own, "1", 1, &e), ERR_OK);
  assert_null(file_own("one"));
  assert_false(file_is_library());
  file_set_program(module);
  assert_true(file_is_library());
  char *found = file_own("one"), *program = file_program();
  assert_string_equal(found, own);
  assert_string_equal(program, module);
  assert_null(file_own("base/err.def"));
  assert_null(file_device_program());
  free(program);
  free(found);
  file_set_program(NULL);
  assert_false(file_is_library());
  program = file_program();
  assert_true(str_ends(program, "/tests/unit/file"));
  free(program);
  assert_null(file_own("one"));
  free(own);
  free(share);
  free(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(write_then_read),
      cmocka_unit_test(read_without_memory),
      cmocka_unit_test(read_refuses),
      cmocka_unit_test(replace_leaves_nothing_behind),
      cmocka_unit_test(kills_leave_no_piece),
      cmocka_unit_test(write_keeps_what_is_no_file),
      cmocka_unit_test(write_keeps_a_device),
      cmocka_unit_test(write_all_through_signals),
      cmocka_unit_test(write_all_says_what_failed),
      cmocka_unit_test(read_streams),
      cmocka_unit_test(folders),
      cmocka_unit_test(xdg_rules),
      cmocka_unit_test(own_files),
      cmocka_unit_test(files_of_another_program),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
