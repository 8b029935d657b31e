// SPDX-License-Identifier: Apache-2.0
// Positions and counts: nonzero, argwhere, flatnonzero, bincount.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"

static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

// Pushes which elements of the array at index 1 are not 0, in order.
static const uint8_t *push_truth(lua_State *L, int64_t *count) {
  struct array *a = array_test(L, 1);
  bool is_ready = a->dtype == DTYPE_BOOL && array_is_contiguous(a);
  struct array *m = is_ready ? a : array_push_copy(L, a, DTYPE_BOOL);
  kernel_reduce(KERNEL_SUM, DTYPE_BOOL)((char *)count, array_data(m), 1,
                                        array_count(m));
  return array_data(m);
}

void np_positions(const uint8_t *truth, int64_t count, int64_t *out) {
  for (int64_t i = 0, k = 0; k < count; i++) {
    out[k] = i; // overwritten unless it counts: faster than a branch
    k += truth[i];
  }
}

// Moves `at` to the next position of `a`, the last axis first.
static void next_position(const struct array *a, int64_t *at) {
  for (int d = a->ndim - 1; d >= 0 && ++at[d] == a->shape[d]; d--)
    at[d] = 0;
}

// nonzero(a): the positions along each axis, one array an axis.
int np_nonzero(lua_State *L) {
  lua_settop(L, 1);
  luaL_checkstack(L, 3 * ARRAY_MAX_DIMS, "nonzero");
  struct array *a = check_operand(L, 1, "nonzero");
  if (a->ndim == 0)
    bind_error(L, ERR_ARGUMENT,
               "nonzero: the array has no axes; np.ravel(x) has one");
  int64_t count, at[ARRAY_MAX_DIMS] = {0};
  const uint8_t *truth = push_truth(L, &count);
  int64_t *out[ARRAY_MAX_DIMS];
  if (a->ndim == 1) {
    np_positions(truth, count,
                 array_data(array_push_host(L, DTYPE_I64, 1, &count)));
    return 1;
  }
  for (int d = 0; d < a->ndim; d++)
    out[d] = array_data(array_push_host(L, DTYPE_I64, 1, &count));
  for (int64_t i = 0, n = array_count(a); i < n; i++) {
    for (int d = 0; truth[i] && d < a->ndim; d++)
      *out[d]++ = at[d];
    next_position(a, at);
  }
  return a->ndim;
}

// argwhere(a): one row of positions for each element that is not 0.
static int l_argwhere(lua_State *L) {
  lua_settop(L, 1);
  struct array *a = check_operand(L, 1, "argwhere");
  int64_t shape[2] = {0, a->ndim}, at[ARRAY_MAX_DIMS] = {0};
  const uint8_t *truth = push_truth(L, &shape[0]);
  int64_t *out = array_data(array_push_host(L, DTYPE_I64, 2, shape));
  for (int64_t i = 0, n = array_count(a); i < n; i++) {
    for (int d = 0; truth[i] && d < a->ndim; d++)
      *out++ = at[d];
    next_position(a, at);
  }
  return 1;
}

static int l_flatnonzero(lua_State *L) {
  lua_settop(L, 1);
  check_operand(L, 1, "flatnonzero");
  int64_t count;
  const uint8_t *truth = push_truth(L, &count);
  int64_t *out = array_data(array_push_host(L, DTYPE_I64, 1, &count));
  np_positions(truth, count, out);
  return 1;
}

// ---- Counting ----

static int64_t check_largest(lua_State *L, const int64_t *v, int64_t n) {
  int64_t least = 0, largest = -1;
  if (n == 0)
    return largest;
  kernel_reduce(KERNEL_MIN, DTYPE_I64)((char *)&least, (const char *)v,
                                       sizeof *v, n);
  kernel_reduce(KERNEL_MAX, DTYPE_I64)((char *)&largest, (const char *)v,
                                       sizeof *v, n);
  for (int64_t i = 0; least < 0; i++)
    if (v[i] < 0)
      bind_error(L, ERR_ARGUMENT,
                 "bincount: element %lld is %lld, and must not be negative",
                 (long long)i, (long long)v[i]);
  return largest;
}

static void count_each(int64_t *restrict counts, const int64_t *restrict v,
                       int64_t n) {
  for (int64_t i = 0; i < n; i++)
    counts[v[i]]++;
}

static void weigh_each(double *restrict sums, const int64_t *restrict v,
                       const double *restrict weights, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    sums[v[i]] += weights[i];
}

// bincount(x, weights, minlength): how often each whole number occurs.
static int l_bincount(lua_State *L) {
  static const char *const names[] = {"weights", "minlength"};
  np_check_any(L, 1);
  np_spread(L, 2, "bincount", names, 2);
  struct array *x = check_operand(L, 1, "bincount");
  if (x->ndim != 1)
    bind_error(L, ERR_ARGUMENT,
               "bincount: the array has %d axes, and must "
               "have one",
               x->ndim);
  if (dtype_kind(x->dtype) == 'f' && x->shape[0] > 0)
    bind_error(L, ERR_ARGUMENT,
               "bincount: elements of type %s are no whole numbers: "
               "x:astype(\"i64\")",
               dtype_name(x->dtype));
  int64_t least = luaL_optinteger(L, 3, 0);
  if (least < 0)
    bind_error(L, ERR_ARGUMENT, "bincount: minlength is negative");
  bool has_weights = !lua_isnil(L, 2);
  const double *weights = NULL;
  if (has_weights) {
    struct array *w =
        array_push_copy(L, check_operand(L, 2, "bincount"), DTYPE_F64);
    if (w->ndim != 1 || w->shape[0] != x->shape[0])
      bind_error(L, ERR_ARGUMENT,
                 "bincount: there are %lld weights for %lld elements",
                 (long long)array_count(w), (long long)x->shape[0]);
    weights = array_data(w);
  }
  if (x->dtype != DTYPE_I64 || !array_is_contiguous(x))
    x = array_push_copy(L, x, DTYPE_I64);
  const int64_t *v = array_data(x), n = x->shape[0];
  int64_t size = check_largest(L, v, n) + 1;
  size = size > least ? size : least;
  struct array *r =
      array_push_host(L, has_weights ? DTYPE_F64 : DTYPE_I64, 1, &size);
  memset(array_data(r), 0, r->storage->bytes);
  if (has_weights)
    weigh_each(array_data(r), v, weights, n);
  else
    count_each(array_data(r), v, n);
  return 1;
}

void np_open_search(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"nonzero", np_nonzero},
      {"argwhere", l_argwhere},
      {"flatnonzero", l_flatnonzero},
      {"bincount", l_bincount},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
