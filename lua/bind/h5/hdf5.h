// SPDX-License-Identifier: Apache-2.0
// Files of HDF5, through libhdf5, which is loaded when the first one is opened: names,
// what a data set is, boxes of it read, and data sets written. Nothing here knows Lua.
// One thread at a time: the library may have been built without locks.
#ifndef LUA_BIND_H5_HDF5_H
#define LUA_BIND_H5_HDF5_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"

enum { HDF5_MOST_DIMS = 16 }; // as arrays have

struct hdf5; // an open file

enum hdf5_mode {
  HDF5_READ,
  HDF5_UPDATE, // "r+": of a file that is there
  HDF5_APPEND, // "a": or a new one
  HDF5_CREATE, // "w": an older one is gone
};

// ERR_NOT_FOUND: there is no libhdf5 (WARPSHOP_HDF5 names one that is elsewhere); ERR_IO,
// ERR_ARGUMENT: the file cannot be opened, or is none.
enum err hdf5_open(const char *path, enum hdf5_mode mode, struct hdf5 **out,
                   struct err_info *e);
// ERR_IO: what was still to be written could not be. NULL is fine.
enum err hdf5_close(struct hdf5 *h, struct err_info *e);

struct hdf5_info {
  bool is_group; // and nothing else is known
  enum dtype dtype;
  int ndim;
  int64_t shape[HDF5_MOST_DIMS];
  int64_t chunks[HDF5_MOST_DIMS]; // 0: it is not stored in chunks
};

// What `name` is ("group/data"). ERR_ARGUMENT: there is none; ERR_UNSUPPORTED: np has no
// such elements.
enum err hdf5_look(struct hdf5 *h, const char *name, struct hdf5_info *out,
                   struct err_info *e);
// Calls add for each name in a group, in their order.
enum err hdf5_names(struct hdf5 *h, const char *group,
                    void (*add)(void *context, const char *name), void *context,
                    struct err_info *e);

// On each axis `count` elements from `first` on, `step` apart.
struct hdf5_box {
  int64_t first[HDF5_MOST_DIMS], count[HDF5_MOST_DIMS], step[HDF5_MOST_DIMS];
};

// The elements of a box that lies in the data set, the last axis fastest, as this
// machine has them, into `out` of info->dtype.
enum err hdf5_read(struct hdf5 *h, const char *name,
                   const struct hdf5_info *info, const struct hdf5_box *box,
                   void *out, struct err_info *e);

// A new data set, in the place of one that has its name. ERR_ARGUMENT: a group has it.
// Groups on the way are made.
// `level` of deflate, 0 to 9, -1: none; chunks[0] 0: none.
enum err hdf5_write(struct hdf5 *h, const char *name,
                    const struct hdf5_info *info, int level, const void *data,
                    struct err_info *e);

#endif
