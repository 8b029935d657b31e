// SPDX-License-Identifier: Apache-2.0
// What Debian 11's glibc has not: names of system calls that the kernel has had since,
// and a function. Included before each source (gcc -include).
#ifndef TOOLS_DIST_NEWER_H
#define TOOLS_DIST_NEWER_H

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>

#ifndef SYS_openat2
#  define SYS_openat2 __NR_openat2
#endif
#ifndef SYS_close_range
#  define SYS_close_range __NR_close_range
#endif
#ifndef SYS_pidfd_getfd
#  define SYS_pidfd_getfd __NR_pidfd_getfd
#endif
#ifndef SYS_landlock_create_ruleset
#  define SYS_landlock_create_ruleset __NR_landlock_create_ruleset
#  define SYS_landlock_add_rule       __NR_landlock_add_rule
#  define SYS_landlock_restrict_self  __NR_landlock_restrict_self
#endif

#if !__GLIBC_PREREQ(2, 34)
// Closes what is open now; the callers open nothing before they spawn.
static inline int
posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *a,
                                         int from) {
  DIR *folder = opendir("/proc/self/fd");
  if (!folder)
    return errno;
  int rc = 0;
  for (struct dirent *entry; !rc && (entry = readdir(folder));) {
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd >= from && fd != dirfd(folder))
      rc = posix_spawn_file_actions_addclose(a, fd);
  }
  closedir(folder);
  return rc;
}
#endif

#endif
