// SPDX-License-Identifier: Apache-2.0
// Processes that work for this one: the program itself, started anew (a process
// with threads and devices cannot be copied), or a Python that runs a file of ours,
// with a socket as its file 3. A message is its length, in eight bytes, and a text.
// And the folder for what is kept in files meanwhile.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/process.h"
#include "base/progress.h"
#include "base/tree.h"
#include "base/wire.h"
#include "lua/bind/scale/l_scale.h"

#define CHANNEL_TYPE "scale.channel"
#define FOLDER_TYPE  "scale.folder"

struct channel {
  int fd;    // -1: it is closed
  pid_t pid; // of the worker; 0: this is the worker
};

enum { MOST_WAITED = 64, LOOK_MS = 50 };

static struct channel *check_channel(lua_State *L, int i) {
  return luaL_checkudata(L, i, CHANNEL_TYPE);
}

// ---- Messages ----

// send(text): false where the other side is gone.
static int l_send(lua_State *L) {
  struct channel *c = check_channel(L, 1);
  size_t n;
  const char *text = luaL_checklstring(L, 2, &n);
  uint64_t bytes = n;
  lua_pushboolean(L, c->fd >= 0 && wire_write(c->fd, &bytes, sizeof bytes) &&
                         wire_write(c->fd, text, n));
  return 1;
}

// receive(): the next message; nil where the other side is gone.
static int l_receive(lua_State *L) {
  struct channel *c = check_channel(L, 1);
  uint64_t bytes;
  if (c->fd < 0 || !wire_read(c->fd, &bytes, sizeof bytes))
    return 0;
  luaL_Buffer b;
  char *text = luaL_buffinitsize(L, &b, bytes);
  if (!wire_read(c->fd, text, bytes))
    return 0;
  luaL_pushresultsize(&b, bytes);
  return 1;
}

static int l_close(lua_State *L) {
  struct channel *c = check_channel(L, 1);
  if (c->fd >= 0)
    close(c->fd);
  c->fd = -1;
  if (c->pid > 0) {
    kill(c->pid, SIGKILL); // what it works on nobody waits for
    process_wait(c->pid);
  }
  c->pid = 0;
  return 0;
}

static int l_pid(lua_State *L) {
  lua_pushinteger(L, check_channel(L, 1)->pid);
  return 1;
}

void lscale_push_channel(lua_State *L, int fd) {
  static const luaL_Reg methods[] = {{"send", l_send},
                                     {"receive", l_receive},
                                     {"close", l_close},
                                     {"pid", l_pid},
                                     {NULL, NULL}};
  struct channel *c = lua_newuserdatauv(L, sizeof *c, 0);
  *c = (struct channel){fd, 0};
  if (luaL_newmetatable(L, CHANNEL_TYPE)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
}

// ---- Starting one ----

// Its file 3 is the socket, and nothing comes from its input.
static void take_line(int fd) {
  int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0)
    _exit(127);
  if (fd == 3)
    fcntl(fd, F_SETFD, 0);
  else if (dup2(fd, 3) < 0)
    _exit(127);
}

// Pushes a channel to a process that becomes words[0], found by PATH, and ends with
// this one.
static void push_process(lua_State *L, const char *const *words) {
  int pair[2];
  lscale_push_channel(L, -1);
  struct channel *c = check_channel(L, -1);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    bind_error(L, ERR_IO, "scale: no worker could be started: %s",
               strerror(errno));
  c->fd = pair[0];
  c->pid = pool_child();
  if (!c->pid) {
    take_line(pair[1]);
    execvp(words[0], (char *const *)words);
    _exit(127);
  }
  close(pair[1]);
  if (c->pid > 0)
    return;
  c->pid = 0;
  bind_error(L, ERR_IO, "scale: no worker could be started: %s",
             strerror(errno));
}

// start(): a worker.
static int l_start(lua_State *L) {
  static const char *const words[] = {"/proc/self/exe", "scale-worker", NULL};
  if (file_is_library())
    bind_error(
        L, ERR_UNSUPPORTED,
        "scale: workers are the program warpshop, started anew, and this "
        "is another program: scale computes in this process without a "
        "client, and scale.Client{devices = 1} on a device");
  push_process(L, words);
  return 1;
}

