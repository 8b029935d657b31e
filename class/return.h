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

#endif
