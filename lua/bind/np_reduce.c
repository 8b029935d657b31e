// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, cumulative sums, sorting.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np.h"

// ---- Which axes ----

struct axes {
  bool is_reduced[ARRAY_MAX_DIMS];
  bool keepdims;
  int count;
};

static void mark_axis(lua_State *L, struct axes *x, int i, int ndim,
                      const char *function) {
  int axis = np_check_axis(L, i, ndim, function);
  if (x->is_reduced[axis])
    bind_error(L, ERR_ARGUMENT, "%s: axis %d is named twice", function, axis);
  x->is_reduced[axis] = true;
  x->count++;
}

// Arguments 2 and 3: axis, keepdims; or a table {axis =, keepdims =}; an axis
// may be a list {0, 1}.
static struct axes check_axes(lua_State *L, int ndim, const char *function) {
  struct axes x = {.count = 0};
  lua_settop(L, 3);
  if (lua_istable(L, 2) && lua_rawlen(L, 2) == 0) {
    lua_getfield(L, 2, "keepdims");
    lua_replace(L, 3);
    lua_getfield(L, 2, "axis");
    lua_replace(L, 2);
  }
  x.keepdims = lua_toboolean(L, 3);
  if (lua_isnil(L, 2)) {
    for (int d = 0; d < ndim; d++)
      x.is_reduced[d] = true;
    x.count = ndim;
  } else if (lua_istable(L, 2)) {
    for (int k = 1; k <= (int)lua_rawlen(L, 2); k++) {
      lua_rawgeti(L, 2, k);
      mark_axis(L, &x, -1, ndim, function);
      lua_pop(L, 1);
    }
  } else {
    mark_axis(L, &x, 2, ndim, function);
  }
  return x;
}

// The array with its reduced axes last.
static struct array reduced_last(const struct array *a, const struct axes *x) {
  struct array v = *a;
  int n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < a->ndim; d++)
      if (x->is_reduced[d] == (pass == 1)) {
        v.shape[n] = a->shape[d];
        v.strides[n++] = a->strides[d];
      }
  return v;
}

static enum dtype accumulator(enum kernel_reduce op, enum dtype t) {
  bool is_sum = op == KERNEL_SUM || op == KERNEL_PROD;
  if (dtype_kind(t) == 'f')
    return t == DTYPE_F64 ? t : DTYPE_F32;
  if (!is_sum)
    return t;
  return dtype_kind(t) == 'u' ? DTYPE_U64 : DTYPE_I64;
}

static enum dtype result_dtype(enum kernel_reduce op, enum dtype t) {
  switch (op) {
  case KERNEL_ARGMIN:
  case KERNEL_ARGMAX: return DTYPE_I64;
  case KERNEL_ANY:
  case KERNEL_ALL: return DTYPE_BOOL;
  default: return t;
  }
}

static const char *const reduce_names[KERNEL_REDUCE_COUNT] = {
    [KERNEL_SUM] = "sum",       [KERNEL_PROD] = "prod",
    [KERNEL_MIN] = "min",       [KERNEL_MAX] = "max",
    [KERNEL_ARGMIN] = "argmin", [KERNEL_ARGMAX] = "argmax",
    [KERNEL_ANY] = "any",       [KERNEL_ALL] = "all",
};

static void check_not_empty(lua_State *L, enum kernel_reduce op, int64_t n) {
  if (n == 0 && op >= KERNEL_MIN && op <= KERNEL_ARGMAX)
    bind_error(L, ERR_ARGUMENT, "%s: there is no element to choose from",
               reduce_names[op]);
}

// Steps over all elements of the kept axes of `v`, in order.
struct rows {
  const struct array *v;
  int kept;
  int64_t at[ARRAY_MAX_DIMS];
  const char *p;
};

static void next_row(struct rows *r) {
  for (int d = r->kept - 1; d >= 0; d--) {
    r->p += r->v->strides[d];
    if (++r->at[d] < r->v->shape[d])
      return;
    r->p -= r->v->strides[d] * r->v->shape[d];
    r->at[d] = 0;
  }
}

// Reduces array `a` (on the stack); pushes the result, without reduced axes.
static struct array *push_reduced(lua_State *L, enum kernel_reduce op,
                                  const struct array *a, const struct axes *x,
                                  enum dtype t) {
  struct array v = reduced_last(a, x);
  int kept = a->ndim - x->count;
  int64_t n = 1, count = 1;
  for (int d = 0; d < a->ndim; d++)
    *(d < kept ? &count : &n) *= v.shape[d];
  if (count > 0)
    check_not_empty(L, op, n);
  if (v.dtype != t || (x->count > 1 && !array_is_contiguous(&v)))
    v = *array_push_copy(L, &v, t); // stays on the stack, and so alive
  int64_t stride = a->ndim && x->count ? v.strides[a->ndim - 1] : 0;
  struct array *r = array_push_host(L, result_dtype(op, t), kept, v.shape);
  kernel_reduce_loop loop = kernel_reduce(op, t);
  struct rows rows = {.v = &v, .kept = kept, .p = array_data(&v)};
  char *out = array_data(r);
  for (int64_t i = 0; i < count; i++, out += dtype_bytes(r->dtype)) {
    loop(out, rows.p, stride, n);
    next_row(&rows);
  }
  return r;
}

