// SPDX-License-Identifier: Apache-2.0
// A case that was kept as a file, at the prompt.
#ifndef REPL_COMMAND_KEPT_H
#define REPL_COMMAND_KEPT_H

#include "repl/shop.h"

bool kept_is(const char *text); // "add.case"

// Makes the variable `case` of the file: its arrays and numbers by name, and the
// compiled code as `case.code`. Gives the launch as a line of Lua, which the
// caller frees; NULL where it cannot, after saying why.
char *kept_load(struct shop *s, const char *path);

#endif
