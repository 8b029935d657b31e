// SPDX-License-Identifier: Apache-2.0
// warpshop class book: the gradebook, with this way back to the learners of a room, and
// this look at the courses.
#include "class/book/book.h"
#include "class/class_main.h"
#include "class/return.h"
#include "grade/exercise/exercise.h"

static enum err open_room(const char *folder, void **room, struct err_info *e) {
  struct room *r = NULL;
  enum err err = room_open(folder, &r, e);
  *room = r;
  return err;
}

static enum err give(void *room, const char *learner, const char *kind,
                     const json_t *body, struct err_info *e) {
  uid_t uid;
  enum err err = class_find_learner(room, learner, &uid, e);
  return err ? err : return_append(room, uid, kind, body, e);
}

static void close_room(void *room) {
  room_close(room);
}

int class_book(int argc, char **argv) {
  static const struct book_return back = {open_room, give, close_room,
                                          exercise_is_known};
  return book_main(argc, argv, &back);
}
