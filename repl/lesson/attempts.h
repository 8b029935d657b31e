// SPDX-License-Identifier: Apache-2.0
// What a learner handed in, kept with its verdict: a file an attempt under
// XDG_STATE_HOME, written with one write and led by its length and CRC, so that
// a kill leaves all earlier ones readable. Old ones make room for new ones.
#ifndef REPL_LESSON_ATTEMPTS_H
#define REPL_LESSON_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { ATTEMPTS_MAX = 50, ATTEMPTS_MAX_BYTES = 1 << 20 }; // of one exercise

struct attempt {
  int64_t time_ms;  // since 1970; 0: now
  char verdict[24]; // "pass", "compile-error"
  char score[32];   // "4/10"
  char code[64];    // "oob-write"; "": no mistake with a code
  char *text;       // the source that was judged
};

struct attempts {
  int count;
  struct attempt *list; // oldest first
};

// Keeps an attempt, and drops the oldest beyond the limits; the newest and the
// newest that passed stay. `folder` NULL: the user's own. ERR_IO says why not.
enum err attempts_keep(const char *folder, const char *exercise,
                       const struct attempt *a, struct err_info *e);

// The whole attempts of an exercise: none is no error.
void attempts_read(const char *folder, const char *exercise,
                   struct attempts *out);
void attempts_free(struct attempts *a);

// The source of the newest that passed, or NULL; the caller frees it.
char *attempts_passed(const char *folder, const char *exercise);

// Adds the unified difference of two texts, made by `diff`; false where that is
// not installed.
bool attempts_add_difference(const char *old_name, const char *old_text,
                             const char *new_name, const char *new_text,
                             struct str *out);

#endif
