// SPDX-License-Identifier: Apache-2.0
// A race in words: both threads side by side.
#ifndef REPL_COMMAND_RACE_H
#define REPL_COMMAND_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct race_side {
  int line;           // 0: not known
  const char *text;   // of that line; "": not known
  const char *access; // "read", "write", "atomic"
  const char *value;  // that it wrote or read; "": not known
  uint32_t block[3], thread[3];
  int warp; // of the block; -1: not known
};
// All borrowed; what is not known is "".
struct race {
  const char *file, *function;
  const char *cell;  // "part[4]"
  const char *space; // "shared"
  const char *why;   // what it came from, or how to mend it
  // Between which barriers of their block, from 1 before the first; 0: not known.
  int interval;
  int first; // which came first in this run: side[first - 1]; 0: at once, or
             // not known
  bool is_ascii; // no other characters than those draw the columns
  struct race_side side[2];
};

// Two columns in so many of the terminal's; 0: sentences alone.
void race_add(struct str *out, const struct race *r, int columns);

#endif
