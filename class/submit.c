// SPDX-License-Identifier: Apache-2.0
#include "class/submit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "grade/input/input.h"

enum { TRIES = 100 };

static enum err io_error(const struct submit *q, const char *what,
                         struct err_info *e) {
  return err_set(e, ERR_IO, "%s/hand-in: %s: %s; nothing was handed in",
                 q->folder, what, strerror(errno));
}

// ---- Writing ----

// The file under a name of its own until it is whole; its descriptor or -1.
static int write_aside(int at, const struct submit *q, char aside[32]) {
  unsigned char noise[8] = {0};
  int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (random < 0 || read(random, noise, sizeof noise) != sizeof noise)
    errno = EIO;
  if (random >= 0)
    close(random);
  int n = snprintf(aside, 32, ".new-");
  for (size_t i = 0; i < sizeof noise; i++)
    n += snprintf(aside + n, 32 - (size_t)n, "%02x", noise[i]);
  int fd = openat(at, aside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
  if (fd < 0)
    return -1;
  if (file_write_all(fd, q->text, q->bytes) && !fchmod(fd, 0640) && !fsync(fd))
    return fd;
  int why = errno;
  close(fd);
  unlinkat(at, aside, 0);
  errno = why;
  return -1;
}

// Gives it its name, where nothing has it. Not every file system has both ways.
static int place(int at, const char *aside, const char *name) {
  if (!linkat(at, aside, at, name, 0))
    return unlinkat(at, aside, 0);
  if (errno == EEXIST)
    return -1;
  return renameat2(at, aside, at, name, RENAME_NOREPLACE);
}

struct highest {
  const char *exercise;
  int number;
};

static void take_highest(void *context, const struct submitted *one) {
  struct highest *h = context;
  if (!strcmp(one->name.exercise, h->exercise) && one->name.number > h->number)
    h->number = one->name.number;
}

static enum err place_next(int at, const struct submit *q, const char *aside,
                           struct submitted *out, struct err_info *e) {
  for (int i = 0; i < TRIES; i++) {
    char *name = receipt_file(&out->name);
    int failed = place(at, aside, name);
    free(name);
    if (!failed)
      return fsync(at) ? io_error(q, "saving it", e) : ERR_OK;
    if (errno != EEXIST)
      break;
    out->name.number++;
  }
  io_error(q, "giving it its name", e);
  unlinkat(at, aside, 0);
  return ERR_IO;
}

enum err submit_source(const struct submit *q, struct submitted *out,
                       struct err_info *e) {
  struct highest h = {q->exercise, 0};
  struct stat st;
  char aside[32];
  memset(out, 0, sizeof *out);
  if (!receipt_is_exercise(q->exercise))
    return err_set(e, ERR_ARGUMENT,
                   "\"%.60s\" cannot be handed in: an exercise's name has "
                   "letters, digits, _ and - alone",
                   q->exercise);
  enum err err = submit_each(q->folder, take_highest, &h, e);
  if (err)
    return err;
  char *path = xasprintf("%s/hand-in", q->folder);
  int at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int fd = at < 0 ? -1 : write_aside(at, q, aside);
  snprintf(out->name.exercise, sizeof out->name.exercise, "%s", q->exercise);
  out->name.number = h.number + 1;
  out->name.kind = q->kind;
  err =
      fd < 0 ? io_error(q, "writing it", e) : place_next(at, q, aside, out, e);
  if (!err && fstat(fd, &st))
    err = io_error(q, "looking at it", e);
  if (!err)
    out->time_s = st.st_ctime;
  sha256_hex(q->text, q->bytes, out->hash);
  if (fd >= 0)
    close(fd);
  if (at >= 0)
    close(at);
  free(path);
  return err;
}

// ---- Looking ----

static void look_at(int at, const char *file, struct submitted *one) {
  struct err_info e;
  struct stat st;
  char *text;
  size_t bytes;
  int fd;
  one->hash[0] = 0;
  one->time_s = 0;
  if (open_beneath(at, file, &fd, &e))
    return;
  if (!fstat(fd, &st))
    one->time_s = st.st_ctime;
  if (!file_read_open(fd, file, SOURCE_MAX_BYTES, &text, &bytes, &e)) {
    sha256_hex(text, bytes, one->hash);
    free(text);
  }
  close(fd);
}

enum err submit_each(const char *folder,
                     void (*each)(void *context, const struct submitted *one),
                     void *context, struct err_info *e) {
  char *path = xasprintf("%s/hand-in", folder);
  int count, at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (at < 0) {
    err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    free(path);
    return ERR_IO;
  }
  char **names = file_names(path, &count);
  for (int i = 0; i < count; i++) {
    struct submitted one;
    if (!receipt_parse(names[i], &one.name))
      continue;
    look_at(at, names[i], &one);
    each(context, &one);
  }
  file_names_free(names, count);
  close(at);
  free(path);
  return ERR_OK;
}

char *submit_time(int64_t time_s) {
  time_t at = (time_t)time_s;
  struct tm t;
  char text[32] = "?";
  if (localtime_r(&at, &t))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &t);
  return xstrdup(text);
}
