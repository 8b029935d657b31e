// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz files: zip archives of .npy files, stored or deflated (PKWARE's
// APPNOTE.TXT 6.3, sections 4.3 to 4.5; 64-bit sizes are its Zip64 extension).
// A file's word is never taken: sizes are compared with what is there before
// memory is taken, and names only become keys of a table.
#include "lua/bind/np/np_npz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lua/bind/np/np_npy.h"

enum {
  STORED = 0,
  DEFLATED = 8,
  CHUNK = 1 << 15,
  LOCAL_BYTES = 30,
  CENTRAL_BYTES = 46,
  END_BYTES = 22,
  LOCATOR_BYTES = 20,
  END64_BYTES = 56,
  MAX_ENTRIES = 1 << 20
};

static const uint32_t LOCAL = 0x04034b50, CENTRAL = 0x02014b50,
                      END = 0x06054b50, LOCATOR = 0x07064b50,
                      END64 = 0x06064b50;

static uint64_t get(const unsigned char *p, int bytes) {
  uint64_t v = 0;
  for (int i = bytes - 1; i >= 0; i--)
    v = v << 8 | p[i];
  return v;
}

static void put(luaL_Buffer *b, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++, v >>= 8)
    luaL_addchar(b, (char)(v & 255));
}

static void bad_zip(lua_State *L, const char *path, const char *why) {
  bind_error(L, ERR_ARGUMENT, "np.load: %s: %s", path, why);
}

// ---- Reading ----

struct zip {
  lua_State *L;
  const char *path;
  FILE *f;
  uint64_t length; // of the file
};

static void read_at(const struct zip *z, uint64_t at, void *to, size_t n) {
  if (at > z->length || z->length - at < n || fseek(z->f, (long)at, SEEK_SET) ||
      fread(to, 1, n, z->f) != n)
    bad_zip(z->L, z->path, "it is damaged or cut off");
}

struct directory {
  uint64_t at, entries, bytes;
};

// The end record, which a comment of up to 64 KiB may follow.
static struct directory find_directory(const struct zip *z) {
  size_t n = z->length < END_BYTES + 65535 ? z->length : END_BYTES + 65535;
  unsigned char *tail = lua_newuserdatauv(z->L, n + 1, 0);
  uint64_t from = z->length - n;
  read_at(z, from, tail, n);
  int64_t i = (int64_t)n - END_BYTES;
  while (i >= 0 && get(tail + i, 4) != END)
    i--;
  if (i < 0)
    bad_zip(z->L, z->path,
            "it is not a .npy file, nor a whole .npz file (np.loadtxt reads "
            "text, np.fromfile bare elements)");
  struct directory d = {get(tail + i + 16, 4), get(tail + i + 10, 2),
                        get(tail + i + 12, 4)};
  unsigned char end[END64_BYTES];
  if (i >= LOCATOR_BYTES && get(tail + i - LOCATOR_BYTES, 4) == LOCATOR) {
    read_at(z, get(tail + i - LOCATOR_BYTES + 8, 8), end, sizeof end);
    if (get(end, 4) != END64)
      bad_zip(z->L, z->path, "it is damaged");
    d = (struct directory){get(end + 48, 8), get(end + 32, 8),
                           get(end + 40, 8)};
  }
  if (d.bytes > z->length || d.at > z->length - d.bytes ||
      d.entries > MAX_ENTRIES || d.entries * CENTRAL_BYTES > d.bytes)
    bad_zip(z->L, z->path, "its directory is damaged");
  lua_pop(z->L, 1);
  return d;
}

struct entry {
  int method;
  uint32_t crc;
  uint64_t packed, bytes, at;
  const char *name;
  size_t name_length;
};

// The Zip64 fields that stand for those of 0xffffffff, in this order.
static void read_extra(struct entry *e, const unsigned char *p, size_t n) {
  uint64_t *const fields[] = {&e->bytes, &e->packed, &e->at};
  while (n >= 4) {
    size_t size = get(p + 2, 2);
    if (size > n - 4)
      return;
    if (get(p, 2) == 1) {
      size_t used = 0;
      for (int i = 0; i < 3; i++)
        if (*fields[i] == UINT32_MAX && used + 8 <= size) {
          *fields[i] = get(p + 4 + used, 8);
          used += 8;
        }
    }
    p += 4 + size;
    n -= 4 + size;
  }
}

