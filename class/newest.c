// SPDX-License-Identifier: Apache-2.0
#include "class/newest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "class/submit.h"
#include "grade/input/input.h"

struct search {
  const struct room *room;
  uid_t uid;
  const char *exercise;
  char *path;
  struct timespec time;
};

static bool is_older(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
                                : a->tv_nsec < b->tv_nsec;
}

static void look_into(struct search *s, const char *folder) {
  char *at = xasprintf("%s/hand-in", folder);
  int fd =
      openat(s->room->fd, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *files = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *d; files && (d = readdir(files));) {
    struct receipt_name name;
    struct stat st;
    if (!receipt_parse(d->d_name, &name) ||
        fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        (s->exercise && strcmp(name.exercise, s->exercise) != 0) ||
        (s->path && is_older(&st.st_ctim, &s->time)))
      continue;
    free(s->path);
    s->path = xasprintf("%s/%s", at, d->d_name);
    s->time = st.st_ctim;
  }
  if (files)
    closedir(files);
  free(at);
}

static void look(void *context, const char *folder, uid_t uid) {
  struct search *s = context;
  if (uid == s->uid)
    look_into(s, folder);
}

static enum err read_text(const struct search *s, struct newest *out,
                          struct err_info *e) {
  char *text;
  size_t bytes;
  int fd;
  enum err err = open_beneath(s->room->fd, s->path, &fd, e);
  if (err)
    return err;
  err = file_read_open(fd, s->path, SOURCE_MAX_BYTES, &text, &bytes, e);
  close(fd);
  if (err)
    return err;
  out->text = text_clean(text, bytes, SOURCE_MAX_BYTES, 1);
  out->when = submit_time(s->time.tv_sec);
  out->path = xstrdup(s->path);
  free(text);
  return ERR_OK;
}

enum err newest_read(const struct room *r, uid_t uid, const char *exercise,
                     struct newest *out, struct err_info *e) {
  struct search s = {r, uid, exercise, NULL, {0}};
  struct room_walk walk = {.learner = look, .context = &s};
  *out = (struct newest){0};
  enum err err = room_walk(r, &walk, e);
  if (!err && !s.path)
    err = err_set(e, ERR_NOT_FOUND, "nothing was handed in%s%.60s",
                  exercise ? " for " : "", exercise ? exercise : "");
  if (!err)
    err = read_text(&s, out, e);
  free(s.path);
  return err;
}

void newest_free(struct newest *n) {
  free(n->path);
  free(n->text);
  free(n->when);
  *n = (struct newest){0};
}
