// SPDX-License-Identifier: Apache-2.0
// x[{rows, ":", columns}]: one index for each axis, arrays among them. Texts
// make a view; its axes that arrays index come first then, and the arrays
// together say which positions of those axes are meant.
#include "lua/bind/np/np.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np/array.h"

#define MAX_ITEMS (2 * ARRAY_MAX_DIMS)

enum item_kind { ITEM_NUMBER, ITEM_SLICE, ITEM_NEW, ITEM_REST, ITEM_ARRAY };

struct item {
  enum item_kind kind;
  int64_t number;
  const char *text; // of a slice: `length` characters
  int length;
  int array;         // stack index, i64
  int64_t mask_size; // of the mask's axis that the array stands for, or -1
};

struct tuple {
  struct item items[MAX_ITEMS];
  int count;
};

bool np_is_tuple(lua_State *L, int i) {
  if (!lua_istable(L, i) || luaL_getmetafield(L, i, "__index") != LUA_TNIL)
    return false;
  bool is_tuple = false;
  int n = (int)lua_rawlen(L, i);
  for (int k = 1; k <= n && !is_tuple; k++) {
    lua_rawgeti(L, i, k);
    is_tuple = lua_type(L, -1) == LUA_TSTRING || array_test(L, -1);
    lua_pop(L, 1);
  }
  return is_tuple;
}

// ---- Reading the items ----

static struct item *add_item(lua_State *L, struct tuple *t,
                             enum item_kind kind) {
  if (t->count == MAX_ITEMS)
    bind_error(L, ERR_ARGUMENT, "an index of more than %d items", MAX_ITEMS);
  struct item *item = &t->items[t->count++];
  *item = (struct item){.kind = kind, .mask_size = -1};
  return item;
}

static void add_piece(lua_State *L, struct tuple *t, const char *p,
                      const char *end) {
  while (p < end && isspace((unsigned char)*p))
    p++;
  while (end > p && isspace((unsigned char)end[-1]))
    end--;
  int n = (int)(end - p);
  if (n == 0)
    return;
  char *rest;
  int64_t number = strtoll(p, &rest, 10);
  if (rest == end)
    add_item(L, t, ITEM_NUMBER)->number = number;
  else if (n == 3 && !strncmp(p, "...", 3))
    add_item(L, t, ITEM_REST);
  else if ((n == 4 && !strncmp(p, "None", 4)) ||
           (n == 7 && !strncmp(p, "newaxis", 7)))
    add_item(L, t, ITEM_NEW);
  else {
    struct item *item = add_item(L, t, ITEM_SLICE);
    item->text = p;
    item->length = n;
  }
}

// Which positions of each axis a mask selects: one array for each.
static void add_mask(lua_State *L, struct tuple *t, const struct array *mask) {
  const struct array *m = array_push_copy(L, mask, DTYPE_BOOL);
  const uint8_t *truth = array_data(m);
  int64_t n = array_count(m), count = 0;
  for (int64_t j = 0; j < n; j++)
    count += truth[j];
  int64_t *at = array_data(array_push_host(L, DTYPE_I64, 1, &count));
  np_positions(truth, n, at);
  int64_t behind = n;
  for (int d = 0; d < m->ndim; d++) {
    int64_t size = m->shape[d], turns = size ? size : 1; // 0: none is selected
    behind = behind > turns ? behind / turns : 1;
    int64_t *one = array_data(array_push_host(L, DTYPE_I64, 1, &count));
    for (int64_t j = 0; j < count; j++)
      one[j] = at[j] / behind % turns;
    struct item *item = add_item(L, t, ITEM_ARRAY);
    item->array = lua_gettop(L);
    item->mask_size = size;
  }
}

static void add_array(lua_State *L, struct tuple *t, int i) {
  struct array *k = np_index_array(L, i);
  if (k->dtype == DTYPE_BOOL && k->ndim > 0) {
    add_mask(L, t, k);
    return;
  }
  if (k->dtype == DTYPE_BOOL)
    bind_error(L, ERR_ARGUMENT, "a mask without axes cannot be an index");
  array_push_copy(L, k, DTYPE_I64);
  add_item(L, t, ITEM_ARRAY)->array = lua_gettop(L);
}

