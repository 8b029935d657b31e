// SPDX-License-Identifier: Apache-2.0
// Several elementwise operations in one pass: block by block, so that what lies
// between them never leaves the cache. The loops are those of the operations, and
// so are the bits.
#include "lua/bind/np/np.h"

#include "lua/bind/np/array.h"

enum { BLOCK = 1024 }; // elements

struct block {
  double of[BLOCK]; // of any type
};

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// ---- clip ----

struct clip {
  kernel_binary_loop low, high;
  int64_t bytes; // of an element
  double bounds[2];
};

static void clip_inner(void *context, char *const *p, const int64_t *s,
                       int64_t n) {
  const struct clip *c = context;
  struct block between;
  char *t = (char *)between.of;
  for (int64_t i = 0; i < n; i += BLOCK) {
    int64_t some = least(n - i, BLOCK);
    c->low(t, c->bytes, kernel_line(p[1] + i * s[1], s[1]),
           kernel_line(&c->bounds[0], 0), some);
    c->high(p[0] + i * s[0], s[0], kernel_line(t, c->bytes),
            kernel_line(&c->bounds[1], 0), some);
  }
}

// A number that an array of type `t` takes as it is.
static bool is_bound(lua_State *L, int i, enum dtype t) {
  if (lua_type(L, i) != LUA_TNUMBER)
    return false;
  return dtype_kind(t) == 'f' ||
         (lua_isinteger(L, i) && np_integer_fits(t, lua_tointeger(L, i)));
}

// np.clip(x, low, high) of an array and two numbers of its kind; false where
// the arguments are others, and nothing is pushed.
static bool push_clip(lua_State *L, int x, int low, int high) {
  const struct array *a = array_test(L, x);
  if (!a || array_is_device(a) || !is_bound(L, low, a->dtype) ||
      !is_bound(L, high, a->dtype))
    return false;
  struct clip c = {.low = kernel_binary(KERNEL_MAXIMUM, a->dtype),
                   .high = kernel_binary(KERNEL_MINIMUM, a->dtype),
                   .bytes = (int64_t)dtype_bytes(a->dtype)};
  if (!c.low || a->dtype == DTYPE_BOOL)
    return false;
  array_store_element(L, a->dtype, (char *)&c.bounds[0], low);
  array_store_element(L, a->dtype, (char *)&c.bounds[1], high);
  struct array *r = array_push_host(L, a->dtype, a->ndim, a->shape);
  struct walk w;
  walk_start(&w, r->ndim, r->shape);
  walk_add(&w, r);
  walk_add(&w, a);
  walk_run(L, &w, clip_inner, &c);
  return true;
}

// clip(x, low, high), or nil where np's own operations are to be called.
static int l_clip(lua_State *L) {
  if (!push_clip(L, 1, 2, 3))
    lua_pushnil(L);
  return 1;
}

// ---- Squared distances ----

static void square_off_inner(void *context, char *const *p, const int64_t *s,
                             int64_t n) {
  enum dtype t = *(const enum dtype *)context;
  kernel_binary_loop subtract = kernel_binary(KERNEL_SUBTRACT, t);
  kernel_unary_loop square = kernel_unary(KERNEL_SQUARE, t);
  struct block between;
  char *b = (char *)between.of;
  int64_t w = (int64_t)dtype_bytes(t);
  for (int64_t i = 0; i < n; i += BLOCK) {
    int64_t some = least(n - i, BLOCK);
    subtract(b, w, kernel_line(p[1] + i * s[1], s[1]),
             kernel_line(p[2] + i * s[2], s[2]), some);
    square(p[0] + i * s[0], s[0], b, w, some);
  }
}

struct array *np_push_square_off(lua_State *L, const struct array *x,
                                 const struct array *y) {
  enum dtype t = x->dtype;
  struct array *r = array_push_host(L, t, x->ndim, x->shape);
  struct walk w;
  walk_start(&w, r->ndim, r->shape);
  walk_add(&w, r);
  walk_add(&w, x);
  walk_add(&w, y);
  walk_run(L, &w, square_off_inner, &t);
  return r;
}

// ---- Complex products ----

// Both are contiguous arrays on the host, of one type and shape.
static bool is_alike(const struct array *a, const struct array *b) {
  if (!b || array_is_device(b) || a->dtype != b->dtype || a->ndim != b->ndim ||
      !array_is_contiguous(b))
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != b->shape[d])
      return false;
  return true;
}

// complex_multiply(a, b, c, d): the parts of (a + bi)(c + di), or nothing where
// np's own operations are to be called.
static int l_complex_multiply(lua_State *L) {
  const struct array *of[4];
  for (int k = 0; k < 4; k++) {
    of[k] = array_test(L, k + 1);
    if (!of[0] || !is_alike(of[0], of[k]))
      return 0;
  }
  enum dtype t = of[0]->dtype;
  if (t != DTYPE_F32 && t != DTYPE_F64)
    return 0;
  char *p[6];
  for (int k = 0; k < 2; k++)
    p[k] = array_data(array_push_host(L, t, of[0]->ndim, of[0]->shape));
  for (int k = 0; k < 4; k++)
    p[k + 2] = array_data(of[k]);
  kernel_complex_multiply(t, p, array_count(of[0]));
  return 2;
}

void np_open_fused(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"clip", l_clip},
      {"complex_multiply", l_complex_multiply},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
