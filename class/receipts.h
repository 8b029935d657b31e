// SPDX-License-Identifier: Apache-2.0
// What a learner sees of the hand-ins of their own: which are countersigned.
#ifndef CLASS_RECEIPTS_H
#define CLASS_RECEIPTS_H

#include "base/str.h"
#include "class/room.h"

// Adds a line for each. A countersignature that is the room's is kept as a file in the
// caller's home as well, where nobody else can take it back:
//   XDG_DATA_HOME/warpshop/receipts/<room>/<exercise>-<NNNN>.json
// ERR_IO, ERR_ARGUMENT: the room is not as it was; the text says what.
enum err receipts_add(const struct room_seat *seat, struct str *out,
                      struct err_info *e);

// What is printed once something was handed in, to the room in this folder.
struct submitted;
void receipts_add_submitted(const char *room, const struct submitted *one,
                            struct str *out);

#endif
