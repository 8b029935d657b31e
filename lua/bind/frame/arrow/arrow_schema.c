// SPDX-License-Identifier: Apache-2.0
// The fields of an Arrow file or stream. Tables: Schema.fbs of Arrow's format.
#include "lua/bind/frame/arrow/arrow_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_DEPTH = 64, MOST_FIELDS = 100000, MOST_NAME = 65536 };

// Fields of the tables, in their order.
enum {
  FIELD_NAME,
  FIELD_NULLABLE,
  FIELD_KIND,
  FIELD_TYPE,
  FIELD_DICTIONARY,
  FIELD_CHILDREN
};
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS };
enum { DICTIONARY_ID, DICTIONARY_INDEX };

// ---- Types ----

static const char *format_of_int(struct flat *f, size_t type) {
  static const char *const formats[2][4] = {{"C", "S", "I", "L"},
                                            {"c", "s", "i", "l"}};
  int64_t bits = flat_number(f, type, 0, 4, 0);
  bool is_signed = flat_number(f, type, 1, 1, 0);
  for (int i = 0; i < 4; i++)
    if (bits == 8 << i)
      return formats[is_signed][i];
  return "?";
}

static const char *format_of_time(struct flat *f, size_t type, char *room,
                                  size_t bytes) {
  size_t n;
  const char *zone = flat_text(f, type, 1, &n);
  int64_t unit = flat_number(f, type, 0, 2, 0);
  if (unit < 0 || unit > 3)
    return "?";
  snprintf(room, bytes, "ts%c:%.*s", "smun"[unit],
           (int)(zone ? n < 40 ? n : 40 : 0), zone ? zone : "");
  return room;
}

// By the C data interface's letters; those of types that frame lacks are short of their
// parameters.
static const char *format_of(struct flat *f, int kind, size_t type, char *room,
                             size_t bytes) {
  static const char *const formats[TYPE_COUNT] = {
      [TYPE_NULL] = "n",
      "",
      "",
      "z",
      "u",
      "b",
      "d:",
      "",
      "tt",
      "",
      "ti",
      "+l",
      "+s",
      "+us:",
      "w:",
      "+w:",
      "+m",
      "tD",
      "Z",
      "U",
      "+L",
      "+r",
      "vz",
      "vu",
      "+vl",
      "+vL",
  };
  static const char *const floats[] = {"e", "f", "g"};
  int64_t unit;
  switch (kind) {
  case TYPE_INT: return format_of_int(f, type);
  case TYPE_FLOAT:
    unit = flat_number(f, type, 0, 2, 0);
    return unit >= 0 && unit < 3 ? floats[unit] : "?";
  case TYPE_DATE: return flat_number(f, type, 0, 2, 1) ? "tdm" : "tdD";
  case TYPE_TIMESTAMP: return format_of_time(f, type, room, bytes);
  default:
    return kind > 0 && kind < TYPE_COUNT && formats[kind] ? formats[kind] : "?";
  }
}

// ---- Fields ----

struct reading {
  struct flat *f;
  int seen;
  size_t names;    // bytes of those that were read
  const char *why; // it cannot be read, or NULL
};

// How many buffers a type has of its own.
static size_t buffers_of(struct flat *f, int kind, size_t type) {
  switch (kind) {
  case TYPE_NULL:
  case TYPE_RUN_ENDS: return 0;
  case TYPE_STRUCT:
  case TYPE_FIXED_LIST: return 1;
  case TYPE_UNION: return flat_number(f, type, 0, 2, 0) ? 2 : 1; // dense: two
  case 4:                                                        // binary
  case TYPE_UTF8:
  case 19: // large_binary
  case TYPE_LARGE_UTF8:
  case 25: // list_view, large_list_view
  case 26: return 3;
  default: return 2;
  }
}

// Adds what stands in a batch for the field at `field`, in the order of a walk.
static void add_layout(struct reading *r, size_t field, int depth,
                       struct arrow_slot *s) {
  struct flat *f = r->f;
  if (depth > MOST_DEPTH || ++r->seen > MOST_FIELDS) {
    r->why = "it has too many fields in fields";
    return;
  }
  int kind = (int)(uint8_t)flat_number(f, field, FIELD_KIND, 1, 0);
  s->nodes++;
  if (flat_table(f, field, FIELD_DICTIONARY)) { // codes stand there
    s->buffers += 2;
    return;
  }
  if (kind <= 0 || kind >= TYPE_COUNT) {
    r->why = "it has a type that is newer than this reader";
    return;
  }
  s->buffers += buffers_of(f, kind, flat_table(f, field, FIELD_TYPE));
  s->views += kind == TYPE_BINARY_VIEW || kind == TYPE_UTF8_VIEW;
  size_t count, children = flat_vector(f, field, FIELD_CHILDREN, 4, &count);
  for (size_t i = 0; i < count && !r->why && !f->is_broken; i++)
    add_layout(r, flat_table_at(f, children, i), depth + 1, s);
}

static void read_dictionary(struct flat *f, size_t field,
                            struct arrow_field *out) {
  size_t dictionary = flat_table(f, field, FIELD_DICTIONARY);
  struct arrow_field codes;
  if (!dictionary)
    return;
  size_t index = flat_table(f, dictionary, DICTIONARY_INDEX);
  arrow_field_of_format(index ? format_of_int(f, index) : "i", &codes);
  out->codes = codes.kind == ARROW_NUMBER ? codes.dtype : DTYPE_I32;
  out->dictionary_id = flat_number(f, dictionary, DICTIONARY_ID, 8, 0);
}

static void read_field(struct reading *r, size_t field, struct arrow_slot *s) {
  struct flat *f = r->f;
  char room[64];
  size_t n = 0;
  int kind = (int)(uint8_t)flat_number(f, field, FIELD_KIND, 1, 0);
  size_t type = flat_table(f, field, FIELD_TYPE);
  arrow_field_of_format(format_of(f, kind, type, room, sizeof room), &s->field);
  read_dictionary(f, field, &s->field);
  const char *name = flat_text(f, field, FIELD_NAME, &n);
  r->names += n;
  if (r->names > f->n) // one text in the place of many names
    f->is_broken = true;
  else if (n > MOST_NAME)
    r->why = "a column's name is longer than 64 KiB";
  else
    s->field.name = xstrndup(name ? name : "", n);
  add_layout(r, field, 0, s);
}

enum err arrow_read_schema(struct flat *f, size_t schema,
                           struct arrow_slot **slots, int *count,
                           struct err_info *e) {
  struct reading r = {.f = f};
  size_t n, fields = flat_vector(f, schema, SCHEMA_FIELDS, 4, &n);
  if (flat_number(f, schema, SCHEMA_ENDIANNESS, 2, 0))
    r.why = "its numbers are big-endian";
  else if (n > MOST_FIELDS)
    r.why = "it has more than 100,000 columns";
  if (!r.why && !f->is_broken) {
    *slots = xcalloc(n + 1, sizeof **slots);
    for (; (size_t)*count < n && !r.why && !f->is_broken; ++*count)
      read_field(&r, flat_table_at(f, fields, (size_t)*count),
                 &(*slots)[*count]);
  }
  if (f->is_broken)
    return err_set(e, ERR_ARGUMENT, "it is broken: its columns cannot be read");
  return r.why ? err_set(e, ERR_UNSUPPORTED, "%s", r.why) : ERR_OK;
}
