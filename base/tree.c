// SPDX-License-Identifier: Apache-2.0
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { OPEN_FOLDERS = 16 };

static enum err fail(const char *what, const char *path, struct err_info *e) {
  return err_set(e, ERR_IO, "cannot %s %.300s: %s", what, path,
                 strerror(errno));
}

// From one that is open to the other, piece by piece.
static enum err copy_bytes(int in, int out, const char *from, const char *to,
                           struct err_info *e) {
  enum { PIECE = 1 << 16 };
  char *piece = xmalloc(PIECE);
  enum err err = ERR_OK;
  ssize_t n;
  while (!err && (n = read(in, piece, PIECE)) != 0) {
    if (n < 0 && errno != EINTR)
      err = fail("read", from, e);
    else if (n > 0 && !file_write_all(out, piece, (size_t)n))
      err = fail("write", to, e);
  }
  free(piece);
  return err;
}

static enum err copy_file(const char *from, const char *to, mode_t mode,
                          struct err_info *e) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return fail("read", from, e);
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
  enum err err =
      out < 0 ? fail("make", to, e) : copy_bytes(in, out, from, to, e);
  if (out >= 0 && close(out) && !err)
    err = fail("write", to, e);
  close(in);
  return err;
}

static enum err copy_folder(const char *from, const char *to, mode_t mode,
                            struct err_info *e) {
  if (mkdir(to, (mode & 0777) | 0700))
    return fail("make", to, e);
  int count;
  char **names = file_names(from, &count);
  enum err err = ERR_OK;
  for (int i = 0; i < count && !err; i++) {
    char *a = xasprintf("%s/%s", from, names[i]);
    char *b = xasprintf("%s/%s", to, names[i]);
    err = tree_copy(a, b, e);
    free(a);
    free(b);
  }
  file_names_free(names, count);
  return err;
}

enum err tree_copy(const char *from, const char *to, struct err_info *e) {
  struct stat own, target;
  if (lstat(from, &own) || stat(from, &target))
    return fail("read", from, e);
  if (S_ISREG(target.st_mode))
    return copy_file(from, to, target.st_mode, e);
  if (S_ISDIR(own.st_mode))
    return copy_folder(from, to, target.st_mode, e);
  return err_set(e, ERR_ARGUMENT, "%.300s is neither a file nor a folder",
                 from);
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

void tree_remove(const char *path) {
  nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
