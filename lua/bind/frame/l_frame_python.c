// SPDX-License-Identifier: Apache-2.0
// A script of ours in a Python process of its own: what that one knows (pyarrow) is no
// part of this program. It reads memory of ours as its standard input, and what it
// writes to its standard output is memory, too; what it says of mistakes comes by a pipe.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/process.h"
#include "lua/bind/frame/l_frame.h"

enum { LOOK_MS = 50, MOST_SAID = 4096, NO_PYTHON = 3 };

struct child {
  pid_t pid;
  int said; // the pipe's end that is read
  char text[MOST_SAID];
  size_t n;
};

static _Noreturn void become(char *const *words, int in, int out, int err) {
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  signal(SIGINT, SIG_IGN); // we end it
  if (dup2(in >= 0 ? in : null, STDIN_FILENO) < 0 ||
      dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
    _exit(NO_PYTHON);
  execvp(words[0], words);
  _exit(NO_PYTHON);
}

// The end of what it said stays.
static bool hear(struct child *c) {
  char room[512];
  ssize_t n = read(c->said, room, sizeof room);
  if (n < 0)
    return errno == EINTR;
  size_t over = c->n + (size_t)n > MOST_SAID ? c->n + (size_t)n - MOST_SAID : 0;
  memmove(c->text, c->text + over, c->n - over);
  memcpy(c->text + c->n - over, room, (size_t)n);
  c->n += (size_t)n - over;
  return n > 0;
}

// Its exit status; -1: it was stopped by Ctrl-C, or died.
static int wait_for(struct child *c) {
  bool goes_on = true, is_stopped = false;
  while (goes_on && !is_stopped) {
    struct pollfd p = {c->said, POLLIN, 0};
    if (poll(&p, 1, LOOK_MS) > 0)
      goes_on = hear(c);
    is_stopped = bind_is_interrupted();
  }
  if (is_stopped)
    kill(c->pid, SIGKILL);
  int status = process_wait(c->pid);
  return !is_stopped && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool start(struct child *c, char *const *words, int in, int out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return false;
  c->pid = pool_child();
  if (!c->pid)
    become(words, in, out, ends[1]);
  close(ends[1]);
  c->said = ends[0];
  if (c->pid < 0)
    close(ends[0]);
  return c->pid > 0;
}

// run_python(script, arguments, memory to read or nil): its exit status (3 also where
// there is no Python), what it said, and memory with what it wrote.
static int l_run(lua_State *L) {
  struct child c = {0};
  int count = (int)luaL_len(L, 2), in = lframe_memory_fd(L, 3);
  char *script = file_own(luaL_checkstring(L, 1));
  if (!script)
    bind_error(L, ERR_IO, "frame: %s is not beside the program",
               lua_tostring(L, 1));
  lua_settop(L, 3);
  int out = lframe_push_memory(L);
  char **words = lua_newuserdatauv(L, (size_t)(count + 3) * sizeof *words, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 2, i + 1); // the list keeps it
    words[2 + i] = (char *)lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  words[0] = file_python();
  words[1] = script;
  words[2 + count] = NULL;
  if (in >= 0)
    lseek(in, 0, SEEK_SET);
  bool is_started = start(&c, words, in, out);
  int status = is_started ? wait_for(&c) : NO_PYTHON;
  if (is_started)
    close(c.said);
  free(words[0]);
  free(script);
  if (bind_is_interrupted()) {
    bind_clear_interrupt();
    bind_error(L, ERR_CANCELLED, "stopped by Ctrl-C");
  }
  lua_pushinteger(L, status);
  lua_pushlstring(L, c.text, c.n);
  lua_pushvalue(L, 4);
  return 3;
}

void lframe_open_python(lua_State *L) {
  static const luaL_Reg functions[] = {{"run_python", l_run}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
