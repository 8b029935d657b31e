// SPDX-License-Identifier: Apache-2.0
// Opening files where somebody else may have put links.
//
// Theory of operation: every step of a path is opened from the folder before
// it, by its descriptor, and looked at through that descriptor: nobody can
// exchange it between the look and the use. openat(2), openat2(2),
// path_resolution(7), symlink(7).
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum {
  READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
  LOOK_FLAGS = O_PATH | O_CLOEXEC | O_NOFOLLOW,
  MAX_LINKS = 40, // as the kernel's
};

static enum err cannot(const char *path, const char *doing,
                       struct err_info *e) {
  return err_set(e, ERR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static void replace_fd(int *fd, int by) {
  if (*fd >= 0)
    close(*fd);
  *fd = by;
}

// The target of the link that `fd` is; to be freed. NULL: errno says why.
static char *read_target(int fd) {
  char target[4096];
  ssize_t n = readlinkat(fd, "", target, sizeof target);
  if (n == (ssize_t)sizeof target) {
    errno = ENAMETOOLONG;
    n = -1;
  }
  return n < 0 ? NULL : xstrndup(target, (size_t)n);
}

// What is left of a path, and where it goes on from.
struct way {
  const char *path; // as named, for errors
  char *rest;
  int at; // the folder; -1: none is open
  int links;
};

// Begins at the root or here, as the rest of the way says.
static enum err start(struct way *w, struct err_info *e) {
  if (*w->rest == '/')
    replace_fd(&w->at, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  else if (w->at < 0)
    w->at = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return w->at < 0 ? cannot(w->path, "open", e) : ERR_OK;
}

// Takes the next name off the rest; to be freed.
static char *take_step(struct way *w, bool *is_last) {
  const char *name = w->rest + strspn(w->rest, "/");
  size_t n = strcspn(name, "/");
  const char *behind = name + n + strspn(name + n, "/");
  char *step = n ? xstrndup(name, n) : xstrdup(".");
  *is_last = !*behind;
  char *rest = xstrdup(behind);
  free(w->rest);
  w->rest = rest;
  return step;
}

// Puts the target of the link `fd` before the rest of the way.
static enum err follow(struct way *w, int fd, const struct stat *st,
                       struct err_info *e) {
  char *target = read_target(fd);
  enum err err = ERR_OK;
  if (!target)
    err = cannot(w->path, "read a link of it", e);
  else if (st->st_uid != 0 && st->st_uid != geteuid())
    err = err_set(e, ERR_IO,
                  "%s: another user's link leads from there to %s, and is not "
                  "followed; a copy of that file can be used",
                  w->path, target);
  else if (++w->links > MAX_LINKS)
    err = err_set(e, ERR_IO, "%s: too many links", w->path);
  if (!err) {
    char *rest = xasprintf("%s%s%s", target, *w->rest ? "/" : "", w->rest);
    free(w->rest);
    w->rest = rest;
    err = start(w, e);
  }
  free(target);
  return err;
}

static bool may_be_read(mode_t mode) {
  return S_ISREG(mode) || S_ISDIR(mode) || S_ISFIFO(mode);
}

// One step; `*fd` is the file once the way has come to its end.
static enum err step(struct way *w, int *fd, struct err_info *e) {
  bool is_last;
  struct stat st;
  char *name = take_step(w, &is_last);
  int next = openat(w->at, name, LOOK_FLAGS);
  enum err err = ERR_OK;
  if (next < 0 || fstat(next, &st)) {
    err = cannot(w->path, "open", e);
  } else if (S_ISLNK(st.st_mode)) {
    err = follow(w, next, &st, e);
  } else if (!is_last) {
    replace_fd(&w->at, next);
    next = -1;
  } else if (!may_be_read(st.st_mode)) {
    err = err_set(e, ERR_IO, "%s: %s, not a regular file", w->path,
                  S_ISSOCK(st.st_mode) ? "a socket" : "a device");
  } else {
    *fd = openat(w->at, name, READ_FLAGS);
    if (*fd < 0)
      err = cannot(w->path, "open", e);
  }
  replace_fd(&next, -1);
  free(name);
  return err;
}

enum err open_named(const char *path, int *fd, struct err_info *e) {
  struct way w = {.path = path, .rest = xstrdup(path), .at = -1};
  *fd = -1;
  enum err err = *path ? start(&w, e) : err_set(e, ERR_IO, "no file is named");
  while (!err && *fd < 0)
    err = step(&w, fd, e);
  replace_fd(&w.at, -1);
  free(w.rest);
  return err;
}

// ---- Below a folder ----

// Opens `path` from `folder`, without links and without leaving it; -1 and
// errno. Steps ".." have been refused.
typedef int opener(int folder, const char *path, int flags);

static int by_steps(int folder, const char *path, int flags) {
  char *copy = xstrdup(path), *state = NULL;
  int at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *name = strtok_r(copy, "/", &state);
  for (char *next; at >= 0 && name; name = next) {
    next = strtok_r(NULL, "/", &state);
    int more = next ? O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW : flags;
    replace_fd(&at, openat(at, name, more));
  }
  free(copy);
  return at;
}

static int at_once(int folder, const char *path, int flags) {
  struct open_how how = {
      .flags = (uint64_t)(unsigned)flags,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
  // A kernel without it, or a container that hides it.
  bool is_missing = fd < 0 && (errno == ENOSYS || errno == EPERM);
  return is_missing ? by_steps(folder, path, flags) : fd;
}

static bool leads_up(const char *path) {
  for (const char *p = path; *p; p += strspn(p, "/")) {
    size_t n = strcspn(p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.')
      return true;
    p += n;
  }
  return *path == '/';
}

// The folder that the file lies in.
static int open_parent(opener *open_one, int folder, const char *path) {
  const char *slash = strrchr(path, '/');
  char *parent = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
  int fd =
      open_one(folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  free(parent);
  return fd;
}

static enum err check_owner(int parent, int fd, const char *path,
                            struct err_info *e) {
  struct stat in, st;
  if (fstat(fd, &st))
    return cannot(path, "open", e);
  if (!S_ISREG(st.st_mode) || st.st_nlink <= 1)
    return ERR_OK;
  if (fstat(parent, &in))
    return cannot(path, "open", e);
  if (st.st_uid != in.st_uid)
    return err_set(e, ERR_IO,
                   "%s: the file has %llu names and is not of the folder's "
                   "owner; a copy of it can be judged",
                   path, (unsigned long long)st.st_nlink);
  return ERR_OK;
}

static enum err beneath(opener *open_one, int folder, const char *path, int *fd,
                        struct err_info *e) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  *fd = -1;
  if (leads_up(path) || !*name)
    return err_set(e, ERR_IO, "%s: no file below the folder", path);
  int parent = open_parent(open_one, folder, path);
  if (parent >= 0)
    *fd = open_one(parent, name, READ_FLAGS);
  enum err err = ERR_OK;
  if (*fd < 0)
    err = errno == ELOOP ? err_set(e, ERR_IO,
                                   "%s: a link, which is not followed "
                                   "here; a copy can be judged",
                                   path)
          : errno == ENOTDIR
              ? err_set(e, ERR_IO,
                        "%s: not every step to it is a folder (links are not "
                        "followed here)",
                        path)
              : cannot(path, "open", e);
  else
    err = check_owner(parent, *fd, path, e);
  if (err)
    replace_fd(fd, -1);
  replace_fd(&parent, -1);
  return err;
}

enum err open_beneath(int folder, const char *path, int *fd,
                      struct err_info *e) {
  return beneath(at_once, folder, path, fd, e);
}

enum err open_beneath_by_steps(int folder, const char *path, int *fd,
                               struct err_info *e) {
  return beneath(by_steps, folder, path, fd, e);
}
