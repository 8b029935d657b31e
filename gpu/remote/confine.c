// SPDX-License-Identifier: Apache-2.0
// Confining the device server: Landlock with no path but two folders (libraries, a
// queue) and a device file, a seccomp list of denied calls, and no new privileges.
//
// The device is opened first and the door closed behind it, because opening a
// GPU needs nodes, /sys and /proc files that differ between drivers. What
// stays possible is what the device needs: memory, futexes, ioctl on files
// that are open already.
#include "gpu/remote/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#  include <linux/landlock.h>
#endif

static void close_others(int keep) {
#ifdef SYS_close_range // Linux 5.9
  bool is_below = keep == 3 || !syscall(SYS_close_range, 3u, keep - 1, 0);
  if (is_below && !syscall(SYS_close_range, keep + 1, ~0u, 0))
    return;
#endif
  long limit = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < limit; fd++)
    if (fd != keep)
      close(fd);
}

void confine_start(int keep) {
  close_others(keep);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

#ifdef LANDLOCK_CREATE_RULESET_VERSION
static void allow(int rules, const char *path, uint64_t access) {
  bool is_folder = access & LANDLOCK_ACCESS_FS_READ_DIR;
  int fd = path ? open(path, O_PATH | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0))
                : -1;
  if (fd < 0)
    return;
  struct landlock_path_beneath_attr rule = {
      .allowed_access = access,
      .parent_fd = fd,
  };
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(fd);
}
#endif

// All file accesses that the kernel's Landlock version knows are handled, and
// none but those in `paths` is allowed.
static void forbid_paths(const struct confine_paths *paths) {
#ifdef LANDLOCK_CREATE_RULESET_VERSION
  int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                         LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1)
    return;
  struct landlock_ruleset_attr all = {
      .handled_access_fs = (1u << (abi >= 3   ? 15
                                   : abi == 2 ? 14
                                              : 13)) -
                           1,
  };
  int rules = (int)syscall(SYS_landlock_create_ruleset, &all,
                           sizeof all.handled_access_fs, 0);
  if (rules < 0)
    return;
  for (int i = 0; i < 2; i++)
    allow(rules, paths->folders[i],
          LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
  allow(rules, paths->device,
        LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
#else
  (void)paths;
#endif
}

// ---- Calls that no device needs ----

static const int denied_calls[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(bpf),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(mount),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
};

// All that takes a path and changes something: where there is no Landlock, this list
// is the only wall, and no Landlock knows of modes and owners.
static const int opening_calls[] = {
    SCMP_SYS(open),        SCMP_SYS(openat),   SCMP_SYS(openat2),
    SCMP_SYS(creat),       SCMP_SYS(unlink),   SCMP_SYS(unlinkat),
    SCMP_SYS(rename),      SCMP_SYS(renameat), SCMP_SYS(renameat2),
    SCMP_SYS(mkdir),       SCMP_SYS(mkdirat),  SCMP_SYS(rmdir),
    SCMP_SYS(link),        SCMP_SYS(linkat),   SCMP_SYS(symlink),
    SCMP_SYS(symlinkat),   SCMP_SYS(mknod),    SCMP_SYS(mknodat),
    SCMP_SYS(truncate),    SCMP_SYS(chmod),    SCMP_SYS(fchmodat),
    SCMP_SYS(chown),       SCMP_SYS(lchown),   SCMP_SYS(fchownat),
    SCMP_SYS(utimensat),   SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
    SCMP_SYS(removexattr),
};

static void deny(scmp_filter_ctx filter, const int *calls, size_t count) {
  for (size_t i = 0; i < count; i++)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), calls[i], 0);
}

static void forbid_calls(bool deny_open) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter)
    return;
  deny(filter, denied_calls, sizeof denied_calls / sizeof *denied_calls);
  if (deny_open)
    deny(filter, opening_calls, sizeof opening_calls / sizeof *opening_calls);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                   SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  // Threads that the device has started already are bound as well.
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  seccomp_load(filter);
  seccomp_release(filter);
}

void confine_for_good(bool deny_open, const struct confine_paths *paths) {
  // Not earlier: it makes /proc/self root's, and CUDA's start writes there.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  forbid_paths(paths);
  forbid_calls(deny_open);
}
