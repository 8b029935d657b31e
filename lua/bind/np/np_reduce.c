// SPDX-License-Identifier: Apache-2.0
// Reductions along axes.
#include "lua/bind/np/np.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np/array.h"

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

// The axes at index `i`: nil for all, a number or a list {0, 1}, which may be
// empty.
static struct axes check_axes(lua_State *L, int i, int ndim,
                              const char *function) {
  struct axes x = {.count = 0};
  if (lua_isnil(L, i)) {
    for (int d = 0; d < ndim; d++)
      x.is_reduced[d] = true;
    x.count = ndim;
  } else if (lua_istable(L, i)) {
    for (int k = 1; k <= (int)lua_rawlen(L, i); k++) {
      lua_rawgeti(L, i, k);
      mark_axis(L, &x, -1, ndim, function);
      lua_pop(L, 1);
    }
  } else {
    mark_axis(L, &x, i, ndim, function);
  }
  return x;
}

// ---- Arguments ----

// How a reduction was called; indexes of arguments are 0 where there is none.
struct call {
  const char *function;
  struct axes axes;
  enum dtype dtype; // DTYPE_COUNT where none was named
  int out, initial, where;
  lua_Number ddof;
};

static int given(lua_State *L, const char *const *names, int count,
                 const char *name) {
  int k = np_place(names, count, name);
  return k < 0 || lua_isnil(L, 2 + k) ? 0 : 2 + k;
}

// Reads the arguments behind the array, in NumPy's order `names`; true or false
// behind the axis is keepdims.
static struct call check_call(lua_State *L, const char *function, int ndim,
                              const char *const *names, int count) {
  np_drop_nameless(L, 2);
  np_spread(L, 2, function, names, count);
  luaL_checkstack(L, 60, function);
  int keepdims = 2 + np_place(names, count, "keepdims");
  if (lua_isboolean(L, 3)) {
    lua_pushvalue(L, 3);
    lua_replace(L, keepdims);
    if (keepdims != 3) {
      lua_pushnil(L);
      lua_replace(L, 3);
    }
  }
  struct call c = {.function = function};
  c.axes = check_axes(L, 2, ndim, function);
  c.axes.keepdims = lua_toboolean(L, keepdims);
  c.out = given(L, names, count, "out");
  c.initial = given(L, names, count, "initial");
  c.where = given(L, names, count, "where");
  int dtype = given(L, names, count, "dtype");
  c.dtype = dtype ? array_check_dtype(L, dtype, DTYPE_COUNT) : DTYPE_COUNT;
  int ddof = given(L, names, count, "ddof");
  ddof = ddof ? ddof : given(L, names, count, "correction");
  c.ddof = ddof ? luaL_checknumber(L, ddof) : 0;
  return c;
}

static const char *const sum_names[] = {"axis",     "dtype",   "out",
                                        "keepdims", "initial", "where"};
static const char *const order_names[] = {"axis", "out", "keepdims", "initial",
                                          "where"};
static const char *const position_names[] = {"axis", "out", "keepdims"};
static const char *const truth_names[] = {"axis", "out", "keepdims", "where"};
static const char *const mean_names[] = {"axis", "dtype", "out", "keepdims",
                                         "where"};
static const char *const var_names[] = {"axis", "dtype",    "out",
                                        "ddof", "keepdims", "correction"};

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

// The type that a loop reads: 16-bit floats are widened.
static enum dtype loop_dtype(enum dtype t) {
  return dtype_kind(t) == 'f' && t != DTYPE_F64 ? DTYPE_F32 : t;
}

static enum dtype result_dtype(enum kernel_reduce op, enum dtype t) {
  switch (op) {
  case KERNEL_ARGMIN:
  case KERNEL_ARGMAX: return DTYPE_I64;
  case KERNEL_ANY:
  case KERNEL_ALL: return DTYPE_BOOL;
  case KERNEL_SUM:
  case KERNEL_PROD:
    if (dtype_kind(t) == 'f')
      return t;
    return dtype_kind(t) == 'u' ? DTYPE_U64 : DTYPE_I64;
  default: return t;
  }
}

static const char *const reduce_names[KERNEL_REDUCE_COUNT] = {
    [KERNEL_SUM] = "sum",       [KERNEL_PROD] = "prod",
    [KERNEL_MIN] = "min",       [KERNEL_MAX] = "max",
    [KERNEL_ARGMIN] = "argmin", [KERNEL_ARGMAX] = "argmax",
    [KERNEL_ANY] = "any",       [KERNEL_ALL] = "all",
};

// ---- The loops ----

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

