// SPDX-License-Identifier: Apache-2.0
// gpu/remote/confine.c: what a process has given up, each wall by itself. Where two
// stand behind one another, here is asked what only one of them keeps.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/process.h"
#include "gpu/remote/remote.h"
#include "tests/unit/scratch.h"

#if __has_include(<linux/landlock.h>)
#  include <linux/landlock.h>
#endif

static char *file; // in `folder`

// ---- In a child ----

#define SEE(what)                                                              \
  do {                                                                         \
    if (!(what)) {                                                             \
      dprintf(2, "# line %d: not so: %s\n", __LINE__, #what);                  \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

static int error_of(long result) {
  return result < 0 ? errno : 0;
}

static void in_child(void (*look)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    look();
    _exit(0);
  }
  assert_int_equal(process_wait(pid), 0);
}

static void confine(bool deny_open) {
  confine_for_good(deny_open, &(struct confine_paths){.folders = {folder}});
}

// ---- Files ----

static bool has_landlock(void) {
#ifdef LANDLOCK_CREATE_RULESET_VERSION
  return syscall(SYS_landlock_create_ruleset, NULL, 0,
                 LANDLOCK_CREATE_RULESET_VERSION) > 0;
#else
  return false;
#endif
}

static void look_at_paths(void) {
  char *other = xasprintf("%s/other", folder);
  confine(false);
  SEE(open(file, O_RDONLY) >= 0);
  SEE(open(folder, O_RDONLY | O_DIRECTORY) >= 0);
  SEE(error_of(open(file, O_WRONLY)) == EACCES);
  SEE(error_of(open(other, O_WRONLY | O_CREAT, 0600)) == EACCES);
  SEE(error_of(unlink(file)) == EACCES);
  SEE(error_of(open("/etc/passwd", O_RDONLY)) == EACCES);
  SEE(error_of(open("/", O_RDONLY | O_DIRECTORY)) == EACCES);
}

static void reads_in_its_folders_alone(void **state) {
  (void)state;
  if (!has_landlock())
    skip();
  in_child(look_at_paths);
}

static void look_at_device(void) {
  confine_for_good(false, &(struct confine_paths){.device = file});
  SEE(open(file, O_RDWR) >= 0);
  SEE(error_of(open(folder, O_RDONLY | O_DIRECTORY)) == EACCES);
  SEE(error_of(unlink(file)) == EACCES);
  SEE(error_of(open("/dev/null", O_RDWR)) == EACCES);
}

static void opens_its_device_alone(void **state) {
  (void)state;
  if (!has_landlock())
    skip();
  in_child(look_at_device);
}

// The list of calls refuses what Landlock allows, and what is not there.
static void look_at_opening(void) {
  char *other = xasprintf("%s/other", folder);
  confine(true);
  SEE(error_of(open(file, O_RDONLY)) == EACCES);
  SEE(error_of(open(other, O_RDONLY)) == EACCES);
  SEE(error_of(unlink(other)) == EACCES);
  SEE(error_of(rename(other, file)) == EACCES);
  // With no path that could be read, so that none of them does anything.
  static const long calls[] = {
      SYS_mkdirat,   SYS_renameat2,   SYS_linkat,   SYS_symlinkat, SYS_mknodat,
      SYS_truncate,  SYS_fchmodat,    SYS_fchownat, SYS_utimensat, SYS_setxattr,
      SYS_lsetxattr, SYS_removexattr,
#ifdef SYS_chmod // not on aarch64, as the others without "at"
      SYS_renameat,  SYS_mkdir,       SYS_rmdir,    SYS_link,      SYS_symlink,
      SYS_mknod,     SYS_chmod,       SYS_chown,    SYS_lchown,
#endif
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    int error = error_of(syscall(calls[i], -1, -1, -1, -1, -1, 0));
    if (error != EACCES)
      dprintf(2, "# call %ld: %d\n", calls[i], error);
    SEE(error == EACCES);
  }
}

static void opens_nothing(void **state) {
  (void)state;
  in_child(look_at_opening);
}

// ---- Calls ----

// With such arguments each of them fails or does nothing, confined or not, and none
// for want of rights.
static void look_at_calls(void) {
  static const long calls[] = {
      SYS_execve,
      SYS_execveat,
      SYS_ptrace,
      SYS_process_vm_readv,
      SYS_process_vm_writev,
      SYS_pidfd_getfd,
      SYS_connect,
      SYS_bind,
      SYS_listen,
      SYS_keyctl,
      SYS_add_key,
      SYS_request_key,
      SYS_bpf,
      SYS_userfaultfd,
      SYS_io_uring_setup,
      SYS_perf_event_open,
      SYS_mount,
      SYS_unshare,
      SYS_setns,
      SYS_kill,
      SYS_tkill,
  };
  confine(false);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    int error = error_of(syscall(calls[i], INT_MAX, 0, 0, 0, 0, 0));
    if (error != EACCES)
      dprintf(2, "# call %ld: %d\n", calls[i], error);
    SEE(error == EACCES);
  }
  SEE(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  SEE(error_of(socket(AF_INET, SOCK_STREAM, 0)) == EACCES);
  SEE(error_of(socket(AF_NETLINK, SOCK_RAW, 0)) == EACCES);
}

static void calls_are_refused(void **state) {
  (void)state;
  in_child(look_at_calls);
}

// A driver has threads before the door is closed.
static void *call_when_told(void *context) {
  const int *ends = context;
  char byte;
  SEE(read(ends[0], &byte, 1) == 1);
  SEE(error_of(socket(AF_INET, SOCK_STREAM, 0)) == EACCES);
  SEE(error_of(syscall(SYS_kill, INT_MAX, 0)) == EACCES);
  return NULL;
}

static void look_from_a_thread(void) {
  pthread_t thread;
  int ends[2];
  SEE(!pipe(ends));
  SEE(!pthread_create(&thread, NULL, call_when_told, ends));
  confine(true);
  SEE(write(ends[1], "x", 1) == 1);
  SEE(!pthread_join(thread, NULL));
}

static void older_threads_are_bound(void **state) {
  (void)state;
  in_child(look_from_a_thread);
}

static void look_at_rights(void) {
  confine(true);
  SEE(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  SEE(prctl(PR_GET_DUMPABLE) == 0);
}

static void gains_no_rights(void **state) {
  (void)state;
  in_child(look_at_rights);
}

// ---- What it begins without ----

static bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

static void start_with(int keep) {
  struct rlimit core;
  for (int fd = 3; fd < 40; fd++)
    SEE(dup2(2, fd) == fd);
  confine_start(keep);
  for (int fd = 0; fd < 40; fd++)
    SEE(is_open(fd) == (fd < 3 || fd == keep));
  int signal_at_end = 0;
  SEE(!prctl(PR_GET_PDEATHSIG, &signal_at_end));
  SEE(signal_at_end == SIGKILL);
  SEE(!getrlimit(RLIMIT_CORE, &core) && !core.rlim_cur && !core.rlim_max);
}

static void start_with_3(void) {
  start_with(3);
}

static void start_with_20(void) {
  start_with(20);
}

static void keeps_one_file(void **state) {
  (void)state;
  in_child(start_with_3);
  in_child(start_with_20);
}

static int make_file(void **state) {
  if (set_up(state))
    return -1;
  file = xasprintf("%s/file", folder);
  int fd = open(file, O_WRONLY | O_CREAT, 0600);
  return fd < 0 ? -1 : close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_in_its_folders_alone),
      cmocka_unit_test(opens_its_device_alone),
      cmocka_unit_test(opens_nothing),
      cmocka_unit_test(calls_are_refused),
      cmocka_unit_test(older_threads_are_bound),
      cmocka_unit_test(gains_no_rights),
      cmocka_unit_test(keeps_one_file),
  };
  return cmocka_run_group_tests(tests, make_file, tear_down);
}
