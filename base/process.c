// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

uint64_t process_cpu_ns(pid_t pid) {
  clockid_t clock;
  struct timespec t;
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
    return 0;
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// What follows the name in its line, whatever brackets that has (proc_pid_stat(5));
// NULL: there is no such process.
static const char *read_stat(pid_t pid, char *text, size_t bytes) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(text, 1, bytes - 1, f) : 0;
  text[n] = 0;
  if (f)
    fclose(f);
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

char process_state(pid_t pid) {
  char text[512];
  const char *state = read_stat(pid, text, sizeof text);
  return (char)(state ? *state : 0);
}

uint64_t process_start(pid_t pid) {
  char text[512];
  const char *state = read_stat(pid, text, sizeof text);
  unsigned long long start = 0;
  if (!state || sscanf(state, // the 22nd field; the state is the third
                       "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                       "%*s %*s %*s %*s %*s %*s %llu",
                       &start) != 1)
    return 0;
  return start;
}

int process_wait(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}
