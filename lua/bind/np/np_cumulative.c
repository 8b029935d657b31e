// SPDX-License-Identifier: Apache-2.0
// Running sums, products, minima and maxima along one axis.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"

static const struct {
  const char *name;
  enum kernel_reduce op;
  enum kernel_binary binary;
} rows[] = {
    {"cumsum", KERNEL_SUM, KERNEL_ADD},
    {"cumprod", KERNEL_PROD, KERNEL_MULTIPLY},
    {"cummin", KERNEL_MIN, KERNEL_MINIMUM},
    {"cummax", KERNEL_MAX, KERNEL_MAXIMUM},
};

// The types that kernel_scan knows: the widest of the kind, but f32 for itself
// and narrower floats.
static enum dtype scan_dtype(enum dtype t) {
  switch (dtype_kind(t)) {
  case 'f': return t == DTYPE_F64 ? t : DTYPE_F32;
  case 'u': return DTYPE_U64;
  default: return DTYPE_I64;
  }
}

// Along the last of an array's axes lines are scanned; else each row is added
// to the one before it, which vectorises.
struct lines {
  int64_t outer, n, inner; // the axes before it together, it, those behind
};

static void scan(int row, enum dtype t, char *out, const char *in,
                 const struct lines *x) {
  int64_t w = (int64_t)dtype_bytes(t), bytes = x->inner * w, n = x->n;
  kernel_scan_loop line = kernel_scan(rows[row].op, t);
  kernel_binary_loop add = kernel_binary(rows[row].binary, t);
  for (int64_t o = 0; o < x->outer; o++, out += n * bytes, in += n * bytes) {
    if (x->inner == 1) {
      line(out, in, n);
      continue;
    }
    memcpy(out, in, (size_t)bytes);
    for (int64_t i = 1; i < n; i++)
      add(out + i * bytes, w, kernel_line(out + (i - 1) * bytes, w),
          kernel_line(in + i * bytes, w), x->inner);
  }
}

// cumsum(a, axis, dtype, out); without an axis over all elements in order.
static int l_cumulative(lua_State *L) {
  int row = (int)lua_tointeger(L, lua_upvalueindex(1));
  const char *function = rows[row].name;
  static const char *const names[] = {"axis", "dtype", "out"};
  np_check_any(L, 1);
  np_drop_nameless(L, 2);
  np_spread(L, 2, function, names, 3);
  luaL_checkstack(L, 20, function);
  np_check_operand(L, 1);
  struct array *a = array_check_host(L, 1, function);
  bool is_sum = rows[row].op == KERNEL_SUM || rows[row].op == KERNEL_PROD;
  bool is_float = dtype_kind(a->dtype) == 'f';
  enum dtype natural = is_float || !is_sum ? a->dtype : scan_dtype(a->dtype);
  enum dtype wanted = array_check_dtype(L, 3, natural);
  bool is_flat = lua_isnil(L, 2);
  int axis = is_flat ? 0 : np_check_axis(L, 2, a->ndim, function);
  enum dtype t = scan_dtype(wanted);
  if (wanted == DTYPE_BOOL && a->dtype != wanted) // each element, before sums
    a = array_push_copy(L, a, wanted);
  const struct array *in = a;
  if (a->dtype != t || !array_is_contiguous(a))
    in = array_push_copy(L, a, t);
  int64_t count = array_count(a);
  struct lines lines = {1, is_flat ? count : a->shape[axis], 1};
  for (int d = 0; !is_flat && d < a->ndim; d++)
    *(d < axis ? &lines.outer : &lines.inner) *= d == axis ? 1 : a->shape[d];
  struct array *r =
      array_push_host(L, t, is_flat ? 1 : a->ndim, is_flat ? &count : a->shape);
  if (count > 0)
    scan(row, t, array_data(r), array_data(in), &lines);
  if (wanted != t)
    array_push_copy(L, r, wanted);
  return np_into_out(L, 4);
}

void np_open_cumulative(lua_State *L) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_pushcclosure(L, l_cumulative, 1);
    lua_setfield(L, -2, rows[i].name);
  }
}
