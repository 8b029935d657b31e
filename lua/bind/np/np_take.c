// SPDX-License-Identifier: Apache-2.0
// Elements by their positions: take, take_along_axis, put_along_axis, put.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"

static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

// What happens to positions that are outside: 'r' raise, 'w' wrap, 'c' clip.
static char check_mode(lua_State *L, int i, const char *function) {
  const char *mode = luaL_optstring(L, i, "raise");
  if (strcmp(mode, "raise") && strcmp(mode, "wrap") && strcmp(mode, "clip"))
    bind_error(L, ERR_ARGUMENT,
               "%s: the mode is \"raise\", \"wrap\" or \"clip\", not \"%s\"",
               function, mode);
  return *mode;
}

// Whether these are i64 in order, none of them outside or from the end.
static bool are_positions(const struct array *k, int64_t size) {
  int64_t low, high, n = array_count(k);
  if (k->dtype != DTYPE_I64 || !array_is_contiguous(k) || n == 0)
    return false;
  kernel_reduce(KERNEL_MIN, DTYPE_I64)((char *)&low, array_data(k), 8, n);
  kernel_reduce(KERNEL_MAX, DTYPE_I64)((char *)&high, array_data(k), 8, n);
  return low >= 0 && high < size;
}

// The positions at index `i`, pushed where they have to be made i64, each within `size`.
static struct array *push_positions(lua_State *L, int i, int64_t size,
                                    char mode, const char *function) {
  struct array *k = check_operand(L, i, function);
  if (dtype_kind(k->dtype) == 'f' && array_count(k) > 0)
    bind_error(L, ERR_ARGUMENT, "%s: elements of type %s cannot be positions",
               function, dtype_name(k->dtype));
  if (are_positions(k, size))
    return k;
  k = array_push_copy(L, k, DTYPE_I64);
  int64_t *v = array_data(k);
  for (int64_t j = 0, n = array_count(k); j < n; j++) {
    if (mode == 'c')
      v[j] = v[j] < 0 ? 0 : v[j] >= size ? size - 1 : v[j];
    else if (mode == 'w' && size > 0)
      v[j] = (v[j] % size + size) % size;
    else if (v[j] < 0)
      v[j] += size;
    if (v[j] < 0 || v[j] >= size)
      bind_error(L, ERR_ARGUMENT,
                 "%s: index %lld is out of bounds for a size of %lld", function,
                 (long long)v[j], (long long)size);
  }
  return k;
}

// take(a, indices, axis, out, mode); without an axis of all in order.
static int l_take(lua_State *L) {
  static const char *const names[] = {"indices", "axis", "out", "mode"};
  np_check_any(L, 2);
  np_spread(L, 2, "take", names, 4);
  struct array *a = check_operand(L, 1, "take");
  char mode = check_mode(L, 5, "take");
  bool is_flat = lua_isnil(L, 3), is_one = lua_type(L, 2) == LUA_TNUMBER;
  int axis = is_flat ? 0 : np_check_axis(L, 3, a->ndim, "take");
  int64_t n = is_flat ? array_count(a) : a->shape[axis], outer = 1;
  int64_t inner = (int64_t)dtype_bytes(a->dtype), shape[2 * ARRAY_MAX_DIMS];
  struct array *k = push_positions(L, 2, n, mode, "take");
  int ndim = 0;
  for (int d = 0; !is_flat && d < axis; d++)
    outer *= shape[ndim++] = a->shape[d];
  for (int d = 0; d < k->ndim; d++)
    shape[ndim++] = k->shape[d];
  for (int d = axis + 1; !is_flat && d < a->ndim; d++)
    inner *= shape[ndim++] = a->shape[d];
  if (ndim > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "take: the result would have %d axes, over %d",
               ndim, ARRAY_MAX_DIMS);
  const struct array *c = a;
  if (!array_is_contiguous(a))
    c = array_push_copy(L, a, a->dtype);
  struct array *r = array_push_host(L, a->dtype, ndim, shape);
  const int64_t *at = array_data(k);
  const char *from = array_data(c);
  char *to = array_data(r);
  int64_t count = array_count(k);
  for (int64_t o = 0; o < outer; o++, from += n * inner, to += count * inner)
    np_gather(to, from, (size_t)inner, inner, at, count);
  if (is_one && ndim == 0 && lua_isnil(L, 4))
    array_push_element(L, r->dtype, array_data(r));
  return np_into_out(L, 4);
}

// ---- Along an axis ----

struct along {
  size_t bytes;
  int64_t n, stride, at_stride, value_stride;
};

static void take_line(void *context, char *const *p) {
  const struct along *s = context;
  for (int64_t i = 0; i < s->n; i++)
    memcpy(p[2] + i * s->value_stride,
           p[0] + *(int64_t *)(p[1] + i * s->at_stride) * s->stride, s->bytes);
}

