// SPDX-License-Identifier: Apache-2.0
// The server process: started with posix_spawn, watched through waitpid, its
// output read from a pipe, and ended without ever waiting for long (a process
// that hangs in its driver may not die for minutes).
#include "gpu/remote/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/progress.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"
#include "gpu/remote/handles.h"
#include "gpu/remote/ring.h"

#define REAP_LIMIT_NS ((uint64_t)2 * 1000000000)
#define FAR_LIMIT_NS  ((uint64_t)8 * 1000000000) // that and the way there

extern char **environ;

// ---- Starting ----

static enum err make_segment(struct remote *r, int *fd, struct err_info *e) {
  size_t bytes = sizeof *r->segment;
  *fd = memfd_create("warpshop-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*fd < 0 || ftruncate(*fd, (off_t)bytes) ||
      fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ||
      fallocate(*fd, 0, 0, (off_t)bytes))
    return err_set(e, ERR_NOMEM, "no shared memory for the device server: %s",
                   strerror(errno));
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  if (p == MAP_FAILED)
    return err_set(e, ERR_NOMEM, "no shared memory for the device server: %s",
                   strerror(errno));
  r->segment = p;
  r->tail = 0;
  atomic_store(&r->segment->done_seq, r->seq);
  return ERR_OK;
}

static enum err send_hello(struct remote *r, int segment_fd, int handles_end,
                           struct err_info *e) {
  struct remote_hello hello = {
      .magic = REMOTE_MAGIC,
      .version = REMOTE_VERSION,
      .layout = remote_layout(),
      .generation = ++r->starts,
      .arena_bytes = arena_size(r->options.arena),
      .first_seq = r->seq,
      .memory_bytes = r->options.gpu.memory_bytes,
      .schedule_seed = r->options.gpu.schedule_seed,
      .limit_s = r->options.limit_s,
      .idle_ns = (uint64_t)(r->options.idle_s * 1e9),
      .multiprocessors = r->options.gpu.multiprocessors,
      .capability = r->options.gpu.capability,
      .counts_hardware = r->options.gpu.counts_hardware,
      .shares_events = r->options.gpu.shares_events,
      .rank = r->rank,
      .ranks = r->ranks,
  };
  snprintf(hello.device, sizeof hello.device, "%s", r->options.device);
  int fds[REMOTE_FILE_COUNT] = {segment_fd, arena_fd(r->options.arena),
                                handles_end};
  size_t fds_bytes = sizeof *fds * (handles_end < 0 ? 2 : 3);
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {0};
  struct iovec part = {&hello, sizeof hello};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = CMSG_SPACE(fds_bytes)};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(fds_bytes);
  memcpy(CMSG_DATA(c), fds, fds_bytes);
  if (sendmsg(r->socket, &m, MSG_NOSIGNAL) == (ssize_t)sizeof hello)
    return ERR_OK;
  return err_set(e, ERR_IO, "cannot speak to the device server: %s",
                 strerror(errno));
}

// The child gets three files and its socket as number 3, default signals, and
// a process group of its own, so that Ctrl-C at the terminal does not end it.
static int spawn(struct remote *r, const char *program, int socket, int out) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, out, 2);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF |
                                     POSIX_SPAWN_SETPGROUP);
  size_t words = 0;
  while (r->command && r->command[words])
    words++;
  char **arguments = xcalloc(words + 6, sizeof *arguments);
  arguments[0] = (char *)program;
  arguments[1] = (char *)(words ? "--line" : "--server");
  arguments[2] = (char *)"3";
  if (!words) { // for who looks at processes: what it serves, and how much
    arguments[3] = (char *)r->options.device;
    arguments[4] = (char *)REMOTE_NO_LAUNCHES;
  }
  for (size_t i = 0; i < words; i++)
    arguments[3 + i] = r->command[i];
  int status = posix_spawn(&r->pid, program, &files, &how, arguments, environ);
  free(arguments);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (status)
    r->pid = 0;
  return status;
}

// Moves a descriptor above those that the child's files are put on.
static int above_3(int fd) {
  int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);
  if (fd >= 0)
    close(fd);
  return moved;
}