// Merges axes `from` to `to` of `v` where they are evenly spaced; false where
// they are not. `*n` and `*stride` describe what they are together.
static bool merge_axes(const struct array *v, int from, int to, int64_t *n,
                       int64_t *stride) {
  *n = 1;
  *stride = 0;
  for (int d = to; d >= from; d--) {
    if (v->shape[d] == 1)
      continue;
    if (*n > 1 && v->strides[d] != *stride * *n)
      return false;
    if (*n == 1)
      *stride = v->strides[d];
    *n *= v->shape[d];
  }
  return true;
}

enum { CHUNK = 2048 }; // columns whose results stay in the cache

// Lines of `n` elements, `columns` of which lie side by side each time; `count`
// in all.
struct columns {
  int64_t stride, n, columns, count;
};

static void reduce_columns(enum kernel_reduce op, enum dtype t,
                           struct rows *rows, char *out,
                           const struct columns *x) {
  kernel_columns_loop loop = kernel_columns(op, t);
  int64_t w = (int64_t)dtype_bytes(t);
  int64_t r = (int64_t)dtype_bytes(result_dtype(op, t));
  for (int64_t i = 0; i < x->count; i += x->columns, next_row(rows))
    for (int64_t c = 0; c < x->columns; c += CHUNK) {
      int64_t some = x->columns - c < CHUNK ? x->columns - c : CHUNK;
      loop(out + (i + c) * r, rows->p + c * w, x->stride, x->n, some);
    }
}

// Reduces array `a` (on the stack) as type `t`, which has a loop; pushes the
// result, without reduced axes. The reduced axes have elements, or the
// operation has a value for none.
static struct array *push_reduced(lua_State *L, enum kernel_reduce op,
                                  const struct array *a, const struct axes *x,
                                  enum dtype t) {
  struct array v = reduced_last(a, x);
  int kept = a->ndim - x->count;
  int64_t n, stride, count = 1;
  bool is_even = merge_axes(&v, kept, a->ndim - 1, &n, &stride);
  if (v.dtype != t || !is_even) {
    v = *array_push_copy(L, &v, t); // stays on the stack, and so alive
    merge_axes(&v, kept, a->ndim - 1, &n, &stride);
  }
  for (int d = 0; d < kept; d++)
    count *= v.shape[d];
  struct array *r = array_push_host(L, result_dtype(op, t), kept, v.shape);
  char *out = array_data(r);
  struct rows rows = {.v = &v, .kept = kept, .p = array_data(&v)};
  // As many kept axes as lie side by side.
  int64_t columns = 1, step = 0, wide, wide_step;
  int d = kept - 1;
  for (; d >= 0 && merge_axes(&v, d, kept - 1, &wide, &wide_step); d--)
    columns = wide, step = wide_step;
  if (count > 0 && columns > 1 && step == (int64_t)dtype_bytes(t) &&
      (n == 1 || stride != step)) {
    rows.kept = d + 1;
    reduce_columns(op, t, &rows, out,
                   &(struct columns){stride, n, columns, count});
    return r;
  }
  kernel_reduce_loop loop = kernel_reduce(op, t);
  for (int64_t i = 0; i < count; i++, out += dtype_bytes(r->dtype)) {
    loop(out, rows.p, stride, n);
    next_row(&rows);
  }
  return r;
}

// Puts the reduced axes back with size 1 where asked; a result without axes
// becomes a Lua value; `out` receives it.
static int finish(lua_State *L, struct array *r, const struct array *a,
                  const struct call *c, enum dtype t) {
  if (r->dtype != t)
    r = array_push_copy(L, r, t);
  if (c->axes.keepdims) {
    int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++)
      shape[d] = c->axes.is_reduced[d] ? 1 : a->shape[d];
    array_set_strides(strides, t, a->ndim, shape);
    np_push_view(L, r, r->offset, a->ndim, shape, strides);
  } else if (r->ndim == 0 && !c->out) {
    array_push_element(L, r->dtype, array_data(r));
  }
  return c->out ? np_into_out(L, c->out) : 1;
}

// ---- The functions ----

// Tables and numbers are taken as well.
static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

static int64_t reduced_count(const struct array *a, const struct axes *x) {
  int64_t n = 1;
  for (int d = 0; d < a->ndim; d++)
    n *= x->is_reduced[d] ? a->shape[d] : 1;
  return n;
}

// Pushes array `a` (at index 1) with `fill`, the value on the stack's top, where
// the mask does not hold. The mask is stretched to the array, never the reverse:
// its elements would count several times.
static struct array *push_masked(lua_State *L, const struct array *a,
                                 const struct call *c) {
  np_push_where(L, c->where, 1, -1);
  struct array *r = array_test(L, -1);
  bool is_same = r->ndim == a->ndim;
  for (int d = 0; is_same && d < a->ndim; d++)
    is_same = r->shape[d] == a->shape[d];
  if (!is_same)
    bind_error(L, ERR_ARGUMENT,
               "%s: `where` does not fit: with it the array's shape would be "
               "another",
               c->function);
  return r;
}

