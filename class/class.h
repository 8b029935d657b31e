// SPDX-License-Identifier: Apache-2.0
// Rooms, as the rest of warpshop sees them: `warpshop class`, and what a learner's
// program does in one: it finds its seat, tells what happens, hands in, and hears
// what comes back.
#ifndef CLASS_CLASS_H
#define CLASS_CLASS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "grade/input/input.h"

// `warpshop class ...`: prints, and returns the exit status.
int class_main(int argc, char **argv);

// Its commands, which class_main calls; argv[0] is the command's own name.
#define CLASS(name, function, args, help) int function(int argc, char **argv);
#include "class/class.def"
#undef CLASS

// ---- The room that the caller is in (room.c) ----

struct room; // room.h

// ERR_NOT_FOUND: there is no room. ERR_ARGUMENT: it is not as rooms are, so that
// others could read what is in it or change it; the text says what and the way out.
enum err room_open(const char *folder, struct room **out, struct err_info *e);
void room_close(struct room *r); // NULL is fine

struct room_seat {
  char *room;   // its folder
  char *folder; // the caller's own in it, absolute
};
// ERR_NOT_FOUND: in none.
enum err room_seat_load(struct room_seat *out, struct err_info *e);
void room_seat_free(struct room_seat *seat);

// ---- What happens in it (event.c) ----

enum event_kind {
#define EVENT(name, text) EVENT_##name,
#include "class/event.def"
#undef EVENT
};

struct event_log; // a session's

// The file is made by the first event. `folder` is a learner's own (room_seat).
struct event_log *event_log_open(const char *folder);
void event_log_close(struct event_log *log); // NULL is fine
// Says so once where it cannot be written, and is silent from then on. The time is
// now. `what`, `text` and `code` as in struct event (event.h).
enum err event_add(struct event_log *log, enum event_kind kind,
                   const char *what, const char *text, const char *code,
                   struct err_info *e);

// ---- Handing in (submit.c, receipt.c, receipts.c) ----

enum { RECEIPT_EXERCISE_BYTES = 64 };

struct receipt_name {
  char exercise[RECEIPT_EXERCISE_BYTES];
  int number;       // from 1
  const char *kind; // ".cu"
};
// "vector-add-0003.cu"; to be freed.
char *receipt_file(const struct receipt_name *n);
// May hand-ins of it be called so?
bool receipt_is_exercise(const char *name);

struct submit {
  const char *folder;   // the learner's in the room, absolute
  const char *exercise; // of this
  const char *kind;     // ".cu", ".lua", ".sh"
  const char *text;
  size_t bytes;
};

struct submitted {
  struct receipt_name name;
  char hash[SEED_HEX]; // SHA-256 of the file
  int64_t time_s;      // since 1970, by the clock of the room's file server
};

// Writes it as the next number of its exercise: never over another, never in parts,
// synced to the disk. ERR_ARGUMENT: the exercise's name cannot be a file's; ERR_IO:
// nothing was handed in, and why.
enum err submit_source(const struct submit *q, struct submitted *out,
                       struct err_info *e);
// What is printed then, of the room in this folder.
void receipts_add_submitted(const char *room, const struct submitted *one,
                            struct str *out);

// What a learner sees of the hand-ins of their own, a line for each: which are
// countersigned. A countersignature that is the room's is kept as a file in the
// caller's home as well, where nobody else can take it back:
//   XDG_DATA_HOME/warpshop/receipts/<room>/<exercise>-<NNNN>.json
// ERR_IO, ERR_ARGUMENT: the room is not as it was; the text says what.
enum err receipts_add(const struct room_seat *seat, struct str *out,
                      struct err_info *e);

// ---- What comes back (return.c) ----

// The kinds, and what their bodies hold:
//   "hint"     text
//   "mark"     exercise, mark and of (points; null: none), comment (may be missing),
//              and whatever tells two marks of equal text apart
//   "due"      exercise, rule (book/rule.h), is_extended, event (its number)
//   "receipt"  a countersigned hand-in (receipt.h)
struct return_item {
  const char *kind;
  int64_t time_ms; // since 1970, by the clock of who wrote it
  const json_t *body;
};

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
