// SPDX-License-Identifier: Apache-2.0
// lua/bind/frame/csv: fields, types, values, mistakes with their places; numbers
// beside strtod; and the kept corpus of tests/fuzz/frame with mutations, read by
// one thread and by several.
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/csv/csv_texts.h"
#include "lua/bind/frame/csv/csv_values.h"
#include "tests/fuzz/frame/fuzz_csv.h"

enum { COLUMNS = 3, ROWS = 8, MANY = 20000, PIECE = 4096 };

// A text as a file, and what came of reading it.
struct table {
  int fd;
  char path[64];
  struct csv *csv;
  int count;
  struct csv_column columns[COLUMNS];
  int64_t rows;
  struct err_info e;
};

// Asked by each thread before each block: NULL or take_turns.
static bool (*asked)(void);
static bool take_turns(void) {
  usleep(100); // so that no thread reads all
  return false;
}

static void open_text(struct table *t, const char *text, bool skips) {
  static const char *const na[] = {"", "NA"};
  memset(t, 0, sizeof *t);
  t->fd = memfd_create("csv", MFD_CLOEXEC);
  assert_int_equal(write(t->fd, text, strlen(text)), strlen(text));
  snprintf(t->path, sizeof t->path, "/proc/self/fd/%d", t->fd);
  struct csv_options o = {.separator = ',',
                          .quote = '"',
                          .na = na,
                          .na_count = 2,
                          .threads = 3,
                          .least_piece = 4,
                          .skips_bad_lines = skips,
                          .is_cancelled = asked};
  assert_int_equal(csv_open(t->path, &o, &t->csv, &t->e), ERR_OK);
  assert_int_equal(csv_names(t->csv, &t->count, &t->e), ERR_OK);
  for (int k = 0; k < t->count; k++)
    t->columns[k].is_used = true, t->columns[k].name = "c";
}

static enum err read_text(struct table *t, int64_t most) {
  enum err err = csv_scan(t->csv, t->columns, t->count, most, &t->rows, &t->e);
  while (!err && !csv_is_filled(t->columns, t->count)) {
    assert_true(t->rows <= ROWS);
    for (int k = 0; k < t->count; k++)
      if (!t->columns[k].values)
        t->columns[k].values = xcalloc(ROWS, 8);
    err = csv_fill(t->csv, t->columns, t->count, &t->rows, &t->e);
  }
  return err;
}

static void forget(struct table *t) {
  for (int k = 0; k < t->count; k++) {
    free(t->columns[k].values);
    texts_free(t->columns[k].texts);
    t->columns[k].values = t->columns[k].texts = NULL;
  }
}

static void close_text(struct table *t) {
  forget(t);
  csv_close(t->csv);
  close(t->fd);
}

static void expect_text(const struct table *t, int k, int row,
                        const char *want) {
  int32_t code = ((int32_t *)t->columns[k].values)[row];
  if (!want) {
    assert_int_equal(code, -1);
    return;
  }
  size_t n;
  const char *text = texts_get(t->columns[k].texts, code, &n);
  assert_int_equal(n, strlen(want));
  assert_memory_equal(text, want, n);
}

static void fields_and_rows(void **state) {
  (void)state;
  struct table t;
  open_text(&t,
            "\xef\xbb\xbf"
            "a,\"b,\"\"c\"\r\n"
            "x,\"1\r\n\"\"2\"\"\"\r\n\r\n  \r\ny\r\n\"NA\",z",
            false);
  size_t n;
  assert_memory_equal(csv_name(t.csv, 0, &n), "a", 1); // the mark is off
  assert_int_equal(n, 1);
  assert_memory_equal(csv_name(t.csv, 1, &n), "b,\"c", 4);
  assert_int_equal(n, 4);
  assert_int_equal(read_text(&t, -1), ERR_OK);
  assert_int_equal(t.rows, 3);
  expect_text(&t, 0, 1, "y");
  expect_text(&t, 0, 2, NULL);
  expect_text(&t, 1, 0, "1\r\n\"2\"");
  expect_text(&t, 1, 1, NULL);
  expect_text(&t, 1, 2, "z");
  close_text(&t);
}

