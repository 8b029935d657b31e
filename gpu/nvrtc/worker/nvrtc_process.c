// SPDX-License-Identifier: Apache-2.0
// Starts, watches and buries compile workers. A worker has its own process
// group (Ctrl-C at the terminal is not for it), an empty environment, and
// standard error in a pipe, where an aborting compiler leaves its reason.
#include "gpu/nvrtc/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "gpu/nvrtc/worker/nvrtc_confine.h"

enum { WORKER_FD = 3, SEND_TIMEOUT_S = 10 };

// ---- Starting ----

static int set_up_files(posix_spawn_file_actions_t *a, int socket, int words) {
  int rc = posix_spawn_file_actions_init(a);
  if (!rc)
    rc = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
  if (!rc)
    rc = posix_spawn_file_actions_addopen(a, 1, "/dev/null", O_WRONLY, 0);
  if (!rc)
    rc = posix_spawn_file_actions_adddup2(a, words, 2);
  if (!rc)
    rc = posix_spawn_file_actions_adddup2(a, socket, WORKER_FD);
  if (!rc)
    rc = posix_spawn_file_actions_addclosefrom_np(a, WORKER_FD + 1);
  return rc;
}

static int set_up_signals(posix_spawnattr_t *a) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int rc = posix_spawnattr_init(a);
  if (!rc)
    rc = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP |
                                         POSIX_SPAWN_SETSIGMASK |
                                         POSIX_SPAWN_SETSIGDEF);
  if (!rc)
    rc = posix_spawnattr_setsigmask(a, &none);
  if (!rc)
    rc = posix_spawnattr_setsigdefault(a, &all);
  return rc;
}

static int spawn(pid_t *pid, const char *program, int socket, int words) {
  char *argv[] = {(char *)program, (char *)"--compile", (char *)"3", NULL};
  // The sanitizer's memory limit stands in for RLIMIT_AS, which it excludes: what
  // is loaded, its own records and freed blocks, and CONFINE_MEMORY_GIB.
  char *environment[] = {
      (char *)"ASAN_OPTIONS=detect_leaks=0:symbolize=0:hard_rss_limit_mb=1536:"
              "allocator_may_return_null=1",
      NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t signals;
  int rc = set_up_files(&files, socket, words);
  if (!rc)
    rc = set_up_signals(&signals);
  if (!rc)
    rc = posix_spawn(pid, program, &files, &signals, argv, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&signals);
  return rc;
}

// dup2 onto itself would keep close-on-exec set, so our ends lie above.
static int above(int fd) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, WORKER_FD + 1);
  close(fd);
  return moved;
}

enum err nvrtc_process_start(struct nvrtc_process *p, const char *program,
                             const struct wire_part *hello, uint32_t count,
                             struct err_info *e) {
  int pair[2], words[2];
  *p = (struct nvrtc_process){.fd = -1, .words = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return err_set(e, ERR_INTERNAL, "no socket for the compiler: %s",
                   strerror(errno));
  if (pipe2(words, O_CLOEXEC | O_NONBLOCK)) {
    close(pair[0]);
    close(pair[1]);
    return err_set(e, ERR_INTERNAL, "no pipe for the compiler: %s",
                   strerror(errno));
  }
  pair[1] = above(pair[1]);
  words[1] = above(words[1]);
  int rc = spawn(&p->pid, program, pair[1], words[1]);
  close(pair[1]);
  close(words[1]);
  p->fd = pair[0];
  p->words = words[0];
  if (rc) {
    p->pid = 0;
    nvrtc_process_stop(p);
    return err_set(e, ERR_NOT_FOUND, "cannot start the compiler %s: %s",
                   program, strerror(rc));
  }
  struct timeval patience = {SEND_TIMEOUT_S, 0};
  setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  // A worker that is gone already shows when its READY is awaited.
  wire_send(p->fd, WIRE_HELLO, hello, count);
  return ERR_OK;
}

// ---- Waiting ----

enum err nvrtc_process_ready(struct nvrtc_process *p, wire_wait wait,
                             void *context, struct err_info *e) {
  struct wire_frame f;
  if (p->is_ready)
    return ERR_OK;
  enum err err = wire_receive(p->fd, &f, wait, context);
  if (err)
    return err;
  if (f.kind != WIRE_READY || f.count != READY_COUNT ||
      f.parts[READY_HEAD].bytes != sizeof p->ready) {
    err = ERR_PROTOCOL;
  } else {
    memcpy(&p->ready, f.parts[READY_HEAD].data, sizeof p->ready);
    p->is_ready = p->ready.err == ERR_OK;
    if (!p->is_ready)
      err = err_set(e,
                    p->ready.err > 0 && p->ready.err < ERR_COUNT
                        ? (enum err)p->ready.err
                        : ERR_INTERNAL,
                    "%s", (const char *)f.parts[READY_TEXT].data);
  }
  wire_free(&f);
  return err;
}

// ---- Its end ----

static void close_ends(struct nvrtc_process *p) {
  if (p->fd >= 0)
    close(p->fd);
  if (p->words >= 0)
    close(p->words);
  p->fd = p->words = -1;
  p->pid = 0;
  p->is_ready = false;
}

void nvrtc_process_check(struct nvrtc_process *p) {
  if (p->pid > 0 && waitpid(p->pid, NULL, WNOHANG) == p->pid)
    close_ends(p);
}

void nvrtc_process_stop(struct nvrtc_process *p) {
  if (p->pid > 0) {
    kill(p->pid, SIGKILL);
    process_wait(p->pid);
  }
  close_ends(p);
}

static bool said_out_of_memory(const char *words) {
  return strstr(words, "out of memory") || strstr(words, "bad_alloc") ||
         strstr(words, "rss limit") || strstr(words, "llocation failed");
}

enum err nvrtc_process_no_memory(struct err_info *e) {
  return err_set(e, ERR_NOMEM,
                 "the compiler needed more than %d GiB of memory for this "
                 "source and was stopped",
                 CONFINE_MEMORY_GIB);
}

static enum err explain(int status, const char *words, struct err_info *e) {
  int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (said_out_of_memory(words))
    return nvrtc_process_no_memory(e);
  if (sig == SIGXCPU)
    return err_set(e, ERR_TIMEOUT,
                   "the compiler took more than %d s of processor time for "
                   "this source and was stopped",
                   CONFINE_CPU_S);
  if (sig == SIGKILL)
    return err_set(e, ERR_INTERNAL,
                   "the compiler was killed from outside; is the machine "
                   "short of memory?");
  if (sig)
    return err_set(e, ERR_INTERNAL,
                   "the compiler crashed on this source (%s); the next "
                   "compile starts a new one",
                   sig == SIGABRT ? "it aborted" : strsignal(sig));
  return err_set(e, ERR_INTERNAL,
                 "the compiler ended on this source (exit code %d)",
                 WEXITSTATUS(status));
}

enum err nvrtc_process_autopsy(struct nvrtc_process *p, struct err_info *e) {
  char words[4096];
  // Only its end closes its socket, so this does not wait for long.
  int status = process_wait(p->pid);
  ssize_t n = read(p->words, words, sizeof words - 1);
  words[n > 0 ? n : 0] = 0;
  close_ends(p);
  if (WIFEXITED(status) && !WEXITSTATUS(status))
    return ERR_NOT_READY;
  return explain(status, words, e);
}
