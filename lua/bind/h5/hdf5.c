// SPDX-License-Identifier: Apache-2.0
// Theory of operation: an element's type in memory is np's own, and libhdf5 turns what
// lies in the file into that (byte order, packed chunks). bool is what h5py makes of it,
// an enumeration of FALSE and TRUE; f16 a float of 16 bits, which the library can be told.
#include "lua/bind/h5/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "lua/bind/h5/hdf5_library.h"
#include "lua/bind/h5/hdf5_room.h"

// Of the library's enumerations.
enum { IS_GROUP = 2, IS_SET = 5 };                           // H5I_type_t
enum { OF_INTEGERS, OF_FLOATS, OF_ENUMERATION = 8 };         // H5T_class_t
enum { SPACE_SCALAR, SPACE_SIMPLE };                         // H5S_class_t
enum { READ_ONLY, READ_WRITE, TRUNCATE, FAIL_IF_OLDER = 4 }; // H5F_ACC_*
enum { IN_CHUNKS = 2 };                                      // H5D_layout_t
enum { OF_THIS_FILE = 0 };                                   // H5F_scope_t
enum { OTHER_BYTES = 64 << 10 };

struct hdf5 {
  const struct hdf5_library *l;
  hid_t file;
  int fd; // of one that is written; -1: it cannot be had
};

// ---- Files ----

static enum err say_system(const char *path, struct err_info *e) {
  (void)path;
  return err_set(e, ERR_IO, "%s", strerror(errno));
}

static hid_t open_file(const struct hdf5_library *l, const char *path,
                       enum hdf5_mode mode) {
  if (mode == HDF5_CREATE)
    return l->Fcreate(path, TRUNCATE, 0, 0);
  if (mode == HDF5_APPEND && access(path, F_OK))
    return l->Fcreate(path, FAIL_IF_OLDER, 0, 0);
  return l->Fopen(path, mode == HDF5_READ ? READ_ONLY : READ_WRITE, 0);
}

enum err hdf5_open(const char *path, enum hdf5_mode mode, struct hdf5 **out,
                   struct err_info *e) {
  bool must_be = mode == HDF5_READ || mode == HDF5_UPDATE;
  if (must_be && access(path, mode == HDF5_READ ? R_OK : R_OK | W_OK))
    return say_system(path, e);
  const struct hdf5_library *l = hdf5_library(e);
  if (!l)
    return ERR_NOT_FOUND;
  hid_t file = open_file(l, path, mode);
  if (file < 0)
    return must_be ? hdf5_fail(l, ERR_ARGUMENT, "it is no HDF5 file", e)
                   : hdf5_fail(l, ERR_IO, "it cannot be written", e);
  *out = xcalloc(1, sizeof **out);
  int fd = mode == HDF5_READ ? -1 : open(path, O_WRONLY | O_CLOEXEC);
  **out = (struct hdf5){l, file, fd};
  return ERR_OK;
}

enum err hdf5_close(struct hdf5 *h, struct err_info *e) {
  enum err err = ERR_OK;
  if (h && h->l->Fclose(h->file) < 0) {
    err = hdf5_fail(h->l, ERR_IO,
                    "it could not be written to its end, and is broken", e);
    hdf5_library_spoil();
  }
  if (h && h->fd >= 0)
    close(h->fd);
  free(h);
  return err;
}

// ---- Types ----

// A float of 16 bits, as IEEE 754 has it; to be closed.
static hid_t make_half(const struct hdf5_library *l) {
  hid_t t = l->Tcopy(l->float_type);
  if (l->Tset_fields(t, 15, 10, 5, 0, 10) < 0 || l->Tset_size(t, 2) < 0 ||
      l->Tset_ebias(t, 15) < 0) {
    l->Tclose(t);
    return -1;
  }
  return t;
}

// As h5py does.
static hid_t make_bool(const struct hdf5_library *l) {
  static const int8_t truths[] = {0, 1};
  hid_t t = l->Tenum_create(l->native[DTYPE_I8]);
  if (l->Tenum_insert(t, "FALSE", &truths[0]) < 0 ||
      l->Tenum_insert(t, "TRUE", &truths[1]) < 0) {
    l->Tclose(t);
    return -1;
  }
  return t;
}

