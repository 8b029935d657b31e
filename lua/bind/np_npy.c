// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files. Format: "NPY", numpy.lib.format documentation: magic,
// version, header length, a Python dict as text, the elements. Reads versions
// 1 to 3, either byte order and either axis order; writes version 1. Pickled
// objects are refused.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "lua/bind/np.h"

enum { MAX_HEADER = 1 << 16 };
static const char MAGIC[6] = "\x93NUMPY";

// A file that closes itself when an error is raised.
static int close_file(lua_State *L) {
  FILE **f = lua_touserdata(L, 1);
  if (*f)
    fclose(*f);
  *f = NULL;
  return 0;
}

static FILE **push_file(lua_State *L, const char *path, const char *mode) {
  FILE **f = lua_newuserdatauv(L, sizeof *f, 0);
  *f = NULL;
  if (luaL_newmetatable(L, "np.file")) {
    lua_pushcfunction(L, close_file);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  *f = fopen(path, mode);
  if (!*f)
    bind_error(L, ERR_IO, "%s: %s", path, strerror(errno));
  return f;
}

struct header {
  enum dtype dtype;
  bool is_swapped;
  bool is_fortran;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
};

static void bad_file(lua_State *L, const char *path, const char *why) {
  bind_error(L, ERR_ARGUMENT, "np.load: %s: %s", path, why);
}

// ---- The header ----

// The text behind 'key': in the dict, or NULL.
static const char *find_key(const char *text, const char *key) {
  const char *p = strstr(text, key);
  if (!p || p == text || (p[-1] != '\'' && p[-1] != '"') ||
      p[strlen(key)] != p[-1])
    return NULL;
  p += strlen(key) + 1;
  p += strspn(p, " ");
  if (*p != ':')
    return NULL;
  return p + 1 + strspn(p + 1, " ");
}

static bool parse_descr(const char *p, struct header *h) {
  char kind;
  int bytes;
  if (!p || (*p != '\'' && *p != '"') || !strchr("<>|=", p[1]) || !p[1])
    return false;
  if (sscanf(p + 2, "%c%d", &kind, &bytes) != 2)
    return false;
  h->is_swapped = p[1] == '>';
  for (int t = 0; t < DTYPE_COUNT; t++)
    if (t != DTYPE_BF16 && dtype_kind((enum dtype)t) == kind &&
        (int)dtype_bytes((enum dtype)t) == bytes) {
      h->dtype = (enum dtype)t;
      return true;
    }
  return false;
}

static bool parse_shape(const char *p, struct header *h) {
  if (!p || *p++ != '(')
    return false;
  for (;;) {
    p += strspn(p, " ,");
    if (*p == ')')
      return true;
    char *end;
    errno = 0;
    long long n = strtoll(p, &end, 10);
    if (end == p || errno || n < 0 || h->ndim >= ARRAY_MAX_DIMS)
      return false;
    h->shape[h->ndim++] = n;
    p = end;
  }
}

static void parse_header(lua_State *L, const char *path, const char *text,
                         struct header *h) {
  const char *descr = find_key(text, "descr");
  const char *order = find_key(text, "fortran_order");
  if (descr && strchr(descr, 'O') && descr[2] == 'O')
    bad_file(L, path, "it holds pickled Python objects, which are not loaded");
  if (!parse_descr(descr, h))
    bad_file(L, path, "its element type is not one of np's");
  if (!order || !parse_shape(find_key(text, "shape"), h))
    bad_file(L, path, "its header has no shape that an array can have");
  h->is_fortran = !strncmp(order, "True", 4);
}

static void read_header(lua_State *L, const char *path, FILE *f,
                        struct header *h) {
  unsigned char start[12];
  if (fread(start, 1, 10, f) != 10 || memcmp(start, MAGIC, sizeof MAGIC))
    bad_file(L, path, "it is not a .npy file");
  if (start[6] < 1 || start[6] > 3)
    bad_file(L, path, "its format version is not 1, 2 or 3");
  size_t n = start[8] | (size_t)start[9] << 8;
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, f) != 2)
      bad_file(L, path, "it ends within its header");
    n |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (n > MAX_HEADER)
    bad_file(L, path, "its header is longer than 64 KiB");
  char *text = lua_newuserdatauv(L, n + 1, 0);
  if (fread(text, 1, n, f) != n)
    bad_file(L, path, "it ends within its header");
  text[n] = 0;
  parse_header(L, path, text, h);
  lua_pop(L, 1);
}

