// SPDX-License-Identifier: Apache-2.0
// What comes back to a learner: hints, marks, countersignatures. One file each,
//   DIR/return/<uid>/log
// of an instructor's, to which records are only added (base/record.h). The folder
// <uid>, mode 2770, has an access list by which that user alone may enter as well.
// Where the file system knows no such lists, everybody may enter (2771), and each
// record is sealed to the keys in the learner's folders (key.h).
#ifndef CLASS_RETURN_H
#define CLASS_RETURN_H

#include <jansson.h>
#include <stdint.h>

#include "class/room.h"

// The kinds of what comes back, and what their bodies hold:
//   "hint"     text
//   "mark"     exercise, mark and of (points; null: none), comment (may be missing),
//              and whatever tells two marks of equal text apart
//   "due"      exercise, rule (book/rule.h), is_extended, event (its number)
//   "receipt"  a countersigned hand-in (receipt.h)

// Adds one to the file of the user `learner`, synced to the disk. The same kind and
// body a second time changes nothing, so that whoever was killed begins again; a body
// that may come twice has a time or a number in it. Several instructors may do so at
// once. The body stays the caller's.
//
// ERR_NOT_FOUND: it must be sealed, and the learner has no key in the room.
// ERR_ARGUMENT: the room has no key. ERR_IO: this user is none of its instructors, or
// the disk is full.
enum err return_append(const struct room *r, uid_t learner, const char *kind,
                       const json_t *body, struct err_info *e);

struct return_item {
  const char *kind;
  int64_t time_ms; // since 1970, by the clock of who wrote it
  const json_t *body;
};

// ---- The learner's side ----

// The length of the caller's own file now; 0: there is none. `room` is its folder.
int64_t return_length(const char *room);
// Calls `each` with what stands in the caller's own file behind its first `from`
// bytes, and sets `*to` to where reading ended. None is no error. ERR_ARGUMENT:
// others than the room's instructors could have written it.
enum err return_read(const struct room *r, int64_t from, int64_t *to,
                     void (*each)(void *context,
                                  const struct return_item *item),
                     void *context, struct err_info *e);

// How much of it the prompt has shown already, in whichever session; kept in the
// caller's home.
int64_t return_heard(const char *room);
void return_set_heard(const char *room, int64_t bytes);

#endif
