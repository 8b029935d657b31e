// SPDX-License-Identifier: Apache-2.0
// One message a file, with its number. Both sides know from the ring that one is there.
#include "gpu/remote/handles.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool handles_pair(int ends[2]) {
  return !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

bool handles_send(int end, int fd, uint64_t number) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
  struct iovec part = {&number, sizeof number};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  ssize_t n;
  do
    n = sendmsg(end, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  return n == (ssize_t)sizeof number;
}

// The next one; false: there is none.
static bool take_next(int end, uint64_t *number, int *out) {
  int fd = -1;
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)];
  struct iovec part = {number, sizeof *number};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control};
  ssize_t n;
  do
    n = recvmsg(end, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
  *out = fd;
  return n == (ssize_t)sizeof *number;
}

int handles_take(int end, uint64_t number) {
  uint64_t got;
  int fd;
  while (take_next(end, &got, &fd)) {
    if (got == number)
      return fd;
    if (fd >= 0)
      close(fd);
  }
  return -1;
}