// Reads an entry of the directory and returns its length.
static size_t read_entry(const struct zip *z, const unsigned char *p, size_t n,
                         struct entry *e) {
  if (n < CENTRAL_BYTES || get(p, 4) != CENTRAL)
    bad_zip(z->L, z->path, "its directory is damaged");
  size_t name = get(p + 28, 2), extra = get(p + 30, 2), note = get(p + 32, 2);
  size_t total = CENTRAL_BYTES + name + extra + note;
  if (total > n)
    bad_zip(z->L, z->path, "its directory is damaged");
  e->method = (int)get(p + 10, 2);
  e->crc = (uint32_t)get(p + 16, 4);
  e->packed = get(p + 20, 4);
  e->bytes = get(p + 24, 4);
  e->at = get(p + 42, 4);
  e->name = (const char *)p + CENTRAL_BYTES;
  e->name_length = name;
  read_extra(e, p + CENTRAL_BYTES + name, extra);
  if (get(p + 8, 2) & 1)
    bad_zip(z->L, z->path, "it is encrypted");
  if (e->method != STORED && e->method != DEFLATED)
    bad_zip(z->L, z->path, "it is compressed in another way than deflate");
  return total;
}

// Where the entry's bytes begin. Its sizes must be possible: deflate makes
// nothing smaller than by 1032.
static uint64_t find_data(const struct zip *z, const struct entry *e) {
  unsigned char local[LOCAL_BYTES];
  read_at(z, e->at, local, sizeof local);
  uint64_t at = e->at + LOCAL_BYTES + get(local + 26, 2) + get(local + 28, 2);
  if (get(local, 4) != LOCAL || at > z->length || z->length - at < e->packed)
    bad_zip(z->L, z->path, "it is damaged or cut off");
  if (e->method == STORED ? e->bytes != e->packed : e->bytes / 1032 > e->packed)
    bad_zip(z->L, z->path, "it names sizes that cannot be");
  return at;
}

// An entry as a stream.
struct unpacker {
  FILE *f;
  bool is_deflated;
  uint64_t left; // packed bytes that were not read
  uint32_t crc;
  z_stream stream;
  unsigned char in[CHUNK];
};

static size_t fill(struct unpacker *u, void *to, size_t n) {
  n = n < u->left ? n : (size_t)u->left;
  n = fread(to, 1, n, u->f);
  u->left -= n;
  return n;
}

