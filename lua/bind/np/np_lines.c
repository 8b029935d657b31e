// SPDX-License-Identifier: Apache-2.0
// Arrays as lines along one axis: what sorting, searching and selecting along
// an axis share.
#include "lua/bind/np/np.h"

static void inner(void *context, char *const *p, const int64_t *s, int64_t n) {
  const struct np_lines *l = context;
  for (int64_t i = 0; i < n; i++) {
    char *q[WALK_MAX];
    for (int k = 0; k < l->count; k++)
      q[k] = p[k] + i * s[k];
    l->each(l->context, q);
  }
}

void np_each_line(lua_State *L, int axis, int ndim, const int64_t *shape,
                  struct np_lines l) {
  struct walk w;
  int64_t rest[ARRAY_MAX_DIMS];
  for (int d = 0; d < ndim; d++)
    rest[d] = d == axis ? 1 : shape[d];
  walk_start(&w, ndim, rest);
  for (int k = 0; k < l.count; k++) {
    struct array v = *l.arrays[k];
    v.shape[axis - ndim + v.ndim] = 1;
    walk_add(&w, &v);
  }
  walk_run(L, &w, inner, &l);
}

struct array *np_push_axis(lua_State *L, int i, int axis, const char *function,
                           int *which) {
  struct array *a = array_check_host(L, i, function);
  if (a->ndim == 0) { // one element is a line of one
    int64_t one = 1, stride = (int64_t)dtype_bytes(a->dtype);
    a = np_push_view(L, a, a->offset, 1, &one, &stride);
  } else {
    lua_pushvalue(L, i);
  }
  *which = lua_isnil(L, axis) ? a->ndim - 1
                              : np_check_axis(L, axis, a->ndim, function);
  return a;
}
