// SPDX-License-Identifier: Apache-2.0
// Indexing: x[i], x["1:5, ::-1"], x[mask], x[indexes], for reading and for
// assignment. A whole number takes the short way.
#include "lua/bind/np/np.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "lua/bind/np/array.h"

void np_check_bounds(lua_State *L, int64_t i, int axis, int64_t size) {
  if (i < -size || i >= size)
    bind_error(L, ERR_ARGUMENT,
               "index %lld is out of bounds for axis %d with size %lld%s",
               (long long)i, axis, (long long)size,
               i == size && size > 0 ? " (the first element is x[0])" : "");
}

// ---- Index texts ----

struct reader {
  lua_State *L;
  const char *text; // the whole, for messages
  const char *p;
  bool has_rest; // "..." was there
};

static void skip_space(struct reader *r) {
  while (isspace((unsigned char)*r->p))
    r->p++;
}

static bool accept(struct reader *r, const char *word) {
  skip_space(r);
  size_t n = strlen(word);
  if (strncmp(r->p, word, n) ||
      (isalpha((unsigned char)*word) && isalnum((unsigned char)r->p[n])))
    return false;
  r->p += n;
  return true;
}

static bool accept_number(struct reader *r, int64_t *out) {
  skip_space(r);
  char *end;
  const char *digits = r->p + (*r->p == '-' || *r->p == '+');
  if (!isdigit((unsigned char)*digits))
    return false;
  *out = strtoll(r->p, &end, 10);
  r->p = end;
  return true;
}

// x.shpe: a name that no array has.
static void bad_name(lua_State *L, const char *name) {
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  array_push_methods(L);
  bind_try_names(L, &near);
  array_push_properties(L);
  bind_try_names(L, &near);
  bind_error(L, ERR_ARGUMENT, "an array has no field or method \"%s\"%s", name,
             nearest_hint(hint, &near, "", "?"));
}

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text))
    return false;
  while (isalnum((unsigned char)*text) || *text == '_')
    text++;
  return !*text;
}

static void bad_text(const struct reader *r) {
  if (is_name(r->text))
    bad_name(r->L, r->text);
  bind_error(r->L, ERR_ARGUMENT,
             "\"%s\" is no index text: at \"%s\" (they look like \"0, 2\", "
             "\"1:5:2, ::-1\", \"..., None\")",
             r->text, r->p);
}

// What is indexed so far: axis `from` of `a` is the next to be used.
struct view {
  size_t offset;
  int ndim;
  int64_t shape[2 * ARRAY_MAX_DIMS];
  int64_t strides[2 * ARRAY_MAX_DIMS];
  int from;
};

static void keep_axis(struct view *v, int64_t size, int64_t stride) {
  v->shape[v->ndim] = size;
  v->strides[v->ndim++] = stride;
}

static int64_t clamp(int64_t i, int64_t low, int64_t high) {
  return i < low ? low : i > high ? high : i;
}

// start:stop:step, the start already read. Python's rules.
static void read_slice(struct reader *r, struct view *v, const struct array *a,
                       bool has_start, int64_t start) {
  int64_t size = a->shape[v->from], stop = 0, step = 1;
  bool has_stop = accept_number(r, &stop);
  if (accept(r, ":") && accept_number(r, &step) && step == 0)
    bind_error(r->L, ERR_ARGUMENT, "\"%s\": the step of a slice is 0", r->text);
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  if (start < 0)
    start += size;
  if (stop < 0)
    stop += size;
  start = has_start ? clamp(start, low, high) : step > 0 ? low : high;
  stop = has_stop ? clamp(stop, low, high) : step > 0 ? high : low;
  // -INT64_MIN does not exist, and no array is that long.
  step = clamp(step, -INT64_MAX, INT64_MAX);
  int64_t span = step > 0 ? stop - start : start - stop;
  int64_t by = step > 0 ? step : -step;
  int64_t n = span > 0 ? (span - 1) / by + 1 : 0;
  if (n > 0)
    v->offset += (size_t)(start * a->strides[v->from]);
  keep_axis(v, n, n > 1 ? step * a->strides[v->from] : a->strides[v->from]);
  v->from++;
}

static void need_axis(const struct reader *r, const struct view *v,
                      const struct array *a) {
  if (v->from >= a->ndim)
    bind_error(r->L, ERR_ARGUMENT,
               "\"%s\": too many indices: the array has %d axes", r->text,
               a->ndim);
}

