// SPDX-License-Identifier: Apache-2.0
// The newest hand-in of a learner, read only.
#ifndef CLASS_NEWEST_H
#define CLASS_NEWEST_H

#include <sys/types.h>

#include "class/room.h"

struct newest {
  char *path; // below the room
  char *text; // with nothing in it that a terminal would obey
  char *when;
};
// Of an exercise (NULL: of all) by the user `uid`. ERR_NOT_FOUND: nothing was handed
// in.
enum err newest_read(const struct room *r, uid_t uid, const char *exercise,
                     struct newest *out, struct err_info *e);
void newest_free(struct newest *n);

#endif