// The type of elements in memory; to be closed.
static hid_t make_type(const struct hdf5_library *l, enum dtype t) {
  if (t == DTYPE_F16)
    return make_half(l);
  return t == DTYPE_BOOL ? make_bool(l) : l->Tcopy(l->native[t]);
}

static bool has_member(const struct hdf5_library *l, hid_t type, unsigned i,
                       const char *name) {
  char *own = l->Tget_member_name(type, i);
  bool is_it = own && !strcmp(own, name);
  l->free_memory(own);
  return is_it;
}

static enum dtype type_of_float(const struct hdf5_library *l, hid_t type) {
  size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
  size_t bytes = l->Tget_size(type);
  if (bytes == 4 || bytes == 8)
    return bytes == 4 ? DTYPE_F32 : DTYPE_F64;
  bool is_half = bytes == 2 &&
                 l->Tget_fields(type, &sign, &exponent, &exponent_bits,
                                &mantissa, &mantissa_bits) >= 0 &&
                 exponent_bits == 5 && mantissa_bits == 10;
  return is_half ? DTYPE_F16 : DTYPE_COUNT;
}

static enum dtype type_of(const struct hdf5_library *l, hid_t type) {
  switch (l->Tget_class(type)) {
  case OF_INTEGERS:
    return dtype_of_kind(l->Tget_sign(type) ? 'i' : 'u', l->Tget_size(type));
  case OF_FLOATS: return type_of_float(l, type);
  case OF_ENUMERATION:
    return l->Tget_size(type) == 1 && l->Tget_nmembers(type) == 2 &&
                   has_member(l, type, 0, "FALSE") &&
                   has_member(l, type, 1, "TRUE")
               ? DTYPE_BOOL
               : DTYPE_COUNT;
  default: return DTYPE_COUNT;
  }
}

static enum err refuse_type(const struct hdf5_library *l, hid_t type,
                            const char *name, struct err_info *e) {
  static const char *const words[] = {"integers of odd sizes",
                                      "floats of odd sizes",
                                      "times",
                                      "texts",
                                      "bit fields",
                                      "opaque",
                                      "structs (complex numbers, too)",
                                      "references",
                                      "enumerations",
                                      "lists",
                                      "arrays"};
  int class = l->Tget_class(type);
  bool is_known = class >= 0 && class < (int)(sizeof words / sizeof *words);
  return err_set(e, ERR_UNSUPPORTED,
                 "\"%s\": its elements are %s, none of np's", name,
                 is_known ? words[class] : "of a newer kind");
}

// ---- What a name is ----

static enum err read_space(struct hdf5 *h, hid_t space, const char *name,
                           struct hdf5_info *out, struct err_info *e) {
  const struct hdf5_library *l = h->l;
  uint64_t shape[HDF5_MOST_DIMS];
  int kind = l->Sget_simple_extent_type(space);
  if (kind == SPACE_SCALAR)
    return ERR_OK;
  if (kind != SPACE_SIMPLE)
    return err_set(e, ERR_UNSUPPORTED, "\"%s\": it is empty, without a shape",
                   name);
  out->ndim = l->Sget_simple_extent_ndims(space);
  if (out->ndim < 0 || out->ndim > HDF5_MOST_DIMS)
    return err_set(e, ERR_UNSUPPORTED,
                   "\"%s\": it has %d axes, and an array at most %d", name,
                   out->ndim, HDF5_MOST_DIMS);
  if (l->Sget_simple_extent_dims(space, shape, NULL) < 0)
    return hdf5_fail(l, ERR_ARGUMENT, "its shape cannot be read", e);
  for (int d = 0; d < out->ndim; d++) {
    if (shape[d] > INT64_MAX)
      return err_set(e, ERR_ARGUMENT, "\"%s\": its shape is impossible", name);
    out->shape[d] = (int64_t)shape[d];
  }
  return ERR_OK;
}

