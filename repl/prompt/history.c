// SPDX-License-Identifier: Apache-2.0
// The prompt's history file.
#include "repl/prompt/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/course/course.h"

enum { MAX_BYTES = 16 << 20, MAX_ENTRY = 64 << 10 };

// An entry may have several lines: newline is "\n" and backslash "\\" in the
// file.
static char *encode(const char *entry) {
  struct str s = STR_INIT;
  for (; *entry; entry++) {
    if (*entry == '\n')
      str_add(&s, "\\n");
    else if (*entry == '\\')
      str_add(&s, "\\\\");
    else
      str_add_char(&s, *entry);
  }
  return str_take(&s);
}

static char *decode(const char *line, size_t bytes) {
  struct str s = STR_INIT;
  for (size_t i = 0; i < bytes; i++) {
    if (line[i] != '\\' || i + 1 == bytes)
      str_add_char(&s, line[i]);
    else
      str_add_char(&s, line[++i] == 'n' ? '\n' : line[i]);
  }
  return str_take(&s);
}

static size_t count_lines(const char *data) {
  size_t n = 0;
  for (; (data = strchr(data, '\n')); data++)
    n++;
  return n;
}

// The newest HISTORY_MAX entries of `data`.
static const char *newest(const char *data) {
  size_t n = count_lines(data);
  for (; n > HISTORY_MAX; n--)
    data = strchr(data, '\n') + 1;
  return data;
}

static void each_line(const char *data, void (*each)(const char *entry)) {
  const char *end;
  // Without its line end the last entry was torn by a kill; it is left out.
  for (; (end = strchr(data, '\n')); data = end + 1) {
    char *entry = decode(data, (size_t)(end - data));
    if (*entry)
      each(entry);
    free(entry);
  }
}

// Under a lock, so that of many sessions that start at once only one cuts; what
// another appends meanwhile may be lost, never torn.
static void cut(const char *path, const char *kept) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
    file_replace(path, kept, strlen(kept), NULL);
  if (fd >= 0)
    close(fd);
}

enum err history_open(struct history *h, void (*each)(const char *entry),
                      struct err_info *e) {
  char *folder = course_xdg(XDG_STATE), *data;
  size_t bytes;
  memset(h, 0, sizeof *h);
  if (!folder) {
    h->is_broken = true;
    return err_set(e, ERR_IO, "there is no home folder to keep history in");
  }
  h->path = xasprintf("%s/history", folder);
  free(folder);
  if (access(h->path, F_OK))
    return ERR_OK;
  enum err err = file_read(h->path, MAX_BYTES, &data, &bytes, e);
  if (err)
    return err;
  const char *kept = newest(data);
  each_line(kept, each);
  if (count_lines(data) > 2 * (size_t)HISTORY_MAX)
    cut(h->path, kept);
  free(data);
  return ERR_OK;
}

static enum err append(const char *path, const struct str *line,
                       struct err_info *e) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  ssize_t n = write(fd, line->data, line->len);
  enum err err = ERR_OK;
  if (n != (ssize_t)line->len)
    err = err_set(e, ERR_IO, "%s: %s", path,
                  n < 0 ? strerror(errno) : "the disk is full");
  close(fd);
  return err;
}

enum err history_append(struct history *h, const char *entry,
                        struct err_info *e) {
  if (h->is_broken || strlen(entry) > MAX_ENTRY)
    return ERR_OK;
  struct str line = STR_INIT;
  char *encoded = encode(entry);
  str_add(&line, encoded);
  str_add_char(&line, '\n');
  free(encoded);
  char *folder = xstrndup(h->path, (size_t)(strrchr(h->path, '/') - h->path));
  enum err err = file_make_folder(folder, e);
  if (!err)
    err = append(h->path, &line, e);
  h->is_broken = err != ERR_OK;
  free(folder);
  str_free(&line);
  return err;
}

void history_close(struct history *h) {
  free(h->path);
  h->path = NULL;
}