// Puts the reduced axes back with size 1 where asked; a result without axes
// becomes a Lua value.
static int finish(lua_State *L, struct array *r, const struct array *a,
                  const struct axes *x, enum dtype t) {
  if (r->dtype != t)
    r = array_push_copy(L, r, t);
  if (x->keepdims) {
    int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++)
      shape[d] = x->is_reduced[d] ? 1 : a->shape[d];
    array_set_strides(strides, t, a->ndim, shape);
    np_push_view(L, r, r->offset, a->ndim, shape, strides);
  } else if (r->ndim == 0) {
    array_push_element(L, r->dtype, array_data(r));
  }
  return 1;
}

// Tables and numbers are taken as well.
static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

static int l_reduce(lua_State *L) {
  enum kernel_reduce op =
      (enum kernel_reduce)lua_tointeger(L, lua_upvalueindex(1));
  luaL_checkany(L, 1);
  struct array *a = check_operand(L, 1, reduce_names[op]);
  struct axes x = check_axes(L, a->ndim, reduce_names[op]);
  enum dtype t = accumulator(op, a->dtype);
  struct array *r = push_reduced(L, op, a, &x, t);
  enum dtype wanted = dtype_kind(a->dtype) == 'f' && dtype_kind(r->dtype) == 'f'
                          ? a->dtype
                          : r->dtype;
  return finish(L, r, a, &x, wanted);
}

static int64_t reduced_count(const struct array *a, const struct axes *x) {
  int64_t n = 1;
  for (int d = 0; d < a->ndim; d++)
    n *= x->is_reduced[d] ? a->shape[d] : 1;
  return n;
}

static void divide_by(struct array *r, double n) {
  char *p = array_data(r);
  for (int64_t i = 0, count = array_count(r); i < count; i++)
    if (r->dtype == DTYPE_F32)
      ((float *)p)[i] /= (float)n;
    else
      ((double *)p)[i] /= n;
}

static int l_mean(lua_State *L) {
  luaL_checkany(L, 1);
  struct array *a = check_operand(L, 1, "mean");
  struct axes x = check_axes(L, a->ndim, "mean");
  bool is_float = dtype_kind(a->dtype) == 'f';
  enum dtype t = is_float ? accumulator(KERNEL_SUM, a->dtype) : DTYPE_F64;
  struct array *r = push_reduced(L, KERNEL_SUM, a, &x, t);
  divide_by(r, (double)reduced_count(a, &x));
  return finish(L, r, a, &x, is_float ? a->dtype : DTYPE_F64);
}

// Variance: the mean of the squared distances from the mean (ddof = 0).
static struct array *push_variance(lua_State *L, struct array *a,
                                   struct axes *x) {
  bool is_float = dtype_kind(a->dtype) == 'f';
  enum dtype t = is_float ? accumulator(KERNEL_SUM, a->dtype) : DTYPE_F64;
  struct array *mean = push_reduced(L, KERNEL_SUM, a, x, t);
  double n = (double)reduced_count(a, x);
  divide_by(mean, n);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    shape[d] = x->is_reduced[d] ? 1 : a->shape[d];
  array_set_strides(strides, t, a->ndim, shape);
  np_push_view(L, mean, mean->offset, a->ndim, shape, strides);
  np_push_binary(L, KERNEL_SUBTRACT, 1, -1);
  np_push_unary(L, KERNEL_SQUARE, -1);
  struct array *r = push_reduced(L, KERNEL_SUM, array_test(L, -1), x, t);
  divide_by(r, n);
  return r;
}

static int l_var(lua_State *L) {
  luaL_checkany(L, 1);
  struct array *a = check_operand(L, 1, "var");
  struct axes x = check_axes(L, a->ndim, "var");
  struct array *r = push_variance(L, a, &x);
  bool is_float = dtype_kind(a->dtype) == 'f';
  return finish(L, r, a, &x, is_float ? a->dtype : DTYPE_F64);
}

