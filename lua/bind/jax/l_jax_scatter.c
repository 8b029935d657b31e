// SPDX-License-Identifier: Apache-2.0
// Writing elements to positions that may repeat: what scatter does on the host.
#include <string.h>

#include "kernels/kernels.h"
#include "lua/bind/jax/l_jax.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// Names of the operations that combine; none: the last value stays.
static kernel_binary_loop loop_named(lua_State *L, const char *name,
                                     enum dtype t) {
  for (int op = 0; op < KERNEL_BINARY_COUNT; op++)
    if (!strcmp(name, kernel_binary_name((enum kernel_binary)op))) {
      kernel_binary_loop loop = kernel_binary((enum kernel_binary)op, t);
      if (loop)
        return loop;
    }
  bind_error(L, ERR_INTERNAL, "scatter: no %s of %s", name, dtype_name(t));
}

// A host array that is packed, of type `t` unless that is DTYPE_COUNT.
static struct array *check_packed(lua_State *L, int i, enum dtype t) {
  struct array *a = array_check_host(L, i, "scatter");
  if (!array_is_contiguous(a) || (t != DTYPE_COUNT && a->dtype != t))
    bind_error(L, ERR_INTERNAL, "scatter: argument %d is not packed %s", i,
               t == DTYPE_COUNT ? "" : dtype_name(t));
  return a;
}

// scatter(name or nil, out, positions, values): out[positions[i]] becomes
// name(out[positions[i]], values[i]), one after the other.
static int l_scatter(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  struct array *out = check_packed(L, 2, DTYPE_COUNT);
  struct array *at = check_packed(L, 3, DTYPE_I64);
  struct array *values = check_packed(L, 4, out->dtype);
  int64_t n = array_count(at), size = array_count(out);
  if (array_count(values) != n)
    bind_error(L, ERR_INTERNAL, "scatter: %lld positions, %lld values",
               (long long)n, (long long)array_count(values));
  size_t w = dtype_bytes(out->dtype);
  kernel_binary_loop loop = name ? loop_named(L, name, out->dtype) : NULL;
  const int64_t *p = array_data(at);
  const char *v = array_data(values);
  char *to = array_data(out);
  for (int64_t i = 0; i < n; i++, v += w) {
    if (p[i] < 0 || p[i] >= size)
      bind_error(L, ERR_INTERNAL, "scatter: position %lld of %lld",
                 (long long)p[i], (long long)size);
    char *x = to + (size_t)p[i] * w;
    if (loop)
      loop(x, 0, kernel_line(x, 0), kernel_line(v, 0), 1);
    else
      memcpy(x, v, w);
  }
  array_touch(out);
  return 0;
}

void ljax_open_scatter(lua_State *L) {
  lua_pushcfunction(L, l_scatter);
  lua_setfield(L, -2, "scatter");
}
