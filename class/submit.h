// SPDX-License-Identifier: Apache-2.0
// Handing in: a source copied into the learner's own folder of the room. Nothing else
// takes source out of a learner's hands.
#ifndef CLASS_SUBMIT_H
#define CLASS_SUBMIT_H

#include "class/receipt.h"
#include "grade/input/seed.h"

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

// What lies there, by name; told in order. A file that cannot be read has no hash.
enum err submit_each(const char *folder,
                     void (*each)(void *context, const struct submitted *one),
                     void *context, struct err_info *e);

// "2026-11-23 07:21:06", in the time zone of this process; to be freed.
char *submit_time(int64_t time_s);

#endif
