// SPDX-License-Identifier: Apache-2.0
#include "class/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/text.h"

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

// Whoever may write into a folder above the room may put another in its place;
// a sticky one keeps others' hands off.
static void check_above(const struct room *r, struct room_check *c) {
  char *path = xstrdup(r->folder), *slash;
  struct stat st;
  while ((slash = strrchr(path, '/')) && path[1]) {
    *slash = 0;
    const char *at = *path ? path : "/";
    if (!stat(at, &st) && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
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
  static const char *const lists[] = {"system.posix_acl_access",
                                      "system.posix_acl_default"};
  char *at = xasprintf("/proc/self/fd/%d/%s", folder, name);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lgetxattr(at, lists[i], NULL, 0) > 0)
      say(c, true,
          "%s: an access list gives rights that its mode does not show; "
          "getfacl names them, setfacl -b takes it away",
          path);
  free(at);
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
        (!depth && !strcmp(d->d_name, "room.json")))
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
  say(c, false,
      "every user may enter the room, read its room.json and make a folder of "
      "their own; %d folders and %d files of learners: %s",
      c->folders, c->files,
      c->wrong ? "see above" : "no other user may enter or read any of them");
  return ERR_OK;
}