static enum err start_program(struct remote *r, int socket, int out,
                              struct err_info *e) {
  char *found = r->options.program ? NULL : file_device_program();
  const char *program = r->options.program ? r->options.program : found;
  if (!program)
    return err_set(e, ERR_NOT_FOUND,
                   "the program warpshop-device is not beside this one nor in "
                   "libexec/warpshop; `warpshop doctor` shows what is missing");
  int status = spawn(r, program, socket, out);
  enum err err = ERR_OK;
  if (status)
    err = err_set(e, ERR_NOT_FOUND,
                  "cannot start the device server %s: %s; `warpshop doctor` "
                  "shows what is missing",
                  program, strerror(status));
  free(found);
  return err;
}

// Another server at the end of a line that is there.
static enum err spawn_on_line(struct remote *r, struct err_info *e) {
  int segment_fd = -1;
  enum err err = make_segment(r, &segment_fd, e);
  if (!err)
    err = send_hello(r, segment_fd, -1, e);
  if (segment_fd >= 0)
    close(segment_fd);
  r->pid = r->line;
  r->line = 0;
  r->has_died = err != ERR_OK;
  return err;
}

static bool has_line(struct remote *r) {
  if (r->line && waitpid(r->line, NULL, WNOHANG) != 0) {
    r->line = 0;
    remote_drop_process(r);
  }
  return r->line != 0;
}

enum err remote_spawn(struct remote *r, struct err_info *e) {
  int sockets[2] = {-1, -1}, pipes[2] = {-1, -1}, files[2] = {-1, -1};
  int segment_fd = -1;
  r->has_died = r->has_left = false;
  r->reason[0] = r->last_output[0] = 0;
  if (has_line(r))
    return spawn_on_line(r, e);
  enum err err = make_segment(r, &segment_fd, e);
  if (!err &&
      (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) ||
       (!r->command && !handles_pair(files)) || pipe2(pipes, O_CLOEXEC)))
    err = err_set(e, ERR_IO, "cannot make a channel to the device server: %s",
                  strerror(errno));
  sockets[1] = above_3(sockets[1]);
  pipes[1] = above_3(pipes[1]);
  r->socket = sockets[0];
  r->pipe = pipes[0];
  r->handles_end = files[0];
  if (!err) {
    fcntl(r->pipe, F_SETFL, O_NONBLOCK);
    err = send_hello(r, segment_fd, files[1], e);
  }
  if (!err)
    err = start_program(r, sockets[1], pipes[1], e);
  if (segment_fd >= 0)
    close(segment_fd);
  if (files[1] >= 0)
    close(files[1]);
  if (sockets[1] >= 0)
    close(sockets[1]);
  if (pipes[1] >= 0)
    close(pipes[1]);
  if (err) {
    r->has_died = true;
    if (e)
      snprintf(r->reason, sizeof r->reason, "%s", e->text);
  }
  return err;
}

// ---- Output ----

static void keep_last(struct remote *r, const char *text, size_t bytes) {
  size_t room = sizeof r->last_output - 1, old = strlen(r->last_output);
  if (bytes > room) {
    text += bytes - room;
    bytes = room;
  }
  size_t kept = old + bytes > room ? room - bytes : old;
  memmove(r->last_output, r->last_output + old - kept, kept);
  memcpy(r->last_output + kept, text, bytes);
  r->last_output[kept + bytes] = 0;
}

bool remote_drain(struct remote *r) {
  char text[16384];
  bool had_some = false;
  ssize_t n;
  while (r->pipe >= 0 && ((n = read(r->pipe, text, sizeof text)) > 0 ||
                          (n < 0 && errno == EINTR))) {
    if (n <= 0)
      continue;
    had_some = true;
    progress_hide(); // what is printed has its line
    keep_last(r, text, (size_t)n);
    if (r->options.gpu.print)
      r->options.gpu.print(r->options.gpu.context, text, (size_t)n);
  }
  return had_some;
}

// ---- Ending ----

