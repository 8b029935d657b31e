// SPDX-License-Identifier: Apache-2.0
// What the primitives of lua/jax compute on the host and np has no function
// for: the operations of kernels/lax.def, and the bits of a number as another
// type.
#include "lua/bind/jax/l_jax.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "lua/bind/np/array.h"

static void unary_inner(void *context, char *const *p, const int64_t *s,
                        int64_t n) {
  (*(kernel_unary_loop *)context)(p[0], s[0], p[1], s[1], n);
}

static void binary_inner(void *context, char *const *p, const int64_t *s,
                         int64_t n) {
  (*(kernel_binary_loop *)context)(p[0], s[0], kernel_line(p[1], s[1]),
                                   kernel_line(p[2], s[2]), n);
}

static enum dtype wide(enum dtype t) {
  return t == DTYPE_F16 || t == DTYPE_BF16 ? DTYPE_F32 : t;
}

static void no_loop(lua_State *L, const char *name, enum dtype t) {
  bind_error(L, ERR_INTERNAL, "lax.%s has no loop for %s", name, dtype_name(t));
}

static struct array *as(lua_State *L, struct array *a, enum dtype t) {
  return a->dtype == t ? a : array_push_copy(L, a, t);
}

static int push_unary(lua_State *L, const char *name) {
  struct array *a = array_check_host(L, 2, name);
  const enum dtype t = a->dtype;
  kernel_unary_loop loop = kernel_lax_unary(name, wide(t));
  if (!loop)
    no_loop(L, name, t);
  a = as(L, a, wide(t));
  struct array *r = array_push_host(L, a->dtype, a->ndim, a->shape);
  struct walk w;
  walk_start(&w, r->ndim, r->shape);
  walk_add(&w, r);
  walk_add(&w, a);
  walk_run(L, &w, unary_inner, &loop);
  if (r->dtype != t)
    array_push_copy(L, r, t);
  return 1;
}

static int push_binary(lua_State *L, const char *name) {
  struct array *a = array_check_host(L, 2, name);
  struct array *b = array_check_host(L, 3, name);
  const enum dtype own = a->dtype;
  enum dtype t = own;
  kernel_binary_loop loop = kernel_lax_binary(name, t);
  if (!loop)
    loop = kernel_lax_binary(name, t = wide(own));
  if (!loop || b->dtype != own)
    no_loop(L, name, own);
  a = as(L, a, t);
  b = as(L, b, t);
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = np_broadcast(L, name, a, b, shape);
  struct array *r = array_push_host(L, t, ndim, shape);
  struct walk w;
  walk_start(&w, ndim, shape);
  walk_add(&w, r);
  walk_add(&w, a);
  walk_add(&w, b);
  walk_run(L, &w, binary_inner, &loop);
  if (t != own)
    array_push_copy(L, r, own);
  return 1;
}

// elementwise(name, x [, y]): of host arrays, broadcast.
static int l_elementwise(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 3);
  return lua_isnil(L, 3) ? push_unary(L, name) : push_binary(L, name);
}

// bits(x, dtype): the same bits as a type of equal width.
static int l_bits(lua_State *L) {
  struct array *a = array_check_host(L, 1, "bits");
  enum dtype t = array_check_dtype(L, 2, a->dtype);
  if (dtype_bytes(t) != dtype_bytes(a->dtype))
    bind_error(L, ERR_INTERNAL, "bits: %s is not as wide as %s", dtype_name(t),
               dtype_name(a->dtype));
  struct array *c = array_push_copy(L, a, a->dtype);
  struct array *r = array_push_host(L, t, c->ndim, c->shape);
  memcpy(array_data(r), array_data(c), (size_t)array_count(c) * dtype_bytes(t));
  return 1;
}

// source(path): the text of a file of the program's own.
static int l_source(lua_State *L) {
  bind_push_text(L, luaL_checkstring(L, 1));
  return 1;
}

void ljax_open_eval(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"elementwise", l_elementwise},
      {"bits", l_bits},
      {"source", l_source},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