static void read_chunks(struct hdf5 *h, hid_t set, struct hdf5_info *out) {
  const struct hdf5_library *l = h->l;
  uint64_t sizes[HDF5_MOST_DIMS];
  hid_t list = l->Dget_create_plist(set);
  if (list >= 0 && l->Pget_layout(list) == IN_CHUNKS &&
      l->Pget_chunk(list, HDF5_MOST_DIMS, sizes) == out->ndim)
    for (int d = 0; d < out->ndim; d++)
      out->chunks[d] = (int64_t)sizes[d];
  if (list >= 0)
    l->Pclose(list);
}

static enum err read_info(struct hdf5 *h, hid_t set, const char *name,
                          struct hdf5_info *out, struct err_info *e) {
  const struct hdf5_library *l = h->l;
  hid_t space = l->Dget_space(set), type = l->Dget_type(set);
  enum err err = ERR_OK;
  if (space < 0 || type < 0)
    err = hdf5_fail(l, ERR_ARGUMENT, "a data set cannot be read", e);
  else if ((out->dtype = type_of(l, type)) == DTYPE_COUNT)
    err = refuse_type(l, type, name, e);
  else
    err = read_space(h, space, name, out, e);
  if (!err)
    read_chunks(h, set, out);
  if (space >= 0)
    l->Sclose(space);
  if (type >= 0)
    l->Tclose(type);
  return err;
}

// To be closed; negative: there is none.
static hid_t open_object(struct hdf5 *h, const char *name, struct err_info *e) {
  hid_t object = h->l->Oopen(h->file, name, 0);
  if (object >= 0)
    return object;
  h->l->Eclear2(0);
  err_set(e, ERR_ARGUMENT, "there is no \"%s\" in it", name);
  return object;
}

enum err hdf5_look(struct hdf5 *h, const char *name, struct hdf5_info *out,
                   struct err_info *e) {
  *out = (struct hdf5_info){0};
  hid_t object = open_object(h, name, e);
  if (object < 0)
    return ERR_ARGUMENT;
  int kind = h->l->Iget_type(object);
  enum err err = ERR_OK;
  if (kind == IS_GROUP)
    out->is_group = true;
  else if (kind == IS_SET)
    err = read_info(h, object, name, out, e);
  else
    err = err_set(e, ERR_ARGUMENT, "\"%s\" is neither a group nor a data set",
                  name);
  h->l->Oclose(object);
  return err;
}

enum err hdf5_names(struct hdf5 *h, const char *group,
                    void (*add)(void *context, const char *name), void *context,
                    struct err_info *e) {
  const struct hdf5_library *l = h->l;
  struct hdf5_group info;
  hid_t object = open_object(h, group, e);
  if (object < 0)
    return ERR_ARGUMENT;
  enum err err = ERR_OK;
  if (l->Gget_info(object, &info) < 0)
    err = hdf5_fail(l, ERR_ARGUMENT, "its names cannot be read", e);
  for (uint64_t i = 0; !err && i < info.links; i++) {
    char name[1024];
    if (l->Lget_name_by_idx(object, ".", 0, 0, i, name, sizeof name, 0) < 0)
      err = hdf5_fail(l, ERR_ARGUMENT, "its names cannot be read", e);
    else
      add(context, name);
  }
  l->Oclose(object);
  return err;
}

// ---- Reading ----

static enum err read_box(struct hdf5 *h, hid_t set,
                         const struct hdf5_info *info,
                         const struct hdf5_box *box, void *out,
                         struct err_info *e) {
  const struct hdf5_library *l = h->l;
  uint64_t first[HDF5_MOST_DIMS], count[HDF5_MOST_DIMS], step[HDF5_MOST_DIMS];
  for (int d = 0; d < info->ndim; d++) {
    first[d] = (uint64_t)box->first[d];
    count[d] = (uint64_t)box->count[d];
    step[d] = (uint64_t)box->step[d];
  }
  hid_t type = make_type(l, info->dtype), space = l->Dget_space(set);
  hid_t memory = info->ndim ? l->Screate_simple(info->ndim, count, NULL)
                            : l->Screate(SPACE_SCALAR);
  bool is_read = type >= 0 && space >= 0 && memory >= 0 &&
                 (!info->ndim || l->Sselect_hyperslab(space, 0, first, step,
                                                      count, NULL) >= 0) &&
                 l->Dread(set, type, memory, space, 0, out) >= 0;
  enum err err =
      is_read ? ERR_OK : hdf5_fail(l, ERR_IO, "its elements cannot be read", e);
  if (type >= 0)
    l->Tclose(type);
  if (space >= 0)
    l->Sclose(space);
  if (memory >= 0)
    l->Sclose(memory);
  return err;
}

