// SPDX-License-Identifier: Apache-2.0
// Arrays as bytes, and parts of arrays that lie in a file.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lua/bind/scale/l_scale.h"

// array_bytes(array): its elements in a row.
static int l_array_bytes(lua_State *L) {
  struct array *a = array_check_host(L, 1, "scale");
  if (!array_is_contiguous(a))
    a = array_push_copy(L, a, a->dtype);
  lua_pushlstring(L, array_data(a),
                  (size_t)array_count(a) * dtype_bytes(a->dtype));
  return 1;
}

// array_of(dtype, shape, text, at): the elements that stand in the text from byte
// `at` on, counted from 1; and the byte behind them.
static int l_array_of(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS];
  enum dtype t = array_check_dtype(L, 1, DTYPE_F64);
  int ndim = array_check_shape(L, 2, "scale", shape);
  size_t n, at = (size_t)luaL_checkinteger(L, 4) - 1;
  const char *text = luaL_checklstring(L, 3, &n);
  struct array *a = array_push_host(L, t, ndim, shape);
  size_t bytes = (size_t)array_count(a) * dtype_bytes(t);
  luaL_argcheck(L, at <= n && bytes <= n - at, 3, "it is too short");
  if (bytes)
    memcpy(array_data(a), text + at, bytes);
  lua_pushinteger(L, (lua_Integer)(at + bytes + 1));
  return 2;
}

// ---- Parts of files ----

// A box in an array whose elements lie in a file, the last axis fastest.
struct box {
  int fd;
  int64_t offset; // of the array
  size_t width;   // of an element
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS], begin[ARRAY_MAX_DIMS], count[ARRAY_MAX_DIMS];
};

static bool read_all(int fd, char *to, size_t bytes, int64_t from) {
  while (bytes) {
    ssize_t n = pread(fd, to, bytes, from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    from += n;
    bytes -= (size_t)n;
  }
  return true;
}

// The axes from `axis` on of one row of those before it, which begins with element
// `first`. What lies in one piece is read in one piece. Gives where it ended.
static char *read_box(const struct box *b, int axis, int64_t first, char *to) {
  int64_t each = 1, rows = axis < b->ndim ? b->count[axis] : 1;
  bool is_whole = true;
  for (int d = axis + 1; d < b->ndim; d++) {
    is_whole = is_whole && b->count[d] == b->shape[d];
    each *= b->shape[d];
  }
  if (axis < b->ndim)
    first += b->begin[axis] * each;
  if (is_whole) {
    size_t bytes = (size_t)(rows * each) * b->width;
    int64_t from = b->offset + first * (int64_t)b->width;
    return read_all(b->fd, to, bytes, from) ? to + bytes : NULL;
  }
  for (int64_t i = 0; i < rows && to; i++)
    to = read_box(b, axis + 1, first + i * each, to);
  return to;
}

static void check_numbers(lua_State *L, int i, int ndim,
                          int64_t out[ARRAY_MAX_DIMS]) {
  luaL_argcheck(L, array_check_shape(L, i, "scale", out) == ndim, i,
                "one number an axis");
}

// read_part(path, offset, dtype, shape, begin, count, is_swapped): the box of
// `count` elements an axis that begins with the element `begin`, of the array of
// that shape which begins at byte `offset`.
static int l_read_part(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct box b = {.offset = luaL_checkinteger(L, 2)};
  enum dtype t = array_check_dtype(L, 3, DTYPE_F64);
  b.width = dtype_bytes(t);
  b.ndim = array_check_shape(L, 4, "scale", b.shape);
  check_numbers(L, 5, b.ndim, b.begin);
  check_numbers(L, 6, b.ndim, b.count);
  struct array *a = array_push_host(L, t, b.ndim, b.count);
  if (!array_count(a))
    return 1;
  b.fd = open(path, O_RDONLY | O_CLOEXEC);
  if (b.fd < 0)
    bind_error(L, ERR_IO, "%s: %s", path, strerror(errno));
  errno = 0;
  bool is_read = read_box(&b, 0, 0, array_data(a));
  int why = errno;
  close(b.fd);
  if (!is_read)
    bind_error(L, ERR_IO, "%s: %s", path,
               why ? strerror(why) : "it is shorter than its header says");
  if (lua_toboolean(L, 7))
    dtype_swap_bytes(t, array_data(a), array_count(a));
  return 1;
}

// absolute(path): the same from the root, whatever folder a process is in.
static int l_absolute(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  char *here = *path == '/' ? NULL : getcwd(NULL, 0);
  if (!here) {
    lua_settop(L, 1);
    return 1;
  }
  lua_pushstring(L, here);
  free(here);
  lua_pushfstring(L, "%s/%s", lua_tostring(L, -1), path);
  return 1;
}

void lscale_open_bytes(lua_State *L) {
  static const luaL_Reg functions[] = {{"array_bytes", l_array_bytes},
                                       {"array_of", l_array_of},
                                       {"read_part", l_read_part},
                                       {"absolute", l_absolute},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
