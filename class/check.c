// SPDX-License-Identifier: Apache-2.0
#include "class/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "class/grant.h"
#include "grade/input/input.h"

enum { MAX_DEPTH = 4 };

__attribute__((format(printf, 3, 4))) static void
say(struct room_check *c, bool is_wrong, const char *fmt, ...) {
  char text[1200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  char *clean = text_clean(text, strlen(text), 1000, 0);
  c->wrong += is_wrong;
  c->say(c->context, is_wrong, clean);
  free(clean);
}

// Is what this user could do to the room theirs to do? Root's, an instructor's.
static bool is_trusted(const struct room *r, uid_t uid) {
  gid_t groups[256];
  int count = sizeof groups / sizeof *groups;
  if (uid == 0 || uid == r->owner)
    return true;
  const struct passwd *p = getpwuid(uid);
  if (!p || getgrouplist(p->pw_name, p->pw_gid, groups, &count) < 0)
    return false;
  for (int i = 0; i < count; i++)
    if (groups[i] == r->group)
      return true;
  return false;
}

// A group in which the room's owner is alone: of the same name, and without others.
static bool is_private(const struct room *r, const struct group *g) {
  const struct passwd *p = getpwuid(r->owner);
  return g && p && !g->gr_mem[0] && !strcmp(p->pw_name, g->gr_name);
}

static void check_above_owner(const struct room *r, const char *at, uid_t uid,
                              struct room_check *c) {
  if (is_trusted(r, uid))
    return;
  const struct passwd *p = getpwuid(uid);
  char *name = p ? xstrdup(p->pw_name) : xasprintf("%u", (unsigned)uid);
  say(c, true,
      "%s: its owner, %s, may put another room in this one's place; it should "
      "be root's or an instructor's",
      at, name);
  free(name);
}

static void check_above_group(const struct room *r, const char *at, gid_t gid,
                              struct room_check *c) {
  const struct group *g = getgrgid(gid);
  if (gid == 0 || gid == r->group || is_private(r, g))
    return;
  char *name = g ? xstrdup(g->gr_name) : xasprintf("%u", (unsigned)gid);
  say(c, true,
      "%s: the group %s may write into it, and so put another room in this "
      "one's place; its owner mends it by: chmod g-w %s",
      at, name, at);
  free(name);
}

// Whoever may write into a folder above the room may put another in its place;
// a sticky one keeps hands off, but not its owner's.
static void check_above(const struct room *r, struct room_check *c) {
  char *path = xstrdup(r->folder), *slash;
  struct stat st;
  while ((slash = strrchr(path, '/')) && path[1]) {
    *slash = 0;
    const char *at = *path ? path : "/";
    if (stat(at, &st))
      memset(&st, 0, sizeof st);
    check_above_owner(r, at, st.st_uid, c);
    bool is_sticky = st.st_mode & S_ISVTX;
    if ((st.st_mode & S_IWGRP) && !is_sticky)
      check_above_group(r, at, st.st_gid, c);
    if ((st.st_mode & S_IWOTH) && !is_sticky)
      say(c, true,
          "%s: every user may write into it, and so put another room in this "
          "one's place; its owner mends it by: chmod o-w %s",
          at, at);
    if (slash == path)
      break;
  }
  free(path);
}

// What the others' bits of a thing allow, given that its folder may be entered.
static void check_others(const char *path, const struct stat *st,
                         struct room_check *c) {
  bool reads = st->st_mode & S_IROTH, writes = st->st_mode & S_IWOTH;
  bool enters = S_ISDIR(st->st_mode) && (st->st_mode & S_IXOTH);
  if (reads || writes || enters)
    say(c, true, "%s: every user may%s%s%s; its owner mends it by: chmod o= %s",
        path, reads ? " read it" : "", writes ? " write into it" : "",
        enters ? " enter it" : "", path);
}

// Access lists give rights that the mode does not show.
static void check_list(int folder, const char *name, const char *path,
                       struct room_check *c) {
  if (grant_has_list(folder, name))
    say(c, true,
        "%s: an access list gives rights that its mode does not show; "
        "getfacl names them, setfacl -b takes it away",
        path);
}

struct walk {
  const struct room *room;
  struct room_check *c;
  uid_t owner; // of the learner's folder that we are in
};

static void check_folder(const struct walk *w, int fd, const char *path,
                         int depth);

static void check_one(const struct walk *w, int folder, const char *name,
                      const char *path, int depth) {
  struct stat st;
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
    return;
  struct walk in = *w;
  if (!depth)
    in.owner = st.st_uid;
  if (!depth && !room_is_learners(name, &st)) {
    say(w->c, false, "%s is no learner's folder, and is not looked at", path);
    return;
  }
  if (st.st_uid != in.owner)
    say(w->c, true, "%s: it is another user's than the folder that it lies in",
        path);
  if (S_ISLNK(st.st_mode)) {
    say(w->c, false, "%s is a link, which nothing follows", path);
    return;
  }
  if (st.st_gid != w->room->group)
    say(w->c, true,
        "%s: its group is not the room's, so that its members may read it in "
        "the instructors' place",
        path);
  check_others(path, &st, w->c);
  check_list(folder, name, path, w->c);
  w->c->folders += S_ISDIR(st.st_mode) != 0;
  w->c->files += S_ISREG(st.st_mode) != 0;
  if (!S_ISDIR(st.st_mode) || depth + 1 >= MAX_DEPTH)
    return;
  int fd =
      openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    say(w->c, true, "%s: its instructors cannot look into it: %s", path,
        strerror(errno));
  else
    check_folder(&in, fd, path, depth + 1);
}

// Takes `fd`.
static void check_folder(const struct walk *w, int fd, const char *path,
                         int depth) {
  DIR *folder = fdopendir(fd);
  for (struct dirent *d; folder && (d = readdir(folder));) {
    if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
        (!depth && room_is_own(d->d_name)))
      continue;
    char *inner = xasprintf("%s/%s", path, d->d_name);
    check_one(w, dirfd(folder), d->d_name, inner, depth);
    free(inner);
  }
  if (folder)
    closedir(folder);
  else
    close(fd);
}

