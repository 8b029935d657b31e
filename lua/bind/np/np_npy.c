// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files. Format: "NPY", numpy.lib.format documentation: magic,
// version, header length, a Python dict as text, the elements. Reads versions
// 1 to 3, either byte order and either axis order; writes version 1. Pickled
// objects are refused.
#include "lua/bind/np/np_npy.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "lua/bind/np/array.h"
#include "lua/bind/np/np_npz.h"

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

FILE **npy_push_stream(lua_State *L) {
  FILE **f = lua_newuserdatauv(L, sizeof *f, 1);
  *f = NULL;
  if (luaL_newmetatable(L, "np.file")) {
    lua_pushcfunction(L, close_file);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return f;
}

const char *npy_check_path(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING)
    return lua_tostring(L, 1);
  const char *name = np_function_name(L);
  bind_error(L, ERR_ARGUMENT,
             "%s: the file's name, a text, comes first; this is %s",
             name ? name : "np.file", bind_value_text(L, 1));
}

FILE **npy_push_file(lua_State *L, const char *path, const char *mode) {
  FILE **f = npy_push_stream(L);
  *f = fopen(path, mode);
  if (!*f)
    bind_error(L, ERR_IO, "%s: %s", path, strerror(errno));
  struct stat st;
  if (!fstat(fileno(*f), &st) && S_ISDIR(st.st_mode))
    bind_error(L, ERR_IO, "%s: it is a folder, not a file", path);
  return f;
}

struct header {
  const char *function; // that reads it, for messages
  enum dtype dtype;
  bool is_swapped;
  bool is_fortran;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
  int64_t bytes; // of the header itself
};

static void bad_file(lua_State *L, const struct header *h, const char *path,
                     const char *why) {
  bind_error(L, ERR_ARGUMENT, "%s: %s: %s", h->function, path, why);
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
  h->dtype = dtype_of_kind(kind, (size_t)bytes);
  return h->dtype != DTYPE_COUNT;
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

static void bad_type(lua_State *L, const struct header *h, const char *path,
                     const char *descr) {
  int n = descr ? (int)strcspn(++descr, "'\",}") : 0;
  bind_error(L, ERR_ARGUMENT,
             "%s: %s: its element type is %.*s, none of np's%s", h->function,
             path, n < 40 ? n : 40, descr ? descr : "",
             n > 1 && descr[1] == 'c' ? ": save z.real and z.imag" : "");
}

// A word that ends there: "True" of "True, ...".
static bool is_word(const char *p, const char *word) {
  size_t n = strlen(word);
  return !strncmp(p, word, n) && p[n] && strchr(" ,}", p[n]);
}

static void parse_header(lua_State *L, const char *path, const char *text,
                         size_t length, struct header *h) {
  const char *end = strrchr(text, '}');
  if (strlen(text) != length || !end ||
      strspn(end + 1, " \n") != strlen(end + 1))
    bad_file(L, h, path, "its header is damaged: {...} and spaces are in one");
  const char *descr = find_key(text, "descr");
  const char *order = find_key(text, "fortran_order");
  if (descr && strchr(descr, 'O') && descr[2] == 'O')
    bad_file(L, h, path,
             "it holds pickled Python objects, which are not loaded");
  if (!parse_descr(descr, h))
    bad_type(L, h, path, descr);
  if (!order || !parse_shape(find_key(text, "shape"), h))
    bad_file(L, h, path, "its header has no shape that an array can have");
  h->is_fortran = is_word(order, "True");
  if (!h->is_fortran && !is_word(order, "False"))
    bad_file(L, h, path,
             "its header is damaged: fortran_order is neither True nor False");
}

static void read_header(lua_State *L, const char *path, FILE *f,
                        struct header *h) {
  unsigned char start[12];
  if (fread(start, 1, 10, f) != 10 || memcmp(start, MAGIC, sizeof MAGIC))
    bad_file(L, h, path,
             "it is not a .npy file (np.loadtxt reads text, "
             "np.fromfile bare elements)");
  if (start[6] < 1 || start[6] > 3 || start[7] != 0)
    bad_file(L, h, path, "its format version is not 1.0, 2.0 or 3.0");
  size_t n = start[8] | (size_t)start[9] << 8;
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, f) != 2)
      bad_file(L, h, path, "it ends within its header");
    n |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (n > MAX_HEADER)
    bad_file(L, h, path, "its header is longer than 64 KiB");
  char *text = lua_newuserdatauv(L, n + 1, 0);
  if (fread(text, 1, n, f) != n)
    bad_file(L, h, path, "it ends within its header");
  text[n] = 0;
  h->bytes = (start[6] > 1 ? 12 : 10) + (int64_t)n;
  parse_header(L, path, text, n, h);
  lua_pop(L, 1);
}

