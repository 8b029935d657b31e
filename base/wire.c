// SPDX-License-Identifier: Apache-2.0
#include "base/wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum { WAIT_MS = 3 };

enum err wire_read_while(int fd, void *data, size_t bytes, wire_wait wait,
                         void *context) {
  for (char *p = data; bytes;) {
    struct pollfd one = {fd, POLLIN, 0};
    int ready = poll(&one, 1, wait ? WAIT_MS : -1);
    if (ready < 0 && errno != EINTR)
      return ERR_IO;
    enum err err = wait ? wait(context) : ERR_OK;
    if (err)
      return err;
    if (ready <= 0)
      continue;
    ssize_t n = recv(fd, p, bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n <= 0)
      return ERR_IO;
    p += n;
    bytes -= (size_t)n;
  }
  return ERR_OK;
}

bool wire_read(int fd, void *data, size_t bytes) {
  return !wire_read_while(fd, data, bytes, NULL, NULL);
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
