// SPDX-License-Identifier: Apache-2.0
// Sorting and what rests on it: argsort, partition, searchsorted, unique,
// isin. Elements go through keys of 64 bits (kernels/order.c).
#include "lua/bind/np/np.h"

#include <string.h>

#include "kernels/kernels.h"
#include "lua/bind/np/array.h"

// Pushes room for `n` keys or positions.
static void *push_room(lua_State *L, int64_t n) {
  return array_data(array_push_host(L, DTYPE_U64, 1, &n));
}

struct sorting {
  enum dtype t;
  int64_t n, stride, out_stride;
  uint64_t *keys, *spare;
  int64_t *at, *spare_at; // NULL: elements are sorted, not positions
};

static void sort_line(void *context, char *const *p) {
  struct sorting *s = context;
  char *out = p[1];
  order_keys(s->t, p[0], s->stride, s->n, s->keys, !s->at);
  if (s->at) {
    order_argsort(s->keys, s->at, s->spare, s->spare_at, s->n);
    for (int64_t i = 0; i < s->n; i++)
      *(int64_t *)(out + i * s->out_stride) = s->at[i];
    return;
  }
  order_sort(s->keys, s->spare, s->n);
  int64_t w = (int64_t)dtype_bytes(s->t);
  if (s->out_stride == w) {
    order_elements(s->t, s->keys, s->n, out);
    return;
  }
  for (int64_t i = 0; i < s->n; i++)
    order_elements(s->t, s->keys + i, 1, out + i * s->out_stride);
}

// Sorts the array at index 1 along the axis at index `axis`.
static int push_sorted(lua_State *L, const char *function, int axis,
                       bool is_positions) {
  int which;
  luaL_checkstack(L, 20, function);
  struct array *a = np_push_axis(L, 1, axis, function, &which);
  struct array *r = array_push_host(L, is_positions ? DTYPE_I64 : a->dtype,
                                    a->ndim, a->shape);
  int64_t n = a->shape[which];
  if (n == 0)
    return 1;
  int result = lua_gettop(L);
  struct sorting s = {a->dtype, n, a->strides[which], r->strides[which]};
  s.keys = push_room(L, n);
  s.spare = push_room(L, n);
  s.at = is_positions ? push_room(L, n) : NULL;
  s.spare_at = is_positions ? push_room(L, n) : NULL;
  const struct array *arrays[] = {a, r};
  np_each_line(L, which, a->ndim, a->shape,
               (struct np_lines){arrays, 2, sort_line, &s});
  lua_settop(L, result);
  return 1;
}

static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

// sort(a, axis = -1, kind): always stable.
static int l_sort(lua_State *L) {
  bool is_positions = lua_toboolean(L, lua_upvalueindex(1));
  const char *function = is_positions ? "argsort" : "sort";
  static const char *const names[] = {"axis", "kind", "order", "stable"};
  np_check_any(L, 1);
  np_spread(L, 2, function, names, 4);
  if (check_operand(L, 1, function)->ndim == 0 && !is_positions)
    bind_error(L, ERR_ARGUMENT, "sort: an array without axes has no order");
  return push_sorted(L, function, 2, is_positions);
}

// partition(a, kth, axis = -1). A sorted line is parted everywhere.
static int l_partition(lua_State *L) {
  bool is_positions = lua_toboolean(L, lua_upvalueindex(1));
  const char *function = is_positions ? "argpartition" : "partition";
  static const char *const names[] = {"kth", "axis", "kind", "order"};
  np_check_any(L, 1);
  np_spread(L, 2, function, names, 4);
  struct array *a = check_operand(L, 1, function);
  int axis =
      lua_isnil(L, 3) ? a->ndim - 1 : np_check_axis(L, 3, a->ndim, function);
  int64_t n = a->ndim ? a->shape[axis] : 1;
  struct array *k = array_push_from(L, 2, DTYPE_I64);
  const int64_t *kth = array_data(k);
  for (int64_t i = 0; i < array_count(k); i++)
    if (kth[i] < -n || kth[i] >= n)
      bind_error(L, ERR_ARGUMENT,
                 "%s: kth is %lld, and axis %d has %lld elements", function,
                 (long long)kth[i], axis, (long long)n);
  return push_sorted(L, function, 3, is_positions);
}

