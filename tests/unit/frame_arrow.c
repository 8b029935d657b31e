// SPDX-License-Identifier: Apache-2.0
// The reader of Arrow's files beside files that lie: each of tests/frame/files cut off
// anywhere, and with any of its bytes another. (What is read of whole ones is in
// tests/lua/test_frame_arrow.lua.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

// ---- Sentences of metadata that lie ----

enum {
  ROWS = 133,
  BITS = 17,
  VALUES = 8 * ROWS,
  MOST_BYTES = 4096,
  TEXT = 1024
};

// A stream of one column of f64, the first of them missing.
struct sample {
  uint8_t data[MOST_BYTES];
  size_t n;
};

static enum err add_bytes(void *context, const void *data, size_t n,
                          struct err_info *e) {
  struct sample *s = context;
  (void)e;
  assert_true(s->n + n <= MOST_BYTES);
  memcpy(s->data + s->n, data, n);
  s->n += n;
  return ERR_OK;
}

static void write_columns(struct sample *s, const struct arrow_written *list,
                          int count, int64_t rows) {
  struct arrow_sink sink = {add_bytes, s, false};
  struct err_info e;
  s->n = 0;
  assert_int_equal(arrow_write(list, count, rows, &sink, &e), ERR_OK);
}

static void write_sample(struct sample *s) {
  double values[ROWS] = {0};
  struct arrow_written c = {.name = "x",
                            .name_bytes = 1,
                            .values = values,
                            .stride = sizeof values[0],
                            .dtype = DTYPE_F64};
  for (int i = 0; i < ROWS; i++)
    values[i] = i;
  memset(&values[0], 0xff, sizeof values[0]); // NaN
  write_columns(s, &c, 1, ROWS);
}

// Puts other words in the place of those that stand somewhere in it, everywhere.
static void replace(uint8_t *data, size_t n, const void *old, const void *new,
                    size_t bytes) {
  int count = 0;
  for (size_t i = 0; i + bytes <= n; i++)
    if (!memcmp(data + i, old, bytes)) {
      memcpy(data + i, new, bytes);
      count++;
    }
  assert_true(count);
}

// Reads all of a stream or file: the error's text, "" where there is none.
static void read_text(const uint8_t *data, size_t n, char text[TEXT]) {
  static const bool all[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct arrow_file *f;
  struct err_info e;
  int64_t rows;
  *text = 0;
  if (arrow_open(data, n, &f, &e)) {
    snprintf(text, TEXT, "%s", e.text);
    return;
  }
  assert_true(arrow_field_count(f) <= 16);
  if (arrow_read(f, all, &rows, &e))
    snprintf(text, TEXT, "%s", e.text);
  arrow_close(f);
}

static void expect(struct sample *s, const char *want) {
  char text[TEXT];
  read_text(s->data, s->n, text);
  if (!strstr(text, want))
    fail_msg("got \"%s\", want \"%s\"", text, want);
}

static void metadata_that_lies(void **state) {
  (void)state;
  static const struct {
    int64_t old[2], new[2];
    size_t bytes;
    const char *want;
  } lies[] = {
      {{0, BITS},
       {0, BITS - 1},
       16,
       "fewer values than rows"}, // which are there
      {{64, VALUES}, {64, VALUES - 8}, 16, "fewer values than rows"}, // values
      {{64, VALUES}, {64, -1}, 16, "values lie outside"},
      {{64, VALUES}, {64, 1 << 20}, 16, "values lie outside"},
      {{64, VALUES}, {1 << 20, VALUES}, 16, "values lie outside"},
      {{ROWS}, {(int64_t)1 << 50}, 8, "a batch of rows cannot be read"},
      {{ROWS}, {-1}, 8, "a batch of rows cannot be read"},
      {{ROWS, 1}, {ROWS - 1, 1}, 16, "not equally long"},
  };
  struct sample s;
  write_sample(&s);
  expect(&s, "");
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    write_sample(&s);
    replace(s.data, s.n, lies[i].old, lies[i].new, lies[i].bytes);
    expect(&s, lies[i].want);
  }
}

