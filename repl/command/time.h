// SPDX-License-Identifier: Apache-2.0
// What the files of :time share.
#ifndef REPL_COMMAND_TIME_H
#define REPL_COMMAND_TIME_H

#include "repl/shop.h"

// Microseconds that the plain C reference takes for the launch that
// `expression` is, on copies of its arrays; -1 when it is no single launch of a
// built-in kernel. May raise.
double time_reference_us(lua_State *L, const char *expression);

#endif
