// SPDX-License-Identifier: Apache-2.0
// Compressed buffers: each begins with its length when unpacked, in eight bytes (-1: it
// is not compressed after all). LZ4's frames and Zstandard's, by their libraries, loaded
// at run time with declarations of our own (lz4frame.h, zstd.h).
#include "lua/bind/frame/arrow/arrow_unpack.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// A byte becomes at most so many: a block of 128 KiB of one byte is stored in four by
// Zstandard, and a run's length in steps of 255 by LZ4.
enum { LZ4F_VERSION = 100, MOST_GROWTH = 1 << 16 };

typedef size_t (*zstd_function)(void *to, size_t room, const void *from,
                                size_t bytes);
typedef size_t (*create_function)(void **context, unsigned version);
typedef size_t (*free_function)(void *context);
typedef size_t (*lz4_function)(void *context, void *to, size_t *room,
                               const void *from, size_t *bytes,
                               const void *options);

// ---- What is freed ----

void arrow_own(struct arrow_owned *o, void *p) {
  if (o->count == o->room) {
    o->room = 2 * o->room + 16;
    o->list = xrealloc(o->list, o->room * sizeof *o->list);
  }
  o->list[o->count++] = p;
}

void arrow_disown(struct arrow_owned *o) {
  for (size_t i = 0; i < o->count; i++)
    free(o->list[i]);
  free(o->list);
  *o = (struct arrow_owned){0};
}

// ---- Unpacking ----

static void *find(void *library, const char *name) {
  return library ? dlsym(library, name) : NULL;
}

static enum err absent(const char *what, const char *library,
                       const char *package, struct err_info *e) {
  return err_set(e, ERR_NOT_FOUND,
                 "its columns are packed with %s, and %s is not here: install "
                 "it (Debian: apt install %s), or write the file without "
                 "compression",
                 what, library, package);
}

static bool unpack_lz4(void *library, const struct arrow_bytes *from,
                       uint8_t *to, size_t n) {
  create_function create =
      (create_function)find(library, "LZ4F_createDecompressionContext");
  free_function release =
      (free_function)find(library, "LZ4F_freeDecompressionContext");
  lz4_function go_on = (lz4_function)find(library, "LZ4F_decompress");
  void *context = NULL;
  if (!create || !release || !go_on || create(&context, LZ4F_VERSION))
    return false;
  size_t done = 0, read = 0, left = 1;
  while (left && read < (size_t)from->n) {
    size_t room = n - done, bytes = (size_t)from->n - read;
    left = go_on(context, to + done, &room, from->data + read, &bytes, NULL);
    if (left > (size_t)-32 ||
        (!room && !bytes)) // an error's number, or no step
      break;
    done += room;
    read += bytes;
  }
  release(context);
  return left == 0 && done == n;
}

static enum err unpack_into(enum arrow_codec codec,
                            const struct arrow_bytes *from, uint8_t *to,
                            size_t n, struct err_info *e) {
  bool is_lz4 = codec == ARROW_LZ4;
  const char *name = is_lz4 ? "liblz4.so.1" : "libzstd.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  zstd_function zstd = (zstd_function)find(library, "ZSTD_decompress");
  if (!library || (!is_lz4 && !zstd))
    return is_lz4 ? absent("LZ4", name, "liblz4-1", e)
                  : absent("Zstandard", name, "libzstd1", e);
  bool is_fine = is_lz4 ? unpack_lz4(library, from, to, n)
                        : zstd(to, n, from->data, (size_t)from->n) == n;
  return is_fine ? ERR_OK
                 : err_set(e, ERR_ARGUMENT,
                           "it is broken: a packed column cannot be unpacked");
}

enum err arrow_unpack(enum arrow_codec codec, struct arrow_bytes *b,
                      struct arrow_owned *owned, struct err_info *e) {
  int64_t n;
  if (b->n == 0)
    return ERR_OK;
  if (b->n < (int64_t)sizeof n)
    return err_set(e, ERR_ARGUMENT,
                   "it is broken: a packed column is too "
                   "short for its length");
  memcpy(&n, b->data, sizeof n);
  b->data += sizeof n;
  b->n -= (int64_t)sizeof n;
  if (n == -1)
    return ERR_OK;
  if (n < 0 || n > ARROW_MOST || n / MOST_GROWTH > b->n)
    return err_set(e, ERR_ARGUMENT,
                   "it is broken: a packed column of %lld bytes", (long long)n);
  uint8_t *to = try_malloc((size_t)n + 1);
  if (!to)
    return err_set(e, ERR_NOMEM,
                   "there is no memory for a column of %lld bytes",
                   (long long)n);
  arrow_own(owned, to);
  struct arrow_bytes from = *b;
  *b = (struct arrow_bytes){to, n};
  return n ? unpack_into(codec, &from, to, (size_t)n, e) : ERR_OK;
}
