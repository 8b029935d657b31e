// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolution; and the two ways of taking elements along
// an axis that the Lua files of np build joining, padding and repeating on.
#include <string.h>

#include "lua/bind/np/array.h"
#include "lua/bind/np/np_npy.h"

// The types that loops exist for: what `t` is computed in.
static enum dtype compute_dtype(enum dtype t) {
  if (dtype_kind(t) == 'f')
    return t == DTYPE_F64 ? t : DTYPE_F32;
  return dtype_bytes(t) == 8 ? DTYPE_I64 : DTYPE_I32;
}

// Argument `i` on the host, as a view or a copy of type `t`.
static struct array *push_operand(lua_State *L, int i, enum dtype t) {
  struct array *a = array_test(L, i);
  if (a->dtype == t || (dtype_kind(t) == 'i' && dtype_kind(a->dtype) == 'u' &&
                        dtype_bytes(a->dtype) == dtype_bytes(t))) {
    lua_pushvalue(L, i);
    return a;
  }
  return array_push_copy(L, a, t);
}

static struct array *check_operand(lua_State *L, int i, const char *function) {
  np_check_operand(L, i);
  return array_check_host(L, i, function);
}

// Pushes `r` as type `t`; a result without axes as its number.
static int finish(lua_State *L, struct array *r, enum dtype t) {
  if (r->dtype != t)
    r = array_push_copy(L, r, t);
  if (r->ndim == 0)
    array_push_element(L, t, array_data(r));
  return 1;
}

// ---- matmul ----

// Two stacks of matrices, the axes in front stretched to `batch`.
struct stacks {
  int ndim; // of the batch
  int64_t batch[ARRAY_MAX_DIMS];
  int64_t a_steps[ARRAY_MAX_DIMS], b_steps[ARRAY_MAX_DIMS];
  struct kernel_product one; // the first of them
};

static struct array without_matrix(const struct array *a) {
  struct array v = *a;
  v.ndim = a->ndim > 2 ? a->ndim - 2 : 0;
  return v;
}

static void set_steps(const struct array *a, const struct stacks *s,
                      int64_t *steps) {
  int own = a->ndim - 2;
  for (int d = 0; d < own; d++)
    steps[d + s->ndim - own] = a->shape[d] == 1 ? 0 : a->strides[d];
}

static void check_sizes(lua_State *L, const struct array *a,
                        const struct array *b, int64_t k, int64_t other) {
  if (a->ndim >= 1 && b->ndim >= 1 && k == other)
    return;
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  array_shape_text(s, a->ndim, a->shape);
  array_shape_text(t, b->ndim, b->shape);
  if (a->ndim < 1 || b->ndim < 1)
    bind_error(L, ERR_ARGUMENT,
               "matmul: shapes %s and %s: a number is no matrix; use * or "
               "np.multiply",
               s, t);
  bind_error(L, ERR_ARGUMENT,
             "matmul: inner sizes differ: %lld of %s and %lld of %s",
             (long long)k, s, (long long)other, t);
}

// Two axes in front must be equal, or one of them 1.
static void check_stacks(lua_State *L, const struct array *a,
                         const struct array *b) {
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  for (int i = a->ndim - 3, j = b->ndim - 3; i >= 0 && j >= 0; i--, j--)
    if (a->shape[i] != b->shape[j] && a->shape[i] != 1 && b->shape[j] != 1)
      bind_error(L, ERR_ARGUMENT,
                 "matmul: the stacks of shapes %s and %s do not broadcast: "
                 "%lld and %lld matrices",
                 array_shape_text(s, a->ndim, a->shape),
                 array_shape_text(t, b->ndim, b->shape), (long long)a->shape[i],
                 (long long)b->shape[j]);
}

static void multiply_all(struct stacks *s, enum dtype t) {
  struct kernel_product *x = &s->one;
  int64_t at[ARRAY_MAX_DIMS] = {0}, bytes = (int64_t)dtype_bytes(t);
  int64_t count = 1;
  for (int d = 0; d < s->ndim; d++)
    count *= s->batch[d];
  for (int64_t i = 0; i < count; i++) {
    kernel_matmul(t, x);
    x->out += x->m * x->n * bytes;
    for (int d = s->ndim - 1; d >= 0; d--) {
      x->a.data += s->a_steps[d];
      x->b.data += s->b_steps[d];
      if (++at[d] < s->batch[d])
        break;
      x->a.data -= s->a_steps[d] * s->batch[d];
      x->b.data -= s->b_steps[d] * s->batch[d];
      at[d] = 0;
    }
  }
}