static void state_reason(struct remote *r, int status) {
  if (r->reason[0])
    return;
  if (r->command && r->segment->far.why[0]) {
    snprintf(r->reason, sizeof r->reason, "%.500s", r->segment->far.why);
    return;
  }
  if (WIFSIGNALED(status)) {
    snprintf(r->reason, sizeof r->reason, "it was killed by signal %d (%s)",
             WTERMSIG(status), strsignal(WTERMSIG(status)));
    return;
  }
  // Its last line says why, where it could still say something.
  char *end = r->last_output + strlen(r->last_output);
  while (end > r->last_output && end[-1] == '\n')
    *--end = 0;
  const char *line = strrchr(r->last_output, '\n');
  line = line ? line + 1 : r->last_output;
  snprintf(r->reason, sizeof r->reason, "it ended with exit status %d%s%s",
           WEXITSTATUS(status), *line ? ": " : "", line);
}

static void unpin_all(struct remote *r) {
  for (uint64_t i = 0; i < r->piece_count; i++) {
    if (r->traffic[i] == PIECE_PINNED)
      arena_unpin(r->options.arena, i * ARENA_PIECE, 1);
    r->traffic[i] = 0;
  }
}

static void note_death(struct remote *r, int status) {
  r->pid = 0;
  r->has_left = atomic_load(&r->segment->state) == REMOTE_LEFT &&
                WIFEXITED(status) && !WEXITSTATUS(status);
  r->has_died = !r->has_left;
  remote_drain(r);
  state_reason(r, status);
  unpin_all(r);
  memset(r->poll_seqs, 0, sizeof r->poll_seqs);
}

// The server at the far end has ended; the line is there for another.
static void note_gone(struct remote *r) {
  r->line = r->pid;
  r->pid = 0;
  r->has_died = true;
  remote_drain(r);
  state_reason(r, 0);
}

bool remote_check_death(struct remote *r) {
  if (!r->pid)
    return true;
  if (atomic_load(&r->segment->far.is_gone)) {
    note_gone(r);
    return true;
  }
  int status = 0;
  pid_t pid = waitpid(r->pid, &status, WNOHANG);
  if (pid == r->pid || (pid < 0 && errno == ECHILD))
    note_death(r, status);
  return !r->pid;
}

// True when it is reaped; false when it has slept in its driver for that long,
// or has run there. How long it waits for a processor says nothing.
static bool reap(struct remote *r, uint64_t limit_ns) {
  uint64_t since = clock_ns(), ran_ns = process_cpu_ns(r->pid);
  int64_t pause_ns = 50000;
  while (!remote_check_death(r)) {
    if (process_state(r->pid) != 'D')
      since = clock_ns();
    if (clock_ns() - since > limit_ns ||
        process_cpu_ns(r->pid) > ran_ns + limit_ns)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    pause_ns = pause_ns < 2000000 ? pause_ns * 2 : pause_ns;
  }
  return true;
}

// Has the far end kill it. False: it does not answer, and the line has to go.
static bool kill_far(struct remote *r) {
  uint64_t until = clock_ns() + FAR_LIMIT_NS;
  if (send(r->socket, "K", 1, MSG_NOSIGNAL) != 1)
    return false;
  while (!remote_check_death(r) && clock_ns() < until)
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  return !r->pid;
}

void remote_end_line(struct remote *r) {
  if (!r->pid)
    r->pid = r->line;
  r->line = 0;
  if (!r->pid)
    return;
  kill(r->pid, SIGKILL);
  waitpid(r->pid, NULL, 0);
  r->pid = 0;
  r->has_died = true;
}

void remote_kill(struct remote *r, const char *reason) {
  if (!r->pid)
    return;
  snprintf(r->reason, sizeof r->reason, "%s", reason);
  if (r->command) {
    if (!kill_far(r))
      remote_end_line(r);
    return;
  }
  kill(r->pid, SIGKILL);
  r->has_died = true;
  if (!reap(r, REAP_LIMIT_NS)) {
    log_say(LOG_WARNING,
            "device server %d does not die: it hangs in its driver; %s may "
            "need another GPU or a restart of the machine",
            (int)r->pid, r->options.device);
    remote_mark_sick(r);
  }
  r->has_died = true;
  r->has_left = false;
}

void remote_drop_process(struct remote *r) {
  if (!r->line) {
    if (r->socket >= 0)
      close(r->socket);
    if (r->pipe >= 0)
      close(r->pipe);
    if (r->handles_end >= 0)
      close(r->handles_end);
    r->socket = r->pipe = r->handles_end = -1;
  }
  if (r->segment)
    munmap(r->segment, sizeof *r->segment);
  r->segment = NULL;
}
