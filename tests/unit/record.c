// SPDX-License-Identifier: Apache-2.0
// base/record.h: whatever a kill, a full disk or another writer leaves behind.
#include "base/record.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static char folder[] = "/tmp/warpshop-record-XXXXXX";

static char *path_of(const char *name) {
  return xasprintf("%s/%s", folder, name);
}

static void collect(void *context, char *payload) {
  str_addf(context, "[%s]", payload);
}

// The payloads that can be read of `data`, and how many lines are none.
static char *read_all(const char *data, size_t bytes, size_t *skipped) {
  struct str s = STR_INIT;
  char *copy = xcalloc(bytes + 1, 1);
  memcpy(copy, data, bytes);
  str_add(&s, "");
  *skipped = record_read(copy, bytes, collect, &s);
  free(copy);
  return str_take(&s);
}

static void expect(const struct str *data, const char *want, size_t lost) {
  size_t skipped;
  char *got = read_all(data->data, data->len, &skipped);
  assert_string_equal(got ? got : "", want);
  assert_int_equal(skipped, lost);
  free(got);
}

static void test_every_cut(void **state) {
  (void)state;
  struct str whole = STR_INIT;
  record_make(&whole, "one", 3);
  size_t first = whole.len;
  record_make(&whole, "two 2", 5);
  expect(&whole, "[one][two 2]", 0);
  for (size_t cut = 0; cut < whole.len; cut++) {
    struct str part = {.data = whole.data, .len = cut};
    expect(&part, cut < first ? "" : "[one]", cut && cut != first);
  }
  str_free(&whole);
}

static void test_a_changed_byte_loses_its_record_alone(void **state) {
  (void)state;
  struct str whole = STR_INIT;
  record_make(&whole, "one", 3);
  size_t first = whole.len;
  record_make(&whole, "two", 3);
  for (size_t i = 0; i < first - 1; i++) {
    whole.data[i] ^= 1;
    expect(&whole, "[two]", 1);
    whole.data[i] ^= 1;
  }
  str_free(&whole);
}

// A bit at a time, as the standard has it: other programs read these files, too.
static uint32_t crc32_slowly(const char *data, size_t bytes) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < bytes; i++) {
    crc ^= (unsigned char)data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  return ~crc;
}

static void test_the_checksum_of_each_byte(void **state) {
  (void)state;
  assert_int_equal(crc32_slowly("123456789", 9), 0xCBF43926u);
  // Of each length up to 8, each byte at its end; what is before it differs, too.
  for (int c = 0; c < 256; c++)
    for (size_t n = 1; n < 9; n++) {
      struct str line = STR_INIT;
      char data[] = "abcdefgh";
      data[n - 1] = (char)c;
      record_make(&line, data, n);
      assert_int_equal(strtoul(line.data + 2, NULL, 16), crc32_slowly(data, n));
      str_free(&line);
      line = (struct str)STR_INIT;
      data[0] = (char)c; // and with three or more behind it
      record_make(&line, data, n);
      assert_int_equal(strtoul(line.data + 2, NULL, 16), crc32_slowly(data, n));
      str_free(&line);
    }
}

// Lines that only a lenient reader of numbers would take for records.
static void test_numbers_as_they_are_written(void **state) {
  (void)state;
  char *line = xasprintf("%08x one\n", crc32_slowly("one", 3));
  static const char *const lengths[] = {"+3 ",  " 3 ", "3  ",
                                        "3 0x", "3 +", "3",
                                        " ",    "3 0", "9223372036854775811 "};
  struct str plain = STR_INIT;
  str_addf(&plain, "3 %s", line);
  expect(&plain, "[one]", 0);
  str_free(&plain);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct str odd = STR_INIT;
    str_addf(&odd, "%s%s", lengths[i], line);
    expect(&odd, "", 1);
    str_free(&odd);
  }
  free(line);
}

// Killed at any byte, opened again, appended to: the next record is whole.
static void test_appended_behind_a_torn_one(void **state) {
  (void)state;
  struct str one = STR_INIT;
  record_make(&one, "one", 3);
  char *path = path_of("torn");
  for (size_t cut = 0; cut <= one.len; cut++) {
    struct err_info e;
    char *data;
    size_t bytes, skipped;
    int fd;
    assert_int_equal(file_replace(path, one.data, cut, &e), ERR_OK);
    assert_int_equal(record_open(path, 0600, &fd, &e), ERR_OK);
    assert_int_equal(record_append(fd, path, "two", 3, &e), ERR_OK);
    close(fd);
    assert_int_equal(file_read(path, 1000, &data, &bytes, &e), ERR_OK);
    char *got = read_all(data, bytes, &skipped);
    // Only its line's end is missing: it is whole.
    bool is_whole = cut + 1 >= one.len;
    assert_string_equal(got, is_whole ? "[one][two]" : "[two]");
    free(got);
    free(data);
  }
  free(path);
  str_free(&one);
}

static void test_full_disk(void **state) {
  (void)state;
  struct err_info e;
  char *path = path_of("full");
  struct rlimit was, now;
  int fd;
  assert_int_equal(record_open(path, 0600, &fd, &e), ERR_OK);
  getrlimit(RLIMIT_FSIZE, &was);
  now = was;
  now.rlim_cur = 20;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &now);
  assert_int_equal(record_append(fd, path, "a", 1, &e), ERR_OK);
  assert_int_equal(record_append(fd, path, "much too long", 13, &e), ERR_IO);
  assert_string_equal(strrchr(e.text, ':') + 2, "the disk is full");
  setrlimit(RLIMIT_FSIZE, &was);
  close(fd);
  free(path);
}

static void test_no_link_is_followed(void **state) {
  (void)state;
  struct err_info e;
  char *path = path_of("link");
  int fd;
  assert_int_equal(symlink("elsewhere", path), 0);
  assert_int_equal(record_open(path, 0600, &fd, &e), ERR_IO);
  assert_int_equal(fd, -1);
  free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_cut),
      cmocka_unit_test(test_a_changed_byte_loses_its_record_alone),
      cmocka_unit_test(test_the_checksum_of_each_byte),
      cmocka_unit_test(test_numbers_as_they_are_written),
      cmocka_unit_test(test_appended_behind_a_torn_one),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_no_link_is_followed),
  };
  if (!mkdtemp(folder))
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char *command = xasprintf("rm -rf %s", folder);
  if (system(command))
    failed = 1;
  free(command);
  return failed;
}