static void expect_type(const char *values, enum csv_type want) {
  struct table t;
  char text[200];
  snprintf(text, sizeof text, "a\n%s", values);
  open_text(&t, text, false);
  assert_int_equal(read_text(&t, -1), ERR_OK);
  assert_int_equal(t.columns[0].type, want);
  close_text(&t);
}

static void types_are_found(void **state) {
  (void)state;
  expect_type("1\n-2\n 3 \n+4\n007", CSV_I64);
  expect_type("1\nNA\n2", CSV_F64);
  expect_type("1\n2.\n.5\n1e3\ninf\n-Infinity", CSV_F64);
  expect_type("9223372036854775807\n-9223372036854775808", CSV_I64);
  expect_type("9223372036854775808\n1", CSV_U64);
  expect_type("9223372036854775808\n-1", CSV_F64);
  expect_type("-1\n9223372036854775808", CSV_F64);
  expect_type("18446744073709551616", CSV_F64);
  expect_type("True\nFALSE\ntrue\nNA", CSV_BOOL);
  expect_type("True\n1", CSV_TEXT);
  expect_type("1\nx\n2", CSV_TEXT);
  expect_type("NA\nNA", CSV_NONE);
  expect_type("0x10", CSV_TEXT);
  expect_type("1e", CSV_TEXT);
  expect_type("1_000", CSV_TEXT);
  expect_type("\"12\"", CSV_I64);
}

static void some_rows_at_a_time(void **state) {
  (void)state;
  struct table t;
  open_text(&t, "a,b\n1,\"x\ny\"\n2,z\n\n3,w\n4,v\n", false);
  static const int64_t first[] = {1, 3};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(read_text(&t, 2), ERR_OK);
    assert_int_equal(t.rows, 2);
    assert_int_equal(*(int64_t *)t.columns[0].values, first[i]);
    forget(&t);
  }
  assert_int_equal(read_text(&t, 2), ERR_OK);
  assert_int_equal(t.rows, 0);
  close_text(&t);
}

// What goes wrong says where: lines within quotes count.
static void expect_mistake(const char *text, enum csv_type wanted, int line,
                           const char *want) {
  struct table t;
  open_text(&t, text, false);
  t.columns[0].wanted = wanted;
  assert_int_equal(read_text(&t, -1), ERR_ARGUMENT);
  assert_int_equal(t.e.line, line);
  if (!strstr(t.e.text, want))
    fail_msg("\"%s\" lacks \"%s\"", t.e.text, want);
  close_text(&t);
}

static void mistakes_have_places(void **state) {
  (void)state;
  expect_mistake("a,b\n1,\"x\ny\"\n1,2,3,4\n1\n", CSV_NONE, 4,
                 "the line has 4 fields, and there are 2 columns");
  expect_mistake("a,b\n1,2\n3,\"x\n4,5\n", CSV_NONE, 3, "is not closed");
  expect_mistake("a,b\n1,2\nx,2\n", CSV_I64, 3,
                 "column \"c\": \"x\" is no i64; dtype = \"str\" takes it");
  expect_mistake("a,b\n1,2\n1.5,2\n", CSV_I64, 3, "dtype = \"f64\" takes it");
  expect_mistake("a,b\n1,2\n,2\n", CSV_I64, 3,
                 "is missing, which there is not");
  expect_mistake("a,b\nTrue,2\n2,2\n", CSV_BOOL, 3, "\"2\" is no bool");
}