// Elements of any, all, sum, prod that change nothing.
static void push_identity(lua_State *L, enum kernel_reduce op) {
  lua_pushboolean(L, op == KERNEL_PROD || op == KERNEL_ALL);
}

static const enum kernel_binary binary_of[] = {
    [KERNEL_SUM] = KERNEL_ADD,
    [KERNEL_PROD] = KERNEL_MULTIPLY,
    [KERNEL_MIN] = KERNEL_MINIMUM,
    [KERNEL_MAX] = KERNEL_MAXIMUM,
};

// The masked array, where there is a mask.
static struct array *apply_where(lua_State *L, enum kernel_reduce op,
                                 struct array *a, const struct call *c) {
  bool is_order = op == KERNEL_MIN || op == KERNEL_MAX;
  if (!c->where)
    return a;
  np_check_mask(L, c->where, c->function);
  if (is_order && !c->initial)
    bind_error(L, ERR_ARGUMENT,
               "%s: `where` may leave no element to choose from: give "
               "`initial` as well",
               c->function);
  if (is_order)
    lua_pushvalue(L, c->initial);
  else
    push_identity(L, op);
  return push_masked(L, a, c);
}

// Where nothing is left to choose from, the result is `initial` alone.
static struct array *push_initial(lua_State *L, const struct array *a,
                                  const struct call *c) {
  struct array v = reduced_last(a, &c->axes);
  int kept = a->ndim - c->axes.count;
  struct array *r = array_push_host(L, a->dtype, kept, v.shape);
  struct array *one = array_push_from(L, c->initial, a->dtype);
  array_assign(L, r, one);
  lua_settop(L, lua_gettop(L) - 1);
  return r;
}

// The result and `initial`, which is of type `t`, whatever was given.
static struct array *push_with_initial(lua_State *L, const struct array *r,
                                       enum kernel_binary op, int initial,
                                       enum dtype t) {
  int at = lua_gettop(L);
  struct array *start = array_push_from(L, initial, t);
  array_push_copy(L, start, r->dtype);
  np_push_binary(L, op, at, -1);
  if (!array_test(L, -1))
    array_push_from(L, -1, r->dtype);
  return array_test(L, -1);
}

static int l_reduce(lua_State *L) {
  enum kernel_reduce op =
      (enum kernel_reduce)lua_tointeger(L, lua_upvalueindex(1));
  np_check_any(L, 1);
  const char *name = reduce_names[op];
  struct array *a = check_operand(L, 1, name);
  bool is_sum = op == KERNEL_SUM || op == KERNEL_PROD;
  bool is_order = op == KERNEL_MIN || op == KERNEL_MAX;
  struct call c = is_sum     ? check_call(L, name, a->ndim, sum_names, 6)
                  : is_order ? check_call(L, name, a->ndim, order_names, 5)
                  : op == KERNEL_ANY || op == KERNEL_ALL
                      ? check_call(L, name, a->ndim, truth_names, 4)
                      : check_call(L, name, a->ndim, position_names, 3);
  a = apply_where(L, op, a, &c);
  int64_t n = reduced_count(a, &c.axes);
  bool is_empty = n == 0 && op >= KERNEL_MIN && op <= KERNEL_ARGMAX;
  if (is_empty && !c.initial)
    bind_error(L, ERR_ARGUMENT, "%s: there is no element to choose from", name);
  enum dtype from = c.dtype < DTYPE_COUNT ? c.dtype : a->dtype;
  if (a->dtype != from)
    a = array_push_copy(L, a, from);
  struct array *r = is_empty && c.initial
                        ? push_initial(L, a, &c)
                        : push_reduced(L, op, a, &c.axes, loop_dtype(from));
  enum dtype to = c.dtype < DTYPE_COUNT ? c.dtype : result_dtype(op, from);
  if (c.initial && !is_empty)
    r = push_with_initial(L, r, binary_of[op], c.initial, to);
  return finish(L, r, a, &c, to);
}

static void divide_by(struct array *r, double n) {
  char *p = array_data(r);
  for (int64_t i = 0, count = array_count(r); i < count; i++)
    if (r->dtype == DTYPE_F32)
      ((float *)p)[i] /= (float)n;
    else
      ((double *)p)[i] /= n;
}

// Sums for a mean, as f32 or f64. Integers of up to 4 bytes are added exactly.
static struct array *push_float_sum(lua_State *L, const struct array *a,
                                    const struct axes *x) {
  bool is_float = dtype_kind(a->dtype) == 'f';
  enum dtype t = is_float                    ? loop_dtype(a->dtype)
                 : dtype_bytes(a->dtype) < 8 ? a->dtype
                                             : DTYPE_F64;
  struct array *r = push_reduced(L, KERNEL_SUM, a, x, t);
  return is_float || t == DTYPE_F64 ? r : array_push_copy(L, r, DTYPE_F64);
}

