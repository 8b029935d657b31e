// SPDX-License-Identifier: Apache-2.0
// Taking in what was handed in:
//   INTO/<learner>/<exercise>.cu                     the newest
//   INTO/<learner>/.attempts/<exercise>-<NNNN>.cu    each
//   INTO/<learner>/.receipts/<exercise>-<NNNN>.json  its receipt, countersigned
// and the countersignature goes back to the learner ("returned": false in the file
// where it could not: the learner has no key, return.h). It may be killed at any moment,
// and done again, by this or another instructor, into this or another folder.
//
// The time of a hand-in is the change time (ctime) of its file, which the file server
// sets and no user can, at its first collection. It is impossible where it is later
// than now, or so early that the collection before must have seen the file; then it is
// the time of this collection. Both by the file server's clock.
#ifndef CLASS_COLLECT_H
#define CLASS_COLLECT_H

#include "class/receipt.h"

enum { COLLECT_SLACK_S = 120 }; // of what a file server shows late

struct collect {
  const struct room *room;
  const char *into;
  // What is not as the room makes it, or was changed, "64001-...: why".
  void (*odd)(void *context, const char *text);
  void (*wait)(void); // another collection is at work, and is waited for
  void *context;
  int fresh, known, learners; // learners: with something new
};

// ERR_IO: the caller is none of the room's instructors, or the disk is full.
// ERR_ARGUMENT: the room has no key.
enum err collect_hand_ins(struct collect *c, struct err_info *e);

// Could a file have been made then? `last_s`: the collection before, 0: none. One
// second more than now is within what two looks at a file server's clock give.
bool collect_is_possible(int64_t time_s, int64_t now_s, int64_t last_s);

#endif