// matmul(a, b): the last two axes are matrices, those in front are stretched to
// each other; one axis is a row on the left and a column on the right.
static int l_matmul(lua_State *L) {
  lua_settop(L, 2);
  struct array *a = check_operand(L, 1, "matmul");
  struct array *b = check_operand(L, 2, "matmul");
  bool is_row = a->ndim == 1, is_column = b->ndim == 1;
  struct stacks s = {.ndim = 0};
  struct kernel_product *p = &s.one;
  p->k = a->ndim ? a->shape[a->ndim - 1] : 0;
  check_sizes(L, a, b, p->k,
              b->ndim ? b->shape[is_column ? 0 : b->ndim - 2] : 0);
  check_stacks(L, a, b);
  p->m = is_row ? 1 : a->shape[a->ndim - 2];
  p->n = is_column ? 1 : b->shape[b->ndim - 1];
  enum dtype wanted = dtype_promote(a->dtype, b->dtype);
  enum dtype t = compute_dtype(wanted);
  struct array *x = push_operand(L, 1, t), *y = push_operand(L, 2, t);
  struct array left = without_matrix(x), right = without_matrix(y);
  s.ndim = np_broadcast(L, "matmul", &left, &right, s.batch);
  set_steps(x, &s, s.a_steps);
  set_steps(y, &s, s.b_steps);
  p->a = (struct kernel_matrix){array_data(x),
                                is_row ? 0 : x->strides[x->ndim - 2],
                                x->strides[x->ndim - 1]};
  p->b = (struct kernel_matrix){array_data(y),
                                y->strides[is_column ? 0 : y->ndim - 2],
                                is_column ? 0 : y->strides[y->ndim - 1]};
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = s.ndim;
  memcpy(shape, s.batch, sizeof shape);
  if (!is_row)
    shape[ndim++] = p->m;
  if (!is_column)
    shape[ndim++] = p->n;
  struct array *r = array_push_host(L, t, ndim, shape);
  p->out = array_data(r);
  multiply_all(&s, t);
  return finish(L, r, wanted);
}

// dot_lines(a, b): the product of two lines of a type that is computed in itself,
// or nothing where np's own functions are to be called.
static int l_dot_lines(lua_State *L) {
  struct array *a = array_test(L, 1), *b = array_test(L, 2);
  if (!a || !b || array_is_device(a) || array_is_device(b))
    return 0;
  enum dtype t = a->dtype;
  if (a->ndim != 1 || b->ndim != 1 || a->shape[0] != b->shape[0] ||
      b->dtype != t || compute_dtype(t) != t)
    return 0;
  array_await(L, a, false);
  array_await(L, b, false);
  uint64_t sum = 0; // of any type
  kernel_inner(t)((char *)&sum, array_data(a), a->strides[0], array_data(b),
                  b->strides[0], a->shape[0]);
  array_push_element(L, t, &sum);
  return 1;
}

// slide(a, b, before, after): the sums of products of b with each stretch of a,
// which is at least as long, from `before` elements in front of a to `after`
// behind it; what has no partner there is left out. Both have one axis.
static int l_slide(lua_State *L) {
  struct array *a = array_check(L, 1), *b = array_check(L, 2);
  int64_t before = luaL_checkinteger(L, 3), after = luaL_checkinteger(L, 4);
  enum dtype wanted = dtype_promote(a->dtype, b->dtype);
  enum dtype t = compute_dtype(wanted);
  struct array *x = array_push_copy(L, a, t), *y = array_push_copy(L, b, t);
  int64_t na = x->shape[0], nb = y->shape[0], n = before + na + after - nb + 1;
  size_t w = dtype_bytes(t);
  struct array *r = array_push_host(L, t, 1, &n);
  char *out = array_data(r), *p = array_data(x), *q = array_data(y);
  for (int64_t i = 0; i < n; i++) {
    int64_t from = i - before, skipped = from < 0 ? -from : 0;
    if (from == 0 && na >= nb) { // all that lie within
      kernel_slide(t, out + (size_t)i * w, p, na, q, nb);
      i += na - nb;
      continue;
    }
    int64_t rest = na - from < nb ? na - from : nb, some = rest - skipped;
    kernel_slide(t, out + (size_t)i * w, p + (size_t)(from + skipped) * w, some,
                 q + (size_t)skipped * w, some);
  }
  return finish(L, r, wanted);
}

// ---- Along an axis ----

