// SPDX-License-Identifier: Apache-2.0
// Columns as CSV: use.csv_write gives a text, or writes a file.
#include <string.h>

#include "base/str.h"
#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/l_frame.h"

// Quotes where it holds what would end it, or where nothing would be a line.
static void add_text(struct str *out, const char *text, size_t n, char sep,
                     bool is_alone) {
  bool is_plain = !(is_alone && !n);
  for (size_t i = 0; i < n; i++)
    is_plain &=
        text[i] != sep && text[i] != '"' && text[i] != '\n' && text[i] != '\r';
  if (is_plain) {
    str_add_bytes(out, text, n);
    return;
  }
  str_add_char(out, '"');
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '"')
      str_add_char(out, '"');
    str_add_char(out, text[i]);
  }
  str_add_char(out, '"');
}

struct written {
  const struct array *data;
  const struct texts *texts;
  bool is_object;
  const char *na;
  char sep;
  bool is_alone; // the only column
};

static void add_float(struct str *out, double v, bool is_single,
                      const struct written *w) {
  char text[NUMBER_TEXT];
  if (v != v)
    add_text(out, w->na, strlen(w->na), w->sep, w->is_alone);
  else if (w->is_object)
    str_add(out, v == 1 ? "True" : "False");
  else
    str_add_bytes(out, text, number_write(v, is_single, text));
}

static void add_value(struct str *out, const struct written *w, int64_t row) {
  const void *at =
      (const char *)array_data(w->data) + row * w->data->strides[0];
  size_t n;
  switch (w->data->dtype) {
  case DTYPE_BOOL: str_add(out, *(const uint8_t *)at ? "True" : "False"); break;
  case DTYPE_F64: add_float(out, *(const double *)at, false, w); break;
  case DTYPE_F32: add_float(out, *(const float *)at, true, w); break;
  case DTYPE_U64:
    str_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
    break;
  case DTYPE_I64: str_addf(out, "%lld", (long long)*(const int64_t *)at); break;
  default: { // codes
    int32_t code = *(const int32_t *)at;
    const char *text = code < 0 ? w->na : texts_get(w->texts, code, &n);
    add_text(out, text, code < 0 ? strlen(text) : n, w->sep, w->is_alone);
  }
  }
}

// What is being written: where it goes, NULL: it stays in the text.
struct writer {
  struct str text;
  struct csv_out *out;
};

enum { FLUSHED = 1 << 20, ROWS_BETWEEN = 1 << 10 };

static int free_writer(lua_State *L) {
  struct writer *w = lua_touserdata(L, 1);
  str_free(&w->text);
  csv_out_drop(w->out);
  w->out = NULL;
  return 0;
}

static struct writer *push_writer(lua_State *L) {
  struct writer *w = lua_newuserdatauv(L, sizeof *w, 0);
  str_init(&w->text);
  w->out = NULL;
  if (luaL_newmetatable(L, "frame.writer")) {
    lua_pushcfunction(L, free_writer);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return w;
}

// Nothing is left beside the file before Lua's collector comes.
static void check(lua_State *L, struct writer *w, enum err err,
                  const struct err_info *e) {
  if (!err)
    return;
  csv_out_drop(w->out);
  w->out = NULL;
  if (err == ERR_CANCELLED)
    bind_clear_interrupt();
  bind_error(L, err, "to_csv: %s", e->text);
}

static struct written *push_written(lua_State *L, int i, const char *na,
                                    char sep) {
  int count = (int)luaL_len(L, i);
  struct written *list = lua_newuserdatauv(L, (size_t)count * sizeof *list, 0);
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, i, k + 1);
    list[k] = (struct written){.is_object = bind_get_flag(L, "is_object"),
                               .na = na,
                               .sep = sep,
                               .is_alone = count == 1};
    lua_getfield(L, -1, "data");
    list[k].data = array_check_host(L, -1, "to_csv");
    lua_pop(L, 1);
    if (lua_getfield(L, -1, "texts") != LUA_TNIL)
      list[k].texts = lframe_check_texts(L, -1);
    lua_pop(L, 2);
  }
  return list;
}

static void flush(lua_State *L, struct writer *w) {
  struct err_info e;
  if (!w->out)
    return;
  check(L, w, csv_out_add(w->out, w->text.data, w->text.len, &e), &e);
  str_clear(&w->text);
}

static void go_on(lua_State *L, struct writer *w) {
  struct err_info e;
  if (bind_is_interrupted())
    check(L, w, err_set(&e, ERR_CANCELLED, "stopped by Ctrl-C"), &e);
}

static void add_header(lua_State *L, int i, char sep, struct str *out) {
  lua_Integer n = luaL_len(L, i);
  for (lua_Integer k = 1; k <= n; k++, lua_pop(L, 1)) {
    size_t bytes;
    lua_rawgeti(L, i, k);
    const char *name = luaL_checklstring(L, -1, &bytes);
    if (k > 1)
      str_add_char(out, sep);
    add_text(out, name, bytes, sep, n == 1);
  }
  if (n)
    str_add_char(out, '\n');
}

static void add_row(struct str *out, const struct written *list, int count,
                    char sep, int64_t row) {
  for (int k = 0; k < count; k++) {
    if (k)
      str_add_char(out, sep);
    add_value(out, &list[k], row);
  }
  str_add_char(out, '\n');
}

// csv_write(path, names, columns, rows, separator, na): the text, where path is
// nil. A column is {data, texts, is_object}; data of bool, i64, u64, f32, f64
// or codes.
int lframe_l_csv_write(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL), *na = luaL_checkstring(L, 6);
  int64_t rows = luaL_checkinteger(L, 4);
  char sep = *luaL_checkstring(L, 5);
  lua_settop(L, 6);
  int count = (int)luaL_len(L, 3);
  struct written *list = push_written(L, 3, na, sep);
  struct writer *w = push_writer(L);
  struct err_info e;
  add_header(L, 2, sep, &w->text);
  if (path)
    check(L, w, csv_out_open(path, &w->out, &e), &e);
  for (int64_t row = 0; row < rows; row++) {
    if (row % ROWS_BETWEEN == 0)
      go_on(L, w);
    add_row(&w->text, list, count, sep, row);
    if (w->text.len >= FLUSHED)
      flush(L, w);
  }
  flush(L, w);
  if (!w->out) {
    lua_pushlstring(L, w->text.data, w->text.len);
    return 1;
  }
  check(L, w, csv_out_end(w->out, &e), &e);
  csv_out_drop(w->out);
  w->out = NULL;
  return 0;
}
