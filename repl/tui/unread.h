// SPDX-License-Identifier: Apache-2.0
// Keys that were read from the terminal already, for whoever reads next.
#ifndef REPL_TUI_UNREAD_H
#define REPL_TUI_UNREAD_H

#include <stdbool.h>
#include <stddef.h>

bool unread_has(void);
int unread_take(void); // the first of them, where there is one
void unread_add(const char *keys, size_t n); // a byte 0 is one, too

#endif