// ---- The elements ----

// The file must hold what its header promises before memory is taken;
// `available` is negative where it cannot tell.
static void check_length(lua_State *L, const char *path, int64_t available,
                         const struct header *h) {
  int64_t bytes = (int64_t)dtype_bytes(h->dtype);
  bool is_empty = false, is_huge = false;
  for (int d = 0; d < h->ndim; d++) {
    is_empty = is_empty || h->shape[d] == 0;
    if (h->shape[d] && __builtin_mul_overflow(bytes, h->shape[d], &bytes))
      is_huge = true;
  }
  if (!is_empty && available >= 0 && (is_huge || available - h->bytes < bytes))
    bad_file(L, h, path, "it is shorter than its header says");
}

void npy_push_array(lua_State *L, const char *path, FILE *f,
                    int64_t available) {
  struct header h = {.function = "np.load"};
  read_header(L, path, f, &h);
  check_length(L, path, available, &h);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < h.ndim; d++)
    shape[d] = h.shape[h.is_fortran ? h.ndim - 1 - d : d];
  struct array *a = array_push_host(L, h.dtype, h.ndim, shape);
  size_t bytes = (size_t)array_count(a) * dtype_bytes(h.dtype);
  if (fread(array_data(a), 1, bytes, f) != bytes)
    bad_file(L, &h, path, "it is shorter than its header says");
  if (h.is_swapped)
    dtype_swap_bytes(h.dtype, array_data(a), array_count(a));
  if (!h.is_fortran)
    return;
  for (int d = 0; d < h.ndim; d++)
    strides[d] = a->strides[h.ndim - 1 - d];
  np_push_view(L, a, 0, h.ndim, h.shape, strides);
}

static int64_t file_length(FILE *f) {
  struct stat st;
  return !fstat(fileno(f), &st) && S_ISREG(st.st_mode) ? st.st_size : -1;
}

// What a .npy file says of the array in it: {path, offset, dtype, is_swapped,
// is_fortran, shape}. Raises as np.load does, under the name of `function`.
int npy_l_header(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct header h = {.function = luaL_checkstring(L, 2)};
  FILE **f = npy_push_file(L, path, "rb");
  read_header(L, path, *f, &h);
  check_length(L, path, file_length(*f), &h);
  fclose(*f);
  *f = NULL;
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "path");
  lua_pushinteger(L, h.bytes);
  lua_setfield(L, -2, "offset");
  lua_pushstring(L, dtype_name(h.dtype));
  lua_setfield(L, -2, "dtype");
  lua_pushboolean(L, h.is_swapped);
  lua_setfield(L, -2, "is_swapped");
  lua_pushboolean(L, h.is_fortran);
  lua_setfield(L, -2, "is_fortran");
  lua_createtable(L, h.ndim, 0);
  for (int d = 0; d < h.ndim; d++) {
    lua_pushinteger(L, h.shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, -2, "shape");
  return 1;
}

static int l_load(lua_State *L) {
  const char *path = npy_check_path(L);
  FILE **f = npy_push_file(L, path, "rb");
  int first = getc(*f);
  if (first != EOF)
    ungetc(first, *f);
  if (first == 'P')
    return npz_push_table(L, path, *f, file_length(*f));
  npy_push_array(L, path, *f, file_length(*f));
  fclose(*f);
  *f = NULL;
  return 1;
}