// ---- The room's own folders ----

// Opens one, and says where it is not as class new makes it.
static int open_own(const struct room *r, const char *name, mode_t mode,
                    struct room_check *c) {
  struct stat st;
  int fd = openat(r->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st)) {
    say(c, true, "%s/%s: %s; a room of an earlier warpshop has none", r->folder,
        name, strerror(errno));
  } else if (st.st_uid != r->owner || st.st_gid != r->group ||
             (st.st_mode & 07777) != mode) {
    say(c, true,
        "%s/%s: it is not of the room's owner and group with mode %o, so that "
        "others may reach what instructors keep there",
        r->folder, name, (unsigned)mode);
  }
  return fd;
}

static void check_desk(const struct room *r, struct room_check *c) {
  int fd = open_own(r, "instructors", 02770, c);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *d; folder && (d = readdir(folder));) {
    struct stat st;
    char *path = xasprintf("%s/instructors/%s", r->folder, d->d_name);
    if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") &&
        !fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
      check_others(path, &st, c);
      check_list(fd, d->d_name, path, c);
    }
    free(path);
  }
  if (folder)
    closedir(folder);
}

// A learner's: whoever enters beside the instructors is that learner, or it is
// sealed.
static void check_returned(const struct room *r, int at, const char *name,
                           struct room_check *c) {
  struct stat st;
  char *end;
  unsigned long uid = strtoul(name, &end, 10);
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) || *end)
    say(c, true, "%s/return/%s: it is none of the room's", r->folder, name);
  else if (!(st.st_mode & S_IRWXO) && !grant_is_entry(fd, (uid_t)uid))
    say(c, true,
        "%s/return/%s: its access list is not of that user alone; setfacl -b "
        "takes it away, and what comes next gives a new one",
        r->folder, name);
  else if ((st.st_mode & S_IRWXO) & ~S_IXOTH)
    say(c, true,
        "%s/return/%s: every user may look into it or write there; its owner "
        "mends it by: chmod o=%s %s/return/%s",
        r->folder, name, st.st_mode & S_IXOTH ? "x" : "", r->folder, name);
  c->sealed += fd >= 0 && (st.st_mode & S_IXOTH);
  if (fd >= 0)
    close(fd);
}

static void check_return(const struct room *r, struct room_check *c) {
  int fd = open_own(r, "return", 02771, c);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *d; folder && (d = readdir(folder));)
    if (d->d_name[0] != '.' && strcmp(d->d_name, "leaderboard.json") != 0)
      check_returned(r, fd, d->d_name, c);
  if (folder)
    closedir(folder);
  if (c->sealed)
    say(c, false,
        "what comes back to %d learners lies in the open, each line sealed for "
        "its learner alone: this file system has no access lists",
        c->sealed);
}

// Somebody may have come into the group since the room was made.
static void tell_group(const struct room *r, struct room_check *c) {
  struct str names = STR_INIT;
  room_add_members(r->group, r->owner, NULL, 0, &names);
  const struct group *g = getgrgid(r->group);
  if (names.len)
    say(c, false,
        "whoever is in the group %s may read all work handed in; in it beside "
        "the room's owner: %s",
        g ? g->gr_name : "of the room", names.data);
  str_free(&names);
}

enum err room_check(const struct room *r, struct room_check *c,
                    struct err_info *e) {
  const struct walk w = {r, c, 0};
  int fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return err_set(e, ERR_IO,
                   "%s: %s: you may enter this room and not look into it, as "
                   "any user but its instructors",
                   r->folder, strerror(errno));
  check_above(r, c);
  check_list(r->fd, ".", r->folder, c);
  check_folder(&w, fd, r->folder, 0);
  check_desk(r, c);
  check_return(r, c);
  tell_group(r, c);
  say(c, false,
      "every user may enter the room, read its room.json and make a folder of "
      "their own; %d folders and %d files of learners: %s",
      c->folders, c->files,
      c->wrong ? "see above" : "no other user may enter or read any of them");
  return ERR_OK;
}