static void bad_lines_are_left_out(void **state) {
  (void)state;
  struct table t;
  open_text(&t, "a,b\n1,2\nx,y,z\n3,4\nx,y,z\n", true);
  assert_int_equal(read_text(&t, -1), ERR_OK);
  assert_int_equal(t.rows, 2);
  assert_int_equal(t.columns[0].type, CSV_I64);
  assert_int_equal(((int64_t *)t.columns[1].values)[1], 4);
  close_text(&t);
}

// A quote within a field is a character; what looks like rows stays so.
static void stray_quotes(void **state) {
  (void)state;
  struct table t;
  open_text(&t, "a,b\n5\" disk,1\nx,2\ny\"z,3\n", false);
  assert_int_equal(read_text(&t, -1), ERR_OK);
  assert_int_equal(t.rows, 3);
  expect_text(&t, 0, 0, "5\" disk");
  assert_int_equal(((int64_t *)t.columns[1].values)[2], 3);
  close_text(&t);
}

// Whoever reads which row.
static void codes_are_in_order_of_the_rows(void **state) {
  (void)state;
  struct table t;
  static const int32_t want[] = {0, 1, 2, 0, 3, 4, 3, 5};
  asked = take_turns;
  for (int i = 0; i < 20; i++) {
    open_text(&t, "a\nzz\nyy\nxx\nzz\nww\nvv\nww\nuu\n", false);
    assert_int_equal(read_text(&t, -1), ERR_OK);
    assert_memory_equal(t.columns[0].values, want, sizeof want);
    close_text(&t);
  }
  asked = NULL;
}

// ---- Many texts ----

enum { LINES = 120000, LINE = 64, KINDS = 3 };

// Column k of a line: mostly new ones, of which some stood far above; few, then new
// ones, then few again; short ones, some of which are missing.
static size_t line_text(int k, int line, char out[LINE]) {
  if (k == 0)
    return (size_t)sprintf(out, "user_%d", line % 9 ? line : line / 2);
  if (k == 1)
    return (size_t)sprintf(out, "the item %d",
                           line / (LINES / 3) == 1 ? line : line % 7);
  return line % 5 ? (size_t)sprintf(out, "%xx", line * 7 % 90001) : 0;
}

static int file_of_lines(char *path, size_t bytes) {
  int fd = memfd_create("csv", MFD_CLOEXEC);
  FILE *f = fdopen(dup(fd), "w");
  char text[LINE];
  for (int i = 0; i < LINES; i++)
    for (int k = 0; k < KINDS; k++) {
      text[line_text(k, i, text)] = '\0';
      fprintf(f, "%s%c", text, k == KINDS - 1 ? '\n' : ',');
    }
  fclose(f);
  snprintf(path, bytes, "/proc/self/fd/%d", fd);
  return fd;
}

// As if they had been added row by row.
static void expect_lines(const struct csv_column *c, int k) {
  struct texts *want = texts_new();
  const int32_t *codes = c->values;
  for (int i = 0; i < LINES; i++) {
    char text[LINE];
    size_t n = line_text(k, i, text);
    assert_int_equal(codes[i], n ? texts_add(want, text, n) : -1);
  }
  assert_int_equal(texts_count(c->texts), texts_count(want));
  for (int32_t code = 0; code < texts_count(want); code++) {
    size_t n, m;
    const char *text = texts_get(want, code, &n);
    assert_memory_equal(texts_get(c->texts, code, &m), text, n);
    assert_int_equal(n, m);
    if (code % 1000 == 0)
      assert_int_equal(texts_find(c->texts, text, n), code);
  }
  assert_int_equal(texts_add(c->texts, "another", 7), texts_count(want));
  texts_free(want);
}

