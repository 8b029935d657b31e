// SPDX-License-Identifier: Apache-2.0
// A file that is written in pieces. Whatever goes wrong on the way (a full disk,
// Ctrl-C, a kill), an older file of that name stays as it was: the new one grows
// beside it, and takes its place and its mode when it is whole.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/frame/csv/csv.h"

enum { NAMES = 100 };

struct csv_out {
  int fd;
  char *name; // the caller's
  char *path; // where a link leads
  char *part; // the file beside; NULL: it is written into
  bool is_new;
};

// Of what the older file's name stands for; "x.csv: No space left on device".
static enum err failed(const struct csv_out *o, const char *what,
                       struct err_info *e) {
  return err_set(e, ERR_IO, "%s: %s%s%s", o->name, what, strerror(errno),
                 o->part && !o->is_new ? "; the older file is as it was" : "");
}

// A file beside, whose mode is the older one's, else what the umask leaves.
static enum err make_part(struct csv_out *o, const struct stat *older,
                          struct err_info *e) {
  for (int i = 0; i < NAMES && o->fd < 0; i++) {
    free(o->part);
    o->part = xasprintf("%s.%ld-%d.part", o->path, (long)getpid(), i);
    o->fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (o->fd < 0 && errno != EEXIST)
      break;
  }
  if (o->fd < 0) {
    free(o->part);
    o->part = NULL;
    return failed(o, o->is_new ? "" : "no file can be made beside it: ", e);
  }
  // Whose it is stays too, where that may be set.
  if (older && fchown(o->fd, older->st_uid, older->st_gid))
    errno = 0;
  if (older && fchmod(o->fd, older->st_mode & 07777))
    return failed(o, "", e);
  return ERR_OK;
}

// "/dev/stdout" is a file where output goes into one, and is never replaced.
static bool is_descriptor(const char *name) {
  return !strncmp(name, "/dev/", 5) || !strncmp(name, "/proc/", 6);
}

static enum err open_out(struct csv_out *o, struct err_info *e) {
  struct stat st;
  o->is_new = stat(o->name, &st) != 0;
  if (o->is_new && errno != ENOENT)
    return failed(o, "", e);
  if (!o->is_new && S_ISDIR(st.st_mode))
    return err_set(e, ERR_IO, "%s: it is a folder; name a file in it", o->name);
  if (!o->is_new && access(o->name, W_OK))
    return failed(o, "", e);
  o->path = o->is_new ? NULL : realpath(o->name, NULL);
  if (!o->path)
    o->path = xstrdup(o->name);
  if (o->is_new || (S_ISREG(st.st_mode) && !is_descriptor(o->name)))
    return make_part(o, o->is_new ? NULL : &st, e);
  o->fd = open(o->name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  return o->fd < 0 ? failed(o, "", e) : ERR_OK;
}

enum err csv_out_open(const char *path, struct csv_out **out,
                      struct err_info *e) {
  struct csv_out *o = xcalloc(1, sizeof *o);
  o->fd = -1;
  o->name = xstrdup(path);
  enum err err = open_out(o, e);
  if (!err)
    *out = o;
  else
    csv_out_drop(o);
  return err;
}

enum err csv_out_add(struct csv_out *o, const char *text, size_t n,
                     struct err_info *e) {
  return file_write_all(o->fd, text, n) ? ERR_OK : failed(o, "", e);
}

enum err csv_out_end(struct csv_out *o, struct err_info *e) {
  enum err err = close(o->fd) ? failed(o, "", e) : ERR_OK;
  o->fd = -1;
  if (!err && o->part && rename(o->part, o->path))
    err = failed(o, "", e);
  if (!err) { // there is nothing beside it any more
    free(o->part);
    o->part = NULL;
  }
  return err;
}

void csv_out_drop(struct csv_out *o) {
  if (!o)
    return;
  if (o->fd >= 0)
    close(o->fd);
  if (o->part)
    unlink(o->part);
  free(o->part);
  free(o->path);
  free(o->name);
  free(o);
}