enum err hdf5_read(struct hdf5 *h, const char *name,
                   const struct hdf5_info *info, const struct hdf5_box *box,
                   void *out, struct err_info *e) {
  struct hdf5_info now; // another process may have changed it
  enum err err = hdf5_look(h, name, &now, e);
  if (err)
    return err;
  if (now.is_group || now.dtype != info->dtype || now.ndim != info->ndim)
    return err_set(e, ERR_IO, "\"%s\" is another one now", name);
  hid_t set = open_object(h, name, e);
  if (set < 0)
    return ERR_ARGUMENT;
  err = read_box(h, set, info, box, out, e);
  h->l->Oclose(set);
  return err;
}

// ---- Writing ----

// How it is stored; to be closed.
static hid_t make_storage(const struct hdf5_library *l,
                          const struct hdf5_info *info, int level) {
  uint64_t chunks[HDF5_MOST_DIMS];
  hid_t list = l->Pcreate(l->of_sets);
  for (int d = 0; d < info->ndim; d++)
    chunks[d] = (uint64_t)info->chunks[d];
  bool is_set = info->ndim == 0 || !info->chunks[0] ||
                (l->Pset_chunk(list, info->ndim, chunks) >= 0 &&
                 (level < 0 || l->Pset_deflate(list, (unsigned)level) >= 0));
  if (is_set)
    return list;
  l->Pclose(list);
  return -1;
}

static hid_t make_space(const struct hdf5_library *l,
                        const struct hdf5_info *info) {
  uint64_t shape[HDF5_MOST_DIMS];
  for (int d = 0; d < info->ndim; d++)
    shape[d] = (uint64_t)info->shape[d];
  return info->ndim ? l->Screate_simple(info->ndim, shape, NULL)
                    : l->Screate(SPACE_SCALAR);
}

// Under a name that nobody has.
static enum err make_set(struct hdf5 *h, const char *name,
                         const struct hdf5_info *info, int level,
                         const void *data, struct err_info *e) {
  const struct hdf5_library *l = h->l;
  hid_t type = make_type(l, info->dtype), space = make_space(l, info);
  hid_t links = l->Pcreate(l->of_links), set = -1;
  hid_t storage = make_storage(l, info, level);
  if (type >= 0 && space >= 0 && storage >= 0 &&
      l->Pset_create_intermediate_group(links, 1) >= 0)
    set = l->Dcreate2(h->file, name, type, space, links, storage, 0);
  bool is_written = set >= 0 && l->Dwrite(set, type, 0, 0, 0, data) >= 0;
  enum err err =
      is_written ? ERR_OK : hdf5_fail(l, ERR_IO, "it could not be written", e);
  if (set >= 0 && l->Dclose(set) < 0 && !err)
    err = hdf5_fail(l, ERR_IO, "it could not be written", e);
  if (type >= 0)
    l->Tclose(type);
  if (space >= 0)
    l->Sclose(space);
  if (storage >= 0)
    l->Pclose(storage);
  l->Pclose(links);
  return err;
}

// ---- Room for what is written ----

