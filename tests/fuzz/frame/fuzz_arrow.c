// SPDX-License-Identifier: Apache-2.0
// Any bytes as an Arrow file or stream, all of whose columns are wanted where frame has
// their types: no byte may be touched that is not the file's. It ends at a page that
// nobody may touch, so that a step too far is seen without a sanitizer as well.
#include "tests/fuzz/frame/fuzz_arrow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lua/bind/frame/arrow/arrow.h"

enum { MOST_ROWS = 1 << 16 };

static void fill(const struct arrow_column *c) {
  struct err_info e;
  struct texts *texts = texts_new();
  void *out = calloc((size_t)c->rows + 1, 8);
  const char *in_place = arrow_column_in_place(c);
  size_t bytes = (size_t)c->rows * dtype_bytes(c->dtype);
  bool is_filled = !arrow_column_fill(c, out, texts, &e);
  // What is copied is what lies there.
  if (in_place && (!is_filled || memcmp(in_place, out, bytes)))
    abort();
  free(out);
  texts_free(texts);
}

static void read_all(struct arrow_file *f) {
  int count = arrow_field_count(f);
  struct arrow_pieces none = {0};
  struct arrow_column c;
  struct err_info e;
  int64_t rows;
  bool *is_wanted = calloc((size_t)count + 1, sizeof *is_wanted);
  for (int i = 0; i < count; i++)
    is_wanted[i] = !arrow_column_begin(arrow_field_at(f, i), &none, &c, &e);
  if (!arrow_read(f, is_wanted, &rows, &e))
    for (int i = 0; i < count; i++)
      if (is_wanted[i] && !arrow_column_begin(arrow_field_at(f, i),
                                              arrow_pieces_at(f, i), &c, &e)) {
        if (c.rows != rows)
          abort();
        if (rows <= MOST_ROWS)
          fill(&c);
      }
  free(is_wanted);
}

void fuzz_arrow(const uint8_t *data, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = (size + page - 1) / page * page;
  struct arrow_file *f;
  struct err_info e;
  uint8_t *room = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED || mprotect(room + bytes, page, PROT_NONE))
    abort();
  uint8_t *at = room + bytes - size;
  if (size)
    memcpy(at, data, size);
  if (!arrow_open(at, size, &f, &e)) {
    read_all(f);
    arrow_close(f);
  }
  munmap(room, bytes + page);
}

#ifdef FUZZ_MAIN
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_arrow(data, size);
  return 0;
}
#endif
