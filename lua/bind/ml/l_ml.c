// SPDX-License-Identifier: Apache-2.0
// Opens `ml`. Its Lua files find in `use` the loops of compute/, of host arrays;
// on a device lua/ml/device.lua has kernels for the same.

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/ml/compute/compute.h"
#include "lua/bind/ml/ml.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

static void check(lua_State *L, enum err err, const struct err_info *e) {
  if (err == ERR_CANCELLED)
    bind_clear_interrupt();
  if (err)
    bind_error_info(L, e);
}

// The array at `i`: on the host, of type `t`, with so many axes, in a row.
// lua/ml has seen to that.
static struct array *check_array(lua_State *L, int i, enum dtype t, int ndim) {
  struct array *a = array_check_host(L, i, "ml");
  if (a->dtype != t || a->ndim != ndim || !array_is_contiguous(a))
    bind_error(L, ERR_INTERNAL, "ml: argument %d is not as it should be", i);
  return a;
}

static struct rows check_rows(lua_State *L, int i) {
  const struct array *a = check_array(L, i, DTYPE_F64, 2);
  return (struct rows){array_data(a), a->shape[0], a->shape[1]};
}

static double *push_matrix(lua_State *L, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  return array_data(array_push_host(L, DTYPE_F64, 2, shape));
}

// kmeans_round(x, centers, labels, sums_too): inertia, how many labels changed,
// counts, sums. The labels are written.
static int l_round(lua_State *L) {
  struct kmeans_round r = {.x = check_rows(L, 1), .centers = check_rows(L, 2)};
  struct array *labels = check_array(L, 3, DTYPE_I32, 1);
  bool has_sums = lua_toboolean(L, 4);
  struct err_info e;
  r.labels = array_data(labels);
  r.counts = array_data(array_push_host(L, DTYPE_F64, 1, &r.centers.count));
  if (has_sums)
    r.sums = push_matrix(L, r.centers.count, r.x.width);
  else
    lua_pushnil(L);
  check(L, kmeans_round(&r, bind_is_interrupted, &e), &e);
  array_touch(labels);
  lua_pushnumber(L, r.inertia);
  lua_pushinteger(L, r.changed);
  lua_rotate(L, -4, 2); // [inertia, changed, counts, sums]
  return 4;
}

// closer(x, center, nearest): an array of the lesser ones, and their sum.
static int l_closer(lua_State *L) {
  struct kmeans_closer c = {.x = check_rows(L, 1)};
  struct err_info e;
  c.center = array_data(check_array(L, 2, DTYPE_F64, 1));
  c.nearest = array_data(check_array(L, 3, DTYPE_F64, 1));
  c.out = array_data(array_push_host(L, DTYPE_F64, 1, &c.x.count));
  check(L, kmeans_closer(&c, bind_is_interrupted, &e), &e);
  lua_pushnumber(L, c.total);
  return 2;
}

// distances(x, y): a matrix of all rows' distances.
static int l_distances(lua_State *L) {
  struct rows x = check_rows(L, 1), y = check_rows(L, 2);
  struct err_info e;
  double *out = push_matrix(L, x.count, y.count);
  check(L, row_distances(x, y, out, bind_is_interrupted, &e), &e);
  return 1;
}

// neighbors(x, q, k, skips_own): distances, places.
static int l_neighbors(lua_State *L) {
  struct row_neighbors n = {.x = check_rows(L, 1),
                            .q = check_rows(L, 2),
                            .k = luaL_checkinteger(L, 3),
                            .skips_own = lua_toboolean(L, 4)};
  const int64_t shape[] = {n.q.count, n.k};
  struct err_info e;
  n.distances = push_matrix(L, n.q.count, n.k);
  n.places = array_data(array_push_host(L, DTYPE_I64, 2, shape));
  check(L, row_neighbors(&n, bind_is_interrupted, &e), &e);
  return 2;
}

// label_distances(x, labels, k): a matrix of sums.
static int l_label_distances(lua_State *L) {
  struct label_distances d = {.x = check_rows(L, 1)};
  struct err_info e;
  d.labels = array_data(check_array(L, 2, DTYPE_I32, 1));
  d.k = luaL_checkinteger(L, 3);
  d.out = push_matrix(L, d.x.count, d.k);
  check(L, label_distances(&d, bind_is_interrupted, &e), &e);
  return 1;
}

// ---- Loading ----

static int load(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"kmeans_round", l_round},
      {"closer", l_closer},
      {"distances", l_distances},
      {"neighbors", l_neighbors},
      {"label_distances", l_label_distances},
      {"raise", bind_l_raise},
      {"nearest", bind_l_nearest},
      {"warn", bind_l_warn},
      {"is_array", array_l_is},
      {"is_jax", np_l_is_jax},
      {"value_text", bind_l_value_text},
      {"guard", bind_l_guard},
      {"pooled", lcuda_l_pooled},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lua_getglobal(L, "np");
  lua_setfield(L, -2, "np");
  lua_getglobal(L, "cuda");
  lua_setfield(L, -2, "cuda");
  bind_make_use(L, "lua/ml", "shared/");
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "ml");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  return 0;
}

void lml_open(lua_State *L) {
  bind_push_library(L, load);
  lua_setglobal(L, "ml");
}
