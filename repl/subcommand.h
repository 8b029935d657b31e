// SPDX-License-Identifier: Apache-2.0
// Subcommands: one function a row of subcommand.def.
#ifndef REPL_SUBCOMMAND_SUBCOMMAND_H
#define REPL_SUBCOMMAND_SUBCOMMAND_H

#include "repl/shop.h"

struct subcommand {
  const char *name, *args, *help;
  int (*run)(struct shop *s, int argc, char **argv);
};

#define SUB(name, function, args, help)                                        \
  int function(struct shop *s, int argc, char **argv);
#include "repl/subcommand.def"
#undef SUB

// `warpshop lesson new NAME`; argv[2] is the name.
int lesson_new(int argc, char **argv);

#endif