// Axes that the items after this one will use: "..." takes the rest.
static int axes_behind(const char *p) {
  int n = 0;
  bool has_item = false;
  for (;; p++) {
    if (*p == ',' || !*p) {
      n += has_item;
      has_item = false;
      if (!*p)
        return n;
    } else if (!strncmp(p, "None", 4) || !strncmp(p, "newaxis", 7)) {
      p += *p == 'N' ? 3 : 6;
    } else if (!isspace((unsigned char)*p)) {
      has_item = true;
    }
  }
}

static void read_ellipsis(struct reader *r, struct view *v,
                          const struct array *a) {
  if (r->has_rest)
    bind_error(r->L, ERR_ARGUMENT,
               "\"%s\": an index can only have a single ellipsis (\"...\")",
               r->text);
  r->has_rest = true;
  int behind = axes_behind(r->p);
  while (v->from < a->ndim - behind) {
    keep_axis(v, a->shape[v->from], a->strides[v->from]);
    v->from++;
  }
}

// Numbers and slices, which are most of what there is, are tried first.
static void read_item(struct reader *r, struct view *v, const struct array *a) {
  int64_t i = 0;
  bool has_number = accept_number(r, &i);
  if (accept(r, ":")) {
    need_axis(r, v, a);
    read_slice(r, v, a, has_number, i);
  } else if (has_number) {
    need_axis(r, v, a);
    np_check_bounds(r->L, i, v->from, a->shape[v->from]);
    i += i < 0 ? a->shape[v->from] : 0;
    v->offset += (size_t)(i * a->strides[v->from++]);
  } else if (accept(r, "...")) {
    read_ellipsis(r, v, a);
  } else if (accept(r, "None") || accept(r, "newaxis")) {
    if (v->ndim >= ARRAY_MAX_DIMS)
      bind_error(r->L, ERR_ARGUMENT, "\"%s\": more than %d axes", r->text,
                 ARRAY_MAX_DIMS);
    keep_axis(v, 1, 0);
  } else {
    bad_text(r);
  }
}

struct array *np_push_text_view(lua_State *L, const struct array *a,
                                const char *text) {
  struct reader r = {L, text, text, false};
  struct view v; // its shape is filled as it is read
  v.offset = a->offset;
  v.ndim = v.from = 0;
  do
    read_item(&r, &v, a);
  while (accept(&r, ","));
  skip_space(&r);
  if (*r.p)
    bad_text(&r);
  for (; v.from < a->ndim; v.from++)
    keep_axis(&v, a->shape[v.from], a->strides[v.from]);
  return np_push_view(L, a, v.offset, v.ndim, v.shape, v.strides);
}

static struct array *push_row(lua_State *L, const struct array *a, int64_t i) {
  if (a->ndim == 0)
    bind_error(L, ERR_ARGUMENT,
               "an array without axes cannot be indexed "
               "(x:item() gives its number)");
  np_check_bounds(L, i, 0, a->shape[0]);
  i += i < 0 ? a->shape[0] : 0;
  return np_push_view(L, a, a->offset + (size_t)(i * a->strides[0]),
                      a->ndim - 1, a->shape + 1, a->strides + 1);
}

// ---- Selection by arrays ----

struct array *np_index_array(lua_State *L, int i) {
  struct array *k = array_test(L, i) ? array_check_host(L, i, "an index")
                                     : array_push_from(L, i, DTYPE_COUNT);
  if (dtype_kind(k->dtype) == 'f' && array_count(k) > 0)
    bind_error(L, ERR_ARGUMENT,
               "an array of type %s cannot be an index "
               "(integers and bools can)",
               dtype_name(k->dtype));
  return k;
}

// The lowest and the highest of positions that are within `span`; raises for
// the first that is not.
static int64_t check_positions(lua_State *L, const int64_t *v, int64_t n,
                               int64_t span) {
  int64_t low = 0, high = -1;
  if (n > 0) {
    kernel_reduce(KERNEL_MIN, DTYPE_I64)((char *)&low, (const char *)v, 8, n);
    kernel_reduce(KERNEL_MAX, DTYPE_I64)((char *)&high, (const char *)v, 8, n);
  }
  for (int64_t j = 0; j < n && (low < -span || high >= span); j++)
    np_check_bounds(L, v[j], 0, span);
  return low;
}

