// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/str.h"

enum { MAX_BYTES = 64 << 20 };

extern char **environ;

static bool is_dropped(const char *variable, const char *const *drops) {
  for (; drops && *drops; drops++)
    if (str_starts(variable, *drops))
      return true;
  return false;
}

// The strings stay environ's.
static char **make_environment(const char *const *drops) {
  size_t count = 0, kept = 0;
  while (environ && environ[count])
    count++;
  char **out = xcalloc(count + 1, sizeof *out);
  for (size_t i = 0; i < count; i++)
    if (!is_dropped(environ[i], drops))
      out[kept++] = environ[i];
  return out;
}

// In a group of its own, so that its children end with it.
static int start(pid_t *pid, const char *const *argv, char **environment,
                 const int ends[2]) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  int rc = posix_spawn_file_actions_init(&files);
  if (rc)
    return rc;
  rc = posix_spawnattr_init(&attributes);
  if (!rc) {
    sigemptyset(&none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[0], 1);
    posix_spawn_file_actions_adddup2(&files, ends[1], 2);
    rc = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)argv,
                      environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return rc;
}

// Reads both until they end; false: that took too long.
static bool read_both(struct pollfd from[2], struct str to[2], double until_s) {
  char chunk[16384];
  while (from[0].fd >= 0 || from[1].fd >= 0) {
    double left_s = until_s - clock_s();
    if (left_s <= 0)
      return false;
    int ready = poll(from, 2, left_s > 1 ? 1000 : (int)(left_s * 1000) + 1);
    for (int i = 0; ready > 0 && i < 2; i++) {
      if (from[i].fd < 0 || !from[i].revents)
        continue;
      ssize_t n = read(from[i].fd, chunk, sizeof chunk);
      if (n > 0 && to[i].len < MAX_BYTES)
        str_add_bytes(&to[i], chunk, (size_t)n);
      if (n == 0 || (n < 0 && errno != EINTR))
        from[i].fd = -1;
    }
  }
  return true;
}

static int wait_for(pid_t pid) {
  int status = process_wait(pid);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum err run(const char *const *argv, char **environment, double limit_s,
                    int pipes[2][2], struct output *o, struct err_info *e) {
  pid_t pid;
  const int ends[2] = {pipes[0][1], pipes[1][1]};
  int rc = start(&pid, argv, environment, ends);
  for (int i = 0; i < 2; i++) {
    close(pipes[i][1]);
    pipes[i][1] = -1;
  }
  if (rc)
    return err_set(e, ERR_NOT_FOUND, "%s: %s", argv[0], strerror(rc));
  struct pollfd from[2] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
  struct str to[2] = {STR_INIT, STR_INIT};
  bool has_ended = read_both(from, to, clock_s() + limit_s);
  if (!has_ended)
    kill(-pid, SIGKILL);
  o->status = wait_for(pid);
  free(o->out);
  free(o->err);
  o->out = str_take(&to[0]);
  o->err = str_take(&to[1]);
  return has_ended ? ERR_OK
                   : err_set(e, ERR_TIMEOUT, "%s did not end within %.0f s",
                             argv[0], limit_s);
}

enum err output_of(const char *const *argv, const char *const *drops,
                   double limit_s, struct output *o, struct err_info *e) {
  int pipes[2][2] = {{-1, -1}, {-1, -1}};
  *o = (struct output){-1, xstrdup(""), xstrdup("")};
  enum err err = ERR_OK;
  if (pipe2(pipes[0], O_CLOEXEC) || pipe2(pipes[1], O_CLOEXEC))
    err = err_set(e, ERR_IO, "no pipe: %s", strerror(errno));
  char **environment = make_environment(drops);
  if (!err)
    err = run(argv, environment, limit_s, pipes, o, e);
  for (int i = 0; i < 4; i++)
    if (pipes[i / 2][i % 2] >= 0)
      close(pipes[i / 2][i % 2]);
  free(environment);
  return err;
}

void output_free(struct output *o) {
  free(o->out);
  free(o->err);
  *o = (struct output){0};
}

char *output_last_line(const char *text) {
  const char *end = text + strlen(text);
  while (end > text && strchr(" \n\r\t", end[-1]))
    end--;
  const char *from = end;
  while (from > text && from[-1] != '\n')
    from--;
  return xstrndup(from, (size_t)(end - from));
}
