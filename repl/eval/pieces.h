// SPDX-License-Identifier: Apache-2.0
// The CUDA C that was typed so far: helpers, types, constants and includes are
// kept and put before every later kernel; typed again, they are replaced.
#ifndef REPL_EVAL_PIECES_H
#define REPL_EVAL_PIECES_H

#include "repl/eval/eval.h"

// A text of CUDA C, read once.
struct cuda_text {
  const char *text;     // the caller's, which stays where it is
  struct pieces pieces; // its declarations, in their order
  char **kernels;       // the plain names of its kernels
  int kernel_count;
  bool
      is_template; // its first kernel is one, which only an instantiation makes
};

void cuda_text_read(struct cuda_text *c, const char *text);
void cuda_text_free(struct cuda_text *c);

// Keeps each declaration of a text, in place of the one with its name if there
// is one.
void pieces_keep(struct pieces *p, const struct cuda_text *c);

// The source of a compile: everything kept but what the text replaces, then the
// text, whose lines are numbered from 1 under the name `file` (NULL: no line is
// numbered anew).
void pieces_source(const struct pieces *p, const struct cuda_text *c,
                   const char *file, struct str *out);

#endif
