// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of CSV: what is read must not depend on how many threads
// read it, and in rows taken a few at a time, no byte may be touched that is
// not the file's.
#include "tests/fuzz/frame/fuzz_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lua/bind/frame/csv/csv.h"

enum { MOST_COLUMNS = 32, FEW_ROWS = 3 };

// All that was read, as text.
struct seen {
  char *text;
  size_t n;
  FILE *out;
};

static void note_value(FILE *out, const struct csv_column *c, int64_t row) {
  size_t n;
  const char *text;
  switch (c->type) {
  case CSV_I64: fprintf(out, "%lld", ((long long *)c->values)[row]); break;
  case CSV_U64:
    fprintf(out, "%llu", ((unsigned long long *)c->values)[row]);
    break;
  case CSV_TEXT:
    if (((int32_t *)c->values)[row] < 0)
      break;
    text = texts_get(c->texts, ((int32_t *)c->values)[row], &n);
    fwrite(text, 1, n, out);
    break;
  case CSV_BOOL:
    if (!c->has_missing) {
      fprintf(out, "%d", ((uint8_t *)c->values)[row]);
      break;
    } // fall through
  default: fprintf(out, "%a", ((double *)c->values)[row]);
  }
  fputc('|', out);
}

static void note_rows(FILE *out, struct csv_column *columns, int count,
                      int64_t rows) {
  for (int k = 0; k < count; k++) {
    fprintf(out, "%d %d: ", columns[k].type, columns[k].has_missing);
    for (int64_t i = 0; i < rows; i++)
      note_value(out, &columns[k], i);
    fputc('\n', out);
  }
}

// Returns how many rows there were, or -1.
static int64_t read_rows(struct csv *c, int count, int64_t most, FILE *out) {
  struct csv_column columns[MOST_COLUMNS];
  struct err_info e;
  int64_t rows;
  memset(columns, 0, sizeof columns);
  for (int k = 0; k < count; k++)
    columns[k].is_used = true, columns[k].name = "column";
  enum err err = csv_scan(c, columns, count, most, &rows, &e);
  while (!err && !csv_is_filled(columns, count)) {
    for (int k = 0; k < count; k++)
      if (!columns[k].is_filled) {
        free(columns[k].values);
        columns[k].values = malloc(8 * (size_t)rows + 1);
      }
    err = csv_fill(c, columns, count, &rows, &e);
  }
  if (err)
    fprintf(out, "%s %d %s\n", e.text, e.line, e.file);
  else
    note_rows(out, columns, count, rows);
  for (int k = 0; k < count; k++) {
    free(columns[k].values);
    texts_free(columns[k].texts);
  }
  return err ? -1 : rows;
}

static char *read_all(const char *path, struct csv_options o, int64_t most) {
  struct seen s = {0};
  struct csv *c;
  struct err_info e;
  int count = 0;
  s.out = open_memstream(&s.text, &s.n);
  if (!csv_open(path, &o, &c, &e)) {
    if (!csv_names(c, &count, &e) && count > 0 && count <= MOST_COLUMNS)
      while (read_rows(c, count, most, s.out) > 0 && most > 0) {
      }
    csv_close(c);
  }
  fclose(s.out);
  return s.text;
}

void fuzz_csv(const uint8_t *data, size_t size) {
  static const char *const na[] = {"", "NA", "nan", "-nan"};
  int fd = memfd_create("csv", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int skips = 0; skips < 2; skips++) {
    struct csv_options o = {.separator = ',',
                            .quote = '"',
                            .na = na,
                            .na_count = 4,
                            .threads = 1,
                            .skips_bad_lines = skips};
    char *one = read_all(path, o, -1);
    o.threads = 5;
    o.least_piece = 1;
    char *many = read_all(path, o, -1);
    if (strcmp(one, many))
      abort();
    free(read_all(path, o, FEW_ROWS));
    free(one);
    free(many);
  }
  close(fd);
}

#ifdef FUZZ_MAIN
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_csv(data, size);
  return 0;
}
#endif
