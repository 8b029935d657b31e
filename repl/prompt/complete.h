// SPDX-License-Identifier: Apache-2.0
// The names that Tab completes, behind Readline's generator interface.
#ifndef REPL_PROMPT_COMPLETE_H
#define REPL_PROMPT_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "repl/shop.h"

// What completes `line` between `start` and `end`, and, of a single one, a line
// below the text that says what it is.
char **complete_line(struct shop *s, const char *line, int start, int end);
char *complete_breaks(void); // which characters end a name, where it stands
char **complete_debug(const char *line, int start, int end);

// ---- complete_matches.c ----

struct complete_matches {
  char **list; // [0] is for Readline's common beginning
  int count;
};

// Adds text, which is taken, unless it is there.
void complete_add(struct complete_matches *m, char *text);
// In Readline's form, sorted; NULL where there is none.
char **complete_finish(struct complete_matches *m);

// ---- complete_cuda.c ----

// Is the place `at` of a text inside CUDA C?
bool complete_is_cuda(const char *text, size_t at);
// Adds what may stand at `start` in CUDA C and begins as what is there up to
// `end`: CUDA's names, types, C's words, and the names of the text itself;
// behind a "." the parts of a vector.
void complete_cuda(const char *text, size_t start, size_t end,
                   struct complete_matches *m);
// Adds the names that the text itself has elsewhere.
void complete_own_names(const char *text, size_t start, size_t end,
                        struct complete_matches *m);
// Adds how the text declares a name of its own ("const float *x", "int f(int a)"),
// but for where it stands at `but_at`; nothing where it does not.
void complete_declaration(const char *text, const char *name, size_t but_at,
                          struct str *out);

// ---- complete_argument.c ----

// What stands behind a command as its word number `place` (from 0), by what :help
// says of it ("[EXERCISE]").
enum complete_kind { COMPLETE_LUA, COMPLETE_FILE, COMPLETE_DONE };
enum complete_kind complete_argument(const char *args, int place,
                                     const char *word,
                                     struct complete_matches *m);

#endif
