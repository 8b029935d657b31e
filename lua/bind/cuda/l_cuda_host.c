// SPDX-License-Identifier: Apache-2.0
// Host arrays that devices treat well, by Numba's names: pinned ones are copied
// at full speed from the first copy on, mapped ones are not copied at all:
// kernels reach them where they lie.
#include "lua/bind/cuda/l_cuda_host.h"

#include <lauxlib.h>

#include "lua/bind/cuda/l_cuda_wait.h"
#include "lua/bind/np/array.h"

static void pin(lua_State *L, const struct array *a) {
  struct ldevice *d = lcuda_device(L);
  struct err_info e = {0};
  if (a->storage->bytes && d->gpu->backend->host_register(
                               d->gpu, a->storage->host, a->storage->bytes, &e))
    ldevice_fail(L, d, &e);
}

// Pushes a host array, not initialised: of the shape at 1 and the type at 2 for
// the function `name`, or like the array at 1.
static struct array *push_array(lua_State *L, const char *name) {
  int64_t shape[ARRAY_MAX_DIMS];
  if (!name) {
    const struct array *a = array_check(L, 1);
    return array_push_host(L, a->dtype, a->ndim, a->shape);
  }
  int ndim = array_check_shape(L, 1, name, shape);
  return array_push_host(L, array_check_dtype(L, 2, DTYPE_F64), ndim, shape);
}

static int l_pinned_array(lua_State *L) {
  pin(L, push_array(L, "cuda.pinned_array"));
  return 1;
}

static int l_pinned_array_like(lua_State *L) {
  pin(L, push_array(L, NULL));
  return 1;
}

static int l_mapped_array(lua_State *L) {
  push_array(L, "cuda.mapped_array")->storage->is_mapped = true;
  return 1;
}

static int l_mapped_array_like(lua_State *L) {
  push_array(L, NULL)->storage->is_mapped = true;
  return 1;
}

int lcuda_open_host(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"pinned_array", l_pinned_array},
      {"pinned_array_like", l_pinned_array_like},
      {"mapped_array", l_mapped_array},
      {"mapped_array_like", l_mapped_array_like},
      {"managed_array", l_mapped_array},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
  return 0;
}
