// SPDX-License-Identifier: Apache-2.0
#include "base/wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

bool wire_read(int fd, void *data, size_t bytes) {
  for (char *p = data; bytes;) {
    ssize_t n = read(fd, p, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    p += n;
    bytes -= (size_t)n;
  }
  return true;
}

bool wire_write(int fd, const void *data, size_t bytes) {
  for (const char *p = data; bytes;) {
    ssize_t n = send(fd, p, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    p += n;
    bytes -= (size_t)n;
  }
  return true;
}
