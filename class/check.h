// SPDX-License-Identifier: Apache-2.0
// What any other user of the machine could do with a room: read off owners, modes and
// access lists, from the folder's own parents down to each file.
#ifndef CLASS_CHECK_H
#define CLASS_CHECK_H

#include <stdbool.h>

#include "class/room.h"

struct room_check {
  // A line: what somebody could do (`is_wrong`), or how things stand.
  void (*say)(void *context, bool is_wrong, const char *text);
  void *context;
  int files, folders, sealed, wrong;
};

// ERR_IO: this user may not look into the room; its instructors may.
enum err room_check(const struct room *r, struct room_check *c,
                    struct err_info *e);

#endif