// part(a, axis, start, count [, step]): a view of these items; all of them
// exist.
static int l_part(lua_State *L) {
  struct array *a = array_check(L, 1);
  int axis = np_check_axis(L, 2, a->ndim, "part");
  lua_Integer start = luaL_checkinteger(L, 3), n = luaL_checkinteger(L, 4);
  lua_Integer step = luaL_optinteger(L, 5, 1);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  memcpy(shape, a->shape, sizeof shape);
  memcpy(strides, a->strides, sizeof strides);
  luaL_argcheck(L, n >= 0 && start >= 0, 3, "outside");
  luaL_argcheck(L,
                n == 0 || (start < shape[axis] && start + (n - 1) * step >= 0 &&
                           start + (n - 1) * step < shape[axis]),
                4, "outside");
  size_t offset = a->offset;
  if (n > 0)
    offset += (size_t)(start * strides[axis]);
  shape[axis] = n;
  strides[axis] *= step;
  np_push_view(L, a, offset, a->ndim, shape, strides);
  return 1;
}

// Neighbours are copied together.
static void gather_runs(lua_State *L, const struct array *r,
                        const struct array *a, int axis, const int64_t *p) {
  struct array to = *r, from = *a;
  for (int64_t i = 0, n = r->shape[axis]; i < n;) {
    int64_t run = 1;
    while (i + run < n && p[i + run] == p[i] + run)
      run++;
    to.offset = r->offset + (size_t)(i * r->strides[axis]);
    from.offset = a->offset + (size_t)(p[i] * a->strides[axis]);
    to.shape[axis] = from.shape[axis] = run;
    array_assign(L, &to, &from);
    i += run;
  }
}

// gather(a, axis, positions): the items at these positions, an i64 array with
// one axis.
static int l_gather(lua_State *L) {
  struct array *a = array_check_host(L, 1, "gather");
  int axis = np_check_axis(L, 2, a->ndim, "gather");
  struct array *at = array_push_from(L, 3, DTYPE_I64);
  const int64_t *p = array_data(at);
  int64_t shape[ARRAY_MAX_DIMS], n = array_count(at);
  for (int64_t i = 0; i < n; i++)
    luaL_argcheck(L, p[i] >= 0 && p[i] < a->shape[axis], 3, "outside");
  memcpy(shape, a->shape, sizeof shape);
  shape[axis] = n;
  struct array *r = array_push_host(L, a->dtype, a->ndim, shape);
  char *to = array_data(r);
  if (a->ndim == 1) {
    size_t w = dtype_bytes(a->dtype);
    const char *from = array_data(a);
    for (int64_t i = 0; i < n; i++, to += w)
      memcpy(to, from + p[i] * a->strides[0], w);
    return 1;
  }
  gather_runs(L, r, a, axis, p);
  return 1;
}

// diagonal(a, axis1, axis2): a view of the elements whose indexes along the two
// are equal; their axis comes last.
static int l_diagonal(lua_State *L) {
  struct array *a = array_check(L, 1);
  int x = np_check_axis(L, 2, a->ndim, "diagonal");
  int y = np_check_axis(L, 3, a->ndim, "diagonal");
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < a->ndim; d++)
    if (d != x && d != y) {
      shape[n] = a->shape[d];
      strides[n++] = a->strides[d];
    }
  shape[n] = a->shape[x] < a->shape[y] ? a->shape[x] : a->shape[y];
  strides[n++] = a->strides[x] + a->strides[y];
  np_push_view(L, a, a->offset, n, shape, strides);
  return 1;
}

// assign(a, b): a[...] = b, b stretched and converted.
static int l_assign(lua_State *L) {
  struct array *a = array_check_host(L, 1, "assign");
  array_assign(L, a, array_check_host(L, 2, "assign"));
  return 0;
}

// has_jax(...), jnp(): for functions that are not in np itself.
static int l_has_jax(lua_State *L) {
  lua_pushboolean(L, np_has_jax(L, lua_gettop(L)));
  return 1;
}

static int l_jnp(lua_State *L) {
  np_push_jnp(L);
  return 1;
}

void np_open_product(lua_State *L) {
  lua_pushcfunction(L, l_matmul);
  lua_setfield(L, -2, "matmul");
}

void np_push_core(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"dot_lines", l_dot_lines},
      {"slide", l_slide},
      {"part", l_part},
      {"gather", l_gather},
      {"diagonal", l_diagonal},
      {"assign", l_assign},
      {"has_jax", l_has_jax},
      {"jnp", l_jnp},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  np_open_lapack(L);
  np_open_fft(L);
  np_open_fused(L);
  npy_open(L);
}