// Leaves what the items refer to on the stack.
static void read_tuple(lua_State *L, int i, struct tuple *t) {
  int n = (int)lua_rawlen(L, i);
  t->count = 0;
  luaL_checkstack(L, 8 * n + 40, "a long index");
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, i, k);
    int at = lua_gettop(L);
    if (lua_isinteger(L, at)) {
      add_item(L, t, ITEM_NUMBER)->number = lua_tointeger(L, at);
    } else if (lua_type(L, at) == LUA_TSTRING) {
      const char *p = lua_tostring(L, at), *end;
      for (; (end = strchr(p, ',')); p = end + 1)
        add_piece(L, t, p, end);
      add_piece(L, t, p, p + strlen(p));
    } else if (lua_istable(L, at) || array_test(L, at)) {
      add_array(L, t, at);
    } else {
      bind_error(L, ERR_ARGUMENT,
                 "item %d of the index is %s (numbers, texts such as \"1:5\", "
                 "masks and integer arrays can be)",
                 k, bind_value_text(L, at));
    }
  }
}

// ---- The view, and its axes that arrays index ----

struct selected {
  struct array *view;      // those axes first
  int axes;                // how many they are; 0: the view is the result
  int before;              // axes of the result in front of the arrays' own
  struct array *positions; // of those axes taken together
};

struct reading {
  char text[512];
  int used;
  int axis;            // the view's, so far
  int axes[MAX_ITEMS]; // those that arrays index, in order
  struct item *by[MAX_ITEMS];
  int count;
  bool is_parted; // something stands between two arrays
};

static void add_text(lua_State *L, struct reading *r, const char *s, int n) {
  if (r->used + n + 2 > (int)sizeof r->text)
    bind_error(L, ERR_ARGUMENT, "the index's texts are too long");
  if (r->used)
    r->text[r->used++] = ',';
  memcpy(r->text + r->used, s, (size_t)n);
  r->used += n;
  r->text[r->used] = 0;
}

static void read_views(lua_State *L, struct tuple *t, int ndim,
                       struct reading *r) {
  int taken = 0;
  bool has_array = false, has_rest = false;
  for (int k = 0; k < t->count; k++) {
    enum item_kind kind = t->items[k].kind;
    taken += kind != ITEM_NEW && kind != ITEM_REST;
    has_array |= kind == ITEM_ARRAY;
    if (kind == ITEM_REST && has_rest)
      bind_error(L, ERR_ARGUMENT,
                 "an index can only have a single ellipsis (\"...\")");
    has_rest |= kind == ITEM_REST;
  }
  if (taken > ndim)
    bind_error(L, ERR_ARGUMENT,
               "too many indices: the array has %d axes, and %d are indexed",
               ndim, taken);
  *r = (struct reading){.used = 0};
  bool is_behind = false; // something came since the last array
  for (int k = 0; k < t->count; k++) {
    struct item *item = &t->items[k];
    bool is_array =
        item->kind == ITEM_ARRAY || (item->kind == ITEM_NUMBER && has_array);
    if (is_array) {
      r->is_parted |= is_behind && r->count > 0;
      is_behind = false;
      r->axes[r->count] = r->axis++;
      r->by[r->count++] = item;
      add_text(L, r, ":", 1);
      continue;
    }
    is_behind = true;
    char digits[24];
    switch (item->kind) {
    case ITEM_NUMBER:
      add_text(
          L, r, digits,
          snprintf(digits, sizeof digits, "%lld", (long long)item->number));
      break;
    case ITEM_NEW:
      r->axis++;
      add_text(L, r, "None", 4);
      break;
    case ITEM_REST:
      r->axis += ndim - taken;
      add_text(L, r, "...", 3);
      break;
    default: r->axis++; add_text(L, r, item->text, item->length);
    }
  }
  if (!r->used)
    add_text(L, r, "...", 3);
}

// The shape that all index arrays stretch to.
static int common_shape(lua_State *L, const struct reading *r, int64_t *shape) {
  struct array all = {.ndim = 0};
  for (int k = 0; k < r->count; k++) {
    if (r->by[k]->kind != ITEM_ARRAY)
      continue;
    const struct array *x = array_test(L, r->by[k]->array);
    if (np_common_shape(&all, x, all.shape) >= 0) {
      char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
      bind_error(L, ERR_ARGUMENT,
                 "shape mismatch: indexing arrays could not be broadcast "
                 "together: %s and %s",
                 array_shape_text(s, all.ndim, all.shape),
                 array_shape_text(t, x->ndim, x->shape));
    }
    all.ndim = x->ndim > all.ndim ? x->ndim : all.ndim;
  }
  memcpy(shape, all.shape, (size_t)all.ndim * sizeof *shape);
  return all.ndim;
}