// How many nodes and buffers follow stands in front of them.
static void vectors_that_are_short(void **state) {
  (void)state;
  static const int32_t buffers[] = {2, 0, 0, BITS, 0},
                       one_buffer[] = {1, 0, 0, BITS, 0};
  static const int32_t node[] = {1, ROWS, 0, 1, 0},
                       no_node[] = {0, ROWS, 0, 1, 0};
  struct sample s;
  write_sample(&s);
  replace(s.data, s.n, buffers, one_buffer, sizeof buffers);
  expect(&s, "too few buffers");
  write_sample(&s);
  replace(s.data, s.n, node, no_node, sizeof node);
  expect(&s, "too few columns");
}

// ---- A dictionary of two columns ----

static void add_message(struct sample *s, struct flat_out *o, int kind,
                        size_t header, size_t body) {
  static const uint8_t zeros[64];
  flat_begin(o);
  flat_add_place(o, 2, header);
  flat_add_number(o, 3, 8, (int64_t)body);
  flat_add_number(o, 1, 1, kind);
  flat_finish(o, flat_end(o));
  uint32_t prefix[2] = {UINT32_MAX, (uint32_t)o->n};
  add_bytes(s, prefix, sizeof prefix, NULL);
  add_bytes(s, flat_out_data(o), o->n, NULL);
  add_bytes(s, zeros, body, NULL);
  flat_out_free(o);
}

// Of codes of i32 into dictionary 0, whose values are of this type.
static size_t put_coded(struct flat_out *o, int type) {
  size_t name = flat_put_text(o, "x", 1);
  flat_begin(o);
  size_t dictionary = flat_end(o);
  flat_begin(o);
  size_t plain = flat_end(o);
  flat_begin(o);
  flat_add_place(o, 0, name);
  flat_add_place(o, 3, plain);
  flat_add_place(o, 4, dictionary);
  flat_add_number(o, 2, 1, type);
  return flat_end(o);
}

// One row of so many columns and buffers, each of `bytes` bytes.
static size_t put_row(struct flat_out *o, size_t columns, size_t count,
                      int64_t bytes) {
  int64_t nodes[4] = {1, 0, 1, 0}, buffers[8] = {0};
  for (size_t i = 1; i < 8; i += 2)
    buffers[i] = bytes;
  size_t node_place = flat_put_structs(o, nodes, 16, columns);
  size_t buffer_place = flat_put_structs(o, buffers, 16, count);
  flat_begin(o);
  flat_add_number(o, 0, 8, 1);
  flat_add_place(o, 1, node_place);
  flat_add_place(o, 2, buffer_place);
  return flat_end(o);
}

// Its values are those of the first column; the other's would lie behind them.
static void a_dictionary_of_two_types(void **state) {
  (void)state;
  enum { NOTHING = 1, UTF8 = 5 };
  struct sample s = {.n = 0};
  struct flat_out o = {0};
  size_t fields[2] = {put_coded(&o, NOTHING), put_coded(&o, UTF8)};
  size_t all = flat_put_places(&o, fields, 2);
  flat_begin(&o);
  flat_add_place(&o, 1, all);
  add_message(&s, &o, 1, flat_end(&o), 0);
  o = (struct flat_out){0};
  size_t row = put_row(&o, 1, 0, 0);
  flat_begin(&o);
  flat_add_place(&o, 1, row);
  add_message(&s, &o, 2, flat_end(&o), 0);
  o = (struct flat_out){0};
  add_message(&s, &o, 3, put_row(&o, 2, 4, 8), 8);
  expect(&s, "columns of several types have one dictionary");
}

// ---- What is there once ----