// Positions counted from the front: `k` itself where it is such already, and
// storing to `a` cannot change it.
static struct array *push_counted(lua_State *L, const struct array *a,
                                  struct array *k, int64_t span) {
  bool is_ready = k->dtype == DTYPE_I64 && array_is_contiguous(k) &&
                  k->storage != a->storage;
  struct array *r = is_ready ? k : array_push_copy(L, k, DTYPE_I64);
  int64_t n = array_count(r);
  if (check_positions(L, array_data(r), n, span) >= 0)
    return r;
  r = is_ready ? array_push_copy(L, k, DTYPE_I64) : r;
  int64_t *v = array_data(r);
  for (int64_t j = 0; j < n; j++)
    v[j] += v[j] < 0 ? span : 0;
  return r;
}

// Replaces a mask or a list of numbers at `i` by an i64 array of positions,
// and tells how many leading axes of `a` one position stands for.
static struct array *push_positions(lua_State *L, const struct array *a, int i,
                                    int *axes, int64_t *span) {
  struct array *k = np_index_array(L, i);
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  bool is_mask = k->dtype == DTYPE_BOOL;
  *axes = is_mask ? k->ndim : 1;
  *span = 1;
  bool fits = a->ndim >= *axes;
  for (int d = 0; fits && d < *axes; d++) {
    fits = !is_mask || k->shape[d] == a->shape[d];
    *span *= a->shape[d];
  }
  if (!fits)
    bind_error(L, ERR_ARGUMENT,
               "a mask of shape %s does not fit an array of shape %s",
               array_shape_text(s, k->ndim, k->shape),
               array_shape_text(t, a->ndim, a->shape));
  if (!is_mask)
    return push_counted(L, a, k, *span);
  struct array *mask = array_push_copy(L, k, DTYPE_BOOL);
  const uint8_t *m = array_data(mask);
  int64_t count = 0, n = array_count(mask);
  for (int64_t j = 0; j < n; j++)
    count += m[j];
  struct array *r = array_push_host(L, DTYPE_I64, 1, &count);
  np_positions(m, count, array_data(r));
  return r;
}

// A view of `a` at position `j` of its first `axes` axes taken together.
static struct array view_at(const struct array *a, int axes, int64_t j) {
  struct array v = *a;
  for (int d = axes - 1; d >= 0; d--) {
    v.offset += (size_t)(j % a->shape[d] * a->strides[d]);
    j /= a->shape[d];
  }
  v.ndim = a->ndim - axes;
  memcpy(v.shape, a->shape + axes, (size_t)v.ndim * sizeof *v.shape);
  memcpy(v.strides, a->strides + axes, (size_t)v.ndim * sizeof *v.strides);
  return v;
}

static int selection_shape(lua_State *L, const struct array *a,
                           const struct array *k, int axes, int64_t *shape) {
  int ndim = k->ndim + a->ndim - axes;
  if (ndim > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "the result would have %d axes, over %d", ndim,
               ARRAY_MAX_DIMS);
  memcpy(shape, k->shape, (size_t)k->ndim * sizeof *shape);
  memcpy(shape + k->ndim, a->shape + axes,
         (size_t)(a->ndim - axes) * sizeof *shape);
  return ndim;
}

// The part of `whole` that belongs to the `i`-th position.
static struct array part_at(const struct array *whole, int ndim, int64_t i,
                            int64_t bytes) {
  struct array part = *whole;
  part.offset += (size_t)(i * bytes);
  part.ndim = ndim;
  memmove(part.shape, whole->shape + whole->ndim - ndim,
          (size_t)ndim * sizeof *part.shape);
  memmove(part.strides, whole->strides + whole->ndim - ndim,
          (size_t)ndim * sizeof *part.strides);
  return part;
}

// The common cases, elements of one axis and contiguous arrays, without a view
// for each position: what one stands for are `bytes` bytes, `step` apart.
struct blocks {
  size_t bytes;
  int64_t step;
};

static bool has_blocks(const struct array *a, int axes, struct blocks *b) {
  b->bytes = dtype_bytes(a->dtype);
  b->step = a->strides[0];
  if (a->ndim == 1 && axes == 1)
    return true;
  for (int d = axes; d < a->ndim; d++)
    b->bytes *= (size_t)a->shape[d];
  b->step = (int64_t)b->bytes;
  return array_is_contiguous(a);
}

#define EACH_POSITION(T, to, from)                                             \
  for (int64_t j = 0; j < n; j++)                                              \
    *(T *)(to) = *(const T *)(from);                                           \
  break