// ---- Searching ----

// Pushes the keys of all elements of `a`, in order.
static uint64_t *push_keys(lua_State *L, const struct array *a) {
  const struct array *c = a;
  if (!array_is_contiguous(a))
    c = array_push_copy(L, a, a->dtype);
  int64_t n = array_count(a);
  uint64_t *keys = push_room(L, n);
  order_keys(a->dtype, array_data(c), (int64_t)dtype_bytes(a->dtype), n, keys,
             false);
  return keys;
}

// The arrays at indexes 1 and 2 as their common type.
static void meet(lua_State *L, const char *function) {
  enum dtype t = dtype_promote(check_operand(L, 1, function)->dtype,
                               check_operand(L, 2, function)->dtype);
  for (int i = 1; i <= 2; i++)
    if (array_test(L, i)->dtype != t) {
      array_push_copy(L, array_test(L, i), t);
      lua_replace(L, i);
    }
}

static bool check_side(lua_State *L, int i) {
  const char *side = luaL_optstring(L, i, "left");
  if (strcmp(side, "left") && strcmp(side, "right"))
    bind_error(L, ERR_ARGUMENT,
               "searchsorted: the side is \"left\" or \"right\", not \"%s\"",
               side);
  return *side == 'r';
}

// Puts a[sorter] in the place of `a` at index 1.
static void apply_sorter(lua_State *L, int i) {
  struct array *a = array_test(L, 1);
  struct array *s = array_push_from(L, i, DTYPE_I64);
  if (array_count(s) != a->shape[0])
    bind_error(L, ERR_ARGUMENT,
               "searchsorted: sorter has %lld positions and the array %lld "
               "elements",
               (long long)array_count(s), (long long)a->shape[0]);
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  lua_gettable(L, -2);
  lua_replace(L, 1);
}

// searchsorted(a, v, side = "left", sorter): where to insert v and stay sorted.
static int l_searchsorted(lua_State *L) {
  static const char *const names[] = {"v", "side", "sorter"};
  np_check_any(L, 2);
  np_spread(L, 2, "searchsorted", names, 3);
  luaL_checkstack(L, 20, NULL);
  bool after_equal = check_side(L, 3),
       is_number = lua_type(L, 2) == LUA_TNUMBER;
  if (check_operand(L, 1, "searchsorted")->ndim != 1)
    bind_error(L, ERR_ARGUMENT,
               "searchsorted: the sorted array has %d axes, "
               "and must have one",
               array_test(L, 1)->ndim);
  if (!lua_isnil(L, 4))
    apply_sorter(L, 4);
  meet(L, "searchsorted");
  struct array *a = array_test(L, 1), *v = array_test(L, 2);
  const uint64_t *sorted = push_keys(L, a), *keys = push_keys(L, v);
  struct array *r = array_push_host(L, DTYPE_I64, v->ndim, v->shape);
  int64_t *out = array_data(r);
  order_search_all(sorted, a->shape[0], keys, array_count(v), after_equal, out);
  if (is_number)
    array_push_element(L, DTYPE_I64, out);
  return 1;
}

// isin(element, test_elements, assume_unique, invert): NaN is in nothing.
static int l_isin(lua_State *L) {
  static const char *const names[] = {"test_elements", "assume_unique",
                                      "invert"};
  np_check_any(L, 2);
  np_spread(L, 2, "isin", names, 3);
  luaL_checkstack(L, 20, NULL);
  bool invert = lua_toboolean(L, 4), is_number = lua_type(L, 1) == LUA_TNUMBER;
  meet(L, "isin");
  struct array *a = array_test(L, 1), *b = array_test(L, 2);
  const uint64_t *keys = push_keys(L, a);
  uint64_t *test = push_keys(L, b), nan = order_nan(a->dtype);
  int64_t m = array_count(b);
  if (m > 0)
    order_sort(test, push_room(L, m), m);
  struct array *r = array_push_host(L, DTYPE_BOOL, a->ndim, a->shape);
  uint8_t *out = array_data(r);
  for (int64_t i = 0, n = array_count(a); i < n; i++) {
    int64_t j = order_search(test, m, keys[i], false);
    bool is_nan = nan && keys[i] == nan;
    out[i] = (j < m && test[j] == keys[i] && !is_nan) != invert;
  }
  if (is_number)
    array_push_element(L, DTYPE_BOOL, out);
  return 1;
}

