// SPDX-License-Identifier: Apache-2.0
// A room: a directory in which a class works. No daemon, no port, nothing set-uid.
//   DIR            mode 3773, group of the instructors: whoever enters may make a
//                  folder, none but its owner may remove it, instructors may look
//   DIR/room.json  what the room is, and its public key: readable by all
//   DIR/instructors/  mode 2770: what they alone read (key.h, receipt.h)
//   DIR/return/  mode 2771: what comes back to learners (return.h)
//   DIR/<uid>-<random>/  a learner's own: by mkdir under umask 027, so that it has
//                  the room's group, which may read, and nobody else may enter
// Whose something is, its owner says, never its name or its text.
#ifndef CLASS_ROOM_H
#define CLASS_ROOM_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/str.h"
#include "class/class.h"

enum { ROOM_KEY_BYTES = 32 };

struct room {
  char *folder; // absolute
  char *name;
  int fd; // of the folder, by which all is opened
  uid_t owner;
  gid_t group;
  bool has_key;
  unsigned char key[ROOM_KEY_BYTES]; // with which key.h verifies
};

struct room_new {
  const char *folder, *group;
  // Accounts that are meant to be in the group; NULL: the caller alone.
  char *const *instructors;
  int instructor_count;
};

// Makes a room. ERR_ARGUMENT: the folder is there, the group is none, the caller is
// not in it, or it holds an account that is not named as an instructor, each of
// which the text names. ERR_IO: it could not be made.
enum err room_new(const struct room_new *q, struct err_info *e);

// Adds the accounts of a group beside `owner` and those named, "ben,carl".
void room_add_members(gid_t gid, uid_t owner, char *const *instructors,
                      int count, struct str *out);

// Makes a learner's folder of the caller's in it; `*name` is to be freed.
enum err room_join(const struct room *r, char **name, struct err_info *e);

// Does a folder of this name, with this owner, belong to a learner?
bool room_is_learners(const char *name, const struct stat *st);
// Does what has this name belong to the room itself?
bool room_is_own(const char *name);

struct room_walk {
  void (*learner)(void *context, const char *name, uid_t uid);
  void (*odd)(void *context,
              const char *name); // no learner's; NULL: nobody asks
  void *context;
};
// Each learner's folder. ERR_IO: the room cannot be looked into, which its
// instructors can.
enum err room_walk(const struct room *r, const struct room_walk *to,
                   struct err_info *e);

// ---- The room that the caller is in ----

enum err room_seat_save(const struct room_seat *seat, struct err_info *e);
enum err room_seat_leave(struct err_info *e);
// The caller's folder in a room that was left, as it was: it is used again. NULL:
// there is none. To be freed.
char *room_seat_before(const struct room *r);

#endif
