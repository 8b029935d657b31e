// SPDX-License-Identifier: Apache-2.0
// FlatBuffers, as far as Arrow's metadata needs them: reading bytes that may be anything,
// and writing. Positions count from the first byte; 0 stands for what is not there.
// Layout: "FlatBuffer Internals" (flatbuffers.dev).
#ifndef LUA_BIND_FRAME_ARROW_FLAT_H
#define LUA_BIND_FRAME_ARROW_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Reading ----

struct flat {
  const uint8_t *data;
  size_t n;
  bool is_broken; // something led outside; what was read since is 0
};

size_t flat_root(struct flat *f);
// Field `id` of a table: a number of `bytes` bytes, with its sign where it has 1, 2, 4
// or 8 as they stand in a signed type; `absent` where it is not stored.
int64_t flat_number(struct flat *f, size_t table, int id, int bytes,
                    int64_t absent);
size_t flat_table(struct flat *f, size_t table, int id);
// The first of `count` elements of `bytes` bytes.
size_t flat_vector(struct flat *f, size_t table, int id, int bytes,
                   size_t *count);
// The table that element `i` of a vector of tables is.
size_t flat_table_at(struct flat *f, size_t vector, size_t i);
int64_t flat_i64(struct flat *f, size_t at);
// A text's bytes, NULL where it is not there.
const char *flat_text(struct flat *f, size_t table, int id, size_t *bytes);

// ---- Writing ----

// Grows from its end to its beginning; a place is counted from the end.
struct flat_out {
  uint8_t *data; // the last `n` bytes of `room`
  size_t n, room;
  size_t fields[8]; // of the table that is being written
  size_t begin;
};

void flat_out_free(struct flat_out *o);
size_t flat_put_text(struct flat_out *o, const char *text, size_t n);
// A vector of `count` places of tables, or of structs of `bytes` bytes.
size_t flat_put_places(struct flat_out *o, const size_t *places, size_t count);
size_t flat_put_structs(struct flat_out *o, const void *data, size_t bytes,
                        size_t count);
// A table: begun, its fields (numbers, places of what was put before), ended.
void flat_begin(struct flat_out *o);
void flat_add_number(struct flat_out *o, int id, int bytes, int64_t v);
void flat_add_place(struct flat_out *o, int id, size_t place);
size_t flat_end(struct flat_out *o);
// The whole, its length a multiple of 8, whose root is at `place`.
void flat_finish(struct flat_out *o, size_t place);
const uint8_t *flat_out_data(const struct flat_out *o);

#endif
