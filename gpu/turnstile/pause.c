// SPDX-License-Identifier: Apache-2.0
#include "gpu/turnstile/pause.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

enum { MAX_GROUPS = 1024 };

// The owner of the room, or a member of its group.
static bool is_instructor(uid_t uid, const struct stat *room) {
  const struct passwd *p = getpwuid(uid);
  gid_t groups[MAX_GROUPS];
  int count = MAX_GROUPS;
  if (uid == room->st_uid)
    return true;
  if (!p || getgrouplist(p->pw_name, p->pw_gid, groups, &count) < 0)
    return false;
  for (int i = 0; i < count; i++)
    if (groups[i] == room->st_gid)
      return true;
  return false;
}

bool pause_by(const char *room, uid_t *who) {
  struct stat folder, file;
  char *path = xasprintf("%s/pause", room);
  bool is_there = !stat(room, &folder) && !lstat(path, &file);
  free(path);
  if (!is_there || !S_ISREG(file.st_mode))
    return false;
  *who = file.st_uid;
  return is_instructor(file.st_uid, &folder);
}

bool pause_is_set(void) {
  const char *room = getenv("WARPSHOP_ROOM");
  uid_t who;
  return room && *room && pause_by(room, &who);
}