static size_t put_named(struct flat_out *o, size_t name) {
  flat_begin(o);
  size_t type = flat_end(o);
  flat_begin(o);
  flat_add_place(o, 0, name);
  flat_add_place(o, 3, type);
  flat_add_number(o, 2, 1, 1); // null
  return flat_end(o);
}

// So many fields, each the one at this place.
static size_t put_fields(struct flat_out *o, size_t field, size_t count) {
  size_t places[64];
  assert_true(count <= 64);
  for (size_t i = 0; i < count; i++)
    places[i] = field;
  size_t all = flat_put_places(o, places, count);
  flat_begin(o);
  flat_add_place(o, 1, all);
  return flat_end(o);
}

static void one_name_of_many_columns(void **state) {
  (void)state;
  static const char name[256] = "x";
  for (size_t count = 1; count <= 64; count += 63) {
    struct sample s = {.n = 0};
    struct flat_out o = {0};
    size_t field = put_named(&o, flat_put_text(&o, name, sizeof name));
    add_message(&s, &o, 1, put_fields(&o, field, count), 0);
    struct arrow_file *f = NULL;
    struct err_info e;
    assert_int_equal(arrow_open(s.data, s.n, &f, &e),
                     count == 1 ? ERR_OK : ERR_ARGUMENT);
    if (count == 1)
      arrow_close(f);
    else
      assert_non_null(strstr(e.text, "its columns cannot be read"));
  }
}

// A file of one batch, to which its footer leads so often.
static void write_footer(struct sample *s, size_t often) {
  struct flat_out o = {0};
  int64_t blocks[3 * 8] = {0};
  add_bytes(s, "ARROW1\0", 8, NULL);
  add_message(s, &o, 3, put_row(&o, 1, 0, 0), 0);
  for (size_t i = 0; i < often; i++)
    blocks[3 * i] = 8;
  o = (struct flat_out){0};
  size_t field = put_named(&o, flat_put_text(&o, "x", 1));
  size_t schema = put_fields(&o, field, 1);
  size_t batches = flat_put_structs(&o, blocks, 24, often);
  flat_begin(&o);
  flat_add_place(&o, 1, schema);
  flat_add_place(&o, 3, batches);
  flat_finish(&o, flat_end(&o));
  uint32_t bytes = (uint32_t)o.n;
  add_bytes(s, flat_out_data(&o), o.n, NULL);
  add_bytes(s, &bytes, sizeof bytes, NULL);
  add_bytes(s, "ARROW1", 6, NULL);
  flat_out_free(&o);
}

static void one_batch_many_times(void **state) {
  (void)state;
  struct sample s = {.n = 0};
  write_footer(&s, 1);
  expect(&s, "");
  s.n = 0;
  write_footer(&s, 8);
  expect(&s, "its footer leads to a batch twice");
}

// Both buffers of a column of bools are the same bytes, packed.
static void packed_values_of_two_columns(void **state) {
  (void)state;
  static const int64_t node[2] = {1, 0}, buffers[4] = {0, 16, 0, 16};
  struct sample s = {.n = 0};
  struct flat_out o = {0};
  size_t name = flat_put_text(&o, "x", 1);
  flat_begin(&o);
  size_t type = flat_end(&o);
  flat_begin(&o);
  flat_add_place(&o, 0, name);
  flat_add_place(&o, 3, type);
  flat_add_number(&o, 2, 1, 6); // bool
  add_message(&s, &o, 1, put_fields(&o, flat_end(&o), 1), 0);
  o = (struct flat_out){0};
  size_t node_place = flat_put_structs(&o, node, 16, 1);
  size_t buffer_place = flat_put_structs(&o, buffers, 16, 2);
  flat_begin(&o);
  size_t packing = flat_end(&o);
  flat_begin(&o);
  flat_add_number(&o, 0, 8, 1);
  flat_add_place(&o, 1, node_place);
  flat_add_place(&o, 2, buffer_place);
  flat_add_place(&o, 3, packing);
  add_message(&s, &o, 3, flat_end(&o), 16);
  expect(&s, "a column's packed values lie in another's");
}

