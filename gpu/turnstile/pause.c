// SPDX-License-Identifier: Apache-2.0
#include "gpu/turnstile/turnstile.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

bool pause_is_in(const char *room) {
  struct stat st;
  char *path = xasprintf("%s/" PAUSE_FILE, room);
  bool is_there = !lstat(path, &st) && S_ISREG(st.st_mode);
  free(path);
  return is_there;
}

bool pause_is_set(void) {
  const char *room = getenv("WARPSHOP_ROOM");
  return room && *room && pause_is_in(room);
}
