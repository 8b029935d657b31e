// SPDX-License-Identifier: Apache-2.0
// Other views of the same elements: reshape, transpose, squeeze and friends.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"

struct array *np_push_view(lua_State *L, const struct array *a, size_t offset,
                           int ndim, const int64_t *shape,
                           const int64_t *strides) {
  struct array *v =
      array_push_view(L, a->storage, a->dtype, ndim, shape, strides);
  v->offset = offset;
  v->is_readonly = a->is_readonly;
  v->is_jax = a->is_jax;
  v->is_weak = a->is_weak;
  return v;
}

// Replaces one -1 in `shape` by what the element count leaves for it.
static void complete_shape(lua_State *L, const struct array *a, int ndim,
                           int64_t *shape) {
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  int64_t known = 1, count = array_count(a);
  int open = -1;
  bool is_wrong = false;
  for (int d = 0; d < ndim; d++) {
    if (shape[d] == -1 && open < 0)
      open = d;
    else if (shape[d] < 0 || __builtin_mul_overflow(known, shape[d], &known))
      is_wrong = true;
  }
  if (!is_wrong && open >= 0 && known > 0 && count % known == 0)
    shape[open] = count / known;
  else if (is_wrong || open >= 0 || known != count)
    bind_error(L, ERR_ARGUMENT,
               "reshape: an array of shape %s has %lld elements and cannot "
               "have shape %s",
               array_shape_text(s, a->ndim, a->shape), (long long)count,
               array_shape_text(t, ndim, shape));
}

// Strides of `shape` over the same memory, where that is possible: each group
// of old axes that a group of new axes covers must be evenly spaced.
static bool reshape_strides(const struct array *whole, int ndim,
                            const int64_t *shape, int64_t *strides) {
  struct array plain = *whole, *a = &plain;
  int i = 0, j = 0;
  a->ndim = 0; // axes of size 1 have no meaningful stride: leave them out
  for (int d = 0; d < whole->ndim; d++)
    if (whole->shape[d] != 1) {
      a->shape[a->ndim] = whole->shape[d];
      a->strides[a->ndim++] = whole->strides[d];
    }
  while (i < a->ndim && j < ndim) {
    int64_t old = a->shape[i], new = shape[j];
    int i0 = i++, j0 = j++;
    while (old != new)
      if (old < new)
        old *= a->shape[i++];
      else
        new *= shape[j++];
    for (int k = i0; k + 1 < i; k++)
      if (a->strides[k] != a->strides[k + 1] * a->shape[k + 1])
        return false;
    int64_t step = a->strides[i - 1];
    for (int k = j - 1; k >= j0; step *= shape[k], k--)
      strides[k] = step;
  }
  while (j < ndim) // the rest has size 1
    strides[j++] = (int64_t)dtype_bytes(a->dtype);
  return true;
}

// A contiguous copy, made on the device. The array is argument 1 or on the
// stack's top; the copy is alone there.
static struct array *push_packed(lua_State *L, struct array *a) {
  if (array_test(L, 1) != a)
    lua_insert(L, 1);
  lua_settop(L, 1);
  if (np_call_device(L, "copy") < 0)
    bind_error(L, ERR_UNSUPPORTED,
               "reshape: this view of a device array is not contiguous");
  return array_check(L, -1);
}

static int push_reshaped(lua_State *L, struct array *a, int ndim,
                         const int64_t *shape) {
  int64_t strides[ARRAY_MAX_DIMS];
  if (array_count(a) == 0 || array_is_contiguous(a))
    array_set_strides(strides, a->dtype, ndim, shape);
  else if (!reshape_strides(a, ndim, shape, strides)) {
    if (array_is_device(a)) {
      a = push_packed(L, a);
    } else {
      array_await(L, a, false);
      a = array_push_copy(L, a, a->dtype);
    }
    array_set_strides(strides, a->dtype, ndim, shape);
  }
  np_push_view(L, a, a->offset, ndim, shape, strides);
  return 1;
}

// Whether elements go in Fortran's order ("F": the first axis runs fastest),
// by the name at index `i`; "A" and "K" leave it to the array, which is C's.
static bool check_order(lua_State *L, int i, const char *function) {
  if (lua_isnoneornil(L, i))
    return false;
  const char *s = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : "";
  if (!s[0] || s[1] || !strchr("CFAK", s[0]))
    bind_error(L, ERR_ARGUMENT,
               "%s: the order is \"C\", \"F\", \"A\" or \"K\", not %s",
               function, bind_value_text(L, i));
  return s[0] == 'F';
}

struct array *np_push_permuted(lua_State *L, const struct array *a,
                               const int *axes) {
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++) {
    shape[d] = a->shape[axes[d]];
    strides[d] = a->strides[axes[d]];
  }
  return np_push_view(L, a, a->offset, a->ndim, shape, strides);
}

