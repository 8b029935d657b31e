// SPDX-License-Identifier: Apache-2.0
// The prompt.
#ifndef REPL_PROMPT_PROMPT_H
#define REPL_PROMPT_PROMPT_H

#include "repl/shop.h"

// Reads and runs until the person leaves; returns the exit code. On a terminal
// `begin`, which may be NULL, comes first, and may ask.
int prompt_run(struct shop *s, void (*begin)(struct shop *s));

#endif
