// SPDX-License-Identifier: Apache-2.0
#include "class/room.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"

enum {
  ROOM_MODE = 03773, // set-gid and sticky; others: enter and make, not look
  OWN_UMASK = 027,   // of a learner's folder
  MAX_ROOM_BYTES = 1 << 16,
};

static const char schema[] = "warpshop.room/1";

static enum err io_error(struct err_info *e, const char *path,
                         const char *doing) {
  return err_set(e, ERR_IO, "%s: %s: %s", path, doing, strerror(errno));
}

// ---- Making one ----

static bool is_named(const struct room_new *q, const char *account) {
  for (int i = 0; i < q->instructor_count; i++)
    if (!strcmp(q->instructors[i], account))
      return true;
  const struct passwd *own = getpwuid(geteuid());
  return own && !strcmp(own->pw_name, account);
}

static void add_unnamed(const struct room_new *q, const char *account,
                        struct str *found) {
  if (!is_named(q, account))
    str_addf(found, "%s%s", found->len ? "," : "", account);
}

// The accounts of the group that nobody called instructors, "ben,carl".
static void find_unnamed(const struct room_new *q, const struct group *g,
                         struct str *found) {
  gid_t gid = g->gr_gid;
  for (char **member = g->gr_mem; *member; member++)
    add_unnamed(q, *member, found);
  setpwent();
  for (const struct passwd *p; (p = getpwent());)
    if (p->pw_gid == gid)
      add_unnamed(q, p->pw_name, found);
  endpwent();
}

static bool is_in(gid_t gid) {
  gid_t groups[256];
  int count = getgroups(256, groups);
  for (int i = 0; i < count; i++)
    if (groups[i] == gid)
      return true;
  return getegid() == gid || geteuid() == 0;
}

static enum err check_group(const struct room_new *q, gid_t *gid,
                            struct err_info *e) {
  const struct group *g = getgrnam(q->group);
  if (!g)
    return err_set(e, ERR_ARGUMENT, "there is no group \"%.60s\"", q->group);
  *gid = g->gr_gid;
  if (!is_in(*gid))
    return err_set(e, ERR_ARGUMENT, "you are not in the group %s", q->group);
  struct str found = STR_INIT;
  find_unnamed(q, g, &found);
  enum err err =
      found.len ? err_set(e, ERR_ARGUMENT,
                          "whoever is in the group %s may read all work handed "
                          "in, and in it are also: %s. Are they instructors? "
                          "Then say --instructors %s",
                          q->group, found.data, found.data)
                : ERR_OK;
  str_free(&found);
  return err;
}

