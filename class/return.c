// SPDX-License-Identifier: Apache-2.0
#include "class/return.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/record.h"
#include "base/str.h"
#include "class/grant.h"
#include "class/key.h"

enum {
  MAX_BYTES = 16 << 20, // of one file
  GRANTED_MODE = 02770,
  SEALED_MODE = 02771,
  TRIES = 3,
};

static enum err io_error(struct err_info *e, const char *path) {
  return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
}

static int open_folder(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// ---- The learner's folder below return/ ----

// The rights of a new one: an access list, or everybody enters and finds it sealed.
static enum err set_rights(int fd, uid_t learner, const char *path,
                           struct err_info *e) {
  if (fchmod(fd, GRANTED_MODE))
    return io_error(e, path);
  enum err err = grant_entry(fd, learner, path, e);
  if (err != ERR_UNSUPPORTED)
    return err;
  return fchmod(fd, SEALED_MODE) ? io_error(e, path) : ERR_OK;
}

// Made aside and put in its place whole: it is never there with other rights, and
// as it is not empty none is put in the place of another's.
static enum err make_folder(const struct room *r, const char *name,
                            uid_t learner, struct err_info *e) {
  unsigned char noise[8];
  char hex[17];
  randombytes_buf(noise, sizeof noise);
  sodium_bin2hex(hex, sizeof hex, noise, sizeof noise);
  char *aside = xasprintf("return/.new-%s", hex);
  int fd = mkdirat(r->fd, aside, 0700) ? -1 : open_folder(r->fd, aside);
  enum err err =
      fd < 0 ? io_error(e, r->folder) : set_rights(fd, learner, name, e);
  int log = err ? -1 : openat(fd, "log", O_WRONLY | O_CREAT | O_EXCL, 0664);
  if (!err && (log < 0 || fchmod(log, 0664)))
    err = io_error(e, name);
  if (log >= 0)
    close(log);
  if (!err && renameat(r->fd, aside, r->fd, name) && errno != EEXIST &&
      errno != ENOTEMPTY)
    err = io_error(e, name);
  if (fd >= 0) {
    struct stat st, placed;
    bool is_placed = !fstat(fd, &st) && !fstatat(r->fd, name, &placed, 0) &&
                     st.st_ino == placed.st_ino;
    if (!is_placed) {
      unlinkat(fd, "log", 0);
      unlinkat(r->fd, aside, AT_REMOVEDIR);
    }
    close(fd);
  }
  free(aside);
  return err;
}

// Opens it, made before if need be; `*is_sealed`: others may read what is in it.
static enum err enter(const struct room *r, uid_t learner, int *fd,
                      bool *is_sealed, struct err_info *e) {
  char name[32];
  struct stat st;
  snprintf(name, sizeof name, "return/%u", (unsigned)learner);
  *fd = open_folder(r->fd, name);
  for (int i = 0; *fd < 0 && errno == ENOENT && i < TRIES; i++) {
    enum err err = make_folder(r, name, learner, e);
    if (err)
      return err;
    *fd = open_folder(r->fd, name);
  }
  if (*fd < 0 || fstat(*fd, &st))
    return err_set(e, ERR_IO,
                   "%s/%s: %s; the room's instructors, its group, may write "
                   "there",
                   r->folder, name, strerror(errno));
  *is_sealed = st.st_mode & S_IXOTH;
  // As a backup that was put back may have lost it.
  return *is_sealed || grant_is_entry(*fd, learner)
             ? ERR_OK
             : set_rights(*fd, learner, name, e);
}

// ---- Adding ----

// What is to be added, and the records that it takes.
struct adding {
  const struct room *room;
  uid_t learner;
  struct room_secret secret;
  char *text; // the item as JSON, without its time
  char *whole;
  bool has_key; // one, at least, to seal it to
  const char *path;
  int fd;
  json_t *ids; // that are in the file
  enum err err;
  struct err_info *e;
};

static void take_id(void *context, char *payload) {
  json_t *ids = context, *o = json_loads(payload, 0, NULL);
  const char *id = json_string_value(json_object_get(o, "id"));
  if (id)
    json_object_set_new(ids, id, json_true());
  json_decref(o);
}

static enum err read_ids(struct adding *a, struct err_info *e) {
  char *data;
  size_t bytes;
  enum err err = file_read(a->path, MAX_BYTES, &data, &bytes, e);
  if (err)
    return err;
  record_read(data, bytes, take_id, a->ids);
  free(data);
  return ERR_OK;
}

// `to` NULL: as it is, for who may enter the folder.
static void add_one(struct adding *a, const char *to) {
  char id[KEY_ID_HEX], *named = xasprintf("%s\n%s", to ? to : "", a->text);
  key_id(&a->secret, named, id);
  free(named);
  a->has_key = true;
  if (json_object_get(a->ids, id))
    return;
  char *sealed = to ? key_seal(to, a->whole) : NULL;
  json_t *o = to ? json_pack("{s:s,s:s}", "id", id, "sealed", sealed)
                 : json_pack("{s:s,s:o}", "id", id, "item",
                             json_loads(a->whole, 0, NULL));
  char *line = json_dumps(o, JSON_COMPACT);
  a->err = record_append(a->fd, a->path, line, strlen(line), a->e);
  free(line);
  json_decref(o);
  free(sealed);
}

// A key in a folder of the learner's.
static void seal_to(void *context, const char *name, uid_t uid) {
  struct adding *a = context;
  struct err_info e;
  struct stat st;
  char *path, *key = NULL, *probe;
  size_t bytes;
  int fd;
  if (uid != a->learner || a->err)
    return;
  path = xasprintf("%s/key", name);
  if (!open_beneath(a->room->fd, path, &fd, &e)) {
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == uid)
      file_read_open(fd, path, KEY_HEX, &key, &bytes, &e);
    close(fd);
  }
  free(path);
  if (key && (probe = key_seal(key, ""))) {
    free(probe);
    add_one(a, key);
  }
  free(key);
}

