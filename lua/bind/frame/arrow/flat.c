// SPDX-License-Identifier: Apache-2.0
#include "lua/bind/frame/arrow/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// ---- Reading ----

static uint64_t load(struct flat *f, size_t at, size_t bytes) {
  uint64_t v = 0;
  if (f->is_broken || at > f->n || f->n - at < bytes)
    f->is_broken = true;
  else
    memcpy(&v, f->data + at, bytes);
  return v;
}

// Where the offset that stands there leads.
static size_t follow(struct flat *f, size_t at) {
  uint64_t step = load(f, at, 4);
  if (f->is_broken || !step || step > f->n - at) {
    f->is_broken = true;
    return 0;
  }
  return at + step;
}

size_t flat_root(struct flat *f) {
  return follow(f, 0);
}

// Where the field is stored, or 0.
static size_t field_at(struct flat *f, size_t table, int id) {
  int64_t back = (int32_t)load(f, table, 4);
  size_t vtable = table - (size_t)back; // outside: the next load says so
  if (f->is_broken || !table) {
    f->is_broken = true;
    return 0;
  }
  size_t slot = 4 + 2 * (size_t)id;
  if (load(f, vtable, 2) < slot + 2)
    return 0;
  uint64_t at = load(f, vtable + slot, 2);
  return at && !f->is_broken ? table + at : 0;
}

int64_t flat_number(struct flat *f, size_t table, int id, int bytes,
                    int64_t absent) {
  size_t at = field_at(f, table, id);
  if (!at)
    return absent;
  uint64_t v = load(f, at, (size_t)bytes);
  int spare = 64 - 8 * bytes;
  return (int64_t)(v << spare) >> spare;
}

size_t flat_table(struct flat *f, size_t table, int id) {
  size_t at = field_at(f, table, id);
  return at ? follow(f, at) : 0;
}

size_t flat_vector(struct flat *f, size_t table, int id, int bytes,
                   size_t *count) {
  size_t at = flat_table(f, table, id);
  *count = at ? load(f, at, 4) : 0;
  if (!at || f->is_broken)
    return *count = 0;
  if (*count > (f->n - at - 4) / (size_t)bytes) {
    f->is_broken = true;
    return *count = 0;
  }
  return at + 4;
}

size_t flat_table_at(struct flat *f, size_t vector, size_t i) {
  return follow(f, vector + 4 * i);
}

int64_t flat_i64(struct flat *f, size_t at) {
  return (int64_t)load(f, at, 8);
}

const char *flat_text(struct flat *f, size_t table, int id, size_t *bytes) {
  size_t at = flat_vector(f, table, id, 1, bytes);
  return at ? (const char *)f->data + at : NULL;
}

// ---- Writing ----

static void make_room(struct flat_out *o, size_t bytes) {
  if (o->room - o->n >= bytes)
    return;
  size_t room = 2 * (o->room + bytes);
  uint8_t *data = xmalloc(room);
  if (o->n)
    memcpy(data + room - o->n, o->data + o->room - o->n, o->n);
  free(o->data);
  o->data = data;
  o->room = room;
}

static void put(struct flat_out *o, const void *from, size_t bytes) {
  make_room(o, bytes);
  o->n += bytes;
  if (bytes)
    memcpy(o->data + o->room - o->n, from, bytes);
}

// Zeros, so that `more` bytes behind them end at a multiple of `align`.
static void pad(struct flat_out *o, size_t more, size_t align) {
  static const uint8_t zeros[8];
  put(o, zeros, (align - (o->n + more) % align) % align);
}

static void put_u32(struct flat_out *o, size_t v) {
  uint32_t word = (uint32_t)v;
  put(o, &word, sizeof word);
}

// The offset to a place, as it is stored in the next four bytes.
static void put_place(struct flat_out *o, size_t place) {
  put_u32(o, o->n + 4 - place);
}

void flat_out_free(struct flat_out *o) {
  free(o->data);
}

size_t flat_put_text(struct flat_out *o, const char *text, size_t n) {
  pad(o, n + 1, 4);
  put(o, "", 1);
  put(o, text, n);
  put_u32(o, n);
  return o->n;
}

size_t flat_put_places(struct flat_out *o, const size_t *places, size_t count) {
  pad(o, 4 * count, 4);
  for (size_t i = count; i-- > 0;)
    put_place(o, places[i]);
  put_u32(o, count);
  return o->n;
}

size_t flat_put_structs(struct flat_out *o, const void *data, size_t bytes,
                        size_t count) {
  pad(o, bytes * count, 8); // all of Arrow's structs hold words of 8 bytes
  put(o, data, bytes * count);
  put_u32(o, count);
  return o->n;
}

void flat_begin(struct flat_out *o) {
  memset(o->fields, 0, sizeof o->fields);
  o->begin = o->n;
}

void flat_add_number(struct flat_out *o, int id, int bytes, int64_t v) {
  pad(o, (size_t)bytes, (size_t)bytes);
  put(o, &v, (size_t)bytes);
  o->fields[id] = o->n;
}

void flat_add_place(struct flat_out *o, int id, size_t place) {
  pad(o, 4, 4);
  put_place(o, place);
  o->fields[id] = o->n;
}

size_t flat_end(struct flat_out *o) {
  uint16_t vtable[2 + 8] = {0};
  int count = 8;
  while (count && !o->fields[count - 1])
    count--;
  pad(o, 4, 4);
  size_t bytes = 4 + 2 * (size_t)count;
  put_u32(o, bytes); // from the table back to its vtable, right in front
  size_t table = o->n;
  vtable[0] = (uint16_t)bytes;
  vtable[1] = (uint16_t)(table - o->begin);
  for (int i = 0; i < count; i++)
    vtable[2 + i] = (uint16_t)(o->fields[i] ? table - o->fields[i] : 0);
  put(o, vtable, bytes);
  return table;
}

void flat_finish(struct flat_out *o, size_t place) {
  pad(o, 4, 8);
  put_place(o, place);
}

const uint8_t *flat_out_data(const struct flat_out *o) {
  return o->data + o->room - o->n;
}