// Adds what one item says: at = at * size + index.
static void add_positions(lua_State *L, const struct item *item, int axis,
                          int64_t size, struct array *positions) {
  if (item->mask_size >= 0 && item->mask_size != size)
    bind_error(L, ERR_ARGUMENT,
               "a mask's axis of %lld elements does not fit axis %d, which has "
               "%lld",
               (long long)item->mask_size, axis, (long long)size);
  int64_t *at = array_data(positions), n = array_count(positions);
  const int64_t *index = NULL;
  if (item->kind == ITEM_ARRAY) {
    struct array *full =
        array_push_host(L, DTYPE_I64, positions->ndim, positions->shape);
    array_assign(L, full, array_test(L, item->array));
    index = array_data(full);
  }
  for (int64_t j = 0; j < n; j++) {
    int64_t i = index ? index[j] : item->number;
    np_check_bounds(L, i, axis, size);
    at[j] = at[j] * size + (i < 0 ? i + size : i);
  }
}

static struct selected read_selection(lua_State *L, struct array *a, int i) {
  struct tuple t;
  struct reading r;
  read_tuple(L, i, &t);
  read_views(L, &t, a->ndim, &r);
  struct selected s = {.axes = r.count};
  s.view = np_push_text_view(L, a, r.text);
  if (!r.count)
    return s;
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = common_shape(L, &r, shape);
  s.positions = array_push_host(L, DTYPE_I64, ndim, shape);
  memset(array_data(s.positions), 0, s.positions->storage->bytes);
  int order[ARRAY_MAX_DIMS], n = 0;
  bool is_taken[ARRAY_MAX_DIMS] = {false};
  for (int k = 0; k < r.count; k++) {
    int axis = r.axes[k];
    add_positions(L, r.by[k], axis, s.view->shape[axis], s.positions);
    is_taken[axis] = true;
    order[n++] = axis;
  }
  for (int d = 0; d < s.view->ndim; d++)
    if (!is_taken[d])
      order[n++] = d;
  s.before = r.is_parted ? 0 : r.axes[0];
  s.view = np_push_permuted(L, s.view, order);
  return s;
}

// The axes of the selection (the arrays' first) in the result's order, or back.
static void result_order(const struct selected *s, int ndim, bool is_back,
                         int *order) {
  int own = s->positions->ndim;
  for (int d = 0; d < ndim; d++) {
    int from = d < s->before         ? own + d
               : d < s->before + own ? d - s->before
                                     : d;
    if (is_back)
      order[from] = d;
    else
      order[d] = from;
  }
}

struct array *np_push_tuple(lua_State *L, struct array *a, int i) {
  struct selected s = read_selection(L, a, i);
  if (!s.axes) {
    array_await(L, a, false);
    lua_pushvalue(L, -1);
    return s.view;
  }
  if (array_is_device(a) && np_index_device(L, i, true) > 0)
    return array_check(L, -1);
  array_check_host(L, 1, "x[array]");
  np_select(L, s.view, s.positions, s.axes);
  struct array *r = array_test(L, -1);
  int order[ARRAY_MAX_DIMS];
  result_order(&s, r->ndim, false, order);
  return s.before ? np_push_permuted(L, r, order) : r;
}

void np_check_tuple(lua_State *L, struct array *a, int i) {
  read_selection(L, a, i);
}

void np_store_tuple(lua_State *L, struct array *a, int i,
                    const struct array *value) {
  struct selected s = read_selection(L, a, i);
  if (!s.axes) {
    array_assign(L, s.view, value);
    return;
  }
  int own = s.positions->ndim, ndim = own + s.view->ndim - s.axes;
  int order[ARRAY_MAX_DIMS];
  int64_t shape[ARRAY_MAX_DIMS];
  if (ndim > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "the selection would have %d axes, over %d",
               ndim, ARRAY_MAX_DIMS);
  result_order(&s, ndim, false, order);
  for (int d = 0; d < ndim; d++)
    shape[d] = order[d] < own ? s.positions->shape[order[d]]
                              : s.view->shape[s.axes + order[d] - own];
  struct array *all = array_push_host(L, a->dtype, ndim, shape);
  array_assign(L, all, value);
  if (s.before) {
    result_order(&s, ndim, true, order);
    all = array_push_copy(L, np_push_permuted(L, all, order), a->dtype);
  }
  np_store(L, s.view, s.positions, s.axes, all);
}