void np_gather(char *r, const char *a, size_t bytes, int64_t step,
               const int64_t *at, int64_t n) {
  switch (bytes) {
  case 1: EACH_POSITION(uint8_t, r + j, a + at[j] * step);
  case 4: EACH_POSITION(uint32_t, r + 4 * j, a + at[j] * step);
  case 8: EACH_POSITION(uint64_t, r + 8 * j, a + at[j] * step);
  default:
    for (int64_t j = 0; j < n; j++)
      memcpy(r + (size_t)j * bytes, a + at[j] * step, bytes);
  }
}

// Values lie `by` bytes apart: one block, or 0 for one value.
static void scatter(char *a, const char *v, int64_t by, struct blocks b,
                    const int64_t *at, int64_t n) {
  switch (b.bytes) {
  case 1: EACH_POSITION(uint8_t, a + at[j] * b.step, v + j * by);
  case 4: EACH_POSITION(uint32_t, a + at[j] * b.step, v + j * by);
  case 8: EACH_POSITION(uint64_t, a + at[j] * b.step, v + j * by);
  default:
    for (int64_t j = 0; j < n; j++)
      memcpy(a + at[j] * b.step, v + j * by, b.bytes);
  }
}

int np_select(lua_State *L, struct array *a, const struct array *k, int axes) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = selection_shape(L, a, k, axes, shape);
  struct array *r = array_push_host(L, a->dtype, ndim, shape);
  const int64_t *at = array_data(k);
  int64_t n = array_count(k), bytes = n ? (int64_t)r->storage->bytes / n : 0;
  struct blocks blocks;
  if (has_blocks(a, axes, &blocks)) {
    np_gather(array_data(r), array_data(a), blocks.bytes, blocks.step, at, n);
    return 1;
  }
  kernel_cast_loop copy = kernel_cast(a->dtype, a->dtype);
  for (int64_t j = 0; j < n; j++) {
    struct array from = view_at(a, axes, at[j]);
    struct array to = part_at(r, from.ndim, j, bytes);
    if (from.ndim == 0)
      copy(array_data(&to), 0, array_data(&from), 0, 1);
    else
      array_assign(L, &to, &from);
  }
  return 1;
}

static int select_by(lua_State *L, struct array *a, int i) {
  int axes;
  int64_t span;
  struct array *k = push_positions(L, a, i, &axes, &span);
  return np_select(L, a, k, axes);
}

void np_store(lua_State *L, struct array *a, const struct array *k, int axes,
              const struct array *all) {
  kernel_cast_loop copy = kernel_cast(a->dtype, a->dtype);
  if (a->is_readonly)
    array_assign(L, a, a); // raises
  array_await(L, a, true);
  const int64_t *at = array_data(k);
  int64_t n = array_count(k), bytes = n ? (int64_t)all->storage->bytes / n : 0;
  struct blocks blocks;
  bool is_simple = has_blocks(a, axes, &blocks);
  if (is_simple)
    scatter(array_data(a), array_data(all), bytes, blocks, at, n);
  for (int64_t j = 0; j < n && !is_simple; j++) {
    struct array to = view_at(a, axes, at[j]);
    struct array from = part_at(all, to.ndim, j, bytes);
    if (to.ndim == 0)
      copy(array_data(&to), 0, array_data(&from), 0, 1);
    else
      array_assign(L, &to, &from);
  }
  array_touch(a);
}

#define PUT_MASKED(T)                                                          \
  for (int64_t i = 0; i < n; i++)                                              \
    ((T *)out)[i] = mask[i] ? *(const T *)value : ((T *)out)[i];               \
  break

// Those that the mask leaves out are stored again as they are: no branch.
static void put_masked(const struct array *a, const uint8_t *mask,
                       const void *value) {
  void *out = array_data(a);
  int64_t n = array_count(a);
  switch (dtype_bytes(a->dtype)) {
  case 1: PUT_MASKED(uint8_t);
  case 2: PUT_MASKED(uint16_t);
  case 4: PUT_MASKED(uint32_t);
  default: PUT_MASKED(uint64_t);
  }
}

