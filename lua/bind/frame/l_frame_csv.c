// SPDX-License-Identifier: Apache-2.0
// Files of CSV as Lua reads and writes them: use.csv_open gives a reader, whose
// rows come as columns; use.csv_write writes columns.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/l_frame.h"

#define READER_TYPE "frame.csv"

// The file and its columns while they are read: freed even where an array
// cannot be had.
struct reader {
  struct csv *csv;
  struct csv_column *columns; // Lua's
  int count;
};

static struct reader *check_reader(lua_State *L) {
  return luaL_checkudata(L, 1, READER_TYPE);
}

static int l_close(lua_State *L) {
  struct reader *r = check_reader(L);
  for (int k = 0; k < r->count; k++)
    texts_free(r->columns[k].texts);
  r->count = 0;
  csv_close(r->csv);
  r->csv = NULL;
  return 0;
}

static void check(lua_State *L, enum err err, const struct err_info *e) {
  if (!err)
    return;
  if (err == ERR_CANCELLED)
    bind_clear_interrupt();
  if (e->line)
    bind_error(L, err, "%s:%d: %s", e->file, e->line, e->text);
  bind_error_info(L, e);
}

static char check_char(lua_State *L, int i, const char *name) {
  size_t n;
  const char *text = luaL_checklstring(L, i, &n);
  if (n != 1 || *text == '\n' || *text == '\r')
    bind_error(L, ERR_ARGUMENT, "read_csv: %s is one character, not \"%s\"",
               name, text);
  return *text;
}