// ---- unique ----

struct unique {
  const uint64_t *keys; // sorted
  const int64_t *at;    // where they come from
  int64_t n;
  uint64_t never_equal; // NaN, where each stands for itself; else 0
};

static bool begins(const struct unique *u, int64_t i) {
  return i == 0 || u->keys[i] != u->keys[i - 1] ||
         (u->never_equal && u->keys[i] == u->never_equal);
}

// For each distinct element the first position; to which one each element
// belongs; how often each occurs.
static void fill_unique(const struct unique *u, int64_t *first,
                        int64_t *inverse, int64_t *counts) {
  int64_t k = -1;
  for (int64_t i = 0; i < u->n; i++) {
    if (begins(u, i)) {
      first[++k] = u->at[i];
      counts[k] = 0;
    }
    counts[k]++;
    inverse[u->at[i]] = k;
  }
}

// unique(ar, return_index, return_inverse, return_counts, axis, equal_nan):
// as many results as are asked for.
static int l_unique(lua_State *L) {
  static const char *const names[] = {"return_index", "return_inverse",
                                      "return_counts", "axis", "equal_nan"};
  np_check_any(L, 1);
  np_spread(L, 2, "unique", names, 5);
  luaL_checkstack(L, 30, NULL);
  struct array *a = check_operand(L, 1, "unique");
  if (!lua_isnil(L, 5) && a->ndim > 1)
    bind_error(L, ERR_UNSUPPORTED,
               "x:unique gives distinct elements; distinct rows are "
               "np.unique(x, {axis = 0})");
  bool separate = lua_isboolean(L, 6) && !lua_toboolean(L, 6);
  int64_t n = array_count(a), count = 0;
  uint64_t *keys = push_keys(L, a), *spare = push_room(L, n);
  int64_t *at = push_room(L, n), *spare_at = push_room(L, n);
  if (n > 0)
    order_argsort(keys, at, spare, spare_at, n);
  struct unique u = {keys, at, n, separate ? order_nan(a->dtype) : 0};
  for (int64_t i = 0; i < n; i++)
    count += begins(&u, i);
  int64_t *first = array_data(array_push_host(L, DTYPE_I64, 1, &count));
  int base = lua_gettop(L);
  int64_t *inverse =
      array_data(array_push_host(L, DTYPE_I64, a->ndim, a->shape));
  int64_t *counts = array_data(array_push_host(L, DTYPE_I64, 1, &count));
  fill_unique(&u, first, inverse, counts);
  const struct array *c = array_push_copy(L, a, a->dtype);
  struct array *r = array_push_host(L, a->dtype, 1, &count);
  size_t w = dtype_bytes(a->dtype);
  for (int64_t k = 0; k < count; k++)
    memcpy((char *)array_data(r) + (size_t)k * w,
           (const char *)array_data(c) + (size_t)first[k] * w, w);
  int results = 1;
  for (int k = 0; k < 3; k++)
    if (lua_toboolean(L, 2 + k)) {
      lua_pushvalue(L, base + k);
      results++;
    }
  return results;
}

void np_open_sort(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction f;
    bool is_positions;
  } rows[] = {
      {"sort", l_sort, false},
      {"argsort", l_sort, true},
      {"partition", l_partition, false},
      {"argpartition", l_partition, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    lua_pushboolean(L, rows[i].is_positions);
    lua_pushcclosure(L, rows[i].f, 1);
    lua_setfield(L, -2, rows[i].name);
  }
  static const luaL_Reg functions[] = {
      {"searchsorted", l_searchsorted},
      {"isin", l_isin},
      {"unique", l_unique},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
