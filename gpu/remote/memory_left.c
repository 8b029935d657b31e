// SPDX-License-Identifier: Apache-2.0
// Memory left, from /proc/meminfo and the limits of the cgroups (version 2)
// that this process is in: a container or a Slurm job ends there, not at the
// machine's own limit.
#include "gpu/remote/memory_left.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARGIN ((uint64_t)64 << 20)

// Reads a small file under /proc or /sys as text.
static bool read_text(const char *path, char *text, size_t room) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  return n > 0;
}

// The number behind `key` at the start of a line.
static uint64_t number_after(const char *text, const char *key) {
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!strncmp(line, key, strlen(key)))
      return strtoull(line + strlen(key), NULL, 10);
  }
  return 0;
}

uint64_t memory_total(void) {
  return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t machine_left(void) {
  char text[4096];
  if (!read_text("/proc/meminfo", text, sizeof text))
    return UINT64_MAX;
  return number_after(text, "MemAvailable:") * 1024;
}

static bool read_in(const char *folder, const char *name, char *text,
                    size_t room) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return read_text(path, text, room);
}

// What one cgroup allows beyond what it uses; file pages that it can drop
// count as unused.
static uint64_t cgroup_left(const char *folder) {
  char text[8192];
  if (!read_in(folder, "memory.max", text, sizeof text) ||
      !strncmp(text, "max", 3))
    return UINT64_MAX;
  uint64_t max = strtoull(text, NULL, 10);
  if (!read_in(folder, "memory.current", text, sizeof text))
    return UINT64_MAX;
  uint64_t used = strtoull(text, NULL, 10);
  if (read_in(folder, "memory.stat", text, sizeof text)) {
    uint64_t droppable = number_after(text, "inactive_file ");
    used -= droppable < used ? droppable : used;
  }
  return used < max ? max - used : 0;
}

static uint64_t cgroups_left(void) {
  static const char root[] = "/sys/fs/cgroup";
  char text[PATH_MAX], folder[PATH_MAX + 32];
  if (!read_text("/proc/self/cgroup", text, sizeof text))
    return UINT64_MAX;
  const char *own = strstr(text, "0::/");
  if (!own)
    return UINT64_MAX;
  own += 3;
  snprintf(folder, sizeof folder, "%s%.*s", root, (int)strcspn(own, "\n"), own);
  uint64_t least = UINT64_MAX;
  // Every cgroup above limits us, too.
  while (strlen(folder) >= sizeof root - 1) {
    uint64_t left = cgroup_left(folder);
    least = left < least ? left : least;
    char *slash = strrchr(folder, '/');
    *slash = 0;
  }
  return least;
}

uint64_t memory_left(void) {
  uint64_t machine = machine_left(), cgroups = cgroups_left();
  uint64_t left = machine < cgroups ? machine : cgroups;
  return left > MARGIN ? left - MARGIN : 0;
}