// ---- Texts and sizes ----

static void a_text_that_is_too_long(void **state) {
  (void)state;
  struct flat_out o = {0};
  size_t n;
  size_t name = flat_put_text(&o, "xxxxxxxxxxx", 11); // no blank behind it
  flat_begin(&o);
  flat_add_place(&o, 0, name);
  flat_finish(&o, flat_end(&o));
  struct flat f = {.data = flat_out_data(&o), .n = o.n};
  assert_non_null(flat_text(&f, flat_root(&f), 0, &n));
  assert_int_equal(n, 11);
  uint32_t was = 11, is = 13; // one more than there is, with the zero
  replace((uint8_t *)flat_out_data(&o), o.n, &was, &is, sizeof is);
  assert_null(flat_text(&f, flat_root(&f), 0, &n));
  assert_true(f.is_broken);
  flat_out_free(&o);
}

static void packed_sizes_that_cannot_be(uint8_t *data, size_t n) {
  static const uint8_t old[] = {24, 0, 0,    0,    0,    0,
                                0,  0, 0x04, 0x22, 0x4d, 0x18};
  static const uint8_t new[] = {0, 0, 0,    0,    128,  0,
                                0, 0, 0x04, 0x22, 0x4d, 0x18};
  char text[TEXT];
  if (!memmem(data, n, old, sizeof old))
    return; // another file
  replace(data, n, old, new, sizeof old);
  read_text(data, n, text);
  assert_non_null(strstr(text, "a packed column of 549755813888 bytes"));
}

static void packed_sizes(void **state) {
  (void)state;
  each_file(packed_sizes_that_cannot_be);
}

// Where the bytes begin is not ours to choose.
static void values_at_odd_addresses_are_copied(void **state) {
  (void)state;
  static const bool all[1] = {true};
  static uint64_t room[MOST_BYTES / 8 + 1];
  double values[ROWS];
  for (size_t shift = 0; shift < 9; shift++) {
    struct sample s;
    struct arrow_file *f;
    struct arrow_column c;
    struct err_info e;
    int64_t rows;
    write_sample(&s);
    static const int64_t missing[] = {ROWS, 1}, none[] = {ROWS, 0};
    static const int64_t bits[] = {0, BITS}, no_bits[] = {0, 0};
    replace(s.data, s.n, missing, none, sizeof none);
    replace(s.data, s.n, bits, no_bits, sizeof no_bits);
    memcpy((char *)room + shift, s.data, s.n);
    assert_int_equal(arrow_open((char *)room + shift, s.n, &f, &e), ERR_OK);
    assert_int_equal(arrow_read(f, all, &rows, &e), ERR_OK);
    assert_int_equal(
        arrow_column_begin(arrow_field_at(f, 0), arrow_pieces_at(f, 0), &c, &e),
        ERR_OK);
    assert_true((arrow_column_in_place(&c) != NULL) == (shift % 8 == 0));
    assert_int_equal(arrow_column_fill(&c, values, NULL, &e), ERR_OK);
    assert_true(values[ROWS - 1] == ROWS - 1);
    arrow_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_cut_off),
      cmocka_unit_test(files_with_other_bytes),
      cmocka_unit_test(files_with_other_words),
      cmocka_unit_test(fields_in_fields_end),
      cmocka_unit_test(metadata_that_lies),
      cmocka_unit_test(vectors_that_are_short),
      cmocka_unit_test(a_dictionary_of_two_types),
      cmocka_unit_test(one_name_of_many_columns),
      cmocka_unit_test(one_batch_many_times),
      cmocka_unit_test(packed_values_of_two_columns),
      cmocka_unit_test(a_text_that_is_too_long),
      cmocka_unit_test(packed_sizes),
      cmocka_unit_test(values_at_odd_addresses_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