// The header with its length, padded so that the elements start at a multiple
// of 64.
void npy_push_header(lua_State *L, const struct array *a) {
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

// NumPy puts the ending behind a name that lacks it.
static const char *push_path(lua_State *L, const char *ending) {
  const char *path = npy_check_path(L);
  size_t n = strlen(path), k = strlen(ending);
  if (n >= k && !strcmp(path + n - k, ending))
    return lua_pushvalue(L, 1), path;
  return lua_pushfstring(L, "%s%s", path, ending);
}

struct array *npy_push_savable(lua_State *L, int i, const char *function) {
  i = lua_absindex(L, i);
  if (!array_test(L, i)) {
    array_push_from(L, i, DTYPE_COUNT);
    lua_replace(L, i);
  }
  struct array *a = array_check_host(L, i, function);
  if (a->dtype == DTYPE_BF16)
    bind_error(L, ERR_ARGUMENT,
               "%s: .npy files have no bf16; save x:astype(\"f32\")", function);
  return array_push_copy(L, a, a->dtype);
}

static int l_save(lua_State *L) {
  np_check_any(L, 2);
  const char *path = push_path(L, ".npy");
  struct array *a = npy_push_savable(L, 2, "np.save");
  size_t n, bytes = (size_t)array_count(a) * dtype_bytes(a->dtype);
  npy_push_header(L, a);
  const char *header = lua_tolstring(L, -1, &n);
  FILE **f = npy_push_file(L, path, "wb");
  bool ok = fwrite(header, 1, n, *f) == n &&
            fwrite(array_data(a), 1, bytes, *f) == bytes;
  ok = !fclose(*f) && ok;
  *f = NULL;
  if (!ok)
    bind_error(L, ERR_IO, "np.save: %s: %s", path, strerror(errno));
  return 0;
}

// ---- Bare elements ----

// fromfile(file, dtype, count, offset): elements as they lie in memory.
static int l_fromfile(lua_State *L) {
  const char *path = npy_check_path(L);
  enum dtype t = array_check_dtype(L, 2, DTYPE_F64);
  int64_t count = luaL_optinteger(L, 3, -1), offset = luaL_optinteger(L, 4, 0);
  int64_t bytes = (int64_t)dtype_bytes(t);
  FILE **f = npy_push_file(L, path, "rb");
  int64_t length = file_length(*f);
  if (length < 0 || offset < 0 || offset > length)
    bind_error(L, ERR_ARGUMENT,
               "np.fromfile: %s: it is no plain file with an offset of %lld",
               path, (long long)offset);
  int64_t there = (length - offset) / bytes;
  if (count < 0 || count > there)
    count = there;
  struct array *a = array_push_host(L, t, 1, &count);
  if (fseek(*f, (long)offset, SEEK_SET) ||
      fread(array_data(a), (size_t)bytes, (size_t)count, *f) != (size_t)count)
    bind_error(L, ERR_IO, "np.fromfile: %s: %s", path, strerror(errno));
  fclose(*f);
  *f = NULL;
  return 1;
}

// write(path, text or array): text, or elements as they lie in memory.
static int l_write(lua_State *L) {
  const char *path = npy_check_path(L), *from;
  size_t n;
  if (array_test(L, 2)) {
    struct array *a = array_check_host(L, 2, "tofile");
    a = array_push_copy(L, a, a->dtype);
    n = (size_t)array_count(a) * dtype_bytes(a->dtype);
    from = array_data(a);
  } else {
    from = luaL_checklstring(L, 2, &n);
  }
  FILE **f = npy_push_file(L, path, "wb");
  bool ok = fwrite(from, 1, n, *f) == n;
  ok = !fclose(*f) && ok;
  *f = NULL;
  if (!ok)
    bind_error(L, ERR_IO, "%s: %s", path, strerror(errno));
  return 0;
}

// read(path): the text of a file.
static int l_read(lua_State *L) {
  const char *path = npy_check_path(L);
  FILE **f = npy_push_file(L, path, "rb");
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  size_t n;
  do {
    char *p = luaL_prepbuffer(&b);
    n = fread(p, 1, LUAL_BUFFERSIZE, *f);
    luaL_addsize(&b, n);
  } while (n > 0);
  luaL_pushresult(&b);
  return 1;
}

void npy_open(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"fromfile", l_fromfile}, {"write", l_write}, {"read", l_read},
      {"write_zip", npz_write}, {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "file");
}

void np_open_npy(lua_State *L) {
  lua_pushcfunction(L, l_load);
  lua_setfield(L, -2, "load");
  lua_pushcfunction(L, l_save);
  lua_setfield(L, -2, "save");
}