// The same, as f64; where a type was asked for that is a whole number's, the
// sum is of that type, and wraps as it does.
static struct array *push_mean_sum(lua_State *L, const struct array *a,
                                   const struct call *c) {
  char kind = c->dtype < DTYPE_COUNT ? dtype_kind(c->dtype) : 'f';
  if (kind != 'i' && kind != 'u')
    return push_float_sum(L, a, &c->axes);
  struct array *r = push_reduced(L, KERNEL_SUM, a, &c->axes, c->dtype);
  r = array_push_copy(L, r, c->dtype);
  return array_push_copy(L, r, DTYPE_F64);
}

// The array as the type that a mean is taken in.
static struct array *push_typed(lua_State *L, struct array *a,
                                const struct call *c) {
  if (c->dtype == DTYPE_COUNT || c->dtype == a->dtype)
    return a;
  return array_push_copy(L, a, c->dtype);
}

static enum dtype mean_dtype(const struct array *a, const struct call *c) {
  if (c->dtype < DTYPE_COUNT)
    return c->dtype;
  return dtype_kind(a->dtype) == 'f' ? a->dtype : DTYPE_F64;
}

static int l_mean(lua_State *L) {
  np_check_any(L, 1);
  struct array *a = check_operand(L, 1, "mean");
  struct call c = check_call(L, "mean", a->ndim, mean_names, 5);
  enum dtype t = mean_dtype(a, &c);
  a = push_typed(L, apply_where(L, KERNEL_SUM, a, &c), &c);
  struct array *r = push_mean_sum(L, a, &c);
  if (c.where) { // how many elements of the array the mask holds
    int sum = lua_gettop(L);
    lua_pushboolean(L, true);
    lua_pushboolean(L, false);
    struct array *ones = array_push_host(L, DTYPE_BOOL, a->ndim, a->shape);
    np_push_where(L, c.where, -3, -2);
    array_assign(L, ones, array_test(L, -1));
    push_float_sum(L, ones, &c.axes);
    np_push_binary(L, KERNEL_DIVIDE, sum, -1);
    r = array_test(L, -1);
  } else {
    divide_by(r, (double)reduced_count(a, &c.axes));
  }
  return finish(L, r, a, &c, t);
}

// Variance: the mean of the squared distances from the mean, with n - ddof in
// place of n.
static struct array *push_variance(lua_State *L, struct array *a,
                                   const struct call *c) {
  int at = lua_gettop(L) + 1;
  enum dtype t = dtype_kind(a->dtype) == 'f' ? loop_dtype(a->dtype) : DTYPE_F64;
  np_push_view(L, a, a->offset, a->ndim, a->shape, a->strides);
  if (a->dtype != t) {
    array_push_copy(L, a, t);
    lua_replace(L, at);
  }
  a = array_test(L, at);
  struct array *mean = push_float_sum(L, a, &c->axes);
  double n = (double)reduced_count(a, &c->axes), rest = n - c->ddof;
  divide_by(mean, n);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    shape[d] = c->axes.is_reduced[d] ? 1 : a->shape[d];
  array_set_strides(strides, mean->dtype, a->ndim, shape);
  mean = np_push_view(L, mean, mean->offset, a->ndim, shape, strides);
  struct array *squares = np_push_square_off(L, a, mean);
  struct array *r = push_float_sum(L, squares, &c->axes);
  divide_by(r, rest > 0 ? rest : 0);
  return r;
}

static int l_var(lua_State *L) {
  bool is_std = lua_toboolean(L, lua_upvalueindex(1));
  const char *name = is_std ? "std" : "var";
  np_check_any(L, 1);
  struct array *a = check_operand(L, 1, name);
  struct call c = check_call(L, name, a->ndim, var_names, 6);
  enum dtype t = mean_dtype(a, &c);
  struct array *r = push_variance(L, push_typed(L, a, &c), &c);
  if (is_std) {
    np_push_unary(L, KERNEL_SQRT, -1);
    r = array_test(L, -1);
  }
  return finish(L, r, a, &c, t);
}

void np_open_reduce(lua_State *L) {
  for (int op = 0; op < KERNEL_REDUCE_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_reduce, 1);
    lua_setfield(L, -2, reduce_names[op]);
  }
  for (int is_std = 0; is_std < 2; is_std++) {
    lua_pushboolean(L, is_std);
    lua_pushcclosure(L, l_var, 1);
    lua_setfield(L, -2, is_std ? "std" : "var");
  }
  static const luaL_Reg functions[] = {
      {"mean", l_mean},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