static void many_texts_are_in_order_of_the_rows(void **state) {
  (void)state;
  static const char *const na[] = {""};
  char path[64];
  int fd = file_of_lines(path, sizeof path);
  for (int threads = 1; threads <= 7; threads += 2) {
    struct csv_options o = {.separator = ',',
                            .na = na,
                            .na_count = 1,
                            .threads = threads,
                            .least_piece = PIECE,
                            .is_cancelled = take_turns};
    struct csv_column columns[KINDS] = {0};
    struct err_info e;
    struct csv *c;
    int64_t rows;
    assert_int_equal(csv_open(path, &o, &c, &e), ERR_OK);
    for (int k = 0; k < KINDS; k++)
      columns[k] = (struct csv_column){.name = "c",
                                       .wanted = CSV_TEXT,
                                       .is_used = true,
                                       .values = xcalloc(LINES, 4)};
    assert_int_equal(csv_scan(c, columns, KINDS, -1, &rows, &e), ERR_OK);
    assert_int_equal(rows, LINES);
    assert_int_equal(csv_fill(c, columns, KINDS, &rows, &e), ERR_OK);
    for (int k = 0; k < KINDS; k++) {
      expect_lines(&columns[k], k);
      free(columns[k].values);
      texts_free(columns[k].texts);
    }
    csv_close(c);
  }
  close(fd);
}

// Blocks of texts of which `period` differ, as a worker stores them.
static void store_blocks(struct csv *c, int blocks, int period) {
  static int32_t codes[MANY / 10];
  char text[LINE] = "";
  for (int i = 0; i < blocks; i++) {
    int32_t size;
    for (int row = 0; row < MANY / 10; row++) {
      int n = sprintf(text, "text %d", (i * (MANY / 10) + row) % period);
      int32_t *to = &codes[row];
      assert_true(csv_store_text(&c->workers[0], 0, text, (size_t)n, to));
      assert_true(csv_store_waiting(&c->workers[0], 0));
    }
    assert_true(csv_end_book(&c->workers[0], 0, &size));
  }
}

// No longer than a dictionary that has the same use.
static void a_list_of_texts_ends_where_they_repeat(void **state) {
  (void)state;
  struct csv *c = xcalloc(1, sizeof *c);
  struct csv_column column = {.is_used = true, .type = CSV_TEXT};
  c->columns = &column;
  c->count = 1;
  c->block_count = 1;
  c->workers[0].csv = c;
  assert_int_equal(csv_make_books(c, 1), ERR_OK);
  const struct csv_book *book = &c->workers[0].books[0];
  store_blocks(c, 1, MANY);
  assert_false(book->is_list); // the first ones are new in any case
  store_blocks(c, 2, MANY);
  assert_true(book->is_list);
  store_blocks(c, 100, 3 * MANY);
  assert_false(book->is_list);
  assert_true(texts_count(book->texts) < 2 * 3 * MANY);
  csv_free_books(c);
  free(c);
}

// Rows are counted before they are stored: no more is stored than there is room for.
static void a_file_that_changes_is_told(void **state) {
  (void)state;
  static const char had[] = "a\n1\n2\n3\n444\n5\n6\n";
  static const char *const others[] = {"a\n1\n2\n3\n\n\n5\n6\n", "a\n1\n2\n3"};
  for (int i = 0; i < 2; i++) {
    struct table t;
    open_text(&t, had, false);
    assert_int_equal(csv_scan(t.csv, t.columns, 1, -1, &t.rows, &t.e), ERR_OK);
    assert_int_equal(t.rows, 6);
    t.columns[0].values = xcalloc(ROWS, 8);
    assert_int_equal(pwrite(t.fd, others[i], strlen(others[i]), 0),
                     strlen(others[i]));
    assert_int_equal(ftruncate(t.fd, (off_t)strlen(others[i])), 0);
    assert_int_equal(csv_fill(t.csv, t.columns, 1, &t.rows, &t.e), ERR_IO);
    assert_non_null(strstr(t.e.text, "the file changed while it was read"));
    close_text(&t);
  }
}

// ---- Numbers ----

static void expect_number(const char *text) {
  double got, want = strtod(text, NULL);
  uint64_t got_bits, want_bits;
  assert_true(csv_parse_f64(text, strlen(text), &got));
  memcpy(&got_bits, &got, sizeof got);
  memcpy(&want_bits, &want, sizeof want);
  if (got_bits != want_bits)
    fail_msg("%s is %.17g, got %.17g", text, want, got);
}

