// SPDX-License-Identifier: Apache-2.0
// Theory of operation. NVRTC reads whatever file an #include names and shows
// its lines in the log, so the process that runs it must not be able to read
// anything but headers. Landlock says so to the kernel, by folder. Where the
// kernel has no Landlock, seccomp traps each open; the trap's handler hands
// the path to a thread that was started before the filter and is therefore
// free, which opens the file only when it lies below a header folder. Either
// way a seccomp list takes away programs, sockets and changes to files.
// Sources: landlock(7), seccomp(2), seccomp_rule_add(3).
#include "gpu/nvrtc/worker/nvrtc_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// ---- Landlock ----

static int landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                      LANDLOCK_CREATE_RULESET_VERSION);
}

// Does this kernel offer Landlock?
static bool knows_landlock(void) {
  return landlock_version() >= 1;
}

// All rights over files that the kernel's version knows: 13 in the first, and
// one more in each of 2 (refer), 3 (truncate) and 5 (device ioctl).
static uint64_t all_rights(int version) {
  int bits = 13 + (version >= 2) + (version >= 3) + (version >= 5);
  return ((uint64_t)1 << bits) - 1;
}

static bool allow_folder(int rules, const char *folder) {
  struct landlock_path_beneath_attr below = {
      .allowed_access =
          LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
      .parent_fd = open(folder, O_PATH | O_CLOEXEC | O_DIRECTORY),
  };
  if (below.parent_fd < 0)
    return false;
  long rc = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
                    &below, 0);
  close(below.parent_fd);
  return rc == 0;
}

static enum err confine_by_landlock(const char *const *folders, int count,
                                    struct err_info *e) {
  struct landlock_ruleset_attr attr = {.handled_access_fs =
                                           all_rights(landlock_version())};
  // The size of the first version's attributes, which every version takes.
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
                           sizeof attr.handled_access_fs, 0);
  if (rules < 0)
    return err_set(e, ERR_INTERNAL, "Landlock: %s", strerror(errno));
  for (int i = 0; i < count; i++)
    allow_folder(rules, folders[i]); // one that is gone needs no right
  long rc = syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  if (rc)
    return err_set(e, ERR_INTERNAL, "Landlock: %s", strerror(errno));
  return ERR_OK;
}

// ---- The broker ----

struct ask {
  const char *path;
  long flags;
};

// One worker process has one broker: its pipes, and the folders it opens in.
static struct {
  int ask[2], answer[2];
  const char *const *folders;
  int count;
} broker;

static bool is_allowed(const char *real) {
  for (int i = 0; i < broker.count; i++) {
    size_t n = strlen(broker.folders[i]);
    if (!strncmp(real, broker.folders[i], n) && real[n] == '/')
      return true;
  }
  return false;
}

