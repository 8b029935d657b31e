// SPDX-License-Identifier: Apache-2.0
// libhdf5, loaded by name, with declarations of our own.
#ifndef LUA_BIND_H5_HDF5_LIBRARY_H
#define LUA_BIND_H5_HDF5_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"

typedef int64_t hid_t; // since 1.10

struct hdf5_error { // H5E_error2_t
  hid_t class, major, minor;
  unsigned line;
  const char *function, *file, *text;
};
typedef int hdf5_walk(unsigned n, const struct hdf5_error *error, void *data);

struct hdf5_group { // H5G_info_t
  int storage;
  uint64_t links;
  int64_t most_order;
  _Bool is_mounted;
};

struct hdf5_library {
#define API(result, name, arguments) result(*name) arguments;
#include "lua/bind/h5/hdf5_api.def"
#undef API
  bool is_spoilt;                    // a file could not be closed
  hid_t native[DTYPE_COUNT];         // 0: the library has none
  hid_t float_type;                  // IEEE, 32 bits, little-endian
  hid_t of_files, of_sets, of_links; // classes of property lists
};

// The library, loaded once; NULL: `e` says why, ERR_NOT_FOUND.
const struct hdf5_library *hdf5_library(struct err_info *e);
// A file could not be closed: nothing is asked of the library when this process ends.
void hdf5_library_spoil(void);
// Fills `e` with `what` and the innermost reason that the library gives.
enum err hdf5_fail(const struct hdf5_library *l, enum err err, const char *what,
                   struct err_info *e);

#endif