static void numbers_are_rounded_exactly(void **state) {
  (void)state;
  static const char *const texts[] = {
      "0",
      "-0.0",
      "9007199254740993",
      "9007199254740993.0",
      "1.7976931348623157e308",
      "1e400",
      "4.9e-324",
      "2.4e-324",
      "0.1e-7",
      "123456789012345678901234567890",
      "8.5e22",
      "1e23",
      "9007199254740992.99999999999999999999999",
      "00000000000000000000000.5",
      "1090544144181609348671888949248e-3",
      "2.2250738585072011e-308"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect_number(texts[i]);
  uint64_t seed = 1;
  for (int i = 0; i < 200000; i++) {
    char text[64];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int power = (int)(seed >> 40) % 60 - 30;
    snprintf(text, sizeof text, i % 2 ? "%llu.%llue%d" : "0.%llu%llue%d",
             (unsigned long long)(seed >> (seed % 60)),
             (unsigned long long)(seed % 100000), power);
    expect_number(text);
  }
}

// ---- The corpus ----

static void replay(const char *text, size_t n) {
  uint8_t *data = xmalloc(n + 1);
  uint32_t seed = 7;
  static const char marks[] = "\",\n\r\"1.-eNT \t";
  for (int round = 0; round < 400; round++) {
    memcpy(data, text, n);
    for (int i = 0; i < round % 5 && n; i++) {
      seed = seed * 1664525 + 1013904223;
      data[(seed >> 8) % n] = (uint8_t)marks[(seed >> 3) % (sizeof marks - 1)];
    }
    fuzz_csv(data, n);
  }
  free(data);
}

static void any_bytes_are_read(void **state) {
  (void)state;
  glob_t files;
  char *home = file_own("tests");
  char *pattern = xasprintf("%s/fuzz/frame/corpus/*", home ? home : "tests");
  assert_int_equal(glob(pattern, 0, NULL, &files), 0);
  assert_true(files.gl_pathc >= 5);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct err_info e;
    char *text;
    size_t n;
    assert_int_equal(file_read(files.gl_pathv[i], 1 << 20, &text, &n, &e), 0);
    replay(text, n);
    free(text);
  }
  globfree(&files);
  free(pattern);
  free(home);
}

// ---- Given up ----

static atomic_int looks_left;
static bool is_looked_at_enough(void) {
  return atomic_fetch_sub(&looks_left, 1) <= 0;
}

static int reading_threads = 1;
static enum err read_after(const char *path, int64_t most, int looks,
                           struct csv **c, struct csv_column *k) {
  struct csv_options o = {.separator = 1,
                          .quote = '"',
                          .threads = reading_threads,
                          .least_piece = PIECE,
                          .is_cancelled = is_looked_at_enough};
  struct err_info e;
  int64_t rows;
  atomic_store(&looks_left, looks);
  enum err err = csv_open(path, &o, c, &e);
  if (!err)
    err = csv_scan(*c, k, 1, most, &rows, &e);
  while (!err && !csv_is_filled(k, 1))
    err = csv_fill(*c, k, 1, &rows, &e);
  return err;
}

// At how many places it is noticed.
static int times_given_up(const char *path, int64_t most) {
  static int32_t codes[MANY];
  int given_up = 0;
  enum err err;
  do {
    struct csv *c = NULL;
    struct csv_column k = {
        .name = "c", .wanted = CSV_TEXT, .is_used = true, .values = codes};
    err = read_after(path, most, given_up, &c, &k);
    assert_true(err == ERR_OK || err == ERR_CANCELLED);
    given_up += err == ERR_CANCELLED;
    assert_true(!err == !!k.texts); // of what is given up nothing is left
    texts_free(k.texts);
    csv_close(c);
  } while (err == ERR_CANCELLED);
  return given_up;
}

