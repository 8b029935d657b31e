// SPDX-License-Identifier: Apache-2.0
#include "class/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/record.h"
#include "base/str.h"

static const char *const kinds[] = {
#define EVENT(name, text) text,
#include "class/event.def"
#undef EVENT
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const char *event_text(enum event_kind kind) {
  return kinds[kind];
}

// ---- Writing ----

enum { MAX_TEXT = 500 }; // bytes of one field

struct event_log {
  char *folder, *path;
  int fd; // -1 until the first event
  bool is_broken;
};

struct event_log *event_log_open(const char *folder) {
  struct event_log *log = xcalloc(1, sizeof *log);
  log->folder = xstrdup(folder);
  char *name = record_session_name();
  log->path = xasprintf("%s/events/%s", folder, name);
  free(name);
  log->fd = -1;
  return log;
}

void event_log_close(struct event_log *log) {
  if (!log)
    return;
  if (log->fd >= 0)
    close(log->fd);
  free(log->folder);
  free(log->path);
  free(log);
}

static enum err open_log(struct event_log *log, struct err_info *e) {
  if (log->fd >= 0)
    return ERR_OK;
  enum err err = record_open(log->path, 0640, &log->fd, e);
  // Whatever the session's umask: instructors read it, others cannot enter.
  if (!err && fchmod(log->fd, 0640))
    err = err_set(e, ERR_IO, "%s: %s", log->path, strerror(errno));
  return err;
}

// A text that JSON can hold, not too long.
static json_t *short_text(const char *text) {
  size_t n = strnlen(text ? text : "", MAX_TEXT);
  while (n && text[n] && ((unsigned char)text[n] & 0xC0) == 0x80)
    n--;
  json_t *o = json_stringn(text ? text : "", n);
  return o ? o : json_string("?");
}

enum err event_add(struct event_log *log, enum event_kind kind,
                   const char *what, const char *text, const char *code,
                   struct err_info *e) {
  if (!log || log->is_broken)
    return ERR_OK;
  json_t *o =
      json_pack("{s:I,s:s,s:o,s:o,s:o}", "ms", (json_int_t)clock_day_ms(),
                "kind", kinds[kind], "what", short_text(what), "text",
                short_text(text), "code", short_text(code));
  char *payload = json_dumps(o, JSON_COMPACT);
  enum err err = open_log(log, e);
  if (!err)
    err = record_append(log->fd, log->path, payload, strlen(payload), e);
  log->is_broken = err != ERR_OK;
  free(payload);
  json_decref(o);
  return err;
}

// ---- Reading ----

enum {
  MAX_LOG_BYTES = 16 << 20, // of one session
  MAX_NEW_BYTES = 1 << 20,  // that are taken of it at once
};

struct place {
  off_t at; // so far it was read
  struct place *next;
};

struct event_reader {
  const struct room *room;
  struct map *by_path; // "folder/events/file": its place
  struct place *places;
  struct map *told; // what was odd
};

struct event_reader *event_reader_open(const struct room *r) {
  struct event_reader *reader = xcalloc(1, sizeof *reader);
  reader->room = r;
  reader->by_path = map_new();
  reader->told = map_new();
  return reader;
}

void event_reader_close(struct event_reader *reader) {
  if (!reader)
    return;
  for (struct place *p = reader->places, *next; p; p = next) {
    next = p->next;
    free(p);
  }
  map_free(reader->by_path);
  map_free(reader->told);
  free(reader);
}

static struct place *place_of(struct event_reader *reader, const char *path) {
  struct place *p = map_get(reader->by_path, path, strlen(path));
  if (p)
    return p;
  p = xcalloc(1, sizeof *p);
  p->next = reader->places;
  reader->places = p;
  map_set(reader->by_path, path, strlen(path), p);
  return p;
}

static void tell_odd(struct event_reader *reader, const struct event_source *to,
                     const char *name, const char *why) {
  char *text = xasprintf("%s: %s", name, why);
  if (!map_get(reader->told, text, strlen(text))) {
    map_set(reader->told, text, strlen(text), reader);
    to->odd(to->context, text);
  }
  free(text);
}

struct taking {
  const struct event_source *to;
  uid_t uid;
};

static const char *field(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static void take_kind(const struct taking *t, const char *kind,
                      struct event *ev) {
  for (int k = 0; k < KIND_COUNT; k++)
    if (*kind == *kinds[k] && !strcmp(kind, kinds[k])) {
      ev->kind = (enum event_kind)k;
      t->to->event(t->to->context, t->uid, ev);
    }
}

// What stands before the value of a field, with its length.
struct before {
  const char *text;
  size_t bytes;
};
#define BEFORE(text)                                                           \
  { text, sizeof(text) - 1 }

// Steps over what stands at *p.
static bool skip(char **p, const struct before *what) {
  if (strncmp(*p, what->text, what->bytes) != 0)
    return false;
  *p += what->bytes;
  return true;
}

static bool is_itself(unsigned char c) {
  return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

// ,"key":"value" of letters that stand for themselves; the value is ended in place.
static bool skip_field(char **p, const struct before *before,
                       const char **value) {
  if (!skip(p, before))
    return false;
  *value = *p;
  while (is_itself((unsigned char)**p))
    ++*p;
  return **p == '"';
}

// A number from 1 on that is written without sign or zeros before it; 0: none stands
// there, or one that may be too large.
static int64_t take_number(char **p) {
  enum { MOST_DIGITS = 18 };
  int64_t value = 0;
  char *from = *p;
  for (; **p >= '0' && **p <= '9' && *p - from < MOST_DIGITS; ++*p)
    value = value * 10 + (**p - '0');
  return *from == '0' ? 0 : value;
}

static bool take_plain(const struct taking *t, char *p) {
  static const struct before number = BEFORE("{\"ms\":"),
                             fields[] = {BEFORE(",\"kind\":\""),
                                         BEFORE(",\"what\":\""),
                                         BEFORE(",\"text\":\""),
                                         BEFORE(",\"code\":\"")};
  const char *at[4];
  char *ends[4];
  struct event ev = {0};
  if (!skip(&p, &number) || !(ev.time_ms = take_number(&p)))
    return false;
  for (int i = 0; i < 4; i++) {
    if (!skip_field(&p, &fields[i], &at[i]))
      return false;
    ends[i] = p++;
  }
  if (strcmp(p, "}") != 0)
    return false;
  for (int i = 0; i < 4; i++)
    *ends[i] = 0;
  ev.what = at[1];
  ev.text = at[2];
  ev.code = at[3];
  take_kind(t, at[0], &ev);
  return true;
}

// As event_add writes them nearly all are plain, and need no tree of objects: of a
// large class's hour that is most of the work.
static void take_event(void *context, char *payload) {
  const struct taking *t = context;
  if (take_plain(t, payload))
    return;
  json_t *o = json_loads(payload, 0, NULL);
  struct event ev = {
      .time_ms = json_integer_value(json_object_get(o, "ms")),
      .what = field(o, "what"),
      .text = field(o, "text"),
      .code = field(o, "code"),
  };
  if (o)
    take_kind(t, field(o, "kind"), &ev);
  json_decref(o);
}

// Whole lines alone: what is being written is taken the next time.
static bool take_new(int fd, struct place *p, off_t end,
                     const struct taking *t) {
  size_t bytes =
      end - p->at > MAX_NEW_BYTES ? MAX_NEW_BYTES : (size_t)(end - p->at);
  char *data = xmalloc(bytes + 1);
  ssize_t n = pread(fd, data, bytes, p->at);
  while (n > 0 && data[n - 1] != '\n')
    n--;
  if (n > 0) {
    record_read(data, (size_t)n, take_event, (void *)t);
    p->at += n;
  }
  free(data);
  return n > 0;
}

// The owner of the file is whose event it is.
static void read_open(struct event_reader *reader, int fd, const char *path,
                      const struct taking *t) {
  struct place *p = place_of(reader, path);
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != t->uid)
    tell_odd(reader, t->to, path, "it is another user's");
  else if (st.st_size > MAX_LOG_BYTES)
    tell_odd(reader, t->to, path, "it is too large to be a session's");
  else
    while (p->at < st.st_size && take_new(fd, p, st.st_size, t))
      ;
}

// `name` in the folder `events`, which was opened with no link on the way to it; it is
// no link either, and read_open looks whose it is.
static void read_log(struct event_reader *reader, int events, const char *name,
                     const char *path, const struct taking *t) {
  struct stat st;
  const struct place *p = map_get(reader->by_path, path, strlen(path));
  if (p && !fstatat(events, name, &st, AT_SYMLINK_NOFOLLOW) &&
      S_ISREG(st.st_mode) && st.st_size == p->at)
    return; // nothing is new
  int fd = openat(events, name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    tell_odd(reader, t->to, path, "it is no file of the room's");
    return;
  }
  read_open(reader, fd, path, t);
  close(fd);
}

static void read_learner(struct event_reader *reader, const char *name,
                         uid_t uid, const struct event_source *to) {
  char *path = xasprintf("%s/events", name);
  struct err_info e;
  int fd;
  // No link on the way: the learner could put one in the place of the folder.
  DIR *folder =
      open_beneath(reader->room->fd, path, &fd, &e) ? NULL : fdopendir(fd);
  if (!folder)
    tell_odd(reader, to, path, "it cannot be looked into");
  for (struct dirent *d; folder && (d = readdir(folder));) {
    char *file = xasprintf("%s/%s", path, d->d_name);
    if (str_ends(d->d_name, ".log"))
      read_log(reader, fd, d->d_name, file, &(struct taking){to, uid});
    free(file);
  }
  if (folder)
    closedir(folder);
  else if (fd >= 0)
    close(fd);
  free(path);
}

struct reading {
  struct event_reader *reader;
  const struct event_source *to;
};

static void take_learner(void *context, const char *name, uid_t uid) {
  const struct reading *in = context;
  read_learner(in->reader, name, uid, in->to);
}

static void take_odd(void *context, const char *name) {
  const struct reading *in = context;
  tell_odd(in->reader, in->to, name, "it is no learner's folder");
}

enum err event_read(struct event_reader *reader, const struct event_source *to,
                    struct err_info *e) {
  struct reading in = {reader, to};
  struct room_walk walk = {take_learner, take_odd, &in};
  return room_walk(reader->room, &walk, e);
}
