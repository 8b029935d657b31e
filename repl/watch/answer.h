// SPDX-License-Identifier: Apache-2.0
// The file of a learner's answer to an exercise: begun for them where there is none,
// followed as editors save it, and read.
#ifndef REPL_WATCH_ANSWER_H
#define REPL_WATCH_ANSWER_H

#include <stdbool.h>

#include "base/err.h"

struct follow;

struct answer {
  char *exercise, *path;
  const char *file; // the last part of the path
  char *starter;
  char *text; // that was read last; NULL: none
  bool was_begun;
  struct follow *follow;
};

enum answer_news {
  ANSWER_NOTHING,
  ANSWER_SAVED, // `text` is another one than before
  ANSWER_EMPTY, // it holds nothing to judge
  ANSWER_GONE,
  ANSWER_UNREADABLE, // `e` says why
};

// Where the answer to an exercise is, in `folder` ("" or "a/"); the caller frees it.
char *answer_path(const char *folder, const char *exercise,
                  const char *extension);
// Takes over `path`. A file that is not there begins with `draft`, or where that is
// NULL with the starter; one that is there has been read. After a failure answer_close
// is still due.
enum err answer_open(struct answer *a, const char *exercise, char *path,
                     const char *draft, struct err_info *e);
void answer_close(struct answer *a);
bool answer_has_text(const struct answer *a); // more than blanks
// Does it hold what nobody has changed yet, or nothing?
bool answer_is_begun_only(const struct answer *a);
// When its file descriptor can be read, and at least that often.
enum answer_news answer_look(struct answer *a, struct err_info *e);
int answer_fd(const struct answer *a); // -1: none
int answer_interval_ms(const struct answer *a);

#endif
