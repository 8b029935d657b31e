// SPDX-License-Identifier: Apache-2.0
// grade/input/input.h: what is handed in, what is cut from a solution, what cases are
// drawn from.
#include "grade/input/input.h"

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
#include "base/mem.h"

static void expect_clean(const char *bytes, int lines, const char *wanted) {
  char *clean = text_clean(bytes, strlen(bytes), 1000, lines);
  assert_string_equal(clean, wanted);
  free(clean);
}

static void clean_text(void **state) {
  (void)state;
  expect_clean("a\033[2Jb\x9b\x07", 0, "a?[2Jb??");
  expect_clean("l1\r\n\tl2", 1, "l1\n\tl2");
  expect_clean("l1\nl2", 0, "l1?l2");
  expect_clean("gr\xc3\xbc\xc3\x9f", 0, "gr\xc3\xbc\xc3\x9f");
  expect_clean("\xc0\xaf\xed\xa0\x80", 0, "?????"); // overlong, surrogate
  expect_clean("\xe2\x80\xae"
               "x",
               0, "?x");            // turns the reading direction
  expect_clean("\xc2\x9b", 0, "?"); // C1 in UTF-8
  expect_clean("\xef\xbf\xbf\xef\xbf\xbe\xef\xb7\x90\xf0\x9f\xbf\xbf"
               "\xef\xbf\xbd",
               1, "????\xef\xbf\xbd"); // no characters, and one
  char *cut = text_clean("\xc3\xbc\xc3\xbc", 4, 3, 0);
  assert_string_equal(cut, "\xc3\xbc"); // never half a letter
  free(cut);
  char *name = text_file_name("/a/b/\033]0;x\007.cu");
  assert_string_equal(name, "?]0;x?.cu");
  free(name);
}

static void take(const char *name, const char *text, size_t bytes,
                 struct source *s, char **refused) {
  source_from_text(name, text, bytes, s, refused);
}

static void submissions(void **state) {
  (void)state;
  struct source s;
  char *refused;
  take("d/add.cu",
       "\xef\xbb\xbf"
       "int x;",
       9, &s, &refused);
  assert_null(refused);
  assert_string_equal(s.text, "int x;");
  assert_string_equal(source_compile_name(&s), "add.cu");
  source_free(&s);
  take("a \"b\".cu", "", 0, &s, &refused);
  assert_null(refused);
  assert_string_equal(source_compile_name(&s), "submission.cu");
  // FIPS 180-4's value for the empty message.
  assert_string_equal(s.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b93"
                                "4ca495991b7852b855");
  source_free(&s);
  take("b.cu", "ab\0c", 4, &s, &refused);
  assert_string_equal(refused, "the file is not text: byte 3 is zero");
  assert_string_equal(s.text, "");
  free(refused);
  source_free(&s);
  size_t large = 10 << 20;
  char *text = malloc(large);
  memset(text, ' ', large);
  take("c.cu", text, large, &s, &refused);
  assert_non_null(strstr(refused, "10485760 bytes"));
  free(refused);
  source_free(&s);
  free(text);
}

static void files_that_are_none(void **state) {
  (void)state;
  char folder[] = "/tmp/warpshop-source-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *fifo = xasprintf("%s/fifo", folder), *refused;
  assert_int_equal(mkfifo(fifo, 0600), 0);
  struct source s;
  struct err_info e;
  assert_int_equal(source_read(fifo, &s, &refused, &e), ERR_IO);
  assert_int_equal(source_read(folder, &s, &refused, &e), ERR_IO);
  assert_int_equal(source_read("/nowhere.cu", &s, &refused, &e), ERR_IO);
  assert_non_null(strstr(e.text, "/nowhere.cu"));
  unlink(fifo);
  rmdir(folder);
  free(fifo);
}

// What nobody reads to its end is refused as what it is, and has no hash.
static void files_that_are_too_large(void **state) {
  (void)state;
  char path[] = "/tmp/warpshop-source-XXXXXX", *refused;
  int fd = mkstemp(path);
  struct source s;
  struct err_info e;
  assert_int_equal(ftruncate(fd, 64 << 20), 0);
  assert_int_equal(source_read(path, &s, &refused, &e), ERR_OK);
  assert_non_null(strstr(refused, "the file has 67108864 bytes"));
  assert_int_equal(strlen(s.sha256), SEED_HEX - 1);
  free(refused);
  source_free(&s);
  assert_int_equal(ftruncate(fd, (64 << 20) + 1), 0);
  assert_int_equal(source_read(path, &s, &refused, &e), ERR_OK);
  assert_non_null(strstr(refused, "the file has more than 64 MiB"));
  assert_string_equal(s.sha256, "");
  free(refused);
  source_free(&s);
  close(fd);
  unlink(path);
}