// ---- The elements ----

static void swap_bytes(char *p, size_t width, int64_t n) {
  for (; n > 0; n--, p += width)
    for (size_t i = 0; i < width / 2; i++) {
      char c = p[i];
      p[i] = p[width - 1 - i];
      p[width - 1 - i] = c;
    }
}

// The file must hold what its header promises before memory is taken.
static void check_length(lua_State *L, const char *path, FILE *f,
                         const struct header *h) {
  struct stat st;
  int64_t bytes = (int64_t)dtype_bytes(h->dtype);
  bool is_empty = false, is_huge = false;
  for (int d = 0; d < h->ndim; d++) {
    is_empty = is_empty || h->shape[d] == 0;
    if (h->shape[d] && __builtin_mul_overflow(bytes, h->shape[d], &bytes))
      is_huge = true;
  }
  if (is_empty)
    return;
  long at = ftell(f);
  if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode) &&
      (is_huge || st.st_size - at < bytes))
    bad_file(L, path, "it is shorter than its header says");
}

static int l_load(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  FILE **f = push_file(L, path, "rb");
  struct header h = {0};
  read_header(L, path, *f, &h);
  check_length(L, path, *f, &h);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < h.ndim; d++)
    shape[d] = h.shape[h.is_fortran ? h.ndim - 1 - d : d];
  struct array *a = array_push_host(L, h.dtype, h.ndim, shape);
  if (fread(array_data(a), 1, a->storage->bytes, *f) != a->storage->bytes)
    bad_file(L, path, "it is shorter than its header says");
  fclose(*f);
  *f = NULL;
  if (h.is_swapped)
    swap_bytes(array_data(a), dtype_bytes(h.dtype), array_count(a));
  if (!h.is_fortran)
    return 1;
  for (int d = 0; d < h.ndim; d++)
    strides[d] = a->strides[h.ndim - 1 - d];
  np_push_view(L, a, 0, h.ndim, h.shape, strides);
  return 1;
}

// The header with its length, padded so that the elements start at a multiple
// of 64.
static void push_header(lua_State *L, const struct array *a) {
  char shape[ARRAY_SHAPE_TEXT], text[1024];
  int n = snprintf(text, sizeof text,
                   "{'descr': '%c%c%d', 'fortran_order': False, "
                   "'shape': %s, }",
                   dtype_bytes(a->dtype) == 1 ? '|' : '<', dtype_kind(a->dtype),
                   (int)dtype_bytes(a->dtype),
                   array_shape_text(shape, a->ndim, a->shape));
  int total = (10 + n + 1 + 63) / 64 * 64;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addlstring(&b, MAGIC, sizeof MAGIC);
  luaL_addchar(&b, 1);
  luaL_addchar(&b, 0);
  luaL_addchar(&b, (char)((total - 10) & 255));
  luaL_addchar(&b, (char)((total - 10) >> 8));
  luaL_addlstring(&b, text, (size_t)n);
  for (int i = 10 + n + 1; i < total; i++)
    luaL_addchar(&b, ' ');
  luaL_addchar(&b, '\n');
  luaL_pushresult(&b);
}

static int l_save(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  if (!array_test(L, 2)) {
    luaL_checkany(L, 2);
    array_push_from(L, 2, DTYPE_COUNT);
    lua_replace(L, 2);
  }
  struct array *a = array_check_host(L, 2, "np.save");
  if (a->dtype == DTYPE_BF16)
    bind_error(L, ERR_ARGUMENT,
               "np.save: .npy files have no bf16; save "
               "x:astype(\"f32\")");
  a = array_push_copy(L, a, a->dtype);
  size_t n;
  push_header(L, a);
  const char *header = lua_tolstring(L, -1, &n);
  FILE **f = push_file(L, path, "wb");
  bool ok =
      fwrite(header, 1, n, *f) == n &&
      fwrite(array_data(a), 1, a->storage->bytes, *f) == a->storage->bytes;
  ok = !fclose(*f) && ok;
  *f = NULL;
  if (!ok)
    bind_error(L, ERR_IO, "np.save: %s: %s", path, strerror(errno));
  return 0;
}

void np_open_npy(lua_State *L) {
  lua_pushcfunction(L, l_load);
  lua_setfield(L, -2, "load");
  lua_pushcfunction(L, l_save);
  lua_setfield(L, -2, "save");
}
