// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error held back, to be shown later.
#ifndef REPL_EVAL_CAPTURE_H
#define REPL_EVAL_CAPTURE_H

#include <stdbool.h>

struct capture {
  int file, out, err; // the text so far; the streams as they were
};

// False where it cannot be done: what is printed is seen at once.
bool capture_begin(struct capture *c);

// The streams are as they were; returns what was printed. The caller frees it.
char *capture_end(struct capture *c);

#endif
