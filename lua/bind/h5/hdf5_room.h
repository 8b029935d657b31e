// SPDX-License-Identifier: Apache-2.0
// Room on the disk behind a file's end: libhdf5 leaves a file broken, with all that is in
// it, when the disk is full in the middle of a data set.
#ifndef LUA_BIND_H5_HDF5_ROOM_H
#define LUA_BIND_H5_HDF5_ROOM_H

#include <stdint.h>

#include "base/err.h"

// So many bytes more than the file has are its own until hdf5_room_leave, also while
// others write. ERR_IO: there is no such room. Where the file system cannot promise any,
// the error comes when it is written.
enum err hdf5_room_take(int fd, uint64_t bytes, struct err_info *e);
// What of it was not used.
void hdf5_room_leave(int fd);

#endif