// x[mask] = number, of a mask of all elements.
static bool assign_masked(lua_State *L, struct array *a, int i,
                          const struct array *value) {
  const struct array *mask = array_test(L, i);
  if (!mask || mask->dtype != DTYPE_BOOL || value->ndim > 0 || a->is_readonly ||
      array_is_device(mask) || mask->storage == a->storage ||
      mask->ndim != a->ndim || !array_is_contiguous(a) ||
      !array_is_contiguous(mask) ||
      memcmp(mask->shape, a->shape, (size_t)a->ndim * sizeof *a->shape))
    return false;
  array_check_host(L, i, "an index");
  const struct array *one = array_push_copy(L, value, a->dtype);
  array_await(L, a, true);
  put_masked(a, array_data(mask), array_data(one));
  array_touch(a);
  return true;
}

static void assign_by(lua_State *L, struct array *a, int i,
                      const struct array *value) {
  if (assign_masked(L, a, i, value))
    return;
  int axes;
  int64_t span, shape[ARRAY_MAX_DIMS];
  struct array *k = push_positions(L, a, i, &axes, &span);
  int ndim = selection_shape(L, a, k, axes, shape);
  struct array *all = array_push_host(L, a->dtype, ndim, shape);
  array_assign(L, all, value);
  np_store(L, a, k, axes, all);
}

// ---- __index and __newindex ----

static bool is_selector(lua_State *L, int i) {
  return lua_istable(L, i) || array_test(L, i);
}

static void bad_key(lua_State *L, int i) {
  if (lua_type(L, i) == LUA_TNUMBER)
    bind_error(L, ERR_ARGUMENT, "index %g is not a whole number",
               lua_tonumber(L, i));
  bind_error(L, ERR_ARGUMENT,
             "%s cannot be an index (numbers, texts such as \"1:5\", masks "
             "and integer arrays can)%s",
             bind_value_text(L, i),
             lua_isboolean(L, i) ? "; == compares whole arrays, x:eq(3) makes "
                                   "a mask of all elements"
                                 : "");
}

static void refuse_element(lua_State *L, struct array *v) {
  struct array *a = array_test(L, 1);
  const char *name = array_push_name(L, a ? a : v, "x");
  long long i = (long long)lua_tointeger(L, 2);
  if (!lua_isinteger(L, 2))
    bind_error(L, ERR_ARGUMENT,
               "one element of an array that lives on %s is not read alone; "
               "copy the array first: %s:copy_to_host()",
               array_where(L, v), name);
  if (i < 0)
    bind_error(L, ERR_ARGUMENT,
               "%s[%lld]: one element of an array that lives on %s; "
               "%s:copy_to_host()[%lld] reads it",
               name, i, array_where(L, v), name, i);
  bind_error(L, ERR_ARGUMENT,
             "%s[%lld]: one element of an array that lives on %s; "
             "%s:copy_to_host()[%lld] reads it, %s[\"%lld:%lld\"] stays there",
             name, i, array_where(L, v), name, i, name, i, i + 1);
}

// A view without axes becomes its number; device memory is not read one
// element at a time.
static int number_or_view(lua_State *L, struct array *v) {
  if (v->ndim > 0)
    return 1;
  if (array_is_device(v))
    refuse_element(L, v);
  array_await(L, v, false);
  array_push_element(L, v->dtype, array_data(v));
  return 1;
}

// Jax arrays are indexed by what lua/jax/jnp/indexing.lua gave to np_set_jax_index:
// {get, refuse}. Where that was not loaded there is no jax array.
static const char JAX_INDEX = 0;

void np_set_jax_index(lua_State *L) {
  lua_rawsetp(L, LUA_REGISTRYINDEX, &JAX_INDEX);
}

static int call_jax_index(lua_State *L, int which) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &JAX_INDEX) != LUA_TTABLE)
    bind_error(L, ERR_INTERNAL, "a jax array, and no jax");
  lua_rawgeti(L, -1, which);
  lua_replace(L, -2);
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

// A traced number of an array that is not jax's selects from it all the same.
static bool is_for_jax(lua_State *L, const struct array *a) {
  return a->is_jax || (lua_istable(L, 2) && np_is_jax(L, 2));
}

// Functions that only jnp has are methods of its arrays.
static bool push_jnp_method(lua_State *L) {
  np_push_jnp(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) == LUA_TFUNCTION)
    return true;
  lua_settop(L, 2);
  return false;
}

static int push_guarded(lua_State *L) {
  bind_guard_method(L, 1, lua_tostring(L, 2), 1);
  return 1;
}

