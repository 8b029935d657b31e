// SPDX-License-Identifier: Apache-2.0
// The CUDA C that was typed so far: helpers, types, constants and includes are
// kept and put before every later kernel; typed again, they are replaced.
#ifndef REPL_EVAL_PIECES_H
#define REPL_EVAL_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct piece {
  char *name; // what it declares: "square", "struct body", "#include <x>"
  char *text;
};

struct pieces {
  struct piece *list;
  int count;
};

void pieces_free(struct pieces *p);

// Does a declaration hold a kernel?
bool piece_is_kernel(const char *text);

// Is its first kernel a template, which only an instantiation makes real?
bool piece_is_template(const char *text);

// The name that a declaration declares, with a function's parameters, so that
// overloads stay apart. The caller frees it.
char *piece_name(const char *text);

// Keeps each declaration of `text`, in place of the one with its name if there
// is one.
void pieces_keep(struct pieces *p, const char *text);

// The source of a compile: everything kept but what `text` replaces, then
// `text`, whose lines are numbered from 1 under the name `file` (NULL: no
// line is numbered anew).
void pieces_source(const struct pieces *p, const char *text, const char *file,
                   struct str *out);

// The text behind the first kernel's "__global__" (its end when there is none).
const char *piece_after_kernel(const char *text);

// The plain name of the first kernel of `text`, "" when there is none.
void piece_kernel_name(const char *text, char *out, size_t bytes);

#endif
