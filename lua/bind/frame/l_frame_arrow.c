// SPDX-License-Identifier: Apache-2.0
// Arrow's files and streams as Lua reads and writes them: use.arrow_open gives a reader
// of bytes, whose columns stay where they lie in these where frame has them so.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/frame.h"
#include "lua/bind/frame/l_frame.h"

#define READER_TYPE "frame.arrow"
#define MEMORY_TYPE "frame.memory"

// ---- Bytes that columns lie in ----

struct bytes {
  int refs; // of the reader and of each array; Lua's thread alone counts
  void *data;
  size_t n;
  bool is_mapped;
};

static void unref_bytes(void *p) {
  struct bytes *b = p;
  if (--b->refs)
    return;
  if (b->is_mapped)
    munmap(b->data, b->n);
  else
    free(b->data);
  free(b);
}

// A regular file's bytes, read in one go: as many as there are when it ends.
static enum err read_bytes(int fd, size_t bytes, struct bytes *b,
                           struct err_info *e) {
  char *data = try_malloc(bytes + 1);
  if (!data)
    return err_set(e, ERR_NOMEM, "there is no memory for its %zu bytes", bytes);
  mem_ask_for_huge_pages(data, bytes);
  b->data = data;
  while (b->n < bytes) {
    ssize_t n = read(fd, data + b->n, bytes - b->n);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return err_set(e, ERR_IO, "%s", strerror(errno));
    if (!n)
      break;
    b->n += (size_t)n;
  }
  return ERR_OK;
}

// What is mapped is private: who writes to a column changes no file.
static enum err map_bytes(int fd, size_t bytes, struct bytes *b,
                          struct err_info *e) {
  void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return err_set(e, ERR_IO, "%s", strerror(errno));
  *b = (struct bytes){b->refs, data, bytes, true};
  return ERR_OK;
}

// What is not on a disk may never end.
static enum err refuse_kind(mode_t mode, struct err_info *e) {
  if (S_ISDIR(mode))
    return err_set(e, ERR_IO, "it is a folder, not a file");
  return err_set(e, ERR_IO,
                 "it is %s, not a file on a disk; put what comes out of it "
                 "into a file first",
                 S_ISFIFO(mode) ? "a pipe" : "a device");
}

// Of an open file: one that others may write to is read, and not mapped.
static enum err load_bytes(int fd, bool is_own, struct bytes *b,
                           struct err_info *e) {
  struct stat st;
  if (fstat(fd, &st))
    return err_set(e, ERR_IO, "%s", strerror(errno));
  if (!S_ISREG(st.st_mode))
    return refuse_kind(st.st_mode, e);
  return is_own && st.st_size ? map_bytes(fd, (size_t)st.st_size, b, e)
                              : read_bytes(fd, (size_t)st.st_size, b, e);
}

// ---- Memory as a file: what another process reads or writes ----

int lframe_memory_fd(lua_State *L, int i) {
  int *fd = luaL_testudata(L, i, MEMORY_TYPE);
  return fd ? *fd : -1;
}

static int close_memory(lua_State *L) {
  int *fd = luaL_checkudata(L, 1, MEMORY_TYPE);
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return 0;
}

static int l_memory_text(lua_State *L) {
  char *data = NULL;
  size_t n = 0;
  struct err_info e;
  int fd = lframe_memory_fd(L, 1);
  lseek(fd, 0, SEEK_SET);
  if (file_read_stream(fd, "memory", SIZE_MAX / 2, &data, &n, &e))
    bind_error_info(L, &e);
  lua_pushlstring(L, data, n);
  free(data);
  return 1;
}

int lframe_push_memory(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"text", l_memory_text}, {"close", close_memory}, {NULL, NULL}};
  int *fd = lua_newuserdatauv(L, sizeof *fd, 0);
  *fd = -1;
  if (luaL_newmetatable(L, MEMORY_TYPE)) {
    lua_pushcfunction(L, close_memory);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
  *fd = memfd_create("warpshop-frame", MFD_CLOEXEC);
  if (*fd < 0)
    bind_error(L, ERR_IO, "frame: no memory for a file: %s", strerror(errno));
  return *fd;
}

static int l_memory(lua_State *L) {
  lframe_push_memory(L);
  return 1;
}

// ---- Reading ----

struct reader {
  struct bytes *bytes;
  struct arrow_file *file;
  size_t begin; // of the bytes, where it begins
  char *label;  // "read_feather: x.arrow", in front of messages
};

static struct reader *check_reader(lua_State *L) {
  return luaL_checkudata(L, 1, READER_TYPE);
}

static int l_close(lua_State *L) {
  struct reader *r = check_reader(L);
  arrow_close(r->file);
  r->file = NULL;
  if (r->bytes)
    unref_bytes(r->bytes);
  r->bytes = NULL;
  free(r->label);
  r->label = NULL;
  return 0;
}