// A stream has no name of its own, and is what is hashed.
static void streams(void **state) {
  (void)state;
  int ends[2], saved = dup(0);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "int x;", 6), 6);
  close(ends[1]);
  assert_true(dup2(ends[0], 0) == 0);
  struct source s, same;
  char *refused;
  struct err_info e;
  assert_int_equal(source_read("-", &s, &refused, &e), ERR_OK);
  take("x.cu", "int x;", 6, &same, &refused);
  assert_string_equal(s.text, "int x;");
  assert_string_equal(s.sha256, same.sha256);
  assert_string_equal(s.name, "stdin.cu");
  source_free(&s);
  source_free(&same);
  assert_int_equal(source_read("/dev/stdin", &s, &refused, &e), ERR_OK);
  assert_string_equal(s.text, ""); // its end
  source_free(&s);
  assert_true(dup2(saved, 0) == 0);
  close(saved);
  close(ends[0]);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "y", 1), 1);
  close(ends[1]);
  char *path = xasprintf("/dev/fd/%d", ends[0]);
  assert_int_equal(source_read(path, &s, &refused, &e), ERR_OK);
  assert_string_equal(s.text, "y");
  source_free(&s);
  free(path);
  close(ends[0]);
}

static void expect_clock(const char *text, const char *name, int line) {
  int at = 0;
  const char *got = source_find_clock(text, &at);
  if (!name)
    assert_null(got);
  else
    assert_string_equal(got, name);
  assert_int_equal(at, line);
}

static void clocks(void **state) {
  (void)state;
  expect_clock("int a;\nchar b = __DATE__[0];\n", "__DATE__", 2);
  expect_clock("#define X \\\n  __TIME__\n", "__TIME__", 2);
  expect_clock("__TIMESTAMP__", "__TIMESTAMP__", 1);
  expect_clock("\n__TI\\\nME__", "__TIME__", 3); // at its end
  expect_clock("// __DATE__\n\"__DATE__\" '\"' /* __TIME__ */", NULL, 0);
  expect_clock("R\"(__DATE__ \" )\" // \\\n __TIME__\n", NULL, 0);
  expect_clock("int a__DATE__, __DATE__b, __date__, DATE;", NULL, 0);
  expect_clock("#define P(a, b) a##b\n\nP(__DA, TE__)", "__DATE__", 3);
  expect_clock("#define P(a, b) a%:%:b\nP(_,P(_TIM, E__))", "__TIME__", 2);
  expect_clock("#define P(a, b) a##b\nP(__DA, E__) P(T, b)", "__DATE__", 2);
  expect_clock("int _, DATE, TIME;", NULL, 0); // nothing pastes them
  expect_clock("#define P(a, b) a##b\nint __DA, E__;", NULL, 0);
}

static const char solution[] = "// head\n"
                               "void f() {\n"
                               "  // BEGIN SOLUTION\n"
                               "  if (i < n) g(i);\n"
                               "  // END SOLUTION\n"
                               "  // STARTER: // think\n"
                               "}\n";

static void cuts(void **state) {
  (void)state;
  struct err_info e;
  char *text;
  assert_int_equal(source_cut_starter(solution, "//", &text, &e), ERR_OK);
  assert_string_equal(text, "// head\nvoid f() {\n  // think\n}\n");
  free(text);
  assert_int_equal(source_cut_solution(solution, "//", &text, &e), ERR_OK);
  assert_string_equal(text, "// head\nvoid f() {\n  if (i < n) g(i);\n}\n");
  free(text);
  assert_int_equal(source_cut_starter("// BEGIN SOLUTION\n", "//", &text, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "// END SOLUTION"));
  assert_int_equal(source_cut_starter("// END SOLUTION\n// BEGIN SOLUTION\n",
                                      "//", &text, &e),
                   ERR_ARGUMENT);
}

static void cuts_lua(void **state) {
  (void)state;
  struct err_info e;
  char *text;
  static const char lua[] = "function f()\n  -- BEGIN SOLUTION\n  return 1\n"
                            "  -- END SOLUTION\n  -- STARTER: return 0\nend\n";
  assert_int_equal(source_cut_starter(lua, "--", &text, &e), ERR_OK);
  assert_string_equal(text, "function f()\n  return 0\nend\n");
  free(text);
  assert_int_equal(source_mutate(lua, "--", "1", "2", &text, &e), ERR_OK);
  assert_string_equal(text, "function f()\n  return 2\nend\n");
  free(text);
  assert_int_equal(source_cut_starter(lua, "//", &text, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "// BEGIN SOLUTION"));
}

