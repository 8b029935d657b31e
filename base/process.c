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

char process_state(pid_t pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  text[n] = 0;
  if (f)
    fclose(f);
  const char *name_end = strrchr(text, ')'); // proc_pid_stat(5)
  return (char)(name_end && name_end[1] == ' ' ? name_end[2] : 0);
}

int process_wait(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}
