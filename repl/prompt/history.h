// SPDX-License-Identifier: Apache-2.0
// The prompt's history: one file a course under XDG_STATE_HOME, which all sessions
// share.
// Every entry is appended in one write; a file that has grown too long is cut
// to its newest entries at the next start.
#ifndef REPL_PROMPT_HISTORY_H
#define REPL_PROMPT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { HISTORY_MAX = 2000 }; // entries kept

struct history {
  char *path;
  bool is_broken; // the first failure was said; nothing more is written
};

// Calls `each` with every entry, oldest first. A missing file is no error.
enum err history_open(struct history *h, void (*each)(const char *entry),
                      struct err_info *e);
enum err history_append(struct history *h, const char *entry,
                        struct err_info *e);
void history_close(struct history *h);

#endif
