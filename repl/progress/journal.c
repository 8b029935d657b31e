// SPDX-License-Identifier: Apache-2.0
// The progress journal: records (base/record.h) with the payload
// "<ms since 1970>\t<kind>\t<key>\t<value>".
#include "repl/progress/progress.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/record.h"
#include "base/str.h"
#include "grade/course/course.h"

enum { MAX_FILE = 64 << 20, MAX_FILES = 4096 };

struct journal {
  char *folder;
  char *path; // of this session's file
  int fd;     // -1 until the first record
  bool is_broken;
};

// ---- Opening ----

static char *default_folder(void) {
  char *data = course_xdg(XDG_DATA);
  char *folder = data ? xasprintf("%s/progress", data) : NULL;
  free(data);
  return folder;
}

enum err journal_open(const char *folder, struct journal **out,
                      struct err_info *e) {
  char *own = folder ? xstrdup(folder) : default_folder();
  *out = NULL;
  if (!own)
    return err_set(e, ERR_IO, "there is no home folder to keep progress in");
  struct journal *j = xcalloc(1, sizeof *j);
  char *name = record_session_name();
  j->folder = own;
  j->path = xasprintf("%s/%s", own, name);
  j->fd = -1;
  free(name);
  *out = j;
  return ERR_OK;
}

void journal_close(struct journal *j) {
  if (!j)
    return;
  if (j->fd >= 0)
    close(j->fd);
  free(j->folder);
  free(j->path);
  free(j);
}

// ---- Writing ----

static void add_field(struct str *s, const char *text) {
  str_add_char(s, '\t');
  for (; *text; text++)
    str_add_char(s, *text == '\t' || *text == '\n' ? ' ' : *text);
}

static void make_payload(struct str *payload, const char *kind, const char *key,
                         const char *value) {
  str_addf(payload, "%lld", (long long)clock_day_ms());
  add_field(payload, kind);
  add_field(payload, key);
  add_field(payload, value);
}

static enum err open_file(struct journal *j, struct err_info *e) {
  if (j->fd >= 0)
    return ERR_OK;
  enum err err = file_make_folder(j->folder, e);
  if (err)
    return err;
  j->fd = open(j->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (j->fd < 0)
    return err_set(e, ERR_IO, "%s: %s", j->path, strerror(errno));
  return ERR_OK;
}

enum err journal_add(struct journal *j, const char *kind, const char *key,
                     const char *value, struct err_info *e) {
  if (!j || j->is_broken)
    return ERR_OK;
  struct str payload = STR_INIT;
  make_payload(&payload, kind, key, value);
  enum err err = open_file(j, e);
  if (!err)
    err = record_append(j->fd, j->path, payload.data, payload.len, e);
  j->is_broken = err != ERR_OK;
  str_free(&payload);
  return err;
}

// ---- Reading ----

struct entry {
  struct journal_record r;
  size_t order; // ties in time keep the order in which they were read
};

struct entries {
  struct entry *list;
  size_t count, capacity;
  char **files; // whose bytes the records point into
  size_t file_count;
};

// Cuts "a\tb\tc\td" in place; false when a field is missing.
static bool split_payload(char *payload, struct journal_record *r) {
  char *kind = strchr(payload, '\t');
  char *key = kind ? strchr(kind + 1, '\t') : NULL;
  char *value = key ? strchr(key + 1, '\t') : NULL;
  if (!value)
    return false;
  *kind++ = *key++ = *value++ = 0;
  *r = (struct journal_record){atoll(payload), kind, key, value};
  return true;
}

static void add_entry(void *context, char *payload) {
  struct entries *all = context;
  struct journal_record r;
  if (!split_payload(payload, &r))
    return;
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? 2 * all->capacity : 64;
    all->list = xrealloc(all->list, all->capacity * sizeof *all->list);
  }
  all->list[all->count] = (struct entry){r, all->count};
  all->count++;
}

// A line that is no record is skipped: a torn tail, or a tail that the next
// session of the same name wrote behind.
static void read_file(struct entries *all, const char *path) {
  char *data;
  size_t bytes;
  if (file_read(path, MAX_FILE, &data, &bytes, NULL))
    return;
  all->files = xrealloc(all->files, (all->file_count + 1) * sizeof(char *));
  all->files[all->file_count++] = data;
  record_read(data, bytes, add_entry, all);
}

static int compare_entries(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->r.time_ms != y->r.time_ms)
    return x->r.time_ms < y->r.time_ms ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void free_entries(struct entries *all) {
  for (size_t i = 0; i < all->file_count; i++)
    free(all->files[i]);
  free(all->files);
  free(all->list);
}

enum err journal_read(const struct journal *j,
                      void (*each)(void *context,
                                   const struct journal_record *r),
                      void *context, struct err_info *e) {
  DIR *folder = opendir(j->folder);
  if (!folder)
    return errno == ENOENT
               ? ERR_OK
               : err_set(e, ERR_IO, "%s: %s", j->folder, strerror(errno));
  struct entries all = {0};
  for (struct dirent *de;
       all.file_count < MAX_FILES && (de = readdir(folder));) {
    if (!str_ends(de->d_name, ".log"))
      continue;
    char *path = xasprintf("%s/%s", j->folder, de->d_name);
    read_file(&all, path);
    free(path);
  }
  closedir(folder);
  if (all.count)
    qsort(all.list, all.count, sizeof *all.list, compare_entries);
  for (size_t i = 0; i < all.count; i++)
    each(context, &all.list[i].r);
  free_entries(&all);
  return ERR_OK;
}

// ---- Lessons ----

struct page_query {
  const char *lesson;
  int page;
  char *last;
  size_t last_bytes;
};

static void take_page(void *context, const struct journal_record *r) {
  struct page_query *q = context;
  if (!strcmp(r->kind, "forget")) { // the lesson was begun anew
    if (q->lesson && !strcmp(r->key, q->lesson))
      q->page = 0;
    if (q->last && !strcmp(r->key, q->last))
      q->last[0] = 0;
    return;
  }
  if (strcmp(r->kind, "page"))
    return;
  if (q->lesson && !strcmp(r->key, q->lesson))
    q->page = atoi(r->value);
  if (q->last)
    snprintf(q->last, q->last_bytes, "%s", r->key);
}

int journal_page(const struct journal *j, const char *lesson) {
  struct page_query q = {.lesson = lesson};
  if (j)
    journal_read(j, take_page, &q, NULL);
  return q.page;
}

void journal_last_lesson(const struct journal *j, char *out, size_t bytes) {
  struct page_query q = {.last = out, .last_bytes = bytes};
  out[0] = 0;
  if (j)
    journal_read(j, take_page, &q, NULL);
}