// The most that a set takes: its chunks, which are whole at the edges, too, and what
// finds them (a B-tree whose nodes are half full; groups on the way).
static uint64_t most_bytes(const struct hdf5_info *info) {
  uint64_t chunks = 1, elems = 1;
  for (int d = 0; d < info->ndim; d++) {
    int64_t size = info->chunks[0] ? info->chunks[d] : info->shape[d];
    chunks *= size ? (uint64_t)((info->shape[d] + size - 1) / size) : 0;
    elems *= (uint64_t)size;
  }
  return chunks * (elems * dtype_bytes(info->dtype) +
                   24 * ((uint64_t)info->ndim + 3)) +
         OTHER_BYTES;
}

// What it takes when it is packed: known when it is. 0: nobody knows.
static uint64_t packed_bytes(struct hdf5 *h, const struct hdf5_info *info,
                             int level, const void *data) {
  const struct hdf5_library *l = h->l;
  uint64_t bytes = 0;
  struct err_info e;
  hid_t list = l->Pcreate(l->of_files);
  struct hdf5 memory = {.l = l, .file = -1, .fd = -1};
  if (l->Pset_fapl_core(list, OTHER_BYTES, 0) >= 0)
    memory.file = l->Fcreate("packed", TRUNCATE, 0, list);
  bool is_made = memory.file >= 0 &&
                 !make_set(&memory, "x", info, level, data, &e) &&
                 l->Fflush(memory.file, OF_THIS_FILE) >= 0 &&
                 l->Fget_filesize(memory.file, &bytes) >= 0;
  if (memory.file >= 0)
    l->Fclose(memory.file);
  l->Pclose(list);
  l->Eclear2(0);
  return is_made ? bytes + OTHER_BYTES : 0;
}

static enum err take_room(struct hdf5 *h, const struct hdf5_info *info,
                          int level, const void *data, struct err_info *e) {
  enum err err = hdf5_room_take(h->fd, most_bytes(info), e);
  if (!err || level < 0)
    return err;
  uint64_t bytes = packed_bytes(h, info, level, data);
  return bytes ? hdf5_room_take(h->fd, bytes, e) : err;
}

// ---- A set in the place of another ----

// A name beside it that nobody has; to be freed.
static char *name_beside(struct hdf5 *h, const char *name) {
  for (int n = 1;; n++) {
    char *other = xasprintf("%s.new%d", name, n);
    if (h->l->Lexists(h->file, other, 0) <= 0)
      return other;
    free(other);
  }
}

// The older one goes once the disk has the new one.
static enum err replace(struct hdf5 *h, const char *name,
                        const struct hdf5_info *info, int level,
                        const void *data, struct err_info *e) {
  const struct hdf5_library *l = h->l;
  char *other = name_beside(h, name);
  enum err err = make_set(h, other, info, level, data, e);
  if (!err && l->Fflush(h->file, OF_THIS_FILE) < 0)
    err = hdf5_fail(l, ERR_IO, "it could not be written", e);
  if (err) {
    l->Ldelete(h->file, other, 0);
    l->Eclear2(0);
  } else if (l->Ldelete(h->file, name, 0) < 0 ||
             l->Lmove(h->file, other, h->file, name, 0, 0) < 0 ||
             l->Fflush(h->file, OF_THIS_FILE) < 0) {
    err = hdf5_fail(l, ERR_IO, "it could not take the older one's place", e);
  }
  free(other);
  return err;
}

static bool is_group(struct hdf5 *h, const char *name) {
  struct hdf5_info info;
  struct err_info e;
  return h->l->Lexists(h->file, name, 0) > 0 &&
         !hdf5_look(h, name, &info, &e) && info.is_group;
}

enum err hdf5_write(struct hdf5 *h, const char *name,
                    const struct hdf5_info *info, int level, const void *data,
                    struct err_info *e) {
  if (is_group(h, name))
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is a group, and what is in it would be lost; a data "
                   "set needs another name",
                   name);
  enum err err = take_room(h, info, level, data, e);
  if (err)
    return err;
  // Of a group on the way that is not there it says that it fails.
  bool is_there = h->l->Lexists(h->file, name, 0) > 0;
  h->l->Eclear2(0);
  err = is_there ? replace(h, name, info, level, data, e)
                 : make_set(h, name, info, level, data, e);
  hdf5_room_leave(h->fd);
  return err;
}
