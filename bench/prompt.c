// SPDX-License-Identifier: Apache-2.0
// Milliseconds from exec to a visible prompt: runs a program in a
// pseudo-terminal and waits for a text. Usage: prompt TEXT PROGRAM [ARG...]
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 10000 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// Reads until `text` has been seen; the time that took, or -1.
static double wait_for(int fd, const char *text, double start) {
  char seen[65536];
  size_t n = 0;
  while (n < sizeof seen - 1 && now_ms() - start < LIMIT_MS) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, 100) <= 0)
      continue;
    ssize_t got = read(fd, seen + n, sizeof seen - 1 - n);
    if (got <= 0)
      break;
    n += (size_t)got;
    if (memmem(seen, n, text, strlen(text)))
      return now_ms() - start;
  }
  return -1;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: prompt TEXT PROGRAM [ARG...]\n");
    return 2;
  }
  int fd;
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  double start = now_ms();
  pid_t pid = forkpty(&fd, NULL, NULL, &size);
  if (pid == 0) {
    execv(argv[2], argv + 2);
    _exit(127);
  }
  double ms = pid > 0 ? wait_for(fd, argv[1], start) : -1;
  if (pid > 0) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  printf("%.1f\n", ms);
  return ms < 0;
}