static ssize_t inflate_some(struct unpacker *u, char *to, size_t n) {
  z_stream *s = &u->stream;
  n = n < 1 << 30 ? n : 1 << 30;
  s->next_out = (unsigned char *)to;
  s->avail_out = (uInt)n;
  while (s->avail_out == n) {
    if (s->avail_in == 0) {
      s->avail_in = (uInt)fill(u, u->in, sizeof u->in);
      s->next_in = u->in;
    }
    int code = inflate(s, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      break;
    if (code != Z_OK)
      return -1;
  }
  return (ssize_t)(n - s->avail_out);
}

static ssize_t unpack(void *cookie, char *to, size_t n) {
  struct unpacker *u = cookie;
  ssize_t got =
      u->is_deflated ? inflate_some(u, to, n) : (ssize_t)fill(u, to, n);
  if (got > 0)
    u->crc = (uint32_t)crc32_z(u->crc, (unsigned char *)to, (size_t)got);
  return got;
}

static int end_unpacking(void *cookie) {
  struct unpacker *u = cookie;
  if (u->is_deflated)
    inflateEnd(&u->stream);
  return 0;
}

// Pushes the stream, with the memory that it needs kept by it.
static FILE **push_entry(const struct zip *z, const struct entry *e) {
  uint64_t at = find_data(z, e);
  FILE **f = npy_push_stream(z->L);
  struct unpacker *u = lua_newuserdatauv(z->L, sizeof *u, 0);
  lua_pushvalue(z->L, -1);
  lua_setiuservalue(z->L, -3, 1);
  *u = (struct unpacker){
      .f = z->f, .is_deflated = e->method == DEFLATED, .left = e->packed};
  if (fseek(z->f, (long)at, SEEK_SET))
    bad_zip(z->L, z->path, "it is damaged or cut off");
  if (u->is_deflated && inflateInit2(&u->stream, -MAX_WBITS) != Z_OK)
    bind_error(z->L, ERR_NOMEM, "np.load: %s: no memory to unpack it", z->path);
  *f = fopencookie(
      u, "rb", (cookie_io_functions_t){.read = unpack, .close = end_unpacking});
  if (!*f) {
    end_unpacking(u);
    bind_error(z->L, ERR_NOMEM, "np.load: %s: no memory to unpack it", z->path);
  }
  return f;
}

// Pushes the array; its bytes must have the entry's checksum.
static void push_array(const struct zip *z, const struct entry *e) {
  lua_State *L = z->L;
  FILE **f = push_entry(z, e);
  struct unpacker *u = lua_touserdata(L, -1);
  npy_push_array(L, z->path, *f, (int64_t)e->bytes);
  char rest[256];
  while (fread(rest, 1, sizeof rest, *f) > 0)
    continue;
  bool ok = u->crc == e->crc && !ferror(*f);
  fclose(*f);
  *f = NULL;
  if (!ok)
    bad_zip(L, z->path, "it is damaged: a checksum differs");
}

int npz_push_table(lua_State *L, const char *path, FILE *f, int64_t length) {
  luaL_checkstack(L, 12, NULL);
  if (length < 0)
    bad_zip(L, path, "a .npz file is read from a plain file");
  struct zip z = {L, path, f, (uint64_t)length};
  struct directory d = find_directory(&z);
  unsigned char *p = lua_newuserdatauv(L, d.bytes + 1, 0);
  size_t left = d.bytes;
  read_at(&z, d.at, p, left);
  lua_newtable(L);
  int table = lua_gettop(L);
  for (uint64_t i = 0; i < d.entries; i++) {
    struct entry e;
    size_t n = read_entry(&z, p, left, &e);
    p += n;
    left -= n;
    if (e.name_length < 4 || memcmp(e.name + e.name_length - 4, ".npy", 4))
      continue; // not an array
    lua_pushlstring(L, e.name, e.name_length - 4);
    push_array(&z, &e);
    lua_pushvalue(L, table + 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, table);
    lua_settop(L, table);
  }
  return 1;
}

// ---- Writing ----

struct packed {
  uint32_t crc;
  uint64_t packed, bytes, at;
};

// Writes some bytes of an entry, deflated where `s` is not NULL.
static bool pack(FILE *f, z_stream *s, struct packed *e, const void *from,
                 size_t n, bool is_last) {
  static _Thread_local unsigned char out[CHUNK];
  e->crc = (uint32_t)crc32_z(e->crc, from, n);
  e->bytes += n;
  if (!s) {
    e->packed += n;
    return fwrite(from, 1, n, f) == n;
  }
  const unsigned char *p = from;
  do { // zlib counts in 32 bits
    size_t some = n < 1 << 30 ? n : 1 << 30;
    s->next_in = (unsigned char *)(uintptr_t)p;
    s->avail_in = (uInt)some;
    p += some;
    n -= some;
    do {
      s->next_out = out;
      s->avail_out = sizeof out;
      deflate(s, is_last && n == 0 ? Z_FINISH : Z_NO_FLUSH);
      size_t made = sizeof out - s->avail_out;
      e->packed += made;
      if (fwrite(out, 1, made, f) != made)
        return false;
    } while (s->avail_out == 0);
  } while (n > 0);
  return true;
}

// What local and central headers have in common, from the version on: sizes
// are in the Zip64 field, which a name's 2 lengths are followed by.
static void put_common(luaL_Buffer *b, const struct packed *e, bool deflated,
                       size_t name, size_t extra) {
  put(b, 45, 2);
  put(b, 0x0800, 2); // the name is UTF-8
  put(b, deflated ? DEFLATED : STORED, 2);
  put(b, 0x00210000, 4); // 1980-01-01, so that equal arrays make equal files
  put(b, e->crc, 4);
  put(b, UINT32_MAX, 4);
  put(b, UINT32_MAX, 4);
  put(b, name, 2);
  put(b, extra, 2);
}

static void push_local(lua_State *L, const struct packed *e, bool deflated,
                       const char *name) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  put(&b, LOCAL, 4);
  put_common(&b, e, deflated, strlen(name), 20);
  luaL_addstring(&b, name);
  put(&b, 1, 2);
  put(&b, 16, 2);
  put(&b, e->bytes, 8);
  put(&b, e->packed, 8);
  luaL_pushresult(&b);
}