static void put_line(void *context, char *const *p) {
  const struct along *s = context;
  for (int64_t i = 0; i < s->n; i++)
    memcpy(p[0] + *(int64_t *)(p[1] + i * s->at_stride) * s->stride,
           p[2] + i * s->value_stride, s->bytes);
}

// The shape that array and positions share: theirs broadcast, but along `axis`
// as many as there are positions.
static int along_shape(lua_State *L, const char *function,
                       const struct array *a, const struct array *k, int axis,
                       int64_t *shape) {
  if (a->ndim != k->ndim)
    bind_error(L, ERR_ARGUMENT,
               "%s: the positions have %d axes and the array has %d", function,
               k->ndim, a->ndim);
  struct array rest = *a, at = *k;
  rest.shape[axis] = at.shape[axis] = 1;
  int ndim = np_broadcast(L, function, &rest, &at, shape);
  shape[axis] = k->shape[axis];
  return ndim;
}

static int l_take_along_axis(lua_State *L) {
  static const char *const names[] = {"indices", "axis"};
  np_check_any(L, 2);
  np_spread(L, 2, "take_along_axis", names, 2);
  check_operand(L, 1, "take_along_axis");
  int axis;
  struct array *a = np_push_axis(L, 1, 3, "take_along_axis", &axis);
  struct array *k =
      push_positions(L, 2, a->shape[axis], 'r', "take_along_axis");
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = along_shape(L, "take_along_axis", a, k, axis, shape);
  struct array *r = array_push_host(L, a->dtype, ndim, shape);
  struct along s = {dtype_bytes(a->dtype), shape[axis], a->strides[axis],
                    k->strides[axis], r->strides[axis]};
  const struct array *arrays[] = {a, k, r};
  np_each_line(L, axis, ndim, shape,
               (struct np_lines){arrays, 3, take_line, &s});
  return 1;
}

// put_along_axis(a, indices, values, axis): a itself is changed.
static int l_put_along_axis(lua_State *L) {
  static const char *const names[] = {"indices", "values", "axis"};
  np_check_any(L, 3);
  np_spread(L, 2, "put_along_axis", names, 3);
  struct array *a = array_check_host(L, 1, "put_along_axis");
  if (a->ndim == 0)
    bind_error(L, ERR_ARGUMENT, "put_along_axis: the array has no axis");
  int axis;
  a = np_push_axis(L, 1, 4, "put_along_axis", &axis);
  struct array *k = push_positions(L, 2, a->shape[axis], 'r', "put_along_axis");
  if (k->storage == a->storage) // they would change
    k = array_push_copy(L, k, DTYPE_I64);
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = along_shape(L, "put_along_axis", a, k, axis, shape);
  struct array *v = array_push_host(L, a->dtype, ndim, shape);
  check_operand(L, 3, "put_along_axis");
  array_assign(L, v, array_test(L, 3));
  if (a->is_readonly)
    array_assign(L, a, a); // raises
  array_await(L, a, true);
  struct along s = {dtype_bytes(a->dtype), shape[axis], a->strides[axis],
                    k->strides[axis], v->strides[axis]};
  const struct array *arrays[] = {a, k, v};
  np_each_line(L, axis, ndim, shape,
               (struct np_lines){arrays, 3, put_line, &s});
  array_touch(a);
  return 0;
}

// The address of element `i`, counted in order.
static char *element_at(const struct array *a, int64_t i) {
  char *p = array_data(a);
  for (int d = a->ndim - 1; d >= 0; d--) {
    p += i % a->shape[d] * a->strides[d];
    i /= a->shape[d];
  }
  return p;
}

// put(a, ind, v, mode): a itself is changed; values repeat as needed.
static int l_put(lua_State *L) {
  static const char *const names[] = {"ind", "v", "mode"};
  np_check_any(L, 3);
  np_spread(L, 2, "put", names, 3);
  struct array *a = array_check_host(L, 1, "put");
  char mode = check_mode(L, 4, "put");
  struct array *k = push_positions(L, 2, array_count(a), mode, "put");
  if (k->storage == a->storage) // they would change
    k = array_push_copy(L, k, DTYPE_I64);
  struct array *v = array_push_from(L, 3, a->dtype);
  int64_t count = array_count(k), values = array_count(v);
  if (count == 0)
    return 0;
  if (values == 0)
    bind_error(L, ERR_ARGUMENT, "put: there is no value for %lld positions",
               (long long)count);
  if (a->is_readonly)
    array_assign(L, a, a); // raises
  array_await(L, a, true);
  size_t w = dtype_bytes(a->dtype);
  const int64_t *at = array_data(k);
  for (int64_t j = 0; j < count; j++)
    memcpy(element_at(a, at[j]),
           (const char *)array_data(v) + (size_t)(j % values) * w, w);
  array_touch(a);
  return 0;
}

void np_open_take(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"take", l_take},
      {"take_along_axis", l_take_along_axis},
      {"put_along_axis", l_put_along_axis},
      {"put", l_put},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