static struct array *push_reversed(lua_State *L, struct array *a) {
  int axes[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    axes[d] = a->ndim - 1 - d;
  return np_push_permuted(L, a, axes);
}

// In Fortran's order: C's of the axes from the last to the first.
static int push_reshaped_by(lua_State *L, struct array *a, int ndim,
                            const int64_t *shape, bool is_fortran) {
  if (!is_fortran)
    return push_reshaped(L, a, ndim, shape);
  int64_t back[ARRAY_MAX_DIMS];
  for (int d = 0; d < ndim; d++)
    back[d] = shape[ndim - 1 - d];
  push_reshaped(L, push_reversed(L, a), ndim, back);
  push_reversed(L, array_test(L, -1));
  return 1;
}

// The sizes from index 2 on, as if a table held them.
static int check_sizes(lua_State *L, int64_t *shape) {
  int n = lua_gettop(L) - 1, are_whole = n <= ARRAY_MAX_DIMS;
  for (int i = 0; i < n && are_whole; i++)
    shape[i] = lua_tointegerx(L, 2 + i, &are_whole);
  if (are_whole)
    return n;
  lua_createtable(L, n, 0);
  for (int i = 1; i <= n; i++) {
    lua_pushvalue(L, 1 + i);
    lua_rawseti(L, -2, i);
  }
  return array_check_shape(L, -1, "reshape", shape);
}

// reshape(x, {3, 4} [, order]), x:reshape(3, 4); shape and order by name, too.
static int l_reshape(lua_State *L) {
  static const char *const names[] = {"shape", "order"};
  struct array *a = np_check_operand(L, 1);
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim, top = lua_gettop(L);
  bool is_fortran = false;
  if (top > 1 && np_is_named(L, top)) {
    np_spread(L, top, "reshape", names, 2);
    is_fortran = check_order(L, top + 1, "reshape");
    lua_settop(L, lua_isnil(L, top) ? top - 1 : top);
  } else if (top == 3 && lua_type(L, 3) == LUA_TSTRING) {
    is_fortran = check_order(L, 3, "reshape");
    lua_settop(L, 2);
  }
  if (lua_gettop(L) > 2) {
    ndim = check_sizes(L, shape);
  } else {
    ndim = array_check_shape(L, 2, "reshape", shape);
  }
  complete_shape(L, a, ndim, shape);
  return push_reshaped_by(L, a, ndim, shape, is_fortran);
}

static const char *const order_names[] = {"order"};

static int l_ravel(lua_State *L) {
  struct array *a = np_check_operand(L, 1);
  np_spread(L, 2, "ravel", order_names, 1);
  int64_t n = array_count(a);
  return push_reshaped_by(L, a, 1, &n, check_order(L, 2, "ravel"));
}

static int l_flatten(lua_State *L) {
  np_check_operand(L, 1); // which makes an array of what is none
  struct array *a = array_check_host(L, 1, "flatten");
  np_spread(L, 2, "flatten", order_names, 1);
  a = array_push_copy(L, a, a->dtype);
  int64_t n = array_count(a);
  return push_reshaped_by(L, a, 1, &n, check_order(L, 2, "flatten"));
}

// The axis numbers from index `from` on.
static void check_axes(lua_State *L, int from, int count, int ndim, int *axes) {
  bool seen[ARRAY_MAX_DIMS] = {false};
  if (count != ndim)
    bind_error(L, ERR_ARGUMENT,
               "transpose: %d axes are named and the array has %d", count,
               ndim);
  for (int d = 0; d < ndim; d++) {
    axes[d] = np_check_axis(L, from + d, ndim, "transpose");
    if (seen[axes[d]])
      bind_error(L, ERR_ARGUMENT, "transpose: axis %d is named twice", axes[d]);
    seen[axes[d]] = true;
  }
}

// transpose(x [, {1, 0}]), x:transpose(1, 0), or axes by name.
static int l_transpose(lua_State *L) {
  static const char *const names[] = {"axes"};
  struct array *a = np_check_operand(L, 1);
  int axes[ARRAY_MAX_DIMS];
  if (lua_gettop(L) <= 2)
    np_spread(L, 2, "transpose", names, 1);
  if (lua_isnil(L, 2)) {
    push_reversed(L, a);
    return 1;
  }
  int n = lua_gettop(L) - 1;
  if (lua_istable(L, 2)) {
    n = (int)lua_rawlen(L, 2);
    luaL_checkstack(L, n, "transpose: too many axes");
    for (int d = 1; d <= n; d++)
      lua_rawgeti(L, 2, d);
    lua_remove(L, 2);
  }
  check_axes(L, 2, n, a->ndim, axes);
  np_push_permuted(L, a, axes);
  return 1;
}

static int l_squeeze(lua_State *L) {
  struct array *a = np_check_operand(L, 1);
  int only =
      lua_isnoneornil(L, 2) ? -1 : np_check_axis(L, 2, a->ndim, "squeeze");
  if (only >= 0 && a->shape[only] != 1)
    bind_error(L, ERR_ARGUMENT, "squeeze: axis %d has %lld items, not 1", only,
               (long long)a->shape[only]);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < a->ndim; d++)
    if (only >= 0 ? d != only : a->shape[d] != 1) {
      shape[n] = a->shape[d];
      strides[n++] = a->strides[d];
    }
  np_push_view(L, a, a->offset, n, shape, strides);
  return 1;
}

