// SPDX-License-Identifier: Apache-2.0
// warpshop class leaderboard join, withdraw, show, publish.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "class/board.h"
#include "class/class_main.h"
#include "grade/batch/batch.h"

static void say_odd(void *context, const char *text) {
  (void)context;
  printf("  ~ %s\n", text);
}

// ---- The learner's side ----

static int join(const char *name) {
  struct err_info e;
  enum err err = board_check_name(name, &e);
  if (err)
    return class_say_error(err, &e);
  int code = class_tell(EVENT_BOARD, "", name, "");
  if (!code)
    printf(
        "What your instructors measure from now on stands on the board under "
        "\"%s\".\nwarpshop class leaderboard withdraw takes it off.\n",
        name);
  return code;
}

static int withdraw(void) {
  int code = class_tell(EVENT_BOARD, "", "", "");
  if (!code)
    puts("You are off the board as soon as your instructors collect or publish "
         "next.");
  return code;
}

static int show(const char *folder) {
  struct err_info e;
  struct str out = STR_INIT;
  int code;
  struct room *r = class_open_room(folder, &code);
  if (!r)
    return code;
  enum err err = board_show(r, &out, &e);
  fputs(out.data, stdout);
  str_free(&out);
  room_close(r);
  return err ? class_say_error(err, &e) : 0;
}

// ---- The instructor's ----

static int publish(const char *folder, const char *path) {
  struct err_info e;
  int code;
  struct room *r = class_open_room(folder, &code);
  if (!r)
    return code;
  struct board b = {.room = r, .odd = say_odd};
  json_t *verdicts;
  enum err err = verdicts_read(path, &verdicts, &e);
  if (!err)
    err = board_publish(&b, verdicts, &e);
  json_decref(verdicts);
  if (err)
    code = class_say_error(err, &e);
  else
    printf("%s: %d entries. warpshop class leaderboard show %s shows them.\n",
           r->name, b.entries, r->folder);
  room_close(r);
  return code;
}

int class_leaderboard(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "show";
  if (!strcmp(what, "join") && argc > 2) {
    char *name = class_join_words(argc, argv, 2);
    int code = join(name);
    free(name);
    return code;
  }
  if (!strcmp(what, "withdraw") && argc == 2)
    return withdraw();
  if (!strcmp(what, "show") && argc <= 3)
    return show(argc > 2 ? argv[2] : NULL);
  if (!strcmp(what, "publish") && argc == 4)
    return publish(argv[2], argv[3]);
  return class_usage("class leaderboard takes join NAME, withdraw, show, or "
                     "publish DIR VERDICTS");
}