// start_python(file): a Python that runs a file of ours, and its name.
static int l_start_python(lua_State *L) {
  char *path = file_own(luaL_checkstring(L, 1)), *python = file_python();
  lua_pushstring(L, python); // freed with L, whatever is raised
  lua_pushstring(L, path);
  free(python);
  free(path);
  if (lua_isnil(L, -1))
    bind_error(L, ERR_IO, "scale: %s did not come with this program",
               lua_tostring(L, 1));
  push_process(
      L, (const char *const[]){lua_tostring(L, -2), lua_tostring(L, -1), NULL});
  lua_pushvalue(L, -3);
  return 2;
}

// ---- Waiting ----

static void stop_if_interrupted(lua_State *L) {
  if (!bind_is_interrupted())
    return;
  bind_clear_interrupt();
  bind_error(L, ERR_CANCELLED, "stopped by Ctrl-C");
}

// wait(channels, seconds): a list of the places of those that have something to
// read or are gone; empty when the time is over.
static int l_wait(lua_State *L) {
  struct pollfd polls[MOST_WAITED];
  int count = (int)luaL_len(L, 1), ready = 0;
  double left_ms = ceil(luaL_checknumber(L, 2) * 1e3);
  luaL_argcheck(L, count <= MOST_WAITED, 1, "too many workers");
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 1, i + 1);
    polls[i] = (struct pollfd){check_channel(L, -1)->fd, POLLIN, 0};
    lua_pop(L, 1);
  }
  while (ready <= 0) {
    stop_if_interrupted(L);
    ready =
        poll(polls, (nfds_t)count, left_ms < LOOK_MS ? (int)left_ms : LOOK_MS);
    progress_look();
    if (ready < 0 && errno != EINTR)
      bind_error(L, ERR_IO, "scale: %s", strerror(errno));
    if (left_ms < LOOK_MS)
      break;
    left_ms -= LOOK_MS;
  }
  lua_newtable(L);
  for (int i = 0, n = 0; i < count && ready > 0; i++)
    if (polls[i].revents) {
      lua_pushinteger(L, i + 1);
      lua_rawseti(L, -2, ++n);
    }
  return 1;
}

// ---- The folder ----

struct folder {
  char *path; // NULL: it is gone
};

static const char *temporary(void) {
  const char *own = getenv("TMPDIR");
  return own && *own == '/' ? own : "/tmp";
}

// Takes away those of ours whose process ended without doing so.
static void sweep(const char *in) {
  DIR *dir = opendir(in);
  for (struct dirent *one; dir && (one = readdir(dir));) {
    int pid;
    struct stat st;
    if (sscanf(one->d_name, "warpshop-scale-%d-", &pid) != 1 ||
        process_state(pid) ||
        fstatat(dirfd(dir), one->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        st.st_uid != getuid() || !S_ISDIR(st.st_mode))
      continue;
    char *path = xasprintf("%s/%s", in, one->d_name);
    tree_remove(path);
    free(path);
  }
  if (dir)
    closedir(dir);
}

static int remove_folder(lua_State *L) {
  struct folder *f = luaL_checkudata(L, 1, FOLDER_TYPE);
  if (f->path)
    tree_remove(f->path);
  free(f->path);
  f->path = NULL;
  return 0;
}

// folder(): its path, and a value with which it goes away. Nobody else reads it.
static int l_folder(lua_State *L) {
  struct folder *f = lua_newuserdatauv(L, sizeof *f, 0);
  f->path = NULL;
  if (luaL_newmetatable(L, FOLDER_TYPE)) {
    lua_pushcfunction(L, remove_folder);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  sweep(temporary());
  char *path =
      xasprintf("%s/warpshop-scale-%d-XXXXXX", temporary(), (int)getpid());
  if (!mkdtemp(path)) {
    int why = errno;
    free(path);
    bind_error(L, ERR_IO, "scale: no folder could be made in %s: %s",
               temporary(), strerror(why));
  }
  f->path = path;
  lua_pushstring(L, path);
  lua_insert(L, -2);
  return 2;
}

void lscale_open_workers(lua_State *L) {
  static const luaL_Reg functions[] = {{"start", l_start},
                                       {"start_python", l_start_python},
                                       {"wait", l_wait},
                                       {"folder", l_folder},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