static int l_expand_dims(lua_State *L) {
  struct array *a = np_check_operand(L, 1);
  int at = np_check_axis(L, 2, a->ndim + 1, "expand_dims");
  int64_t shape[ARRAY_MAX_DIMS + 1], strides[ARRAY_MAX_DIMS + 1];
  for (int d = 0, k = 0; d <= a->ndim; d++) {
    shape[d] = d == at ? 1 : a->shape[k];
    strides[d] = d == at ? (int64_t)dtype_bytes(a->dtype) : a->strides[k++];
  }
  np_push_view(L, a, a->offset, a->ndim + 1, shape, strides);
  return 1;
}

static int l_broadcast_to(lua_State *L) {
  struct array *a = np_check_operand(L, 1);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS] = {0};
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  static const char *const names[] = {"shape"};
  np_spread(L, 2, "broadcast_to", names, 1);
  int ndim = array_check_shape(L, 2, "broadcast_to", shape);
  if (!np_can_broadcast(a, ndim, shape))
    bind_error(L, ERR_ARGUMENT, "broadcast_to: shape %s does not stretch to %s",
               array_shape_text(s, a->ndim, a->shape),
               array_shape_text(t, ndim, shape));
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != 1)
      strides[d + ndim - a->ndim] = a->strides[d];
  np_push_view(L, a, a->offset, ndim, shape, strides)->is_readonly = true;
  return 1;
}

// concatenate({a, b, ...}, axis = 0, dtype)
static int l_concatenate(lua_State *L) {
  static const char *const names[] = {"axis", "dtype"};
  np_spread(L, 2, "concatenate", names, 2);
  if (!lua_istable(L, 1))
    bind_error(L, ERR_ARGUMENT,
               "concatenate: the arrays stand in a table, "
               "np.concatenate({x, y}); argument 1 is %s",
               bind_value_text(L, 1));
  int n = (int)lua_rawlen(L, 1);
  if (n == 0)
    bind_error(L, ERR_ARGUMENT, "concatenate: there is no array in the table");
  luaL_checkstack(L, n + 8, "concatenate: too many arrays");
  lua_Integer wanted = luaL_optinteger(L, 2, 0);
  enum dtype given = array_check_dtype(L, 3, DTYPE_COUNT);
  lua_settop(L, 1);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, 1, i);
    if (!array_test(L, -1)) {
      array_push_from(L, -1, DTYPE_COUNT);
      lua_remove(L, -2);
    }
    array_check_host(L, -1, "concatenate");
  }
  struct array *first = array_test(L, 2);
  lua_pushinteger(L, wanted);
  int axis = np_check_axis(L, -1, first->ndim, "concatenate");
  int64_t shape[ARRAY_MAX_DIMS];
  memcpy(shape, first->shape, sizeof shape);
  enum dtype t = first->dtype;
  for (int i = 1; i < n; i++) {
    struct array *a = array_test(L, 2 + i);
    for (int d = 0; d < first->ndim; d++)
      if (a->ndim != first->ndim || (d != axis && a->shape[d] != shape[d])) {
        char s[ARRAY_SHAPE_TEXT], u[ARRAY_SHAPE_TEXT];
        bind_error(L, ERR_ARGUMENT,
                   "concatenate: shapes %s and %s differ elsewhere than along "
                   "axis %d",
                   array_shape_text(s, first->ndim, first->shape),
                   array_shape_text(u, a->ndim, a->shape), axis);
      }
    shape[axis] += a->shape[axis];
    t = dtype_promote(t, a->dtype);
  }
  struct array *r =
      array_push_host(L, given == DTYPE_COUNT ? t : given, first->ndim, shape);
  struct array part = *r;
  for (int i = 0; i < n; i++) {
    struct array *a = array_test(L, 2 + i);
    part.shape[axis] = a->shape[axis];
    array_assign(L, &part, a);
    part.offset += (size_t)(a->shape[axis] * r->strides[axis]);
  }
  return 1;
}

void np_open_shape(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"reshape", l_reshape},
      {"ravel", l_ravel},
      {"flatten", l_flatten},
      {"transpose", l_transpose},
      {"squeeze", l_squeeze},
      {"expand_dims", l_expand_dims},
      {"broadcast_to", l_broadcast_to},
      {"concatenate", l_concatenate},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
