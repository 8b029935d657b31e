// SPDX-License-Identifier: Apache-2.0
// Two walls behind a Lua state that has no way out itself. seccomp: a list of
// what is allowed, and an error for the rest, so files, programs, processes,
// threads, sockets and signals are none of it. Landlock, where the kernel has
// it: no path at all. Everything that the state needs was loaded before.
// Sources: seccomp(2), seccomp_rule_add(3), landlock(7).
#include "grade/learner/learner_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#  include <linux/landlock.h>
#endif

static void forbid_paths(void) {
#ifdef LANDLOCK_CREATE_RULESET_VERSION
  int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                             LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return;
  // All rights over files: 13 in the first version, one more in 2, 3 and 5.
  int bits = 13 + (version >= 2) + (version >= 3) + (version >= 5);
  struct landlock_ruleset_attr all = {
      .handled_access_fs = ((uint64_t)1 << bits) - 1,
  };
  int rules = (int)syscall(SYS_landlock_create_ruleset, &all,
                           sizeof all.handled_access_fs, 0);
  if (rules < 0)
    return;
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
#endif
}

static const int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(sendto),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(brk),
    SCMP_SYS(madvise),
    SCMP_SYS(fallocate),
    SCMP_SYS(futex),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrandom),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(sysinfo),
    SCMP_SYS(sched_yield),
    SCMP_SYS(wait4), // whether the device server lives
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(restart_syscall),
};

static int allow_list(scmp_filter_ctx filter) {
  // A call that this architecture does not have is no error.
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
  // Memory, but none that could be run.
  const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
  int rc = 0;
  for (int i = 0; i < 2 && !rc; i++)
    rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  return rc;
}

static enum err forbid_calls(struct err_info *e) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  int rc = filter ? allow_list(filter) : -ENOMEM;
  if (!rc)
    rc = seccomp_load(filter);
  seccomp_release(filter);
  return rc ? err_set(e, ERR_UNSUPPORTED,
                      "this kernel has no seccomp filters (%s): a learner's "
                      "Lua cannot be confined, and is not run",
                      strerror(-rc))
            : ERR_OK;
}

static void limit(int what, rlim_t value) {
  setrlimit(what, &(struct rlimit){value, value});
}

static enum err limit_memory(size_t bytes, struct err_info *e) {
#ifndef __SANITIZE_ADDRESS__ // whose shadow alone is terabytes of addresses
  char text[32] = "";
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  long pages = n > 0 ? strtol(text, NULL, 10) : 0;
  if (pages <= 0)
    return err_set(e, ERR_INTERNAL, "/proc does not say how much is mapped");
  limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes);
#else
  (void)bytes, (void)e;
#endif
  return ERR_OK;
}

enum err learner_confine(size_t memory_bytes, int cpu_limit_s,
                         struct err_info *e) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  rlim_t s = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
  limit(RLIMIT_CPU, s + (rlim_t)cpu_limit_s);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NPROC, 0);
  enum err err = limit_memory(memory_bytes, e);
  if (err)
    return err;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return err_set(e, ERR_UNSUPPORTED, "no_new_privs: %s", strerror(errno));
  forbid_paths();
  return forbid_calls(e);
}
