// SPDX-License-Identifier: Apache-2.0
// The lines of a function that is written in C.
#ifndef REPL_COMMAND_C_SOURCE_H
#define REPL_COMMAND_C_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct c_source {
  char function[80]; // as it is called in C
  char file[80];     // without its folder
  char path[120];    // in the tree of sources; empty: it is not here
  int line;          // where `text` begins; 0: not found
  struct str text;   // its lines; empty: none
};

// Looks up the program's own function at `address`. False: the program does
// not know, or it is another library's. The caller frees `text`.
bool c_source_find(uintptr_t address, struct c_source *out);

#endif
