// SPDX-License-Identifier: Apache-2.0
// Memory left, from /proc/meminfo and the limits of the cgroups (version 1 and
// 2) that this process is in: a container or a Slurm job ends there, not at the
// machine's own limit.
#include "base/memory_left.h"

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
  char path[PATH_MAX + 96];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return read_text(path, text, room);
}

// ---- Control groups ----

// The files of either version; what neither limits reads "max" in the one, and
// as more than any machine has in the other.
static const struct version {
  const char *controller; // of its line in /proc/self/cgroup
  const char *mount, *max, *current, *droppable;
} versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
     "memory.usage_in_bytes", "total_inactive_file "}};

static uint64_t cgroup_max(const struct version *v, const char *folder) {
  char text[64];
  if (!read_in(folder, v->max, text, sizeof text) || !strncmp(text, "max", 3))
    return UINT64_MAX;
  return strtoull(text, NULL, 10);
}

// What one cgroup allows beyond what it uses; file pages that it can drop
// count as unused.
static uint64_t cgroup_left(const struct version *v, const char *folder) {
  char text[8192];
  uint64_t max = cgroup_max(v, folder);
  if (max == UINT64_MAX || !read_in(folder, v->current, text, sizeof text))
    return UINT64_MAX;
  uint64_t used = strtoull(text, NULL, 10);
  if (read_in(folder, "memory.stat", text, sizeof text)) {
    uint64_t droppable = number_after(text, v->droppable);
    used -= droppable < used ? droppable : used;
  }
  return used < max ? max - used : 0;
}

// Is the name one of those, with commas between them, up to the end?
static bool is_among(const char *name, const char *names, const char *end) {
  size_t n = strlen(name), each;
  for (;; names += each + 1) {
    each = strcspn(names, ",:");
    if (each == n && !memcmp(names, name, n))
      return true;
    if (names + each >= end)
      return false;
  }
}

// Our cgroup, of a line "number:controllers:path"; NULL when there is none.
// Controllers that are mounted together share a line.
static const char *find_own(const char *text, const char *controller) {
  for (; text && *text; text = strchr(text, '\n'), text += text != NULL) {
    const char *names = strchr(text, ':');
    const char *path = names ? strchr(names + 1, ':') : NULL;
    if (path && is_among(controller, names + 1, path))
      return path + 1;
  }
  return NULL;
}

// The least over our cgroup and all above it, which limit us, too.
static uint64_t least_of_cgroups(const char *root, const struct version *v,
                                 uint64_t (*of)(const struct version *v,
                                                const char *folder)) {
  char text[PATH_MAX], folder[2 * PATH_MAX];
  uint64_t least = UINT64_MAX;
  size_t top = strlen(root) + strlen(v->mount);
  const char *own = read_in(root, "proc/self/cgroup", text, sizeof text)
                        ? find_own(text, v->controller)
                        : NULL;
  if (!own)
    return least;
  snprintf(folder, sizeof folder, "%s%s%.*s", root, v->mount,
           (int)strcspn(own, "\n"), own);
  while (strlen(folder) >= top) {
    uint64_t is = of(v, folder);
    least = is < least ? is : least;
    *strrchr(folder, '/') = 0;
  }
  return least;
}

static uint64_t least_of_all(const char *root,
                             uint64_t (*of)(const struct version *v,
                                            const char *folder)) {
  uint64_t least = UINT64_MAX;
  for (size_t n = 0; n < sizeof versions / sizeof *versions; n++) {
    uint64_t is = least_of_cgroups(root, &versions[n], of);
    least = is < least ? is : least;
  }
  return least;
}

// ---- Slurm ----

static uint64_t number_in(const char *variable) {
  const char *text = getenv(variable);
  return text ? strtoull(text, NULL, 10) : 0;
}

// Not every cluster confines a job to what it asked for.
static uint64_t slurm_max(void) {
  uint64_t mib = number_in("SLURM_MEM_PER_NODE");
  if (!mib)
    mib = number_in("SLURM_MEM_PER_CPU") * number_in("SLURM_CPUS_ON_NODE");
  return mib ? mib << 20 : UINT64_MAX;
}

uint64_t memory_allowed(const char *root) {
  uint64_t least = memory_total();
  uint64_t cgroups = least_of_all(root, cgroup_max), slurm = slurm_max();
  least = cgroups < least ? cgroups : least;
  return slurm < least ? slurm : least;
}

uint64_t memory_left(void) {
  uint64_t machine = machine_left(), cgroups = least_of_all("", cgroup_left);
  uint64_t left = machine < cgroups ? machine : cgroups;
  return left > MARGIN ? left - MARGIN : 0;
}