// Takes no memory: the thread that waits may hold the allocator's lock. The
// path is resolved by the kernel first, so that links and ".." cannot lie.
static long broker_open(const struct ask *a) {
  char link[64], real[PATH_MAX];
  if (a->flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
    return -EACCES;
  int at = open(a->path, O_PATH | O_CLOEXEC);
  if (at < 0)
    return -errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", at);
  ssize_t n = readlink(link, real, sizeof real - 1);
  close(at);
  if (n <= 0)
    return -EACCES;
  real[n] = 0;
  if (!is_allowed(real))
    return -EACCES;
  int fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  return fd < 0 ? -errno : fd;
}

static void *broker_run(void *unused) {
  struct ask a;
  while (read(broker.ask[0], &a, sizeof a) == sizeof a) {
    long result = broker_open(&a);
    if (write(broker.answer[1], &result, sizeof result) < 0)
      break;
  }
  return unused;
}

static long ask_broker(const char *path, long flags) {
  struct ask a = {path, flags};
  long result;
  if (write(broker.ask[1], &a, sizeof a) != sizeof a ||
      read(broker.answer[0], &result, sizeof result) != sizeof result)
    return -EACCES;
  return result;
}

#if defined(__x86_64__)
#  define ARGUMENT(u, n)                                                       \
    ((u)->uc_mcontext.gregs[(n) == 0 ? REG_RDI : (n) == 1 ? REG_RSI : REG_RDX])
#  define RESULT(u) ((u)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#  define ARGUMENT(u, n) ((u)->uc_mcontext.regs[n])
#  define RESULT(u)      ((u)->uc_mcontext.regs[0])
#endif

#ifdef RESULT
// The system call that was trapped is answered here. Relative paths start at
// the working folder, which is "/"; other folders' handles are refused.
static void on_trap(int sig, siginfo_t *info, void *context) {
  (void)sig;
  ucontext_t *u = context;
  int saved = errno;
  long result = -EACCES;
  if (info->si_syscall == SYS_openat && (int)ARGUMENT(u, 0) == AT_FDCWD)
    result = ask_broker((const char *)ARGUMENT(u, 1), (long)ARGUMENT(u, 2));
#  ifdef SYS_open
  if (info->si_syscall == SYS_open)
    result = ask_broker((const char *)ARGUMENT(u, 0), (long)ARGUMENT(u, 1));
#  endif
  RESULT(u) = result;
  errno = saved;
}

static enum err start_broker(const char *const *folders, int count,
                             struct err_info *e) {
  pthread_t thread;
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  broker.folders = folders;
  broker.count = count;
  if (pipe2(broker.ask, O_CLOEXEC) || pipe2(broker.answer, O_CLOEXEC) ||
      pthread_create(&thread, NULL, broker_run, NULL) ||
      sigaction(SIGSYS, &action, NULL))
    return err_set(e, ERR_INTERNAL, "no broker for headers: %s",
                   strerror(errno));
  pthread_detach(thread);
  return ERR_OK;
}
#else
static enum err start_broker(const char *const *folders, int count,
                             struct err_info *e) {
  (void)folders, (void)count;
  return err_set(e, ERR_UNSUPPORTED,
                 "this kernel has no Landlock, and without it the compiler "
                 "cannot be confined on this kind of processor");
}
#endif

// ---- seccomp ----

static const int denied[] = {
#define CALL(name) SCMP_SYS(name),
#include "gpu/nvrtc/worker/nvrtc_denied.def"
#undef CALL
};

static const int trapped[] = {SCMP_SYS(open), SCMP_SYS(openat),
                              SCMP_SYS(openat2), SCMP_SYS(creat)};

// A call that this architecture does not have is no error.
static void add_rules(scmp_filter_ctx filter, uint32_t action, const int *calls,
                      size_t count) {
  for (size_t i = 0; i < count; i++)
    seccomp_rule_add(filter, action, calls[i], 0);
}

static enum err confine_calls(bool traps_open, struct err_info *e) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter)
    return err_set(e, ERR_NOMEM, "seccomp: no memory for its filter");
  add_rules(filter, SCMP_ACT_ERRNO(EPERM), denied,
            sizeof denied / sizeof *denied);
  if (traps_open)
    add_rules(filter, SCMP_ACT_TRAP, trapped, sizeof trapped / sizeof *trapped);
  int rc = seccomp_load(filter);
  seccomp_release(filter);
  // A kernel without seccomp filters still has Landlock's rules on files.
  if (rc && traps_open)
    return err_set(e, ERR_UNSUPPORTED,
                   "this kernel has neither Landlock nor seccomp (%s): the "
                   "compiler cannot be confined",
                   strerror(-rc));
  return ERR_OK;
}

// ---- All of it ----

static void limit(int what, rlim_t value) {
  struct rlimit r = {value, value};
  setrlimit(what, &r);
}

void confine_cpu(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  struct rlimit r;
  getrlimit(RLIMIT_CPU, &r);
  rlim_t s = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
  r.rlim_cur = s + CONFINE_CPU_S;
  setrlimit(RLIMIT_CPU, &r);
}

enum err confine_process(const char *const *folders, int count,
                         bool without_landlock, bool *has_landlock,
                         struct err_info *e) {
  *has_landlock = !without_landlock && knows_landlock();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return err_set(e, ERR_INTERNAL, "no_new_privs: %s", strerror(errno));
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  enum err err = *has_landlock ? confine_by_landlock(folders, count, e)
                               : start_broker(folders, count, e);
  if (!err)
    err = confine_calls(!*has_landlock, e);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  return err;
}

enum err confine_memory(int statm, struct err_info *e) {
#ifdef __SANITIZE_ADDRESS__ // whose shadow alone is terabytes of addresses
  (void)statm, (void)e;
#else
  char text[32] = "";
  long page_bytes = sysconf(_SC_PAGESIZE);
  ssize_t n = pread(statm, text, sizeof text - 1, 0);
  long pages = n > 0 ? strtol(text, NULL, 10) : 0;
  if (pages <= 0)
    return err_set(e, ERR_INTERNAL, "/proc does not say how much is mapped");
  limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)page_bytes +
                       ((rlim_t)CONFINE_MEMORY_GIB << 30));
#endif
  return ERR_OK;
}
