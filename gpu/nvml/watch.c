// SPDX-License-Identifier: Apache-2.0
// Surveys by another process. NVIDIA's library is loaded by warpshop-device alone,
// and a call of it that hangs, as on a GPU that fell off its bus, holds up nobody who
// waits for a key. A byte asks; a survey is the answer.
#include "gpu/nvml/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/wire.h"

extern char **environ;

// ---- The process that asks ----

int nvml_serve(int fd) {
  struct survey *survey = xmalloc(sizeof *survey);
  struct surveyor *s = NULL;
  char ask;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  while (wire_read(fd, &ask, 1)) {
    if (!s)
      s = surveyor_open(getenv("WARPSHOP_NVML"));
    surveyor_look(s, survey);
    if (!wire_write(fd, survey, sizeof *survey))
      break;
  }
  surveyor_close(s);
  free(survey);
  return 0;
}

// ---- The process that shows ----

struct nvml_watch {
  pid_t pid;
  int fd;
  uint64_t asked_ns; // 0: nothing is on its way
  size_t bytes;      // of the answer, so far
  struct survey survey;
};

static int spawn(struct nvml_watch *w, const char *program, int socket) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  // Nothing that NVIDIA's library says reaches the screen.
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0); // no key of the terminal ends it
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF |
                                     POSIX_SPAWN_SETPGROUP);
  char *arguments[] = {(char *)program, (char *)"--watch-gpus", (char *)"3",
                       NULL};
  int status = posix_spawn(&w->pid, program, &files, &how, arguments, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return status;
}

static enum err start(struct nvml_watch *w, struct err_info *e) {
  int sockets[2];
  char *program = file_device_program();
  if (!program)
    return err_set(e, ERR_NOT_FOUND,
                   "the program warpshop-device is not beside this one nor in "
                   "libexec/warpshop; `warpshop doctor` shows what is missing");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
    free(program);
    return err_set(e, ERR_IO, "no channel to warpshop-device: %s",
                   strerror(errno));
  }
  int above_3 = fcntl(sockets[1], F_DUPFD_CLOEXEC, 10);
  int status = spawn(w, program, above_3);
  close(sockets[1]);
  close(above_3);
  w->fd = sockets[0];
  fcntl(w->fd, F_SETFL, O_NONBLOCK);
  enum err err = status ? err_set(e, ERR_NOT_FOUND, "cannot start %s: %s",
                                  program, strerror(status))
                        : ERR_OK;
  free(program);
  return err;
}

enum err nvml_watch_open(struct nvml_watch **out, struct err_info *e) {
  struct nvml_watch *w = xcalloc(1, sizeof *w);
  w->fd = -1;
  enum err err = start(w, e);
  if (err)
    nvml_watch_close(w);
  *out = err ? NULL : w;
  return err;
}

void nvml_watch_close(struct nvml_watch *w) {
  if (!w)
    return;
  if (w->fd >= 0)
    close(w->fd);
  // One that hangs in its driver may not die for minutes: it is left to init.
  if (w->pid > 0 && w->asked_ns)
    kill(w->pid, SIGKILL);
  else if (w->pid > 0)
    process_wait(w->pid);
  free(w);
}

int nvml_watch_fd(const struct nvml_watch *w) {
  return w->fd;
}

void nvml_watch_ask(struct nvml_watch *w) {
  if (w->asked_ns || w->fd < 0)
    return;
  w->bytes = 0;
  w->asked_ns = clock_ns();
  if (send(w->fd, "?", 1, MSG_NOSIGNAL) != 1)
    w->asked_ns = 1; // its end is seen by who takes the answer
}

double nvml_watch_waits_s(const struct nvml_watch *w) {
  return w->asked_ns ? (double)(clock_ns() - w->asked_ns) / 1e9 : 0;
}

// Its process is gone, whatever ended it.
static void lose(struct nvml_watch *w, struct survey *out) {
  memset(out, 0, sizeof *out);
  out->err = ERR_NOT_FOUND;
  strcpy(out->text, "the process that asks NVML has ended");
  close(w->fd);
  w->fd = -1;
  w->asked_ns = 0;
}

bool nvml_watch_take(struct nvml_watch *w, struct survey *out) {
  while (w->fd >= 0 && w->asked_ns && w->bytes < sizeof w->survey) {
    ssize_t n =
        read(w->fd, (char *)&w->survey + w->bytes, sizeof w->survey - w->bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return false;
    if (n <= 0) {
      lose(w, out);
      return true;
    }
    w->bytes += (size_t)n;
  }
  if (!w->asked_ns || w->bytes < sizeof w->survey)
    return false;
  w->asked_ns = 0;
  *out = w->survey;
  return true;
}

bool nvml_watch_wait(struct nvml_watch *w, double seconds, struct survey *out) {
  uint64_t end = clock_ns() + (uint64_t)(seconds * 1e9);
  while (!nvml_watch_take(w, out)) {
    struct pollfd in = {w->fd, POLLIN, 0};
    uint64_t now = clock_ns();
    if (now >= end || w->fd < 0)
      return false;
    poll(&in, 1, (int)((end - now) / 1000000) + 1);
  }
  return true;
}