static enum err add_sealed(struct adding *a) {
  struct room_walk walk = {.learner = seal_to, .context = a};
  enum err err = room_walk(a->room, &walk, a->e);
  if (err || a->err)
    return err ? err : a->err;
  return a->has_key
             ? ERR_OK
             : err_set(a->e, ERR_NOT_FOUND,
                       "this file system has no access lists, and the user %u "
                       "has no key in the room to which it could be sealed: "
                       "class leave and class join once more make one",
                       (unsigned)a->learner);
}

// Under a lock, as there may be several instructors.
static enum err add_locked(struct adding *a, bool is_sealed) {
  int lock = open(a->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0664);
  if (lock < 0 || flock(lock, LOCK_EX)) {
    io_error(a->e, a->path);
    if (lock >= 0)
      close(lock);
    return ERR_IO;
  }
  enum err err = read_ids(a, a->e);
  if (!err)
    err = record_open(a->path, 0664, &a->fd, a->e);
  if (!err && is_sealed) {
    err = add_sealed(a);
  } else if (!err) {
    add_one(a, NULL);
    err = a->err;
  }
  if (!err && fsync(a->fd))
    err = io_error(a->e, a->path);
  if (a->fd >= 0)
    close(a->fd);
  close(lock);
  return err;
}

enum err return_append(const struct room *r, uid_t learner, const char *kind,
                       const json_t *body, struct err_info *e) {
  struct adding a = {.room = r, .learner = learner, .fd = -1, .e = e};
  bool is_sealed = false;
  int folder = -1;
  enum err err = key_load(r, &a.secret, e);
  if (!err)
    err = enter(r, learner, &folder, &is_sealed, e);
  if (folder >= 0)
    close(folder);
  if (!err) {
    json_t *o = json_pack("{s:s,s:O}", "kind", kind, "body", (json_t *)body);
    char *path = xasprintf("%s/return/%u/log", r->folder, (unsigned)learner);
    a.text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
    json_object_set_new(o, "ms", json_integer(clock_day_ms()));
    a.whole = json_dumps(o, JSON_COMPACT);
    a.path = path;
    a.ids = json_object();
    err = add_locked(&a, is_sealed);
    json_decref(a.ids);
    json_decref(o);
    free(a.text);
    free(a.whole);
    free(path);
  }
  sodium_memzero(&a.secret, sizeof a.secret);
  return err;
}

