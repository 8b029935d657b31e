// SPDX-License-Identifier: Apache-2.0
// Groups, aggregations, joins and rows taken out, of columns as Lua has them:
// np arrays with one axis; texts as codes of i32, -1: missing.
#include <math.h>
#include <string.h>

#include "lua/bind/frame/l_frame.h"

static void check(lua_State *L, enum err err) {
  if (err == ERR_NOMEM)
    bind_error(L, ERR_NOMEM, "frame: there is no memory for the groups");
}

static void check_rows(lua_State *L, int64_t n) {
  if (n > INT32_MAX)
    bind_error(L, ERR_ARGUMENT,
               "frame: groups are found among %d rows at most, and there are "
               "%lld: read the file in parts (chunksize)",
               INT32_MAX, (long long)n);
}

// ---- Keys ----

// A float's bits, -0 as 0.
static uint64_t float_word(double v) {
  uint64_t word;
  v = v == 0 ? 0 : v;
  memcpy(&word, &v, sizeof word);
  return word;
}

// Pushes the words of a column; `missing` gets an array where one is missing.
static uint64_t *push_words(lua_State *L, const struct array *a,
                            uint8_t **missing) {
  int64_t n = a->shape[0];
  uint64_t *words = lframe_push_column(L, DTYPE_U64, n);
  bool is_float = dtype_kind(a->dtype) == 'f';
  bool is_code = a->dtype == DTYPE_I32;
  const struct array *wide =
      array_push_copy(L, a,
                      is_float                ? DTYPE_F64
                      : a->dtype == DTYPE_U64 ? a->dtype
                                              : DTYPE_I64);
  const double *floats = array_data(wide);
  const int64_t *integers = array_data(wide);
  uint8_t *none = lframe_push_column(L, DTYPE_BOOL, n), any = 0;
  for (int64_t i = 0; i < n; i++) {
    none[i] = is_float ? floats[i] != floats[i] : is_code && integers[i] < 0;
    words[i] = is_float ? float_word(floats[i]) : (uint64_t)integers[i];
    any |= none[i];
  }
  *missing = any ? none : NULL;
  return words;
}

// Pushes codes, their number and the first row of each.
static int push_groups(lua_State *L, const struct group_keys *k) {
  int32_t count;
  int32_t *codes = lframe_push_column(L, DTYPE_I32, k->n);
  int at = lua_gettop(L);
  int32_t *first = lframe_push_column(L, DTYPE_I32, k->n);
  check(L, groups_find(k, codes, first, &count));
  int64_t *rows = lframe_push_column(L, DTYPE_I64, count);
  for (int32_t g = 0; g < count; g++)
    rows[g] = first[g];
  lua_pushvalue(L, at);
  lua_pushinteger(L, count);
  lua_pushvalue(L, -3);
  return 3;
}

// factorize(column, keep_missing): codes, how many, first rows.
static int l_factorize(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_COUNT);
  check_rows(L, a->shape[0]);
  struct group_keys k = {.n = a->shape[0], .keep_missing = lua_toboolean(L, 2)};
  uint8_t *missing;
  k.words = push_words(L, a, &missing);
  k.missing = missing;
  return push_groups(L, &k);
}

// combine(codes, codes, count): the same of pairs, of which the second are
// below `count`; -1 in one of them is missing.
static int l_combine(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_I32);
  struct array *b = lframe_check_column(L, 2, DTYPE_I32);
  int64_t n = a->shape[0], count = luaL_checkinteger(L, 3);
  const int32_t *x = array_data(a), *y = array_data(b);
  uint64_t *words = lframe_push_column(L, DTYPE_U64, n);
  uint8_t *missing = lframe_push_column(L, DTYPE_BOOL, n);
  for (int64_t i = 0; i < n; i++) {
    missing[i] = x[i] < 0 || y[i] < 0;
    words[i] = missing[i] ? 0 : (uint64_t)(x[i] * count + y[i]);
  }
  return push_groups(L, &(struct group_keys){words, missing, n, false});
}

// renumber(codes, to): to[code], and -1 where it is missing.
static int l_renumber(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_I32);
  const int32_t *to = array_data(lframe_check_column(L, 2, DTYPE_I32));
  int64_t n = a->shape[0];
  const int32_t *codes = array_data(a);
  int32_t *out = lframe_push_column(L, DTYPE_I32, n);
  for (int64_t i = 0; i < n; i++)
    out[i] = codes[i] < 0 ? -1 : to[codes[i]];
  return 1;
}

// ---- Aggregations ----

static const char *const names[] = {"size",   "count", "sum",  "min",
                                    "max",    "mean",  "var",  "std",
                                    "median", "first", "last", NULL};
enum name { SIZE, COUNT, SUM, MIN, MAX, MEAN, VAR, STD, MEDIAN, FIRST, LAST };

static void push_integers(lua_State *L, enum name name,
                          const struct aggregate *a) {
  int64_t *out = lframe_push_column(L, DTYPE_I64, a->groups);
  switch (name) {
  case SIZE: aggregate_size(a, out); break;
  case COUNT: aggregate_count(a, out); break;
  case SUM: aggregate_sum_integers(a, out); break;
  case MIN:
  case MAX: aggregate_extreme_integers(a, name == MAX, out); break;
  default: aggregate_end(a, name == LAST, out);
  }
}

static void push_floats(lua_State *L, enum name name,
                        const struct aggregate *a) {
  double *out = lframe_push_column(L, DTYPE_F64, a->groups);
  switch (name) {
  case SUM: check(L, aggregate_sum(a, out)); break;
  case MEAN: check(L, aggregate_mean(a, out)); break;
  case MEDIAN: check(L, aggregate_median(a, out)); break;
  case VAR:
  case STD: check(L, aggregate_var(a, out)); break;
  default: aggregate_extreme(a, name == MAX, out);
  }
  for (int32_t g = 0; name == STD && g < a->groups; g++)
    out[g] = sqrt(out[g]);
}

