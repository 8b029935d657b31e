// SPDX-License-Identifier: Apache-2.0
// Progress: an append-only journal under XDG_DATA_HOME. Each session writes a
// file of its own, each record with one write, led by its length and CRC, so
// that a kill at any byte leaves all earlier records readable; readers merge
// the files.
#ifndef REPL_LESSON_JOURNAL_H
#define REPL_LESSON_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

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

#endif
