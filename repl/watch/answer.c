// SPDX-License-Identifier: Apache-2.0
#include "repl/watch/answer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "grade/check/check.h"
#include "repl/watch/follow.h"

enum { MAX_SOURCE = 1 << 20, LOOK_MS = 200 };

static bool is_blank(const char *text) {
  while (isspace((unsigned char)*text))
    text++;
  return !*text;
}

static enum answer_news read_text(struct answer *a, struct err_info *e) {
  char *text;
  size_t bytes;
  if (file_read(a->path, MAX_SOURCE, &text, &bytes, e))
    return access(a->path, F_OK) ? ANSWER_NOTHING : ANSWER_UNREADABLE;
  bool is_same = a->text && !strcmp(text, a->text);
  free(a->text);
  a->text = text;
  return is_same          ? ANSWER_NOTHING
         : is_blank(text) ? ANSWER_EMPTY
                          : ANSWER_SAVED;
}

enum answer_news answer_look(struct answer *a, struct err_info *e) {
  switch (follow_look(a->follow)) {
  case FOLLOW_SAVED: return read_text(a, e);
  case FOLLOW_GONE:
    free(a->text);
    a->text = NULL;
    return ANSWER_GONE;
  case FOLLOW_NOTHING: break;
  }
  return ANSWER_NOTHING;
}

bool answer_has_text(const struct answer *a) {
  return a->text && !is_blank(a->text);
}

bool answer_is_begun_only(const struct answer *a) {
  return !answer_has_text(a) || !strcmp(a->text, a->starter);
}

// ---- Opening ----

static bool must_poll(void) {
  const char *way = getenv("WARPSHOP_WATCH");
  return way && !strcmp(way, "poll");
}

char *answer_path(const char *folder, const char *exercise,
                  const char *extension) {
  const char *slash = strrchr(exercise, '/');
  return xasprintf("%s%s%s", folder, slash ? slash + 1 : exercise, extension);
}

static enum err begin_file(struct answer *a, const char *text,
                           struct err_info *e) {
  if (!access(a->path, F_OK))
    return ERR_OK;
  a->was_begun = true;
  return file_write(a->path, text, strlen(text), 0644, e);
}

enum err answer_open(struct answer *a, const char *exercise, char *path,
                     const char *draft, struct err_info *e) {
  char *solution;
  *a = (struct answer){.exercise = xstrdup(exercise), .path = path};
  const char *slash = strrchr(path, '/');
  a->file = slash ? slash + 1 : path;
  enum err err = check_texts(exercise, &a->starter, &solution, e);
  if (err)
    return err;
  free(solution);
  err = begin_file(a, draft ? draft : a->starter, e);
  if (err)
    return err;
  a->follow = follow_open(path, must_poll(), LOOK_MS);
  struct err_info unread;
  read_text(a, &unread);
  return ERR_OK;
}

void answer_close(struct answer *a) {
  follow_close(a->follow);
  free(a->exercise);
  free(a->path);
  free(a->starter);
  free(a->text);
  *a = (struct answer){0};
}

int answer_fd(const struct answer *a) {
  return follow_fd(a->follow);
}

int answer_interval_ms(const struct answer *a) {
  return follow_interval_ms(a->follow);
}