// What went wrong with what argument 1 names or is.
static void check(lua_State *L, enum err err, const struct err_info *e) {
  if (!err)
    return;
  struct reader *r = luaL_testudata(L, 1, READER_TYPE);
  if (err == ERR_CANCELLED)
    bind_clear_interrupt();
  bind_error(L, err, "%s: %s", r ? r->label : lua_tostring(L, 1), e->text);
}

static struct arrow_file *file_of(lua_State *L) {
  struct reader *r = check_reader(L);
  if (!r->file)
    bind_error(L, ERR_ARGUMENT, "frame: the file is closed");
  return r->file;
}

// r:names()
static int l_names(lua_State *L) {
  const struct arrow_file *f = file_of(L);
  int count = arrow_field_count(f);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, arrow_field_at(f, i)->name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

enum err lframe_push_arrow_column(lua_State *L, const struct arrow_column *c,
                                  struct storage *in_place,
                                  struct err_info *e) {
  enum err err = ERR_OK;
  struct texts *texts = NULL;
  int64_t n = c->rows, step = (int64_t)dtype_bytes(c->dtype);
  lua_createtable(L, 0, 3);
  bind_set_text(L, "type", c->type);
  if (!strcmp(c->type, "str")) {
    texts = lframe_push_texts(L, NULL);
    lua_setfield(L, -2, "texts");
  }
  if (in_place) {
    array_push_view(L, in_place, c->dtype, 1, &n, &step);
    storage_unref(in_place); // the array holds its own
  } else {
    void *values = lframe_push_column(L, c->dtype, n);
    err = arrow_column_fill(c, values, texts, e);
  }
  lua_setfield(L, -2, "data");
  return err;
}

// Over the bytes themselves, which live as long as the array; NULL: it is copied.
static struct storage *storage_in(struct bytes *b,
                                  const struct arrow_column *c) {
  const void *at = c->rows ? arrow_column_in_place(c) : NULL;
  // What was unpacked belongs to the file, which is closed first.
  if ((const char *)at < (char *)b->data ||
      (const char *)at >= (char *)b->data + b->n)
    return NULL;
  b->refs++;
  struct storage *s = storage_of_others(
      (void *)at, (size_t)c->rows * dtype_bytes(c->dtype), unref_bytes, b);
  s->is_shared = false; // nobody else has these bytes
  return s;
}

// The names that are wanted, as flags; all, where argument 2 is nil.
static bool *push_wanted(lua_State *L, const struct arrow_file *f) {
  int count = arrow_field_count(f);
  bool *is_wanted = lua_newuserdatauv(L, (size_t)count + 1, 0);
  for (int i = 0; i < count; i++) {
    is_wanted[i] = lua_isnil(L, 2);
    if (is_wanted[i])
      continue;
    lua_getfield(L, 2, arrow_field_at(f, i)->name);
    is_wanted[i] = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  return is_wanted;
}

// r:read(wanted): the columns, as {name, type, data, texts}, and how many rows they
// have. wanted: names as keys, or nil for all.
static int l_read(lua_State *L) {
  struct reader *r = check_reader(L);
  struct arrow_file *f = file_of(L);
  struct err_info e;
  int64_t rows;
  lua_settop(L, 2);
  bool *is_wanted = push_wanted(L, f);
  // Before anything is unpacked.
  for (int i = 0; i < arrow_field_count(f); i++)
    if (is_wanted[i]) {
      struct arrow_column c;
      struct arrow_pieces none = {0};
      enum err err = arrow_column_begin(arrow_field_at(f, i), &none, &c, &e);
      check(L, err, &e);
    }
  enum err err = arrow_read(f, is_wanted, &rows, &e);
  check(L, err, &e);
  lua_newtable(L);
  for (int i = 0, to = 0; i < arrow_field_count(f); i++) {
    struct arrow_column c;
    if (!is_wanted[i])
      continue;
    err =
        arrow_column_begin(arrow_field_at(f, i), arrow_pieces_at(f, i), &c, &e);
    check(L, err, &e);
    err = lframe_push_arrow_column(L, &c, storage_in(r->bytes, &c), &e);
    check(L, err, &e);
    bind_set_text(L, "name", c.field->name);
    lua_rawseti(L, -2, ++to);
  }
  lua_pushinteger(L, rows);
  return 2;
}

static struct reader *push_reader(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"names", l_names}, {"read", l_read}, {"close", l_close}, {NULL, NULL}};
  struct reader *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  if (luaL_newmetatable(L, READER_TYPE)) {
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
  return r;
}

// [label, ..., reader]: errors name the label.
static int begin(lua_State *L, struct reader *r) {
  struct err_info e;
  enum err err = arrow_open((char *)r->bytes->data + r->begin,
                            r->bytes->n - r->begin, &r->file, &e);
  check(L, err, &e);
  return 1;
}

// arrow_open(label, path or memory): a reader.
static int l_open(lua_State *L) {
  struct err_info e;
  const char *label = luaL_checkstring(L, 1);
  int memory = lframe_memory_fd(L, 2);
  const char *path = memory < 0 ? luaL_checkstring(L, 2) : NULL;
  struct reader *r = push_reader(L);
  r->label = xstrdup(label);
  r->bytes = xcalloc(1, sizeof *r->bytes);
  r->bytes->refs = 1;
  // Without O_NONBLOCK it would wait here for somebody who writes to a pipe.
  int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd = path ? open(path, flags) : memory;
  enum err err = fd < 0 ? err_set(&e, ERR_IO, "%s", strerror(errno))
                        : load_bytes(fd, !path, r->bytes, &e);
  if (path && fd >= 0)
    close(fd);
  check(L, err, &e);
  return begin(L, r);
}

// arrow_next(label, reader): of the stream that lies behind its own.
static int l_next(lua_State *L) {
  const char *label = luaL_checkstring(L, 1);
  struct reader *before = luaL_checkudata(L, 2, READER_TYPE);
  if (!before->file)
    bind_error(L, ERR_ARGUMENT, "frame: the file is closed");
  struct reader *r = push_reader(L);
  r->label = xstrdup(label);
  r->bytes = before->bytes;
  r->bytes->refs++;
  r->begin = before->begin + arrow_end(before->file);
  return begin(L, r);
}

// ---- Writing ----

enum { LOOK_BYTES = 1 << 20 };

struct out {
  int memory; // or, -1,
  struct csv_out *file;
  size_t since_look;
};

static enum err add_bytes(void *context, const void *data, size_t n,
                          struct err_info *e) {
  struct out *o = context;
  o->since_look += n;
  if (o->since_look > LOOK_BYTES && bind_is_interrupted())
    return err_set(e, ERR_CANCELLED, "stopped by Ctrl-C");
  if (o->memory < 0)
    return csv_out_add(o->file, data, n, e);
  if (file_write_all(o->memory, data, n))
    return ERR_OK;
  return err_set(e, ERR_IO, "%s", strerror(errno));
}

// [..., column]; `names`: the list in which its name stands.
static void read_written(lua_State *L, struct arrow_written *w, int names,
                         int k) {
  *w = (struct arrow_written){.is_object = bind_get_flag(L, "is_object")};
  lua_getfield(L, -1, "data");
  const struct array *a = array_check_host(L, -1, "to_feather");
  w->values = array_data(a);
  w->stride = a->strides[0];
  w->dtype = a->dtype;
  lua_pop(L, 1);
  if (lua_getfield(L, -1, "texts") != LUA_TNIL)
    w->texts = lframe_check_texts(L, -1);
  lua_rawgeti(L, names, k + 1);
  w->name = luaL_checklstring(L, -1, &w->name_bytes);
  lua_pop(L, 2);
}

struct arrow_written *lframe_push_written(lua_State *L, int names, int *count) {
  *count = (int)luaL_len(L, names + 1);
  struct arrow_written *list =
      lua_newuserdatauv(L, (size_t)(*count + 1) * sizeof *list, 0);
  for (int k = 0; k < *count; k++) {
    lua_rawgeti(L, names + 1, k + 1);
    read_written(L, &list[k], names, k);
    lua_pop(L, 1);
  }
  return list;
}

// arrow_write(label, names, columns, rows, path or memory): a file, or a stream. A
// column is {data, texts, is_object}.
static int l_write(lua_State *L) {
  struct out o = {.memory = lframe_memory_fd(L, 5)};
  int64_t rows = luaL_checkinteger(L, 4);
  int count;
  struct err_info e;
  struct arrow_written *list = lframe_push_written(L, 2, &count);
  struct arrow_sink sink = {add_bytes, &o, o.memory < 0};
  enum err err = ERR_OK;
  if (o.memory < 0)
    err = csv_out_open(luaL_checkstring(L, 5), &o.file, &e);
  if (!err)
    err = arrow_write(list, count, rows, &sink, &e);
  if (!err && o.file)
    err = csv_out_end(o.file, &e);
  csv_out_drop(o.file);
  check(L, err, &e);
  return 0;
}

// memory_save(label, memory, path): what lies in it as a file, whole or not at all.
static int l_save(lua_State *L) {
  struct bytes b = {0};
  struct err_info e;
  struct csv_out *out = NULL;
  enum err err = load_bytes(lframe_memory_fd(L, 2), true, &b, &e);
  if (!err)
    err = csv_out_open(luaL_checkstring(L, 3), &out, &e);
  if (!err)
    err = csv_out_add(out, b.data, b.n, &e);
  if (!err)
    err = csv_out_end(out, &e);
  csv_out_drop(out);
  if (b.is_mapped)
    munmap(b.data, b.n);
  else
    free(b.data);
  check(L, err, &e);
  return 0;
}

void lframe_open_arrow(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"arrow_open", l_open}, {"arrow_next", l_next},  {"arrow_write", l_write},
      {"memory", l_memory},   {"memory_save", l_save}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