static int l_std(lua_State *L) {
  luaL_checkany(L, 1);
  struct array *a = check_operand(L, 1, "std");
  struct axes x = check_axes(L, a->ndim, "std");
  push_variance(L, a, &x);
  np_push_unary(L, KERNEL_SQRT, -1);
  bool is_float = dtype_kind(a->dtype) == 'f';
  return finish(L, array_test(L, -1), a, &x, is_float ? a->dtype : DTYPE_F64);
}

// ---- Along one axis: cumsum, sort ----

// Pushes a copy as type `t` whose last axis is the one that argument 2 names
// (flat when it names none and `fallback` is 0), and tells where it was.
static struct array *push_lines(lua_State *L, const char *function, bool flat,
                                enum dtype t, int *axis) {
  struct array *a = array_test(L, 1), v = *a;
  if (lua_isnil(L, 2) && flat) {
    struct array *c = array_push_copy(L, a, t);
    c->shape[0] = array_count(a);
    c->ndim = 1;
    c->strides[0] = (int64_t)dtype_bytes(t);
    *axis = 0;
    return c;
  }
  if (a->ndim == 0)
    bind_error(L, ERR_ARGUMENT, "%s: the array has no axis", function);
  *axis =
      lua_isnil(L, 2) ? a->ndim - 1 : np_check_axis(L, 2, a->ndim, function);
  int last = a->ndim - 1;
  v.shape[last] = a->shape[*axis];
  v.strides[last] = a->strides[*axis];
  v.shape[*axis] = a->shape[last];
  v.strides[*axis] = a->strides[last];
  return array_push_copy(L, &v, t);
}

static int swap_back(lua_State *L, const struct array *c, int axis) {
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  memcpy(shape, c->shape, sizeof shape);
  memcpy(strides, c->strides, sizeof strides);
  int last = c->ndim - 1;
  shape[axis] = c->shape[last];
  strides[axis] = c->strides[last];
  shape[last] = c->shape[axis];
  strides[last] = c->strides[axis];
  np_push_view(L, c, c->offset, c->ndim, shape, strides);
  return 1;
}

static int l_cumsum(lua_State *L) {
  lua_settop(L, 2);
  struct array *a = check_operand(L, 1, "cumsum");
  enum dtype t = accumulator(KERNEL_SUM, a->dtype);
  int axis;
  struct array *c = push_lines(L, "cumsum", true, t, &axis);
  kernel_binary_loop add = kernel_binary(KERNEL_ADD, t);
  int64_t n = c->shape[c->ndim - 1], w = (int64_t)dtype_bytes(t);
  int64_t lines = n ? array_count(c) / n : 0;
  for (int64_t i = 0; i < lines; i++) {
    char *p = (char *)array_data(c) + i * n * w;
    for (int64_t j = 1; j < n; j++)
      add(p + j * w, 0, p + (j - 1) * w, 0, p + j * w, 0, 1);
  }
  if (dtype_kind(a->dtype) == 'f' && a->dtype != t) {
    array_push_copy(L, c, a->dtype);
    c = array_test(L, -1);
  }
  return swap_back(L, c, axis);
}

#define COMPARE(S, T)                                                          \
  static int compare_##S(const void *a, const void *b) {                       \
    T x = *(const T *)a, y = *(const T *)b;                                    \
    if (x != x || y != y) /* NaN sorts last */                                 \
      return (x != x) - (y != y);                                              \
    return (x > y) - (x < y);                                                  \
  }
COMPARE(i64, int64_t)
COMPARE(u64, uint64_t)
COMPARE(f64, double)

// Sorting goes through the widest type of its kind.
static int l_sort(lua_State *L) {
  lua_settop(L, 2);
  struct array *a = check_operand(L, 1, "sort");
  char kind = dtype_kind(a->dtype);
  enum dtype t = kind == 'f' ? DTYPE_F64 : kind == 'i' ? DTYPE_I64 : DTYPE_U64;
  int axis;
  struct array *c = push_lines(L, "sort", false, t, &axis);
  int64_t n = c->shape[c->ndim - 1], lines = n ? array_count(c) / n : 0;
  for (int64_t i = 0; i < lines; i++)
    qsort((char *)array_data(c) + i * n * 8, (size_t)n, 8,
          kind == 'f'   ? compare_f64
          : kind == 'i' ? compare_i64
                        : compare_u64);
  return swap_back(L, array_push_copy(L, c, a->dtype), axis);
}

void np_open_reduce(lua_State *L) {
  for (int op = 0; op < KERNEL_REDUCE_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_reduce, 1);
    lua_setfield(L, -2, reduce_names[op]);
  }
  static const luaL_Reg functions[] = {
      {"mean", l_mean},     {"var", l_var},   {"std", l_std},
      {"cumsum", l_cumsum}, {"sort", l_sort}, {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
