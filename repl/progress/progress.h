// SPDX-License-Identifier: Apache-2.0
// What is kept of a learner: the journal and how far an exercise has come by it,
// and what was handed in.
#ifndef REPL_PROGRESS_PROGRESS_H
#define REPL_PROGRESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

// ---- journal.c ----

// An append-only journal under XDG_DATA_HOME. Each session writes a file of its
// own, each record with one write, led by its length and CRC, so that a kill at
// any byte leaves all earlier records readable; readers merge the files.

struct journal;

// Nothing is written until the first record. `folder` NULL: the user's own.
// ERR_IO when there is no place for it at all.
enum err journal_open(const char *folder, struct journal **out,
                      struct err_info *e);
void journal_close(struct journal *j);

// Appends one record; no field may hold a tab or a newline (they become
// spaces). After a failure the journal stays silent: it is reported once.
enum err journal_add(struct journal *j, const char *kind, const char *key,
                     const char *value, struct err_info *e);

struct journal_record {
  int64_t time_ms; // since 1970
  const char *kind;
  const char *key;
  const char *value;
};

// Calls `each` with every whole record of every session, oldest first.
enum err journal_read(const struct journal *j,
                      void (*each)(void *context,
                                   const struct journal_record *r),
                      void *context, struct err_info *e);

// Progress as lessons use it: the page that a lesson was left at (from 1; 0:
// never opened), the lesson that was open last ("" for none; `out` is filled).
int journal_page(const struct journal *j, const char *lesson);
void journal_last_lesson(const struct journal *j, char *out, size_t bytes);

// ---- progress.c: how far an exercise has come, read from the journal ----

struct exercise_progress {
  bool has_passed, saw_solution;
  bool was_skipped; // last: the machine lacked what it needs
  int tries;        // up to the first that passed
  int hints;
};

struct exercise_progress progress_of(const struct journal *j, const char *name);

// The same of many: what the journal says now, read once.
struct progress;
struct progress *progress_take(const struct journal *j); // NULL: of nothing
void progress_free(struct progress *p);
struct exercise_progress progress_exercise(const struct progress *p,
                                           const char *name);
// The page that a lesson was left at, from 1, and the furthest; 0: never opened.
int progress_page(const struct progress *p, const char *lesson, int *furthest);

// "done in 3 tries, 1 hint", "2 tries", or "" for an exercise never tried.
void progress_add_text(const struct exercise_progress *p, struct str *out);

// ---- attempts.c ----

// What a learner handed in, kept with its verdict: a file an attempt under
// XDG_STATE_HOME, written with one write and led by its length and CRC, so that
// a kill leaves all earlier ones readable. Old ones make room for new ones.

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
