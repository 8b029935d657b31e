// SPDX-License-Identifier: Apache-2.0
// Files of CSV as Lua reads them: use.csv_open gives a reader, whose rows come
// as columns.
#include <string.h>

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

// What an error has left of the columns.
static void forget_columns(struct reader *r) {
  for (int k = 0; k < r->count; k++)
    texts_free(r->columns[k].texts);
  r->count = 0;
}

static int l_close(lua_State *L) {
  struct reader *r = check_reader(L);
  forget_columns(r);
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

// What a type that is asked for is read as; CSV_NONE of "", which is found out.
static enum csv_type type_wanted(const char *name) {
  static const struct {
    const char *name;
    enum csv_type type;
  } read_as[] = {
      {"i8", CSV_I64},   {"i16", CSV_I64}, {"i32", CSV_I64}, {"i64", CSV_I64},
      {"u8", CSV_I64},   {"u16", CSV_I64}, {"u32", CSV_I64}, {"u64", CSV_U64},
      {"f16", CSV_F64},  {"f32", CSV_F64}, {"f64", CSV_F64}, {"bool", CSV_BOOL},
      {"str", CSV_TEXT},
  };
  for (size_t i = 0; i < sizeof read_as / sizeof *read_as; i++)
    if (!strcmp(read_as[i].name, name))
      return read_as[i].type;
  return CSV_NONE;
}

// The columns of the lists of names (2) and of types (3): false where it is not
// wanted, "" where it is to be found out.
static void take_columns(lua_State *L, struct reader *r) {
  int count;
  forget_columns(r);
  const char **names = push_list(L, 2, &count);
  struct csv_column *columns =
      lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *columns, 0);
  memset(columns, 0, (size_t)(count + 1) * sizeof *columns);
  for (int k = 0; k < count; k++) {
    columns[k].name = names[k];
    columns[k].is_used = lua_rawgeti(L, 3, k + 1) == LUA_TSTRING;
    if (columns[k].is_used) {
      columns[k].wanted_name = lua_tostring(L, -1); // which the list holds
      columns[k].wanted = type_wanted(columns[k].wanted_name);
    }
    lua_pop(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, 3); // where an error leaves them to forget_columns
  r->columns = columns;
  r->count = count;
}

// Is it a bool some of whose values are missing?
static bool is_object(const struct csv_column *c) {
  return c->type == CSV_BOOL && c->has_missing && c->wanted == CSV_NONE;
}

static enum dtype dtype_of(const struct csv_column *c) {
  return is_object(c) ? DTYPE_F64 : types[c->type].dtype;
}

// [columns] -> [columns], each that is not filled an array with room for the rows.
static void add_values(lua_State *L, struct reader *r, int64_t rows) {
  for (int k = 0; k < r->count; k++) {
    struct csv_column *c = &r->columns[k];
    if (!c->is_used || c->is_filled)
      continue;
    lua_pushnil(L); // the one before is garbage now
    lua_rawseti(L, -2, k + 1);
    c->values = lframe_push_column(L, dtype_of(c), rows);
    lua_rawseti(L, -2, k + 1);
  }
}

// [columns] -> [columns], of which each is {type, data, texts}. Whole numbers may
// have become floats where they are.
static void add_types(lua_State *L, struct reader *r) {
  for (int k = 0; k < r->count; k++) {
    struct csv_column *c = &r->columns[k];
    struct texts *t = c->texts;
    if (!c->is_used)
      continue;
    lua_createtable(L, 0, 3);
    bind_set_text(L, "type", is_object(c) ? "object" : types[c->type].name);
    lua_rawgeti(L, -2, k + 1);
    array_check(L, -1)->dtype = dtype_of(c);
    lua_setfield(L, -2, "data");
    if (t) {
      c->texts = NULL;
      lframe_push_texts(L, t);
      lua_setfield(L, -2, "texts");
    }
    lua_rawseti(L, -2, k + 1);
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
  lua_createtable(L, r->count, 0);
  do {
    add_values(L, r, rows);
    check(L, csv_fill(c, r->columns, r->count, &rows, &e), &e);
  } while (!csv_is_filled(r->columns, r->count));
  add_types(L, r);
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

void lframe_open_csv(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"csv_open", l_open}, {"csv_write", lframe_l_csv_write}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
