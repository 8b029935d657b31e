// SPDX-License-Identifier: Apache-2.0
// Files: whole reads, torn-free replacement, XDG folders, and where the
// program's own files lie.
// XDG Base Directory Specification 0.8.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

// ---- Reading ----

static enum err io_error(const char *path, const char *doing,
                         struct err_info *e) {
  return err_set(e, ERR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static enum err check_regular(int fd, const char *path, size_t max_bytes,
                              size_t *bytes, struct err_info *e) {
  struct stat st;
  if (fstat(fd, &st))
    return io_error(path, "open", e);
  if (!S_ISREG(st.st_mode))
    return err_set(e, ERR_IO, "%s: not a regular file", path);
  if ((uint64_t)st.st_size > max_bytes)
    return err_set(e, ERR_ARGUMENT, "%s: %lld bytes; at most %zu are read",
                   path, (long long)st.st_size, max_bytes);
  *bytes = (size_t)st.st_size;
  return ERR_OK;
}

// Reads on until the end: the size that fstat gave is a hint only (files under
// /proc say 0, and a file may grow).
static enum err read_all(int fd, const char *path, size_t hint,
                         size_t max_bytes, struct str *s, struct err_info *e) {
  char chunk[16384];
  size_t wanted = hint + 1 > sizeof chunk ? hint + 1 : sizeof chunk;
  char *buffer = wanted > sizeof chunk ? try_malloc(wanted) : chunk;
  if (!buffer)
    return err_set(e, ERR_NOMEM, "%s: no memory for its %zu bytes", path, hint);
  enum err err = ERR_OK;
  for (;;) {
    ssize_t n = read(fd, buffer, wanted);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      err = io_error(path, "read", e);
    else if (s->len + (size_t)n > max_bytes)
      err =
          err_set(e, ERR_ARGUMENT, "%s: more than %zu bytes", path, max_bytes);
    if (n <= 0 || err)
      break;
    str_add_bytes(s, buffer, (size_t)n);
  }
  if (buffer != chunk)
    free(buffer);
  return err;
}

// What was read, or nothing where that failed.
static enum err give(enum err err, struct str *s, char **data, size_t *bytes) {
  *bytes = err ? 0 : s->len;
  *data = err ? NULL : str_take(s);
  if (err)
    str_free(s);
  return err;
}

enum err file_read_stream(int fd, const char *name, size_t max_bytes,
                          char **data, size_t *bytes, struct err_info *e) {
  struct str s = STR_INIT;
  return give(read_all(fd, name, 0, max_bytes, &s, e), &s, data, bytes);
}

enum err file_read_open(int fd, const char *name, size_t max_bytes, char **data,
                        size_t *bytes, struct err_info *e) {
  size_t hint = 0;
  struct str s = STR_INIT;
  enum err err = check_regular(fd, name, max_bytes, &hint, e);
  if (!err)
    err = read_all(fd, name, hint, max_bytes, &s, e);
  return give(err, &s, data, bytes);
}

// Opens without blocking, so that a FIFO cannot hang the caller before fstat
// has shown that it is none.
enum err file_read(const char *path, size_t max_bytes, char **data,
                   size_t *bytes, struct err_info *e) {
  *data = NULL;
  *bytes = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return io_error(path, "open", e);
  enum err err = file_read_open(fd, path, max_bytes, data, bytes, e);
  close(fd);
  return err;
}

// ---- Writing ----

bool file_write_all(int fd, const void *data, size_t bytes) {
  for (const char *p = data; bytes;) {
    ssize_t n = write(fd, p, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    p += n;
    bytes -= (size_t)n;
  }
  return true;
}

// The folder in which the file is: "/srv/." of "/srv/a"; "." of "a".
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return xasprintf("%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
}

// After a rename the folder itself must reach the disk too; a file system that
// cannot do that (some network ones) has still replaced the file.
static void sync_folder_of(const char *path) {
  char *folder = folder_of(path);
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  free(folder);
}

static enum err put_named(const char *path, const void *data, size_t bytes,
                          mode_t mode, bool is_synced, struct err_info *e) {
  char *temporary = xasprintf("%s.XXXXXX", path);
  enum err err = ERR_OK;
  int fd = mkostemp(temporary, O_CLOEXEC); // mode 0600
  if (fd < 0) {
    err = io_error(path, "make a file beside it", e);
    goto out;
  }
  if (!file_write_all(fd, data, bytes) || fchmod(fd, mode) ||
      (is_synced && fsync(fd)))
    err = io_error(path, "write", e);
  if (close(fd) && !err)
    err = io_error(path, "write", e);
  if (!err && rename(temporary, path))
    err = io_error(path, "replace it", e);
  if (err)
    unlink(temporary);
out:
  free(temporary);
  return err;
}

// The name, beside `path`, of a file that is whole and about to take its place.
static char *waiting_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return xasprintf("%.*s.%s.new", (int)(name - path), path, name);
}

static bool is_own_file(const char *path) {
  struct stat st;
  return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

// A file without a name gets one, and then takes the place of `path`. Whoever is
// killed between the two leaves a whole file under the first name; the next writer
// sees to that one before its own.
static bool give_name(int fd, const char *path) {
  enum { OTHERS = 100 };
  char *from = xasprintf("/proc/self/fd/%d", fd), *name = waiting_name(path);
  bool is_named = false, fine = false;
  for (int i = 0; i < OTHERS && !is_named; i++) {
    is_named = !linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    if (!is_named && (errno != EEXIST || !is_own_file(name)))
      break;
    // Where it is gone, another writer has done this.
    fine = !rename(name, path) || errno == ENOENT;
    if (!fine) {
      unlink(name);
      break;
    }
  }
  free(from);
  free(name);
  return is_named && fine;
}

static int open_unnamed(const char *path) {
  char *folder = folder_of(path);
  int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  free(folder);
  return fd;
}

// Whoever is killed while it is written leaves nothing. False: it cannot be done here
// (not every file system has files without a name), or what else went wrong, which
// put_named says.
static bool put_unnamed(const char *path, const void *data, size_t bytes,
                        mode_t mode, bool is_synced) {
  int fd = open_unnamed(path);
  if (fd < 0)
    return false;
  bool fine = file_write_all(fd, data, bytes) && !fchmod(fd, mode) &&
              !(is_synced && fsync(fd)) && give_name(fd, path);
  close(fd);
  return fine;
}

static enum err put(const char *path, const void *data, size_t bytes,
                    mode_t mode, bool is_synced, struct err_info *e) {
  enum err err = ERR_OK;
  if (!put_unnamed(path, data, bytes, mode, is_synced))
    err = put_named(path, data, bytes, mode, is_synced, e);
  if (!err && is_synced)
    sync_folder_of(path);
  return err;
}

enum err file_replace(const char *path, const void *data, size_t bytes,
                      struct err_info *e) {
  return put(path, data, bytes, 0600, true, e);
}

enum err file_replace_unsynced(const char *path, const void *data, size_t bytes,
                               struct err_info *e) {
  return put(path, data, bytes, 0600, false, e);
}

// As the shell's > does.
static enum err write_into(const char *path, const void *data, size_t bytes,
                           struct err_info *e) {
  int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return io_error(path, "open", e);
  enum err err = ERR_OK;
  if (!file_write_all(fd, data, bytes))
    err = io_error(path, "write", e);
  if (close(fd) && !err)
    err = io_error(path, "write", e);
  return err;
}

enum err file_write(const char *path, const void *data, size_t bytes,
                    unsigned mode, struct err_info *e) {
  struct stat st;
  if (lstat(path, &st))
    return errno == ENOENT ? put(path, data, bytes, (mode_t)mode, true, e)
                           : io_error(path, "open", e);
  return S_ISREG(st.st_mode) ? put(path, data, bytes, (mode_t)mode, true, e)
                             : write_into(path, data, bytes, e);
}

// Where file_write puts the new bytes in place of a file, it makes one beside it.
enum err file_check_write(const char *path, struct err_info *e) {
  struct stat st;
  bool is_there = !lstat(path, &st);
  if (!is_there && errno != ENOENT)
    return io_error(path, "open", e);
  if (is_there && S_ISDIR(st.st_mode))
    return err_set(e, ERR_IO, "%s: a folder cannot be written to", path);
  if (is_there && !S_ISREG(st.st_mode))
    return access(path, W_OK) ? io_error(path, "open", e) : ERR_OK;
  char *folder = folder_of(path);
  bool can_make = !access(folder, W_OK | X_OK);
  free(folder);
  return can_make ? ERR_OK : io_error(path, "make a file there", e);
}

bool file_is_same(const char *a, const char *b) {
  struct stat x, y;
  return !stat(a, &x) && S_ISREG(x.st_mode) && !stat(b, &y) &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_folder(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISDIR(st.st_mode);
}

enum err file_make_folder(const char *path, struct err_info *e) {
  char *part = xstrdup(path);
  enum err err = ERR_OK;
  for (char *p = part + (*part == '/'); !err; p++) {
    if (*p && *p != '/')
      continue;
    char end = *p;
    *p = 0;
    // Another process may make it at the same time; and a read-only parent
    // answers EROFS before EEXIST.
    if (*part && mkdir(part, 0700)) {
      int error = errno;
      if (!is_folder(part)) {
        errno = error; // the reason, not that it is not there
        err = io_error(part, "make the folder", e);
      }
    }
    *p = end;
    if (!end)
      break;
  }
  free(part);
  return err;
}

// ---- XDG folders ----

static const struct {
  const char *variable;
  const char *below_home;
} xdg_folders[] = {
    [XDG_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [XDG_STATE] = {"XDG_STATE_HOME", ".local/state"},
    [XDG_DATA] = {"XDG_DATA_HOME", ".local/share"},
    [XDG_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [XDG_RUNTIME] = {"XDG_RUNTIME_DIR", NULL},
};

static const char *absolute_env(const char *name) {
  const char *value = getenv(name);
  return value && value[0] == '/' ? value : NULL;
}

char *file_xdg(enum xdg which) {
  const char *value = absolute_env(xdg_folders[which].variable);
  if (value)
    return xasprintf("%s/warpshop", value);
  if (which == XDG_RUNTIME) {
    value = absolute_env("TMPDIR");
    return xasprintf("%s/warpshop-%u", value ? value : "/tmp",
                     (unsigned)getuid());
  }
  value = absolute_env("HOME");
  if (!value)
    return NULL;
  return xasprintf("%s/%s/warpshop", value, xdg_folders[which].below_home);
}

// ---- The program's own files ----

static char *set_program;

void file_set_program(const char *path) {
  free(set_program);
  set_program = path ? xstrdup(path) : NULL;
}

bool file_is_library(void) {
  return set_program != NULL;
}

char *file_program(void) {
  char path[PATH_MAX];
  if (set_program)
    return xstrdup(set_program);
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 && n < PATH_MAX ? xstrndup(path, (size_t)n) : NULL;
}

// The folder of the program, without a slash at its end.
static char *program_folder(void) {
  char *path = file_program(), *slash = path ? strrchr(path, '/') : NULL;
  if (slash) {
    *slash = 0;
    return path;
  }
  free(path);
  return NULL;
}

// Joins and returns the path if something is there, else NULL.
static char *existing(const char *folder, const char *relative) {
  char *path = xasprintf("%s/%s", folder, relative);
  if (!access(path, F_OK))
    return path;
  free(path);
  return NULL;
}

static bool is_source_tree(const char *folder) {
  char *marker = existing(folder, "base/err.def");
  free(marker);
  return marker != NULL;
}

// Goes up from the program's folder: programs lie in build/, tests in
// build/tests/unit/, installed ones in <prefix>/bin or <prefix>/libexec/...
enum { LEVELS_UP = 4 };

static bool go_up(char *folder) {
  char *slash = strrchr(folder, '/');
  if (!slash || slash == folder)
    return false;
  *slash = 0;
  return true;
}

char *file_beside_program(const char *relative) {
  char *folder = program_folder(), *found = NULL;
  for (int i = 0; folder && !found && i < LEVELS_UP; i++) {
    if (is_source_tree(folder)) {
      found = existing(folder, relative);
      break;
    }
    char *share = xasprintf("%s/share/warpshop", folder);
    found = existing(share, relative);
    free(share);
    if (!go_up(folder))
      break;
  }
  free(folder);
  return found;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char **file_names(const char *folder, int *count) {
  char **names = NULL;
  DIR *d = opendir(folder);
  *count = 0;
  for (struct dirent *entry; d && (entry = readdir(d));) {
    if (entry->d_name[0] == '.')
      continue;
    names = xrealloc(names, (size_t)(*count + 1) * sizeof *names);
    names[(*count)++] = xstrdup(entry->d_name);
  }
  if (d)
    closedir(d);
  if (*count)
    qsort(names, (size_t)*count, sizeof *names, by_name);
  return names;
}

void file_names_free(char **names, int count) {
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
}

char *file_own(const char *relative) {
  const char *home = getenv("WARPSHOP_HOME");
  return home && *home ? existing(home, relative)
                       : file_beside_program(relative);
}

static char *program_beside(const char *name) {
  char *folder = program_folder(), *found = NULL;
  char *installed = xasprintf("libexec/warpshop/%s", name);
  for (int i = 0; folder && !found && i < LEVELS_UP; i++) {
    found = existing(folder, name);
    if (found && is_folder(found)) {
      free(found);
      found = NULL;
    }
    if (!found)
      found = existing(folder, installed);
    if (is_source_tree(folder) || !go_up(folder))
      break;
  }
  free(installed);
  free(folder);
  return found;
}

char *file_device_program(void) {
  return program_beside("warpshop-device");
}

char *file_learner_program(void) {
  return program_beside("warpshop-learner");
}

char *file_python(void) {
  const char *environment = getenv("VIRTUAL_ENV");
  char *path = environment && *environment
                   ? xasprintf("%s/bin/python3", environment)
                   : NULL;
  if (path && !access(path, X_OK))
    return path;
  free(path);
  return xstrdup("python3");
}

// ---- File systems ----

const char *file_network_name(unsigned long type) {
  static const struct {
    unsigned long type;
    const char *name;
  } all[] = {
#define NETWORK(number, name) {number, name},
#include "base/network.def"
#undef NETWORK
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].type == (type & 0xFFFFFFFF))
      return all[i].name;
  return NULL;
}
