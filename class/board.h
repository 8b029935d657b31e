// SPDX-License-Identifier: Apache-2.0
// The leaderboard: who has asked to be on it, by a pseudonym, ranked by what the
// instructors' program measured (the object `rank` of verdicts, docs/verdict.md),
// among equal hardware. It lies in DIR/return/leaderboard.json, readable by all.
#ifndef CLASS_BOARD_H
#define CLASS_BOARD_H

#include <jansson.h>

#include "base/str.h"
#include "class/room.h"

enum { BOARD_NAME_BYTES = 24 };

// May somebody be called so on a board? `e` says why not.
enum err board_check_name(const char *name, struct err_info *e);

struct board {
  const struct room *room;
  // A verdict or a name that is passed over, and why.
  void (*odd)(void *context, const char *text);
  void *context;
  int entries; // that are on it
};
// Makes it anew of verdicts, {"schema": "warpshop.grade/1"} each. Of these count
// those of a hand-in that was collected (by learner, exercise and hash), which have
// passed and are `ranked`, of learners who are in by their last event: each one's
// best. ERR_IO: the caller is none of the room's instructors, or the disk is full.
enum err board_publish(struct board *b, const json_t *verdicts,
                       struct err_info *e);
// Takes off the board that there is who has withdrawn; no board is no error.
enum err board_refresh(struct board *b, struct err_info *e);

// As a text. ERR_NOT_FOUND: there is none yet.
enum err board_show(const struct room *r, struct str *out, struct err_info *e);

#endif
