// SPDX-License-Identifier: Apache-2.0
// The fields of a file, and the numbers of their types (Schema.fbs).
#ifndef LUA_BIND_FRAME_ARROW_ARROW_SCHEMA_H
#define LUA_BIND_FRAME_ARROW_ARROW_SCHEMA_H

#include "lua/bind/frame/arrow/arrow.h"
#include "lua/bind/frame/arrow/flat.h"

// Kinds of messages (Message.fbs).
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

#endif