static void mutants(void **state) {
  (void)state;
  struct err_info e;
  char *text;
  assert_int_equal(source_mutate(solution, "//", "if (i < n) ", "", &text, &e),
                   ERR_OK);
  assert_string_equal(text, "// head\nvoid f() {\n  g(i);\n}\n");
  free(text);
  // Text outside of the markers is not touched; twice is ambiguous.
  assert_int_equal(source_mutate(solution, "//", "head", "", &text, &e),
                   ERR_ARGUMENT);
  assert_int_equal(source_mutate(solution, "//", "i", "", &text, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "twice"));
  assert_int_equal(source_mutate(solution, "//", "", "x", &text, &e),
                   ERR_ARGUMENT);
}

static void seeds(void **state) {
  (void)state;
  struct seed key, a, b;
  struct err_info e;
  unsetenv("WARPSHOP_COURSE_SECRET_FILE");
  unsetenv("WARPSHOP_COURSE_SECRET");
  assert_int_equal(seed_from_secret(NULL, &key, &e), ERR_OK);
  struct seed_for who = {"c", "eve", "ex", "n=1", NULL};
  seed_derive(&key, &who, &a);
  seed_derive(&key, &who, &b);
  assert_memory_equal(&a, &b, sizeof a);
  struct seed_for other = {"c", "ev", "eex", "n=1", NULL};
  seed_derive(&key, &other, &b); // the parts do not run together
  assert_memory_not_equal(&a, &b, sizeof a);
  other = who;
  other.submission = "";
  seed_derive(&key, &other, &b); // nor does the second draw into the first
  assert_memory_not_equal(&a, &b, sizeof a);
  setenv("WARPSHOP_COURSE_SECRET", "another", 1);
  assert_int_equal(seed_from_secret(NULL, &key, &e), ERR_OK);
  seed_derive(&key, &who, &b);
  assert_memory_not_equal(&a, &b, sizeof a);
  // The same secret from a file, with the newline that editors add.
  char path[] = "/tmp/warpshop-secret-XXXXXX";
  close(mkstemp(path));
  assert_int_equal(file_replace(path, "another\n", 8, &e), ERR_OK);
  assert_int_equal(seed_from_secret(path, &a, &e), ERR_OK);
  assert_memory_equal(&a, &key, sizeof a);
  assert_int_equal(file_replace(path, "\n", 1, &e), ERR_OK);
  assert_int_equal(seed_from_secret(path, &a, &e), ERR_ARGUMENT);
  unlink(path);
  assert_int_equal(seed_from_secret(path, &a, &e), ERR_IO);
  setenv("WARPSHOP_COURSE_SECRET", "", 1);
  assert_int_equal(seed_from_secret(NULL, &a, &e), ERR_ARGUMENT);
  uint8_t x[16], y[16];
  seed_fill(&key, 0, x, sizeof x);
  seed_fill(&key, 1, y, sizeof y);
  assert_memory_not_equal(x, y, sizeof x);
}

// The values were computed with Python's hmac over "course\0eve\0ex\0n=1\0"
// and the same with "sha\0" behind.
static void seed_is_hmac_sha256(void **state) {
  (void)state;
  struct seed key, out;
  char hex[SEED_HEX];
  struct seed_for who = {"course", "eve", "ex", "n=1", NULL};
  memset(key.bytes, 7, sizeof key.bytes);
  seed_derive(&key, &who, &out);
  seed_hex(&out, hex);
  assert_string_equal(hex, "49db2531dc1997c9590e3b05609793458b39713d"
                           "4e6c08def75539620aa5983c");
  who.submission = "sha";
  seed_derive(&key, &who, &out);
  seed_hex(&out, hex);
  assert_string_equal(hex, "7fe848f4dfa239b466504ce06104c96749050283"
                           "356f10c95cb50aacf305ee95");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean_text),
      cmocka_unit_test(submissions),
      cmocka_unit_test(files_that_are_none),
      cmocka_unit_test(files_that_are_too_large),
      cmocka_unit_test(streams),
      cmocka_unit_test(clocks),
      cmocka_unit_test(cuts),
      cmocka_unit_test(cuts_lua),
      cmocka_unit_test(mutants),
      cmocka_unit_test(seeds),
      cmocka_unit_test(seed_is_hmac_sha256),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
