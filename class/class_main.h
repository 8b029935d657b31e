// SPDX-License-Identifier: Apache-2.0
// `warpshop class ...`: prints, and returns the exit status.
#ifndef CLASS_CLASS_MAIN_H
#define CLASS_CLASS_MAIN_H

#include "class/event.h"

// Says that a command was called wrongly, and how it is: "class NAME takes ...".
int class_usage(const char *text);
int class_say_error(enum err err, const struct err_info *e);
// The room at `folder`, or that the user is in; NULL: `*code` is the exit status of
// what was said.
struct room *class_open_room(const char *folder, int *code);
// A user's name or number, who has joined the room; ERR_NOT_FOUND: nobody has.
enum err class_find_learner(const struct room *r, const char *name, uid_t *out,
                            struct err_info *e);
// A hint to one learner alone; ERR_IO and more: return_append's.
enum err class_send_hint(const struct room *r, uid_t uid, const char *text,
                         struct err_info *e);
// Begins or ends the pause of ranked turns. ERR_IO: the caller may not.
enum err class_set_pause(const struct room *r, bool is_paused,
                         struct err_info *e);
// Writes an event into the caller's own folder; an exit status.
int class_tell(enum event_kind kind, const char *what, const char *text,
               const char *code);
// argv[first] and all behind it, with spaces; to be freed.
char *class_join_words(int argc, char **argv, int first);

#endif
