// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#ifndef LUA_BIND_FRAME_ARROW_ARROW_INSIDE_H
#define LUA_BIND_FRAME_ARROW_ARROW_INSIDE_H

#include "lua/bind/frame/arrow/arrow.h"
#include "lua/bind/frame/arrow/flat.h"

// Numbers of Arrow's flatbuffers (Schema.fbs, Message.fbs, File.fbs).
enum arrow_message {
  ARROW_SCHEMA = 1,
  ARROW_DICTIONARY_BATCH = 2,
  ARROW_RECORD_BATCH = 3,
};
enum arrow_type {
  TYPE_NULL = 1,
  TYPE_INT = 2,
  TYPE_FLOAT = 3,
  TYPE_UTF8 = 5,
  TYPE_BOOL = 6,
  TYPE_DATE = 8,
  TYPE_TIMESTAMP = 10,
  TYPE_STRUCT = 13,
  TYPE_UNION = 14,
  TYPE_FIXED_LIST = 16,
  TYPE_LARGE_UTF8 = 20,
  TYPE_RUN_ENDS = 22,
  TYPE_BINARY_VIEW = 23,
  TYPE_UTF8_VIEW = 24,
  TYPE_COUNT = 27,
};
enum arrow_codec { ARROW_LZ4, ARROW_ZSTD, ARROW_PLAIN };

#define ARROW_MOST                                                             \
  ((int64_t)1 << 40) // rows, or bytes of a buffer: more is no file

// What is freed when the file is closed.
struct arrow_owned {
  void **list;
  size_t count, room;
};
void arrow_own(struct arrow_owned *o, void *p);
void arrow_disown(struct arrow_owned *o);

// A compressed buffer becomes what it is when unpacked.
enum err arrow_unpack(enum arrow_codec codec, struct arrow_bytes *b,
                      struct arrow_owned *owned, struct err_info *e);

// ---- arrow_schema.c ----

// A field and what stands in a batch for it and its children: nodes, buffers, and
// columns of views, each of which has some buffers more.
struct arrow_slot {
  struct arrow_field field;
  size_t nodes, buffers, views;
};
// Reads the fields of a schema's table. False: it is broken, or `e` says more.
enum err arrow_read_schema(struct flat *f, size_t schema,
                           struct arrow_slot **slots, int *count,
                           struct err_info *e);

// ---- arrow_time.c ----

enum { ARROW_TIME_TEXT = 64 };
// "2024-02-29", "2024-02-29 12:30:00.5", with "+00:00" where it is zoned; its length.
size_t arrow_time_text(const struct arrow_field *f, int64_t v,
                       char out[ARROW_TIME_TEXT]);

#endif