// While the file comes in, is looked through, is stored.
static void it_can_be_given_up(void **state) {
  (void)state;
  assert_true(times_given_up("/proc/self/status", -1) >= 5);
}

// So many rows as a file, behind a first one; its descriptor.
static int file_of_rows(const char *first, char *path, size_t bytes) {
  int fd = memfd_create("csv", MFD_CLOEXEC);
  assert_int_equal(write(fd, first, strlen(first)), strlen(first));
  for (int i = 1; i < MANY; i++)
    assert_int_equal(write(fd, "x\n", 2), 2);
  snprintf(path, bytes, "/proc/self/fd/%d", fd);
  return fd;
}

// And between any two blocks: while they are counted, and while they are stored; where
// rows end elsewhere than was counted, while that is looked for, too.
static void each_block_can_be_given_up(void **state) {
  (void)state;
  enum { BLOCKS = 2 * MANY / PIECE };
  char path[64];
  int fd = file_of_rows("x\n", path, sizeof path);
  assert_true(times_given_up(path, MANY) >= 2 * BLOCKS);
  close(fd);
  fd = file_of_rows("x\"y\n", path, sizeof path);
  assert_true(times_given_up(path, MANY) >= 3 * BLOCKS);
  close(fd);
}

// Where several dictionaries are joined, too: the last looks are there.
static void a_dictionary_can_be_given_up(void **state) {
  (void)state;
  char path[64];
  int fd = file_of_rows("x\n", path, sizeof path);
  reading_threads = 2;
  assert_true(times_given_up(path, MANY) >= 2);
  reading_threads = 1;
  close(fd);
}

// ---- Written ----

// A folder with an older file, in which nothing else is.
struct folder {
  char path[64], file[96];
};

static void make_folder(struct folder *f) {
  snprintf(f->path, sizeof f->path, "/tmp/frame_csv.XXXXXX");
  assert_non_null(mkdtemp(f->path));
  snprintf(f->file, sizeof f->file, "%s/x.csv", f->path);
  struct err_info e;
  assert_int_equal(file_write(f->file, "older", 5, 0640, &e), ERR_OK);
  assert_int_equal(chmod(f->file, 0640), 0);
}

