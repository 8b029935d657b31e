// SPDX-License-Identifier: Apache-2.0
#include "lua/bind/h5/hdf5_room.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static enum err refuse(uint64_t bytes, int reason, struct err_info *e) {
  return err_set(e, ERR_IO, "there is no room for %.1f MB more: %s",
                 (double)bytes / 1e6, strerror(reason));
}

enum err hdf5_room_take(int fd, uint64_t bytes, struct err_info *e) {
  struct stat st;
  struct rlimit most;
  if (fd < 0 || fstat(fd, &st) || bytes > INT64_MAX / 2)
    return ERR_OK;
  uint64_t end = (uint64_t)st.st_size + bytes;
  if (!getrlimit(RLIMIT_FSIZE, &most) && end > most.rlim_cur)
    return refuse(bytes, EFBIG, e);
  if (fallocate(fd, FALLOC_FL_KEEP_SIZE, st.st_size, (off_t)bytes) &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    int reason = errno;
    hdf5_room_leave(fd); // a part of it may be taken
    return refuse(bytes, reason, e);
  }
  return ERR_OK;
}

void hdf5_room_leave(int fd) {
  struct stat st;
  if (fd >= 0 && !fstat(fd, &st))
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, st.st_size,
              INT64_MAX - st.st_size);
}