// The texts of the list at `i`, which keeps them alive.
static const char **push_list(lua_State *L, int i, int *count) {
  *count = (int)luaL_len(L, i);
  const char **list =
      lua_newuserdatauv(L, (size_t)(*count + 1) * sizeof *list, 0);
  for (int k = 0; k < *count; k++) {
    lua_rawgeti(L, i, k + 1);
    list[k] = luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  return list;
}

static struct csv *open_csv(lua_State *L) {
  struct reader *r = check_reader(L);
  if (!r->csv)
    bind_error(L, ERR_ARGUMENT, "read_csv: the file is closed");
  return r->csv;
}

// r:names(): the fields of the next row, or nil.
static int l_names(lua_State *L) {
  struct csv *c = open_csv(L);
  struct err_info e;
  int count;
  check(L, csv_names(c, &count, &e), &e);
  if (!count)
    return 0;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    size_t n;
    const char *name = csv_name(c, i, &n);
    lua_pushlstring(L, name, n);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

// r:back(): that row is one of values.
static int l_back(lua_State *L) {
  csv_back(open_csv(L));
  return 0;
}

// ---- Reading ----

static const struct {
  const char *name;
  enum dtype dtype;
} types[] = {
    [CSV_NONE] = {"f64", DTYPE_F64}, [CSV_BOOL] = {"bool", DTYPE_BOOL},
    [CSV_I64] = {"i64", DTYPE_I64},  [CSV_U64] = {"u64", DTYPE_U64},
    [CSV_F64] = {"f64", DTYPE_F64},  [CSV_TEXT] = {"str", DTYPE_I32},
};

// The columns of the lists of names (2) and of types, false where there is none
// (3); wanted is what "" stands for.
static void take_columns(lua_State *L, struct reader *r) {
  int count;
  const char **names = push_list(L, 2, &count);
  struct csv_column *columns =
      lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *columns, 0);
  memset(columns, 0, (size_t)(count + 1) * sizeof *columns);
  for (int k = 0; k < count; k++) {
    columns[k].name = names[k];
    columns[k].is_used = lua_rawgeti(L, 3, k + 1) == LUA_TSTRING;
    for (int t = 1; columns[k].is_used && t <= CSV_TEXT; t++)
      if (!strcmp(types[t].name, lua_tostring(L, -1)))
        columns[k].wanted = (enum csv_type)t;
    lua_pop(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, 3); // where an error leaves them to l_close
  r->columns = columns;
  r->count = count;
}

// Is it a bool some of whose values are missing?
static bool is_object(const struct csv_column *c) {
  return c->type == CSV_BOOL && c->has_missing && c->wanted == CSV_NONE;
}

// Pushes a list of {type, data} with room for the rows.
static void push_columns(lua_State *L, struct reader *r, int64_t rows) {
  lua_createtable(L, r->count, 0);
  for (int k = 0; k < r->count; k++) {
    struct csv_column *c = &r->columns[k];
    if (!c->is_used)
      continue;
    bool is_mixed = is_object(c);
    c->has_missing = is_mixed;
    lua_createtable(L, 0, 3);
    bind_set_text(L, "type", is_mixed ? "object" : types[c->type].name);
    c->values = lframe_push_column(
        L, is_mixed ? DTYPE_F64 : types[c->type].dtype, rows);
    lua_setfield(L, -2, "data");
    lua_rawseti(L, -2, k + 1);
  }
}

// [columns] -> [columns], with their dictionaries.
static void add_texts(lua_State *L, struct reader *r) {
  for (int k = 0; k < r->count; k++) {
    struct texts *t = r->columns[k].texts;
    if (!t)
      continue;
    lua_rawgeti(L, -1, k + 1);
    r->columns[k].texts = NULL;
    lframe_push_texts(L, t);
    lua_setfield(L, -2, "texts");
    lua_pop(L, 1);
  }
}

// r:read(names, types, most): the next rows' columns, by the names' places, and
// how many rows there are.
static int l_read(lua_State *L) {
  struct reader *r = check_reader(L);
  struct csv *c = open_csv(L);
  struct err_info e;
  int64_t rows, most = luaL_optinteger(L, 4, -1);
  lua_settop(L, 4);
  take_columns(L, r);
  check(L, csv_scan(c, r->columns, r->count, most, &rows, &e), &e);
  push_columns(L, r, rows);
  check(L, csv_fill(c, r->columns, r->count, &e), &e);
  add_texts(L, r);
  r->count = 0; // what the columns were lies on the stack
  lua_pushinteger(L, rows);
  return 2;
}

static void make_type(lua_State *L) {
  static const luaL_Reg methods[] = {{"names", l_names},
                                     {"back", l_back},
                                     {"read", l_read},
                                     {"close", l_close},
                                     {NULL, NULL}};
  if (luaL_newmetatable(L, READER_TYPE)) {
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
}

// csv_open(path, separator, quote, na, threads, skips_bad_lines)
static int l_open(lua_State *L) {
  struct csv_options o = {.separator = check_char(L, 2, "sep"),
                          .is_cancelled = bind_is_interrupted};
  if (lua_isstring(L, 3))
    o.quote = check_char(L, 3, "quotechar");
  o.threads = (int)luaL_optinteger(L, 5, 0);
  o.skips_bad_lines = lua_toboolean(L, 6);
  lua_settop(L, 6);
  struct reader *r = lua_newuserdatauv(L, sizeof *r, 3);
  memset(r, 0, sizeof *r);
  make_type(L);
  lua_pushvalue(L, 4);
  lua_setiuservalue(L, 7, 1);
  o.na = push_list(L, 4, &o.na_count);
  lua_setiuservalue(L, 7, 2);
  struct err_info e;
  check(L, csv_open(luaL_checkstring(L, 1), &o, &r->csv, &e), &e);
  return 1;
}

// ---- Writing ----

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

enum { FLUSHED = 1 << 20 };

static int free_text(lua_State *L) {
  str_free(lua_touserdata(L, 1));
  return 0;
}

static struct str *push_text(lua_State *L) {
  struct str *s = lua_newuserdatauv(L, sizeof *s, 0);
  str_init(s);
  if (luaL_newmetatable(L, "frame.text")) {
    lua_pushcfunction(L, free_text);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return s;
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

static void flush(lua_State *L, FILE *f, struct str *out, const char *path) {
  if (!f)
    return;
  if (fwrite(out->data, 1, out->len, f) != out->len) {
    int why = errno;
    fclose(f);
    bind_error(L, ERR_IO, "to_csv: %s: %s", path, strerror(why));
  }
  str_clear(out);
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

// csv_write(path, names, columns, rows, separator, na): the text, where path is
// nil. A column is {data, texts, is_object}; data of bool, i64, u64, f32, f64
// or codes.
static int l_write(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL), *na = luaL_checkstring(L, 6);
  int64_t rows = luaL_checkinteger(L, 4);
  char sep = check_char(L, 5, "sep");
  lua_settop(L, 6);
  int count = (int)luaL_len(L, 3);
  struct written *list = push_written(L, 3, na, sep);
  struct str *out = push_text(L);
  add_header(L, 2, sep, out);
  FILE *f = path ? fopen(path, "w") : NULL;
  if (path && !f)
    bind_error(L, ERR_IO, "to_csv: %s: %s", path, strerror(errno));
  for (int64_t row = 0; row < rows; row++) {
    for (int k = 0; k < count; k++) {
      if (k)
        str_add_char(out, sep);
      add_value(out, &list[k], row);
    }
    str_add_char(out, '\n');
    if (out->len >= FLUSHED)
      flush(L, f, out, path);
  }
  flush(L, f, out, path);
  if (f && fclose(f))
    bind_error(L, ERR_IO, "to_csv: %s: %s", path, strerror(errno));
  if (!f)
    lua_pushlstring(L, out->data, out->len);
  return !f;
}

void lframe_open_csv(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"csv_open", l_open}, {"csv_write", l_write}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