// ---- The learner's side ----

int64_t return_length(const char *room) {
  struct stat st;
  char *path = xasprintf("%s/return/%u/log", room, (unsigned)geteuid());
  int failed = stat(path, &st);
  free(path);
  return failed ? 0 : st.st_size;
}

struct reading {
  void (*each)(void *context, const struct return_item *item);
  void *context;
};

static void take_record(void *context, char *payload) {
  const struct reading *in = context;
  json_t *o = json_loads(payload, 0, NULL);
  json_t *item = json_incref(json_object_get(o, "item"));
  const char *sealed = json_string_value(json_object_get(o, "sealed"));
  char *text = sealed ? key_open(sealed) : NULL;
  if (text)
    item = json_loads(text, 0, NULL);
  const char *kind = json_string_value(json_object_get(item, "kind"));
  if (kind)
    in->each(in->context,
             &(struct return_item){
                 kind, json_integer_value(json_object_get(item, "ms")),
                 json_object_get(item, "body")});
  free(text);
  json_decref(item);
  json_decref(o);
}

// In a folder that its instructors alone may write into, all is theirs.
static enum err check_writers(const struct room *r, struct err_info *e) {
  struct stat st;
  if (fstatat(r->fd, "return", &st, AT_SYMLINK_NOFOLLOW))
    return err_set(e, ERR_IO, "%s/return: %s", r->folder, strerror(errno));
  if (S_ISDIR(st.st_mode) && st.st_uid == r->owner && st.st_gid == r->group &&
      !(st.st_mode & S_IWOTH))
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "%s/return: others than the room's instructors may write "
                 "there, so that nothing in it is believed",
                 r->folder);
}

enum err return_read(const struct room *r, int64_t from, int64_t *to,
                     void (*each)(void *context,
                                  const struct return_item *item),
                     void *context, struct err_info *e) {
  struct reading in = {each, context};
  char path[32], *data = NULL;
  size_t bytes;
  int fd;
  *to = from;
  if (!return_length(r->folder))
    return ERR_OK;
  enum err err = check_writers(r, e);
  snprintf(path, sizeof path, "return/%u/log", (unsigned)geteuid());
  if (!err)
    err = open_beneath(r->fd, path, &fd, e);
  if (err)
    return err;
  err = file_read_open(fd, path, MAX_BYTES, &data, &bytes, e);
  close(fd);
  if (!err && from >= 0 && from < (int64_t)bytes) {
    while (bytes && data[bytes - 1] != '\n')
      bytes--; // the rest is being written
    *to = (int64_t)bytes;
    if (from < (int64_t)bytes)
      record_read(data + from, bytes - (size_t)from, take_record, &in);
  }
  free(data);
  return err;
}

// ---- What was shown ----

static char *heard_path(void) {
  char *state = file_xdg(XDG_STATE);
  char *path = state ? xasprintf("%s/room.heard", state) : NULL;
  free(state);
  return path;
}

static json_t *read_heard(const char *path) {
  char *text = NULL;
  size_t bytes;
  json_t *o = path && !file_read(path, 1 << 16, &text, &bytes, NULL)
                  ? json_loads(text, 0, NULL)
                  : NULL;
  free(text);
  if (json_is_object(o))
    return o;
  json_decref(o);
  return json_object();
}

int64_t return_heard(const char *room) {
  char *path = heard_path();
  json_t *o = read_heard(path);
  int64_t bytes = json_integer_value(json_object_get(o, room));
  json_decref(o);
  free(path);
  return bytes;
}

// Where it cannot be kept, a hint is shown once more: no reason to stop.
void return_set_heard(const char *room, int64_t bytes) {
  struct err_info e;
  char *path = heard_path();
  json_t *o = read_heard(path);
  json_object_set_new(o, room, json_integer(bytes));
  char *text = json_dumps(o, JSON_COMPACT);
  if (path && text)
    file_replace(path, text, strlen(text), &e);
  free(text);
  json_decref(o);
  free(path);
}