static void expect_file(const struct folder *f, const char *want) {
  char *text;
  size_t n;
  struct err_info e;
  struct stat st;
  assert_int_equal(file_read(f->file, 1 << 20, &text, &n, &e), ERR_OK);
  assert_string_equal(text, want);
  free(text);
  assert_int_equal(stat(f->file, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0640);
}

static void remove_folder(const struct folder *f) {
  assert_int_equal(unlink(f->file), 0);
  assert_int_equal(rmdir(f->path), 0); // so nothing else was left in it
}

static void an_older_file_stays_until_the_end(void **state) {
  (void)state;
  struct folder f;
  struct csv_out *o;
  struct err_info e;
  make_folder(&f);
  assert_int_equal(csv_out_open(f.file, &o, &e), ERR_OK);
  assert_int_equal(csv_out_add(o, "new", 3, &e), ERR_OK);
  expect_file(&f, "older");
  csv_out_drop(o);
  expect_file(&f, "older");
  assert_int_equal(csv_out_open(f.file, &o, &e), ERR_OK);
  assert_int_equal(csv_out_add(o, "new", 3, &e), ERR_OK);
  assert_int_equal(csv_out_end(o, &e), ERR_OK);
  csv_out_drop(o);
  expect_file(&f, "new");
  remove_folder(&f);
}

// A link of that name stays one, and what it leads to is written.
static void a_link_stays_one(void **state) {
  (void)state;
  struct folder f;
  struct csv_out *o;
  struct err_info e;
  struct stat st;
  char link[96];
  make_folder(&f);
  snprintf(link, sizeof link, "%s/link", f.path);
  assert_int_equal(symlink(f.file, link), 0);
  assert_int_equal(csv_out_open(link, &o, &e), ERR_OK);
  assert_int_equal(csv_out_add(o, "new", 3, &e), ERR_OK);
  assert_int_equal(csv_out_end(o, &e), ERR_OK);
  csv_out_drop(o);
  expect_file(&f, "new");
  assert_int_equal(lstat(link, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  unlink(link);
  remove_folder(&f);
}

// As on a disk that is full: no file may grow beyond four bytes.
static void a_full_disk_is_told(void **state) {
  (void)state;
  struct folder f;
  struct csv_out *o;
  struct err_info e;
  struct rlimit had, small;
  make_folder(&f);
  assert_int_equal(csv_out_open(f.file, &o, &e), ERR_OK);
  getrlimit(RLIMIT_FSIZE, &had);
  small = had;
  small.rlim_cur = 4;
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  enum err err = csv_out_add(o, "0123456789", 10, &e);
  setrlimit(RLIMIT_FSIZE, &had);
  signal(SIGXFSZ, before);
  assert_int_equal(err, ERR_IO);
  assert_non_null(
      strstr(e.text, "File too large; the older file is as it was"));
  csv_out_drop(o);
  expect_file(&f, "older");
  remove_folder(&f);
}

// To open it would wait until somebody writes into it.
static void a_pipe_is_refused(void **state) {
  (void)state;
  struct folder f;
  struct csv *c;
  struct err_info e;
  struct csv_options o = {.separator = ','};
  make_folder(&f);
  assert_int_equal(unlink(f.file), 0);
  assert_int_equal(mkfifo(f.file, 0600), 0);
  assert_int_equal(csv_open(f.file, &o, &c, &e), ERR_IO);
  assert_non_null(strstr(e.text, "it is a pipe, not a file on a disk"));
  remove_folder(&f);
}

// Several threads read it, each its part: rows of blank lines with a number.
static void parts_of_a_file_are_in_their_order(void **state) {
  (void)state;
  enum { NUMBERS = ROWS, APART = 3 << 18 };
  char *text = xmalloc((size_t)NUMBERS * (APART + 8) + 8), *p = text;
  p += sprintf(p, "n\n");
  for (int i = 0; i < NUMBERS; i++) {
    p += sprintf(p, "%d\n", 100 + i);
    memset(p, '\n', APART);
    p += APART;
  }
  *p = '\0';
  struct table t;
  open_text(&t, text, false);
  assert_int_equal(read_text(&t, -1), ERR_OK);
  assert_int_equal(t.rows, NUMBERS);
  for (int i = 0; i < NUMBERS; i++)
    assert_int_equal(((int64_t *)t.columns[0].values)[i], 100 + i);
  close_text(&t);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_and_rows),
      cmocka_unit_test(types_are_found),
      cmocka_unit_test(some_rows_at_a_time),
      cmocka_unit_test(mistakes_have_places),
      cmocka_unit_test(bad_lines_are_left_out),
      cmocka_unit_test(stray_quotes),
      cmocka_unit_test(codes_are_in_order_of_the_rows),
      cmocka_unit_test(many_texts_are_in_order_of_the_rows),
      cmocka_unit_test(a_list_of_texts_ends_where_they_repeat),
      cmocka_unit_test(a_file_that_changes_is_told),
      cmocka_unit_test(numbers_are_rounded_exactly),
      cmocka_unit_test(any_bytes_are_read),
      cmocka_unit_test(it_can_be_given_up),
      cmocka_unit_test(each_block_can_be_given_up),
      cmocka_unit_test(a_dictionary_can_be_given_up),
      cmocka_unit_test(an_older_file_stays_until_the_end),
      cmocka_unit_test(a_link_stays_one),
      cmocka_unit_test(a_full_disk_is_told),
      cmocka_unit_test(a_pipe_is_refused),
      cmocka_unit_test(parts_of_a_file_are_in_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
