// SPDX-License-Identifier: Apache-2.0
// The reader of Arrow's files beside files that lie: each of tests/frame/files cut off
// anywhere, and with any of its bytes another. (What is read of whole ones is in
// tests/lua/test_frame_arrow.lua.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/frame/arrow/arrow.h"
#include "lua/bind/frame/arrow/flat.h"
#include "tests/fuzz/frame/fuzz_arrow.h"

enum { FILES = 6 };

// Calls f with each file's bytes, which it may change.
static void each_file(void (*f)(uint8_t *data, size_t n)) {
  glob_t files;
  char *home = file_own("tests");
  char *pattern = xasprintf("%s/frame/files/*.arrow*", home ? home : "tests");
  assert_int_equal(glob(pattern, 0, NULL, &files), 0);
  assert_int_equal(files.gl_pathc, FILES);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct err_info e;
    char *text;
    size_t n;
    assert_int_equal(file_read(files.gl_pathv[i], 1 << 20, &text, &n, &e), 0);
    f((uint8_t *)text, n);
    free(text);
  }
  globfree(&files);
  free(pattern);
  free(home);
}

static void cut_off(uint8_t *data, size_t n) {
  for (size_t bytes = 0; bytes <= n; bytes++)
    fuzz_arrow(data, bytes);
}

static void change_bytes(uint8_t *data, size_t n) {
  static const uint8_t masks[] = {0xff, 0x01};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof masks; k++) {
      data[i] ^= masks[k];
      fuzz_arrow(data, n);
      data[i] ^= masks[k];
    }
}

// Words that lengths, offsets and numbers of rows are.
static void change_words(uint8_t *data, size_t n) {
  static const int64_t words[] = {INT64_MAX, INT64_MIN, INT32_MAX, 1 << 12};
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
      uint8_t before[8];
      memcpy(before, data + i, 8);
      memcpy(data + i, &words[k], 8);
      fuzz_arrow(data, n);
      memcpy(data + i, before, 8);
    }
}

static void files_cut_off(void **state) {
  (void)state;
  each_file(cut_off);
}

static void files_with_other_bytes(void **state) {
  (void)state;
  each_file(change_bytes);
}

static void files_with_other_words(void **state) {
  (void)state;
  each_file(change_words);
}

// ---- Metadata that grows when it is followed ----

enum { LAYERS = 40 };

static size_t put_field(struct flat_out *o, const size_t *children,
                        size_t count) {
  size_t name = flat_put_text(o, "x", 1);
  size_t list = flat_put_places(o, children, count);
  flat_begin(o);
  size_t type = flat_end(o);
  flat_begin(o);
  flat_add_place(o, 0, name);
  flat_add_place(o, 3, type);
  flat_add_place(o, 5, list);
  flat_add_number(o, 2, 1, 13); // struct
  return flat_end(o);
}

// A struct of one struct twice, of one struct twice ... has 2^40 fields in a few bytes.
static void fields_in_fields_end(void **state) {
  (void)state;
  struct flat_out o = {0};
  struct arrow_file *f;
  struct err_info e;
  size_t twice[2];
  twice[0] = twice[1] = put_field(&o, NULL, 0);
  for (int i = 0; i < LAYERS; i++)
    twice[0] = twice[1] = put_field(&o, twice, 2);
  size_t fields = flat_put_places(&o, twice, 1);
  flat_begin(&o);
  flat_add_place(&o, 1, fields);
  size_t schema = flat_end(&o);
  flat_begin(&o);
  flat_add_place(&o, 2, schema);
  flat_add_number(&o, 1, 1, 1);
  flat_finish(&o, flat_end(&o));
  uint32_t prefix[2] = {UINT32_MAX, (uint32_t)o.n};
  uint8_t *stream = xmalloc(sizeof prefix + o.n);
  memcpy(stream, prefix, sizeof prefix);
  memcpy(stream + sizeof prefix, flat_out_data(&o), o.n);
  assert_int_equal(arrow_open(stream, sizeof prefix + o.n, &f, &e),
                   ERR_UNSUPPORTED);
  assert_non_null(strstr(e.text, "too many fields"));
  free(stream);
  flat_out_free(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_cut_off),
      cmocka_unit_test(files_with_other_bytes),
      cmocka_unit_test(files_with_other_words),
      cmocka_unit_test(fields_in_fields_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