static void add_central(luaL_Buffer *b, const struct packed *e, bool deflated,
                        const char *name) {
  put(b, CENTRAL, 4);
  put(b, 3 << 8 | 45, 2); // made on Unix
  put_common(b, e, deflated, strlen(name), 28);
  put(b, 0, 2);
  put(b, 0, 2);
  put(b, 0, 2);
  put(b, (uint64_t)0100644 << 16, 4);
  put(b, UINT32_MAX, 4);
  luaL_addstring(b, name);
  put(b, 1, 2);
  put(b, 24, 2);
  put(b, e->bytes, 8);
  put(b, e->packed, 8);
  put(b, e->at, 8);
}

static void add_end(luaL_Buffer *b, uint64_t entries, uint64_t at,
                    uint64_t bytes) {
  put(b, END64, 4);
  put(b, END64_BYTES - 12, 8);
  put(b, 45, 2);
  put(b, 45, 2);
  put(b, 0, 8); // disks
  put(b, entries, 8);
  put(b, entries, 8);
  put(b, bytes, 8);
  put(b, at, 8);
  put(b, LOCATOR, 4);
  put(b, 0, 4);
  put(b, at + bytes, 8);
  put(b, 1, 4);
  put(b, END, 4);
  put(b, 0, 4);
  put(b, UINT16_MAX, 2);
  put(b, UINT16_MAX, 2);
  put(b, UINT32_MAX, 4);
  put(b, UINT32_MAX, 4);
  put(b, 0, 2);
}

static bool write_text(lua_State *L, FILE *f) {
  size_t n;
  const char *text = lua_tolstring(L, -1, &n);
  bool ok = fwrite(text, 1, n, f) == n;
  lua_pop(L, 1);
  return ok;
}

// The array on the stack's top, twice: the header's sizes are known behind it.
static bool write_entry(lua_State *L, FILE *f, const char *name, bool deflated,
                        struct packed *e) {
  struct array *a = npy_push_savable(L, -1, "np.savez");
  size_t n;
  npy_push_header(L, a);
  const char *header = lua_tolstring(L, -1, &n);
  size_t bytes = (size_t)array_count(a) * dtype_bytes(a->dtype);
  z_stream s = {0};
  if (deflated && deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                               -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    bind_error(L, ERR_NOMEM, "np.savez: no memory to compress");
  e->at = (uint64_t)ftell(f);
  push_local(L, e, deflated, name);
  bool ok = write_text(L, f) &&
            pack(f, deflated ? &s : NULL, e, header, n, false) &&
            pack(f, deflated ? &s : NULL, e, array_data(a), bytes, true);
  if (deflated)
    deflateEnd(&s);
  long end = ftell(f);
  push_local(L, e, deflated, name);
  ok = ok && !fseek(f, (long)e->at, SEEK_SET) && write_text(L, f) &&
       !fseek(f, end, SEEK_SET);
  lua_pop(L, 2);
  return ok;
}

int npz_write(lua_State *L) {
  const char *path = npy_check_path(L);
  bool deflated = lua_toboolean(L, 4), ok = true;
  lua_Integer n = luaL_len(L, 2);
  lua_settop(L, 4);
  struct packed *entries =
      lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *entries, 0);
  memset(entries, 0, ((size_t)n + 1) * sizeof *entries);
  FILE **f = npy_push_file(L, path, "wb");
  for (lua_Integer i = 0; i < n && ok; i++) {
    lua_rawgeti(L, 2, i + 1);
    lua_pushliteral(L, ".npy");
    lua_concat(L, 2);
    lua_rawgeti(L, 3, i + 1);
    ok = write_entry(L, *f, lua_tostring(L, -2), deflated, &entries[i]);
    lua_pop(L, 2);
  }
  uint64_t at = (uint64_t)ftell(*f);
  for (lua_Integer i = 0; i < n; i++) {
    luaL_Buffer b;
    lua_rawgeti(L, 2, i + 1);
    lua_pushliteral(L, ".npy");
    lua_concat(L, 2);
    luaL_buffinit(L, &b);
    add_central(&b, &entries[i], deflated, lua_tostring(L, 7));
    luaL_pushresult(&b);
    ok = ok && write_text(L, *f);
    lua_settop(L, 6);
  }
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  add_end(&b, (uint64_t)n, at, (uint64_t)ftell(*f) - at);
  luaL_pushresult(&b);
  ok = write_text(L, *f) && ok;
  ok = !fclose(*f) && ok;
  *f = NULL;
  if (!ok)
    bind_error(L, ERR_IO, "np.savez: %s: %s", path, strerror(errno));
  return 0;
}