// Of a row of numbers, waits for the work that touches this one.
static void await_element(lua_State *L, const struct array *a, int64_t i,
                          bool for_write) {
  if (!a->storage->busy_on)
    return;
  struct array one = *a;
  one.ndim = 0;
  one.offset += (size_t)(i * a->strides[0]);
  array_await(L, &one, for_write);
}

// Upvalues: methods, properties.
int np_index(lua_State *L) {
  struct array *a = array_check(L, 1);
  int type = lua_type(L, 2);
  if (type == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
      return push_guarded(L);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
      lua_pushvalue(L, 1);
      lua_call(L, 1, 1);
      return 1;
    }
    lua_settop(L, 2);
    if (a->is_jax && push_jnp_method(L))
      return push_guarded(L);
  }
  if (is_for_jax(L, a))
    return call_jax_index(L, 1);
  if (lua_isinteger(L, 2)) {
    if (a->ndim == 1 && !array_is_device(a)) {
      int64_t i = lua_tointeger(L, 2);
      np_check_bounds(L, i, 0, a->shape[0]);
      i += i < 0 ? a->shape[0] : 0;
      await_element(L, a, i, false);
      array_push_element(L, a->dtype,
                         (char *)array_data(a) + i * a->strides[0]);
      return 1;
    }
    return number_or_view(L, push_row(L, a, lua_tointeger(L, 2)));
  }
  if (type == LUA_TSTRING)
    return number_or_view(L, np_push_text_view(L, a, lua_tostring(L, 2)));
  if (!is_selector(L, 2))
    bad_key(L, 2);
  if (np_is_tuple(L, 2))
    return number_or_view(L, np_push_tuple(L, a, 2));
  if (array_is_device(a) && np_index_device(L, 2, false) > 0)
    return 1;
  return select_by(L, array_check_host(L, 1, "x[array]"), 2);
}

// Pushes the array that is assigned to.
static struct array *push_target(lua_State *L, struct array *a) {
  if (lua_isinteger(L, 2))
    return push_row(L, a, lua_tointeger(L, 2));
  if (lua_type(L, 2) != LUA_TSTRING)
    bad_key(L, 2);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL ||
      (lua_pop(L, 1), lua_rawget(L, lua_upvalueindex(2))) != LUA_TNIL)
    bind_error(L, ERR_ARGUMENT,
               "x.%s is part of every array and cannot be "
               "set",
               lua_tostring(L, 2));
  return np_push_text_view(L, a, lua_tostring(L, 2));
}

// Pushes the value at index 3 as an array.
static struct array *push_value(lua_State *L, enum dtype t) {
  struct array *v = array_test(L, 3);
  if (v) {
    v = array_check_host(L, 3, "x[...] = value");
    lua_pushvalue(L, 3);
    return v;
  }
  if (lua_isnil(L, 3))
    bind_error(L, ERR_ARGUMENT, "nil cannot be stored in an array");
  return array_push_from(L, 3, t);
}

static bool assign_on_device(lua_State *L, struct array *a) {
  bool is_tuple = np_is_tuple(L, 2);
  if (is_tuple)
    np_check_tuple(L, a, 2);
  else if (!is_selector(L, 2))
    push_target(L, a);
  return np_assign_device(L, is_tuple || !is_selector(L, 2));
}

int np_newindex(lua_State *L) {
  if (array_check(L, 1)->is_jax)
    return call_jax_index(L, 2);
  if (array_is_device(array_test(L, 1)) &&
      assign_on_device(L, array_test(L, 1)))
    return 0;
  struct array *a = array_check_on_host(L, 1, "x[...] = value");
  if (a->ndim == 1 && lua_isinteger(L, 2) && !a->is_readonly &&
      !array_test(L, 3) && !lua_istable(L, 3)) {
    int64_t i = lua_tointeger(L, 2);
    np_check_bounds(L, i, 0, a->shape[0]);
    i += i < 0 ? a->shape[0] : 0;
    await_element(L, a, i, true);
    array_store_element(L, a->dtype, (char *)array_data(a) + i * a->strides[0],
                        3);
    array_touch(a);
    return 0;
  }
  struct array *v = push_value(L, a->dtype);
  if (np_is_tuple(L, 2)) {
    np_store_tuple(L, a, 2, v);
    return 0;
  }
  if (is_selector(L, 2)) {
    assign_by(L, a, 2, v);
    return 0;
  }
  struct array *to = push_target(L, a);
  array_assign(L, to, v);
  return 0;
}
