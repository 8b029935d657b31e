// SPDX-License-Identifier: Apache-2.0
#include "class/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"
#include "class/grant.h"
#include "class/key.h"

enum {
  ROOM_MODE = 03773, // set-gid and sticky; others: enter and make, not look
  INSTRUCTORS_MODE = 02770,
  RETURN_MODE = 02771, // others: enter, which leads to what is theirs
  OWN_UMASK = 027,     // of a learner's folder
  MAX_ROOM_BYTES = 1 << 16,
};

static const char schema[] = "warpshop.room/1";
static const char *const own_names[] = {"room.json", "instructors", "return"};

static enum err io_error(struct err_info *e, const char *path,
                         const char *doing) {
  return err_set(e, ERR_IO, "%s: %s: %s", path, doing, strerror(errno));
}

// ---- Making one ----

static void add_account(const char *account, const char *owner,
                        char *const *instructors, int count, struct str *out) {
  if (owner && !strcmp(owner, account))
    return;
  for (int i = 0; i < count; i++)
    if (!strcmp(instructors[i], account))
      return;
  str_addf(out, "%s%s", out->len ? "," : "", account);
}

void room_add_members(gid_t gid, uid_t owner, char *const *instructors,
                      int count, struct str *out) {
  const struct passwd *own = getpwuid(owner);
  char *name = own ? xstrdup(own->pw_name) : NULL;
  const struct group *g = getgrgid(gid);
  for (char **member = g ? g->gr_mem : NULL; member && *member; member++)
    add_account(*member, name, instructors, count, out);
  setpwent();
  for (const struct passwd *p; (p = getpwent());)
    if (p->pw_gid == gid)
      add_account(p->pw_name, name, instructors, count, out);
  endpwent();
  free(name);
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
    return err_set(e, ERR_ARGUMENT,
                   "this system has no group \"%.60s\": id -Gn lists "
                   "yours",
                   q->group);
  *gid = g->gr_gid;
  if (!is_in(*gid))
    return err_set(e, ERR_ARGUMENT, "you are not in the group %s", q->group);
  struct str found = STR_INIT;
  room_add_members(*gid, geteuid(), q->instructors, q->instructor_count,
                   &found);
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

static enum err write_description(int fd, const char *folder, const char *key,
                                  struct err_info *e) {
  const char *name = strrchr(folder, '/');
  json_t *o = json_pack("{s:s,s:s,s:s}", "schema", schema, "name",
                        name ? name + 1 : folder, "key", key);
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

// A folder of the room's own; its descriptor, or -1 and errno.
static int make_own(int at, const char *name, gid_t gid, mode_t mode) {
  int fd =
      mkdirat(at, name, 0700)
          ? -1
          : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || (!fchown(fd, (uid_t)-1, gid) && !fchmod(fd, mode)))
    return fd;
  close(fd);
  return -1;
}

// What the instructors keep, and what goes back to learners.
static enum err make_desk(int at, const char *folder, gid_t gid,
                          char key[KEY_HEX], struct err_info *e) {
  int back = make_own(at, "return", gid, RETURN_MODE);
  int desk = make_own(at, "instructors", gid, INSTRUCTORS_MODE);
  enum err err = back < 0 || desk < 0
                     ? io_error(e, folder, "no folder can be made in it")
                     : key_make(desk, key, e);
  if (back >= 0)
    close(back);
  if (desk >= 0)
    close(desk);
  return err;
}

// The folder is made for its owner alone, and opened to others last.
static enum err furnish(int fd, const char *folder, gid_t gid,
                        struct err_info *e) {
  struct stat st;
  char key[KEY_HEX];
  if (grant_has_list(fd, "."))
    return err_set(e, ERR_ARGUMENT,
                   "%s: the folder that it would lie in has a default access "
                   "list, which gives others rights to all that is made "
                   "there; make the room in another one, or take the list away "
                   "by: setfacl -k FOLDER",
                   folder);
  if (fchown(fd, (uid_t)-1, gid))
    return io_error(e, folder, "it cannot be given to the group");
  enum err err = make_desk(fd, folder, gid, key, e);
  if (!err)
    err = write_description(fd, folder, key, e);
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

// What could be made of a room that could not be made whole.
static void clear(int fd) {
  unlinkat(fd, "room.json", 0);
  unlinkat(fd, "instructors/secret.key", 0);
  unlinkat(fd, "instructors", AT_REMOVEDIR);
  unlinkat(fd, "return", AT_REMOVEDIR);
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
      clear(fd);
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
  const char *key = json_string_value(json_object_get(o, "key"));
  size_t n = 0;
  r->has_key = key &&
               !sodium_hex2bin(r->key, sizeof r->key, key, strlen(key), NULL,
                               &n, NULL) &&
               n == sizeof r->key;
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
    err = err_set(e, ERR_NOT_FOUND, "%s: %s%s", folder, strerror(errno),
                  errno == ENOENT ? ". warpshop class new makes a room" : "");
  if (!err) {
    r->owner = st.st_uid;
    r->group = st.st_gid;
    err = read_description(r, e);
  }
  if (!err) // of a room only: its mode would harm another folder
    err = check_mode(r->folder, &st, e);
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

// Is it as the room's design says? Else others could read it.
static bool is_own_folder(const struct room *r, const struct stat *st) {
  return st->st_gid == r->group && (st->st_mode & 07777) == 02750;
}

static enum err check_own(const struct room *r, const char *name,
                          struct err_info *e) {
  struct stat st;
  if (fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW))
    return io_error(e, r->folder, name);
  if (is_own_folder(r, &st) && !grant_has_list(r->fd, name))
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

bool room_is_own(const char *name) {
  for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
    if (!strcmp(name, own_names[i]))
      return true;
  return false;
}

enum err room_walk(const struct room *r, const struct room_walk *to,
                   struct err_info *e) {
  int fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder)
    return err_set(e, ERR_IO,
                   "%s: %s; its instructors, who are in its group, may look "
                   "into it",
                   r->folder, strerror(errno));
  for (struct dirent *d; (d = readdir(folder));) {
    struct stat st;
    if (d->d_name[0] == '.' || room_is_own(d->d_name) ||
        fstatat(r->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
      continue;
    if (room_is_learners(d->d_name, &st))
      to->learner(to->context, d->d_name, st.st_uid);
    else if (to->odd)
      to->odd(to->context, d->d_name);
  }
  closedir(folder);
  return ERR_OK;
}

// ---- The seat ----

static char *seat_path(bool makes_folder, struct err_info *e) {
  char *state = file_xdg(XDG_STATE);
  if (!state) {
    err_set(e, ERR_IO, "there is no home folder to keep the room's name in");
    return NULL;
  }
  char *path = xasprintf("%s/room.json", state);
  if (makes_folder && file_make_folder(state, e)) {
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

// What is kept: the room and the folder in it, where the user is in one, and
// `before`, the folders in rooms that were entered ever. Empty where there is none.
static json_t *read_seat(const char *path) {
  char *text = NULL;
  size_t bytes;
  json_t *o = file_read(path, MAX_ROOM_BYTES, &text, &bytes, NULL)
                  ? NULL
                  : json_loads(text, 0, NULL);
  free(text);
  if (json_is_object(o))
    return o;
  json_decref(o);
  return json_object();
}

static enum err write_seat(const char *path, const json_t *o,
                           struct err_info *e) {
  char *text = json_dumps(o, JSON_INDENT(2));
  enum err err = file_replace(path, text, strlen(text), e);
  free(text);
  return err;
}

enum err room_seat_load(struct room_seat *out, struct err_info *e) {
  char *path = seat_path(false, e);
  memset(out, 0, sizeof *out);
  if (!path)
    return e->code;
  json_t *o = read_seat(path);
  out->room = text_of(o, "room");
  out->folder = text_of(o, "folder");
  json_decref(o);
  free(path);
  if (out->room && out->folder)
    return ERR_OK;
  room_seat_free(out);
  return err_set(e, ERR_NOT_FOUND,
                 "you are in no room; warpshop class join DIR enters one");
}

enum err room_seat_save(const struct room_seat *seat, struct err_info *e) {
  char *path = seat_path(true, e);
  if (!path)
    return e->code;
  json_t *o = read_seat(path), *before = json_object_get(o, "before");
  if (!json_is_object(before))
    json_object_set_new(o, "before", before = json_object());
  // Jansson refuses what is not UTF-8.
  bool fine =
      !json_object_set_new(o, "room", json_string(seat->room)) &&
      !json_object_set_new(o, "folder", json_string(seat->folder)) &&
      !json_object_set_new(before, seat->room, json_string(seat->folder));
  enum err err = fine
                     ? write_seat(path, o, e)
                     : err_set(e, ERR_ARGUMENT, "the room's path is not UTF-8");
  json_decref(o);
  free(path);
  return err;
}

enum err room_seat_leave(struct err_info *e) {
  char *path = seat_path(false, e);
  if (!path)
    return e->code;
  json_t *o = read_seat(path);
  json_object_del(o, "room");
  json_object_del(o, "folder");
  enum err err = write_seat(path, o, e);
  json_decref(o);
  free(path);
  return err;
}

char *room_seat_before(const struct room *r) {
  struct err_info e;
  struct stat st;
  char *path = seat_path(false, &e);
  json_t *o = path ? read_seat(path) : NULL;
  char *folder = text_of(json_object_get(o, "before"), r->folder);
  json_decref(o);
  free(path);
  if (folder && !lstat(folder, &st) && S_ISDIR(st.st_mode) &&
      st.st_uid == geteuid() && is_own_folder(r, &st))
    return folder;
  free(folder);
  return NULL;
}

void room_seat_free(struct room_seat *seat) {
  free(seat->room);
  free(seat->folder);
  memset(seat, 0, sizeof *seat);
}