// aggregate(name, column, codes, groups, ddof): the column is f64 or i64; the
// first and last are rows, or -1.
static int l_aggregate(lua_State *L) {
  enum name name = (enum name)luaL_checkoption(L, 1, NULL, names);
  struct array *v = lframe_check_column(L, 2, DTYPE_COUNT);
  struct array *c = lframe_check_column(L, 3, DTYPE_I32);
  bool is_float = v->dtype == DTYPE_F64;
  struct aggregate a = {
      .codes = array_data(c),
      .floats = is_float ? array_data(v) : NULL,
      .integers = is_float ? NULL : array_data(v),
      .n = c->shape[0],
      .groups = (int32_t)luaL_checkinteger(L, 4),
      .ddof = (int)luaL_optinteger(L, 5, 1),
  };
  if (v->shape[0] != a.n ||
      (name != SIZE && !is_float && v->dtype != DTYPE_I64))
    bind_error(L, ERR_INTERNAL,
               "frame: a column of %s with %lld rows, not %lld",
               dtype_name(v->dtype), (long long)v->shape[0], (long long)a.n);
  bool gives_floats = name == MEAN || name == VAR || name == STD ||
                      name == MEDIAN ||
                      (is_float && (name == SUM || name == MIN || name == MAX));
  if (gives_floats)
    push_floats(L, name, &a);
  else
    push_integers(L, name, &a);
  return 1;
}

// ---- Joins ----

static int l_close_join(lua_State *L) {
  join_close(lua_touserdata(L, 1));
  return 0;
}

// Room for a join, which is freed even where an array cannot be had.
static struct join *push_join(lua_State *L) {
  struct join *j = lua_newuserdatauv(L, sizeof *j, 0);
  memset(j, 0, sizeof *j);
  if (luaL_newmetatable(L, "frame.join")) {
    lua_pushcfunction(L, l_close_join);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return j;
}

// join(left, right, codes, how, order): rows of both, -1: none.
static int l_join(lua_State *L) {
  static const char *const hows[] = {"inner", "left", "outer", NULL};
  lua_settop(L, 5);
  struct array *l = lframe_check_column(L, 1, DTYPE_I32);
  struct array *r = lframe_check_column(L, 2, DTYPE_I32);
  struct join *j = push_join(L);
  j->left = array_data(l), j->left_n = l->shape[0];
  j->right = array_data(r), j->right_n = r->shape[0];
  j->codes = (int32_t)luaL_checkinteger(L, 3);
  j->how = (enum join_how)luaL_checkoption(L, 4, NULL, hows);
  if (j->how == JOIN_OUTER)
    j->order = array_data(lframe_check_column(L, 5, DTYPE_I32));
  int64_t rows;
  check(L, join_open(j, &rows));
  int64_t *left = lframe_push_column(L, DTYPE_I64, rows);
  int64_t *right = lframe_push_column(L, DTYPE_I64, rows);
  join_fill(j, left, right);
  join_close(j);
  return 2;
}

// ---- Rows ----

// The value that stands where there is no row: NaN, -1 among integers of
// 32 bits, which are codes, else 0.
static void fill_missing(enum dtype t, void *out) {
  memset(out, t == DTYPE_I32 ? 0xff : 0, dtype_bytes(t));
  if (t == DTYPE_F64)
    *(double *)out = NAN;
  if (t == DTYPE_F32)
    *(float *)out = NAN;
}

// take(column, rows): those rows, and what is missing where a row is -1.
static int l_take(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_COUNT);
  struct array *k = lframe_check_column(L, 2, DTYPE_I64);
  int64_t n = k->shape[0];
  const int64_t *rows = array_data(k);
  size_t bytes = dtype_bytes(a->dtype);
  char none[16];
  fill_missing(a->dtype, none);
  const char *from = array_data(a);
  char *to = lframe_push_column(L, a->dtype, n);
#define TAKE(T)                                                                \
  case sizeof(T):                                                              \
    for (int64_t i = 0; i < n; i++)                                            \
      ((T *)to)[i] =                                                           \
          *(const T *)(rows[i] < 0 ? none                                      \
                                   : from + rows[i] * (int64_t)sizeof(T));     \
    break;
  switch (bytes) {
    TAKE(uint8_t)
    TAKE(uint16_t)
    TAKE(uint32_t)
    TAKE(uint64_t)
  }
#undef TAKE
  return 1;
}

// sortable(codes, ranks): for each code its rank as f64, NaN where it is
// missing.
static int l_sortable(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_I32);
  const int32_t *ranks = array_data(lframe_check_column(L, 2, DTYPE_I32));
  const int32_t *codes = array_data(a);
  double *out = lframe_push_column(L, DTYPE_F64, a->shape[0]);
  for (int64_t i = 0; i < a->shape[0]; i++)
    out[i] = codes[i] < 0 ? NAN : ranks[codes[i]];
  return 1;
}

// invert(order): the place of each row in it, as i32.
static int l_invert(lua_State *L) {
  struct array *a = lframe_check_column(L, 1, DTYPE_I64);
  const int64_t *order = array_data(a);
  int32_t *rank = lframe_push_column(L, DTYPE_I32, a->shape[0]);
  for (int64_t i = 0; i < a->shape[0]; i++)
    rank[order[i]] = (int32_t)i;
  return 1;
}

void lframe_open_groups(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"factorize", l_factorize},
      {"combine", l_combine},
      {"renumber", l_renumber},
      {"aggregate", l_aggregate},
      {"join", l_join},
      {"take", l_take},
      {"sortable", l_sortable},
      {"invert", l_invert},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