static enum err write_description(int fd, const char *folder,
                                  struct err_info *e) {
  const char *name = strrchr(folder, '/');
  json_t *o = json_pack("{s:s,s:s}", "schema", schema, "name",
                        name ? name + 1 : folder);
  char *text = json_dumps(o, JSON_INDENT(2));
  json_decref(o);
  int file =
      openat(fd, "room.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  int failed = file < 0 || fchmod(file, 0644) ||
               write(file, text, strlen(text)) != (ssize_t)strlen(text) ||
               fsync(file);
  enum err err = failed ? io_error(e, folder, "room.json") : ERR_OK;
  if (file >= 0)
    close(file);
  free(text);
  return err;
}

// The folder is made for its owner alone, and opened to others last.
static enum err furnish(int fd, const char *folder, gid_t gid,
                        struct err_info *e) {
  struct stat st;
  if (fchown(fd, (uid_t)-1, gid))
    return io_error(e, folder, "it cannot be given to the group");
  enum err err = write_description(fd, folder, e);
  if (err)
    return err;
  if (fchmod(fd, ROOM_MODE) || fstat(fd, &st))
    return io_error(e, folder, "its mode");
  if ((st.st_mode & 07777) != ROOM_MODE)
    return err_set(e, ERR_IO,
                   "%s: this file system does not keep the mode 3773 (it is "
                   "%o): a room must lie where the group's bit holds",
                   folder, st.st_mode & 07777);
  return ERR_OK;
}

enum err room_new(const struct room_new *q, struct err_info *e) {
  gid_t gid = 0;
  enum err err = check_group(q, &gid, e);
  if (err)
    return err;
  if (mkdir(q->folder, 0700))
    return err_set(e, errno == EEXIST ? ERR_ARGUMENT : ERR_IO, "%s: %s",
                   q->folder, strerror(errno));
  int fd = open(q->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char *whole = realpath(q->folder, NULL);
  err = fd < 0 ? io_error(e, q->folder, "opening it")
               : furnish(fd, whole ? whole : q->folder, gid, e);
  free(whole);
  if (fd >= 0) {
    if (err)
      unlinkat(fd, "room.json", 0);
    close(fd);
  }
  if (err)
    rmdir(q->folder);
  return err;
}

// ---- Opening ----

static enum err check_mode(const char *folder, const struct stat *st,
                           struct err_info *e) {
  int mode = (int)(st->st_mode & 07777);
  if (mode == ROOM_MODE)
    return ERR_OK;
  return err_set(
      e, ERR_ARGUMENT,
      "%s: a room's mode is 3773, and this folder's is %o: others "
      "could read what learners write, or remove it. Its owner mends "
      "it by: chmod 3773 %s",
      folder, (unsigned)mode, folder);
}

static enum err read_description(struct room *r, struct err_info *e) {
  struct stat st;
  char *text;
  size_t bytes;
  int fd;
  enum err err = open_beneath(r->fd, "room.json", &fd, e);
  if (err)
    return err_set(e, ERR_NOT_FOUND,
                   "%s is no room: it has no room.json. warpshop class new "
                   "makes one",
                   r->folder);
  err = fstat(fd, &st)
            ? io_error(e, r->folder, "room.json")
            : file_read_open(fd, "room.json", MAX_ROOM_BYTES, &text, &bytes, e);
  close(fd);
  if (err)
    return err;
  json_t *o = json_loads(text, 0, NULL);
  const char *is = json_string_value(json_object_get(o, "schema"));
  const char *name = json_string_value(json_object_get(o, "name"));
  if (st.st_uid != r->owner || !is || strcmp(is, schema) != 0 || !name)
    err = err_set(e, ERR_ARGUMENT,
                  "%s/room.json is not its owner's description of a room",
                  r->folder);
  else
    r->name = xstrdup(name);
  json_decref(o);
  free(text);
  return err;
}

enum err room_open(const char *folder, struct room **out, struct err_info *e) {
  struct room *r = xcalloc(1, sizeof *r);
  struct stat st;
  enum err err = ERR_OK;
  *out = NULL;
  r->folder = realpath(folder, NULL);
  // A learner may enter and not look: no permission to read is needed.
  r->fd = r->folder ? open(r->folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (r->fd < 0 || fstat(r->fd, &st))
    err = err_set(e, ERR_NOT_FOUND, "%s: %s", folder, strerror(errno));
  if (!err)
    err = check_mode(r->folder, &st, e);
  if (!err) {
    r->owner = st.st_uid;
    r->group = st.st_gid;
    err = read_description(r, e);
  }
  if (err) {
    room_close(r);
    return err;
  }
  *out = r;
  return ERR_OK;
}

void room_close(struct room *r) {
  if (!r)
    return;
  if (r->fd >= 0)
    close(r->fd);
  free(r->folder);
  free(r->name);
  free(r);
}

// ---- A learner's folder ----

static enum err random_name(char *out, size_t bytes, struct err_info *e) {
  unsigned char noise[8];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  int failed = fd < 0 || read(fd, noise, sizeof noise) != sizeof noise;
  if (fd >= 0)
    close(fd);
  if (failed)
    return io_error(e, "/dev/urandom", "reading");
  int n = snprintf(out, bytes, "%u-", (unsigned)geteuid());
  for (size_t i = 0; i < sizeof noise; i++)
    n += snprintf(out + n, bytes - (size_t)n, "%02x", noise[i]);
  return ERR_OK;
}

static int make_folder(int at, const char *name) {
  mode_t was = umask(OWN_UMASK);
  int failed = mkdirat(at, name, 0777);
  umask(was);
  return failed;
}

// It must have come out as the room's design says, or others could read it.
static enum err check_own(const struct room *r, const char *name,
                          struct err_info *e) {
  struct stat st;
  if (fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW))
    return io_error(e, r->folder, name);
  if (st.st_gid == r->group && (st.st_mode & 07777) == 02750)
    return ERR_OK;
  unlinkat(r->fd, name, AT_REMOVEDIR);
  return err_set(e, ERR_ARGUMENT,
                 "%s: a folder made in it does not get the room's group (or a "
                 "default ACL changes its mode): nothing was written",
                 r->folder);
}

enum err room_join(const struct room *r, char **out, struct err_info *e) {
  char name[64];
  enum err err = random_name(name, sizeof name, e);
  if (!err && make_folder(r->fd, name))
    err = io_error(e, r->folder, "no folder can be made in it");
  if (!err)
    err = check_own(r, name, e);
  if (err)
    return err;
  int own =
      openat(r->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (own < 0 || make_folder(own, "events") || make_folder(own, "hand-in"))
    err = io_error(e, r->folder, name);
  if (own >= 0)
    close(own);
  *out = err ? NULL : xstrdup(name);
  return err;
}

bool room_is_learners(const char *name, const struct stat *st) {
  char begin[16];
  int n = snprintf(begin, sizeof begin, "%u-", (unsigned)st->st_uid);
  return S_ISDIR(st->st_mode) && !strncmp(name, begin, (size_t)n);
}

// ---- The seat ----

static char *seat_path(struct err_info *e) {
  char *state = file_xdg(XDG_STATE);
  if (!state) {
    err_set(e, ERR_IO, "there is no home folder to keep the room's name in");
    return NULL;
  }
  char *path = xasprintf("%s/room.json", state);
  if (file_make_folder(state, e)) {
    free(path);
    path = NULL;
  }
  free(state);
  return path;
}

static char *text_of(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? xstrdup(text) : NULL;
}

enum err room_seat_load(struct room_seat *out, struct err_info *e) {
  char *text = NULL, *path = seat_path(e);
  size_t bytes;
  memset(out, 0, sizeof *out);
  if (!path)
    return e->code;
  if (!file_read(path, MAX_ROOM_BYTES, &text, &bytes, NULL)) {
    json_t *o = json_loads(text, 0, NULL);
    out->room = text_of(o, "room");
    out->folder = text_of(o, "folder");
    json_decref(o);
  }
  free(text);
  free(path);
  if (out->room && out->folder)
    return ERR_OK;
  room_seat_free(out);
  return err_set(e, ERR_NOT_FOUND,
                 "you are in no room; warpshop class join DIR enters one");
}

enum err room_seat_save(const struct room_seat *seat, struct err_info *e) {
  char *path = seat_path(e);
  if (!path)
    return e->code;
  json_t *o =
      json_pack("{s:s,s:s}", "room", seat->room, "folder", seat->folder);
  char *text = json_dumps(o, JSON_INDENT(2));
  enum err err = text
                     ? file_replace(path, text, strlen(text), e)
                     : err_set(e, ERR_ARGUMENT, "the room's path is not UTF-8");
  free(text);
  json_decref(o);
  free(path);
  return err;
}

enum err room_seat_leave(struct err_info *e) {
  char *path = seat_path(e);
  if (!path)
    return e->code;
  enum err err = unlink(path) && errno != ENOENT
                     ? io_error(e, path, "removing it")
                     : ERR_OK;
  free(path);
  return err;
}

void room_seat_free(struct room_seat *seat) {
  free(seat->room);
  free(seat->folder);
  memset(seat, 0, sizeof *seat);
}
